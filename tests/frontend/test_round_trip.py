"""Every stage's text parses back to what was printed, and depends on nothing but the input."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Literal

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from loom.dialects.ops.dataflow import Dataflow
from loom.dialects.ops.handshake_function import Handshake
from loom.front.api import compile_text
from loom.front.circuit import Circuit, handshake_function
from loom.frontend.mlir.read import parse_module
from loom.lower.options import Options
from loom.netlist.from_dfg import netlist_of
from loom.netlist.json_text import from_json, to_json
from tests.support.compiled import compile_example
from tests.support.folders import EXAMPLES, ROOT
from tools.prove.static_loop import PROGRAM as STATIC_LOOP

KERNELS = sorted(EXAMPLES.glob("*.mlir"))
ZeroTrip = Literal["raw", "guard"]
POLICIES: tuple[ZeroTrip, ...] = ("raw", "guard")
EVERY_OPERATION = """
handshake.func @all(%go: none, %c: i1, %x: i32, %i: index, %m: memref<4xi32>, %far: memref<4xi32>,
    %start: none, ...)
    -> (i32, index, i1, i32, i1, none) attributes {loom.note = "kept"} {
  %start_0:6 = handshake.fork [6] %start : none
  %c_0:10 = handshake.fork [10] %c : i1
  %x_0:10 = handshake.fork [10] %x {note = 1 : i32} : i32
  %i_0:7 = handshake.fork [7] %i : index
  %o = dataflow.carry %c_0#0, %x_0#0, %x_0#1 : i1, i32, i32 -> i32
  %v = dataflow.invariant %c_0#1, %x_0#2 : i1, i32 -> i32
  %r = dataflow.replicate %c_0#2, %x_0#3 {note} : i1, i32 -> i32
  %idx, %more = dataflow.stream %i_0#0, %i_0#1, %i_0#2 {step_op = "<<=", cont_cond = "!=", unsigned}
  %last, %more_0 = dataflow.stream %i_0#3, %i_0#4, %bound
  %av, %ac = dataflow.gate %x_0#4, %c_0#3 : i32, i1 -> i32, i1
  %total = dataflow.accumulate %c_0#9, %x_0#6, %x_0#7 {operator = "maxsi", rotated} : i32
  handshake.sink %total : i32
  %bit = dataflow.bit %x_0#8, %x_0#9 : i32
  handshake.sink %bit : i1
  %clear = dataflow.disambiguate %one, %go_1#6 {depth = 4} : index
  handshake.sink %clear : none
  %passes = dataflow.store_queue %one, %one, %go_1#8 {depth = 2} : index
  handshake.sink %passes : none
  %later = dataflow.store_queue %one, %one, %go_1#9 {depth = 2, distance = 0} : index
  handshake.sink %later : none
  %fc, %fl = dataflow.forward_store %one, %k, %k, %go_1#13 {depth = 2} : index, i32
  handshake.sink %fc : none
  handshake.sink %fl : i32
  %fd, %fm = dataflow.forward_queue %one, %one, %k, %k, %go_1#14 {depth = 8} : index, i32
  handshake.sink %fd : none
  handshake.sink %fm : i32
  %qin, %qend, %found, %qla, %qsd, %qsa = "dataflow.load_store_queue"(%go_1#10, %go_1#11, %one,
      %one, %k, %k, %go_1#12) {groups = "ls", depth = 4 : i64, outstanding = 2 : i64} : (none, none,
      index, index, i32, i32, none) -> (none, none, i32, index, i32, index)
  handshake.sink %qin : none
  handshake.sink %qend : none
  handshake.sink %found : i32
  handshake.sink %qla : index
  handshake.sink %qsd : i32
  handshake.sink %qsa : index
  %go_1:15 = handshake.fork [15] %go : none
  %one = handshake.constant %go_1#5 {value = 1 : index} : index
  %bound = handshake.constant %start_0#0 {value = 7 : index} : index
  %k = handshake.constant %start_0#1 {value = -7 : i32} : i32
  %t, %f = handshake.cond_br %c_0#4, %k : i32
  handshake.sink %t : i32
  %mux = handshake.mux %c_0#5 [%f, %v] : i1, i32
  %out = handshake.buffer [3] fifo %mux {note = "b"} : i32
  %reg = handshake.buffer [2] seq %r : i32
  %e:3 = handshake.extmemory [ld = 1, st = 1] (%m : memref<4xi32>) (%sd, %sa, %la) :
      (i32, index, index) -> (i32, none, none)
  %ld, %la = handshake.load [%idx] %e#0, %start_0#2 : index, i32
  %sd, %sa = handshake.store [%i_0#5] %reg, %e#2 : index, i32
  %h:2 = handshake.chanmemory [ld = 1, st = 0] (%far : memref<4xi32>) (%ha)
      {loom.latency = 9, loom.outstanding = 4} : (index) -> (i32, none)
  %hl, %ha = handshake.load [%i_0#6] %h#0, %go_1#7 : index, i32
  handshake.sink %hl : i32
  %n:2 = handshake.memory [ld = 1, st = 0] (%na) {memory = "table",
      contents = dense<[1, -2]> : tensor<2xi32>} : memref<2xi32>, (index) -> (i32, none)
  %nl, %na = handshake.load [%one] %n#0, %start_0#3 : index, i32
  %rom:2 = handshake.rom [ld = 1, st = 0] (%rom_at) {memory = "squares",
      contents = dense<[1, 4]> : tensor<2xi32>} : memref<2xi32>, (index) -> (i32, none)
  %rom_data, %rom_at = handshake.load [%one] %rom#0, %rom#1 : index, i32
  %j = handshake.join %e#1, %n#1, %h#1, %start_0#4, %start_0#5 :
      none, none, none, none, none
  %sum = arith.addi %ld, %nl : i32
  %less = arith.cmpi slt, %sum, %out : i32
  %both:1 = dataflow.broadcast [1] %go_1#0 : none
  %lazy:2 = handshake.lazy_fork [2] %both#0 : none
  %merged = handshake.merge %lazy#0, %lazy#1 {note = 2 : i8} : none
  %cm, %number = handshake.control_merge %merged, %go_1#1 : none, i2
  %picked = handshake.mux %number [%cm, %src, %nothing, %br] : i2, none
  %src = handshake.source {note}
  %nothing = handshake.never : none
  %br = handshake.br %go_1#2 : none
  %packed = handshake.pack %go_1#3, %five : tuple<none, i8>
  %un:2 = handshake.unpack %packed : tuple<none, i8>
  %five = handshake.constant %picked {value = 5 : i8} : i8
  %sy:2 = handshake.sync %un#0, %un#1 : none, i8
  %called, %mine = handshake.share %back, %sy#1 : i8, i8
  %back = handshake.buffer [1] seq %called : i8
  %old = handshake.buffer [2] seq %mine {initValues = [1, -2]} : i8
  %f32 = handshake.constant %sy#0 {value = 1.5 : f32} : f32
  handshake.sink %f32 : f32
  %sel = handshake.select %c_0#8, %old, %in#0 : i8
  %in:2 = handshake.instance @callee(%sel, %go_1#4) : (i8, none) -> (i8, none)
  handshake.sink %in#1 : none
  handshake.return %o, %last, %less, %av, %ac, %j : i32, index, i1, i32, i1, none
}
handshake.func private @callee(%a: i8, %s: none, ...) -> (i8, none) {
  handshake.return %a, %s : i8, none
}
"""


def compiled(path: Path, zero_trip: ZeroTrip) -> Circuit:
    return compile_example(path, Options(zero_trip=zero_trip))


def generic(module: ModuleOp) -> str:
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(module)
    return stream.getvalue()


def test_every_operation_prints_and_parses_in_both_forms() -> None:
    module = parse_module(EVERY_OPERATION, "k.mlir")
    printed = str(module)
    island = parse_module(compile_text(STATIC_LOOP).dfg_text, "k.mlir")
    names = {op.name for each in (module, island) for op in each.walk()}
    for dialect in (Dataflow, Handshake):
        for operation in dialect.operations:
            assert operation.name in names, operation.name
    for each in (module, island):
        assert str(parse_module(str(each), "k.mlir")) == str(each)
        assert str(parse_module(generic(each), "k.mlir")) == str(each)
        assert generic(parse_module(str(each), "k.mlir")) == generic(each)
    for kept in ('loom.note = "kept"', "note = 1 : i32", 'note = "b"', "dense<[1, -2]>"):
        assert kept in printed


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("zero_trip", POLICIES)
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_graph_parses_back(path: Path, zero_trip: ZeroTrip) -> None:
    circuit = compiled(path, zero_trip)
    text = circuit.dfg_text
    module = parse_module(text, path.name)
    assert str(module) + "\n" == text
    assert str(parse_module(generic(module), path.name)) == str(module)
    netlist = netlist_of(handshake_function(module), 64)
    again = netlist_of(handshake_function(parse_module(text, path.name)), 64)
    assert to_json(netlist) == to_json(again)
    # Places are those of the text that was read; all else is as it was compiled.
    assert (netlist.ports, netlist.memories, netlist.channels) == (
        circuit.netlist.ports, circuit.netlist.memories, circuit.netlist.channels)  # fmt: skip
    for unit, twin in zip(netlist.units, circuit.netlist.units, strict=True):
        assert (unit.name, unit.operator.name, unit.attributes) == (
            twin.name, twin.operator.name, twin.attributes)  # fmt: skip


@pytest.mark.parametrize("zero_trip", POLICIES)
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_netlist_parses_back(path: Path, zero_trip: ZeroTrip) -> None:
    """Without a clock period, whose buffers take the longest to find."""
    check_netlist(compile_example(path, Options(zero_trip=zero_trip, clock_period=None)))


def test_a_netlist_for_a_clock_parses_back() -> None:
    circuit = compiled(EXAMPLES / "histogram.mlir", "raw")
    assert circuit.netlist.clock_period is not None
    check_netlist(circuit)


def check_netlist(circuit: Circuit) -> None:
    """Its JSON is read as the same netlist, and printed as before."""
    text = circuit.netlist_text
    netlist = from_json(text)
    assert netlist == circuit.netlist
    assert to_json(netlist) == text


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_a_second_compilation_gives_the_same_text(path: Path) -> None:
    first = compiled(path, "raw")
    second = compile_text(path.read_text(), path.name)
    assert second.files() == first.files()
    home = str(ROOT)
    assert not any(home in text for text in first.files().values())


def test_the_folder_of_the_input_does_not_show() -> None:
    path = KERNELS[0]
    here = compile_text(path.read_text(), str(path)).files()
    there = compile_text(path.read_text(), f"/somewhere/else/{path.name}").files()
    assert here == there


def test_verifier_errors_are_problems() -> None:
    """xDSL's own entry sees the rules too."""
    text = "handshake.func @f(%s: none, ...) -> (none) {\n  handshake.return %s : none\n}"
    module = parse_module(text, "k.mlir")
    function = handshake_function(module)
    module.verify()
    function.attributes["argNames"] = function.attributes["resNames"].__class__([])
    with pytest.raises(VerifyException, match="COMP_HANDSHAKE_FUNC"):
        function.verify_()
