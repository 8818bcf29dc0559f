"""`--style auto` makes loops of dynamic circuits static where that costs no time and saves LUTs."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from loom.dialects.facts.loop_attributes import STYLE
from loom.dialects.facts.places import place_of
from loom.errors import LoomError, Place
from loom.front.api import compile_module, compile_request, read_program
from loom.front.circuit import Circuit
from loom.front.cli import main
from loom.front.load_circuit import load_circuit
from loom.front.request import Request
from loom.front.styles import choose, loops, runs
from loom.front.styles.choose import compile_in_style, draw_inputs
from loom.front.styles.loops import loops_of, loops_to_try
from loom.front.styles.styled import Choice, Styled
from loom.front.verbs import Subject, style_subject
from loom.lower.loops.interleaved_nests import InterleavedNests
from loom.lower.options import Options, Style, Watch
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed import simulate
from loom.regress import workers
from tests.regress.judged_here import judge_here
from tests.support.folders import EXAMPLES

pytestmark = pytest.mark.usefixtures("deep_on_sources")

SUM = """#include <stdio.h>
#define N 100
#define ROWS 32

int if_loop_1(const int a[N], const int b[ROWS + 1], const int v[128], int y[ROWS]) {
  int sum = 0;

  for (int i = 0; i < N; i++) {
    int tmp = a[i] * 5;
    if (tmp > 10) sum += tmp;
  }
  for (int i = 0; i < ROWS; i++) {
    int row = 0;
    for (int j = b[i] & 127; j < (b[i + 1] & 127); j += 2) row += v[j];
    y[i] = row;
  }
  return sum;
}

int main(void) {
  static int a[N], b[ROWS + 1], v[128], y[ROWS];
  for (int i = 0; i < N; i++) a[i] = i * 7 % 9 - 3;
  for (int i = 0; i <= ROWS; i++) b[i] = 4 * i;
  for (int i = 0; i < 128; i++) v[i] = i;
  printf("%d\\n", if_loop_1(a, b, v, y));
  return 0;
}
"""
"""A loop whose schedule costs no cycles, before short loops that a dynamic circuit overlaps."""
UPDATES = (EXAMPLES / "c/gemver.c").read_text(encoding="utf-8")
"""Three nests, of which a schedule of the first costs no cycles."""
SPARSE = (
    (EXAMPLES / "spmv.mlir")
    .read_text(encoding="utf-8")
    .replace("%last step %c1", "%last step %c2")
    .replace("%c10 =", "%c2 = arith.constant 2 : index\n  %c10 =", 1)
)
"""Short inner loops of loaded bounds and a step of 2, which a dynamic circuit overlaps."""
FLAT = replace(Options(), clock_period=None)


@pytest.fixture(autouse=True)
def no_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Schedules without interleaved entries, with which some functions here would be static as a
    whole."""
    monkeypatch.setattr(InterleavedNests, "find", lambda *_: ())


def styled(
    text: str, given: Sequence[Activation] = (), options: Options | None = None, file: str = "k.c"
) -> Styled:
    """The circuit of a program in the style that is chosen."""
    return compile_in_style(Request(text, file, options=options or Options()), given)


def choice_of(found: Styled) -> Choice:
    """What was chosen of a dynamic circuit."""
    assert found.choice is not None and found.style == "dynamic"
    return found.choice


def islands(found: Styled) -> int:
    """Units that run a static loop."""
    names = [unit.operator.name for unit in found.dynamic.netlist.units]
    return sum(name == "dataflow.island" for name in names)


def is_all_dynamic(found: Styled) -> bool:
    """Whether no loop is static, and none is said to be."""
    choice = choice_of(found)
    said = choice.mixed is not None or choice.static_loops or "static loops" in choice.reason
    assert bool(said) is (islands(found) > 0)
    return not said


