"""Idle logic leaves the graph of units: passes that `--lean off` leaves out."""
