"""Mutation testing: of any Python module by mutmut, of templates and the harness by a list."""
