"""``python -m tools.by_hand``: LOOM's default circuits beside modules by hand, as a page."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from loom.errors import LoomError, LoomErrors
from loom.front.styles.choose import DEFAULT
from loom.lower.options import Options
from tools.by_hand.circuits import names_of
from tools.by_hand.measure import SEEDS, Row, measure_all
from tools.by_hand.table import HEAD, alone, line, means, with_rams


def main(arguments: Sequence[str] | None = None) -> int:
    """The table is printed, and the page written if a name is given."""
    parser = argparse.ArgumentParser(prog="tools.by_hand", description=__doc__)
    parser.add_argument("--only", nargs="*", metavar="KERNEL", help="kernels, fir say")
    parser.add_argument("--examples", type=Path, default=Path("examples"))
    parser.add_argument("--page", type=Path, help="write the page here")
    chosen = parser.parse_args(arguments)
    if chosen.only is not None and chosen.page is not None:
        parser.error("found --only with --page; LOOM accepts a page of all kernels")
    known = names_of(chosen.examples)
    names = known if chosen.only is None else chosen.only
    unknown = [name for name in names if name not in known]
    if unknown or not known:
        found = ", ".join(unknown) or "no module by hand"
        accepted = f"kernels of {chosen.examples}/by_hand: {', '.join(known) or 'NAME.sv files'}"
        print(f"tools.by_hand: found {found}; LOOM accepts {accepted}", file=sys.stderr)
        return 2
    print("\n".join(HEAD))
    try:
        rows = measure_all(names, chosen.examples, Options(style=DEFAULT), print_row)
    except (LoomError, LoomErrors) as error:
        print(error, file=sys.stderr)
        return 2
    print(*means(rows, alone))
    if chosen.page is not None:
        chosen.page.write_text(page(rows), encoding="utf-8")
    return 0


def print_row(row: Row) -> None:
    """A line of progress."""
    print(line(row, alone), flush=True)


def page(rows: Sequence[Row]) -> str:
    """docs/by_hand.md."""
    tools = sorted({side.tools for row in rows for side in (row.ours, row.hand)})
    return "\n".join([
        "# LOOM beside RTL by hand",
        "",
        "Written by `make by-hand`; do not edit. Eight examples as SystemVerilog by hand",
        "(`examples/by_hand/`): a state machine, counters as wide as their ranges, a pipeline",
        "behind the RAM ports, no check of addresses. LOOM's circuits are those of the default",
        "options, each in the style that is chosen on drawn inputs ([auto](static.md)). Both have",
        "the same ports and run in the same harness on the same bundles ([Modules by",
        "hand](simulation.md#modules-by-hand)), where their results agree with the program's.",
        "",
        "Cycles are those of the bundle's activation that has most to do, from the start token to",
        "the last output, without stalls; time is cycles by the period. Area and Fmax are from",
        "`synth_ecp5` and nextpnr-ecp5 (25k, speed grade 6, out of context). A carry cell counts",
        "as two LUT4, a 16 x 4 LUT RAM as six; multipliers and block RAMs are not counted. Fmax is",
        f"the median of {len(SEEDS)} seeds. x is LOOM's by that by hand.",
        f"Tools: {'; '.join(tools)}.",
        "What has not changed is kept from the run before (`tools/by_hand/record.json`).",
        "",
        "## Circuits alone",
        "",
        "Paths from register to register; those from and to a RAM are not among them.",
        "",
        *HEAD,
        *(line(row, alone) for row in rows),
        "",
        *means(rows, alone),
        "",
        "## Circuits with their RAMs",
        "",
        "Each memory is a block RAM around the circuit, without a register at its output: paths",
        "from and to RAMs count too. gcd has none.",
        "",
        *HEAD,
        *(line(row, with_rams) for row in rows),
        "",
        *means(rows, with_rams),
        "",
    ])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
