"""`--style auto`: what is chosen and why; where a function says its style, and what is refused."""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerAttr, i64

import loom
from loom.analysis.timing.machine_estimate import MachineEstimate
from loom.analysis.timing.unit_costs import Area
from loom.errors import LoomError
from loom.front.api import compile_module, read_program
from loom.front.circuit import Circuit
from loom.front.cli import main
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit, compile_static
from loom.front.styles import compare as comparing
from loom.front.styles import runs
from loom.front.styles.choose import compile_in_style
from loom.front.styles.compare import compare, compare_times, more_cycles
from loom.front.styles.styled import Prediction, Styled
from loom.frontend.functions import top_function
from loom.lower.options import Options, Style
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.signature import signature_of
from tests.support.folders import EXAMPLES
from tests.support.python_texts import PRELUDE

FIR, CRC = str(EXAMPLES / "fir.mlir"), str(EXAMPLES / "crc32.mlir")
FIR_TEXT = Path(FIR).read_text()


def styled(text: str, style: Style | None = "auto", file: str = "k.mlir") -> Styled:
    """The circuit of a program in a style."""
    return compile_in_style(Request(text, file, options=Options(style=style)))


def both(name: str) -> tuple[Circuit, StaticCircuit, list[Activation]]:
    """An example in both styles, and its bundle."""
    text = (EXAMPLES / f"{name}.mlir").read_text()
    dynamic = compile_module(read_program(Request(text, f"{name}.mlir")))
    static = compile_static(dynamic.source, top=None, options=Options(), dynamic=dynamic)
    signature = signature_of(top_function(dynamic.source))
    bundle = read_bundle((EXAMPLES / f"{name}.json").read_text(), f"{name}.json", signature)
    return dynamic, static, bundle


def test_a_static_schedule_is_taken_where_it_costs_no_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out"
    assert main(["compile", "--style", "auto", FIR, "-o", str(output)]) == 0
    said = capsys.readouterr()
    assert "fir: a static schedule, 1 pipelined loop" in said.out
    written = json.loads((output / "fir.style.json").read_text())
    assert (output / "fir.static.mlir").exists()
    ours, theirs = written["static"], written["dynamic"]
    assert said.err.splitlines() == [
        f"fir: static: {ours['cycles']} cycles, {ours['period']:.1f} ns, {ours['luts']} LUT4; "
        f"dynamic: {theirs['cycles']} cycles, {theirs['period']:.1f} ns, {theirs['luts']} LUT4"
    ]
    assert (written["style"], ours["cycles"], theirs["cycles"]) == ("static", 210, 208)
    assert main(["compile", "--style", "auto", "--json", FIR, "-o", str(output)]) == 0
    said = capsys.readouterr()
    assert said.err == "" and json.loads(said.out)["reason"] == written["reason"]


def test_the_bundle_decides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundle = str(EXAMPLES / "crc32.json")
    words = ["compile", "--style", "auto", "--inputs", bundle, CRC, "-o", str(tmp_path)]
    assert main(words) == 0
    said = "a static schedule takes 84 cycles where the dynamic circuit takes 62"
    assert f"crc32: dynamic: {said}" in capsys.readouterr().err
    found = json.loads((tmp_path / "crc32.style.json").read_text())
    assert (found["style"], found["reason"]) == ("dynamic", said)
    assert (tmp_path / "crc32.netlist.json").exists()
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["style"] == "dynamic"


def test_lower_prints_the_chosen_circuit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lower", "--style", "auto", FIR]) == 0
    assert "staticlogic.pipeline" in capsys.readouterr().out
    assert main(["lower", "--style", "auto", "--divider", "iterative", CRC]) == 0
    assert "handshake.func" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        (Prediction(108, 5.0, 1), Prediction(100, 6.0, 1), "takes 108 cycles where .* takes 100"),
        (Prediction(107, 5.0, 1), Prediction(100, 6.0, 1), None),
        (Prediction(103, 5.0, 1), Prediction(100, 4.9, 1), "takes 0.515 us where .* takes 0.49$"),
        (Prediction(103, 5.0, 1), Prediction(100, 5.01, 1), None),
        (Prediction(2, 5.0, 1), Prediction(1, 10.0, 1), None),
        # With half the LUTs 1.15 x the cycles, if in no more time.
        (Prediction(116, 5.0, 10), Prediction(100, 6.0, 20), None),
        (Prediction(116, 5.0, 11), Prediction(100, 6.0, 20), "takes 116 cycles"),
        (Prediction(116, 5.2, 10), Prediction(100, 6.0, 20), "takes 116 cycles"),
        (Prediction(118, 5.0, 10), Prediction(100, 6.0, 20), "takes 118 cycles"),
    ],
)
def test_cycles_and_time_are_compared(
    ours: Prediction, theirs: Prediction, said: str | None
) -> None:
    found = compare_times(ours, theirs, 1)
    assert found is None if said is None else re.search(said, found or "")


