"""Co-simulation of emitted circuits in Verilator under cocotb."""
