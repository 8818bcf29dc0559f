"""``python -m tools.peers``: kernels through LOOM and CIRCT's handshake flow, as a page."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from loom.errors import LoomError, LoomErrors
from loom.lower.options import Options
from tools.peers import published
from tools.peers.record import measured
from tools.peers.sides import Row
from tools.peers.table import HEAD, line, means

PERIODS = (12.0, 14.0, 16.0)
"""Clock periods that LOOM is asked for [ns]."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The page tells of every kernel."""
    parser = argparse.ArgumentParser(prog="tools.peers", description=__doc__)
    parser.add_argument("--python", required=True, help="a Python 3.13 with CIRCT's packages")
    parser.add_argument("--only", nargs="*", help="kernels, fir.mlir say")
    parser.add_argument("--examples", type=Path, default=Path("examples"))
    parser.add_argument(
        "--clock-periods", type=float, nargs="+", default=PERIODS, help="LOOM's to try [ns]"
    )
    parser.add_argument("--page", type=Path, help="write the page here")
    chosen = parser.parse_args(arguments)
    lowering = Options(buffers="optimal")
    anchors = chosen.examples / "c" / "anchors"
    files = [*sorted(chosen.examples.glob("*.mlir")), *sorted(anchors.glob("*.c"))]
    files = [file for file in files if not chosen.only or file.name in chosen.only]
    print("\n".join(HEAD))
    try:
        rows, without = measured(files, lowering, chosen.clock_periods, chosen.python, told)
    except (LoomError, LoomErrors) as error:
        print(error, file=sys.stderr)
        return 2
    print(" ".join(means(rows)))
    if chosen.page is not None:
        reports = published.measure(anchors, Options())
        table = list(published.lines(list(published.CYCLES), reports))
        print("\n".join(table))
        text = page(rows, without, chosen.clock_periods, table)
        chosen.page.write_text(text, encoding="utf-8")
    return 0


def told(row: Row) -> None:
    """A line of progress."""
    print(line(row), flush=True)


def page(
    rows: Sequence[Row],
    without: Mapping[str, str],
    periods: Sequence[float],
    table: Sequence[str],
) -> str:
    """docs/peers.md."""
    asked = ", ".join(f"{period:g}" for period in periods)
    return "\n".join([
        "# LOOM beside its peers",
        "",
        "[LOOM beside RTL by hand](by_hand.md) is a page of its own.",
        "",
        "## CIRCT's handshake flow",
        "",
        "Written by `make peers`; do not edit. All examples of MLIR and the anchors' kernels in C;",
        "both flows get the same program (of C, the MLIR that LOOM makes) and the same inputs,",
        "those of the activation that has most to do. Cycles in Verilator, from the start token to",
        "the last output, memories of one cycle outside; area and period of the circuit from Yosys",
        "(`synth_ecp5`) and nextpnr-ecp5 (25k, speed grade 6, one seed, out of context). LOOM runs",
        f"with `--buffers=optimal` and the `--clock-period` ({asked} ns) at which cycles of the",
        "timed model times the estimated period are least; CIRCT 1.162 with its fastest buffers",
        f"(strategy cycles, one slot). Measured on {platform.machine()}, {os.cpu_count()} cores;",
        "cycles, area and period do not depend on the machine. x is CIRCT's time by ours. What has",
        "not changed is kept from the run before (`tools/peers/record.json`). The bounds,",
        "here and below, are of programs as written: scalar replacement can go below them.",
        "",
        *HEAD,
        *(line(row) for row in rows),
        "",
        *means(rows),
        "",
        "CIRCT's flow gives no circuit, or none that ends rightly, of these:",
        "",
        *(f"- {name}: {reason}" for name, reason in without.items()),
        "",
        "## Cycles published for Dynamatic",
        "",
        "The fewest cycles of its maintainers' report of 2025-09, beside ours in Verilator with",
        "the default options (`examples/c/anchors`). Theirs were not run here.",
        "",
        *table,
        "",
    ])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