@pytest.mark.parametrize(
    ("periods", "requested", "more"),
    [
        ((8.0, 11.0), 10.0, 1.03 * 1.1),
        ((8.0, 9.0), 10.0, 1.05),  # both meet the clock
        ((12.0, 15.0), 10.0, 1.03 * 1.25),
        ((12.0, 12.6), 10.0, 1.03 * 1.05),
        ((5.0, 10.0), None, 1.05),
    ],
)
def test_a_clock_that_only_the_schedule_meets_is_worth_cycles(
    periods: tuple[float, float], requested: float | None, more: float
) -> None:
    ours, theirs = (Prediction(100, period, 1) for period in periods)
    assert more_cycles(ours, theirs, requested) == pytest.approx(more)
    taken = Prediction(int(1000 * more), periods[0], 1)
    assert compare_times(taken, Prediction(1000, periods[1], 1), 1, more) is None
    later = Prediction(round(1000 * more) + 3, periods[0], 1)
    assert compare_times(later, Prediction(1000, periods[1], 1), 1, more)


def test_a_larger_machine_is_not_taken() -> None:
    dynamic, static, given = both("fir")
    assert compare(dynamic, static, given).style == "static"
    static.__dict__["estimate"] = MachineEstimate(Area(5000, 0, 0, 0), 4.0)
    found = compare(dynamic, static, given)
    assert found.style == "dynamic"
    least = dynamic.cost.counts[0]
    words = f"a static schedule takes 5000 LUT4 where the dynamic circuit takes {least}"
    assert found.reason == words


def test_the_periods_compared_are_those_without_distances() -> None:
    dynamic, static, given = both("fir")
    static.__dict__["estimate"] = MachineEstimate(Area(10, 0, 0, 0), 40.0, longer=36.0)
    found = compare(dynamic, static, given)
    assert found.style == "static" and found.static is not None and found.static.period == 4.0


