"""``python -m tools.library``: ``costs`` measures units on an FPGA, ``synthesis`` counts the
cells of units and examples on three, ``pages`` writes a page for each unit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from loom.errors import LoomError
from tools.library import cost_file, pages, synthesis_record
from tools.library.cost_points import measured_units


def main(arguments: Sequence[str] | None = None) -> int:
    """The file of costs, or the pages of the units, are up to date."""
    parser = argparse.ArgumentParser(prog="tools.library", description=__doc__)
    parser.add_argument("what", choices=("costs", "synthesis", "pages"))
    parser.add_argument("--again", action="store_true", help="costs that failed, once more")
    parser.add_argument("--proofs", type=Path, default=Path("docs/proofs.md"), help="the page")
    parser.add_argument("--out", type=Path, default=Path("build/units"), help="for the pages")
    parser.add_argument("--examples", type=Path, default=Path("examples"), help="their folder")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.what == "costs":
            cost_file.update(measured_units(), say, save, chosen.again)
        elif chosen.what == "synthesis":
            synthesis_record.update(chosen.examples, say)
        else:
            say(f"{pages.write(chosen.out, chosen.proofs)} files in {chosen.out}")
    except LoomError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def say(text: str) -> None:
    """A line of progress."""
    print(text, flush=True)


def save(text: str) -> None:
    """The file of costs has this text."""
    cost_file.path().write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
