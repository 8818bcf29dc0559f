"""The fixture `no_clock_period`: circuits of tests that are about loops, passes or buffer rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loom.analysis.timing.clocked_units import Clock
from loom.lower.dataflow import place_buffers
from loom.lower.options import Options


@pytest.fixture
def no_clock_period(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a choice of the test there is no period, as with ``--clock-period none``."""
    choose = place_buffers.clock_of

    def clock_of(options: Options) -> Clock | None:
        unset = options.clock_period == "default"
        return choose(replace(options, clock_period=None) if unset else options)

    monkeypatch.setattr(place_buffers, "clock_of", clock_of)
