"""What passes leave for each other, as typed attributes of operations."""
