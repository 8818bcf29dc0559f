"""C files: read by libclang, understood as programs of statements."""
