"""exp, log, sin and cos as programs: right by exact numbers, on all patterns, and as C."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from loom.dialects.floats import bracketing as near
from loom.dialects.floats import transcendental
from loom.dialects.floats.elementary import functions
from loom.dialects.floats.elementary.functions import ACCURACY, PROGRAMS, function_of, program_of
from loom.dialects.floats.elementary.words import PYTHON, compile_program
from loom.dialects.floats.formats import FORMATS, Format
from loom.lower.legalize import expand_functions
from loom.native.c.elementary import NAMES, C, write_function, write_library
from tools.elementary import record
from tools.elementary.run import ALL, run, write_text

MOST = 0.51
"""Units in the last place by which a result is off at most."""
FIND = {"math.exp": near.exp, "math.log": near.ln, "math.sin": near.sin, "math.cos": near.cos}
SPECIALS: dict[str, Callable[[Format, int], int | None]] = {
    "math.exp": transcendental.exponential_specials,
    "math.log": transcendental.logarithm_specials,
    "math.sin": transcendental.sine_specials,
    "math.cos": transcendental.cosine_specials,
}
BITS = 160
"""Bits of the exact results."""


def right(name: str, form: Format) -> Callable[[int], int]:
    """The function rounded right."""
    return transcendental.function_of_one(FIND[name], SPECIALS[name])(form)


def distance(name: str, form: Format, operand: int) -> float:
    """How far the program's result is from the exact one [units in the last place]."""
    found = function_of(name, form.name)(operand)
    nearest = right(name, form)(operand)
    if form.is_nan(nearest) or nearest & form.infinity == form.infinity or found == nearest:
        return 0.0 if found == nearest else math.inf
    if form.sign(found) != form.sign(nearest):
        return math.inf
    number, exponent = FIND[name](*transcendental.signed(form, operand), BITS)
    exact = Fraction(abs(number)) * Fraction(2) ** exponent
    mantissa, unit = form.unpack(form.magnitude(found))
    _, nearest_unit = form.unpack(form.magnitude(nearest))
    return float(abs(mantissa * Fraction(2) ** unit - exact) / Fraction(2) ** nearest_unit)


def operands(form: Format, dice: Random, count: int) -> list[int]:
    """Patterns near all that is special, and such of middling size."""
    bias, width = form.one >> form.fraction_width, form.fraction_width
    edges = [0, 1, form.hidden_bit, form.one, form.infinity, form.nan, form.infinity + 1]
    found = [max(0, edge + k) for edge in edges for k in (-2, -1, 0, 1, 2)]
    for _ in range(count):
        field = bias + dice.randint(-width - 8, form.exponent_width + 3)
        found.append(max(0, min(field, 2 * bias)) << width | dice.getrandbits(width))
        found.append(dice.getrandbits(form.width - 1))
    # Where the exponential overflows, becomes subnormal, and 0.
    for limit in (bias + 1, -bias, -bias - width - 1):
        edge = round(abs(limit) * math.log(2) * 2**20)
        pattern = form.pack(0, edge, -20)
        found += [pattern + k for k in range(-4, 5)]
    # Next to multiples of half of pi.
    for times in (1, 2, 3, 4, 11, 344):
        found += [form.pack(0, near.half_pi(80) * times, -80) + k for k in (-1, 0, 1)]
    both = [*found, *(each | form.sign_bit for each in found)]
    return [each for each in both if each < 1 << form.width]


HARD = {"f32": [0x5922AA80, 0x6115CB11], "f64": [0x7506AC5B262CA1FF, 0x6CD8E32B19A60C2F]}
"""Numbers that are nearer to a multiple of half of pi than almost all others."""


