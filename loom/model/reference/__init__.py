"""The source program, run: the reference of every comparison."""
