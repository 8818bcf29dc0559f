"""``python -m loom_sim.library``: measures what units cost whose text is new."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from loom.errors import LoomError
from loom_sim.library.cost_file import measured_units, path, update


def main(arguments: Sequence[str] | None = None) -> int:
    """The file of costs is up to date, or says so with the exit status."""
    parser = argparse.ArgumentParser(prog="loom_sim.library", description=__doc__)
    parser.parse_args(arguments)
    try:
        update(
            list(measured_units()),
            lambda text: print(text, flush=True),
            lambda text: path().write_text(text, encoding="utf-8") and None,
        )
    except LoomError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
