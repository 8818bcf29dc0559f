"""Cases judged in the process of the test, which takes no second to begin."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from loom.regress.case import Case
from loom.regress.row import Row
from loom.regress.workers import Judge


def judge_here(
    cases: Sequence[Case], jobs: int, verdict: Judge
) -> Generator[tuple[int, Row], None, None]:
    """As `loom.regress.workers.judge_all`, without workers."""
    yield from enumerate(map(verdict, cases))
