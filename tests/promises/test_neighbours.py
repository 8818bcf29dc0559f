"""Neighbours that break the protocol: the top says who and how, and after a reset all is right.

What the circuit does with a token that was withdrawn or changed, or with an unknown valid or ready,
is not defined until the next reset.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from loom_sim import SimOptions, cosimulate
from loom_sim import harness as harness_module

from tests.promises.four_state import (
    NEEDS_ICARUS,
    bench_text,
    compile_bench,
    differences,
    simulate,
)
from tests.promises.held_starts import HALVE, MOST, hold_text

SOURCE = "harness_source.sv"
BROKEN: Mapping[str, tuple[Mapping[str, str], set[str]]] = {
    "withdrawn": (
        {
            "assign valid_o   = offer_q;": "assign valid_o   = offer_q & noise_i[50];",
            "assign taken     = offer_q & ready_i;": "assign taken     = valid_o & ready_i;",
        },
        {"i_stays", "j_stays", "d_stays", "start_stays"},
    ),
    "changed": (
        {"assign index_o   = sent_q;": "assign index_o   = sent_q ^ 32'(noise_i[50]);"},
        {"i_stays.unchanged", "j_stays.unchanged", "d_stays.unchanged"},
    ),
}
"""Faults planted in the source of the harness, and the assertions that they fail."""
UNKNOWN: Mapping[str, tuple[str, str, str]] = {
    "valid": ("d_valid = rst_n ? d_offer :", "d_valid = rst_n && now > 20 ? d_offer :", "d_valid"),
    "ready": ("out0_ready = rst_n ?", "out0_ready = rst_n && now > 2 ?", "out0_ready"),
}
"""A neighbour whose valid or ready is unknown for a while, planted in the bench; the assertion."""
OFFERS = "_valid = rst_n ? {0}_offer :"
WITHDRAWS = "_valid = rst_n ? {0}_offer && !(again && now % 3 == 0) :"
"""Until the reset that comes in the middle; what was not taken may be lost."""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize("name", BROKEN)
def test_the_top_says_who_and_how(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The assertions that co-simulation shows are those of the ports, and of what they did."""
    changes, wanted = BROKEN[name]
    folder = shutil.copytree(harness_module.TEMPLATES, tmp_path / "harness")
    text = (folder / SOURCE).read_text(encoding="utf-8")
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / SOURCE).write_text(text, encoding="utf-8")
    monkeypatch.setattr(harness_module, "TEMPLATES", folder)
    (result,) = cosimulate([hold_text(HALVE).job], SimOptions(stalls=0.3, max_cycles=MOST))
    said = {text.partition(":")[0] for text in result.assertions}
    labels = {each.partition(".")[2] for each in said if each.startswith("neighbours.")}
    assert labels == wanted


@NEEDS_ICARUS
@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_neighbour_is_asserted(name: str, tmp_path: Path) -> None:
    known, unknown, signal = UNKNOWN[name]
    held = hold_text(HALVE)
    assert bench_text(held).count(known) == 1
    image = compile_bench(held, tmp_path, lambda text: text.replace(known, unknown))
    failed = "".join(simulate(image).failed)
    assert f"bench.dut.neighbours.{signal}_is_known" in failed


@NEEDS_ICARUS
def test_after_a_reset_all_is_right(tmp_path: Path) -> None:
    """Tokens are withdrawn for 60 cycles; then come a reset and neighbours that keep the law."""
    held = hold_text(HALVE)

    def withdraw(text: str) -> str:
        for port in held.inputs:
            offers = port + OFFERS.format(port)
            assert text.count(offers) == 1
            text = text.replace(offers, port + WITHDRAWS.format(port))
        return text

    found = simulate(compile_bench(held, tmp_path, withdraw), reset_at=60)
    said = "".join(found.failed)
    assert "bench.dut.neighbours.d_stays" in said
    found.failed.clear()
    assert [*differences(held, found)] == []
