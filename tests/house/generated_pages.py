"""``python -m tests.house.generated_pages`` writes the pages of docs/ made from the code."""

from __future__ import annotations

import re

from loom.analysis.balance.invariants import INVARIANTS
from loom.analysis.timing.targets import targets
from loom.analysis.timing.unit_costs import table
from loom.dialects.floats.elementary.functions import PROGRAMS
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.operator import Operator, Port
from loom.dialects.operators.runtime_errors import RUNTIME_ERRORS
from loom.dialects.ops.float_ops import RemFOp
from loom.frontend.rules.accepted import ACCEPTED, accepted_instead
from tests.house import options_page
from tests.support import prediction
from tests.support.folders import DOCS, ROOT
from tools.calibrate.page import target_tables
from tools.floats import float_units, record
from tools.library import synthesis_record
from tools.library.cost_table import cost_tables

CODE = re.compile(
    r'"((?:C|CLI|PY|COMP|RT|MLIR|NETLIST|DFG|LOWER|REF|MODEL|BUNDLE|EMIT|SIM|REPORT|SUITE|REGRESS|EXPLORE|EXTEND|NEW|INPUT|WRAP'
    r'|PACKAGE|STATIC)_[A-Z0-9_]+)"'
)


def shown(ports: tuple[Port, ...]) -> str:
    """Ports as ``name: type``; a star marks a numbered family."""
    star = {False: "", True: "\\*"}
    return ", ".join(f"{port.name}{star[port.many]}: {port.type}" for port in ports) or "none"


def latency(operator: Operator) -> str:
    """The latency as a number, or the row's words for one that depends on the instance."""
    if isinstance(operator.hardware.latency, int):
        return str(operator.hardware.latency)
    return (operator.hardware.latency.__doc__ or "by instance").split("\n")[0].split(" [")[0]


def operators_page() -> str:
    """docs/operators.md."""
    lines = [
        "# The operators",
        "",
        "Made from the catalogue by `make docs`; do not edit. `T`, `S` and `A` are types that an",
        "instance fixes; a starred port is a numbered family. Latency is in cycles from all inputs",
        "valid to the outputs valid; every unit takes and gives one token a cycle, but a `seq`",
        "buffer of one slot and a divider whose form is `iterative`.",
        "",
        "| operator | inputs | outputs | latency | what it does |",
        "|---|---|---|---|---|",
    ]
    for name, row in CATALOGUE.items():
        also = (
            f" Also {', '.join(f'`{a}`' for a in row.signature.aliases)}."
            if row.signature.aliases
            else ""
        )
        if row.signature.attributes:
            also += f" Attributes: {', '.join(f'`{a}`' for a in row.signature.attributes)}."
        if row.hardware.options:
            also += f" May say: {', '.join(f'`{a}`' for a in row.hardware.options)}."
        lines.append(
            f"| `{name}` | {shown(row.signature.inputs)} | {shown(row.signature.outputs)} "
            f"| {latency(row)} | {row.summary}{also} |"
        )
    return "\n".join(lines) + "\n"


ROOMS = {
    "COMP": "An operation of a graph breaks a rule of its dialect.",
    "C": "A C file is not a program LOOM compiles.",
    "PY": "A Python file is not a program LOOM compiles.",
    "MLIR": "MLIR text is not a program LOOM compiles.",
    "LOWER": "A program cannot be lowered with these options.",
    "STATIC": "A static schedule breaks a rule (docs/staticlogic.md).",
    "DFG": "A graph is not ready to become a netlist.",
    "NETLIST": "A netlist does not hold what it must.",
    "BUNDLE": "A bundle does not fit the kernel.",
    "REF": "The source program does something undefined, or does not end.",
    "MODEL": "The token model cannot run this.",
    "EMIT": "Files cannot be emitted.",
    "WRAP": "A circuit cannot stand behind a bus.",
    "PACKAGE": "A circuit cannot be packaged for a flow.",
    "SIM": "The co-simulation cannot be run.",
    "REPORT": "A report cannot be written.",
    "SUITE": "A suite cannot be run.",
    "REGRESS": "What is said of a regression is not accepted (docs/regress.md).",
    "EXPLORE": "An exploration cannot be made (docs/explore.md).",
    "EXTEND": "What a package adds is not there, or not what it must be (docs/extending.md).",
    "NEW": "A first kernel cannot be written.",
    "INPUT": "A file cannot be read.",
    "CLI": "The arguments of `loom` are not accepted.",
}


