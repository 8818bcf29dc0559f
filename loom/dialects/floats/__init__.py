"""Floating-point numerics: formats, rounding, conversions. Imports nothing of LOOM."""
