"""Simplification and bit-width reduction of scalar operations."""
