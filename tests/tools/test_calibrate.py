"""Estimates are corrected by lines through samples, whose errors are those of the record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import geometric_mean

import pytest
from loom_sim.placement.place_circuit import Placed

import loom.analysis.timing
from loom.analysis.timing import targets as targets_file
from loom.analysis.timing.targets import FILE, Correction, Target, find_target, targets
from loom.analysis.timing.unit_costs import Area
from tests.support.folders import EXAMPLES
from tools.calibrate import __main__ as command
from tools.calibrate import circuits, units
from tools.calibrate.fit import fit_line, fit_terms

MOST = 0.15
"""How far estimates of circuits may be off place and route, on the average."""
NEAR = 0.75
"""The part of the circuits that is within `MOST`, at the least."""


def errors(target: Target) -> list[float]:
    """The errors of the circuits of the sample."""
    return [
        abs(target.circuit_period(row["units"], row["luts"]) - row["placed"]) / row["placed"]
        for row in target.circuits.sample
    ]


def is_calibrated(target: Target) -> bool:
    """True if the circuits of the sample are estimated as well as is said."""
    found = errors(target)
    near = sum(error <= MOST for error in found)
    return sum(found) / len(found) <= MOST and near >= NEAR * len(found)


def test_circuits_are_estimated_within_15_percent() -> None:
    target = find_target("ecp5")
    found = errors(target)
    assert len(found) >= 30 and is_calibrated(target)
    assert target.circuits.largest_error == pytest.approx(max(found), abs=0.002)
    assert target.circuits.mean_error == pytest.approx(sum(found) / len(found), abs=0.002)


def machines(target: Target) -> Target:
    """The target with the machines of static schedules in place of its circuits."""
    return replace(target, circuits=target.machines)


def are_near(found: Sequence[float]) -> bool:
    """True if estimates of machines are off by `MOST` on the average, and half of them by less."""
    near = sum(error <= MOST for error in found)
    return sum(found) / len(found) <= MOST and near >= 0.5 * len(found)


def test_machines_are_estimated_within_15_percent() -> None:
    target = find_target("ecp5")
    found = errors(machines(target))
    assert len(found) >= 30 and are_near(found)
    assert target.machines.largest_error == pytest.approx(max(found), abs=0.002)
    assert target.machines.mean_error == pytest.approx(sum(found) / len(found), abs=0.002)
    less = {"scale": target.machines.scale / 2}
    for wrong in ({"doubling": 0.0}, less, {"sizes": (1.0, 1.0)}):
        line = replace(target.machines, **wrong)
        assert not are_near(errors(machines(replace(target, machines=line))))


def test_large_machines_are_estimated_within_15_percent() -> None:
    blocks = find_target("ecp5").blocks
    found = [abs(row["estimated"] / row["placed"] - 1) for row in blocks.sample]
    assert len(found) >= 9 and sum(found) / len(found) <= MOST
    assert blocks.mean_error == pytest.approx(sum(found) / len(found), abs=0.002)
    assert blocks.largest_error == pytest.approx(max(found), abs=0.002)


def test_ram_and_multiplier_of_a_small_machine_are_near() -> None:
    blocks = find_target("ecp5").blocks
    (least, most), (few, many) = blocks.sizes, blocks.numbers
    assert not blocks.at(least, few).is_far and blocks.at(2 * least, few).memory == blocks.doubling
    assert blocks.at(most, many) == blocks.at(100 * most, 100 * many)
    one = blocks.at(least, few + 1)
    assert (one.memory, one.multiplier) == (0.0, blocks.each)


def test_the_luts_of_machines_are_estimated_within_15_percent() -> None:
    sample = find_target("ecp5").machines.sample
    ratios = [row["luts"] / row["placed_luts"] for row in sample]
    assert sum(abs(ratio - 1) for ratio in ratios) / len(ratios) <= MOST
    assert 0.95 <= geometric_mean(ratios) <= 1.1


@pytest.mark.parametrize("name", ["fir", "gcd", "reverse", "matvec"])
def test_the_sums_of_a_machine_are_those_of_the_sample(name: str) -> None:
    found = circuits.compile_machine(EXAMPLES / f"{name}.mlir", "default")
    (row,) = (
        each
        for each in find_target("ecp5").machines.sample
        if (each["name"], each["clock_period"]) == (name, "default")
    )
    assert (round(found.units, 2), round(found.luts)) == (row["units"], row["luts"])


def test_a_wrong_regression_is_reported() -> None:
    """The faults: the sums of delays as they are, a line that is too steep, sizes left out."""
    good = find_target("ecp5")
    line = good.circuits
    for wrong in (
        replace(line, offset=0.0, scale=1.0, doubling=0.0),
        replace(line, scale=2 * line.scale),
        replace(line, sizes=(line.sizes[1], line.sizes[1])),
    ):
        assert not is_calibrated(replace(good, circuits=wrong))


def test_a_circuit_outside_of_the_sample_counts_as_its_nearest() -> None:
    line = find_target("ecp5").circuits
    least, most = line.sizes
    assert line.at(20.0, 1.0) == line.at(20.0, least) < line.at(20.0, most)
    assert line.at(20.0, 100 * most) == line.at(20.0, most)
    assert line.at(0.5, most) == 0.5


def test_terms_are_found_again() -> None:
    rows = [[1.0, x, y] for x, y in ((1.0, 2.0), (2.0, 1.0), (3.0, 5.0), (4.0, 4.0))]
    measured = [2 * one + 3 * x - 0.5 * y for one, x, y in rows]
    assert fit_terms(rows, measured) == pytest.approx([2.0, 3.0, -0.5])
    with pytest.raises(AssertionError, match="independent"):
        fit_terms([[x, 2 * x] for x in (1.0, 2.0, 3.0)], [1.0, 2.0, 3.0])


@pytest.mark.parametrize("name", ("ice40", "xc7"))
def test_the_errors_of_units_are_those_of_the_sample(name: str) -> None:
    found = find_target(name).units
    rows = [row for row in found.sample if row["delay"] is not None]
    off = [abs(found.at(row["ecp5"]) - row["delay"]) / row["delay"] for row in rows]
    assert len(rows) >= 8
    assert found.largest_error == pytest.approx(max(off), abs=0.002)
    assert found.mean_error == pytest.approx(sum(off) / len(off), abs=0.002)


@pytest.mark.parametrize("name", ("ice40", "xc7"))
def test_default_periods_hold_what_an_ecp5_does_in_its_own(name: str) -> None:
    """With the largest error of the sample on top."""
    path = find_target("ecp5").placed_for(find_target("ecp5").period)
    target = find_target(name)
    assert target.period_of(path) * (1 + target.units.largest_error) <= target.period + 0.5


def test_delays_and_paths_are_each_others_inverse() -> None:
    for target in targets().values():
        for path in (1.0, 4.0, 8.0, 9.4, 9.5, 12.0, 40.0):
            assert target.measured(target.delay(path)) == pytest.approx(path)
            assert target.placed_for(target.period_of(path)) == pytest.approx(path)
        assert target.delay(5.0) < target.delay(10.0) < target.delay(20.0)


def test_a_multiplier_is_luts_where_there_is_none() -> None:
    ice40, xc7 = find_target("ice40"), find_target("xc7")
    assert ice40.area(Area(0, 0, 2, 1)) == Area(2 * ice40.luts_of_multiplier, 0, 0, 4)
    assert xc7.area(Area(0, 0, 2, 1)) == Area(0, 0, 2, 1)


def test_a_line_is_found_again() -> None:
    xs = [2.0, 5.0, 9.0, 20.0]
    line = fit_line(xs, [1.5 + 0.5 * x for x in xs])
    assert (line.offset, line.scale) == (1.5, 0.5)
    assert line.largest_error == pytest.approx(0.0)
    bent = fit_line(xs, [2.0, 4.5, 6.0, 11.0])
    assert 0.0 < bent.mean_error < bent.largest_error


REPORT = """Latest arrival time in 'm' is 1784:
    1784 (<primary output>)
    1784 $a.carry4 (CARRY4.CI->O)
    1450 $b.carry4 (CARRY4.S->CO)
     238 $c (LUT2.I0->O)
       0 (<primary input>)
