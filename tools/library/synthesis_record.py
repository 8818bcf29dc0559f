"""Every unit and every example on three FPGA families: the record of the runs, and its page.

`synthesis.json` has a row for each circuit, keyed by the digest of its text; docs/synthesis.md is
made from it. Of some examples it also has what place and route of the whole circuit on an ECP5
gave, beside the estimate of `loom compile` at that time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from loom_sim.placement.place_circuit import place_circuit
from loom_sim.placement.synthesis_tools import ToolFailed

from loom.analysis.timing.area_estimate import estimate_circuit
from loom.emit import emit
from loom.front.api import compile_text
from loom.netlist.netlist import Netlist
from tools.bare_text import bare
from tools.library.cost_points import USUAL
from tools.library.synthesis import FAMILIES, of_netlist
from tools.library.units import library_units, untimed_units

FILE = Path(__file__).parent / "synthesis.json"
WIDTH = 32
"""Of the data of units [bits]; units of floats are those of `USUAL`."""
PLACED = ("fir", "gcd", "histogram")
"""The examples that are placed and routed as a whole."""
MADE = "Made from `tools/library/synthesis.json` by `make docs`; do not edit."


@dataclass(frozen=True)
class Subject:
    """A circuit to synthesize: its title on the page and its netlist."""

    title: str
    netlist: Netlist

    @property
    def digest(self) -> str:
        """A name for the texts without comments and layout."""
        texts = [bare(text) for path, text in emit(self.netlist).items() if path.endswith(".sv")]
        return sha256("\n".join(texts).encode()).hexdigest()[:16]


def units() -> Iterator[Subject]:
    """Each operator with its usual attributes, and each kind of memory and buffer."""
    seen: set[str] = set()
    for unit in (*library_units(WIDTH), *untimed_units(WIDTH)):
        row = unit.operator
        usual = (
            USUAL in unit.shape.attributes.values()
            if row.signature.formats
            else row.name not in seen
        )
        if usual or row.hardware.memory_kind or row.semantics.passes_control:
            seen.add(row.name)
            yield Subject(unit.title, unit.netlist)


def examples(folder: Path) -> Iterator[Subject]:
    """The circuit of every example, those that are placed first."""
    for file in sorted(folder.glob("*.mlir"), key=lambda file: (file.stem not in PLACED, file)):
        yield Subject(file.stem, compile_text(file.read_text(encoding="utf-8"), file.name).netlist)


def read() -> dict[str, Any]:
    """The record: `units` and `examples`, rows by title."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def update(folder: Path, told: Callable[[str], None]) -> None:
    """The record has a row for every circuit as its text is now; it is saved after each."""
    record = read()
    wanted = {"examples": list(examples(folder)), "units": list(units())}
    for group, subjects in wanted.items():
        known = record[group]
        record[group] = {s.title: known[s.title] for s in subjects if s.title in known}
        for number, subject in enumerate(subjects, 1):
            row = record[group].get(subject.title)
            if row is not None and row["digest"] == subject.digest:
                continue
            row = {"digest": subject.digest, **row_of(subject)}
            if group == "examples" and subject.title in PLACED:
                row["placed"] = placed(subject)
            record[group][subject.title] = row
            told(f"{group} {number}/{len(subjects)} {subject.title}: {json.dumps(row)}")
            FILE.write_text(text_of(record), encoding="utf-8")
    FILE.write_text(text_of(record), encoding="utf-8")


def text_of(record: Mapping[str, Any]) -> str:
    """The record as a file, one circuit a line."""
    groups = [
        f'"{group}": {{\n'
        + ",\n".join(f"{json.dumps(t)}: {json.dumps(row)}" for t, row in sorted(rows.items()))
        + "\n}"
        for group, rows in record.items()
    ]
    return "{\n" + ",\n".join(groups) + "\n}\n"


