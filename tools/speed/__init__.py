"""How fast LOOM itself is."""
