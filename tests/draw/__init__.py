"""Tests of the drawings of `loom graph`."""
