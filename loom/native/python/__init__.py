"""Python files run natively, watched, and what their kernels did there."""
