"""What a netlist must hold: a netlist that passes, one change, and the exact message."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loom.dialects.operators.partitions import parse_partition
from loom.errors import LoomError, LoomErrors
from loom.front.api import netlist_from_text
from loom.netlist.checks import problems
from tests.support.netlist_documents import Change, accumulator, adding, removing, setting, top
from tests.support.netlists import NetlistBuilder, operator_netlist

GRAPH: dict[str, tuple[Change, str]] = {
    "circuit called as a keyword": (
        top("name", "module"),
        "n.json: error[NETLIST_NAME]: found 'module' as the name of a circuit; "
        "LOOM accepts SystemVerilog identifiers that are no keywords",
    ),
    "circuit called as what Verilator has above it": (
        top("name", "TOP"),
        "n.json: error[NETLIST_NAME]: found 'TOP' as the name of a circuit; "
        "LOOM accepts SystemVerilog identifiers that are no keywords",
    ),
    "unit with a space": (
        adding("units", name="a b", operator="handshake.sink"),
        "n.json: error[NETLIST_NAME]: found 'a b' as the name of a unit; "
        "LOOM accepts letters, digits and underscores",
    ),
    "two units of one name": (
        adding("units", name="add", operator="arith.addi"),
        "n.json: error[NETLIST_NAME]: found 2 units named 'add'; LOOM accepts unique names",
    ),
    "two channels of one name": (
        setting("channels", "go", "name", "tick"),
        "n.json: error[NETLIST_NAME]: found 2 channels named 'tick'; LOOM accepts unique names",
    ),
    "a memory called as a port": (
        setting("memories", "words", "name", "sum"),
        "n.json: error[NETLIST_NAME]: found 2 ports or memories named 'sum'; "
        "LOOM accepts unique names",
    ),
    "no attribute": (
        setting("units", "true", "attributes", {}),
        "n.json: error[NETLIST_ATTRIBUTE]: found no attribute value on unit 'true'; "
        "LOOM accepts handshake.constant with value",
    ),
    "an attribute too many": (
        setting("units", "add", "attributes", {"fast": True}),
        "n.json: error[NETLIST_ATTRIBUTE]: found attribute fast on unit 'add'; "
        "LOOM accepts arith.addi with no attributes",
    ),
    "an attribute out of its choices": (
        setting("units", "slack", "attributes", {"kind": "ring", "slots": 2}),
        "n.json: error[NETLIST_ATTRIBUTE]: found kind = 'ring' on unit 'slack'; "
        "LOOM accepts seq fifo stage",
    ),
    "no slots": (
        setting("units", "slack", "attributes", {"kind": "seq", "slots": 0}),
        "n.json: error[NETLIST_ATTRIBUTE]: found slots = 0 on unit 'slack'; "
        "LOOM accepts what handshake.buffer means by it",
    ),
    "slots that are true": (
        setting("units", "slack", "attributes", {"kind": "seq", "slots": True}),
        "n.json: error[NETLIST_ATTRIBUTE]: found slots = True on unit 'slack'; "
        "LOOM accepts what handshake.buffer means by it",
    ),
    "a buffer larger than any memory": (
        setting("units", "slack", "attributes", {"kind": "seq", "slots": 1 << 70}),
        "n.json: error[NETLIST_ATTRIBUTE]: found slots = 1180591620717411303424 on unit 'slack'; "
        "LOOM accepts what handshake.buffer means by it",
    ),
    "more accesses than channels": (
        setting("units", "ram", "attributes", {"memory": "words", "stores": 0, "loads": 1 << 40}),
        "n.json: error[NETLIST_ATTRIBUTE]: found loads = 1099511627776 on unit 'ram'; "
        "LOOM accepts what handshake.memory means by it",
    ),
    "a constant that does not fit": (
        setting("units", "true", "attributes", {"value": 2}),
        "n.json: error[NETLIST_ATTRIBUTE]: found value = 2 on unit 'true'; "
        "LOOM accepts values of 1 bits",
    ),
    "a latency where there is none to choose": (
        setting("units", "add", "attributes", {"latency": 3}),
        "n.json: error[NETLIST_ATTRIBUTE]: found attribute latency on unit 'add'; "
        "LOOM accepts arith.addi with no attributes",
    ),
    "a memory that is not declared": (
        setting("units", "ram", "attributes", {"memory": "other", "stores": 0, "loads": 1}),
        "n.json: error[NETLIST_ATTRIBUTE]: found memory 'other' on unit 'ram'; "
        "LOOM accepts memories that the netlist declares",
    ),
    "a channel to nowhere": (
        setting("channels", "tick", "target", ["true", "control"]),
        "n.json: error[NETLIST_ENDPOINT]: found a channel with the reader true.control, "
        "which does not exist; LOOM accepts ports of units and of the circuit",
    ),
    "two readers of a port": (
        setting("channels", "first", "target", ["start", "b"]),
        "n.json: error[NETLIST_CHANNEL]: found 2 channels with the reader start.b; "
        "LOOM accepts exactly one channel a port",
    ),
    "two drivers on a port": (
        setting("channels", "go", "source", ["", "first"]),
        "n.json: error[NETLIST_CHANNEL]: found 2 channels with the driver %first; "
        "LOOM accepts exactly one channel a port",
    ),
    "a port without channel": (
        removing("channels", "go"),
        "n.json: error[NETLIST_DANGLING]: found no channel with the driver %go; "
        "LOOM accepts exactly one channel a port",
    ),
    "a unit without channels": (
        adding("units", name="lost", operator="arith.addi"),
        "n.json: error[NETLIST_DANGLING]: found no channel with the driver lost.result; "
        "LOOM accepts exactly one channel a port",
    ),
    "data on a control port": (
        setting("channels", "go", "type", "i1"),
        "n.json: error[NETLIST_TYPE]: found channel 'go' of type i1 at %go; LOOM accepts none",
    ),
    "a control token with data": (
        setting("channels", "tick", "type", "i4"),
        "n.json: error[NETLIST_TYPE]: found channel 'tick' of type i4 at true.ctrl; "
        "LOOM accepts none",
    ),
    "operands of two widths": (
        setting("channels", "word", "type", "i9"),
        "n.json: error[NETLIST_TYPE]: found channel 'total' of type i8 at add.rhs; "
        "LOOM accepts 9 bits",
    ),
    "a condition of two bits": (
        setting("channels", "more", "type", "i2"),
        "n.json: error[NETLIST_TYPE]: found channel 'more' of type i2 at start.d; LOOM accepts i1",
    ),
    "words that do not fit the memory": (
        setting("memories", "words", "type", "i32"),
        "n.json: error[NETLIST_TYPE]: found channel 'word' of type i8 at ram.ld_data0; "
        "LOOM accepts i32",
    ),
    "an internal memory that is external": (
        setting("memories", "words", "kind", "external"),
        "n.json: error[NETLIST_MEMORY]: found memory 'words', external, served by ram; "
        "LOOM accepts one memory unit of the same kind",
    ),
    "a memory that two serve": (
        adding(
            "units",
            name="twin",
            operator="handshake.memory",
            attributes={"memory": "words", "stores": 0, "loads": 0},
        ),
        "n.json: error[NETLIST_MEMORY]: found memory 'words', internal, served by ram, twin; "
        "LOOM accepts one memory unit of the same kind",
    ),
    "a memory that nobody serves": (
        adding("memories", name="more", kind="internal", type="i8", depth=4),
        "n.json: error[NETLIST_MEMORY]: found memory 'more', internal, served by no unit; "
        "LOOM accepts one memory unit of the same kind",
    ),
    "contents of another length": (
        setting("memories", "words", "contents", [1]),
        "n.json: error[NETLIST_MEMORY]: found memory 'words' with 1 initial words; "
        "LOOM accepts 4 words or none",
    ),
    "an empty memory": (
        setting("memories", "words", "depth", 0),
        "n.json: error[NETLIST_MEMORY]: found memory 'words' of depth 0; "
        "LOOM accepts 1 to 2^31 - 1 words",
    ),
    "a depth that no integer parameter holds": (
        setting("memories", "words", "depth", 1 << 31),
        "n.json: error[NETLIST_MEMORY]: found memory 'words' of depth 2147483648; "
        "LOOM accepts 1 to 2^31 - 1 words",
    ),
    "a cycle without a cut of valid": (
        setting("units", "slack", "attributes", {"kind": "fifo", "slots": 2}),
        "n.json: error[NETLIST_CYCLE]: found a combinational cycle of valid through "
        "add, copies, slack, start; LOOM accepts a buffer in every cycle "
        "(seq cuts data, valid and ready; fifo cuts ready; stage cuts data and valid)",
    ),
}


@pytest.mark.parametrize("name", GRAPH)
def test_graph(name: str) -> None:
    change, message = GRAPH[name]
    document = accumulator()
    change(document)
    with pytest.raises((LoomError, LoomErrors)) as caught:
        netlist_from_text(json.dumps(document), "n.json")
    assert str(caught.value).splitlines()[0] == message


def loop_of(*units: tuple[str, dict[str, Any]]) -> list[str]:
    """Problems of a ring of units with one way in and one way out."""
    b = NetlistBuilder("ring", 8)
    b.port("input", "x", "i8")
    b.port("output", "y", "i8")
    b.unit("enter", "arith.addi")
    b.connect("%x", "enter.lhs", "i8")
    b.fork("leave", "enter.result", ["%y", "u0.in"], "i8")
    for number, (operator, attributes) in enumerate(units):
        b.unit(f"u{number}", operator, **attributes)
        last = number == len(units) - 1
        b.connect(f"u{number}.out", "enter.rhs" if last else f"u{number + 1}.in", "i8")
    return [str(problem) for problem in problems(b.build())]


SEQ = ("handshake.buffer", {"kind": "seq", "slots": 1})
FIFO = ("handshake.buffer", {"kind": "fifo", "slots": 1})


def test_cycles_of_valid_and_of_ready_need_a_cut_each() -> None:
    assert loop_of(SEQ) == loop_of(FIFO, SEQ) == []
    (only,) = loop_of(FIFO)
    assert "cycle of valid through enter, leave, u0;" in only
    (only,) = loop_of(FIFO, FIFO)
    assert "cycle of valid" in only


def test_a_unit_with_latency_cuts_valid_but_not_ready() -> None:
    """A multiplier's register does not make its input ready."""
    b = NetlistBuilder("ring", 8)
    b.port("input", "x", "i8")
    b.port("output", "y", "i8")
    b.unit("multiply", "arith.muli")
    b.connect("%x", "multiply.lhs", "i8")
    b.fork("leave", "multiply.result", ["%y", "slack.in"], "i8")
    b.unit("slack", "handshake.buffer", kind="fifo", slots=1)
    b.connect("slack.out", "multiply.rhs", "i8")
    assert problems(b.build()) == []
    b.units = [unit for unit in b.units if unit.name != "slack"]
    b.channels = [each for each in b.channels if "slack" not in (each.source[0], each.target[0])]
    b.connect("leave.out1", "multiply.rhs", "i8")
    (problem,) = problems(b.build())
    assert str(problem) == (
        "<netlist>: error[NETLIST_CYCLE]: found a combinational cycle of ready through "
        "leave, multiply; LOOM accepts a buffer in every cycle "
        "(seq cuts data, valid and ready; fifo cuts ready; stage cuts data and valid)"
    )


