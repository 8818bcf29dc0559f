"""Order of accesses: what follows from data flow, and what orders each access, in words."""
