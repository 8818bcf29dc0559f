"""Paths are as long as their units say; with a clock period buffers cut those that are longer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.analysis.timing import targets, unit_costs
from loom.analysis.timing.area_estimate import sum_units
from loom.analysis.timing.static_timing import Pin, Stage, Timing, input_pins, steps_of
from loom.analysis.timing.unit_costs import Area, unit_cost
from loom.dialects.facts.target_names import TARGET_NAMES, TargetName
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.operator import AttributeValue, Shape
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.errors import LoomError
from loom.front.api import compile_module, compile_text, inspect_request, load_graph
from loom.front.circuit import Circuit
from loom.front.cli import main
from loom.front.request import Request
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.signature import signature_of
from loom.model.comparison import compare_models
from loom.netlist.json_text import from_json, to_json
from tests.support.folders import EXAMPLES
from tests.support.refusals import refusal

ADD = {"data>data": 3.0, "valid>valid": 2.0, "valid>ready": 2.0, "ready>ready": 2.0}
SEQ = {f"{a}>register": 1.5 for a in ("data", "valid", "ready")}
SEQ |= {f"register>{a}": 1.5 for a in ("data", "valid", "ready")}
ROUTED = {**ADD, "data>data": 1.0}
SMALL: dict[str, list[tuple[dict[str, str], dict[str, int], list[int], dict[str, float]]]] = {
    "arith.bitcast": [({}, {"width": 8}, [0, 0, 0, 0], {"data>data": 1.0, "valid>valid": 1.25})],
    "arith.addi": [({}, {"width": 8}, [10, 0, 0, 0], ADD)],
    "arith.muli": [({}, {"width": 8}, [5, 9, 1, 0], {"data>register": 3.0, "register>data": 2.5})],
    "handshake.fork": [({}, {"width": 8}, [2, 2, 0, 0], ROUTED)],
    "handshake.sink": [({}, {"width": 8}, [0, 0, 0, 0], {})],
    "handshake.join": [({}, {"width": 8}, [1, 0, 0, 0], ROUTED)],
    "handshake.buffer": [({"kind": "seq"}, {"width": 8}, [8, 16, 0, 0], SEQ),
                         ({"kind": "fifo"}, {"width": 8}, [8, 8, 0, 0], ROUTED)],
}  # fmt: skip
"""By operator: kind, axes, cells, delays. A path through a unit is 1 ns shorter than its row."""


EXACT = targets.Correction(0.0, 1.0, 0.0, 0.0, "", ())
SUMS = targets.Regression(0.0, 1.0, 0.0, (1.0, 1.0), 0.0, 0.0, "", ())
PLAIN = replace(
    targets.find_target("ecp5"), circuits=SUMS, unclocked=SUMS, paths=EXACT, units=EXACT
)
"""Circuits are as slow as their units."""


@pytest.fixture
def small_table(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """LOOM's costs are those of `SMALL`."""
    units = {
        name: [
            {"kind": kind, "at": axes, "digest": "", "area": area, "delays": delays}
            for kind, axes, area, delays in rows
        ]
        for name, rows in SMALL.items()
    }
    found = unit_costs.table_of(json.dumps({"measured": "", "units": units}))
    monkeypatch.setattr(targets, "targets", lambda: {"ecp5": PLAIN})
    with small_costs(monkeypatch, found):
        yield


@contextmanager
def small_costs(monkeypatch: pytest.MonkeyPatch, costs: unit_costs.Table) -> Iterator[None]:
    """LOOM's costs are these."""
    with monkeypatch.context() as patch:
        patch.setattr(unit_costs, "table", lambda: costs)
        unit_costs.cost_at.cache_clear()
        unit_costs.overhead.cache_clear()
        yield
    unit_costs.cost_at.cache_clear()
    unit_costs.overhead.cache_clear()


NO_LIMIT = Options(clock_period=None)


