"""A bus around a circuit: its registers, and all that is written from their map."""
