"""The static circuit of a request, whatever style the program says."""

from __future__ import annotations

from loom.front.api import read_program
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit, compile_static


def compile_static_request(request: Request) -> StaticCircuit:
    """The static circuit of a program."""
    return compile_static(read_program(request), top=request.top, options=request.options)
