"""C programs run natively, and what their kernels did there."""
