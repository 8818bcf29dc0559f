"""Partitions that fit no array are refused with their place, and with what is accepted."""

from __future__ import annotations

import pytest

from loom.errors import LoomError, LoomErrors
from loom.front.api import compile_text, load_graph, netlist_from_text
from loom.front.request import Request
from loom.lower.options import Options
from tests.lower.test_partitions import PLANE, C, compiled, pairs
from tests.support.refusals import refusal

C_REFUSED = {
    "partition(x, 4)": "k.c:2:14: error[C_PRAGMA]: found the pragma loom partition(x, 4); LOOM "
    "accepts #pragma loom partition(NAME, cyclic, BANKS), (NAME, block, BANKS, DIM), "
    "(NAME, complete), #pragma loom ports(NAME, NUMBER), #pragma loom memory(NAME, KIND, "
    "latency=N), #pragma loom memory_order(NAME, ORDER) with tokens, comparators, queue",
    "partition(q, cyclic, 4)": "k.c:2:14: error[C_PRAGMA]: found the pragma loom "
    "partition(q, cyclic, 4), of an array that the kernel does not use; LOOM accepts its arrays: "
    "t1, x, b_2",
    "partition(x, cyclic, 65)": "k.c:3:5: error[LOWER_ARRAY]: found the partition 'cyclic:65' of a "
    "dimension of 64; LOOM accepts 1 to 64 banks, as in cyclic:64",
    "ports(x, 2)": "k.c:3:5: error[LOWER_ARRAY]: found loom.ports of the argument x; LOOM accepts "
    "loom.partition of arguments",
    "ports(t1, 3)": "k.c:1:12: error[LOWER_UNIT]: found loom.ports = 3 : i64 of memref.global; "
    "LOOM accepts 1 or 2",
}


@pytest.mark.parametrize("pragma", C_REFUSED)
def test_pragmas_that_fit_no_array_are_refused(pragma: str) -> None:
    text = C.replace("#pragma loom ports(t1, 2)\n", "\n")
    text = text.replace("partition(x, cyclic, 4)", pragma)
    assert refusal(compile_text, text, "k.c", top="f") == C_REFUSED[pragma]