def chain_of_loads(
    loads: int, *buffers: tuple[str, dict[str, Any]], attributes: dict[str, Any] | None = None
) -> list[str]:
    """A datum, plus an input, is the address of the same load; the others' go outside."""
    b = NetlistBuilder("chain", 8)
    b.memory("m", "i8", 256, "external")
    b.unit("ports", "handshake.extmemory", memory="m", stores=0, loads=loads, **(attributes or {}))
    b.port("input", "x", "i8")
    b.port("output", "y", "i8")
    b.fork("leave", "ports.ld_data0", ["%y", f"{'b0.in' if buffers else 'add.lhs'}"], "i8")
    for number, (operator, said) in enumerate(buffers):
        b.unit(f"b{number}", operator, **said)
        last = number == len(buffers) - 1
        b.connect(f"b{number}.out", "add.lhs" if last else f"b{number + 1}.in", "i8")
    b.unit("add", "arith.addi")
    b.unit("cast", "arith.index_cast")
    b.connect("%x", "add.rhs", "i8")
    b.connect("add.result", "cast.operand", "i8")
    b.connect("cast.result", "ports.ld_address0", "index")
    for k in range(1, loads):
        b.connect(b.port("input", f"place{k}", "index"), f"ports.ld_address{k}", "index")
        b.connect(f"ports.ld_data{k}", b.port("output", f"data{k}", "i8"), "i8")
    for k in range(loads):
        b.unit(f"drop{k}", "handshake.sink")
        b.connect(f"ports.ld_done{k}", f"drop{k}.in", "none")
    return [str(problem) for problem in problems(b.build())]


