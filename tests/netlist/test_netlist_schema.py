"""What netlist JSON must look like: one change, and the exact message; nothing else comes out."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom.errors import LoomError, LoomErrors
from loom.front.api import compile_text, netlist_from_text
from loom.netlist.json_text import from_json, to_json
from tests.support.netlist_documents import Change, Document, accumulator, setting, top, without
from tests.support.refusals import refusal

DEEP = "[" * 100_000 + "]" * 100_000
SCHEMA: dict[str, tuple[Change, str]] = {
    "no schema": (
        lambda document: document.__delitem__("schema"),
        "n.json: error[NETLIST_SCHEMA]: found schema null; "
        "LOOM accepts an object of schema 'loom-netlist-1'",
    ),
    "no name": (
        lambda document: document.__delitem__("name"),
        "n.json: error[NETLIST_SCHEMA]: found no name; LOOM accepts name of type str",
    ),
    "no channels": (
        lambda document: document.__delitem__("channels"),
        "n.json: error[NETLIST_SCHEMA]: found no channels; LOOM accepts channels of type list",
    ),
    "huge index": (
        top("index_width", 10**9),
        "n.json: error[NETLIST_SCHEMA]: found index_width 1000000000; LOOM accepts 1 to 64 bits",
    ),
    "a target that LOOM does not know": (
        top("target", "z80"),
        'n.json: error[NETLIST_SCHEMA]: found target "z80"; '
        "LOOM accepts one of ecp5, ice40, xc7, generic",
    ),
    "a period of no time": (
        top("clock_period", 0),
        "n.json: error[NETLIST_SCHEMA]: found clock_period 0; LOOM accepts a time above 0 [ns]",
    ),
    "a period that is a word": (
        top("clock_period", "fast"),
        'n.json: error[NETLIST_SCHEMA]: found clock_period "fast"; '
        "LOOM accepts a time above 0 [ns]",
    ),
    "index of a bit too many": (
        top("index_width", 65),
        "n.json: error[NETLIST_SCHEMA]: found index_width 65; LOOM accepts 1 to 64 bits",
    ),
    "index of no bits": (
        top("index_width", 0),
        "n.json: error[NETLIST_SCHEMA]: found index_width 0; LOOM accepts 1 to 64 bits",
    ),
    "true as a width": (
        top("index_width", True),
        "n.json: error[NETLIST_SCHEMA]: found true as index_width; "
        "LOOM accepts index_width of type int",
    ),
    "not a number": (
        top("index_width", float("nan")),
        "n.json: error[NETLIST_SYNTAX]: found the number NaN; LOOM accepts JSON text",
    ),
    "units that are an object": (
        top("units", {}),
        "n.json: error[NETLIST_SCHEMA]: found {} as units; LOOM accepts units of type list",
    ),
    "a unit that is a number": (
        lambda document: document["units"].append(7),
        "n.json: error[NETLIST_SCHEMA]: found 7 in units; LOOM accepts objects",
    ),
    "unknown operator": (
        setting("units", "add", "operator", "arith.frobnicate"),
        "n.json:17:1: error[NETLIST_SCHEMA]: found operator 'arith.frobnicate'; "
        "LOOM accepts the operators that `loom ops` lists",
    ),
    "an attribute that is a list of words": (
        setting("units", "add", "attributes", {"value": ["1"]}),
        "n.json:17:1: error[NETLIST_SCHEMA]: found attribute value; "
        "LOOM accepts integers, strings, booleans and lists of integers",
    ),
    "an attribute that is a fraction": (
        setting("units", "add", "attributes", {"value": 0.5}),
        "n.json:17:1: error[NETLIST_SCHEMA]: found attribute value; "
        "LOOM accepts integers, strings, booleans and lists of integers",
    ),
    "a place without column": (
        setting("units", "add", "place", ["k.mlir", 3]),
        "n.json:17:1: error[NETLIST_SCHEMA]: found place; LOOM accepts [file, line, column]",
    ),
    "a direction that is none": (
        setting("ports", "go", "direction", "both"),
        "n.json:10:1: error[NETLIST_SCHEMA]: found direction 'both'; LOOM accepts input or output",
    ),
    "a type that is none": (
        setting("ports", "go", "type", "i0"),
        "n.json:10:1: error[NETLIST_SCHEMA]: found type 'i0'; "
        "LOOM accepts iN, index, none, a float or a tagged type",
    ),
    "a type too wide": (
        setting("ports", "go", "type", "i4097"),
        "n.json:10:1: error[NETLIST_SCHEMA]: found type 'i4097'; "
        "LOOM accepts iN, index, none, a float or a tagged type",
    ),
    "a source of three parts": (
        setting("channels", "tick", "source", ["a", "b", "c"]),
        'n.json:32:1: error[NETLIST_SCHEMA]: found ["a", "b", "c"] as source; '
        "LOOM accepts [unit, port]",
    ),
    "a source that is no line": (
        setting("channels", "tick", "source", ["a", "b\n"]),
        'n.json:32:1: error[NETLIST_SCHEMA]: found ["a", "b\\n"] as source; '
        "LOOM accepts [unit, port]",
    ),
    "a target that is a number": (
        setting("channels", "tick", "target", 5),
        "n.json:32:1: error[NETLIST_SCHEMA]: found 5 as target; LOOM accepts target of type list",
    ),
    "no type": (
        without("channels", "tick", "type"),
        "n.json:32:1: error[NETLIST_SCHEMA]: found no type; LOOM accepts type of type str",
    ),
    "a kind that is none": (
        setting("memories", "words", "kind", "flash"),
        "n.json:13:1: error[NETLIST_SCHEMA]: found kind 'flash'; LOOM accepts internal or external "
        "or channel or rom",
    ),
    "a depth that is true": (
        setting("memories", "words", "depth", True),
        "n.json:13:1: error[NETLIST_SCHEMA]: found true as depth; LOOM accepts depth of type int",
    ),
    "words that are too wide": (
        setting("memories", "words", "contents", [1, 2, 3, 256]),
        "n.json:13:1: error[NETLIST_SCHEMA]: found contents; LOOM accepts unsigned words of 8 bits",
    ),
    "words that are true": (
        setting("memories", "words", "contents", [1, 2, 3, True]),
        "n.json:13:1: error[NETLIST_SCHEMA]: found contents; LOOM accepts unsigned words of 8 bits",
    ),
    "a run of words that are too wide": (
        setting("memories", "words", "contents", {"runs": [[4, 256]]}),
        "n.json:13:1: error[NETLIST_SCHEMA]: found contents; LOOM accepts unsigned words of 8 bits",
    ),
    "a run without elements": (
        setting("memories", "words", "contents", {"runs": [[0, 1]]}),
        "n.json:13:1: error[NETLIST_SCHEMA]: found runs of contents; "
        "LOOM accepts runs of 1 element and more",
    ),
    "a run of three parts": (
        setting("memories", "words", "contents", {"runs": [[4, 1, 1]]}),
        "n.json:13:1: error[NETLIST_SCHEMA]: found runs of contents; "
        "LOOM accepts [count, element] for each run",
    ),
    "runs of too many elements": (
        setting("memories", "words", "contents", {"runs": [[1 << 24, 1], [1, 0]]}),
        "n.json:13:1: error[NETLIST_SCHEMA]: found contents of 16777217 elements; "
        "LOOM accepts up to 16777216",
    ),
    "contents that are no runs": (
        setting("memories", "words", "contents", {"all": 1}),
        'n.json:13:1: error[NETLIST_SCHEMA]: found {"all": 1} as contents; '
        "LOOM accepts contents of type list",
    ),
}


def pretty(document: Document) -> str:
    """One element a line, as `to_json` writes it."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list):
            rows = ",\n".join(f"    {json.dumps(each)}" for each in value)
            lines.append(f"  {json.dumps(key)}: [\n{rows}\n  ]")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


