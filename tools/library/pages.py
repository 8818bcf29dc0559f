"""A page for each unit: what it does, its measured figures, its proofs, its timing diagram."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from loom.dialects.operators.operator import Operator, Port
from tools.library.cost_table import anchor
from tools.library.diagram import diagram
from tools.library.rates import Measured, measure
from tools.library.trace import CYCLES, Trace, trace
from tools.library.units import LibraryUnit, library_units

WIDTH = 8
"""Of the data in rates and diagrams [bits]."""
PROVED = re.compile(r"^\| `([\w.]+)` \| \d+ \| (\d+/\d+) \|", re.MULTILINE)
MADE = "Made by `make units`; do not edit."
DOCS = "../../docs"
"""The folder of the docs as the links of the pages name it: the pages are in build/units."""


def pages(units: Sequence[LibraryUnit], rows: Sequence[Measured], proofs: str) -> dict[str, str]:
    """File name to text: an index, and for each operator a page and a diagram, traced anew.

    `rows` are the measurements of `units`, `proofs` is the text of docs/proofs.md.
    """
    first: dict[str, LibraryUnit] = {}
    for unit in units:
        first.setdefault(unit.operator.name, unit)
    traces = dict(zip(first, trace(list(first.values())), strict=True))
    proved = dict(PROVED.findall(proofs))
    found = {"README.md": index_page(rows, proved)}
    for name, unit in first.items():
        mine = [row for row in rows if row.operator == name]
        widths = {port.name: port.width for port in unit.netlist.ports}
        found[f"{name}.svg"] = diagram(traces[name], widths)
        found[f"{name}.md"] = unit_page(unit, mine, proved.get(name, ""), traces[name])
    return found


def index_page(rows: Sequence[Measured], proved: Mapping[str, str]) -> str:
    """The table of all units."""
    lines = [
        "# The units",
        "",
        f"{MADE} Measured in Verilator at {WIDTH} bits: latency in cycles from the tokens",
        "offered to the first output taken; capacity in tokens that the unit takes in while no",
        "output is taken; rate in tokens a cycle through the busiest port, activation boundaries",
        "included. Memories serve the ports of a side in turn. Proved: units of all, see",
        f"[proofs]({DOCS}/proofs.md).",
        "",
        "| unit | latency | capacity | rate | proved |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        title = row.title.replace(row.operator, f"[`{row.operator}`]({row.operator}.md)", 1)
        capacity = "endless" if row.endless else str(row.capacity)
        lines.append(
            f"| {title} | {row.latency} | {capacity} | {row.rate:g} | "
            f"{proved.get(row.operator, 'no')} |"
        )
    return "\n".join(lines) + "\n"


def unit_page(unit: LibraryUnit, rows: Sequence[Measured], proved: str, found: Trace) -> str:
    """The page of one operator."""
    operator = unit.operator
    lines = [
        f"# `{operator.name}`", "", f"{MADE}", "", operator.summary, "",
        *port_table(operator), "",
        *attribute_lines(operator),
        f"Text: {' and '.join(texts_of(operator))}. "
        + (f"Proved: {proved} of its [units]({DOCS}/proofs.md)." if proved else "Not proved."),
        "", "## Measured", "",
        f"At {WIDTH} bits in Verilator.", "",
        "| unit | latency [cycles] | capacity [tokens] | rate [tokens/cycle] |",
        "|---|---|---|---|",
        *(f"| {r.title} | {r.latency} | {'endless' if r.endless else r.capacity} | {r.rate:g} |"
          for r in rows),
        "", "## Cost", "",
        f"On an ECP5: [table of costs]({DOCS}/costs.md#{anchor(operator.name)}).", "",
        "## In time", "",
        f"{unit.title} at {WIDTH} bits, {CYCLES} cycles from reset on; sources and sinks pause now",
        "and then. A shaded cycle takes a token.", "",
        f"![timing of {operator.name}]({operator.name}.svg)",
    ]  # fmt: skip
    assert found, unit.title
    return "\n".join(lines) + "\n"


def texts_of(operator: Operator) -> Iterator[str]:
    """The files of the operator's templates, the usual form first."""
    for template in (operator.hardware.template, *operator.hardware.forms.values()):
        yield f"`rtl_templates/{template}.sv.j2`"


def port_table(operator: Operator) -> Iterator[str]:
    """Ports with direction and type."""
    yield "| port | direction | type |"
    yield "|---|---|---|"
    for ports, direction in (
        (operator.signature.inputs, "in"),
        (operator.signature.outputs, "out"),
    ):
        yield from (f"| `{shown(port)}` | {direction} | {port.type} |" for port in ports)


def shown(port: Port) -> str:
    """The port's name; a numbered family counts from 0."""
    return f"{port.name}0, {port.name}1, .." if port.many else port.name


def attribute_lines(operator: Operator) -> Iterator[str]:
    """The attributes and what they may be."""
    for name in operator.signature.attributes:
        choices = operator.signature.choices.get(name)
        values = ", ".join(f"`{value}`" for value in choices) if choices else "a number"
        if isinstance(operator.signature.defaults.get(name), tuple):
            values = "numbers"
        if isinstance(operator.signature.defaults.get(name), str) and not choices:
            values = "a text"
        usual = operator.signature.defaults.get(name)
        if isinstance(usual, bool):
            values, usual = "`true`, `false`", str(usual).lower()
        default = (
            f"; usually `{usual}`" if name in operator.signature.defaults and usual != "" else ""
        )
        yield f"- `{name}`: {'a name' if name == 'memory' else values}{default}"
    for name, offered in operator.hardware.options.items():
        values = ", ".join(f"`{value}`" for value in offered)
        yield f"- `{name}`, may be left out: {values}; in MLIR `loom.{name}`"
    if operator.signature.attributes or operator.hardware.options:
        yield ""


def write(folder: Path, proofs: Path) -> int:
    """The pages are in `folder`, and nothing else that this wrote before; how many."""
    units = list(library_units(WIDTH))
    made = pages(units, measure(units), proofs.read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("*.md"), *folder.glob("*.svg")):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")
    return len(made)
