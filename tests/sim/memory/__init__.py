"""Memories outside in RTL, with what the harness can make of them."""