@pytest.mark.parametrize("name", SCHEMA)
def test_schema(name: str) -> None:
    change, message = SCHEMA[name]
    document = accumulator()
    change(document)
    assert refusal(from_json, pretty(document), "n.json") == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "n.json:1:1: error[NETLIST_SYNTAX]: found Expecting value; LOOM accepts JSON text"),
        ('{"a": 1', "n.json:1:8: error[NETLIST_SYNTAX]"),
        ("[]", "n.json: error[NETLIST_SCHEMA]: found schema null"),
        (DEEP, "n.json:1:401: error[NETLIST_SYNTAX]: found lists nested too deep"),
        ('{"a": 1, "a": 2}', "n.json: error[NETLIST_SYNTAX]: found the key 'a' twice in an object"),
        (
            '{"a": ' + "9" * 10_000,
            "n.json:1:7: error[NETLIST_SYNTAX]: found a number of 10000 digits",
        ),
        ('{"inputs": {}}', "n.json:1:1: error[INPUT_KIND]: found a bundle of inputs"),
    ],
    ids=["empty", "cut off", "list", "deep", "twin", "long number", "bundle"],
)
def test_text_that_is_no_netlist(text: str, message: str) -> None:
    with pytest.raises(LoomError) as caught:
        from_json(text, "n.json")
    assert str(caught.value).startswith(message)


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place in a JSON value."""
    found = [path] if path else []
    children = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, child in children:
        found += places(child, (*path, key))
    return found


ODD = st.sampled_from(
    [None, True, 0, -1, 1 << 70, 0.5, "", "i8", "none", "x", [], [1], ["", "go"], {}, {"a": None}]
)
ORIGINAL = accumulator()
PLACES = places(ORIGINAL)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PLACES), ODD), min_size=1, max_size=2))
def test_no_netlist_ends_in_a_traceback(
    changes: list[tuple[tuple[str | int, ...], object]],
) -> None:
    document: Any = deepcopy(ORIGINAL)
    for path, value in changes:
        parent = document
        for key in path[:-1]:
            if not isinstance(parent, dict | list) or (
                isinstance(parent, list) and not (isinstance(key, int) and key < len(parent))
            ):
                break
            parent = parent[key] if isinstance(parent, list) else parent.get(key)
        last = path[-1]
        if isinstance(parent, dict) or (isinstance(parent, list) and isinstance(last, int)):
            if isinstance(parent, list) and last >= len(parent):
                continue
            parent[last] = deepcopy(value)  # a value may be drawn twice, and go into itself
    try:
        netlist_from_text(json.dumps(document), "n.json")
    except (LoomError, LoomErrors) as error:
        assert "error[NETLIST_" in str(error)


def test_attributes_that_are_left_out_are_the_usual_ones() -> None:
    text = """func.func @f(%n: index, %a: memref<8xi8>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %c = arith.constant 1 : i8
  scf.for %i = %0 to %n step %1 {
    memref.store %c, %a[%i] : memref<8xi8>
  }
  return
}
"""
    netlist = compile_text(text).netlist
    document = json.loads(to_json(netlist))
    usual = {"step_op": "+=", "cont_cond": "<", "unsigned": False, "rotated": False, "lanes": 1}
    streams = [unit for unit in document["units"] if unit["operator"] == "dataflow.stream"]
    assert streams and all(unit.pop("attributes") == usual for unit in streams)
    assert from_json(json.dumps(document)) == netlist
