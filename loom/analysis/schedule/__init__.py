"""Initiation intervals, start times and buffers."""