def row_of(subject: Subject) -> dict[str, Any]:
    """The cells on each family, or why there are none."""
    row: dict[str, Any] = {}
    for family in FAMILIES:
        try:
            row[family.name] = asdict(of_netlist(subject.netlist, family))
        except ToolFailed as failure:
            row[family.name] = {"failed": str(failure)}
    return row


def placed(subject: Subject) -> dict[str, Any]:
    """What place and route of the whole circuit on an ECP5 gives, and what was estimated."""
    cost = estimate_circuit(subject.netlist)
    row: dict[str, Any] = {"estimate": {
        "luts": round(cost.area.luts), "flip_flops": round(cost.area.flip_flops),
        "period": 0.0 if cost.path is None else round(cost.path.delay, 2),
    }}  # fmt: skip
    found = place_circuit(subject.netlist)
    if found.period is None:
        return {**row, "failed": found.failed}
    return {**row, "period": found.period}


def page() -> str:
    """docs/synthesis.md."""
    record = read()
    lines = [
        "# Synthesis for three FPGA families",
        "",
        MADE,
        "`python -m tools.library synthesis` runs what is new. Each circuit alone in Yosys:",
        *(f"{family.name} by `{family.command}`," for family in FAMILIES[:-1]),
        f"{FAMILIES[-1].name} by `{FAMILIES[-1].command}`.",
        "An entry is LUTs / flip-flops / multipliers / block RAMs; a carry cell is two LUTs,",
        "the multipliers are MULT18X18D, SB_MAC16 and DSP48E1, the RAMs DP16KD, SB_RAM40_4K and",
        "RAMB36E1 (RAMB18E1 a half). A test holds a product and a RAM to their exact counts.",
        "What has not run yet is not listed.",
        "",
        "## Examples",
        "",
        *table(record["examples"]),
        "",
        "## Estimate and place and route",
        "",
        "What `loom compile` estimates, and what nextpnr-ecp5 reaches with the whole circuit",
        "(speed grade 6, one seed, out of context). Ratio: the estimate by the result.",
        "",
        *comparison(record["examples"]),
    ]
    if record["units"]:
        lines += ["", f"## Units at {WIDTH} bits", "", *table(record["units"])]
    return "\n".join(lines) + "\n"


def table(rows: Mapping[str, Any]) -> Iterator[str]:
    """One circuit a line."""
    names = [family.name for family in FAMILIES]
    yield f"| circuit | {' | '.join(names)} |"
    yield "|" + "---|" * (1 + len(names))
    for title, row in rows.items():
        yield f"| {title} | {' | '.join(cell_of(row[name]) for name in names)} |"


def cell_of(cells: Mapping[str, Any]) -> str:
    """What a family needs, in short."""
    if "failed" in cells:
        return str(cells["failed"])
    halves = sum(n * (1 if "18" in ram else 2) for ram, n in cells["rams"].items())
    return f"{cells['luts']} / {cells['flip_flops']} / {cells['multipliers']} / {halves / 2:g}"


def comparison(rows: Mapping[str, Any]) -> Iterator[str]:
    """Estimate against place and route, for the examples that have both."""
    yield "| example | LUTs | ratio | FFs | ratio | period [ns] | ratio |"
    yield "|---|---|---|---|---|---|---|"
    for title, row in rows.items():
        if "placed" in row:
            yield f"| {title} | {' | '.join(compared(row))} |"


def compared(row: Mapping[str, Any]) -> Sequence[str]:
    """The pairs and ratios of one example."""
    found, estimate = row["placed"], row["placed"]["estimate"]
    real = {**row[FAMILIES[0].name], "period": found.get("period")}
    cells: list[str] = []
    for name in ("luts", "flip_flops", "period"):
        if real.get(name) is None:
            cells += [str(found.get("failed", "-")), "-"]
        else:
            ratio = estimate[name] / real[name]
            cells += [f"{estimate[name]:g} / {real[name]:g}", f"{ratio:.2f}"]
    return cells
