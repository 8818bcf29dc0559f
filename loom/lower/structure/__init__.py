"""Calls, blocks and switches become structured code."""
