"""A circuit with all that tools ask of it, and the files of its package for one of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from loom.emit.boundary import DEFAULT_BOUNDARY, Boundary
from loom.emit.circuit import emit
from loom.emit.files import encode_text
from loom.emit.ports import Pin, Ports, Signs, find_ports, port_files
from loom.emit.render import environment
from loom.errors import LoomError, Place
from loom.netlist.netlist import Netlist
from loom.package.flows import COMMON, CONSTRAINTS, FLOWS

DISTRIBUTION = "loom-hls"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
"""What every flow takes as the name of a core, an IP, a class and a target."""


@dataclass(frozen=True)
class Package:
    """A circuit as a tool sees it: files in the order in which they are read, the top, its ports.

    `options` are the choices that the circuit was compiled with.
    """

    flow: str
    sources: tuple[str, ...]
    ports: Ports
    options: Mapping[str, object]
    version: str = field(default_factory=lambda: version(DISTRIBUTION))
    """Of LOOM, which made the circuit."""

    @property
    def name(self) -> str:
        """The module at the top."""
        return self.ports.module

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
    def data_pins(self) -> tuple[Pin, ...]:
        """The pins besides clock and reset."""
        return tuple(pin for pin in self.ports.pins if pin.role not in ("clock", "reset"))


def package_circuit(
    netlist: Netlist,
    flow: str,
    signs: Signs | None = None,
    boundary: Boundary = DEFAULT_BOUNDARY,
    options: Mapping[str, object] | None = None,
    vectors: str | None = None,
) -> dict[str, str]:
    """The files of the package: relative path to text.

    `vectors`: the text of ``vectors.json``, for a flow that replays.
    Refused: what `emit` refuses, an unknown flow (PACKAGE_FLOW), a name that tools do not take
    (PACKAGE_NAME).
    """
    require_flow(flow)
    require_names(netlist.name, boundary)
    circuit = emit(netlist, boundary)
    listed = circuit[f"{netlist.name}.f"].split()
    ports = find_ports(netlist, boundary, signs)
    package = Package(flow, tuple(listed), ports, options or {})
    assert (vectors is not None) == FLOWS[flow].replays
    replayed = {} if vectors is None else {"vectors.json": vectors}
    files = {**replayed, **circuit, **port_files(netlist, boundary, signs), **own_files(package)}
    return {**files, "manifest.json": manifest(package, files)}


def require_flow(flow: str) -> None:
    """Return if there is such a flow (PACKAGE_FLOW)."""
    if flow not in FLOWS:
        accepted = f"a flow: {', '.join(FLOWS)}"
        raise LoomError("PACKAGE_FLOW", Place("loom package"), f"the flow {flow!r}", accepted)


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
    templates = {**COMMON, **constraints, **FLOWS[package.flow].files}
    return {path.replace("NAME", package.name): render(name, package)
            for path, name in templates.items()}  # fmt: skip


def render(name: str, package: Package) -> str:
    """The text of a template for this package."""
    return environment().get_template(f"package/{name}.j2").render(package=package)


def manifest(package: Package, files: Mapping[str, str]) -> str:
    """Versions, options and the SHA-256 of every file, as JSON."""
    hashes = {path: hashlib.sha256(encode_text(files[path])).hexdigest() for path in sorted(files)}
    ports = package.ports
    found = {
        "top": package.name,
        "flow": package.flow,
        "versions": {DISTRIBUTION: package.version, **versions(("jinja2", "xdsl"))},
        "clock": {"name": ports.clock, "period_ns": package.period},
        "reset": {"name": ports.reset, "kind": ports.reset_kind, "active": ports.reset_active},
        "options": dict(package.options),
        "sources": list(package.sources),
        "sha256": hashes,
    }
    return json.dumps(found, indent=2) + "\n"


def versions(names: Sequence[str]) -> dict[str, str]:
    """The versions of the packages that the text depends on."""
    return {name: version(name) for name in names}
