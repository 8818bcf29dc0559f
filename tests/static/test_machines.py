"""The machine of a static schedule does what the program does; a fault in it is seen."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import cycle, islice

import pytest

from loom.errors import LoomError
from loom.front.api import compile_text
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import parse_module
from loom.lower.options import Options
from loom.lower.static import body_problem
from loom.lower.static.known_addresses import KnownAddresses
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.draw import accepted_activations
from loom.model.bundles.signature import signature_of
from loom.model.reference.reference import compile_reference
from loom.netlist.fsmd.fsmd import Fsmd, Gate, Register
from loom.netlist.fsmd.signals import sort_wires
from tests.support.folders import EXAMPLES
from tests.support.static.circuits import compile_static_request

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.mlir"))
MOST = 100_000
"""Longer than any activation here [cycles]."""
CYCLES = {
    "fir": 105, "vecadd": 102, "matvec": 406, "matmul": 518, "stencil_2d": 906, "histogram": 67,
    "video_filter": 261, "threshold": 68, "bicg": 262,
}  # fmt: skip
"""Of each activation; (N - 1) * II + D + 1 of their one pipeline, or one less [cycles]."""


def static(text: str, options: Options | None = None) -> StaticCircuit:
    """The static circuit of a program."""
    return compile_static_request(Request(text, "k.mlir", options=options or Options()))


@cache
def example(name: str) -> tuple[StaticCircuit, list[Activation]]:
    """The static circuit of an example, and three activations or more of its bundle."""
    circuit = static((EXAMPLES / f"{name}.mlir").read_text())
    signature = signature_of(top_function(circuit.dynamic.source))
    bundle = read_bundle((EXAMPLES / f"{name}.json").read_text(), f"{name}.json", signature)
    return circuit, list(islice(cycle(bundle), max(3, len(bundle))))


@pytest.mark.parametrize("name", NAMES)
def test_every_example_does_what_the_program_does(name: str) -> None:
    circuit, given = example(name)
    assert list(circuit.differences(given, MOST)) == []
    if name in CYCLES:
        assert set(circuit.cycles(given, MOST)) == {CYCLES[name]}


@pytest.mark.parametrize("name", NAMES)
def test_the_schedule_as_text_keeps_every_rule_and_reads_back(name: str) -> None:
    text = example(name)[0].text
    assert str(parse_module(text, "k.static.mlir")) + "\n" == text


def test_schedules_without_a_clock_period_are_right() -> None:
    for name in ("spmv", "gcd", "kmp"):
        text = (EXAMPLES / f"{name}.mlir").read_text()
        circuit, (_, given) = static(text, Options(clock_period=None)), example(name)
        assert list(circuit.differences(given, MOST)) == []


Fault = Callable[[Fsmd], Fsmd]


def without_reset_values(machine: Fsmd) -> Fsmd:
    """Counters begin anywhere."""
    kept = [replace(r, reset=None) if r.width > 1 else r for r in machine.registers]
    return replace(machine, registers=tuple(kept))


def with_other_enables(width: int) -> Fault:
    """Registers of this width take their last value in every cycle."""

    def fault(machine: Fsmd) -> Fsmd:
        def change(register: Register) -> Register:
            if register.width != width:
                return register
            return replace(
                register, updates=(*register.updates[:-1], ("", register.updates[-1][1]))
            )

        return replace(machine, registers=tuple(map(change, machine.registers)))

    return fault


def early_finish(machine: Fsmd) -> Fsmd:
    """The end comes with the test that fails, before the pipeline is empty."""
    stop = next(each.name for each in machine.registers if each.name.endswith("_stop_q"))
    return replace(machine, finish=stop)


def swapped_ports(machine: Fsmd) -> Fsmd:
    """A port reads at the other's address."""
    first, second = machine.reads[:2]
    ports = replace(first, address=second.address), replace(second, address=first.address)
    return replace(machine, reads=(*ports, *machine.reads[2:]))


