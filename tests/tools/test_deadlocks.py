"""No shape of control deadlocks, every state visited; circuits with a fault are found out."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import pytest

from loom.emit import emit
from loom.errors import LoomError
from loom.front.api import inspect_request
from loom.front.request import Request
from loom.lower.options import Options
from loom.netlist.checks import problems
from loom.netlist.json_text import to_json
from loom.netlist.netlist import Netlist
from tests.analysis.test_invariants import FAULTS, planted
from tests.support.deep import Deep
from tests.support.folders import DOCS
from tests.support.refusals import refusal
from tools.deadlock import SHAPES, Shape, Verdict, explore, search
from tools.deadlock.__main__ import main
from tools.deadlock.aiger import read_aiger
from tools.deadlock.report import line, table, total, with_table
from tools.deadlock.shapes import Policy
from tools.deadlock.text import surroundings_text
from tools.prove import prove
from tools.prove.report import TABLE_BEGINS

PAGE = DOCS / "deadlocks.md"
BY_NAME = {shape.name: shape for shape in SHAPES}
READS_AND_WRITES = "for that reads, changes and writes"
COMPARES, QUEUES = "for with a comparator", "for with a load-store queue"
STUCK = "no token moves and the activation is not over"
FAST: tuple[tuple[str, Policy], ...] = (
    ("for", "raw"),
    (READS_AND_WRITES, "raw"),
    (READS_AND_WRITES, "guard"),
    ("if that writes or reads", "raw"),
    ("while", "raw"),
    ("while on what it loads", "raw"),
    (COMPARES, "raw"),
    (QUEUES, "raw"),
)


@pytest.mark.sim
@pytest.mark.parametrize(("name", "policy"), FAST)
def test_the_shape_is_proved(name: str, policy: Policy, deep: Deep) -> None:
    netlist = BY_NAME[name].netlist(policy)
    deep("tools/deadlock", "tools/prove", texts=[to_json(netlist), *emit(netlist).values()])
    found = search(netlist, name, policy)
    assert (found.outcome, found.reasons, found.silent) == ("proved", (), ())
    assert found.states > 10


def without(netlist: Netlist, buffer: str) -> Netlist:
    """The netlist with a channel in place of a buffer."""
    into = next(c for c in netlist.channels if c.target.unit == buffer)
    out = next(c for c in netlist.channels if c.source.unit == buffer)
    channels = [replace(c, target=out.target) if c is into else c for c in netlist.channels]
    return replace(
        netlist,
        units=tuple(unit for unit in netlist.units if unit.name != buffer),
        channels=tuple(c for c in channels if c is not out),
    )


def narrower(netlist: Netlist, buffer: str) -> Netlist:
    """The netlist with one slot in a buffer."""
    units = [
        replace(u, attributes={**u.attributes, "slots": 1}) if u.name == buffer else u
        for u in netlist.units
    ]
    return replace(netlist, units=tuple(units))


@pytest.mark.sim
@pytest.mark.parametrize(
    ("name", "change", "buffer", "depth"),
    [
        (READS_AND_WRITES, without, "buffer_0", 7),
        (READS_AND_WRITES, without, "buffer_0_2", 7),
        ("while", narrower, "buffer_w", 6),
        (COMPARES, without, "buffer_0", 8),
        (QUEUES, without, "buffer_0", 11),
        (QUEUES, without, "buffer_0_2", 11),
    ],
)
def test_a_carry_without_slots_stops(name: str, change: object, buffer: str, depth: int) -> None:
    """What the buffers of the carries' conditions and of their feedback are for."""
    assert callable(change)
    netlist = change(BY_NAME[name].netlist("raw"), buffer)
    assert problems(netlist) == []
    found = search(netlist, name, "raw")
    assert (found.outcome, found.depth) == ("failed", depth)
    assert found.reasons[0] == STUCK
    assert "carry_" in found.reasons[1]


