"""`loom emit` of a static schedule: the same circuit as in one step, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from loom.errors import LoomError, LoomErrors
from loom.front.cli import main
from loom.front.given_schedules import load_schedule
from loom.front.request import Request
from loom.lower.options import Options
from tests.static.test_machines import MOST, NAMES, example, static
from tests.support.folders import EXAMPLES
from tests.support.static.schedules import NEST, SEARCH, SUM, TWO_LOADS, edited


@pytest.mark.parametrize("name", NAMES)
def test_two_steps_give_the_files_of_one(name: str) -> None:
    circuit, _ = example(name)
    given = load_schedule(Request(circuit.text, "k.mlir"))
    assert given is not None
    files = circuit.files()
    del files[f"{name}.static.mlir"]
    assert given.files() == files


def test_other_latencies_and_programs_in_c_too() -> None:
    slow = Options(memories=(("*", "ram,latency=3"),))
    circuit = static((EXAMPLES / "fir.mlir").read_text(), slow)
    given = load_schedule(Request(circuit.text, "k.mlir"))
    assert given is not None and given.files().items() <= circuit.files().items()


@pytest.mark.parametrize("edge", [[], ["--clock-enable", "--clock-name", "aclk"]])
def test_the_commands_write_the_same_files(edge: list[str], tmp_path: Path) -> None:
    for program in (EXAMPLES / "c" / "fir.c", EXAMPLES / "spmv.mlir"):
        text = str(tmp_path / f"{program.stem}.static.mlir")
        one, two = tmp_path / f"{program.stem}1", tmp_path / f"{program.stem}2"
        assert main(["compile", "--style", "static", str(program), *edge, "-o", str(one)]) == 0
        assert main(["lower", "--style", "static", str(program), "-o", text]) == 0
        assert main(["emit", text, *edge, "-o", str(two)]) == 0
        written = [path.relative_to(two) for path in two.rglob("*") if path.is_file()]
        assert written
        for path in written:
            assert (one / path).read_bytes() == (two / path).read_bytes(), path


LATE = (("%acc, %m : i32", "%acc, %m {lat = 1} : i32"),)
UNLIMITED = (("ports = {%A = 1r1w : memref<8xi32>} res = {arith.muli = 1}", ""),)
TWICE = tuple(each for each in TWO_LOADS if "1r1w" not in each[0])
SUM_IN_2 = edited(SUM, [("{lat = 3}", "{loom.latency = 2 : i64, lat = 2}")])
CLASH = SUM_IN_2.replace("II = 2", "II = 1").replace(" trip_count = 11", "")


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        (SEARCH, "3:3", "error[STATIC_MACHINE]: found a pipeline whose stages give the test"),
        (NEST, "4:3", "error[STATIC_MACHINE]: found staticlogic.seq"),
        (SUM, "20:9", "error[STATIC_MACHINE]: found arith.muli of latency 3"),
        (SUM_IN_2.replace("%A[%i] {lat = 1}", "%A[%i] {lat = 2}").replace(
            "start = 1 {", "start = 2 {").replace("start = 5 ", "start = 6 "), "16:9",
         "error[STATIC_MACHINE]: found memref.load of latency 2"),
        (SUM_IN_2.replace("memref<8xi32>", "memref<2x4xi32>").replace("A[%i]", "A[%i, %i]"),
         "1:1", "error[STATIC_MACHINE]: found a value of type memref<2x4xi32>"),
        (edited(edited(SUM_IN_2, TWICE), UNLIMITED).replace("II = 2", "II = 1"), "",
         "error[STATIC_PORTS]: found a static schedule against its rules: memref 'A' has 2"),
        (SUM_IN_2.replace("%A: memref<8xi32>", '%A: memref<8xi32> {loom.memory = "channel"}'),
         "16:9", "error[STATIC_MACHINE]: found memref.load of latency 1; LOOM accepts the latency"),
        (SUM_IN_2.replace("%acc, %m : i32", "%acc, %m {shared = 2} : i32"), "25:9",
         "error[STATIC_MACHINE]: found arith.addi with shared = 2"),
    ],
)  # fmt: skip
def test_what_no_machine_follows_is_refused(text: str, place: str, said: str) -> None:
    """STATIC_MACHINE, with the place."""
    with pytest.raises((LoomError, LoomErrors)) as refused:
        load_schedule(Request(text, "k.mlir"))
    assert f"k.mlir:{place}" in str(refused.value) and said in str(refused.value)


def test_a_schedule_of_ones_own_runs() -> None:
    """fir with II = 2: the same result in (N - 1) * II + D + 1 cycles."""
    circuit, activations = example("fir")
    given = load_schedule(Request(circuit.text.replace("II = 1 ", "II = 2 "), "k.mlir"))
    assert given is not None
    own = replace(circuit, module=given.module, fsmd=given.fsmd)
    assert list(own.differences(activations, MOST)) == []
    assert set(own.cycles(activations, MOST)) == {99 * 2 + 5 + 1}


def test_products_may_share_by_the_text() -> None:
    """The neighbour of the sum that may not: a pipelined unit."""
    text = SUM_IN_2.replace("lat = 2} : i32", "lat = 2, shared = 2} : i32")
    given = load_schedule(Request(text, "k.mlir"))
    assert given is not None
    assert [unit.name for unit in given.fsmd.units] == ["shared_muli"]


def test_what_fits_a_machine_is_taken() -> None:
    """The neighbour of those texts: the latency is that of the unit."""
    given = load_schedule(Request(SUM_IN_2, "k.mlir"))
    assert given is not None
    assert "module sum (" in given.files()["rtl/sum.sv"]
