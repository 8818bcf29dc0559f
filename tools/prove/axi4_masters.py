"""The proofs of the AXI4 masters: right bursts, requests in their places, answers one to one."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from loom.emit.render import template
from tools.prove.bus_ports import BURST, SCRIPT, port_text
from tools.prove.prove import decide
from tools.prove.text import FOLDER
from tools.prove.verdict import Verdict
from tools.template_environment import environment


@dataclass(frozen=True, slots=True)
class MasterProof:
    """A master with these parameters; elements stand 1 << `shift` bytes apart."""

    verb: str
    shift: int
    element: int
    """The width of an element [bits]."""
    places: int = 4
    """Of a writing one: the stores that wait for the data channel, which bounds a burst."""
    depth: int = 4
    """Requests without an answer."""
    packed: bool = False
    """Of a writing one: a beat has several elements, and the strobes of the store."""

    @property
    def data_width(self) -> int:
        """Of the data channel [bits]."""
        return max(32, 8 << self.shift)

    @property
    def module(self) -> str:
        """The master's module."""
        return f"loom_axi4_{self.verb}"

    @property
    def name(self) -> str:
        """The module, and what tells it from others."""
        sizes = f"{1 << self.shift} of {self.data_width // 8} bytes, {self.places} places"
        return f"{self.module} ({sizes}{', packed' if self.packed else ''})"


SIZES = ((0, 3), (1, 9), (2, 32), (3, 64))
PROOFS = (
    *(MasterProof("read", shift, element) for shift, element in SIZES),
    *(MasterProof("write", shift, element) for shift, element in SIZES),
    MasterProof("write", 1, 9, places=2),
    MasterProof("read", 4, 128),
    *(MasterProof("write", shift, 8 << shift, packed=True) for shift in (2, 3, 4)),
)
"""Every size of elements in their words; stores that find no place while answers are out; words of
several elements."""


def master_texts(verb: str) -> dict[str, str]:
    """The modules of a master, the burst former first."""
    return {
        BURST: port_text(BURST),
        f"axi4_{verb}": str(template(f"bus/axi4_{verb}").make_module({})),
    }


def prove_master(proof: MasterProof, texts: dict[str, str] | None = None) -> Verdict:
    """The verdict on a master, or on other texts of it.

    Refused: SIM_NO_PROVER if a tool of the `formal` extra is missing.
    """
    began = time.monotonic()
    said = environment(FOLDER).get_template(f"bus_axi4_{proof.verb}.sv.j2").render(
        verb=proof.verb, shift=proof.shift, depth=proof.depth, places=proof.places, index_width=4,
        element=proof.element, data_width=proof.data_width, packed=proof.packed,
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="loom-prove-") as name:
        folder = Path(name)
        port = "\n".join((texts or master_texts(proof.verb)).values())
        (folder / "port.sv").write_text(port, encoding="utf-8")
        (folder / "proof.sv").write_text(said, encoding="utf-8")
        (folder / "proof.ys").write_text(SCRIPT, encoding="utf-8")
        outcome, depth, reasons = decide(folder)
    return Verdict(
        proof.name, proof.module, outcome, depth,
        len(re.findall(r"\bassert \(", said)), len(re.findall(r"\bcover \(", said)),
        reasons, time.monotonic() - began,
    )  # fmt: skip


def prove_masters(only: str = "") -> Iterator[Verdict]:
    """The verdict on each master whose name has `only` in it."""
    for proof in PROOFS:
        if only in proof.name:
            yield prove_master(proof)
