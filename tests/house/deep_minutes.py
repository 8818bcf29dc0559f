"""The option `--deep-minutes N`: deep tests begin in the first N minutes of a run alone.

So a run after a change of all sources ends in time, too. What is left says so, and `make deep` runs
it. The plugin is loaded by name: `-p tests.house.deep_minutes`.
"""

from __future__ import annotations

import time

import pytest

BEGAN = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The minutes; processes of one run get them alike."""
    parser.getgroup("deep tests").addoption(
        "--deep-minutes", type=float, required=True, help="deep tests begin in so many alone"
    )


def pytest_configure(config: pytest.Config) -> None:
    """The time is that since the run began, in each process [s]."""
    config.stash[BEGAN] = time.monotonic()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A deep test that would begin later is skipped."""
    most = 60 * item.config.getoption("--deep-minutes")
    if item.get_closest_marker("deep") and time.monotonic() - item.config.stash[BEGAN] >= most:
        pytest.skip(f"the {most / 60:g} minutes of deep tests are over; `make deep` runs it")
