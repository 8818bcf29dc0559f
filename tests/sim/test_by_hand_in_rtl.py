"""Modules by hand do what the programs do, as black boxes in the same harness; faults are seen."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, KernelReport, cosimulate_kernels

from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from tests.sim.test_examples_in_rtl import kernel_of
from tests.support.folders import EXAMPLES
from tests.support.refusals import refusal
from tools.by_hand.circuits import FOLDER, by_hand, names_of

NAMES = ("fir", "gcd", "histogram", "matmul", "matvec", "spmv", "threshold", "vecadd")
LIMIT = 3000
"""Longer than any activation here [cycles]."""
CYCLES = {
    "fir": [106] * 3, "gcd": [14, 3, 11], "histogram": [70] * 3, "matmul": [519] * 3,
    "matvec": [407] * 3, "spmv": [38, 24, 38], "threshold": [69] * 3, "vecadd": [104] * 3,
}  # fmt: skip
"""Of the bundles' activations without stalls [cycles]."""


def hand_of(name: str) -> tuple[Kernel, list[Activation]]:
    """The module by hand, and at least three activations of the bundle."""
    kernel, given = kernel_of(EXAMPLES / f"{name}.mlir", Options())
    return by_hand(kernel, EXAMPLES), given


def run(
    loaded: list[tuple[Kernel, list[Activation]]], stalls: float = 0.0, seed: int = 1
) -> list[KernelReport]:
    """All kernels on their activations, in one build."""
    options = SimOptions(stalls=stalls, seed=seed, max_cycles=LIMIT)
    return cosimulate_kernels([k for k, _ in loaded], [g for _, g in loaded], options)


def other_inputs(kernel: Kernel, name: str) -> Iterator[Activation]:
    """Elements of all bits set or any, loops of no, one, two and many iterations, equal bins."""
    draw = random.Random(name)
    memories = {m.name: m for m in kernel.netlist.memories}

    def word(width: int) -> int:
        return draw.choice((0, (1 << width) - 1, draw.getrandbits(width)))

    for case in range(6):
        arrays = {m.name: [word(m.width) for _ in range(m.depth)] for m in memories.values()}
        if name == "gcd":
            a, b = ((1, 1), (2, 1), (1, 2), (1, 300), (832040, 514229), (3 << 30, 1 << 30))[case]
            yield Activation({"a": a, "b": b})
        elif name == "threshold":
            limit = (0, 1, 382, 764, 765, 65535)[case]
            yield Activation({**arrays, "limit": limit})
        elif name == "histogram":
            bins = [(0,), (15, 3), (1, 2, 1), (4, 4, 5, 5), (7, 8, 9), tuple(range(16))][case]
            feature = [bins[k % len(bins)] for k in range(64)]
            yield Activation({**arrays, "feature": feature})
        elif name == "spmv":
            lengths = [
                [0] * 10, [1] * 10, [2] * 10, [24, *[0] * 9], [*[0] * 9, 24],
                [0, 1, 2, 0, 0, 9, 1, 0, 3, 0],
            ][case]  # fmt: skip
            rows = [sum(lengths[:row]) for row in range(11)]
            columns = [draw.randrange(10) for _ in range(24)]
            yield Activation({**arrays, "rows": rows, "columns": columns})
        else:
            yield Activation(dict(arrays))


@pytest.fixture(scope="module")
def hands() -> list[tuple[Kernel, list[Activation]]]:
    return [hand_of(name) for name in NAMES]


def test_every_kernel_has_one() -> None:
    assert tuple(names_of(EXAMPLES)) == NAMES
    shared = {file.stem for file in (EXAMPLES / FOLDER).glob("*.sv")} - set(NAMES)
    assert shared == {"multiply"}


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_the_bundles_match(hands: list[tuple[Kernel, list[Activation]]]) -> None:
    for stalls, seed in ((0.0, 1), (0.3, 2), (0.6, 3)):
        reports = run(hands, stalls, seed)
        assert {r.kernel.top: r.differences for r in reports if not r.match} == {}
        if not stalls:
            assert {r.kernel.top: [x.cycles for x in r.rtl.runs] for r in reports} == CYCLES


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_other_inputs_match(hands: list[tuple[Kernel, list[Activation]]]) -> None:
    loaded = [(k, [*other_inputs(k, name)]) for name, (k, _) in zip(NAMES, hands, strict=True)]
    for stalls in (0.0, 0.5):
        reports = run(loaded, stalls, 5)
        assert {r.kernel.top: r.differences for r in reports if not r.match} == {}
        assert all(len(report.rtl.runs) == 6 for report in reports)


