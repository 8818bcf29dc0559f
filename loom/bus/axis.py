"""A circuit between AXI4-Streams: the files of its wrapper."""

from __future__ import annotations

from dataclasses import dataclass

from loom.bus.buses import AXIS
from loom.bus.streams import Stream, adapter_texts, find_streams
from loom.emit.boundary import Boundary
from loom.emit.circuit import emit
from loom.emit.ports import Ports, Signs, find_ports, port_files
from loom.emit.render import template
from loom.errors import LoomError, Place
from loom.netlist.netlist import Netlist

INSIDE = Boundary(error_clear=True)
"""The edge of a circuit in a wrapper."""


@dataclass(frozen=True)
class AxisMap:
    """The streams of a circuit; those of arguments and results have a beat an activation."""

    kernel: str
    streams: tuple[Stream, ...]
    scalars: tuple[Stream, ...]
    control_inputs: tuple[str, ...]
    control_outputs: tuple[str, ...]

    @property
    def module(self) -> str:
        """The name of the wrapper."""
        return f"{self.kernel}_{AXIS}"


@dataclass(frozen=True)
class WrappedAxis:
    """A circuit between streams: its streams, and relative path to text of every file."""

    map: AxisMap
    files: dict[str, str]


def wrap_axis(netlist: Netlist, signs: Signs | None = None) -> WrappedAxis:
    """The circuit and its wrapper; every array is a stream, whose order was proved.

    Refused: what `emit` refuses, an array that is no stream (LOWER_STREAM), a circuit called like a
    module of the wrapper (EMIT_NAME_TAKEN).
    """
    found = map_of(find_ports(netlist, INSIDE, signs))
    files = emit(netlist, INSIDE)
    del files[f"{netlist.name}.f"]
    own = dict(adapter_texts(found.streams))
    own[f"rtl/{found.module}.sv"] = template("bus/axis").render(map=found)
    if files.keys() & own.keys():
        what = f"a circuit called {netlist.name}, which is also a module of its wrapper"
        accepted = "names that do not begin with loom_"
        raise LoomError("EMIT_NAME_TAKEN", Place(netlist.name), what, accepted)
    sources = {**files, **own}
    listed = {f"{found.module}.f": "".join(f"{path}\n" for path in sources)}
    return WrappedAxis(found, {**sources, **listed, **port_files(netlist, INSIDE, signs)})


def map_of(ports: Ports) -> AxisMap:
    """The streams of a circuit with these ports."""
    return AxisMap(
        ports.module,
        find_streams(ports, "all"),
        tuple(
            Stream(c.name, c.width, c.direction == "input", c.type, c.signed)
            for c in ports.channels
            if c.width
        ),
        tuple(c.name for c in ports.channels if not c.width and c.direction == "input"),
        tuple(c.name for c in ports.channels if not c.width and c.direction == "output"),
    )