PASSED = """func.func private @g(%h: memref<8xi32>) {
  return
}
func.func @f(%a: memref<8xi32>) {
  func.call @g(%a) : (memref<8xi32>) -> ()
  return
}
"""
REFUSED: dict[str, tuple[str, dict[str, object], str]] = {
    "no such array": (
        pairs(),
        {"partitions": (("b", "cyclic:2"),)},
        "--partition: error[LOWER_ARRAY]: found the array 'b'; LOOM accepts a, m",
    ),
    "no such array for ports": (
        pairs(),
        {"ports": (("b", 2),)},
        "--ports: error[LOWER_ARRAY]: found the array 'b'; LOOM accepts a, m",
    ),
    "ports of an argument": (
        pairs(),
        {"ports": (("a", 2),)},
        "--ports: error[LOWER_ARRAY]: found 2 ports of the argument 'a'; LOOM accepts arrays "
        "inside; --partition gives an argument more ports",
    ),
    "ports of an argument in the program": (
        pairs("loom.ports = 2"),
        {},
        "k.mlir:1:1: error[LOWER_ARRAY]: found loom.ports of the argument a; LOOM accepts "
        "loom.partition of arguments",
    ),
    "a word that LOOM does not know": (
        pairs('loom.partitions = "complete"'),
        {},
        "k.mlir:1:1: error[LOWER_ARRAY]: found loom.partitions of the argument a; LOOM accepts "
        "loom.partition, loom.memory and loom.memory_order of arguments",
    ),
    "no such array for an order": (
        pairs(),
        {"array_orders": (("b", "queue"),)},
        "--array-order: error[LOWER_ARRAY]: found the array 'b'; LOOM accepts a, m",
    ),
    "an order of an argument that is passed": (
        PASSED,
        {"array_orders": (("h", "queue"),)},
        "--array-order: error[LOWER_ARRAY]: found the array 'h'; LOOM accepts a",
    ),
    "banks of an argument that is passed": (
        PASSED,
        {"partitions": (("h", "cyclic:2"),)},
        "--partition: error[LOWER_ARRAY]: found the array 'h'; LOOM accepts a",
    ),
    "two orders of one array": (
        pairs(),
        {"array_orders": (("a", "queue"), ("a", "tokens"))},
        "--array-order: error[LOWER_ARRAY]: found the array 'a' twice; LOOM accepts one order an "
        "array",
    ),
    "an order of no array": (
        pairs(),
        {"array_orders": (("a", "serial"),)},
        "--array-order: error[LOWER_ARRAY]: found the order 'serial' of 'a'; LOOM accepts tokens, "
        "comparators, queue",
    ),
    "an order of no array in the program": (
        pairs('loom.memory_order = "auto"'),
        {},
        "k.mlir:1:1: error[LOWER_ARRAY]: found loom.memory_order = \"auto\" of the array a; LOOM "
        "accepts tokens, comparators, queue",
    ),
    "banks of what is no array": (
        'func.func @f(%v: i32 {loom.partition = "complete"}) {\n  return\n}',
        {},
        "k.mlir:1:1: error[LOWER_ARRAY]: found loom.partition of the argument v, which is i32; "
        "LOOM accepts it of arrays",
    ),
    "an empty text": (
        pairs('loom.partition = ""'),
        {},
        "k.mlir:1:1: error[LOWER_ARRAY]: found the partition ''; LOOM accepts "
        "cyclic:BANKS[:DIM], block:BANKS[:DIM], complete[:DIM]",
    ),
    "digits of another script": (
        pairs(),
        {"partitions": (("m", "cyclic:\u0664"),)},
        "--partition: error[LOWER_ARRAY]: found the partition 'cyclic:\u0664'; LOOM accepts "
        "cyclic:BANKS[:DIM], block:BANKS[:DIM], complete[:DIM]",
    ),
    "many ports": (
        pairs(),
        {"ports": (("m", 3),)},
        "--ports: error[LOWER_ARRAY]: found 3 ports of 'm'; LOOM accepts 1 or 2",
    ),
    "many ports in the program": (
        pairs(of_m="loom.ports = 3"),
        {},
        "k.mlir:6:3: error[LOWER_UNIT]: found loom.ports = 3 : i64 of memref.alloc; "
        "LOOM accepts 1 or 2",
    ),
    "no such cut": (
        pairs('loom.partition = "round:2"'),
        {},
        "k.mlir:1:1: error[LOWER_ARRAY]: found the partition 'round:2'; LOOM accepts "
        "cyclic:BANKS[:DIM], block:BANKS[:DIM], complete[:DIM]",
    ),
    "no text": (
        pairs("", "loom.partition = 2"),
        {},
        "k.mlir:6:3: error[LOWER_ARRAY]: found loom.partition = 2 : i64; LOOM accepts "
        '"cyclic:BANKS[:DIM], block:BANKS[:DIM], complete[:DIM]"',
    ),
    "no factor": (
        pairs(),
        {"partitions": (("m", "cyclic"),)},
        "--partition: error[LOWER_ARRAY]: found the partition 'cyclic' of a dimension of 16; "
        "LOOM accepts 1 to 16 banks, as in cyclic:16",
    ),
    "too many banks": (
        pairs(),
        {"partitions": (("m", "block:17"),)},
        "--partition: error[LOWER_ARRAY]: found the partition 'block:17' of a dimension of 16; "
        "LOOM accepts 1 to 16 banks, as in block:16",
    ),
    "a factor of what is complete": (
        pairs(),
        {"partitions": (("m", "complete:0:1"),)},
        "--partition: error[LOWER_ARRAY]: found the partition 'complete:0:1'; LOOM accepts "
        "cyclic:BANKS[:DIM], block:BANKS[:DIM], complete[:DIM]",
    ),
    "no such dimension": (
        PLANE,
        {"partitions": (("a", "cyclic:2:2"),)},
        "--partition: error[LOWER_ARRAY]: found dimension 2 of an array of 2; "
        "LOOM accepts dimensions 0 to 1",
    ),
    "a dimension twice": (
        PLANE,
        {"partitions": (("a", "cyclic:2:1"), ("a", "block:2:1"))},
        "--partition: error[LOWER_ARRAY]: found two partitions of dimension 1 of a; "
        "LOOM accepts one for each dimension",
    ),
    "more banks than ports can be": (
        PLANE.replace("4x6", "64x64"),
        {"partitions": (("a", "complete:0"), ("a", "complete:1"))},
        "--partition: error[LOWER_ARRAY]: found 4096 banks of a; LOOM accepts up to 1024",
    ),
    "a layout": (
        PLANE.replace("memref<4x6xi32>", "memref<4x6xi32, strided<[8, 1]>>"),
        {"partitions": (("a", "complete:0"),)},
        "--partition: error[LOWER_ARRAY]: found a partition of a, a memref<4x6xi32, "
        "strided<[8, 1]>>; LOOM accepts arrays without a layout of their own",
    ),
    "an argument called like a bank": (
        pairs().replace("%n: index", "%n: index, %a_1: memref<2xi32>"),
        {"partitions": (("a", "cyclic:2"),)},
        "k.mlir:1:1: error[LOWER_ARRAY]: found an argument a_1 beside the banks of a; "
        "LOOM accepts another name for one of them",
    ),
    "an argument of a function that is called": (
        "func.func private @g(%a: memref<4xi32> {loom.partition = \"cyclic:2\"}) {\n  return\n}\n"
        "func.func @f(%a: memref<4xi32>) {\n  call @g(%a) : (memref<4xi32>) -> ()\n  return\n}",
        {},
        "k.mlir:1:1: error[LOWER_ARRAY]: found loom.partition of the argument a of a function "
        "that is called; LOOM accepts it where the array is made",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused(name: str) -> None:
    text, options, message = REFUSED[name]
    assert refusal(compiled, text, **options) == message


SAID_IN_NETLIST = {
    '"partition": "16-2"': "NETLIST_SCHEMA]: found partition '16-2'; LOOM accepts sizes, "
    "partitioned by % or /: 16%4, 10/3, 8x16%4",
    '"partition": "8%2"': "NETLIST_MEMORY]: found memory 'a' of 16 elements in banks of 8%2; LOOM "
    "accepts sizes whose product is the number of elements",
    '"partition": "16%2", "load_banks": [0]': "NETLIST_TYPE]: found 1 load_banks at unit "
    "'extmemory_a'; LOOM accepts one for each of 2 loads",
    '"partition": "16%2", "load_banks": [0, 2]': "NETLIST_TYPE]: found load_banks [0, 2] at unit "
    "'extmemory_a'; LOOM accepts banks below 2, or -1 for any",
    '"load_requesters": [0]': "NETLIST_TYPE]: found 1 load_requesters at unit 'extmemory_a'; LOOM "
    "accepts one for each of 2 loads",
    '"load_requesters": [0, 2]': "NETLIST_TYPE]: found load_requesters [0, 2] at unit "
    "'extmemory_a'; LOOM accepts numbers from 0 on, none left out",
    '"partition": "16%2", "load_requesters": [0, 0]': "NETLIST_TYPE]: found load_requesters of a "
    "memory in banks at unit 'extmemory_a'; LOOM accepts those of a memory in one piece",
    '"partition": 4': "NETLIST_ATTRIBUTE]: found partition = 4 on unit 'extmemory_a'; LOOM accepts "
    "what handshake.extmemory means by it",
    '"ports": 2': "NETLIST_ATTRIBUTE]: found attribute ports on unit 'extmemory_a'; LOOM accepts "
    "handshake.extmemory with memory, stores, loads, partition, load_banks, store_banks, "
    "load_requesters, store_requesters, in_range",
}


@pytest.mark.parametrize("said", SAID_IN_NETLIST)
def test_a_netlist_is_held_to_its_banks(said: str) -> None:
    text = compile_text(pairs(), "k.mlir").netlist_text
    asked = text.replace('"memory": "a", ', f'"memory": "a", {said}, ')
    assert asked != text
    with pytest.raises((LoomError, LoomErrors)) as caught:
        netlist_from_text(asked, "n.json")
    assert SAID_IN_NETLIST[said] in str(caught.value)


def test_a_memory_is_not_called_like_a_bank() -> None:
    text = compile_text(
        pairs()
        .replace("%k: index", "%k: index, %a_1: memref<2xi32>")
        .replace("  return", "  memref.store %r, %a_1[%c0] : memref<2xi32>\n  return"),
        "k.mlir",
    ).netlist_text
    asked = text.replace('"memory": "a", ', '"memory": "a", "partition": "16%2", ')
    with pytest.raises(LoomError, match="found memory 'a_1', called like a bank of another"):
        netlist_from_text(asked, "n.json")


def test_a_graph_and_a_netlist_have_no_arrays() -> None:
    circuit = compile_text(pairs(), "k.mlir")
    for text, file in ((circuit.dfg_text, "g.mlir"), (circuit.netlist_text, "n.json")):
        for options in (Options(partitions=(("a", "cyclic:2"),)), Options(ports=(("m", 2),))):
            name = "--partition" if options.partitions else "--ports"
            assert refusal(load_graph, Request(text, file, options=options)) == (
                f"{name}: error[LOWER_ARRAY]: found {name} for a graph or a netlist; LOOM accepts "
                "it for a program; the memories of a graph say loom.partition and loom.ports"
            )
