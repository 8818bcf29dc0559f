"""Exponential, logarithm, sine and cosine as programs of integer operations."""
