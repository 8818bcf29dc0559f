"""Pragmas of C: of loops, arrays, functions and sizes."""
