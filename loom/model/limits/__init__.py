"""Lower bounds on cycles, from a run with timestamps."""
