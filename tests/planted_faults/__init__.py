"""Faults planted in circuits, in the harness and in the judge; each must be reported, exactly."""
