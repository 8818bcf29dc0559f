"""``loom wrap axis``: a circuit between AXI4-Streams."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from loom.errors import LoomError, Place
from loom.front import verbs

if TYPE_CHECKING:
    from loom.front.request import Request


def wrap(options: argparse.Namespace, request: Request) -> int:
    """``loom wrap``: behind a bus, or between streams."""
    from loom.bus.axis import AXIS, wrap_axis
    from loom.emit.files import write_files
    from loom.front.graphs import Graph
    from loom.front.load_circuit import load_circuit

    if options.bus != AXIS:
        return verbs.wrap(options, request)
    if options.address_width is not None:
        what = f"it for {AXIS}, which has no addresses"
        raise LoomError("CLI_VALUE", Place("--address-width"), what, "it for a bus")
    if options.stream:
        what = f"it for {AXIS}, where every array is a stream"
        raise LoomError("CLI_VALUE", Place("--stream"), what, "it for a bus")
    request = replace(request, options=replace(request.options, streams="all"))
    found = load_circuit(request)
    if isinstance(found, Graph):
        raise verbs.no_streams(request)
    made = wrap_axis(found.netlist, found.signs)
    write_files(Path(options.output), made.files)
    verbs.print_notes(found)
    texts = {stream.pins: stream.text for stream in (*made.map.scalars, *made.map.streams)}
    if options.json:
        print(json.dumps({"module": made.map.module, "streams": texts}))
        return verbs.MATCH
    print(f"{made.map.module}: {len(made.files)} files in {options.output}")
    for name, text in texts.items():
        print(f"{name}: {text}")
    return verbs.MATCH