FAULTS = {
    "a result": (
        "fir", "tap_q <= LAST", "tap_q <= LAST - 7'd1", "the RTL's results are",
    ),
    "a word": (
        "vecadd", "a_rd_data_i + b_rd_data_i", "a_rd_data_i - b_rd_data_i",
        "the RTL leaves 100 other words in memory c",
    ),
    "a store after the done token": (
        "vecadd", "finish = writing_q & ~valid_q", "finish = reading_q & (read_q == 7'd80)",
        "a store after the last output was taken",
    ),
    "an element past the last one": (
        "vecadd", "LAST = 7'd99", "LAST = 7'd100", "an access past the last word",
    ),
    "an offer that is withdrawn": (
        "matvec", "(done_valid_q & ~done_ready_i)", "(done_valid_q & ~done_ready_i & storing_q)",
        "an offered token was withdrawn",
    ),
    "a token that changes": (
        "gcd", "assign out0_data_o = x_q;", "assign out0_data_o = {x_q[31:1], out0_ready_i};",
        "an offered token changed",
    ),
    "a second token": (
        "fir", "done_valid_q <= finish | (done_valid_q & ~done_ready_i)",
        "done_valid_q <= finish | (done_valid_q & ~(done_ready_i & out0_ready_i))",
        "output done: too many tokens",
    ),
    "no end": (
        "histogram", "finish = valid_q[3] & ~valid_q[2]", "finish = 1'b0",
        "output done: too few tokens",
    ),
    "what is left of the activation before": (
        "matmul", "      store_q <= 6'd0;\n", "", "the RTL leaves",
    ),
    "a bin that is not forwarded": (
        "histogram", "is_stored_q ? stored_q :", "1'b0 & is_stored_q ? stored_q :",
        "the RTL leaves",
    ),
}  # fmt: skip
"""By name: the module, its text, the fault in place of it, and how the harness names it."""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_faults_are_seen(hands: list[tuple[Kernel, list[Activation]]]) -> None:
    by_name = dict(zip(NAMES, hands, strict=True))
    loaded: list[tuple[Kernel, list[Activation]]] = []
    for name, right, wrong, _ in FAULTS.values():
        kernel, given = by_name[name]
        text = kernel.files[f"{name}.sv"]
        assert text.count(right) == 1, right
        files = {**kernel.files, f"{name}.sv": text.replace(right, wrong)}
        loaded.append((replace(kernel, files=files), given))
    found = dict(zip(FAULTS, run(loaded, 0.3, 2), strict=True))
    unseen = {
        fault: report.differences
        for fault, report in found.items()
        if not any(FAULTS[fault][3] in text for text in report.differences)
    }
    assert unseen == {}


def test_other_ports_are_refused(tmp_path: Path) -> None:
    kernel, _ = kernel_of(EXAMPLES / "gcd.mlir", Options())
    folder = tmp_path / FOLDER
    folder.mkdir()
    text = (EXAMPLES / FOLDER / "gcd.sv").read_text()
    file = folder / "gcd.sv"
    file.write_text(text.replace("[31:0] b_data_i", "[15:0] b_data_i"))
    assert refusal(by_hand, kernel, tmp_path) == (
        f"{file}: error[SIM_FILES]: found `input logic [15:0] b_data_i`; "
        "LOOM accepts the ports of the circuit gcd, in their order"
    )
    file.write_text(text.replace("module gcd", "module lcm"))
    assert refusal(by_hand, kernel, tmp_path) == (
        f"{file}: error[SIM_FILES]: found no module gcd; LOOM accepts a module gcd"
    )
    file.unlink()
    assert "error[INPUT_UNREADABLE]" in refusal(by_hand, kernel, tmp_path)
