"""Programs of statements and variables, as C and Python have them, and their MLIR."""
