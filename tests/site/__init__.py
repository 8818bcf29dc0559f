"""Tests of the documentation: its commands, and the site."""
