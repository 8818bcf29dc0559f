"""From a netlist to SystemVerilog files."""

from loom.emit.circuit import emit
from loom.emit.files import write_files

__all__ = ["emit", "write_files"]
