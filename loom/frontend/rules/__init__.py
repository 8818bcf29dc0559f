"""What LOOM accepts of a program, and how each refusal is worded."""
