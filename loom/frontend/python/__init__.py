"""Python files: kernels over NumPy scalars and arrays, understood as programs of statements."""
