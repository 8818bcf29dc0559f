"""Two models that say what a circuit must do: the source program and the token simulation."""
