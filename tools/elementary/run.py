"""One function of f32 on many patterns: compiled C of its program beside the host's functions."""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

from loom.dialects.floats.elementary.functions import program_of
from loom.frontend.c.library import find_compiler
from loom.native.c.elementary import short_name, write_function

JUDGE = Path(__file__).with_name("judge.c")
ALL = 1 << 32
"""The patterns of f32."""


@dataclass(frozen=True)
class Result:
    """What a run has found.

    `special`: patterns whose result is infinite, 0 or NaN, `wrong`: those of them with another
    one. `not_nearest`: results that are another number than the nearest. `worst`: the largest
    distance from the exact result [units in the last place], at the pattern `at`.
    """

    patterns: int
    special: int
    wrong: int
    not_nearest: int
    worst: float
    at: int


def write_text(operator: str, change: tuple[str, str] = ("", "")) -> str:
    """The program that judges the function; `change` replaces text of the function, in tests."""
    function = write_function("computed", program_of(operator, "f32")).replace(*change)
    return f"{function}#define HOST {short_name(operator)}\n{JUDGE.read_text(encoding='utf-8')}"


def fingerprint(operator: str) -> str:
    """Another one for each text of the function."""
    text = write_function("computed", program_of(operator, "f32"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def run(text: str, folder: Path, first: int, patterns: int, step: int) -> Result:
    """The function on so many patterns."""
    compiler = find_compiler()
    assert compiler is not None, "a C compiler"
    source, program = folder / "judge.c", folder / "judge"
    source.write_text(text, encoding="utf-8")
    subprocess.run([compiler, "-O2", "-w", str(source), "-o", str(program), "-lm"], check=True)
    words = [str(program), str(first), str(patterns), str(step)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    number, special, wrong, other, worst, at = done.stdout.split()
    return Result(int(number), int(special), int(wrong), int(other), float(worst), int(at))
