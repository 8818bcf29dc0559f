"""Cases judged in the process of the test, which takes no second to begin."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from loom.regress.case import Case
from loom.regress.row import Row
from loom.regress.workers import Judge


def judge_here(
    cases: Sequence[Case], jobs: int, verdict: Judge, is_ours: Callable[[int], bool]
) -> Generator[tuple[int, Row], None, None]:
    """As `loom.regress.workers.judge_all`, without workers."""
    for number, case in enumerate(cases):
        if is_ours(number):
            yield number, verdict(case)
