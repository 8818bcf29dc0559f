"""``python -m tools.systems``: the example systems on an ECP5, wrapper and kernel apart."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from loom_sim.placement.place_circuit import Placed
from loom_sim.placement.synthesis_tools import ToolFailed

from loom.analysis.timing.unit_costs import Area
from loom.bus.buses import WRAPPERS
from loom.errors import LoomError, LoomErrors
from tools.systems.circuits import EXAMPLES, SYSTEMS
from tools.systems.measure import SEEDS, Row, measure_all

HEAD = (
    "| system | bus | LUT4 | FF | block RAMs | MHz | kernel LUT4 | FF | block RAMs | MHz alone "
    "| wrapper LUT4 | FF | block RAMs |",
    "|---|---|" + "---|" * 11,
)
PARTS_HEAD = ("| system | part of the wrapper | instances | LUT4 each | FF each |",
              "|" + "---|" * 5)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """The table is printed, and the page written if a name is given."""
    parser = argparse.ArgumentParser(prog="tools.systems", description=__doc__)
    parser.add_argument("--only", nargs="*", metavar="SYSTEM", choices=list(SYSTEMS),
                        help=f"systems: {', '.join(SYSTEMS)}")  # fmt: skip
    parser.add_argument("--examples", type=Path, default=EXAMPLES)
    parser.add_argument("--page", type=Path, help="write the page here")
    chosen = parser.parse_args(arguments)
    if chosen.only is not None and chosen.page is not None:
        parser.error("found --only with --page; LOOM accepts a page of all systems")
    print("\n".join(HEAD))
    try:
        names = list(SYSTEMS) if chosen.only is None else chosen.only
        rows = measure_all(names, lambda row: print(line(row), flush=True), chosen.examples)
    except (LoomError, LoomErrors, ToolFailed) as error:
        print(error, file=sys.stderr)
        return 2
    print("", *PARTS_HEAD, *(each for row in rows for each in part_lines(row)), sep="\n")
    if chosen.page is not None:
        chosen.page.write_text(page(rows), encoding="utf-8")
    return 0


def cells(area: Area) -> list[str]:
    """LUT4, flip-flops and block RAMs."""
    return [f"{value:.0f}" for value in (area.luts, area.flip_flops, area.block_rams)]


def megahertz(placed: Placed) -> str:
    """Fmax [MHz]; a dash where there is none."""
    return "-" if placed.period is None else f"{1000 / placed.period:.0f}"


def line(row: Row) -> str:
    """One row of the table."""
    name, found = row
    areas = found.areas
    whole = areas.kernel + areas.wrapper
    shown = [name, WRAPPERS[SYSTEMS[name].bus], *cells(whole), megahertz(found.whole)]
    shown += [*cells(areas.kernel), megahertz(found.kernel), *cells(areas.wrapper)]
    return f"| {' | '.join(shown)} |"


def part_lines(row: Row) -> Iterator[str]:
    """The rows of the masters or adapters of a system, and of the rest of its wrapper."""
    name, found = row
    for part in found.areas.parts:
        luts, flip_flops, _ = cells(part.area)
        yield f"| {name} | `{part.name}` | {part.instances} | {luts} | {flip_flops} |"
    luts, flip_flops, _ = cells(found.areas.rest)
    if found.areas.rest.luts:
        yield f"| {name} | port and registers | 1 | {luts} | {flip_flops} |"


def page(rows: Sequence[Row]) -> str:
    """docs/systems.md."""
    tools = sorted({found.tools for _, found in rows})
    listed = [
        f"- `{name}` ([{SYSTEMS[name].program}](../examples/{SYSTEMS[name].program})): "
        f"{SYSTEMS[name].title}."
        for name, _ in rows
    ]
    return "\n".join([
        "# The example systems on an FPGA",
        "",
        "Written by `make systems-placed`; do not edit. The systems that `make systems` simulates",
        "([Integrating LOOM](integration.md)), each as `loom wrap` makes it:",
        "",
        *listed,
        "",
        "Area and Fmax are from `synth_ecp5` and nextpnr-ecp5 (25k, speed grade 6, out of",
        "context). A carry cell counts as two LUT4, a 16 x 4 LUT RAM as six. Areas are of one",
        "synthesis that keeps the borders of the kernel, and of masters and adapters. Fmax is the",
        f"median of {len(SEEDS)} seeds, of the whole placed without borders and of the kernel",
        "placed alone. Paths from and to pins are not among them; those from and to the RAMs of a",
        "wrapper are, and they are behind pins where the kernel is alone.",
        f"Tools: {'; '.join(tools)}.",
        "What has not changed is kept from the run before (`tools/systems/record.json`).",
        "",
        *HEAD,
        *map(line, rows),
        "",
        "The wrapper of AXI4-Lite with four scalar arguments and no array is in",
        "[Integrating LOOM](integration.md#area). Registers grow with the arguments: each array",
        "of `fir_in_memory` and of `spmv` has a base address of 64 bits.",
        "",
        *PARTS_HEAD,
        *(each for row in rows for each in part_lines(row)),
        "",
    ])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
