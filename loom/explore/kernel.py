"""The kernel of an exploration: a program in a file, which each point reads again."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from loom.errors import LoomError, Place
from loom.front.api import load_graph, read_program
from loom.front.request import Request
from loom.input_files import STDIN


def require_file(request: Request) -> None:
    """Return if the kernel is in a file (INPUT_UNREADABLE)."""
    if request.file == STDIN:
        accepted = "a kernel in a file: each point reads it"
        raise LoomError("INPUT_UNREADABLE", Place(STDIN), "standard input", accepted)


def require_program(request: Request) -> ModuleOp:
    """The program as written. Refused (INPUT_KIND): a graph or a netlist, without loops."""
    if load_graph(request) is not None:
        accepted = "a program; --over NAME=VALUES for graphs"
        raise LoomError("INPUT_KIND", Place(request.file), "a graph without axes", accepted)
    return read_program(request)