UNBALANCED = {
    "the order of a body sees the loop's last test": STUCK,
    "a carry takes the tests back, not the turns": "the activation is over and a token is left",
    "a loop returns the done tokens of its turns (D5)": "an output gives a second token",
    "a loop starts after its own end": STUCK,
}


@pytest.mark.sim
@pytest.mark.parametrize("name", UNBALANCED)
def test_what_the_invariants_refute_goes_wrong_in_gates(name: str) -> None:
    text = planted(FAULTS[name][0])
    netlist = inspect_request(Request(text, "k.mlir", options=Options(index_width=3))).netlist
    found = search(netlist, name, "-")
    assert (found.outcome, found.reasons[0]) == ("failed", UNBALANCED[name])
    assert found.depth <= 10


COUNTER = """aag 7 2 2 2 3
2
4
6 14
8 12
12
14
10 6 8
12 2 8
14 3 7
i0 go_i
i1 unread_i
o0 high_o
o1 next_o
"""


def test_gates_are_read_and_run_for_many_cases_at_once() -> None:
    machine = read_aiger(COUNTER)
    assert (machine.inputs, machine.outputs, machine.latches) == (
        ("go_i",),
        ("high_o", "next_o"),
        2,
    )
    for go, low, high in product((0, 1), repeat=3):
        following, outputs = machine.step(1, [go], [low, high])
        assert following == [(1 - go) & (1 - low), go & high] == outputs[::-1]
    cases = list(product((0, 1), repeat=3))
    columns = [sum(case[k] << n for n, case in enumerate(cases)) for k in range(3)]
    following, _ = machine.step(255, columns[:1], columns[1:])
    assert [following[0] >> n & 1 for n in range(8)] == [(1 - g) & (1 - a) for g, a, _ in cases]


def test_every_state_is_visited_and_the_first_bad_one_is_found() -> None:
    """A counter that may wait, as gates by hand: its states, their depth, and a bound."""
    for bits in (1, 3, 9):
        machine = read_aiger(counter(bits))
        found = explore(machine, [], 10_000)
        assert (found.states, found.depth, found.complete) == (1 << bits, (1 << bits) - 1, True)
        assert found.reached == {"full_o": (1 << bits) - 1}
        bad = explore(machine, ["full_o"], 10_000)
        assert (bad.depth, bad.complete, bad.bad) == ((1 << bits) - 1, False, ("full_o",))
    cut = explore(read_aiger(counter(9)), ["full_o"], 100)
    assert (cut.states, cut.depth, cut.complete, cut.bad) == (101, 99, False, ())


def counter(bits: int) -> str:
    """The gates of a counter with an enable, full when all bits are 1."""
    gates: list[str] = []
    free = 2 * (bits + 2)

    def both(lhs: int, rhs: int) -> int:
        nonlocal free
        gates.append(f"{free} {lhs} {rhs}")
        free += 2
        return free - 2

    carry, following = 2, list[int]()
    for bit in range(bits):
        here = 4 + 2 * bit
        kept, flipped = both(here, carry ^ 1), both(here ^ 1, carry)
        following.append(both(kept ^ 1, flipped ^ 1) ^ 1)
        carry = both(here, carry)
    full = 1
    for bit in range(bits):
        full = both(full, 4 + 2 * bit)
    latches = [f"{4 + 2 * bit} {following[bit]}" for bit in range(bits)]
    head = f"aag {free // 2 - 1} 1 {bits} 1 {len(gates)}"
    return "\n".join([head, "2", *latches, str(full), *gates, "i0 go_i", "o0 full_o", ""])


def test_the_surroundings_name_every_channel_and_port() -> None:
    netlist = BY_NAME[READS_AND_WRITES].netlist("raw")
    text = surroundings_text(netlist)
    assert all(f"dut.{channel.name}_valid" in text for channel in netlist.channels)
    assert "idle_q != 3" in text and ".m_rd_data_i(m_rd_data)" in text


def test_shapes_differ_in_name_and_have_the_policies_they_need() -> None:
    assert len(BY_NAME) == len(SHAPES) > 20
    assert BY_NAME["while"].policies == ("raw",) and BY_NAME["for"].policies == ("raw", "guard")
    assert Random(1).choice(SHAPES).program.startswith("func.func @f(")


