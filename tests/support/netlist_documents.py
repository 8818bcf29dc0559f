"""A netlist as a JSON value, and single changes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from loom.netlist.checks import problems
from loom.netlist.json_text import to_json
from tests.support.netlists import NetlistBuilder

Document = dict[str, Any]
Change = Callable[[Document], None]


def accumulator() -> Document:
    """The words of a memory, one for each address, added up: a buffer closes the cycle."""
    b = NetlistBuilder("total", 16)
    b.port("input", "address", "index")
    b.port("input", "first", "i8")
    b.port("output", "sum", "i8")
    b.port("output", "done", "none")
    b.memory("words", "i8", 4, "internal", (1, 2, 3, 4))
    b.unit("ram", "handshake.memory", memory="words", stores=0, loads=1)
    b.connect("%address", "ram.ld_address0", "index", "address")
    b.connect("ram.ld_data0", "add.lhs", "i8", "word")
    b.connect("ram.ld_done0", "%done", "none", "done")
    b.unit("add", "arith.addi")
    b.fork("copies", "add.result", ["%sum", "slack.in"], "i8")
    b.unit("slack", "handshake.buffer", kind="seq", slots=2)
    b.unit("start", "dataflow.carry")
    b.unit("true", "handshake.constant", value=1)
    b.unit("tick", "handshake.join")
    b.port("input", "go", "none")
    b.connect("%go", "tick.in0", "none", "go")
    b.connect("tick.out", "true.ctrl", "none", "tick")
    b.connect("true.result", "start.d", "i1", "more")
    b.connect("%first", "start.a", "i8", "first")
    b.connect("slack.out", "start.b", "i8", "back")
    b.connect("start.o", "add.rhs", "i8", "total")
    netlist = b.build()
    assert problems(netlist) == []
    document: Document = json.loads(to_json(netlist))
    return document


def entry(document: Document, section: str, name: str) -> Document:
    (found,) = (each for each in document[section] if each["name"] == name)
    return found  # type: ignore[no-any-return]  # JSON


def setting(section: str, name: str, key: str, value: object) -> Change:
    def change(document: Document) -> None:
        entry(document, section, name)[key] = value

    return change


def adding(section: str, **new: object) -> Change:
    return lambda document: document[section].append(new)


def removing(section: str, name: str) -> Change:
    return lambda document: document[section].remove(entry(document, section, name))


def top(key: str, value: object) -> Change:
    return lambda document: document.update({key: value})


def without(section: str, name: str, key: str) -> Change:
    def change(document: Document) -> None:
        del entry(document, section, name)[key]

    return change
