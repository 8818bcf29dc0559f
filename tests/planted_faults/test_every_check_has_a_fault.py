"""Each kind of difference that the judge can report is reported of a planted fault.

Who adds a kind adds a fault. The kinds are read from the judge's code.
"""

from __future__ import annotations

from tests.model.test_comparison import ROWS
from tests.planted_faults.kinds import IN_ACTIVATION, kinds, kinds_of, without_fault
from tests.planted_faults.suite import FAULTS

REPORTED = [
    *(text for fault in FAULTS.values() for text in fault.reported),
    # Wrong circuits of the token model alone, in exact words too.
    *(text for row in ROWS.values() for text in row.told),
]


def test_each_kind_of_difference_is_reported_of_a_fault() -> None:
    missing = without_fault(kinds(), REPORTED)
    assert missing == [], (
        "nothing in tests/planted_faults makes the judge report this; plant a fault that does"
    )


def test_each_reported_text_is_of_a_kind() -> None:
    """So that a text which the judge words elsewhere does not go unseen by the test above."""
    patterns = kinds()
    texts = [IN_ACTIVATION.sub("", text, count=1) for text in REPORTED]
    assert [text for text in texts if not kinds_of(patterns, text)] == []


def test_a_kind_without_a_fault_is_found() -> None:
    """Each kind is missed when what is reported of it is taken away."""
    patterns = kinds()
    for kind in patterns:
        others = [
            text
            for text in REPORTED
            if kind not in kinds_of(patterns, IN_ACTIVATION.sub("", text, count=1))
        ]
        assert kind in without_fault(patterns, others)


def test_the_kinds_are_those_of_the_code() -> None:
    found = kinds()
    assert len(found) > 30
    for some in (
        "jobs.py: channel ..: a token is left",
        "kernel.py: the RTL ran .. of .. activations",
        "results.py: an access past the last word",
        "ports.py: token .. is .. where .. is expected",
        "check_counts.py: and .. more",
    ):
        assert some in found
