"""``python -m loom``: the ``loom`` command."""

from __future__ import annotations

import sys

from loom.front.cli import main

sys.exit(main())