"""


def test_a_path_has_a_wire_to_each_lut() -> None:
    assert units.path_of(REPORT) == pytest.approx(1.784 + units.NET + units.REGISTERS)


def test_what_is_known_is_not_placed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    placed: list[str] = []

    def place(texts: list[str], name: str, seeds: list[str]) -> Placed:
        placed.append(name)
        return Placed(None, 9.5)

    monkeypatch.setattr(circuits, "place_verilog", place)
    told: list[str] = []
    sample = circuits.Sample(circuits.compile_dynamic, ("vecadd", "fir"), (None,), 1)
    first = circuits.measure_circuits(EXAMPLES, [], told.append, sample)
    assert placed == ["vecadd", "fir"] and [row.placed for row in first] == [9.5, 9.5]
    known = circuits.to_json(first)
    known[1]["digest"] = "another text"
    assert circuits.measure_circuits(EXAMPLES, known, told.append, sample) == first
    assert placed == ["vecadd", "fir", "fir"] and len(told) == 4


def test_the_file_reads_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Written by the tool, and what it writes from it is the same."""
    text = (Path(loom.analysis.timing.__path__[0]) / FILE).read_text(encoding="utf-8")
    assert command.file_text(json.loads(text)) == text
    assert targets_file.targets_of(text) == targets()
    assert isinstance(targets()["xc7"].units, Correction)
