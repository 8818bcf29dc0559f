"""C and Python programs run natively: the calls that they make of their kernels."""
