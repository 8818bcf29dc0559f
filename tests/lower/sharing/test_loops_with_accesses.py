"""Loops alike that access memory share a circuit; order, results and tokens stay as without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import pytest
from xdsl.dialects.builtin import NoneType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from loom.analysis.balance.after_start import channels_after_start
from loom.analysis.balance.done_before_return import Ways, leads_to_output
from loom.analysis.balance.invariants import check_invariants
from loom.analysis.program.calls import functions_of
from loom.dialects.operators.rates import written_out
from loom.front.api import compile_request
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.frontend.mlir.read import parse_module
from loom.lower.dataflow import outline_loops, share_loops
from loom.lower.options import Options
from loom.lower.structure.inline_calls import inline_single_calls
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import random_activations, signature_of
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed
from tests.grow.random_sharing import random_program
from tests.support.netlists import NetlistBuilder

SORT = """
static void sort(int a[8]) {
  for (int i = 1; i < 8; i++) {
    int x = a[i], j = i;
    while (j > 0 && a[j - 1] > x) { a[j] = a[j - 1]; j--; }
    a[j] = x;
  }
}
"""
TWICE = SORT + "void kernel(int a[8], int k) { sort(a); a[3] ^= k; sort(a); a[2] = k; sort(a); }"
EACH = (
    SORT
    + """
int kernel(int a[8], int b[8]) {
  sort(a); for (int i = 0; i < 8; i++) b[i] = a[7 - i] - b[i];
  sort(b); a[0] = b[3]; sort(a); return a[1];
}"""
)
BOTH_ENDS = """
static int mix(const int v[8], int w[8], int x) {
  for (int i = 0; i < x % 8; i++) { x = x * 31 + v[i] * (x >> 3 | 1); w[i] ^= x; }
  return x;
}
int kernel(int a[8], int b[8], int x) {
  x = mix(a, b, x & 255) & 255; x = mix(b, a, x) & 255; a[1] = x;
  return mix(a, b, x) + mix(b, a, x);
}"""
IN_LOOPS = """
static int total(const int v[4]) {
  int s = 0; for (int i = 0; i < 4; i++) s = s * 5 + (v[i] ^ s >> 3) * (s | 1); return s;
}
int kernel(int a[4], int n) {
  int s = 0;
  for (int k = 0; k < (n & 3); k++) { a[k] += total(a); if (a[k] & 1) s ^= total(a); }
  a[1] = s;
  return total(a);
}"""
NESTED = """
static int divide(int n, int d) {
  int q = 0, r = 0;
  for (int i = 15; i >= 0; i--) { r = r << 1 | (n >> i & 1); if (r >= d) { r -= d; q |= 1 << i; } }
  return q;
}
static void scale(int a[4], int d) { for (int i = 0; i < 4; i++) a[i] = divide(a[i], d); }
int kernel(int a[4], int d) {
  scale(a, (d & 7) + 1); int x = divide(a[1], d | 3); scale(a, (x & 7) + 2); a[0] = 5; scale(a, 3);
  return divide(a[2], d | 7);
}"""
INNER_LOOPS = """
void kernel(int a[16], int n) {
  for (int j = 0; j < 15; j++) a[j] = (a[j + 1] * n) / 3 % 7;
  a[0] = n;
  for (int i = 0; i < 9; i++) {
    for (int j = 0; j < 15; j++) a[j] = (a[j + 1] * i) / 3 % 7;
    a[3] = i;
  }
  a[1] = n;
  for (int i = 0; i < 9; i++) {
    for (int j = 0; j < 15; j++) a[j] = (a[j + 1] * i) / 3 % 7;
    a[3] = i;
  }
}"""
BANKS = """
#pragma loom partition(p, cyclic, 2)
void kernel(int p[8], int a[8], int n) {
  for (int i = 0; i < 8; i++) p[i] = (a[i] * n) / 3 % 7 ^ i;
  a[1] = p[3];
  for (int i = 0; i < 8; i++) a[i] = (p[i] * n) / 3 % 7 ^ i;
  p[2] = a[5];
  for (int i = 0; i < 8; i++) p[i] = (a[i] * n) / 3 % 7 ^ i;
}"""
COMPARED = """
static unsigned stir(unsigned v[4], unsigned x) {
  for (unsigned k = 0; k < x % 4; k++) {
    v[k] = v[k] * x + (v[3 - k] ^ x >> 5); x = x ^ v[k] << 3;
  }
  return x;
}
unsigned kernel(unsigned a[4], unsigned b[4], unsigned x) { return stir(a, x) + stir(b, x + 1); }"""
PROGRAMS = {"one array": (TWICE, 1), "two arrays": (EACH, 1), "two of two arrays": (BOTH_ENDS, 1),
            "calls in loops": (IN_LOOPS, 1), "a shared loop in another": (NESTED, 2),
            "inner loops alike": (INNER_LOOPS, 1), "arrays in banks": (BANKS, 1),
            "loads that would compare addresses in one array": (COMPARED, 1)}  # fmt: skip
"""With how many circuits are shared."""
CYCLES = 100_000


def compiled(
    text: str, share: Literal["auto", "on", "off"] = "on", *, lean: Literal["on", "off"] = "on"
) -> Circuit:
    """The circuit of a C program."""
    options = Options(share=share, lean=lean, clock_period=None)
    return compile_request(Request(text, "k.c", options=options))


def count(circuit: Circuit) -> int:
    """How many shared circuits there are."""
    return sum(unit.operator.name == "handshake.share" for unit in circuit.netlist.units)


def activations_of(circuit: Circuit) -> Sequence[Activation]:
    """Three random activations."""
    return random_activations(signature_of(functions_of(circuit.source)[circuit.top]), 1, 3)


def differences(circuit: Circuit, seed: int | None = None) -> list[object]:
    """What source, token model and timed model do not agree in, over activations in a row."""
    activations = activations_of(circuit)
    report = compare_models(
        circuit.source, circuit.top, circuit.netlist, activations, max_cycles=CYCLES, seed=seed
    )
    found: list[object] = [*report.differences]
    for run, outcome in zip(run_timed(circuit.netlist, activations), report.outcomes, strict=True):
        found += [run.missing] if run.missing else []
        found += [n for n, words in outcome.memories.items() if run.memories[n] != words]
    return found


@pytest.mark.parametrize("lean", ["on", "off"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_shared_circuit_accesses_memory_in_order(
    name: str, lean: Literal["on", "off"], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where different arrays cost more than copies of the loop would."""
    monkeypatch.setattr(share_loops, "luts_of_access", free)
    text, circuits = PROGRAMS[name]
    circuit = compiled(text, lean=lean)
    assert count(circuit) == circuits
    assert check_invariants(circuit.netlist, lean=lean == "on").problems("k.c") == []
    assert check_invariants(circuit.netlist, lean=lean == "on").balance == "proved"
    assert [differences(circuit, seed) for seed in (None, 1, 2)] == [[], [], []]