def chain(adds: int) -> str:
    """A sum of one term more, each addition after the other."""
    terms = ", ".join(f"%a{k}: i8" for k in range(adds + 1))
    lines = [
        f"%s{k} = arith.addi %{f's{k - 1}' if k else 'a0'}, %a{k + 1} : i8" for k in range(adds)
    ]
    return (
        f"func.func @f({terms}) -> i8 {{\n" + "\n".join(lines) + f"\nreturn %s{adds - 1} : i8\n}}"
    )


def buffers(circuit: Circuit) -> int:
    return sum(unit.operator.name == BufferOp.name for unit in circuit.netlist.units)


def clocked(text: str, period: float | None) -> Circuit:
    return compile_text(text, "f.mlir", options=Options(clock_period=period))


# A sum of five terms: each addition takes 2 ns, a register another 0.5 on each side.
PERIODS = {None: (0, 11.0), 11.0: (0, 11.0), 10.99: (1, 9.5), 6.0: (2, 6.0), 5.0: (4, 4.0),
           4.0: (4, 4.0)}  # fmt: skip


@pytest.mark.usefixtures("small_table")
@pytest.mark.parametrize("period", PERIODS)
def test_buffers_cut_what_is_longer_than_the_period(period: float | None) -> None:
    circuit = clocked(chain(5), period)
    path = circuit.cost.path
    assert path is not None
    assert (buffers(circuit), path.delay) == PERIODS[period]


@pytest.mark.usefixtures("small_table")
def test_a_period_that_no_buffer_brings_about_is_refused() -> None:
    assert refusal(clocked, chain(3), 3.99) == (
        "f.mlir:1:1: error[LOWER_CLOCK_PERIOD]: found a path of 4.00 ns through handshake.buffer, "
        "arith.addi, which no register can shorten; LOOM accepts --clock-period 4.00 or longer "
        "(Fmax 250 MHz)"
    )


def default_of(monkeypatch: pytest.MonkeyPatch, period: float) -> None:
    """The target's default period is this one [ns]."""
    target = replace(PLAIN, period=period)
    monkeypatch.setattr(targets, "targets", lambda: {"ecp5": target})


@pytest.mark.usefixtures("small_table")
def test_the_default_period_is_that_of_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    assert targets.find_target("ecp5").period == 10.0
    default_of(monkeypatch, 6.0)
    circuit = compile_text(chain(5), "f.mlir")
    assert circuit.netlist_text == clocked(chain(5), 6.0).netlist_text
    assert (buffers(circuit), circuit.notes) == (2, ())


