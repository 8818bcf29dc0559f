"""``python -m loom``: the ``loom`` command."""

from __future__ import annotations

import sys

from loom.front.cli import main

if __name__ == "__main__":
    sys.exit(main())
