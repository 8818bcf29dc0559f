"""``loom wrap``: a circuit behind a bus, or between AXI4-Streams."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loom.bus.buses import AXIS, WRAPPERS
from loom.errors import LoomError, Place
from loom.front.verbs import MATCH, print_notes

if TYPE_CHECKING:
    from loom.bus.axis import AxisMap
    from loom.bus.register_map import RegisterMap
    from loom.bus.streams import Streams
    from loom.front.request import Request


def wrap(options: argparse.Namespace, request: Request) -> int:
    """``loom wrap``."""
    from loom.bus.wrap import require_bus
    from loom.bus.wrappers import wrap_behind
    from loom.emit.boundary import Boundary
    from loom.emit.files import write_files
    from loom.front.load_circuit import emitter_of, load_circuit
    from loom.front.styles.styled import print_choice

    require_bus(options.bus, WRAPPERS)
    streams = read_streams(options.bus, options.stream)
    found, styled = load_circuit(request, options.bus, streams)
    made = wrap_behind(
        found.netlist, options.bus, found.signs, options.address_width, streams, emitter_of(found),
        Boundary(flat=options.flat, verilog_2005=options.verilog_2005),
    )  # fmt: skip
    write_files(Path(options.output), made.files)
    print_choice(styled)
    print_notes(found)
    print_map(made.map, len(made.files), options)
    return MATCH


def read_streams(bus: str, names: Sequence[str]) -> Streams:
    """The arrays of the command line that are streams on a bus; all of them where it is `axis`.

    Refused: names for `axis` (CLI_VALUE).
    """
    if bus == AXIS and names:
        what = f"it for {AXIS}, where every array is a stream"
        raise LoomError("CLI_VALUE", Place("--stream"), what, "it for a bus")
    return "all" if bus == AXIS else tuple(dict.fromkeys(names))


def print_map(found: RegisterMap | AxisMap, files: int, options: argparse.Namespace) -> None:
    """Where everything is on the bus, and what flows beside it."""
    from loom.bus.register_map import RegisterMap

    said: dict[str, object] = {"module": found.module}
    places: dict[str, tuple[int, str]] = {}
    flowing = [*found.streams]
    if isinstance(found, RegisterMap):
        places = {each.name: (each.offset, each.text) for each in found.registers}
        places |= {each.name: (each.offset, each.text) for each in found.windows}
        offsets = {name: offset for name, (offset, _) in places.items()}
        said |= {"build": found.build, "bytes": found.size, "address_width": found.address_width,
                 "offsets": offsets}  # fmt: skip
    else:
        flowing = [*found.scalars, *flowing]
    texts = {stream.pins: stream.text for stream in flowing}
    if options.json:
        print(json.dumps({**said, **({"streams": texts} if texts else {})}))
        return
    print(f"{found.module}: {files} files in {options.output}")
    for name, (offset, text) in places.items():
        print(f"0x{offset:03x}  {name}: {text}")
    for name, text in texts.items():
        print(f"{name}: {text}")
