"""Arrays: flattening, partitioning, scalar replacement, memory order."""
