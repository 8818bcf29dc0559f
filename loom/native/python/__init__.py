"""Python programs run with their kernel watched: each step is checked against its types."""
