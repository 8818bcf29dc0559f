"""The operator catalogue: a row for each operator."""