def test_a_circuit_beyond_its_estimates_takes_the_period_of_its_buffers() -> None:
    dynamic, static, given = both("fir")
    assert dynamic.netlist.clock_period == 10.0 and dynamic.cost.path is not None
    small = compare(dynamic, static, given).dynamic
    assert small is not None and small.period == round(dynamic.cost.path.delay, 2) < 10.0
    many = dynamic.cost.target.circuits.sizes[1] + 1
    dynamic.__dict__["cost"] = replace(dynamic.cost, area=replace(dynamic.cost.area, luts=many))
    large = compare(dynamic, static, given).dynamic
    assert large is not None and large.period == 10.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--memory", "taps:channel,latency=4,outstanding=5"], "taps with 5 requests outstanding"),
        (["--lean", "off"], "--lean"),
    ],
)
def test_what_a_static_schedule_refuses_is_dynamic(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compile", "--style", "auto", *words, FIR, "-o", str(tmp_path)]) == 0
    found = capsys.readouterr().err
    assert f"fir: dynamic: no static schedule takes {said}" in found
    assert (tmp_path / "fir.dfg.mlir").exists()


@pytest.mark.parametrize(
    ("asked", "inside"),
    [("#pragma loom interleave(12)\n", "i"), ("#pragma loom partial_sums(8)\n", "k")],
    ids=("interleave", "partial sums"),
)
def test_both_styles_follow_what_a_loop_asks_for(asked: str, inside: str) -> None:
    """A dynamic circuit has lanes for it, a schedule an array."""
    text = (
        "void f(const float a[12][40], float y[12]) {\n"
        "for (int i = 0; i < 12; i++) {\nfloat s = 0;\n"
        "for (int k = 0; k < 40; k++) s += a[i][k];\ny[i] = s; } }\n"
    ).replace(f"for (int {inside}", f"{asked}for (int {inside}")
    off = Options(interleave="off")
    static, dynamic = (
        compile_in_style(Request(text, "k.c", options=replace(off, style=style))).circuit
        for style in ("static", "dynamic")
    )
    assert isinstance(static, StaticCircuit) and isinstance(dynamic, Circuit)
    (number,) = (number for _, number in static.interleaved.taken)
    assert number in {loop.lanes for loop in dynamic.loops}
    assert "interleaved" in "".join(static.lines())


def test_flags_and_the_option_for_partial_sums_are_of_both_styles() -> None:
    """Each has the same sums, so `auto` may take either."""
    text = "float f(const float a[40]) { float s = 0;\n"
    text += "for (int i = 0; i < 40; i++) s += a[i];\nreturn s; }\n"
    for options in (Options(partial_sums=8), Options(partial_sums=8, style="static")):
        found = compile_in_style(Request(text, "k.c", options=options))
        assert any("8 partial sums" in note for note in found.circuit.notes)
    static = compile_in_style(Request(text, "k.c", options=options)).circuit
    assert isinstance(static, StaticCircuit)
    assert [number for _, number in static.interleaved.taken] == [8]


def test_what_neither_style_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lower", "--style", "auto", "--ports", "none:2", FIR]) == 2
    assert "error[LOWER_ARRAY]" in capsys.readouterr().err


def test_a_long_run_is_compared_by_the_only_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "BUDGET", 50)
    dynamic, static, given = both("fir")
    found = compare(dynamic, static, given)
    assert found.style == "static" and found.reason.startswith("more than 50 cycles, ")
    next(static.pipelines).properties["II"] = IntegerAttr(3, i64)
    found = compare(dynamic, static, given)
    assert found.style == "dynamic"
    assert found.reason == "fir.mlir:8:3: II = 3 in a static schedule, 1 in the dynamic circuit"
    found = compare(*both("insertion_sort"))
    assert found.reason.startswith("a static schedule takes more than 52 cycles to 16 stores")


def test_a_static_run_within_the_budget_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    dynamic, static, given = both("fir")
    monkeypatch.setattr(comparing, "dynamic_cycles", lambda *_: None)
    assert "; dynamic: more than 30000 cycles, " in compare(dynamic, static, given).reason


def test_without_inputs_the_circuit_is_dynamic() -> None:
    found = styled(
        "func.func @f(%a: memref<4xi32>, %n: i8) -> i32 {\n"
        "  %c = arith.constant 100 : i32\n  %w = arith.extui %n : i8 to i32\n"
        "  %s = arith.addi %w, %c : i32\n  %i = arith.index_cast %s : i32 to index\n"
        "  %x = memref.load %a[%i] : memref<4xi32>\n  return %x : i32\n}"
    )
    assert found.choice is not None and found.style == "dynamic"
    assert found.choice.reason.startswith("no inputs to compare with: REF_")
    assert found.choice.reason.endswith("; --inputs gives some")


def test_a_wrapper_says_what_was_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["wrap", "axi4lite"], ["package", "cocotb"]):
        assert main([*words, "--style", "auto", FIR, "-o", str(tmp_path / words[0])]) == 0
        assert "fir: static: 210 cycles, " in capsys.readouterr().err


def test_inputs_are_for_a_choice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundle = str(EXAMPLES / "fir.json")
    words = ["compile", "--style", "static", "--inputs", bundle, FIR, "-o", str(tmp_path / "o")]
    assert main(words) == 2
    assert "error[STATIC_OPTION]: found --inputs with --style static" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


ATTRIBUTE = FIR_TEXT.replace(") -> i32 {", ') -> i32 attributes {loom.style = "STYLE"} {')
PRAGMA = (
    "#pragma loom STYLE\nint f(int a[16]) {\n  int s = 0;\n"
    "  for (int i = 0; i < 16; i++) s += a[i];\n  return s;\n}\n"
)
DECORATED = (
    f"{PRELUDE}@loom.kernel(style='STYLE')\ndef f(a: A4) -> np.int32:\n    return a[0] + a[1]\n"
)


