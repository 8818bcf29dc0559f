"""Where things stand in the checkout."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
ROWS = TESTS / "rows"
EXAMPLES = ROOT / "examples"
DOCS = ROOT / "docs"