def verdict(outcome: str, *reasons: str) -> Verdict:
    return Verdict("x", "raw", outcome, 9, 8, 7, 6, reasons, ("c",), 1.5)  # type: ignore[arg-type]


def test_the_report_is_honest() -> None:
    some = [verdict("proved"), verdict("bounded"), verdict("failed", "a", "b")]
    assert total(some) == "1 of 3 circuits proved"
    assert [line(one) for one in some] == [
        "proved  x (raw), 7 states [1.5 s]",
        "holds for 6 cycles only x (raw), 7 states [1.5 s]",
        "FAILED in cycle 6 x (raw), 7 states [1.5 s]: a; b",
    ]
    assert table(some).endswith(
        "| x | raw | 9 | 8 | 7 | 6 | 1 | 6 cycles |\n"
        "| x | raw | 9 | 8 | 7 | 6 | 1 | failed; a; b |\n"
    )
    assert with_table(f"a\n{TABLE_BEGINS}\nold", some) == f"a\n{TABLE_BEGINS}\n\n{table(some)}"


def test_the_page_has_a_row_for_every_shape() -> None:
    written = PAGE.read_text(encoding="utf-8").partition(TABLE_BEGINS)[2]
    rows = [(shape, policy) for shape in SHAPES for policy in shape.policies]
    assert f"**{len(rows)} of {len(rows)} circuits proved.**" in written
    for shape, policy in rows:
        units = len(shape.netlist(policy).units)
        assert f"| {shape.name} | {policy} | {units} |" in written


def test_a_missing_tool_and_unknown_shapes_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(prove, "TOOLS", tmp_path)
    with pytest.raises(LoomError) as caught:
        search(BY_NAME["while"].netlist("raw"), "while", "raw")
    assert caught.value.code == "SIM_NO_PROVER"
    assert main(["--only", "nothing"]) == 2
    assert main(["--only", "while", "--page", "x"]) == 2
    assert main(["--clock-period", "10", "--page", "x"]) == 2
    said = capsys.readouterr().err.splitlines()
    page = (
        "page: error[SIM_OPTION]: found a page of some shapes or a clock period; "
        "LOOM accepts all shapes, without a period"
    )
    assert said == [
        "only: error[SIM_OPTION]: found nothing; LOOM accepts a part of a shape's name",
        page,
        page,
    ]


@pytest.mark.sim
def test_the_command_says_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "straight line with"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("proved  straight line with a multiplier (raw), 19 states [")
    assert main(["--only", "if in while", "--limit", "9"]) == 1
    assert "holds for " in capsys.readouterr().out


@pytest.mark.sim
def test_a_period_that_no_register_reaches_becomes_the_shortest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shape = "straight line with a multiplier"
    period = BY_NAME[shape].netlist("raw", 1.0).clock_period
    assert period is not None and 1.0 < period < 10.0
    assert BY_NAME[shape].netlist("raw", period).clock_period == period
    assert main(["--only", shape, "--clock-period", "1"]) == 0
    found = capsys.readouterr().out
    assert f"] at {period:g} ns, the shortest period it reaches\n" in found
    assert main(["--only", shape, "--clock-period", "10"]) == 0
    assert "the shortest period" not in capsys.readouterr().out


def test_another_refusal_of_a_shape_stays() -> None:
    text = "func.func @f(%a: i32) -> i32 {\n  return %b : i32\n}"
    assert "error[MLIR_" in refusal(Shape("x", text).netlist, "raw", 1.0)


def test_a_circuit_without_gates_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["tools.deadlock.search"]
    monkeypatch.setattr(module, "run", lambda *_: (False, "ERROR: no such cell"))
    assert refusal(search, Shape("x", BY_NAME["while"].program).netlist("raw"), "x", "raw") == (
        "f: error[SIM_GATES]: found ERROR: no such cell; LOOM accepts gates of Yosys"
    )
