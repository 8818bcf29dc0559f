"""``python -m tools.peers``: kernels through LOOM and CIRCT's handshake flow, as a page."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from loom.analysis.timing.targets import find_target
from loom.errors import LoomError, LoomErrors
from loom.front.styles.choose import DEFAULT
from loom.lower.options import Options
from tools.by_hand import measure as by_hand
from tools.by_hand.measure import Measured, measured_of
from tools.peers import published
from tools.peers.environment import prepare_environment
from tools.peers.record import measure_all
from tools.peers.sides import SEEDS, Row
from tools.peers.table import estimates, head, line, means, periods

ENVIRONMENT = Path(".venv") / "peers"
"""Where CIRCT's packages are."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The page tells of every kernel."""
    parser = argparse.ArgumentParser(prog="tools.peers", description=__doc__)
    parser.add_argument("--python", help="a Python 3.13 that starts (found by itself)")
    parser.add_argument("--environment", type=Path, default=ENVIRONMENT, help="CIRCT's packages")
    parser.add_argument("--only", nargs="*", metavar="KERNEL", help="kernels, fir.mlir say")
    parser.add_argument("--examples", type=Path, default=Path("examples"))
    parser.add_argument("--page", type=Path, help="write the page here")
    chosen = parser.parse_args(arguments)
    if chosen.only is not None and chosen.page is not None:
        parser.error("found --only with --page; LOOM accepts a page of all kernels")
    anchors = chosen.examples / "c" / "anchors"
    files = [*sorted(chosen.examples.glob("*.mlir")), *sorted(anchors.glob("*.c"))]
    files = [file for file in files if not chosen.only or file.name in chosen.only]
    try:
        python = prepare_environment(chosen.environment, chosen.python or None, os.environ)
        print("\n".join(head(by_hand=False)))
        rows = measure_all(files, Options(style=DEFAULT), python, print_row)
    except (LoomError, LoomErrors) as error:
        print(error, file=sys.stderr)
        return 2
    print(*means(rows))
    if chosen.page is not None:
        chosen.page.write_text(page(rows, circuits_by_hand()), encoding="utf-8")
    return 0


def print_row(row: Row) -> None:
    """A line of progress."""
    print(line(row), flush=True)


def circuits_by_hand() -> dict[str, Measured]:
    """The circuits by hand, as `make by-hand` measured them, by the name of their program."""
    record = json.loads(by_hand.FILE.read_text(encoding="utf-8"))
    return {f"{name}.mlir": measured_of(row["hand"]) for name, row in record.items()}


def page(rows: Sequence[Row], hand: Mapping[str, Measured]) -> str:
    """docs/peers.md."""
    has_earlier = any("earlier" in row.style for row in rows)
    mlir = [row for row in rows if not row.name.endswith(".c")]
    anchors = [row for row in rows if row.name.endswith(".c")]
    return "\n".join([
        "# LOOM beside its peers",
        "",
        "Written by `make peers`; do not edit. In every table the columns in bold are LOOM's, with",
        "the default options: an ECP5, a clock period of 10 ns, and the style that is chosen on",
        "drawn inputs ([auto](static.md)). [LOOM beside RTL by hand](by_hand.md) is a page of its",
        "own.",
        "",
        "## CIRCT's handshake flow",
        "",
        "Both flows get the same program (of C, the MLIR that LOOM makes) and the same inputs,",
        "those of the activation that has most to do. CIRCT 1.162 has its fastest buffers",
        "(strategy cycles, one slot). Cycles are those in Verilator, from the start token to the",
        "last output, memories of one cycle outside. LUT4, flip-flops (FF) and the period (ns) are",
        "those of the circuit alone from Yosys (`synth_ecp5`) and nextpnr-ecp5 (25k, speed 6, out",
        f"of context); the period is the median of {len(SEEDS)} seeds. us is cycles by the period.",
        "Time x is CIRCT's time by LOOM's, LUT4 x is LOOM's LUT4 by CIRCT's. A dash: the circuit",
        "has no path from register to register, or CIRCT's flow gives none (a list is below).",
        "Bounds, in cycles, are of programs as written: scalar replacement can go below them. No",
        "figure depends on the machine. What has not changed is kept from the run before",
        "(`tools/peers/record.json`).",
        *(["Rows with `earlier` are of circuits before the last change."] if has_earlier else []),
        "",
        *means(rows),
        *periods(rows, find_target("ecp5").period),
        *estimates(rows),
        "",
        "### Examples in MLIR",
        "",
        "Indices have 64 bits.",
        "",
        *head(by_hand=True),
        *(line(row, hand) for row in mlir),
        "",
        *means(mlir),
        "",
        "### Kernels in C",
        "",
        "Indices are those of C, of 32 bits most often (`examples/c/anchors`).",
        "",
        *head(by_hand=False),
        *(line(row) for row in anchors),
        "",
        *means(anchors),
        "",
        "### Without a circuit of CIRCT's",
        "",
        "CIRCT's flow gives no circuit, or none that ends rightly, of these:",
        "",
        *(f"- {row.name}: {row.theirs.failed}" for row in rows if row.theirs.failed),
        "",
        "## Cycles published for Dynamatic",
        "",
        "The fewest cycles of its maintainers' report of 2025-09, where its circuits were made for",
        "5 ns, beside LOOM's at 10 ns with what place and route gives. Theirs were not run here.",
        "",
        *published.lines(anchors),
        "",
    ])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
