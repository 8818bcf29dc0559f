"""The proof that no access to a memory waits for ever: the arbiter, for several requesters."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from loom.emit.render import template
from tools.prove.prove import decide
from tools.prove.text import FOLDER
from tools.prove.verdict import Verdict
from tools.template_environment import environment

ARITIES = (2, 3, 4, 5, 6, 7, 8)
"""Requesters."""
NAME = "loom_memory_arbiter"


def arbiter_text() -> str:
    """The module that memories with several accesses have."""
    return str(template("memory/parts/arbiter").make_module({"module": None, "ram": None}))


def prove_arbiter(text: str = "", arities: Sequence[int] = ARITIES) -> Verdict:
    """The verdict on the arbiter, or on another text of it, for so many requesters.

    Refused: SIM_NO_PROVER if a tool of the `formal` extra is missing.
    """
    began = time.monotonic()
    proof = environment(FOLDER).get_template("arbiter.sv.j2").render(arities=arities)
    with tempfile.TemporaryDirectory(prefix="loom-prove-") as name:
        folder = Path(name)
        (folder / "arbiter.sv").write_text(text or arbiter_text(), encoding="utf-8")
        (folder / "proof.sv").write_text(proof, encoding="utf-8")
        (folder / "proof.ys").write_text(SCRIPT, encoding="utf-8")
        outcome, depth, reasons = decide(folder)
    return Verdict(
        f"{NAME} ({arities[0]} to {arities[-1]} requesters)",
        NAME,
        outcome,
        depth,
        len(re.findall(r"\bassert \(", proof)),
        len(re.findall(r"\bcover \(", proof)),
        reasons,
        time.monotonic() - began,
    )


SCRIPT = """read_slang --threads 1 --top proof arbiter.sv proof.sv
prep -flatten -top proof
check -assert
async2sync
chformal -lower
dffunmap
opt_clean
write_smt2 -wires proof.smt2
"""
