"""The proofs of the ports of buses: protocol, one access for each transfer, none lost."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from loom.bus.buses import PORTS
from loom.emit.render import template
from tools.prove.prove import decide
from tools.prove.text import FOLDER
from tools.prove.verdict import Verdict
from tools.template_environment import environment

BURST = "axi4_burst"
"""Of AXI4 masters, what makes bursts of requests."""
PROVED = (*PORTS, BURST)
"""The ports of slaves, by their bus, and the part of masters."""


def part_name(bus: str) -> str:
    """The template of a bus's port, or of the part of masters."""
    return bus if bus == BURST else f"{bus}_port"


def port_name(bus: str) -> str:
    """The module of a bus's port, or of the part of masters."""
    return f"loom_{part_name(bus)}"


def port_text(bus: str) -> str:
    """The module's text."""
    return str(template(f"bus/{part_name(bus)}").make_module({}))


def prove_port(bus: str, text: str = "") -> Verdict:
    """The verdict on the port of a bus, or on another text of it.

    Refused: SIM_NO_PROVER if a tool of the `formal` extra is missing.
    """
    began = time.monotonic()
    proof = environment(FOLDER).get_template(f"bus_{bus}.sv.j2").render()
    with tempfile.TemporaryDirectory(prefix="loom-prove-") as name:
        folder = Path(name)
        (folder / "port.sv").write_text(text or port_text(bus), encoding="utf-8")
        (folder / "proof.sv").write_text(proof, encoding="utf-8")
        (folder / "proof.ys").write_text(SCRIPT, encoding="utf-8")
        outcome, depth, reasons = decide(folder)
    return Verdict(
        port_name(bus), port_name(bus), outcome, depth,
        len(re.findall(r"\bassert \(", proof)), len(re.findall(r"\bcover \(", proof)),
        reasons, time.monotonic() - began,
    )  # fmt: skip


def prove_ports(only: str = "") -> Iterator[Verdict]:
    """The verdict on the port of each bus whose name has `only` in it."""
    for bus in PROVED:
        if only in port_name(bus):
            yield prove_port(bus)


SCRIPT = """read_slang --threads 1 --top proof port.sv proof.sv
prep -flatten -top proof
check -assert
async2sync
chformal -lower
dffunmap
opt_clean
write_smt2 -wires proof.smt2
"""
