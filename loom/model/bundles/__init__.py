"""Activations: their signature, their JSON, random ones."""