def free(access: object, bits: object) -> float:
    """Nothing: an access of one of two arrays takes no LUTs."""
    return -float(share_loops.ACCESS)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("seed", range(6))
def test_random_programs_share_functions_on_arrays(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if seed % 2:
        monkeypatch.setattr(share_loops, "luts_of_access", free)
    circuit = compiled(random_program(seed, arrays=True), lean="off" if seed % 3 == 2 else "on")
    assert check_invariants(circuit.netlist, lean=seed % 3 != 2).balance == "proved"
    assert differences(circuit, seed) == []


def test_sharing_saves_luts_and_takes_hardly_more_cycles() -> None:
    apart, shared = (compiled(TWICE, share) for share in ("off", "auto"))
    assert (count(apart), count(shared)) == (0, 1)
    assert shared.cost.area.luts < 0.6 * apart.cost.area.luts
    (one, other) = (run_timed(c.netlist, activations_of(c))[0].cycles for c in (apart, shared))
    assert one < other < 1.1 * one


def test_a_second_array_is_worth_it_only_with_a_large_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sorting one array shares a circuit, sorting the other one has its own."""
    apart = compiled(EACH, "auto").netlist
    monkeypatch.setattr(share_loops, "luts_of_access", free)
    together = compiled(EACH, "auto").netlist
    compares = [
        sum(unit.operator.name == "arith.cmpi" for unit in netlist.units)
        for netlist in (apart, together)
    ]
    assert compares == [4, 2]


@pytest.mark.usefixtures("deep_on_sources")
def test_loops_around_loops_that_share_stay_alike() -> None:
    """The loops in two nests alike, one of which could share a circuit with a third loop."""
    text = INNER_LOOPS.replace("i < 9", "i < 100")
    circuits = [compiled(text.replace("< 15", f"< {trips}"), "auto") for trips in (12, 15)]
    assert [count(each) for each in circuits] == [1, 1]
    assert [differences(each) for each in circuits] == [[], []]


INDEPENDENT = """
void kernel(int a[64], int b[64], int c[64], int d[64]) {
  for (int i = 1; i < 64; i++) b[i] = b[i - 1] * a[i] + (a[i] >> (b[i - 1] & 7));
  for (int i = 1; i < 64; i++) d[i] = d[i - 1] * c[i] + (c[i] >> (d[i - 1] & 7));
}"""


def test_loops_that_would_overlap_keep_their_copies() -> None:
    assert count(compiled(INDEPENDENT, "auto")) == 0


CALLS = """
func.func @f(%a: i32) -> i32 {{
  {calls}
  return %{result} : i32
}}
func.func private @g(%x: i32) -> i32 {{
  %y = func.call @h(%x) : (i32) -> i32
  return %y : i32
}}
func.func private @h(%x: i32) -> i32 {{
  %y = arith.addi %x, %x : i32
  return %y : i32
}}"""
ONE, TWO = (f"%{k} = func.call @g(%{b}) : (i32) -> i32" for k, b in (("b", "a"), ("c", "b")))


@pytest.mark.parametrize(
    ("calls", "result", "left"), [("", "a", 1), (ONE, "b", 1), (ONE + "\n" + TWO, "c", 2)]
)
def test_what_one_place_calls_is_part_of_it(calls: str, result: str, left: int) -> None:
    """With one call a function is inlined, with none it is gone; with two it stays."""
    module = parse_module(CALLS.format(calls=calls, result=result), "k.mlir")
    inline_single_calls(module, Options())
    assert list(functions_of(module)) == ["f", "g"][:left]
    assert str(module).count("arith.addi") == (1 if calls else 0)


def first_of(candidates: Sequence[outline_loops.Candidate]) -> object:
    """Planted: an access goes to the first of its arrays, whichever is meant."""
    return candidates[0].access


def test_an_access_of_another_array_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share_loops, "luts_of_access", free)
    monkeypatch.setattr(outline_loops, "choose", first_of)
    assert differences(compiled(BOTH_ENDS)) != []


OPERANDS_OF = outline_loops._Outline.operands_of


def unordered(outline: outline_loops._Outline, number: int) -> list[SSAValue]:
    """Planted: a call waits for the start instead of the accesses before it."""
    holder: Operation | None = outline.loops[number]
    while not isinstance(holder, FuncOp):
        assert holder is not None
        holder = holder.parent_op()
    start = holder.body.block.args[-1]
    found = OPERANDS_OF(outline, number)
    return [start if isinstance(value.type, NoneType) else value for value in found]


def test_a_call_without_the_tokens_of_its_loop_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outline_loops._Outline, "operands_of", unordered)
    circuit = compiled(TWICE)
    found = check_invariants(circuit.netlist).problems("k.c")
    assert found or any(differences(circuit, seed) for seed in (None, 1, 2))


SHARE = written_out("out* = in*; called <- returned", ("returned", "in0", "in1"),
                    ("called", "out0", "out1"))  # fmt: skip


@pytest.mark.parametrize(
    ("before_return", "expected"),
    [({"x", "y"}, True), ({"x"}, False), ({"c"}, False), ({"c", "y"}, False)],
)
def test_what_comes_back_precedes_the_return_if_it_does_for_each_caller(
    before_return: set[str], expected: bool
) -> None:
    outputs: Mapping[str, str] = {"called": "c", "out0": "x", "out1": "y"}
    assert SHARE is not None
    ways = Ways(SHARE, outputs, frozenset(), {})
    assert leads_to_output(ways, SHARE, "returned", before_return) is expected


@pytest.mark.parametrize("second", ["start", "early"])
def test_a_call_comes_after_the_start_if_each_callers_does(second: str) -> None:
    b = NetlistBuilder()
    for name in ("start", "early"):
        b.port("input", name, "none" if name == "start" else "i8")
    for name in ("x", "y"):
        b.port("output", name, "i8")
    b.unit("share", "handshake.share")
    b.fork("starts", "%start", ("one.control", "two.control"), "none")
    for name in ("one", "two"):
        b.unit(name, "handshake.constant", value=1)
    b.connect("one.result", "share.in0", "i8")
    b.connect("two.result" if second == "start" else "%early", "share.in1", "i8")
    if second != "start":
        b.unit("sink", "handshake.sink")
        b.connect("two.result", "sink.in", "i8")
    b.connect("share.called", "share.returned", "i8", "called")
    b.connect("share.out0", "%x", "i8")
    b.connect("share.out1", "%y", "i8")
    assert ("called" in channels_after_start(b.build())) is (second == "start")
