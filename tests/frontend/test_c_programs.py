"""Every construct of C that LOOM takes: the source reference and the token model as native code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdsl.dialects import arith, scf

from loom.frontend.c import operators
from loom.frontend.c.read import read_c
from loom.frontend.c.statements import statements
from loom.frontend.c.units import Unit
from loom.model.bundles.activation import Activation
from loom.model.reference.reference import compile_reference
from tests.grow.c_campaign import judge_seeds
from tests.grow.random_c import random_function
from tests.grow.random_c_programs import random_program
from tests.grow.random_found_c import random_found_program
from tests.judges.c_natively import Case, case_of, differences, natively, unit_of
from tests.support.folders import ROWS

TEXT = (ROWS / "programs.c").read_text()
NAMES = re.findall(r"^(?!static|typedef)[a-z]\w*(?: \w+)* (\w+)\(.*\) \{.*\}$", TEXT, re.MULTILINE)
Judged = dict[str, tuple[Case, list[Activation]]]


@pytest.fixture(scope="module")
def unit() -> Unit:
    return unit_of(TEXT)


@pytest.fixture(scope="module")
def judged(unit: Unit, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    cases = [case_of(unit, name) for name in NAMES]
    answers = natively(TEXT, cases, tmp_path_factory.mktemp("native"))
    return dict(zip(NAMES, zip(cases, answers, strict=True), strict=True))


def test_every_function_is_a_row() -> None:
    bodies = [line for line in TEXT.splitlines() if line.endswith("}") and ") {" in line]
    rows = [line for line in bodies if not line.startswith(("static", "#"))]
    assert len(rows) == len(NAMES) > 130


@pytest.mark.parametrize("name", NAMES)
def test_program_is_as_native_code(name: str, judged: Judged) -> None:
    """Without a clock period: what is placed for one does not depend on the language."""
    case, activations = judged[name]
    assert not differences(case, activations)
    assert not differences(case, activations, tokens=True, period=None)


COUNTED = [
    name
    for name in NAMES
    if name.startswith(("up_", "down_", "after_", "narrow_")) and name != "narrow_compound"
]
NOT_COUNTED = {"up_by_dynamic", "narrow_wide"}
"""Loops whose last step might wrap around, for all that is known."""


@pytest.mark.parametrize("name", [*COUNTED, "mirrored", "size_bound", "nested", "continues"])
def test_a_loop_that_counts_is_counted(name: str, judged: Judged) -> None:
    kinds = {type(op) for op in judged[name][0].program.module.walk()}
    assert (scf.ForOp in kinds) == (name not in NOT_COUNTED)
    assert (scf.WhileOp in kinds) == (name in NOT_COUNTED)


@pytest.mark.parametrize("name", ["wraps", "wraps_signed", "times_two", "by_variable", "long_loop",
                                  "changed_inside", "bound_changes", "two_counters"])  # fmt: skip
def test_a_loop_that_may_wrap_or_change_is_not_counted(name: str, judged: Judged) -> None:
    kinds = {type(op) for op in judged[name][0].program.module.walk()}
    assert scf.WhileOp in kinds and scf.ForOp not in kinds


SEEDS = range(40)


@pytest.mark.usefixtures("deep_on_sources")
def test_random_functions_are_as_native_code(tmp_path: Path) -> None:
    text = "".join(random_function(f"f{seed}", seed) for seed in SEEDS)
    unit = unit_of(text)
    cases = [case_of(unit, f"f{seed}") for seed in SEEDS]
    answers = natively(text, cases, tmp_path)
    found = [differences(*pair) for pair in zip(cases, answers, strict=True)]
    assert found == [[]] * len(SEEDS)


@pytest.mark.usefixtures("deep_on_sources")
def test_random_programs_are_as_native_code(tmp_path: Path) -> None:
    tally = judge_seeds(SEEDS, tmp_path)
    assert tally.format() == "programs=40 calls=200 differences=0 refused=0 (none)"


@pytest.mark.usefixtures("deep_on_sources")
def test_a_random_program_whose_circuit_is_as_native_code(tmp_path: Path) -> None:
    tally = judge_seeds([1, 267], tmp_path, circuit="dynamic")
    assert tally.format() == "programs=2 calls=10 differences=0 refused=0 (none)"


@pytest.mark.usefixtures("deep_on_sources")
def test_random_programs_whose_static_schedules_are_as_native_code(tmp_path: Path) -> None:
    """One has a constant factor that becomes the left operand late."""
    tally = judge_seeds([5, 35, 72], tmp_path, circuit="static")
    assert tally.format() == "programs=3 calls=15 differences=0 refused=0 (none)"


@pytest.mark.usefixtures("deep_on_sources")
def test_random_programs_as_they_are_found_are_as_native_code(tmp_path: Path) -> None:
    tally = judge_seeds(SEEDS, tmp_path, kind="found")
    assert tally.format() == "programs=40 calls=200 differences=0 refused=0 (none)"


def test_a_random_program_as_it_is_found_whose_circuit_is_as_native_code(tmp_path: Path) -> None:
    tally = judge_seeds([4], tmp_path, circuit="dynamic", kind="found")
    assert tally.format() == "programs=1 calls=5 differences=0 refused=0 (none)"


def test_random_programs_as_they_are_found_have_the_constructs() -> None:
    text = "".join(random_found_program(f"f{seed}", seed) for seed in SEEDS)
    for each in (r"goto l\d", r"n\d+\+\+ < \d .*goto", r"[pq] = .* \? [abc] : ", r"_swap\(&p",
                 r"memcpy\(", r"memmove\([pq]", r"memset\(", r"\.of = ", r"->lo", r"printf\(",
                 r"assert\(", r"_bump\(", r"l\d+:\n *for"):  # fmt: skip
        assert len(re.findall(each, text)) > 3, each


@pytest.mark.usefixtures("deep_on_sources")
def test_a_goto_that_leads_elsewhere_is_found_by_random_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements, "Repeated", statements.Labelled)  # again becomes: go on behind
    assert judge_seeds(range(10), tmp_path, kind="found").differences


def test_random_programs_have_macros_functions_switches_and_narrow_types() -> None:
    text = "".join(random_program(f"f{seed}", seed) for seed in SEEDS)
    for each in (r"_SWAP\(\w", r"_DEEP\(\(", r"_NAME\(", r"f\d+_g\d\(a, ", r"f\d+_g\d\(p",
                 r"switch \(", r"int8_t v\d", r"uint16_t \w+\(", r"_Bool", r"s\.lo"):  # fmt: skip
        assert len(re.findall(each, text)) > 3, each


@pytest.mark.usefixtures("deep_on_sources")
def test_a_wrong_reading_of_a_random_program_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for operations in (operators.SIGNED, operators.UNSIGNED):
        monkeypatch.setitem(operations, operators.EXCLUSIVE_OR, arith.OrIOp)
    assert judge_seeds(range(10), tmp_path).differences


@pytest.mark.parametrize(
    ("text", "given", "wanted"),
    [
        ("_BitInt(7) f(_BitInt(7) a, _BitInt(7) b) { return a + b; }", (63, 1), 64),
        ("unsigned _BitInt(3) f(unsigned _BitInt(3) a) { a++; return a; }", (7,), 0),
        ("int f(_BitInt(5) a) { return a; }", (31,), 0xFFFFFFFF),
        ("int f(_BitInt(5) a) { return a * a > 100; }", (16,), 0),
        ("long f(_BitInt(40) a, int b) { return a >> b; }", (1 << 39, 38), (1 << 64) - 2),
    ],
)
def test_integers_of_any_width(text: str, given: tuple[int, ...], wanted: int) -> None:
    program = read_c(text, "k.c")
    assert compile_reference(program.module, "f").run(given).results == (wanted,)