def test_ready_passes_a_load_that_is_alone_at_its_port() -> None:
    """Its datum stays in the RAM; loads that share a port have registers, which cut ready."""
    (only,) = chain_of_loads(1)
    assert "cycle of ready through add, cast, leave, ports;" in only
    assert chain_of_loads(1, FIFO) == chain_of_loads(2) == []
    halves = {"partition": parse_partition("256/2"), "load_banks": (0, 1)}
    (only,) = chain_of_loads(2, attributes=halves)
    assert "cycle of ready through add, cast, leave, ports;" in only


def test_a_done_token_does_not_pass_ready() -> None:
    """The control token of the next load may be the done token of this one."""
    b = NetlistBuilder("serial", 8)
    b.memory("m", "i8", 256, "external")
    b.unit("ports", "handshake.extmemory", memory="m", stores=0, loads=1)
    b.unit("load", "handshake.load")
    b.connect(b.port("input", "place", "index"), "load.address", "index")
    b.connect("load.address_out", "ports.ld_address0", "index")
    b.connect("ports.ld_data0", "load.data_in", "i8")
    b.connect("load.data", b.port("output", "y", "i8"), "i8")
    b.connect("ports.ld_done0", "load.ctrl", "none")
    assert problems(b.build()) == []


@pytest.mark.parametrize(
    "operator, result", [("arith.truncf", "narrower"), ("arith.extf", "wider")]
)
def test_conversions_between_formats_go_one_way(operator: str, result: str) -> None:
    given = operator_netlist(
        operator,
        {"S": "f32", "T": "f32"},
        inputs=1,
        outputs=1,
        attributes={"format": "f32", "to": "f32"},
    )
    assert [str(problem) for problem in problems(given)] == [
        f"<netlist>: error[NETLIST_TYPE]: found {operator} from 32 to 32 bits at unit 'dut'; "
        f"LOOM accepts a {result} result"
    ]
