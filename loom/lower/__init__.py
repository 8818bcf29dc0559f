"""Rewrites from scf to handshake and dataflow, one pass a file."""
