"""Structured code becomes a dataflow graph, complete with forks, units and buffers."""
