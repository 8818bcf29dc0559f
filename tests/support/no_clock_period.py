"""The fixture `no_clock_period`: circuits of tests that are about loops, passes or buffer rules."""

from __future__ import annotations

import pytest

from loom.lower.dataflow import choose_period
from loom.lower.options import Options


@pytest.fixture
def no_clock_period(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a choice of the test there is no period, as with ``--clock-period none``."""
    choose = choose_period.period_of

    def period_of(options: Options) -> float | None:
        return None if options.clock_period == "default" else choose(options)

    monkeypatch.setattr(choose_period, "period_of", period_of)
