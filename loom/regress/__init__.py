"""``loom regress``: kernels of folders, run and compared with what is expected of them."""
