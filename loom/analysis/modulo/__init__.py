"""Modulo scheduling of loop bodies whose operations all have fixed latencies."""
