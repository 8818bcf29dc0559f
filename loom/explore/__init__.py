"""``loom explore``: options of a kernel as axes, and the points that nothing else beats."""
