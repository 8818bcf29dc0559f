"""The timed model: a netlist cycle by cycle, as its SystemVerilog runs, without a simulator."""
