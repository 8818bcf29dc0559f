"""Text to a verified module."""
