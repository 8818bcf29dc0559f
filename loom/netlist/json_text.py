"""Netlists as JSON text: one element a line, stable order, nothing lost on the way and back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, NoReturn

from loom.dialects.facts.target_names import TARGET_NAMES, TargetName
from loom.dialects.operators.catalogue import find_row
from loom.dialects.operators.memories import KINDS
from loom.dialects.operators.operator import AttributeValue
from loom.dialects.operators.partitions import TEXTS, WHOLE, Partition, parse_partition
from loom.elements import Elements, Run, encode_elements, expand_runs
from loom.errors import LoomError, Place
from loom.nesting import first_too_deep, place_in
from loom.netlist.netlist import Channel, Endpoint, Memory, Netlist, OutsidePort, Unit
from loom.netlist.token_types import width_of_text

SCHEMA = "loom-netlist-1"
MOST_DIGITS = 100
"""Digits of the longest number that is read."""
MOST_ELEMENTS = 1 << 24
"""Initial elements of a memory, as in the programs that are read [elements]."""


def to_json(netlist: Netlist) -> str:
    """The netlist as text that `from_json` reads back to an equal object."""
    head: dict[str, Any] = {"schema": SCHEMA, "name": netlist.name}
    head["index_width"] = netlist.index_width
    if netlist.clock_period is not None or netlist.target != "ecp5":
        head["target"] = netlist.target
    if netlist.clock_period is not None:
        head["clock_period"] = netlist.clock_period
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    sections: dict[str, list[dict[str, Any]]] = {
        "ports": [
            {"name": port.name, "direction": port.direction, "type": port.type}
            for port in netlist.ports
        ],
        "memories": [memory_entry(memory) for memory in netlist.memories],
        "units": [unit_entry(unit) for unit in netlist.units],
        "channels": [
            {
                "name": channel.name,
                "type": channel.type,
                "source": [channel.source.unit, channel.source.port],
                "target": [channel.target.unit, channel.target.port],
            }
            for channel in netlist.channels
        ],
    }
    for key, entries in sections.items():
        rows = ",\n".join(f"    {json.dumps(entry)}" for entry in entries)
        lines.append(f'  "{key}": [\n{rows}\n  ]' if entries else f'  "{key}": []')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def memory_entry(memory: Memory) -> dict[str, Any]:
    """One memory; contents only where there are some."""
    entry: dict[str, Any] = {
        "name": memory.name,
        "kind": memory.kind.name,
        "type": memory.type,
        "depth": memory.depth,
    }
    if memory.contents is not None:
        entry["contents"] = contents_entry(memory.contents)
    return entry


def contents_entry(contents: Elements) -> list[int] | dict[str, list[Run]]:
    """The elements, or the runs of a large array that has few."""
    if contents.has_few_runs:
        return {"runs": list(contents.runs)}
    return list(contents)


def unit_entry(unit: Unit) -> dict[str, Any]:
    """One unit; attributes, place and loop only where there are some."""
    entry: dict[str, Any] = {"name": unit.name, "operator": unit.operator.name}
    if unit.attributes:
        entry["attributes"] = {
            name: str(value) if isinstance(value, Partition) else value
            for name, value in unit.attributes.items()
        }
    if unit.constants:
        entry["constants"] = dict(unit.constants)
    for key, place in (("place", unit.place), ("loop", unit.loop)):
        if place is not None:
            entry[key] = [place.file, place.line, place.column]
    return entry


class _Reader:
    """JSON values to netlist parts; every misfit is a `LoomError` of the file."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text

    def fail(self, what: str, accepted: str, near: object = None) -> LoomError:
        """The error for an element, at its line if the text shows which one that is."""
        position = -1
        if isinstance(near, dict) and "schema" not in near:
            named = f'"name": {json.dumps(near.get("name"))}'
            position = self.text.find(json.dumps(near))
            if position < 0 and self.text.count(named) == 1:
                position = self.text.find(named)
        line = self.text.count("\n", 0, position) + 1 if position >= 0 else 0
        return LoomError("NETLIST_SCHEMA", Place(self.file, line, 1 if line else 0), what, accepted)

    def field(self, entry: Mapping[str, Any], key: str, kind: type, default: Any = None) -> Any:
        """The value of `key`, which is of this kind."""
        value = entry.get(key, default)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            found = f"{json.dumps(value)[:40]} as {key}" if key in entry else f"no {key}"
            raise self.fail(found, f"{key} of type {kind.__name__}", entry)
        return value

    def entries(self, document: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
        """The objects of one section."""
        found: list[dict[str, Any]] = self.field(document, key, list)
        for entry in found:
            if not isinstance(entry, dict):
                raise self.fail(f"{json.dumps(entry)[:40]} in {key}", "objects")
        return found

    def width(self, entry: Mapping[str, Any], index_width: int) -> int:
        """The width of the entry's type [bits]."""
        type_ = self.field(entry, "type", str)
        width = width_of_text(type_, index_width)
        if width is None:
            raise self.fail(f"type {type_!r}", "iN, index, none, a float or a tagged type", entry)
        return width

    def endpoint(self, entry: Mapping[str, Any], key: str) -> Endpoint:
        """``[unit, port]``."""
        pair = self.field(entry, key, list)
        if len(pair) != 2 or not all(isinstance(word, str) and word.isprintable() for word in pair):
            raise self.fail(f"{json.dumps(pair)[:40]} as {key}", "[unit, port]", entry)
        return Endpoint(pair[0], pair[1])

    def clock(self, document: Mapping[str, Any]) -> tuple[TargetName, float | None]:
        """The target, an ECP5 unless it is named, and the clock period [ns]."""
        name = document.get("target", "ecp5")
        target = next((each for each in TARGET_NAMES if each == name), None)
        if target is None:
            raise self.fail(f"target {json.dumps(name)[:40]}", f"one of {', '.join(TARGET_NAMES)}")
        period = document.get("clock_period")
        if period is None:
            return target, None
        if isinstance(period, bool) or not isinstance(period, int | float) or not period > 0:
            raise self.fail(f"clock_period {json.dumps(period)[:40]}", "a time above 0 [ns]")
        return target, float(period)

    def port(self, entry: Mapping[str, Any], index_width: int) -> OutsidePort:
        """One port of the circuit."""
        direction = self.field(entry, "direction", str)
        name, type_ = self.field(entry, "name", str), self.field(entry, "type", str)
        width = self.width(entry, index_width)
        if direction == "input":
            return OutsidePort(name, "input", type_, width)
        if direction == "output":
            return OutsidePort(name, "output", type_, width)
        raise self.fail(f"direction {direction!r}", "input or output", entry)

    def memory(self, entry: Mapping[str, Any], index_width: int) -> Memory:
        """One memory."""
        kind = self.field(entry, "kind", str)
        name, type_ = self.field(entry, "name", str), self.field(entry, "type", str)
        width, depth = self.width(entry, index_width), self.field(entry, "depth", int)
        contents = self.contents(entry, width) if "contents" in entry else None
        if kind not in KINDS:
            raise self.fail(f"kind {kind!r}", " or ".join(KINDS), entry)
        return Memory(name, type_, width, depth, KINDS[kind], contents)

    def contents(self, entry: Mapping[str, Any], width: int) -> Elements:
        """The initial elements: a list of them, or ``{"runs": [[count, element], ..]}``."""
        given = entry["contents"]
        runs = given.get("runs") if isinstance(given, dict) else None
        if isinstance(runs, list):
            if not all(isinstance(run, list) and len(run) == 2 for run in runs):
                raise self.fail("runs of contents", "[count, element] for each run", entry)
            if not all(type(count) is int and count > 0 for count, _ in runs):
                raise self.fail("runs of contents", "runs of 1 element and more", entry)
            total = sum(count for count, _ in runs)
            if total > MOST_ELEMENTS:
                raise self.fail(f"contents of {total} elements", f"up to {MOST_ELEMENTS}", entry)
            words = [word for _, word in runs]
        else:
            words = self.field(entry, "contents", list)
        if not all(type(word) is int and 0 <= word < 1 << width for word in words):
            raise self.fail("contents", f"unsigned words of {width} bits", entry)
        if isinstance(runs, list):
            return expand_runs([(count, word) for count, word in runs])
        return encode_elements(words)

    def unit(self, entry: Mapping[str, Any]) -> Unit:
        """One unit."""
        name = self.field(entry, "operator", str)
        operator = find_row(name)
        if operator is None:
            raise self.fail(f"operator {name!r}", "the operators that `loom ops` lists", entry)
        attributes: dict[str, AttributeValue] = {}
        known = operator.signature.defaults
        for key, value in self.field(entry, "attributes", dict, {}).items():
            if isinstance(value, str) and isinstance(known.get(key), Partition):
                partition = parse_partition(value) if value else WHOLE
                if partition is None:
                    raise self.fail(f"{key} {value!r}", TEXTS, entry)
                attributes[key] = partition
            elif isinstance(value, list) and all(type(each) is int for each in value):
                attributes[key] = tuple(value)
            elif isinstance(value, int | str | bool):
                attributes[key] = value
            else:
                accepted = "integers, strings, booleans and lists of integers"
                raise self.fail(f"attribute {key}", accepted, entry)
        if any(isinstance(default, str) for default in known.values()):
            for key in operator.signature.attributes:
                if key in known:
                    attributes.setdefault(key, known[key])
        place, loop = self.place(entry, "place"), self.place(entry, "loop")
        constants = self.field(entry, "constants", dict, {})
        if not all(type(value) is int and value >= 0 for value in constants.values()):
            raise self.fail("constants", "unsigned numbers by operand", entry)
        name = self.field(entry, "name", str)
        return Unit(name, operator, attributes, place, loop, constants)

    def place(self, entry: Mapping[str, Any], key: str) -> Place | None:
        """A place in the source, if the entry has one."""
        if key not in entry:
            return None
        where = self.field(entry, key, list)
        if [type(part) for part in where] != [str, int, int]:
            raise self.fail(key, "[file, line, column]", entry)
        return Place(*where)

    def channel(self, entry: Mapping[str, Any], index_width: int) -> Channel:
        """One channel."""
        return Channel(
            self.field(entry, "name", str),
            self.field(entry, "type", str),
            self.width(entry, index_width),
            self.endpoint(entry, "source"),
            self.endpoint(entry, "target"),
        )


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these keys and values; a key that stands twice is refused."""
    found = dict(pairs)
    if len(found) < len(pairs):
        count = Counter(key for key, _ in pairs)
        twin = next(key for key, number in count.items() if number > 1)
        raise ValueError(f"the key {twin!r} twice in an object")
    return found


def no_number(word: str) -> NoReturn:
    """Refuse NaN and infinities, which JSON does not have."""
    raise ValueError(f"the number {word}")


class _LongNumber(Exception):
    """A number of more digits than any width takes."""


def parse_integer(digits: str) -> int:
    """The number, if it is not far beyond every width."""
    if len(digits) > MOST_DIGITS:
        raise _LongNumber(digits)
    return int(digits)


def from_json(text: str, file: str = "<netlist>") -> Netlist:
    """The netlist that the text says; its parts fit the schema, its graph is not yet checked."""
    reader = _Reader(file, text)
    try:
        position = first_too_deep(text)
        if position is not None:
            place = place_in(text, file, position)
            raise LoomError("NETLIST_SYNTAX", place, "lists nested too deep", "lists of words")
        document = json.loads(
            text, object_pairs_hook=unique, parse_int=parse_integer, parse_constant=no_number
        )
    except json.JSONDecodeError as error:
        raise LoomError(
            "NETLIST_SYNTAX", Place(file, error.lineno, error.colno), error.msg, "JSON text"
        ) from None
    except _LongNumber as wrong:
        (digits,) = wrong.args
        place = place_in(text, file, text.find(digits))
        what, accepted = f"a number of {len(digits)} digits", f"up to {MOST_DIGITS} of them"
        raise LoomError("NETLIST_SYNTAX", place, what, accepted) from None
    except (RecursionError, ValueError) as error:
        raise LoomError("NETLIST_SYNTAX", Place(file), str(error), "JSON text") from None
    if isinstance(document, dict) and "inputs" in document and "schema" not in document:
        what, accepted = (
            "a bundle of inputs",
            "a program, a graph or a netlist; bundles by --inputs",
        )
        raise LoomError("INPUT_KIND", Place(file, 1, 1), what, accepted)
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        found = document.get("schema") if isinstance(document, dict) else None
        raise reader.fail(f"schema {json.dumps(found)[:40]}", f"an object of schema {SCHEMA!r}")
    index_width = reader.field(document, "index_width", int)
    if not 1 <= index_width <= 64:
        raise reader.fail(f"index_width {index_width}", "1 to 64 bits")
    target, period = reader.clock(document)
    return Netlist(
        reader.field(document, "name", str),
        index_width,
        tuple(reader.port(e, index_width) for e in reader.entries(document, "ports")),
        tuple(reader.memory(e, index_width) for e in reader.entries(document, "memories")),
        tuple(reader.unit(e) for e in reader.entries(document, "units")),
        tuple(reader.channel(e, index_width) for e in reader.entries(document, "channels")),
        target,
        period,
    )
