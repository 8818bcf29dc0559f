"""A circuit with all that tools ask of it, and the files of its package for one of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from loom.bus.buses import WRAPPERS
from loom.bus.register_map import RegisterMap
from loom.bus.streams import Streams
from loom.bus.wrap import INSIDE
from loom.bus.wrappers import is_of_bus, wrap_behind
from loom.emit.boundary import DEFAULT_BOUNDARY, Boundary, apply_boundary
from loom.emit.circuit import Emitter, emit
from loom.emit.files import encode_text
from loom.emit.ports import Pin, Ports, Signs, find_ports, port_files
from loom.emit.render import environment
from loom.errors import LoomError, Place
from loom.netlist.netlist import Netlist
from loom.package.fields import RegisterWord, register_words
from loom.package.flows import COMMON, CONSTRAINTS, FLOWS, TESTBENCH
from loom.package.top import Top, top_of_circuit, top_of_wrapper

DISTRIBUTION = "loom-hls"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
"""What every flow takes as the name of a core, an IP, a class and a target."""


@dataclass(frozen=True)
class Package:
    """A circuit as a tool sees it: files in the order in which they are read, the top, its pins.

    `ports` are those of the circuit, which is inside the top if it is wrapped, behind `bus`; `map`
    has its registers, if it has any. `options` are the choices that the circuit was compiled with.
    """

    flow: str
    sources: tuple[str, ...]
    top: Top
    ports: Ports
    options: Mapping[str, object]
    bus: str | None = None
    map: RegisterMap | None = None
    version: str = field(default_factory=lambda: version(DISTRIBUTION))
    """Of LOOM, which made the circuit."""

    @property
    def name(self) -> str:
        """The module at the top."""
        return self.top.name

    @property
    def short_version(self) -> str:
        """The version as tools take it that want two numbers."""
        return ".".join(self.version.split(".")[:2])

    @property
    def verilog_2005(self) -> bool:
        """True if the modules are Verilog-2005."""
        return all(path.endswith(".v") for path in self.sources)

    @property
    def title(self) -> str:
        """What the top is, in words."""
        if self.bus is None:
            return f"{self.name}, a circuit of LOOM"
        return f"{self.ports.module}, a circuit of LOOM behind {WRAPPERS[self.bus]}"

    @property
    def class_name(self) -> str:
        """The name of a class for it."""
        return "".join(part.capitalize() for part in self.name.split("_"))

    @property
    def loose_pins(self) -> list[Pin]:
        """The pins of the circuit that belong to memories, or to nothing."""
        known = {channel.name for channel in self.ports.channels}
        roles = ("clock", "reset", "error clear", "error code")
        return [p for p in self.ports.pins if p.of not in known and p.role not in roles]

    @property
    def register_words(self) -> list[RegisterWord]:
        """The registers of the wrapper, word by word."""
        assert self.map is not None
        return [*register_words(self.map)]

    @property
    def root_variable(self) -> str:
        """The variable of the environment that holds the folder of the package."""
        return f"{self.name.upper()}_ROOT"

    @property
    def period(self) -> float | None:
        """The clock period that the circuit was made for [ns]; None: any."""
        return self.ports.clock_period

    @property
    def half_period(self) -> float:
        """The time in which the clock is high [ns]."""
        assert self.period is not None
        return self.period / 2

    @property
    def replays(self) -> bool:
        """True if the flow runs activations."""
        return replays(self.flow, self.bus)


def package_circuit(
    netlist: Netlist,
    flow: str,
    signs: Signs | None = None,
    boundary: Boundary = DEFAULT_BOUNDARY,
    options: Mapping[str, object] | None = None,
    vectors: str | None = None,
    bus: str | None = None,
    address_width: int | None = None,
    emitter: Emitter = emit,
    streams: Streams = (),
) -> dict[str, str]:
    """The files of the package: relative path to text.

    `vectors`: the text of ``vectors.json``, for a flow that replays. `bus`: behind what the circuit
    is wrapped, with `address_width` [bits] and with `streams`. `emitter`: what writes the circuit.
    Refused: what `emit` and `wrap_behind` refuse, an unknown flow (PACKAGE_FLOW), a bus for a flow
    that has no use for it (PACKAGE_WRAP), a name that tools do not take (PACKAGE_NAME).
    """
    require_flow(flow, bus)
    require_names(netlist.name, boundary)
    if bus is None:
        circuit = emitter(netlist, boundary) | port_files(netlist, boundary, signs)
        ports, registers = find_ports(netlist, boundary, signs), None
        top = top_of_circuit(ports)
    else:
        require_default(boundary)
        made = wrap_behind(netlist, bus, signs, address_width, streams, emitter)
        name, ports = made.map.module, find_ports(netlist, INSIDE, signs)
        registers = made.map if isinstance(made.map, RegisterMap) else None
        top = top_of_wrapper(name, made.files[f"rtl/{name}.sv"])
        circuit = apply_boundary(made.files, name, boundary)
    listed = circuit[f"{top.name}.f"].split()
    package = Package(flow, tuple(listed), top, ports, options or {}, bus, registers)
    assert (vectors is not None) == package.replays
    replayed = {} if vectors is None else {"vectors.json": vectors}
    files = {**replayed, **circuit, **own_files(package)}
    return {**files, "manifest.json": manifest(package, files)}


def replays(flow: str, bus: str | None = None) -> bool:
    """True if a package has activations, which the testbench gives to the channels of a circuit."""
    return FLOWS[flow].replays and bus is None


def require_flow(flow: str, bus: str | None = None) -> None:
    """Return if there is such a flow (PACKAGE_FLOW) and it takes a bus (PACKAGE_WRAP)."""
    if flow not in FLOWS:
        accepted = f"a flow: {', '.join(FLOWS)}"
        raise LoomError("PACKAGE_FLOW", Place("loom package"), f"the flow {flow!r}", accepted)
    if bus is not None and bus not in FLOWS[flow].buses:
        accepted = f"it for {', '.join(each for each in FLOWS if bus in FLOWS[each].buses)}"
        raise LoomError("PACKAGE_WRAP", Place("--wrap"), f"--wrap {bus} for {flow}", accepted)


def require_default(boundary: Boundary) -> None:
    """Return unless pins of a circuit were chosen that is inside a wrapper (PACKAGE_WRAP).

    The language of the modules and the number of their files may be chosen.
    """
    if not is_of_bus(boundary):
        what = "--wrap with choices about the ports"
        accepted = "--wrap without them: clock and reset are those of the bus"
        raise LoomError("PACKAGE_WRAP", Place("--wrap"), what, accepted)


def require_names(name: str, boundary: Boundary) -> None:
    """Return if tools take the names that the user chose (PACKAGE_NAME)."""
    named = {name: f"a circuit called {name}"}
    named |= {each: f"a port called {each}" for each in (boundary.clock, boundary.reset)}
    for each, what in named.items():
        if not NAME.match(each):
            accepted = "letters, digits and _, a letter first"
            raise LoomError("PACKAGE_NAME", Place(each), what, accepted)


def own_files(package: Package) -> dict[str, str]:
    """What the package has besides the circuit."""
    constraints = {} if package.period is None else CONSTRAINTS
    testbench = TESTBENCH if package.replays else {}
    common = {path.replace(".sv", ".v") if package.verilog_2005 else path: name
              for path, name in COMMON.items()}  # fmt: skip
    templates = {**common, **constraints, **FLOWS[package.flow].files, **testbench}
    return {path.replace("NAME", package.name): render(name, package)
            for path, name in templates.items()}  # fmt: skip


def render(name: str, package: Package) -> str:
    """The text of a template for this package."""
    return environment().get_template(f"package/{name}.j2").render(package=package)


def manifest(package: Package, files: Mapping[str, str]) -> str:
    """Versions, options and the SHA-256 of every file, as JSON."""
    hashes = {path: hashlib.sha256(encode_text(files[path])).hexdigest() for path in sorted(files)}
    top = package.top
    found = {
        "top": package.name,
        "flow": package.flow,
        "bus": package.bus,
        "versions": {DISTRIBUTION: package.version, **versions(("jinja2", "xdsl"))},
        "clock": {"name": top.clock, "period_ns": package.period},
        "reset": {"name": top.reset, "kind": top.reset_kind, "active": top.reset_active},
        "options": dict(package.options),
        "sources": list(package.sources),
        "sha256": hashes,
    }
    return json.dumps(found, indent=2) + "\n"


def versions(names: Sequence[str]) -> dict[str, str]:
    """The versions of the packages that the text depends on."""
    return {name: version(name) for name in names}
