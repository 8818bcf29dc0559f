"""Area, delay and static timing of circuits."""
