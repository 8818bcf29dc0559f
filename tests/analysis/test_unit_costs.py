"""Costs between measured units lie on straight lines; a measurement survives its tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loom_sim.placement.place_circuit import counted
from loom_sim.placement.synthesis_tools import ToolFailed, reason_of, run

from loom.analysis.timing import unit_costs
from loom.analysis.timing.clocked_units import Buffer, shape_of_buffer
from loom.analysis.timing.unit_costs import Area, Cost, Entry, Table, cost_among, table, table_of
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.handshake_operators import buffer_variant
from loom.dialects.operators.ordering.comparators import DISTANCES
from tools.library import cost_file
from tools.library.cost_points import measured_units
from tools.library.cost_table import cost_table
from tools.library.costs import longest
from tools.library.units import is_measured, memory_unit
from tools.library.wrapper import design_of


def entry(luts: float, delays: dict[str, float], kind: str = "", **axes: int) -> Entry:
    words = (("kind", kind),) if kind else ()
    return Entry(words, tuple(axes.items()), "", Area(luts, 2 * luts, 1, 0), delays)


LINE = (entry(10, {"data>data": 2.0}, width=8), entry(34, {"data>data": 5.0}, width=32))
GRID = (
    *(entry(w * p, {}, width=w, ports=p) for w in (0, 8) for p in (3, 5)),
    entry(400, {}, width=32, ports=3),
)
KINDS = (
    entry(1, {"ready>ready": 1.0}, "fifo", width=8, slots=2),
    entry(2, {}, "seq", width=8, slots=2),
    entry(4, {}, "seq", width=8, slots=4),
    entry(9, {}, "seq", width=64, slots=2),
)
FORMS = (entry(1, {}, width=32), entry(2, {}, "iterative", width=64))
ROWS = {
    "the usual form has no word": (FORMS, "", {"width": 64}, 1.0, {}),
    "a form of its own": (FORMS, "iterative", {"width": 32}, 2.0, {}),
    "measured": (LINE, "", {"width": 8}, 10.0, {"data>data": 2.0}),
    "between": (LINE, "", {"width": 20}, 22.0, {"data>data": 3.5}),
    "above": (LINE, "", {"width": 64}, 66.0, {"data>data": 9.0}),
    "below": (LINE, "", {"width": 4}, 6.0, {"data>data": 1.5}),
    "never below zero": ((*LINE[1:], entry(0, {}, width=20)), "", {"width": 1}, 0.0,
                         {"data>data": 5.0}),
    "two axes": (GRID, "", {"width": 4, "ports": 4}, 16.0, {}),
    "an axis that has one point at this width": (GRID, "", {"width": 20, "ports": 4}, 216.0, {}),
    "kind": (KINDS, "seq", {"width": 8, "slots": 3}, 3.0, {}),
    "other kind": (KINDS, "fifo", {"width": 8, "slots": 3}, 1.0, {"ready>ready": 1.0}),
    "unknown kind: the nearest": (KINDS, "none", {"width": 8, "slots": 2}, 1.0,
                                  {"ready>ready": 1.0}),
    "counts unlike each other": (KINDS, "seq", {"width": 36, "slots": 2}, 5.5, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_costs_lie_on_straight_lines(name: str) -> None:
    entries, kind, axes, luts, delays = ROWS[name]
    words = (("kind", kind),) if kind else ()
    found = cost_among(entries, words, tuple(axes.items()))
    assert found == Cost(Area(luts, 2 * luts, 1, 0), delays)


def test_cells_that_come_in_one_piece_are_whole() -> None:
    rows = [Entry((), (("width", w),), "", Area(0, 0, w / 8, w / 16)) for w in (8, 32)]
    found = cost_among(rows, (), (("width", 18),))
    assert found is not None
    assert (found.area.multipliers, found.area.block_rams) == (3, 2)


def test_an_operator_without_entries_has_no_cost() -> None:
    assert cost_among((), (), (("width", 8),)) is None
    assert cost_among((Entry((), (("width", 8),), "", None),), (), (("width", 8),)) is None


def test_the_file_holds_known_operators_and_whole_rows() -> None:
    for name, entries in table().entries.items():
        assert CATALOGUE[name].hardware.template
        for row in entries:
            assert row.delays or row.failed or not CATALOGUE[name].signature.outputs, (name, row)
            assert row.area is not None or row.failed, (name, row)
        assert len({(row.kind, row.axes) for row in entries}) == len(entries), name


def test_points_are_apart_and_units_have_texts_of_their_own() -> None:
    units = list(measured_units())
    assert len({cost_file.place_of(unit) for unit in units}) == len(units)
    assert len({unit.operator.name for unit in units}) == sum(map(is_measured, CATALOGUE.values()))


def test_a_run_goes_on_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is measured stays; what has a new text, or was never measured, is measured."""
    units = list(measured_units())[:3]
    places = [cost_file.place_of(unit) for unit in units]
    kept = Entry(places[0][1], places[0][2], design_of(units[0]).digest, Area(1, 2, 3, 4))
    stale = Entry(places[1][1], places[1][2], "another text", Area(5, 6, 7, 8))
    old: dict[str, list[Entry]] = {}
    for place, row in zip(places, (kept, stale), strict=False):
        old.setdefault(place[0], []).append(row)
    monkeypatch.setattr(cost_file, "table", lambda: Table("", old))
    failure = (Area(9, 9, 9, 9), {}, "nextpnr: out of stack")
    calls: list[str] = []
    monkeypatch.setattr(
        cost_file, "measure", lambda design, placed: (calls.append(design.module), failure)[1]
    )
    saved: list[str] = []
    told: list[str] = []
    cost_file.update(units, told.append, saved.append)
    assert len(calls) == len(told) == 2 and len(saved) == 3
    rows = [row for each in table_of(saved[-1]).entries.values() for row in each]
    assert len(rows) == 3 and kept in rows and stale not in rows
    assert sum(row.failed == failure[2] and row.area == failure[0] for row in rows) == 2
    assert all(json.loads(text) for text in saved)


