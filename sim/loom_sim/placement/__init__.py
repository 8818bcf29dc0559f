"""Place and route of whole circuits."""
