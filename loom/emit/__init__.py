"""From a netlist to SystemVerilog files."""

from loom.emit.circuit import emit
from loom.emit.files import write_files
from loom.emit.rams import Ram
from loom.emit.render import ram_text

__all__ = ["Ram", "emit", "ram_text", "write_files"]
