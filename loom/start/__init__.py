"""The first minutes: what of LOOM is installed, and a first kernel."""