@pytest.mark.parametrize("style", ["static", "dynamic", "auto"])
@pytest.mark.parametrize(
    ("text", "file", "word"),
    [
        (ATTRIBUTE, "k.mlir", "{}"),
        (PRAGMA, "k.c", "style({})"),
        (PRAGMA, "k.c", "style {}"),
        (DECORATED, "k.py", "{}"),
    ],
)
def test_a_function_says_its_style(style: Style, text: str, file: str, word: str) -> None:
    said = text.replace("STYLE", word.format(style))
    assert said != text
    found = styled(said, None, file)
    assert (found.choice is not None) == (style == "auto")
    if style != "auto":
        assert found.style == style
    assert styled(said, "dynamic", file).style == "dynamic"
    assert styled(said, "static", file).style == "static"


def test_a_verb_without_styles_says_what_it_made(capsys: pytest.CaptureFixture[str]) -> None:
    source = read_program(Request(ATTRIBUTE.replace("STYLE", "static"), "k.mlir"))
    said = "style static is requested, this is the dynamic circuit: compile, lower, sim, "
    assert [note for note in compile_module(source).notes if note.startswith(said)]
    assert compile_module(source, options=Options(style="dynamic")).notes == ()


CALLED_IN_MLIR = (
    'func.func private @g(%a: i32) -> i32 attributes {loom.style = "static"} {\n'
    "  return %a : i32\n}\n"
    "func.func @f(%a: i32) -> i32 {\n  %r = func.call @g(%a) : (i32) -> i32\n"
    "  return %r : i32\n}\n"
)
CALLED_MESSAGE = (
    "k.mlir:1:1: error[LOWER_LOOP]: found loom.style of @g, which is called; LOOM accepts "
    "loom.style of the top function: a call has the style of its caller"
)
CALLED = (
    "int g(int a) {\n#pragma loom style(static)\n  return a + 1;\n}\n"
    "int f(int a) { return g(a); }\n"
)
DECORATED_CALLED = (
    f"{PRELUDE}@loom.kernel(style='static')\ndef g(a: np.int32) -> np.int32:\n    return a + 1\n"
    "@loom.kernel\ndef f(a: np.int32) -> np.int32:\n    return g(a)\n"
)


@pytest.mark.parametrize(
    ("text", "file", "said"),
    [
        (
            FIR_TEXT.replace("\n  }\n  return", '\n  } {loom.style = "auto"}\n  return'),
            "k.mlir",
            'k.mlir:8:3: error[LOWER_LOOP]: found loom.style = "auto" of scf.for; LOOM accepts '
            'loom.style of a loop, "static" or "dynamic"',
        ),
        (
            ATTRIBUTE.replace("STYLE", "fast"), "k.mlir",
            'found loom.style = "fast" of func.func; LOOM accepts loom.style of a function, '
            '"static" or "dynamic" or "auto"',
        ),
        (
            "int f(int a[16]) {\n  int s = 0;\n#pragma loom style(auto)\n"
            "  for (int i = 0; i < 16; i++) s += a[i];\n  return s;\n}\n",
            "k.c",
            "k.c:3:14: error[C_PRAGMA]: found the pragma loom style(auto); LOOM accepts #pragma "
            "loom unroll, unroll(NUMBER), flatten, interchange, interleave(NUMBER), "
            "partial_sums(NUMBER), ii(NUMBER), pipeline, style(static) or style(dynamic)",
        ),
        (
            PRAGMA.replace("STYLE", "style(fast)"), "k.c",
            "found the pragma loom style(fast); LOOM accepts #pragma loom style(static), "
            "style(dynamic) or style(auto)",
        ),
        (CALLED_IN_MLIR, "k.mlir", CALLED_MESSAGE),
        (CALLED, "k.c", "of a function that stands in place of its calls; LOOM accepts it in f"),
        (
            DECORATED.replace("STYLE", "fast"), "k.py",
            "found the decorator loom.kernel(style='fast'); LOOM accepts @loom.kernel, or "
            '@loom.kernel(style=..) with "static" or "dynamic" or "auto"',
        ),
        (
            DECORATED_CALLED, "k.py",
            "found the style of g, which stands in place of its calls; LOOM accepts it at f",
        ),
    ],
)  # fmt: skip
def test_a_style_in_another_place_is_refused(text: str, file: str, said: str) -> None:
    request = Request(text, file, "f" if "def f" in text else None, Options())
    with pytest.raises(LoomError) as refused:
        compile_in_style(request)
    assert said in str(refused.value)