def test_a_failed_unit_says_so_on_its_page() -> None:
    rows = (entry(3, {"valid>valid": 1.25, "ready>ready": 2}, "seq", width=8),
            Entry((("unsigned", "False"),), (("width", 64),), "", Area(7, 0, 0, 0), {}, "no room"),
            Entry((), (("width", 128),), "", None, {}, "no time"))  # fmt: skip
    assert list(cost_table(rows))[-7:] == [
        "| kind seq, width 8 | 3 | 6 | 1 | 0 | - | 1.25 | - | 2.00 | 2.00 |",
        "| unsigned False, width 64 | 7 | 0 | 0 | 0 | - | - | - | - | - |",
        "| width 128 | ? | ? | ? | ? | - | - | - | - | - |",
        "",
        "Delays are missing: no room.",
        "",
        "Delays are missing: no time.",
    ]


TRAP = """Traceback (most recent call last):
wasmtime._trap.Trap: error while executing at wasm backtrace:
    0: memory fault at wasm address 0xffffffe4 in linear memory of size 0xb540000
    1: wasm trap: out of bounds memory access
"""


def test_a_tool_that_fails_leaves_a_reason() -> None:
    assert reason_of(TRAP).endswith("WebAssembly trap: out of bounds memory access)")
    assert reason_of("Info: x\nERROR: no BEL for cell 'a'\nbye") == "ERROR: no BEL for cell 'a'"
    assert reason_of("") == "no message"


def test_a_tool_has_limits(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match=r"python: not done after 0\.5 s"):
        run("python", ["-c", "import time; time.sleep(60)"], tmp_path, 0.5)
    with pytest.raises(ToolFailed, match="python: MemoryError"):
        run("python", ["-c", "bytearray(1 << 40)"], tmp_path)
    with pytest.raises(ToolFailed, match="python: no message"):
        run("python", ["-c", "raise SystemExit(3)"], tmp_path)


