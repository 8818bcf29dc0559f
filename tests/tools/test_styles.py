"""Tables over the examples: initiation intervals by both schedulers, and what `auto` takes."""

from __future__ import annotations

from loom.front.styles.styled import Choice, Prediction
from loom.lower.options import Options
from tests.support.folders import EXAMPLES
from tools.styles import choices
from tools.styles.intervals import Loop, loops_of, summary


def test_the_loops_of_a_program_and_their_intervals() -> None:
    """A loop whose least II is one more than what ports and recurrences ask for."""
    loops = list(loops_of(EXAMPLES / "c" / "heap_sort.c", Options()))
    assert (6, 7, 7, True) in [(e.mii, e.iterative[0], e.exact[0], e.is_least) for e in loops]
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


def test_a_row_says_what_was_compared() -> None:
    row = choices.row_of(EXAMPLES / "fir.mlir")
    ours, theirs = row.choice.static, row.choice.dynamic
    assert ours is not None and theirs is not None
    assert choices.line(row) == (
        f"| fir.mlir | static | 210 | 208 | {ours.period:.1f} | {theirs.period:.1f} | {ours.luts} "
        f"| {theirs.luts} |"
    )
    refused = choices.Row("f.c", Choice("dynamic", "no static schedule: X"), 1.0)
    assert choices.line(refused) == "| f.c | dynamic | no static schedule: X | | | | | |"


def test_means_are_of_what_is_taken() -> None:
    static, dynamic = Prediction(100, 5.0, 50), Prediction(100, 10.0, 200)
    rows = [
        choices.Row("a", Choice("static", "", static, dynamic), 1.0),
        choices.Row("b", Choice("dynamic", "", static, dynamic), 2.0),
    ]
    assert list(choices.summary(rows)) == [
        "2 programs, 1 static; 2 compared by cycles",
        "cycles: 1.00 in geometric mean, 1.00 at most",
        "LUT4: 0.50 in geometric mean, 1.00 at most",
        "period: 0.71 in geometric mean, 1.00 at most",
        "time: 0.71 in geometric mean, 1.00 at most",
        "3 s, 2.0 s at most",
    ]


def test_static_loops_have_a_table() -> None:
    mixed, dynamic = Prediction(99, 10.0, 50), Prediction(100, 10.0, 200)
    chosen = Choice("dynamic", "", None, dynamic, mixed=mixed, static_loops=("k.c:8:3", "k.c:9:3"))
    rows = [choices.Row("k.c", chosen, 1.0), choices.Row("b", Choice("dynamic", ""), 1.0)]
    assert list(choices.summary_of_loops(rows)) == [
        *choices.OF_LOOPS,
        "| k.c | k.c:8:3, k.c:9:3 | 99 | 100 | 10.0 | 10.0 | 50 | 200 |",
        "1 dynamic circuits with static loops",
        "cycles: 0.99 in geometric mean, 0.99 at most",
        "LUT4: 0.25 in geometric mean, 0.25 at most",
        "time: 0.99 in geometric mean, 0.99 at most",
    ]
    assert not list(choices.summary_of_loops(rows[1:]))
