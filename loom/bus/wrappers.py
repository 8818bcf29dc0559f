"""Every wrapper by the name of its bus: behind registers, or between streams."""

from __future__ import annotations

from dataclasses import replace

from loom.bus.axis import WrappedAxis, wrap_axis
from loom.bus.buses import AXIS
from loom.bus.streams import Streams
from loom.bus.wrap import Wrapped, wrap_circuit
from loom.emit.boundary import DEFAULT_BOUNDARY, Boundary, apply_boundary
from loom.emit.circuit import Emitter, emit
from loom.emit.ports import Signs
from loom.errors import LoomError, Place
from loom.netlist.netlist import Netlist

AnyWrapped = Wrapped | WrappedAxis


def wrap_behind(
    netlist: Netlist,
    bus: str,
    signs: Signs | None = None,
    address_width: int | None = None,
    streams: Streams = (),
    emitter: Emitter = emit,
    boundary: Boundary = DEFAULT_BOUNDARY,
) -> AnyWrapped:
    """The circuit in its wrapper, whose modules are in the language and files of the boundary.

    Refused: what `wrap_circuit` and `wrap_axis` refuse, and addresses of streams (CLI_VALUE). A
    wrapper has the clock and the reset of its bus: the rest of the boundary is the default.
    """
    assert is_of_bus(boundary)
    if bus == AXIS:
        require_no_addresses(address_width)
        between = wrap_axis(netlist, signs)
        return replace(between, files=apply_boundary(between.files, between.map.module, boundary))
    made = wrap_circuit(netlist, bus, signs, address_width, streams, emitter)
    return replace(made, files=apply_boundary(made.files, made.map.module, boundary))


def is_of_bus(boundary: Boundary) -> bool:
    """True if all but the language of the modules and their number of files is the default."""
    return replace(boundary, verilog_2005=False, flat=False) == DEFAULT_BOUNDARY


def require_no_addresses(address_width: int | None) -> None:
    """Return unless streams are to have addresses (CLI_VALUE)."""
    if address_width is not None:
        what = f"it for {AXIS}, which has no addresses"
        raise LoomError("CLI_VALUE", Place("--address-width"), what, "it for a bus")
