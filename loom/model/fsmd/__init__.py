"""The machine of a static schedule, cycle by cycle."""