@pytest.mark.parametrize(("text", "line"), [(SUM, 8), (UPDATES, 8)], ids=("loop", "nest"))
def test_a_loop_is_static_where_that_costs_no_time(text: str, line: int) -> None:
    found = styled(text)
    choice = choice_of(found)
    ours, theirs = choice.mixed, choice.dynamic
    assert ours is not None and theirs is not None and islands(found) == 1
    assert choice.static_loops == (f"k.c:{line}:3",)
    assert ours.cycles is not None and theirs.cycles is not None
    assert ours.cycles <= 1.02 * theirs.cycles + 4 and ours.time <= theirs.time + 4 * ours.period
    assert ours.luts <= 0.97 * theirs.luts and ours.luts == found.dynamic.cost.counts[0]
    assert f"; static loops at line {line}: {ours.describe('LUT4')}, without: " in choice.reason


def test_the_circuit_that_is_chosen_does_what_the_program_does() -> None:
    found = styled(UPDATES)
    source = read_program(Request(UPDATES, "k.c"))
    assert islands(found) and not any(STYLE.is_on(op) for op in source.walk())
    given = draw_inputs(found.dynamic, Options())
    plain = compile_module(source)

    def differences(wanted: str) -> Sequence[str]:
        program = read_program(Request(wanted, "k.c"))
        netlist = found.dynamic.netlist
        return compare_models(program, "gemver", netlist, given, max_cycles=10_000).differences

    assert not differences(UPDATES)
    assert differences(UPDATES.replace("v[0][j] +", "v[0][j] -"))  # planted
    assert len(plain.netlist.units) != len(found.dynamic.netlist.units)


