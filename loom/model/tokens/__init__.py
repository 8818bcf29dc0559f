"""The netlist as a Kahn process network."""
