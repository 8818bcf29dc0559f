"""Statements of C: blocks, loops, switches and gotos."""
