"""The units that keep the order of memory accesses: comparators of addresses, and a queue."""
