"""The front door: the library's functions and the `loom` command."""
