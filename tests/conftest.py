"""What every test may have: the fixtures `deep`, `deep_on_sources` and `no_clock_period`."""

from __future__ import annotations

import gc

pytest_plugins = [
    "tests.support.deep",
    "tests.support.deep_on_sources",
    "tests.support.no_clock_period",
]


def pytest_collection_finish() -> None:
    """The collector leaves what was imported alone, and runs as seldom as while a verb runs."""
    from loom.front.cli import COLLECTIONS

    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTIONS)
