"""A baseline: what grew by more than it may, what is lost, and files that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loom.regress.baseline import (
    DEFAULT,
    Tolerance,
    baseline_text,
    compare,
    read_baseline,
    read_tolerance,
)
from loom.regress.row import MATCH, REFUSED, Row
from tests.support.refusals import refusal

FIR = Row("fir", "fir.c", MATCH, cycles=208, predicted=208, luts=200, flip_flops=324, period=5.9)
GCD = Row("gcd", "gcd.c", MATCH, predicted=63, luts=540)
ODD = Row("odd", "odd.c", REFUSED)
BEFORE = {
    "fir": {"cycles": 200, "predicted": 208, "lut4": 195, "ff": 300, "period": 5.9},
    "gcd": {"cycles": 99, "predicted": 63, "lut4": 550},
    "odd": {"cycles": 1},
}


def test_growth_is_what_exceeds_its_tolerance() -> None:
    found = compare(
        BEFORE, [FIR, GCD, ODD, Row("new", "new.c", MATCH, luts=0)], DEFAULT, whole=True
    )
    assert found.lines("b.json") == [
        "grew: fir: cycles 200 -> 208 (+8, +4.0 %; tolerance 0)",
        "grew: fir: ff 300 -> 324 (+24, +8.0 %; tolerance 5 %)",
        "changed: fir: lut4 195 -> 200 (+5, +2.6 %)",
        "changed: gcd: lut4 550 -> 540 (-10, -1.8 %)",
        "lost: odd: in the baseline, without numbers now",
        "new: new: not in the baseline",
        "b.json: 2 grew, 2 changed within tolerance or shrank, 1 lost",
    ]
    assert not found.is_kept and not compare(BEFORE, [GCD], DEFAULT, whole=True).is_kept
    assert compare(BEFORE, [GCD], DEFAULT, whole=False).is_kept
    wide = {**DEFAULT, **read_tolerance("cycles=8,ff=8%")}
    assert compare(BEFORE, [FIR], wide, whole=False).is_kept
    narrow = {**wide, "cycles": Tolerance(7.9)}
    assert not compare(BEFORE, [FIR], narrow, whole=False).is_kept


@pytest.mark.parametrize(
    "text", ["", "cycles", "cycles=", "cycles=-1", "lut=5", "ff=5%%", "ff=inf"]
)
def test_other_tolerances_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        read_tolerance(text)


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "b.json"
    file.write_text(baseline_text(BEFORE, [FIR], whole=False))
    found = read_baseline(str(file))
    assert found["fir"]["cycles"] == 208 and found["gcd"] == BEFORE["gcd"]
    file.write_text(baseline_text(BEFORE, [FIR], whole=True))
    assert list(read_baseline(str(file))) == ["fir"]
    assert "seconds" not in file.read_text() and str(tmp_path) not in file.read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n "a', "b.json:2:2: error[REGRESS_BASELINE]: found a text that is no JSON ("),
        ("[1]", "b.json:1:1: error[REGRESS_BASELINE]: found no baseline; LOOM accepts a baseline "
         "that `loom regress --baseline F --update` of this LOOM writes"),
        ('{"loom_regress": 2, "kernels": {}}',
         "b.json:1:1: error[REGRESS_BASELINE]: found a baseline of version 2; LOOM accepts version "
         "1: remove the file, and write it anew by --update"),
        *((json.dumps({"loom_regress": 1, "kernels": kernels}),
           "b.json:1:1: error[REGRESS_BASELINE]: found a baseline whose kernels are no numbers by "
           "name") for kernels in (None, {"f": 3}, {"f": {"cycles": "3"}}, {"f": {"cats": 3}},
                                   {"f": {"cycles": True}}, {"f": {"cycles": -1}})),
        ("[" * 100_000, "b.json:1:1: error[REGRESS_BASELINE]: found JSON that nests too deep"),
    ],
)  # fmt: skip
def test_another_file_is_refused(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "b.json"
    file.write_text(text)
    assert refusal(read_baseline, str(file)).removeprefix(f"{tmp_path}/").startswith(message)