def test_loops_that_are_slower_stay_dynamic(monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = choose.bundle_inputs(str(EXAMPLES / "spmv.json"))
    request = Request(SPARSE, "spmv.mlir")
    assert is_all_dynamic(compile_in_style(request, bundle))
    monkeypatch.setattr(loops, "MORE_CYCLES", 3.0)
    plain = runs.at_its_clock

    def quick(circuit: Circuit, cycles: int | None, budget: int) -> object:
        return replace(plain(circuit, cycles, budget), period=10.0 / (cycles or 1))

    monkeypatch.setattr(loops, "at_its_clock", quick)  # planted: no circuit takes more time
    assert not is_all_dynamic(compile_in_style(request, bundle))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MORE_CYCLES", 0.9),
        ("MORE_AT_ENDS", -2),
        ("LESS_LUTS", 0.5),
        ("MOST_LOOPS", 0),
        ("MOST_UNITS", 10),
        ("do_alike", lambda *_: False),
        ("takes_no_more", lambda *_: False),
    ],
)
def test_each_limit_keeps_a_loop_dynamic(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    assert not is_all_dynamic(styled(SUM))
    monkeypatch.setattr(loops, name, value)
    assert is_all_dynamic(styled(SUM))


def test_a_loop_that_takes_more_time_stays_dynamic(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = runs.at_its_clock

    def slower(circuit: Circuit, cycles: int | None, budget: int) -> object:
        found = plain(circuit, cycles, budget)
        is_mixed = any(STYLE.is_on(op) for op in circuit.source.walk())
        return replace(found, period=1.05 * found.period) if is_mixed else found

    monkeypatch.setattr(loops, "at_its_clock", slower)
    assert is_all_dynamic(styled(SUM))


SOON = (
    "void f(const int a[100], int n, int y[4]) {\n  int s = 0;\n"
    "  for (int i = 0; i < (n & 15) + 8; i++) if (a[i] * 5 > 10) s += a[i];\n  y[n & 3] = s;\n}\n"
)
"""Where the data say how long the loop runs."""
BEHIND = Options(memories=(("y", "channel,latency=2,outstanding=1"),))
"""No static schedule takes such an array."""


def test_drawn_inputs_that_end_soon_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_all_dynamic(styled(SOON, options=BEHIND))
    given = [Activation({"a": [k % 9 for k in range(100)], "n": 7, "y": [0] * 4})]
    assert not is_all_dynamic(styled(SOON, given, BEHIND))  # the user's word
    monkeypatch.setattr(loops, "FEW_FOR_CHANGES", 0)
    assert not is_all_dynamic(styled(SOON, options=BEHIND))


def test_runs_beyond_the_budget_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "budget_of", lambda _: 10)
    monkeypatch.setattr(simulate, "QUIET", 20)
    assert is_all_dynamic(styled(SUM))


@pytest.mark.parametrize(
    "pragma", ["style(dynamic)", "ii(1)", "interleave(4)"], ids=("style", "II", "interleave")
)
def test_a_loop_that_says_how_it_runs_keeps_that(pragma: str) -> None:
    text = UPDATES.replace("  for (int i", f"#pragma loom {pragma}\n  for (int i", 1)
    source = read_program(Request(text, "k.c"))
    dynamic = compile_module(source, options=FLAT)
    tried = loops_to_try(dynamic, FLAT)
    inner = [] if pragma == "style(dynamic)" else [0]
    assert 0 not in tried and {2, 4} <= set(tried)
    assert [number for number in (0, 1) if number not in tried][: len(inner)] == inner
    assert "9:3" not in "".join(choice_of(styled(text)).static_loops)


def test_loops_in_a_static_loop_and_around_a_dynamic_one_are_not_tried() -> None:
    for pragma in ("static", "dynamic"):
        text = UPDATES.replace("    for (int j", f"#pragma loom style({pragma})\n    for (int j", 1)
        dynamic = compile_module(read_program(Request(text, "k.c")), options=FLAT)
        assert loops_to_try(dynamic, FLAT) == [2, 4, 3, 5]
    text = UPDATES.replace("  for (int i", "#pragma loom style(static)\n  for (int i", 1)
    dynamic = compile_module(read_program(Request(text, "k.c")), options=FLAT)
    assert loops_to_try(dynamic, FLAT) == [2, 4, 3, 5]


def test_outer_loops_are_tried_first_and_loops_of_other_functions_never() -> None:
    other = "static int other(const int a[4]) {\n  int s = 0;\n"
    other += "  for (int i = 0; i < 4; i++) s += a[i];\n  return s;\n}\n\n"
    module = read_program(Request(UPDATES.replace("void gemver", f"{other}void gemver"), "k.c"))
    dynamic = compile_module(module, options=FLAT)
    places = [place_of(loops_of(module)[number]).line for number in loops_to_try(dynamic, FLAT)]
    assert places == [14, 16, 18, 15, 17, 19]


@pytest.mark.parametrize(
    "options",
    [
        replace(FLAT, lean="off"),
        replace(FLAT, zero_trip="guard"),
    ],
)
def test_options_that_static_schedules_do_not_follow_keep_loops_dynamic(options: Options) -> None:
    dynamic = compile_request(Request(SUM, "k.c", options=FLAT))
    assert loops_to_try(dynamic, FLAT) == [0, 1, 2]
    assert loops_to_try(dynamic, options) == []


def test_a_loop_over_arrays_behind_channels_is_static_where_that_costs_no_time() -> None:
    """The whole function as a schedule takes more cycles: short loops wait for their answers."""
    behind = Options(memories=(("*", "channel,latency=9"),))
    found = styled(SUM, options=behind)
    choice = choice_of(found)
    assert islands(found) == 1 and choice.static_loops == ("k.c:8:3",)
    assert choice.mixed is not None and choice.dynamic is not None
    assert choice.mixed.cycles is not None and choice.dynamic.cycles is not None
    assert choice.mixed.cycles <= 1.02 * choice.dynamic.cycles + 4
    assert choice.mixed.luts <= 0.97 * choice.dynamic.luts


def test_a_loop_that_no_schedule_holds_stays_dynamic() -> None:
    behind = Options(memories=(("a", "channel,latency=2,outstanding=3"),))
    dynamic = compile_request(Request(SUM, "k.c", options=behind))
    assert loops_to_try(dynamic, behind) == [0, 1, 2]
    marked = loops.with_static_loops(dynamic.source, [0])
    with pytest.raises(LoomError, match="STATIC_ISLAND"):
        compile_module(marked, options=behind)
    assert is_all_dynamic(styled(SUM, options=behind))


def test_a_dynamic_style_stays_dynamic() -> None:
    for text in (SUM, SUM.replace("int if_loop_1", "#pragma loom style(dynamic)\nint if_loop_1")):
        style: Style | None = "dynamic" if text == SUM else None
        found = compile_in_style(Request(text, "k.c", options=Options(style=style)))
        assert found.choice is None and not islands(found)


def test_compile_says_and_writes_which_loops_are_static(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.c").write_text(SUM, encoding="utf-8")
    texts: list[dict[str, str]] = []
    for number, words in enumerate(([], [], ["--trace"], ["--verify-each"])):
        output = tmp_path / f"o{number}"
        assert main(["compile", str(tmp_path / "k.c"), "-o", str(output), *words]) == 0
        said = capsys.readouterr().err
        assert re.match(r"if_loop_1: dynamic: .*; static loops at line 8: \d+ cycles, ", said)
        files = [path for path in sorted(output.rglob("*")) if path.is_file()]
        texts.append({str(f.relative_to(output)): f.read_text(encoding="utf-8") for f in files})
    assert texts[1:] == texts[:1] * 3
    found = json.loads(texts[0]["if_loop_1.style.json"])
    assert found["style"] == "dynamic" and found["static_loops"] == [f"{tmp_path / 'k.c'}:8:3"]
    assert found["mixed"]["luts"] < 0.97 * found["dynamic"]["luts"]
    assert "dataflow.island" in texts[0]["if_loop_1.netlist.json"]


def test_watched_passes_are_those_of_the_circuit_that_is_chosen() -> None:
    seen: list[str] = []
    watched = Watch(see=lambda run, _: seen.append(run.name))
    request = Request(SUM, "k.c", options=Options(watch=watched))
    found, plain = compile_in_style(request), styled(SUM)
    assert found.choice == plain.choice and len(seen) == len({*seen})
    assert found.dynamic.netlist == plain.dynamic.netlist and islands(found) == 1


def netlists(text: str, folder: Path) -> list[str]:
    """The netlist of each verb that follows the style."""
    (folder / "k.c").write_text(text, encoding="utf-8")
    request = Request(text, "k.c")
    chosen = compile_in_style(request)
    loaded, _ = load_circuit(request)
    dynamic = replace(request, options=replace(request.options, style="dynamic"))
    plain = compile_request(dynamic)
    subject = Subject(dynamic, plain, plain.netlist, plain.files, [])
    words = Namespace(inputs=None, max_input=1)
    found, judged = style_subject(words, subject, request.options)
    assert isinstance(loaded, Circuit) and found is not None and judged.program is found.circuit
    assert found.choice == chosen.choice
    kernel = chosen.simulated()
    return [each.netlist_text for each in (chosen.dynamic, loaded, found.dynamic)] + [
        judged.files()["if_loop_1.netlist.json"],
        chosen.files()["if_loop_1.netlist.json"],
        kernel.files["if_loop_1.netlist.json"],
    ]


def test_each_verb_takes_the_same_circuit(tmp_path: Path) -> None:
    found = netlists(SUM, tmp_path)
    assert len({*found}) == 1 and "dataflow.island" in found[0]


def test_what_is_judged_is_the_circuit_that_is_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "k.c").write_text(SUM, encoding="utf-8")
    monkeypatch.setattr(workers, "judge_all", judge_here)
    assert main(["regress", str(tmp_path), "--model-only", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["kernels"]
    assert row["units"] == len(styled(SUM).dynamic.netlist.units)
    assert row["units"] < len(compile_request(Request(SUM, "k.c")).netlist.units)


def test_lines_are_named_once() -> None:
    places = [Place("k.c", 8, 3), Place("k.c", 8, 9), Place("k.c", 12, 3)]
    assert loops.list_lines(places) == "lines 8, 12"
    assert loops.list_lines(places[:1]) == "line 8"
    assert loops.list_lines([Place("<generated>")]) == "line <generated>"
