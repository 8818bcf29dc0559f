"""A request in the style that it asks for: a circuit of elastic units, or a static schedule."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from loom.bus.buses import memories_on
from loom.errors import LoomError, Place
from loom.front.api import load_graph
from loom.front.circuit import Circuit
from loom.front.graphs import Graph
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.front.styles.choose import compile_in_style
from loom.front.styles.styled import Styled

if TYPE_CHECKING:
    from loom.bus.streams import Streams
    from loom.emit.circuit import Emitter

AnyCircuit = Graph | Circuit | StaticCircuit


def load_circuit(
    request: Request, bus: str | None = None, streams: Streams = ()
) -> tuple[AnyCircuit, Styled | None]:
    """The circuit of a graph, a netlist, or a program whose arrays are those of a bus.

    With it, of a program, its style and the choice of `auto`.
    Refused: a static schedule of a graph, which has none (STATIC_OPTION), and streams of a graph,
    whose order is not proved (LOWER_STREAM).
    """
    graph = load_graph(request)
    if graph is not None:
        if request.options.style == "static":
            where = Place(request.file)
            raise LoomError("STATIC_OPTION", where, "a graph with --style static", "a program")
        if streams:
            what = "a graph, whose order of accesses is not proved"
            raise LoomError("LOWER_STREAM", Place(request.file), what, "a program for streams")
        return graph, None
    styled = compile_in_style(behind_bus(request, bus, streams))
    return styled.circuit, styled


def behind_bus(request: Request, bus: str | None, streams: Streams = ()) -> Request:
    """The request with the memories and the streams that arguments are on the bus, if any."""
    if bus is None:
        return request
    memories = memories_on(bus, request.options.memories)
    return replace(request, options=replace(request.options, memories=memories, streams=streams))


def emitter_of(circuit: AnyCircuit) -> Emitter:
    """What writes the modules of a circuit."""
    from loom.emit import emit

    return circuit.emit if isinstance(circuit, StaticCircuit) else emit
