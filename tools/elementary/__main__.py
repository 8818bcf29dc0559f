"""``python -m tools.elementary [--step N] [NAME ..]``: functions on all patterns of f32, recorded.

Some minutes a function; with a step on every N-th pattern. Names are such as exp; all by default.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from loom.dialects.floats.elementary.functions import PROGRAMS
from tools.elementary.record import put
from tools.elementary.run import ALL, run, write_text


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the functions and record what was found."""
    parser = argparse.ArgumentParser(prog="tools.elementary", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--step", type=int, default=1)
    chosen = parser.parse_args(arguments)
    for operator in [f"math.{name}" for name in chosen.names] or PROGRAMS:
        with TemporaryDirectory() as folder:
            found = run(write_text(operator), Path(folder), 0, -(-ALL // chosen.step), chosen.step)
        put(operator, found)
        print(operator, found, flush=True)


if __name__ == "__main__":
    main()
