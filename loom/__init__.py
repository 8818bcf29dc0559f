"""Dynamically scheduled high-level synthesis: MLIR in, elastic circuits in SystemVerilog out."""
