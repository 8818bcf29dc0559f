"""Units in Verilog-2005 against those in SystemVerilog: the same next state, the same outputs."""
