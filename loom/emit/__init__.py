"""A netlist as SystemVerilog files."""
