"""A constant operand is a parameter of its unit: fewer tokens, the same results and cycles."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import pytest

from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.dataflow_operators import (
    CONTINUE_CONDITIONS,
    STEP_OPERATORS,
    find_burst,
    step_function,
)
from loom.dialects.operators.dataflow_operators import (
    tested_function as function_of_test,
)
from loom.dialects.operators.operator import AttributeValue, Shape
from loom.errors import LoomError, LoomErrors
from loom.front.api import compile_text, netlist_from_text, require_graph
from loom.front.request import Request
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.model.bundles.signature import random_activations, signature_of
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed
from loom.netlist.json_text import to_json
from loom.netlist.netlist import Netlist, Unit
from tests.support.folders import EXAMPLES

LEAN, ALL = Options(index_width=32), Options(index_width=32, lean="off")
LOOP = """func.func @f(%p: memref<64xi32>, %n: index) -> i32 {{
  %b = arith.constant {start} : index
  %s = arith.constant {step} : index
  %e = arith.constant {bound} : index
  %z = arith.constant 7 : i32
  %three = arith.constant 3 : i32
  %r = scf.for %i = %b to %e step %s iter_args(%x = %z) -> (i32) {{
    %v = memref.load %p[%i] : memref<64xi32>
    %w = arith.shli %v, %three : i32
    %y = arith.subi %z, %w : i32
    %t = arith.addi %x, %y : i32
    scf.yield %t : i32
  }}
  return %r : i32
}}"""


def operators(netlist: Netlist) -> Counter[str]:
    """How many units there are of each operator."""
    return Counter(unit.operator.name for unit in netlist.units)


def unit_of(netlist: Netlist, operator: str) -> Unit:
    """The only unit of an operator."""
    (found,) = (unit for unit in netlist.units if unit.operator.name == operator)
    return found


@pytest.mark.parametrize(
    ("start", "step", "bound"),
    [(0, 1, 0), (0, 1, 1), (0, 1, 2), (3, 1, 64), (1, 7, 60), (5, 60, 64), (9, 1, 2)],
)
def test_loops_between_constants_count(start: int, step: int, bound: int) -> None:
    text = LOOP.format(start=start, step=step, bound=bound)
    lean, other = (compile_text(text, "f.mlir", options=o) for o in (LEAN, ALL))
    activations = random_activations(
        signature_of(top_function(lean.source), 32), seed=step, count=3
    )
    report = compare_models(lean.source, "f", lean.netlist, activations, max_cycles=2000)
    assert report.differences == ()
    cycles, before = (
        [run.cycles for run in run_timed(c.netlist, activations)] for c in (lean, other)
    )
    assert cycles <= before


def test_constants_are_parameters() -> None:
    netlist = compile_text(LOOP.format(start=3, step=1, bound=60), "f.mlir", options=LEAN).netlist
    assert unit_of(netlist, "dataflow.stream").constants == {"start": 3, "step": 1, "bound": 60}
    assert unit_of(netlist, "arith.shli").constants == {"rhs": 3}
    assert unit_of(netlist, "arith.subi").constants == {"lhs": 7}
    assert unit_of(netlist, "dataflow.accumulate").constants == {"initial": 7}
    assert operators(netlist)["handshake.constant"] == 0
    assert operators(netlist)["dataflow.replicate"] == 0


COUNTED = """func.func @f(%n: {type}) -> i32 {{
  %b = arith.constant {start} : {type}
  %s = arith.constant {step} : {type}
  %z = arith.constant 7 : i32
  %r = scf.for {unsigned} %i = %b to %n step %s iter_args(%x = %z) -> (i32) : {type} {{
    %v = arith.{extend} %i : {type} to i32
    %m = arith.muli %x, %z : i32
    %t = arith.addi %m, %v : i32
    scf.yield %t : i32
  }}
  return %r : i32
}}"""


@pytest.mark.parametrize("width", [8, 16, 64])
@pytest.mark.parametrize("start", [0, 100, 200, -56, -128])
@pytest.mark.parametrize("unsigned", ["", "unsigned"])
def test_casts_of_constants_are_constants(unsigned: str, start: int, width: int) -> None:
    """The bounds of a loop that counts in i8, at each width of an index."""
    extend = "extui" if unsigned else "extsi"
    if start == 200 and not unsigned:
        start = 127
    text = COUNTED.format(type="i8", start=start, step=3, unsigned=unsigned, extend=extend)
    circuit = compile_text(text, "f.mlir", options=Options(index_width=width, clock_period=None))
    stream = unit_of(circuit.netlist, "dataflow.stream")
    kept = circuit.netlist.shape_by_unit[stream.name].inputs[0]
    assert kept <= width
    first = (start % 256 if unsigned else start) % (1 << kept)
    # An unsigned stream from 0 keeps the token of its start.
    assert stream.constants.get("start", 0 if unsigned else None) == first
    assert stream.constants["step"] == 3
    signature = signature_of(top_function(circuit.source), width)
    activations = random_activations(signature, seed=start % 7, count=5)
    found = compare_models(circuit.source, "f", circuit.netlist, activations, max_cycles=4000)
    assert found.differences == ()


@pytest.mark.parametrize("name", ["fir", "matvec", "triangular", "spmv", "collatz"])
def test_examples_get_smaller(name: str) -> None:
    text = (EXAMPLES / f"{name}.mlir").read_text()
    lean, other = (compile_text(text, f"{name}.mlir", options=o).netlist for o in (LEAN, ALL))
    assert len(lean.channels) < len(other.channels)
    assert any(unit.constants for unit in lean.units)
    assert not any(unit.constants for unit in other.units)


def test_an_address_waits_for_the_start_though_its_constant_does_not() -> None:
    text = """func.func @f(%p: memref<64xi32>, %n: index) -> i32 {
      %one = arith.constant 1 : index
      %i = arith.addi %n, %one : index
      %v = memref.load %p[%i] : memref<64xi32>
      return %v : i32
    }"""
    netlist = compile_text(text, "f.mlir", options=LEAN).netlist
    assert unit_of(netlist, "arith.addi").constants
    assert operators(netlist)["handshake.load"] == 1  # n may come before the start


def test_a_circuit_of_one_unit_meets_a_clock_period() -> None:
    text = """func.func @f(%a: i32) -> i32 {
      %one = arith.constant 1 : i32
      %b = arith.addi %a, %one : i32
      return %b : i32
    }"""
    netlist = compile_text(text, "f.mlir", options=Options(clock_period=10)).netlist
    assert [unit.constants for unit in netlist.units] == [{"rhs": 1}]


def shape_of_burst(
    width: int, start: int, step: int, bound: int, **attributes: AttributeValue
) -> Shape:
    constants = {0: start, 1: step, 2: bound}
    return Shape((width, width, width, 0), (width, 1), attributes, constants)


@pytest.mark.parametrize("step_op", STEP_OPERATORS)
@pytest.mark.parametrize("test", CONTINUE_CONDITIONS)
def test_the_end_of_a_burst_is_known(step_op: str, test: str) -> None:
    """Held against the indices one by one, with constants of three bits."""
    ended = 0
    numbers = itertools.product(range(8), range(1, 8), range(8), (False, True), (False, True))
    for start, step, bound, unsigned, rotated in itertools.islice(numbers, None, None, 11):
        shape = shape_of_burst(
            3, start, step, bound,
            step_op=step_op, cont_cond=test, unsigned=unsigned, rotated=rotated,
        )  # fmt: skip
        advance, proceeds = step_function(shape), function_of_test(shape)
        indices = [start]
        while len(indices) <= 8 and proceeds(indices[-1], step, bound):
            indices.append(advance(indices[-1], step))
        found = find_burst(shape)
        if len(indices) > 8:
            assert found is None
            continue
        ended += 1
        assert found is not None
        assert (found.count, found.last) == (len(indices), indices[-1])
        assert found.before_last == indices[-2:][0]
        assert all((index ^ start) & ~found.varying == 0 for index in indices)
    assert ended


def test_a_burst_of_many_steps_is_known_at_once() -> None:
    shape = shape_of_burst(
        64, 5, 3, 1 << 62, step_op="+=", cont_cond="<", unsigned=False, rotated=False
    )
    found = find_burst(shape)
    assert found is not None and found.count == ((1 << 62) - 5 + 2) // 3 + 1


GRAPH = """handshake.func @f(%a: i8, %s: none, ...) -> (i8, none) {{
  %c = arith.constant 5 : i8
  {operation}
  handshake.return %r, %s : i8, none
}}"""


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (
            "handshake.sink %a : i8\n%r = arith.addi %c, %c : i8",
            "arith.addi of constants alone; LOOM accepts a token at one operand",
        ),
        (
            "%r = arith.divui %a, %c : i8",
            "an arith.constant at operand 1 of arith.divui; LOOM accepts a token there",
        ),
        (
            "%t = arith.cmpi eq, %a, %c : i8\n%r = arith.select %t, %c, %c : i8",
            "",
        ),
    ],
)
def test_constants_of_a_graph(operation: str, message: str) -> None:
    request = Request(GRAPH.format(operation=operation), "g.mlir")
    if not message:
        assert all(u.constants for u in require_graph(request).netlist.units)
        return
    with pytest.raises((LoomError, LoomErrors)) as caught:
        require_graph(request)
    assert f"error[DFG_CONSTANT]: found {message}" in str(caught.value)


def test_a_graph_with_constants_is_read_back() -> None:
    compiled = compile_text(LOOP.format(start=3, step=1, bound=60), "f.mlir", options=LEAN)
    again = require_graph(Request(compiled.dfg_text, "f.dfg.mlir", options=LEAN)).netlist
    constants = [unit.constants for unit in compiled.netlist.units]
    assert [unit.constants for unit in again.units] == constants
    assert [unit.constants for unit in netlist_from_text(to_json(again)).units] == constants


@pytest.mark.parametrize(
    ("operator", "constants", "message"),
    [
        ("arith.shli", {"rhs": 1 << 32}, "constant rhs = 4294967296 on unit 'shli_w'"),
        ("arith.shli", {"amount": 3}, "constant amount on unit 'shli_w'"),
        ("dataflow.stream", {"start": 0, "step": 0, "bound": 9}, "a stream with a constant step"),
        (
            "dataflow.stream",
            {"start": 0, "step": 128, "bound": 9},
            "a stream of constants whose end",
        ),
    ],
)
def test_wrong_constants_are_refused(
    operator: str, constants: dict[str, int], message: str
) -> None:
    netlist = compile_text(LOOP.format(start=3, step=1, bound=60), "f.mlir", options=LEAN).netlist
    wrong = replace(unit_of(netlist, operator), constants=constants)
    units = tuple(wrong if unit.name == wrong.name else unit for unit in netlist.units)
    with pytest.raises((LoomError, LoomErrors)) as caught:
        netlist_from_text(to_json(replace(netlist, units=units)))
    assert f"found {message}" in str(caught.value)


def test_rows_name_operands_that_they_have() -> None:
    for operator in CATALOGUE.values():
        names = {port.name for port in operator.signature.inputs}
        assert set(operator.signature.constants) <= names
