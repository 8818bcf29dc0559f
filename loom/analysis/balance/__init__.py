"""Token counts: how many tokens each channel carries, and what can deadlock."""
