"""A circuit behind a bus: the files of its wrapper."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from loom.bus.buses import BUSES, port_of
from loom.bus.register_map import RegisterMap, build_map
from loom.bus.streams import Streams, adapter_texts
from loom.emit.boundary import Boundary
from loom.emit.circuit import Emitter, emit
from loom.emit.ports import Signs, find_ports, port_files
from loom.emit.rams import Ram
from loom.emit.render import environment, ram_text, template
from loom.errors import LoomError, Place
from loom.netlist.netlist import Netlist

INSIDE = Boundary(error_clear=True)
"""The edge of a circuit in a wrapper."""
RAM = Ram("loom_bus_ram", "simple_dual", 1, byte_width=8)


@dataclass(frozen=True)
class Wrapped:
    """A circuit behind a bus: its register map, and relative path to text of every file."""

    map: RegisterMap
    files: dict[str, str]


def wrap_circuit(
    netlist: Netlist,
    bus: str,
    signs: Signs | None = None,
    address_width: int | None = None,
    streams: Streams = (),
    emitter: Emitter = emit,
) -> Wrapped:
    """The circuit, its wrapper, and what software needs; the order of `streams` was proved.

    `emitter` writes the circuit.
    Refused: what `emit` and `build_map` refuse, an unknown bus (WRAP_BUS), a circuit called like a
    module of the wrapper (EMIT_NAME_TAKEN).
    """
    require_bus(bus)
    ports = find_ports(netlist, INSIDE, signs)
    found = build_map(netlist, ports, bus, address_width, streams)
    files = emitter(netlist, INSIDE)
    del files[f"{netlist.name}.f"]
    own = wrapper_texts(found)
    if files.keys() & own.keys():
        what = f"a circuit called {netlist.name}, which is also a module of its wrapper"
        accepted = "names that do not begin with loom_"
        raise LoomError("EMIT_NAME_TAKEN", Place(netlist.name), what, accepted)
    found = replace(found, build=hash_of({**files, **own}))
    sources = {**files, **wrapper_texts(found)}
    return Wrapped(found, {
        **sources,
        f"{found.module}.f": "".join(f"{path}\n" for path in sources),
        **software_files(found),
        **port_files(netlist, INSIDE, signs),
    })  # fmt: skip


def require_bus(bus: str, known: Collection[str] = BUSES) -> None:
    """Return if there is such a bus (WRAP_BUS)."""
    if bus not in known:
        accepted = f"a bus: {', '.join(known)}"
        raise LoomError("WRAP_BUS", Place("loom wrap"), f"the bus {bus!r}", accepted)


def wrapper_texts(found: RegisterMap) -> dict[str, str]:
    """The modules of the wrapper, the top last."""
    port, texts = port_of(found.bus), dict[str, str]()
    if found.masters:
        texts["rtl/loom_axi4_burst.sv"] = module_text("bus/axi4_burst")
    for verb in dict.fromkeys(verb for m in found.masters for verb, *_ in m.sides):
        texts[f"rtl/loom_axi4_{verb}.sv"] = module_text(f"bus/axi4_{verb}")
    return {
        **({f"rtl/{RAM.name}.sv": ram_text(RAM)} if found.windows else {}),
        **texts,
        **dict(adapter_texts(found.streams)),
        f"rtl/{found.port}.sv": module_text(f"bus/{port}_port"),
        f"rtl/{found.registers_module}.sv": template("bus/registers").render(map=found),
        f"rtl/{found.module}.sv": template(f"bus/{port}").render(map=found),
    }


def module_text(name: str) -> str:
    """A module that is the same for all circuits."""
    return str(template(name).make_module({}))


def hash_of(files: Mapping[str, str]) -> int:
    """32 bits of the SHA-256 of names and texts; never 0."""
    digest = hashlib.sha256()
    for path, text in files.items():
        digest.update(f"{path}\n{len(text)}\n{text}".encode("utf-8", "backslashreplace"))
    return int.from_bytes(digest.digest()[:4], "big") or 1


def software_files(found: RegisterMap) -> dict[str, str]:
    """What software and documentation need: a C header, a Python driver, a SystemRDL file."""
    return {
        f"{found.module}.h": environment().get_template("bus/header.h.j2").render(map=found),
        f"{found.module}.py": environment().get_template("bus/driver.py.j2").render(map=found),
        f"{found.module}.rdl": environment().get_template("bus/map.rdl.j2").render(map=found),
    }
