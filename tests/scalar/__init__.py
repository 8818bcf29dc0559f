"""Passes over scalar values: branches become selects, selects stand before operations."""
