"""Counted loops in each other that become one pipeline."""
