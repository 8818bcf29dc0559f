"""LOOM beside CIRCT's handshake flow: one source, one run; cycles, area and period."""
