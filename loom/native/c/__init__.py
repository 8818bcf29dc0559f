"""C programs compiled and run, with a recorder in the kernel's place."""