def wire_stuck(suffix: str, terms: Sequence[tuple[str, ...]]) -> Fault:
    """A gate has other terms."""

    def fault(machine: Fsmd) -> Fsmd:
        kept = [
            replace(w, terms=tuple(terms)) if isinstance(w, Gate) and w.name.endswith(suffix) else w
            for w in machine.wires
        ]
        return replace(machine, wires=sort_wires(kept))

    return fault


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("fir", without_reset_values),
        ("fir", with_other_enables(32)),
        ("fir", early_finish),
        ("spmv", swapped_ports),
        ("fir", wire_stuck("_issue", [("go",), ("step1_valid1_q",)])),
        ("dot_f32", with_other_enables(32)),
        ("matvec", early_finish),
    ],
)
def test_a_fault_in_the_machine_is_seen(name: str, fault: Fault) -> None:
    circuit, given = example(name)
    wrong = replace(circuit, fsmd=fault(circuit.fsmd))
    try:
        found = list(wrong.differences(given, 2000))
    except LoomError as error:  # it comes to no end
        found = [str(error)]
    assert found


def test_an_access_outside_its_array_raises_the_error() -> None:
    circuit = static(
        "func.func @f(%m: memref<5xi32>, %k: i32) -> i32 {\n"
        "  %i = arith.index_cast %k : i32 to index\n"
        "  %x = memref.load %m[%i] : memref<5xi32>\n"
        "  return %x : i32\n}"
    )
    words = [10, 11, 12, 13, 14]
    runs = circuit.runs([Activation({"m": words, "k": k}) for k in (4, 5, -1 % 2**32, 0)], 100)
    assert [run.is_outside for run in runs] == [False, True, True, False]


def test_a_nest_that_reloads_what_it_stores_is_not_one_pipeline() -> None:
    circuit = static(
        "func.func @f(%a: memref<8xi32>) {\n"
        "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
        "  %c4 = arith.constant 4 : index\n"
        "  scf.for %i = %c0 to %c4 step %c1 {\n"
        "    %x = memref.load %a[%i] : memref<8xi32>\n"
        "    scf.for %j = %c0 to %c4 step %c1 {\n"
        "      %y = arith.addi %x, %x : i32\n"
        "      memref.store %y, %a[%j] : memref<8xi32>\n"
        "    }\n  }\n  return\n}"
    )
    given = [Activation({"a": [1, 2, 3, 4, 5, 6, 7, 8]})] * 2
    assert list(circuit.differences(given, MOST)) == []
    assert "scf.for" in circuit.text


@pytest.mark.parametrize("place", ("i", "next", "before", "c4", "j"))
def test_a_load_before_an_inner_loop_sees_the_stores_behind_it(place: str) -> None:
    circuit = static(
        "func.func @f(%a: memref<9xi32>, %b: memref<9xi32>) {\n"
        "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
        "  %c4 = arith.constant 4 : index\n  %c7 = arith.constant 7 : index\n"
        "  scf.for %i = %c1 to %c7 step %c1 {\n"
        "    %next = arith.addi %i, %c1 : index\n"
        "    %before = arith.subi %i, %c1 : index\n"
        "    %x = memref.load %a[%i] : memref<9xi32>\n"
        "    %r = scf.for %j = %c0 to %c4 step %c1 iter_args(%s = %x) -> (i32) {\n"
        "      %e = memref.load %b[%j] : memref<9xi32>\n"
        "      %d = arith.addi %e, %x : i32\n"
        f"      memref.store %d, %{'a' if place == 'j' else 'b'}[%j] : memref<9xi32>\n"
        "      %t = arith.addi %s, %e : i32\n"
        "      scf.yield %t : i32\n    }\n"
        f"    memref.store %r, %a[%{'i' if place == 'j' else place}] : memref<9xi32>\n"
        "  }\n  return\n}"
    )
    given = [Activation({"a": list(range(3, 12)), "b": list(range(9, 0, -1))})] * 2
    assert list(circuit.differences(given, MOST)) == []
    assert ("scf.for" in circuit.text) == (place == "j")