@pytest.mark.usefixtures("small_table")
def test_a_default_period_that_is_not_met_gives_way_with_a_note(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The same period as the user's choice is refused, in the test above."""
    default_of(monkeypatch, 3.99)
    circuit = compile_text(chain(3), "f.mlir")
    assert circuit.cost.path is not None and circuit.cost.path.delay == 4.0
    note = (
        "the clock period is 4.00 ns (Fmax 250 MHz) instead of 3.99 ns: no register can shorten a "
        "path of 4.00 ns through handshake.buffer, arith.addi; choose --clock-period 4.00"
    )
    assert circuit.notes == (note,)
    (tmp_path / "f.mlir").write_text(chain(3))
    file = str(tmp_path / "f.mlir")
    out = ["-o", str(tmp_path / "out")]
    for verb in (["compile", "--style", "dynamic", *out], ["lower", "-o", str(tmp_path / "g")],
                 ["model"]):  # fmt: skip
        assert main([*verb, file]) == 0
        assert f"f: note: {note}\n" in capsys.readouterr().err
    for verb in (["compile", "--style", "dynamic", "-o", str(tmp_path / "out")], ["check"]):
        assert main([*verb, file, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["notes"] == [note]
    for chosen in ("4", "none"):
        assert (
            main(
                [
                    "compile",
                    "--style",
                    "dynamic",
                    file,
                    "-o",
                    str(tmp_path / "out"),
                    "--clock-period",
                    chosen,
                ]
            )
            == 0
        )
        assert capsys.readouterr().err == ""


def test_a_note_names_the_choices_that_are_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    """The form of the divider whose own paths are shorter; not the one that is chosen."""
    rows = [entry({}, 12.0), entry({"form": "iterative"}, 11.0)]
    monkeypatch.setattr(targets, "targets", lambda: {"ecp5": PLAIN})
    costs = unit_costs.Table("", {**unit_costs.table().entries, "arith.divui": rows})
    with small_costs(monkeypatch, costs):
        text = (
            "func.func @f(%a: i8, %b: i8) -> i8 {\n%q = arith.divui %a, %b : i8\nreturn %q : i8\n}"
        )
        (note,) = compile_text(text, "f.mlir").notes
        assert note.endswith("arith.divui; choose --divider iterative or --clock-period 12.00")
        (note,) = compile_text(text, "f.mlir", options=Options(divider="iterative")).notes
        assert note.endswith("arith.divui; choose --clock-period 11.00")


def entry(kind: dict[str, str], delay: float) -> unit_costs.Entry:
    """A row of a table: one delay inside the unit [ns]."""
    delays = {"register>register": delay}
    axes = (("width", 8), ("ports", 3))
    return unit_costs.Entry(tuple(kind.items()), axes, "", Area(1, 1, 0, 0), delays)


@pytest.mark.usefixtures("small_table")
def test_a_graph_keeps_its_buffers_with_the_default_period() -> None:
    text = clocked(chain(5), None).dfg_text
    graph = load_graph(Request(text))
    assert graph is not None and graph.notes == ()
    assert not any(u.operator.name == BufferOp.name for u in graph.netlist.units)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("period", [4.0, 5.0])
def test_the_period_that_a_refusal_names_is_accepted(period: float) -> None:
    """The buffers for 4 ns and 5 ns leave different paths in checksum."""
    text = (EXAMPLES / "checksum.mlir").read_text()
    with pytest.raises(LoomError) as caught:
        clocked(text, period)
    named = float(str(caught.value).partition("--clock-period ")[2].partition(" or longer")[0])
    path = clocked(text, named).cost.path
    assert path is not None and period < named
    # The sum of delays is rounded; placement compares with the same 1e-9 ns.
    assert path.delay <= named + 1e-9


@pytest.mark.usefixtures("small_table")
def test_a_graph_gets_the_buffers_of_the_clock_unless_its_own_are_kept() -> None:
    text = clocked(chain(5), None).dfg_text
    for mode, count in (("auto", 2), ("place", 2), ("keep", 0)):
        graph = load_graph(Request(text, options=Options(clock_period=6.0), graph_buffers=mode))  # type: ignore[arg-type]
        assert graph is not None
        assert sum(u.operator.name == BufferOp.name for u in graph.netlist.units) == count


@pytest.mark.usefixtures("small_table")
def test_the_cost_of_a_circuit_is_the_sum_of_its_units_and_its_longest_path() -> None:
    text = (
        "func.func @f(%a: i8, %b: i8) -> (i8, i8) {\n%p = arith.muli %a, %b : i8\n"
        "%s = arith.addi %p, %b : i8\n%x = arith.xori %s, %a : i8\nreturn %x, %p : i8, i8\n}"
    )
    cost = clocked(text, None).cost
    assert cost.to_json() == {
        "device": "ECP5, speed grade 6",
        "lut4": 21, "ff": 15, "mult18x18d": 1, "dp16kd": 0,
        "clock_period": 4.5, "fmax": 222.2, "path": ["muli_p", "fork_p", "addi_s"],
        "unmeasured": ["arith.xori"], "untimed": [],
    }  # fmt: skip
    assert str(cost) == (
        "estimate for an ECP5: 21 LUT4, 15 FF, 1 MULT18, 0 DP16K, clock period 4.5 ns "
        "(Fmax 222 MHz) through addi_s; "
        "unmeasured: arith.xori"
    )
    assert inspect_request(Request(text, "f.mlir", options=NO_LIMIT)).cost == cost
    assert Area(1, 2, 3, 4) + Area(1, 1, 1, 1) == Area(2, 3, 4, 5)


def stage(name: str, inputs: str, outputs: str, **delays: float) -> Stage:
    """A unit with channels by letter; a way stands behind a dot, a star marks data that steer."""

    def pins(text: str) -> list[Pin]:
        found = []
        for word in text.split():
            channel, _, way = word.rstrip("*").partition(".")
            found.append(Pin(channel, way, "choice" if word.endswith("*") else "data"))
        return found

    return Stage(name, {k.replace("_", ">"): v for k, v in delays.items()}, pins(inputs),
                 pins(outputs))  # fmt: skip


STAGES = {
    "a chain": ([stage("x", "a", "b", data_data=3), stage("y", "b", "c", data_data=4)], 6, "xy"),
    "from and to registers": ([stage("x", "a", "b", register_data=5, data_register=9),
                               stage("y", "b", "c", data_register=3)], 9, "x"),
    "inside": ([stage("x", "a", "b", register_register=7, data_register=5)], 7, "x"),
    "back by ready": ([stage("x", "a", "b", valid_ready=1, ready_ready=2),
                       stage("y", "b", "c", valid_ready=6)], 7, "yx"),
    "ways apart": ([stage("x", "a.1 b.2", "c.1 d.2", data_data=4),
                    stage("y", "c", "b", data_data=4)], 10, "xyx"),
    "a condition": ([stage("x", "a", "b", data_data=5),
                     stage("y", "b* c", "d", data_data=9, choice_valid=2)], 9, "y"),
    "a condition is late": ([stage("x", "a", "b", data_data=9),
                             stage("y", "b* c", "d", data_data=3, choice_valid=2)], 10, "xy"),
    "faster than a wire": ([stage("x", "a", "b", data_data=0.5)], 1, "x"),
}  # fmt: skip


@pytest.mark.parametrize("many", [10_000, 0])
@pytest.mark.parametrize("name", STAGES)
def test_the_longest_path(name: str, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the paths of a unit meet at crossings."""
    monkeypatch.setattr("loom.analysis.timing.static_timing.MANY", many)
    stages, delay, units = STAGES[name]
    found = Timing(stages, 1.0).longest()
    assert found is not None
    assert (found.delay, "".join(found.units)) == (delay, units)


def test_paths_through_crossings_are_those_of_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a circuit: the delay and the signals of the longest path; the pieces are not as many."""
    text = (EXAMPLES / "matvec.mlir").read_text()
    pairs = compile_text(text, options=NO_LIMIT)
    monkeypatch.setattr("loom.analysis.timing.static_timing.MANY", 0)
    crossings = compile_text(text, options=NO_LIMIT)
    assert pairs.cost.path is not None
    assert crossings.cost.path == pairs.cost.path
    names = [str(number) for number in range(300)]
    wide = stage("x", " ".join(names), " ".join(f"o{name}" for name in names), data_data=3)
    monkeypatch.undo()
    assert sum(1 for _ in steps_of(wide, 0.0)) == 600


def test_no_delays_no_path() -> None:
    assert Timing([stage("x", "a", "b")], 1.0).longest() is None


def test_help_and_refusals_of_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "x.mlir", "-o", "out", "--clock-period", "0"]) == 2
    assert capsys.readouterr().err.startswith("--clock-period: error[CLI_VALUE]: found '0'")


def loaded(name: str, options: Options) -> tuple[Circuit, list[Activation]]:
    file = EXAMPLES / f"{name}.mlir"
    source = read_mlir(file.read_text(encoding="utf-8"), file.name)
    circuit = compile_module(source, options=options)
    signature = signature_of(top_function(circuit.source, circuit.top))
    runs = read_bundle(file.with_suffix(".json").read_text(encoding="utf-8"), name, signature)
    return circuit, list(islice(cycle(runs), 3))


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("name", ("gcd", "fir", "histogram", "collatz", "threshold"))
def test_examples_reach_the_period_and_mean_the_same(name: str) -> None:
    """With the table of LOOM: as short as asked, or refused with a period that is accepted."""
    plain, runs = loaded(name, NO_LIMIT)
    assert plain.cost.path is not None
    options = Options(clock_period=plain.cost.path.delay / 3)
    try:
        circuit, _ = loaded(name, options)
    except LoomError as error:
        assert error.code == "LOWER_CLOCK_PERIOD"
        least = float(error.accepted.split()[1])
        options = replace(options, clock_period=least)
        circuit, _ = loaded(name, options)
    assert circuit.cost.path is not None and options.clock_period is not None
    assert circuit.cost.path.delay <= options.clock_period + 1e-6
    assert buffers(circuit) > buffers(plain)
    report = compare_models(
        circuit.source, circuit.top, circuit.netlist, runs, max_cycles=100_000, seed=1
    )
    assert not report.differences


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_clocked_examples_in_rtl() -> None:
    """No more buffers than that can stop a circuit; loops, branches and memories, with stalls."""
    names = ("gcd", "histogram", "insertion_sort")
    found = [loaded(name, Options(clock_period=10.0)) for name in names]
    kernels = [Kernel(c.source, c.top, c.netlist, c.files()) for c, _ in found]
    plain = [buffers(loaded(name, NO_LIMIT)[0]) for name in names]
    assert all(buffers(circuit) > n for (circuit, _), n in zip(found, plain, strict=True))
    for stalls, seed in ((0.0, 1), (0.4, 2)):
        reports = cosimulate_kernels(
            kernels, [runs for _, runs in found], SimOptions(stalls=stalls, seed=seed)
        )
        assert not {r.kernel.top: r.differences[:3] for r in reports if not r.match}
        assert all(run.residual == () for r in reports for run in r.rtl.runs)


@pytest.mark.parametrize("name", TARGET_NAMES)
def test_a_target_has_its_period_its_cells_and_its_netlist(name: TargetName) -> None:
    """Estimates are within the period, and the netlist reads back with both."""
    text = (EXAMPLES / "fir.mlir").read_text()
    circuit = compile_text(text, "fir.mlir", options=Options(target=name))
    target, cost, netlist = targets.find_target(name), circuit.cost, circuit.netlist
    assert (netlist.target, netlist.clock_period) == (name, target.period)
    path = sum_units(netlist)[1]
    assert path is not None and 0.5 * target.period < target.delay(path.delay) <= target.period
    assert cost.path is not None and cost.path.delay <= target.period
    assert list(cost.to_json())[:5] == ["device", *(each.lower() for each in target.cells)]
    assert f"estimate for an {target.title}: " in str(cost)
    assert from_json(circuit.netlist_text) == netlist
    free = compile_text(text, "v.mlir", options=Options(target=name, clock_period=None)).netlist
    assert free.clock_period is None and from_json(to_json(free)).target == name


def test_no_units_have_no_path() -> None:
    circuit = compile_text("func.func @f(%a: i8) -> i8 {\nreturn %a : i8\n}", "f.mlir")
    assert circuit.netlist.units == () and circuit.netlist.clock_period == 10.0


@pytest.mark.parametrize(
    ("depth", "bits", "said", "later"),
    [(100, 7, False, True), (128, 7, False, False), (128, 9, False, True), (100, 7, True, False)],
)
def test_an_address_that_is_compared_comes_later(
    depth: int, bits: int, said: bool, later: bool
) -> None:
    """A memory of so many elements: the compare is on the address's path, and costs LUTs."""
    operator = CATALOGUE["handshake.extmemory"]
    attributes: dict[str, AttributeValue] = {
        "memory": "m", "stores": 0, "loads": 1, "in_range": said, "load_requesters": (0,),
        "store_requesters": (),
    }  # fmt: skip
    shape = Shape((bits,), (32, 0), attributes)
    found, plain = (unit_cost(operator, shape, (each, 32)) for each in (depth, 1 << bits))
    assert found is not None and plain is not None
    (pin,) = input_pins(operator, shape, (depth, 32), ["address"])
    assert pin.data == ("address" if later else "data")
    assert ("address>register" in found.delays) == later
    if later:
        assert found.delays["address>register"] > plain.delays["data>register"]
        assert found.area.luts > plain.area.luts
