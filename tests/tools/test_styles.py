"""Tables over the examples: initiation intervals by both schedulers."""

from __future__ import annotations

from loom.lower.options import Options
from tests.support.folders import EXAMPLES
from tools.styles.intervals import Loop, loops_of, summary


def test_the_loops_of_a_program_and_their_intervals() -> None:
    """LU has a loop whose least II is one more than what ports and recurrences ask for."""
    loops = list(loops_of(EXAMPLES / "c" / "lu.c", Options()))
    assert (15, 16, 16, True) in [(e.mii, e.iterative[0], e.exact[0], e.is_least) for e in loops]
    assert list(loops_of(EXAMPLES / "c" / "bubble_sort.c", Options())) == [
        Loop("bubble_sort.c", 9, 3, (3, 6), (3, 5), is_least=True)
    ]


def test_the_summary_counts_loops() -> None:
    least = Loop("a", 5, 2, (2, 4), (2, 3), is_least=True)
    longer = Loop("b", 5, 2, (4, 4), (3, 4), is_least=False)
    assert summary([least, longer]) == (
        "2 loops: II = MII of 1 without a solver (50.0%) and of 1 with it (50.0%); its II is "
        "proved least of 1; its schedule is shorter of 2"
    )