@pytest.mark.parametrize("trips", range(4))
def test_trip_counts_from_none(trips: int) -> None:
    circuit = static(
        "func.func @f(%a: memref<8xi32>, %n: i32) -> i32 {\n"
        "  %c0 = arith.constant 0 : i32\n  %c1 = arith.constant 1 : i32\n"
        "  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c1) -> (i32) : i32 {\n"
        "    %k = arith.index_cast %i : i32 to index\n"
        "    %x = memref.load %a[%k] : memref<8xi32>\n"
        "    %y = arith.addi %s, %x : i32\n"
        "    memref.store %y, %a[%k] : memref<8xi32>\n"
        "    scf.yield %y : i32\n  }\n  return %r : i32\n}"
    )
    given = [Activation({"a": [3, 1, 4, 1, 5, 9, 2, 6], "n": trips})] * 2
    assert list(circuit.differences(given, MOST)) == []


def test_the_dynamic_circuit_has_the_same_ports() -> None:
    text = (EXAMPLES / "spmv.mlir").read_text()
    dynamic = compile_text(text, "k.mlir").netlist
    assert static(text).dynamic.netlist.ports == dynamic.ports


@pytest.mark.parametrize(
    ("depth", "test"),
    [(8, "|k[31:3]"), (1 << 30, "|k[31:30]"), (5, "k >= 32'd5"), (1, "|k[31:0]")],
)
def test_a_bound_that_is_a_power_of_two_is_bits_of_the_address(depth: int, test: str) -> None:
    circuit = static(
        f"func.func @f(%m: memref<{depth}xi8>, %k: i32) -> i8 {{\n"
        "  %i = arith.index_cast %k : i32 to index\n"
        f"  %x = memref.load %m[%i] : memref<{depth}xi8>\n"
        "  return %x : i8\n}"
    )
    assert f"_beyond = {test};" in circuit.rtl["rtl/f.sv"]


def test_an_array_that_nothing_reads_has_no_wires() -> None:
    circuit = static(
        "func.func @f(%v: f32) -> f32 {\n"
        "  %n = memref.alloc() : memref<f32>\n"
        "  memref.store %v, %n[] : memref<f32>\n"
        "  %x = memref.load %n[] : memref<f32>\n"
        "  return %x : f32\n}"
    )
    text = circuit.rtl["rtl/f.sv"]
    unused = text[text.index("assign unused_bits") :]
    assert "loom_ram" not in text
    for address in re.findall(r"assign (CONSTANT_0\w*) =", text):
        assert address in unused


TRANSPOSE = (EXAMPLES / "c" / "transpose.c").read_text()


def transposed() -> list[str]:
    """What the machine of a transposition in place does wrong."""
    request = Request(TRANSPOSE, "transpose.c")
    circuit = compile_static_request(request)
    reference = compile_reference(circuit.dynamic.source, circuit.top, 64)
    signature = signature_of(top_function(circuit.dynamic.source))
    given = accepted_activations(reference, signature, 1, 2)
    return list(circuit.differences(given, MOST))


def test_no_store_meets_a_load_of_its_word_in_one_cycle(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a RAM gives then is open; without the cycle between them the model says so."""
    assert transposed() == []
    early = {"memref.load": 0, "memref.store": 1}
    monkeypatch.setattr(body_problem, "separation", lambda source, _: early[source.name])
    assert transposed() != []


def test_subscripts_tell_what_the_address_of_few_bits_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The elements of two rows are different ones: II = 2 by the ports."""
    text = (EXAMPLES / "c/anchors/gaussian.c").read_text()

    def intervals() -> list[int]:
        circuit = compile_static_request(Request(text, "gaussian.c"))
        return [loop.ii for loop in circuit.pipelines]

    assert intervals() == [2]
    monkeypatch.setattr(KnownAddresses, "analyse", lambda *_: None)
    assert min(intervals()) > 2
