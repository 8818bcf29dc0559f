"""An index that is only an address is bounded by its array's size before it waits in buffers."""

from __future__ import annotations

import pytest
from loom_sim.suite import load

from loom.front.api import compile_request, compile_text
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.frontend.functions import top_function
from loom.lower.lean import narrow_addresses
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import random_activations, signature_of
from loom.model.comparison import compare_models
from loom.model.timed.simulate import predicted, run_timed
from loom.model.tokens.token_simulator import simulate
from loom.netlist.netlist import Endpoint
from tests.support.folders import EXAMPLES

PROGRAM = """func.func @f(%ends: memref<5xi8>, %a: memref<6xi8>, %b: memref<SIZExi8>) -> i8 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %four = arith.constant 4 : index
  %z = arith.constant 0 : i8
  %all = scf.for %i = %0 to %four step %1 iter_args(%x = %z) -> (i8) {
    %next = arith.addi %i, %1 : index
    %from = memref.load %ends[%i] : memref<5xi8>
    %to = memref.load %ends[%next] : memref<5xi8>
    %first = arith.index_cast %from : i8 to index
    %last = arith.index_cast %to : i8 to index
    %sum = scf.for %k = %first to %last step %1 iter_args(%y = %x) -> (i8) {
      %v = memref.load %a[%k] : memref<6xi8>
      %w = memref.load %b[%k] : memref<SIZExi8>
      %p = arith.muli %v, %w : i8
      %s = arith.addi %y, %p : i8
      scf.yield %s : i8
    }
    scf.yield %sum : i8
  }
  return %all : i8
}"""
SIZES = (6, 7, 8, 12)
INSIDE, OUTSIDE = (0, 3, 3, 5, 6), (0, 3, 9, 4, 20)


def program(size: int) -> Circuit:
    """The circuit of the program with a second array of this size."""
    return compile_text(PROGRAM.replace("SIZE", str(size)), "f.mlir")


def address_widths(circuit: Circuit) -> dict[str, int]:
    """The width of the first address of each memory [bits]."""
    netlist = circuit.netlist
    return {
        str(unit.attributes["memory"]): netlist.channel_by_target[
            Endpoint(unit.name, "ld_address0")
        ].width
        for unit in netlist.units
        if unit.operator.name == "handshake.extmemory"
    }


def held_bits(circuit: Circuit) -> int:
    """The bits of all slots."""
    netlist = circuit.netlist
    buffers = [unit for unit in netlist.units if unit.operator.name == "handshake.buffer"]
    shapes = [netlist.shape_by_unit[unit.name] for unit in buffers]
    return sum(shape.inputs[0] * shape.integer("slots") for shape in shapes)


@pytest.mark.parametrize("size", SIZES)
def test_addresses_have_the_bits_of_the_largest_size(size: int) -> None:
    widths = address_widths(program(size))
    assert (widths["a"], widths["b"]) == (size.bit_length(), size.bit_length())


@pytest.mark.parametrize("size", SIZES)
def test_models_agree_on_indices_inside(size: int) -> None:
    circuit = program(size)
    signature = signature_of(top_function(circuit.source), 64)
    given = [
        type(each)({**each.inputs, "ends": list(INSIDE)})
        for each in random_activations(signature, 1, 2)
    ]
    report = compare_models(circuit.source, "f", circuit.netlist, given, max_cycles=900, seed=3)
    assert report.differences == ()
    timed = predicted(circuit.netlist, given, report.tokens)
    assert timed is not None
    for run, tokens in zip(timed, report.tokens.activations, strict=True):
        assert dict(run.outputs) == dict(tokens.outputs)


def outcome(circuit: Circuit) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Results and run-time errors of an activation whose indices miss the arrays now and then."""
    netlist = circuit.netlist
    depths = {memory.name: memory.depth for memory in netlist.memories_outside}
    given = {name: [3 * k + 1 for k in range(depth)] for name, depth in depths.items()}
    (run,) = simulate(netlist, [Activation({**given, "ends": list(OUTSIDE)})]).activations
    return tuple(run.results), tuple(run.errors)


@pytest.mark.parametrize("size", SIZES)
def test_what_misses_an_array_reads_0_and_is_an_error(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the circuit with all bits."""
    found = outcome(program(size))
    assert found[1] == ("RT_MEMORY_ADDRESS_OUT_OF_RANGE",)
    monkeypatch.setattr(narrow_addresses, "narrow_index", lambda root, block: None)
    assert outcome(program(size)) == found


@pytest.mark.parametrize("size", [6, 7])
def test_a_bound_below_the_size_is_found(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the index is bounded by the last element, which an index outside then reads."""
    sound = outcome(program(size))
    monkeypatch.setattr(narrow_addresses, "size_of", lambda memory: 5)
    assert outcome(program(size)) != sound


def test_no_cycle_is_gained_or_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same cycles in the timed model, and fewer registers, than without the pass."""
    file = EXAMPLES / "spmv.mlir"
    _, activations = load(file)

    def measured() -> tuple[list[object], float, int]:
        circuit = compile_request(Request(file.read_text(), str(file)))
        runs = run_timed(circuit.netlist, activations[:2])
        found: list[object] = [(run.cycles, dict(run.outputs)) for run in runs]
        return found, circuit.cost.area.flip_flops, held_bits(circuit)

    narrow = measured()
    monkeypatch.setattr(narrow_addresses, "narrow_index", lambda root, block: None)
    wide = measured()
    assert narrow[0] == wide[0]
    assert narrow[1] < wide[1] and narrow[2] < wide[2]


def test_an_index_that_is_read_too_keeps_its_bits() -> None:
    text = PROGRAM.replace("SIZE", "6").replace(
        "%s = arith.addi %y, %p : i8",
        "%n = arith.index_cast %k : index to i8\n%q = arith.addi %p, %n : i8\n"
        "%s = arith.addi %y, %q : i8",
    )
    assert address_widths(compile_text(text, "f.mlir"))["a"] == 8
