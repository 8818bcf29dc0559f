"""Native code is that of the oldest processor, and its routines round as IEEE 754 says."""

from __future__ import annotations

import importlib.util
import platform
import struct
import subprocess
import sys
from random import Random

import pytest

from loom.dialects.floats.formats import FORMATS
from tests.judges.float_oracle import convert
from tests.judges.native_judge import Judged, judge
from tests.judges.oldest_processor import HALF, NARROWED, SINGLE, Layout
from tests.support.folders import ROOT

judged = pytest.mark.skipif(
    importlib.util.find_spec("mlir") is None,
    reason="the extra `judge` (MLIR's own tools) is not installed",
)
pytestmark = pytest.mark.judge
RANDOM_NUMBERS = 500
CONVERTED = """func.func @f(%a: memref<{count}xi{wide}>, %b: memref<{count}xi{narrow}>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant {count} : index
  scf.for %i = %c0 to %end step %c1 {{
    %word = memref.load %a[%i] : memref<{count}xi{wide}>
    %x = arith.bitcast %word : i{wide} to {source}
    %y = arith.{cast} %x : {source} to {target}
    %out = arith.bitcast %y : {target} to i{narrow}
    memref.store %out, %b[%i] : memref<{count}xi{narrow}>
  }}
  return
}}
"""
"""Conversion of an array, number by number."""


def natively(cast: str, source: Layout, target: Layout, words: list[int]) -> list[int]:
    """What native code makes of the numbers."""
    text = CONVERTED.format(
        count=len(words), wide=source.width, narrow=target.width, cast=cast,
        source=source.type, target=target.type,
    )  # fmt: skip
    flat = {"sizes": [len(words)], "strides": [1], "offset": 0}
    arguments = [
        {"name": "a", "type": f"i{source.width}", "value": words, **flat},
        {"name": "b", "type": f"i{target.width}", "value": [0] * len(words), **flat},
    ]
    judged = judge({"text": text, "top": "f", "results": [], "arguments": arguments})
    assert isinstance(judged, Judged), judged
    return judged.memories["b"]


def borders(wide: Layout, narrow: Layout) -> list[int]:
    """Numbers at, just below and above each half way between two that `narrow` has, and others."""
    random = Random(f"{wide.type} {narrow.type}")
    whole = FORMATS[narrow.type], FORMATS[wide.type]
    edges = [0, 1, 2, 3, (1 << narrow.fraction) - 1, 1 << narrow.fraction, narrow.infinity - 1]
    edges += [random.randrange(narrow.infinity) for _ in range(RANDOM_NUMBERS)]
    numbers: list[int] = []
    for edge in edges:
        low = convert(*whole, edge)
        above = convert(*whole, min(edge + 1, narrow.infinity - 1))
        half = low + (above - low) // 2
        numbers += [low, half, half - 1 if half else 0, half + 1]
    # Half of the least number, the largest that does not become infinity, and all special ones.
    least = convert(*whole, 1) - (1 << wide.fraction)
    most = convert(*whole, narrow.infinity - 1) + (1 << (wide.fraction - narrow.fraction - 1))
    numbers += [max(least + by, 0) for by in (-1, 0, 1)] + [most + by for by in (-1, 0, 1)]
    numbers += [wide.infinity - 1, wide.infinity, wide.infinity + 1]
    numbers += [random.getrandbits(wide.width) for _ in range(RANDOM_NUMBERS)]
    sign = 1 << (wide.width - 1)
    return [number & (sign - 1) for number in numbers] + [number | sign for number in numbers]


@judged
@pytest.mark.parametrize("pair", NARROWED, ids=lambda pair: f"{pair[0].type} {pair[1].type}")
def test_narrowing_rounds_to_the_nearest_even(pair: tuple[Layout, Layout]) -> None:
    wide, narrow = pair
    numbers = borders(wide, narrow)
    form = FORMATS[narrow.type]
    want = [convert(FORMATS[wide.type], form, number) for number in numbers]
    found = natively("truncf", wide, narrow, numbers)
    wrong = [
        (hex(number), hex(got), hex(right))
        for number, got, right in zip(numbers, found, want, strict=True)
        if got != right and not (form.is_nan(got) and form.is_nan(right))
    ]
    assert not wrong


@judged
def test_every_half_widens_exactly() -> None:
    halves, form = [*range(1 << HALF.width)], FORMATS[SINGLE.type]
    found = natively("extf", HALF, SINGLE, halves)
    wrong = [
        (hex(half), hex(got))
        for half, got in zip(halves, found, strict=True)
        if struct.pack("<f", *struct.unpack("<e", half.to_bytes(2, "little")))
        != got.to_bytes(4, "little")
        and not (FORMATS[HALF.type].is_nan(half) and form.is_nan(got))
    ]
    assert not wrong


@judged
@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"),
    reason="the oldest processors of other kinds round to bf16 without a routine",
)
def test_code_without_the_routines_misses_them_on_every_machine() -> None:
    """The native code of a new processor would have an instruction, and pass."""
    text = (
        "func.func @f(%x: f32) -> bf16 {\n%y = arith.truncf %x : f32 to bf16\nreturn %y : bf16\n}"
    )
    job = {"text": text, "top": "f", "arguments": [], "results": []}
    program = (
        "from tests.judges import native_judge\n"
        "native_judge.ROUTINES = ''\n"
        f"native_judge.run({job!r})\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "__truncsfbf2" in done.stderr


def test_no_compiler_is_asked_for_the_processor_that_it_runs_on() -> None:
    asked = "=" + "native"
    files = [
        file
        for folder in ("loom", "sim", "tests", "tools")
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and file.suffix in (".py", ".c", ".cpp", ".h", ".sv", ".flags")
    ]
    found = [
        str(file.relative_to(ROOT))
        for file in files
        for option in ("-march", "-mcpu", "-mtune")
        if f"{option}{asked}" in file.read_text(encoding="utf-8")
    ]
    assert len(files) > 500 and not found