@pytest.mark.parametrize("form", ["f16", "bf16"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_narrow_formats_are_rounded_right(name: str, form: str) -> None:
    """Of all patterns four of sin and four of cos in f16 are not, which are not among these."""
    function, oracle = function_of(name, form), right(name, FORMATS[form])
    for operand in range(Random(name + form).randrange(29), 1 << 16, 29):
        assert function(operand) == oracle(operand), operand


@pytest.mark.parametrize("form", ["f32", "f64"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_wide_formats_are_off_by_little_more_than_half_a_unit(name: str, form: str) -> None:
    given = operands(FORMATS[form], Random(name), 300) + HARD[form]
    assert max(distance(name, FORMATS[form], each) for each in given) <= MOST


def test_a_program_that_is_less_right_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault: a polynomial lacks its last term."""
    short = functions.NARROW.__class__(**{**vars(functions.NARROW), "log_terms": 1})
    monkeypatch.setitem(ACCURACY, "f32", short)
    wrong = compile_program(functions.log(FORMATS["f32"]))
    monkeypatch.setattr("tests.dialects.test_elementary.function_of", lambda name, form: wrong)
    with pytest.raises(AssertionError):
        test_wide_formats_are_off_by_little_more_than_half_a_unit("math.log", "f32")


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_word_is_wider_than_c_has(name: str) -> None:
    for form in FORMATS:
        widths = [word.width for word in program_of(name, form).steps()]
        assert max(widths) <= functions.WIDEST
        tables = [word.width for word in program_of(name, form).steps() if word.table]
        assert tables and max(tables) <= 64


def test_every_operation_is_known_to_all() -> None:
    kinds = {word.kind for name in PROGRAMS for word in program_of(name, "f64").steps()}
    assert kinds - {"argument"} == PYTHON.keys() == C.keys()
    rewritten = {*expand_functions.BINARY, *expand_functions.CASTS, *expand_functions.COMPARISONS}
    assert PYTHON.keys() == rewritten | {"constant", "look_up", "product"}


MAIN = """
#include <stdio.h>
int main(void)
{
  unsigned long long operand;
  while (scanf("%llu", &operand) == 1) printf("%llu\\n", computed(operand));
}
"""


@pytest.mark.parametrize("form", ["f32", "f64"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_c_computes_the_same(name: str, form: str, tmp_path: Path) -> None:
    source, program = tmp_path / "c.c", tmp_path / "c"
    source.write_text(write_function("computed", program_of(name, form)) + MAIN)
    subprocess.run(["cc", "-O1", "-w", str(source), "-o", str(program)], check=True)
    given = operands(FORMATS[form], Random(form), 200) + HARD[form]
    text = "\n".join(map(str, given))
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    function = function_of(name, form)
    assert [int(line) for line in done.stdout.split()] == [function(each) for each in given]


def test_the_library_has_the_functions_of_both_types() -> None:
    text = write_library()
    assert all(f"{name}({kind} x)" in text for name in NAMES
               for kind in (["float"] if name.endswith("f") else ["double"]))  # fmt: skip


SOME = 200_000
"""Patterns of a run in the tests."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_sample_of_all_patterns(name: str, tmp_path: Path) -> None:
    found = run(write_text(name), tmp_path, 1, SOME, ALL // SOME)
    assert found.patterns == SOME and found.wrong == 0 and 0.49 < found.worst <= MOST
    assert found.not_nearest < SOME / 500


def test_a_sample_sees_a_fault(tmp_path: Path) -> None:
    """The fault: a bit of a result in the middle of the sample is another one."""
    change = ("  return ", "  if (operand == 0x3F800000u + 21474u * 4u) return 1; return ")
    found = run(write_text("math.exp", change), tmp_path, 0x3F800000, 10, 21474)
    assert found.worst > 1


@pytest.mark.parametrize("name", PROGRAMS)
def test_patterns_of_the_function_as_it_is_have_run(name: str) -> None:
    found = record.recorded(name)
    assert found is not None, "run python -m tools.elementary"
    assert found.patterns >= ALL // 15 and found.wrong == 0 and found.worst <= MOST


def test_a_record_belongs_to_the_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "runs.json"
    file.write_text(json.dumps(record.read()))
    monkeypatch.setattr(record, "RECORD", file)
    found = record.recorded("math.exp")
    assert found is not None
    record.put("math.log", found)
    assert record.recorded("math.log") == found
    monkeypatch.setattr(record, "fingerprint", lambda operator: "another")
    assert record.recorded("math.log") is None
