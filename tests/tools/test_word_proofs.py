"""The part that keeps a word of several elements is proved, and the proof reports faults."""

from __future__ import annotations

import pytest

from tools.prove.memory_words import SLOTS, prove_words, words_text

pytestmark = pytest.mark.sim
FAULTS = (
    ("same = some & (ask_addr_i == last_q)", "same = ask_addr_i == last_q", "kept"),
    ("same = some & (ask_addr_i == last_q)", "same = some & ask_addr_i[0] == last_q[0]", "same"),
    ("ar_valid_o = ask_valid_i & ~same", "ar_valid_o = ask_valid_i", "once_a_word"),
    ("again ? word_q : r_data_i", "r_data_i", "kept"),
    ("again ? error_q : r_error_i", "~again & r_error_i", "kept"),
    ("some & ~again & word_ready_i", "some & word_ready_i", "taken_for_one"),
    ("      error_q <= r_error_i;\n", "", "kept"),
)  # fmt: skip


@pytest.mark.parametrize("slots", SLOTS)
def test_the_part_is_proved(slots: int) -> None:
    verdict = prove_words(slots)
    assert verdict.proved, verdict.reasons


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize(("old", "new", "assertion"), FAULTS)
def test_a_planted_fault_is_reported(old: str, new: str, assertion: str) -> None:
    assert old in words_text()
    verdict = prove_words(2, words_text().replace(old, new))
    assert not verdict.proved
    assert any(assertion in reason for reason in verdict.reasons), verdict.reasons