def codes() -> dict[str, set[str]]:
    """Every error code of the sources, with the files that raise it."""
    found: dict[str, set[str]] = {}
    for folder in ("loom", "sim", "tools"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            for code in CODE.findall(file.read_text(encoding="utf-8")):
                found.setdefault(code, set()).add(file.relative_to(ROOT).as_posix())
    return found


def errors_page() -> str:
    """docs/error-codes.md."""
    lines = [
        "# Error codes",
        "",
        "Made from the sources by `make docs`; do not edit. A refusal reads",
        "`file:line:col: error[CODE]: found X; LOOM accepts Y` and ends with exit status 2.",
        "",
    ]
    found = codes()
    for room, meaning in ROOMS.items():
        listed = sorted(code for code in found if code.startswith(f"{room}_"))
        if listed:
            lines += [f"## {room}", "", meaning, ""]
            lines += [f"- `{code}` ({', '.join(sorted(found[code]))})" for code in listed]
            lines.append("")
    lines += [
        "## Run-time errors",
        "",
        "A circuit shows the first one on `error_code_o`, which keeps it until reset.",
        "",
    ]
    lines += [f"- {number}: `{code}`" for number, code in enumerate(RUNTIME_ERRORS) if code]
    return "\n".join(lines) + "\n"


TABLE_BEGINS = "<!-- Below this line `make docs` writes; do not edit. -->"


def invariants_page() -> str:
    """docs/invariants.md: what stands above the mark is kept, the tables below are made."""
    kept = (DOCS / "invariants.md").read_text(encoding="utf-8").partition(TABLE_BEGINS)[0]
    lines = ["| | invariant | source | proved in the graph | counted in runs |",
             "|---|---|---|---|---|"]  # fmt: skip
    for row in INVARIANTS:
        proved = f"`{row.code}`" if row.code else "with 9"
        lines.append(f"| {row.number} | {row.sentence} | {row.source} | {proved} "
                     f"| {'yes' if row.counted else '-'} |")  # fmt: skip
    lines += ["", "## Rates of the operators", "", "| operator | rates |", "|---|---|"]
    for name, operator in CATALOGUE.items():
        if operator.semantics.meaning is None or operator.semantics.rates is not None:
            rates = (
                "by instance" if callable(operator.semantics.rates) else operator.semantics.rates
            )
            known = "none" if rates == "" else "not known"
            lines.append(f"| `{name}` | {f'`{rates}`' if rates else known} |")
    return f"{kept}{TABLE_BEGINS}\n\n" + "\n".join(lines) + "\n"


MLIR_OPERATIONS = ROOT / "tests" / "rows" / "mlir_operations.txt"
"""The operations of the dialects that LOOM reads, as MLIR 22 has them."""


def accepted_page() -> str:
    """docs/accepted.md."""
    names = MLIR_OPERATIONS.read_text(encoding="utf-8").split()
    lines = [
        "# Accepted MLIR operations",
        "",
        "Made from the sources by `make docs`; do not edit. The table has every operation of MLIR",
        "22's dialects func, scf, cf, arith, index, math, memref and affine, and the integer",
        "intrinsics of the llvm dialect. An operation that does not compile is refused at its",
        "place, with a replacement. Tensors and vectors are refused by their types.",
        "",
        "Memories have static shapes. Those of arguments of type `memref<?xT>` are the sizes",
        "of `--size ARG=N`, or of the arrays in `--inputs`, also where they are passed on.",
        "A memref that the top function returns is an argument after the others, `result0` for the",
        "first result, which inputs may leave out. One that is allocated to be returned is that",
        "argument itself, and keeps what the caller has where it is not written; another one is",
        "copied.",
        "",
        "An element of a new array that is read before it is written, also of a global that is",
        "`uninitialized`, ends the run (`REF_UNINITIALISED`). With",
        "[`--fill 0` or `--fill random`](c.md#variables-and-arrays-without-a-value) the circuit",
        "writes zeros or numbers by chance to each new array first. `ub.poison` is 0, and a number",
        "by chance with `--fill random`.",
        "",
        "A memref may be one of several that are made outside of what chooses it: a result of",
        "`arith.select`, of a region, or what a loop carries. A load, a store, a copy or a call of",
        "it is one for each memory that it may be, of which one runs; each takes a port. A view",
        "of such a memref, and one as an argument of a block, are refused.",
        "",
        "| operation | compiles | replacement |",
        "|---|---|---|",
    ]
    for name in names:
        is_bare = name in CATALOGUE and not CATALOGUE[name].hardware.template
        if is_bare and name not in (*PROGRAMS, RemFOp.name):
            lines.append(f"| `{name}` | with a [core](float-hardware.md#a-core-of-your-own) | |")
        elif name in ACCEPTED:
            lines.append(f"| `{name}` | yes | |")
        else:
            lines.append(f"| `{name}` | no | {accepted_instead(name)} |")
    return "\n".join(lines) + "\n"


def vectors_page() -> str:
    """docs/float-vectors.md."""
    lines = [
        "# Float units against the host",
        "",
        "Made by `make floats` and `make docs`; do not edit. Each unit, as its text is now, ran in",
        "a compiled bench on so many vectors against the arithmetic of the machine; units of one",
        "operand of at most 16 bits on every pattern. What the vectors are:",
        "[float hardware](float-hardware.md).",
        "",
        "| unit | vectors | differences |",
        "|---|---|---|",
    ]
    runs = record.read()
    for unit in float_units():
        run = runs[unit.name]
        lines.append(f"| `{unit.name}` | {run.vectors} | {run.differences} |")
    return "\n".join(lines) + "\n"


def costs_page() -> str:
    """docs/costs.md: what stands above the mark is kept, the tables below are made."""
    kept = (DOCS / "costs.md").read_text(encoding="utf-8").partition(TABLE_BEGINS)[0]
    found = table()
    lines = [f"{kept}{TABLE_BEGINS}", "", *target_tables(targets()), "", "### Units", ""]
    lines += [found.measured, "", *cost_tables(found)]
    return "\n".join(lines).rstrip() + "\n"


def prediction_page() -> str:
    """docs/prediction.md: what stands above the mark is kept, the table below is made."""
    kept = (DOCS / "prediction.md").read_text(encoding="utf-8").partition(TABLE_BEGINS)[0]
    return "\n".join([f"{kept}{TABLE_BEGINS}", "", *prediction.rows()]) + "\n"


def buffers_page() -> str:
    """docs/buffers.md: what stands above the mark is kept, the table below is made."""
    kept = (DOCS / "buffers.md").read_text(encoding="utf-8").partition(TABLE_BEGINS)[0]
    return "\n".join([f"{kept}{TABLE_BEGINS}", "", *prediction.buffer_rows()]) + "\n"


PAGES = {
    "buffers.md": buffers_page,
    "prediction.md": prediction_page,
    "costs.md": costs_page,
    "synthesis.md": synthesis_record.page,
    "accepted.md": accepted_page,
    "operators.md": operators_page,
    "error-codes.md": errors_page,
    "options.md": options_page.page,
    "invariants.md": invariants_page,
    "float-vectors.md": vectors_page,
}


def main() -> None:
    """Write every page."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