def test_a_decorated_kernel_compiles_in_its_style(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "styled_kernel.py").write_text(DECORATED.replace("STYLE", "static"))
    monkeypatch.syspath_prepend(tmp_path)
    found = importlib.import_module("styled_kernel").f
    assert isinstance(found, loom.Kernel)
    assert found(np.array([1, 2, 3, 4], dtype=np.int32)) == 3
    assert isinstance(found.compile(tmp_path / "out"), StaticCircuit)
    assert (tmp_path / "out" / "f.static.mlir").exists()


@pytest.mark.sim
def test_auto_in_simulation(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sim", "--style", "auto", "--inputs", str(EXAMPLES / "vecadd.json")]
    assert main([*words, str(EXAMPLES / "vecadd.mlir")]) == 0
    said = capsys.readouterr()
    assert said.err.startswith("vecadd: static: 204 cycles, ")


def test_by_default_the_style_is_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By what makes or reports a circuit; what shows how a dynamic one comes about does not."""
    for words in (["compile"], ["wrap", "axi4lite"], ["package", "yosys"]):
        assert main([*words, FIR, "-o", str(tmp_path / words[0])]) == 0
        assert "fir: static: 210 cycles, " in capsys.readouterr().err
    assert main(["report", FIR]) == 0
    said = capsys.readouterr()
    assert "fir: a static schedule, " in said.out and "fir: static: 210 cycles, " in said.err
    for words in (["lower"], ["graph", "--format", "dot"]):
        assert main([*words, FIR]) == 0
        said = capsys.readouterr()
        assert "static" not in said.out + said.err
    assert styled(FIR_TEXT, None).style == "static"


def test_passes_that_are_watched_are_those_of_the_circuit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kmp = str(EXAMPLES / "kmp.mlir")  # of which several schedules are tried
    for file, is_dynamic in ((FIR, False), (CRC, True), (kmp, False)):
        assert main(["compile", file, "-o", str(tmp_path), "--trace", "--json"]) == 0
        names = [each["pass"] for each in json.loads(capsys.readouterr().out)["trace"]]
        assert names.count("inline-calls") == 1
        assert ("narrow-addresses" in names) == is_dynamic


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_what_is_simulated_is_what_is_compiled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where main() calls the kernel with inputs that would choose otherwise."""
    file = tmp_path / "k.c"
    file.write_text(
        "int f(const unsigned char a[32], unsigned n) {\n  int s = 0;\n"
        "  for (unsigned i = 0; i < n && i < 32; i++) s += a[i];\n  return s;\n}\n"
        "int main(void) {\n  unsigned char a[32] = {3, 4};\n  return f(a, 0) == 0 ? 0 : 1;\n}\n"
    )
    assert main(["compile", str(file), "--top", "f", "-o", str(tmp_path / "o")]) == 0
    chosen = capsys.readouterr().err.splitlines()[0]
    assert main(["sim", str(file), "--top", "f"]) == 0
    assert chosen in capsys.readouterr().err.splitlines()


LONG = (
    "int f(int a[64], int b[64]) {\n  for (int k = 0; k < 64; k++) a[k] = b[k] * 3;\n"
    "  int s = 0;\n  for (int k = 0; k < 64; k++) if (a[k] > s) s += a[b[k] & 63];\n"
    "  return s;\n}\n"
)


@pytest.mark.usefixtures("deep_on_sources")
def test_the_begin_of_a_long_run_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """By what is stored within the budget: of the first loop alone, here."""
    monkeypatch.setattr(runs, "BUDGET", 100)
    found = styled(LONG, None, "k.c").choice
    assert found is not None and found.style == "static", found
    assert "more than 100 cycles, " in found.reason
    monkeypatch.setattr(comparing, "static_stores", lambda *_: None)
    found = styled(LONG, None, "k.c").choice
    assert found is not None and found.style == "dynamic"
    assert re.search(r"takes more than 105 cycles to 64 stores where .* takes 100$", found.reason)
    monkeypatch.setattr(comparing, "static_stores", lambda *_: 1000)
    found = styled(LONG, None, "k.c").choice
    assert found is not None and " us to " in found.reason
    monkeypatch.setattr(comparing, "dynamic_stores", lambda *_: 0)
    found = styled(LONG, None, "k.c").choice
    assert found is not None and "without a store in these" in found.reason


def test_stores_are_counted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both circuits store as often; the cycle of the last store is before the end."""
    dynamic, static, given = both("reverse")
    count = runs.dynamic_stores(dynamic, given[0], 10_000)
    cycles = static.cycles(given[:1], 10_000)[0]
    last = runs.static_stores(static, given[0], 10_000, count)
    assert count == 48 and last is not None and cycles - 5 < last <= cycles
    assert runs.static_stores(static, given[0], 10_000, count + 1) is None
    assert runs.dynamic_stores(dynamic, given[0], 20) < count


STORING = """int w(int a[1000], const int b[1000], int bound) {
  int i = 0, sum = 0;
  while (sum < bound && i < 3) {
    sum += a[i] * b[i];
    a[i] = sum;
    i++;
  }
  return sum;
}
"""


def test_drawn_inputs_that_end_soon_do_not_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A while loop ends in its first iterations; its II is 4 in a schedule and 2 in the circuit."""
    found = styled(STORING, file="w.c")
    assert found.style == "dynamic"
    assert str(found.choice) == (
        "dynamic: w.c:3:3: II = 4 in a static schedule, 2 in the dynamic circuit"
    )
    monkeypatch.setattr(comparing, "FEW", 0)
    assert styled(STORING, file="w.c").style == "static"


def test_the_ii_decides_where_drawn_inputs_end_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The schedule takes some cycles more for its begin, but no longer II, period and LUTs."""
    text = (EXAMPLES / "c/fnv1a.c").read_text()
    found = styled(text, file="w.c")
    assert found.style == "static" and found.choice is not None
    assert "cycles, and the II is no longer; " in found.choice.reason
    monkeypatch.setattr(comparing, "is_decided_by_data", lambda *_: False)
    assert styled(text, file="w.c").style == "dynamic"


SHORT = """func.func @short(%m: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to END step %c1 {
      %v = arith.index_cast %j : index to i32
      memref.store %v, %m[%j] : memref<8xi32>
    }
    %w = arith.index_cast %i : index to i32
    memref.store %w, %m[%i] : memref<8xi32>
  }
  func.return
}
"""


@pytest.mark.parametrize(("bound", "constant"), [("i", True), ("n", False)])
def test_inner_bounds_of_one_pipeline_are_asked(bound: str, constant: bool) -> None:
    nest = f"for (int i = 0; i < 5; i++) {{ s += i; for (int j = 0; j < {bound}; j++) s ^= j; }}"
    text = f"int f(int n) {{ int s = 1; {nest} return s; }}"
    static = compile_static(read_program(Request(text, "k.c")), top=None, options=Options())
    (pipeline,) = static.pipelines
    assert len(pipeline.iv_inits) == 2
    assert comparing.has_constant_trips(static) is constant


@pytest.mark.parametrize(("end", "constant"), [("%c3", True), ("%n", False)])
def test_loops_between_constants_are_known(end: str, constant: bool) -> None:
    static = compile_static(
        read_program(Request(SHORT.replace("END", end), "k.mlir")), top=None, options=Options()
    )
    assert comparing.has_constant_trips(static) is constant
    dynamic = static.dynamic
    said = comparing.compare_drawn(dynamic, static, 30)
    assert (said is None) is constant
    assert constant or said == (
        "drawn inputs end after 30 cycles, few for several loops; --inputs gives others"
    )


def test_circuits_for_one_clock_are_compared_at_it() -> None:
    """Cycles decide between 7 and 6 ns where both run at 10; without that clock 7 ns are slower."""
    ours, theirs = Prediction(1000, 7.0, 100), Prediction(1000, 6.0, 200)
    assert compare_times(ours, theirs, 1, clock=10.0) is None
    for clock in (None, 5.0):
        assert compare_times(ours, theirs, 1, clock=clock) == (
            "a static schedule takes 7 us where the dynamic circuit takes 6"
        )
    assert compare_times(replace(ours, period=11.0), theirs, 1, clock=10.0) is not None
    shorter = Prediction(1045, 5.0, 100)  # more time at the clock, less at its own period
    assert compare_times(shorter, theirs, 1, clock=10.0) is None
    assert compare_times(replace(shorter, period=6.0), theirs, 1, clock=10.0) is not None
