"""The proof of the part that keeps a word of several elements: right words, in order."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from loom.emit.render import template
from tools.prove.bus_ports import SCRIPT
from tools.prove.prove import decide
from tools.prove.text import FOLDER
from tools.prove.verdict import Verdict
from tools.template_environment import environment

SLOTS = (2, 3)
MODULE = "loom_memory_words"


def words_text() -> str:
    """The module's text."""
    return str(template("memory/parts/words").make_module({}))


def prove_words(slots: int, text: str = "") -> Verdict:
    """The verdict on the part with so many slots, or on another text of it.

    Refused: SIM_NO_PROVER if a tool of the `formal` extra is missing.
    """
    began = time.monotonic()
    proof = environment(FOLDER).get_template("memory_words.sv.j2").render(slots=slots)
    with tempfile.TemporaryDirectory(prefix="loom-prove-") as name:
        folder = Path(name)
        (folder / "port.sv").write_text(text or words_text(), encoding="utf-8")
        (folder / "proof.sv").write_text(proof, encoding="utf-8")
        (folder / "proof.ys").write_text(SCRIPT, encoding="utf-8")
        outcome, depth, reasons = decide(folder)
    return Verdict(
        f"{MODULE} ({slots} slots)", MODULE, outcome, depth,
        len(re.findall(r"\bassert \(", proof)), len(re.findall(r"\bcover \(", proof)),
        reasons, time.monotonic() - began,
    )  # fmt: skip


def prove_all_words() -> Iterator[Verdict]:
    """The verdict for each number of slots."""
    return map(prove_words, SLOTS)
