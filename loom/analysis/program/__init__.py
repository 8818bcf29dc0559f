"""Questions about the program: trip counts, value ranges, memory dependence."""
