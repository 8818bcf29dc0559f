"""What this package adds to LOOM; pyproject.toml names each part as an entry point."""

from pathlib import Path

EXPONENTIALS = Path(__file__).parent / "cores"
"""Templates of operators, for `loom compile --cores exponentials`."""
