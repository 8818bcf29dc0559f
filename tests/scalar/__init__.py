"""Circuits without idle logic: what each pass takes out, and faults that are reported."""
