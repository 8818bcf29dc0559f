"""The source reference and the token model."""
