"""Delays and areas of targets held against place and route, and corrected by regression."""
