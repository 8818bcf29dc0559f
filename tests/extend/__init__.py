"""Tests of what other packages add: passes, cores, dialects."""