def test_cells_and_paths_are_read_from_the_reports() -> None:
    cells = {"LUT4": 5, "CCU2C": 2, "TRELLIS_DPR16X4": 1, "TRELLIS_FF": 4, "PFUMX": 9, "DP16KD": 2}
    assert counted({"design": {"num_cells_by_type": cells}}) == Area(15, 4, 0, 2)
    steps = [{"delay": 0.525}, {"delay": 1.0}]
    paths = [
        {"from": "posedge clk_valid", "to": "posedge clk_ready", "path": steps},
        {"from": "posedge clk_valid", "to": "posedge clk_ready", "path": steps[:1]},
        {"from": "<async>", "to": "posedge clk_i", "path": steps},
    ]
    assert longest({"critical_paths": paths}) == {"valid>ready": 1.52}


def test_paths_that_the_row_rules_out_have_no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind's delays are those of units near by, which may hold or cut less."""
    delays = {"ready>ready": 1.0, "valid>valid": 1.0, "data>register": 1.0}
    row = CATALOGUE["handshake.buffer"]
    monkeypatch.setattr(unit_costs, "cost_at", lambda *_: Cost(Area(0, 0, 0, 0), delays))
    for kind, left in (("seq", {"data>register"}), ("fifo", {"data>register", "valid>valid"})):
        shape = unit_costs.Shape((8,), (8,), {"kind": kind, "slots": 2, "initial": ()})
        found = unit_costs.unit_cost(row, shape)
        assert found is not None and set(found.delays) == left


def test_a_packed_array_has_costs_of_its_own() -> None:
    """Lanes and the held word take LUTs; an array without `pack` has no such entry."""
    operator = CATALOGUE["handshake.chanmemory"]

    def luts(**said: int) -> float:
        shape = memory_unit(operator, 32, 1024, (0, 1), said).shape
        cost = unit_costs.unit_cost(operator, shape, (1024, 32))
        assert cost is not None
        return cost.area.luts

    assert luts() < luts(pack=64) < luts(pack=128)
    assert luts(latency=62) < luts(pack=64, latency=62) < luts(pack=128, latency=62)


def test_a_store_queue_costs_the_same_at_each_distance() -> None:
    operator = CATALOGUE["dataflow.store_queue"]
    shapes = [
        unit_costs.Shape((8, 8, 0), (0,), {"depth": 4, "distance": distance})
        for distance in DISTANCES
    ]
    first, second = (unit_costs.unit_cost(operator, shape) for shape in shapes)
    assert first is not None and first == second
    wanted = unit_costs.axes_of(shapes[0], None)
    assert wanted in {entry.axes for entry in table().entries[operator.name]}


FORMS_OF_BUFFERS = {
    (0, 8): "shift", (0, 25): "shift", (0, 26): "ring", (0, 33): "ring",
    (1, 5): "shift", (1, 6): "select", (1, 17): "select", (1, 25): "select", (1, 26): "ring",
    (2, 6): "select", (2, 7): "short", (2, 9): "select", (2, 13): "select", (2, 14): "ring",
    (3, 9): "select", (4, 9): "ring", (32, 8): "short", (32, 9): "ring", (1, 33): "deep",
}  # fmt: skip


def test_the_form_of_a_buffer_goes_by_its_bits() -> None:
    found = {
        (width, slots): buffer_variant(shape_of_buffer(width, Buffer(True, slots)))
        for width, slots in FORMS_OF_BUFFERS
    }
    assert found == {place: f"seq_{form}" for place, form in FORMS_OF_BUFFERS.items()}


@pytest.mark.parametrize("slots", range(9, 25))
@pytest.mark.parametrize("registered", [False, True])
def test_a_bit_of_many_slots_comes_from_a_register(registered: bool, slots: int) -> None:
    """Yosys gives some rings of a bit registers, and a multiplexer of 4 ns behind them."""
    shape = shape_of_buffer(1, Buffer(registered, slots))
    cost = unit_costs.unit_cost(CATALOGUE["handshake.buffer"], shape)
    assert cost is not None and cost.delays["register>data"] < 2.0
