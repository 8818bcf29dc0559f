"""Circuits beside modules by hand: the same programs, inputs, RAM ports and tools."""
