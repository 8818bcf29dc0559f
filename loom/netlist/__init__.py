"""The netlist object, its checks and its JSON."""
