"""Every float unit agrees with the host's own arithmetic; small formats on all their numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from loom.dialects.operators.catalogue import CATALOGUE
from tests.support.deep import SIMULATION_INPUTS, UNIT_INPUTS, Deep
from tools.floats import FloatUnit, float_units, record, run_unit
from tools.floats.__main__ import VECTORS, main
from tools.floats.host import HOST

UNITS = {unit.name: unit for unit in float_units()}
SAMPLE = (
    "arith.addf f32",
    "arith.mulf f64",
    "arith.divf f16",
    "math.sqrt bf16",
    "math.fma f32",
    "arith.truncf f64 f16",
    "arith.sitofp bf16 i64",
    "arith.fptoui f32 i32",
    "math.roundeven f64",
    "arith.maxnumf f16",
)
"""A unit of every template that computes."""


def test_the_host_computes_every_row() -> None:
    rows = {
        name for name, row in CATALOGUE.items() if row.signature.formats and row.hardware.template
    }
    assert set(HOST) == rows == {unit.module.operator.name for unit in UNITS.values()}


def test_the_sample_has_every_template() -> None:
    templates = {
        row.hardware.template
        for row in CATALOGUE.values()
        if row.signature.formats and "float" in row.hardware.template
    }
    sampled = {UNITS[name].module.operator.hardware.template for name in SAMPLE}
    assert templates - sampled == {"primitives/float_extend"}  # the rows of all units try it


@pytest.mark.sim  # whose cure needs the simulator, and minutes
def test_every_unit_as_it_is_now_has_had_its_vectors() -> None:
    runs = record.read()
    missing = [unit.name for unit in UNITS.values() if not record.is_done(unit, runs, VECTORS)]
    assert not missing, "run `make floats`"
    assert runs.keys() == UNITS.keys()


def test_a_run_belongs_to_the_text_but_not_to_its_comments() -> None:
    unit, runs = UNITS["arith.addf f32"], record.read()
    noted = broken(unit, "  // 1. ", "  // Step 1. ")
    assert record.is_done(noted, runs, VECTORS)
    faulty = broken(unit, "half & (rest | kept[0])", "half & rest")
    assert not record.is_done(faulty, runs, VECTORS)
    assert not record.is_done(unit, runs, VECTORS + 1)
    seen = {unit.name: replace(runs[unit.name], differences=1)}
    assert not record.is_done(unit, seen, VECTORS)


@pytest.mark.sim
def test_a_run_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], deep: Deep
) -> None:
    deep(*UNIT_INPUTS, *SIMULATION_INPUTS, "tools/floats")
    file = tmp_path / "runs.json"
    words = ["--only", "isnan f", "--vectors", "1000", "--record", str(file)]
    assert main(words) == 0
    runs = record.read(file)
    assert list(runs) == [f"math.isnan f{width}" for width in (16, 32, 64)]
    record.write({name: run for name, run in runs.items() if name != "math.isnan f32"}, file)
    capsys.readouterr()
    assert main(words) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("math.isnan f32: 1000 vectors, 0 mismatches")
    assert last == "3 of 3 units agree with the host"
    assert record.read(file) == runs


@pytest.mark.sim
@pytest.mark.parametrize("name", SAMPLE)
def test_the_unit_agrees_with_the_host(name: str, deep: Deep) -> None:
    deep(*UNIT_INPUTS, *SIMULATION_INPUTS, "tools/floats")
    answer = run_unit(UNITS[name], 200_000, seed=7, stalls=4)
    assert answer.mismatches == 0, answer.said
    assert answer.vectors in (200_000, 1 << 16)
    assert answer.cycles > answer.vectors * 1.2


def broken(unit: FloatUnit, old: str, new: str) -> FloatUnit:
    """The unit with a fault."""
    text = unit.rendered.text
    assert text.count(old) == 1
    return replace(unit, rendered=replace(unit.rendered, text=text.replace(old, new)))


@pytest.mark.sim
@pytest.mark.parametrize(
    "name, old, new",
    (
        # Ties go up, not to even.
        ("arith.addf f32", "half & (rest | kept[0])", "half & (rest | kept[0] | 1'b1)"),
        # What the alignment loses is forgotten.
        ("arith.addf f32", "|(shifted_right & ~(", "&(shifted_right & ~("),
    ),
)
def test_a_planted_fault_is_seen(name: str, old: str, new: str, deep: Deep) -> None:
    deep(*UNIT_INPUTS, *SIMULATION_INPUTS, "tools/floats")
    answer = run_unit(broken(UNITS[name], old, new), 50_000)
    assert answer.mismatches > 0
    assert re.match(r"MISMATCH a=\w+ b=\w+ c=0 found \w+ expected \w+\n", answer.said)


@pytest.mark.sim
def test_the_program_says_a_line_a_unit(capsys: pytest.CaptureFixture[str], deep: Deep) -> None:
    deep(*UNIT_INPUTS, *SIMULATION_INPUTS, "tools/floats")
    assert main(["--only", "sitofp f16 i8"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"arith.sitofp f16 i8: 256 vectors, 0 mismatches, \d+ cycles \[\d", out)
    assert "1 of 1 units agree with the host" in out


def test_unknown_units_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "nothing"]) == 2
    assert capsys.readouterr().err == (
        "only: error[SIM_OPTION]: found nothing; LOOM accepts a part of a unit's name\n"
    )
