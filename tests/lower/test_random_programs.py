"""Random programs and the circuits they become do the same; what does not is shown small.

`make campaign` runs many more of them than these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from unittest.mock import patch

import pytest
from xdsl.dialects import arith
from xdsl.ir import SSAValue

from loom.frontend.mlir.read import read_mlir
from loom.lower.dataflow import region_scopes as scopes
from loom.lower.scalar import identities
from tests.random_programs import grow_program, random_program, text_of
from tests.random_programs.__main__ import main
from tests.random_programs.cuts import cuts
from tests.random_programs.operators import FORMS, OPERATIONS
from tests.random_programs.replay import told
from tests.random_programs.shrink import size_of
from tests.random_programs.verdict import Choice, judge_by_models, setting_of

CHUNK = 10
"""Programs a test."""
CHUNKS = 12
MOST_LINES = 13
"""A shrunk program has no more beside its constants: ten for a while loop, and a store with its
address, without which the loop would be idle and leave the circuit."""
SECONDS = 200.0
"""So long a program may be shrunk; the faults below take 1 to 6 [s]."""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_programs_meet_their_circuits(chunk: int) -> None:
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        setting = setting_of(seed)
        finding = judge_by_models(random_program(seed), setting).finding
        assert finding is None, told(seed, setting, finding, SECONDS)


def test_programs_have_everything() -> None:
    texts = [random_program(seed) for seed in range(1200)]
    words = ["for unsigned", "scf.while", "} else {", "func.call", "iter_args"]
    words += ["memref.alloc(", "memref.alloca(", "memref.global", "memref.store", "memref.load"]
    words += ["subview", "collapse_shape", "expand_shape", "offset: ?", "strided<[2]>"]
    words += ["memref<i", "xindex>", ": i17 {", "i63", "i33", "i1>"]
    assert {word for word in words if sum(word in text for text in texts) < 10} == set()
    seen = {word for text in texts for word in re.findall(r"(?:arith|math|index)\.\w+", text)}
    assert set(FORMS) - seen == set()
    deepest = max(len(line) - len(line.lstrip()) for text in texts for line in text.split("\n"))
    assert deepest >= 2 * 6, "five levels inside the function"


def test_a_seed_is_a_program() -> None:
    assert random_program(7) == random_program(7) != random_program(8)


def test_every_cut_is_a_program() -> None:
    """Whatever is cut, the text is read: shrinking needs no rule of the language."""
    read = 0
    for seed in range(6):
        program = grow_program(seed)
        for number, smaller in enumerate(cuts(program)):
            if number % 41 == seed and size_of(smaller) < size_of(program):
                read_mlir(text_of(smaller), "smaller.mlir")
                read += 1
    assert read > 40


def test_division_by_chance_is_in_the_catalogue() -> None:
    assert {"arith.divsi", "math.ctpop", "index.add"} <= set(OPERATIONS)


def other_side(self: scopes.BranchScope, stream: SSAValue) -> SSAValue:
    """A value enters a branch on the wrong side."""
    split = self.branches.split(stream)
    return split.false_result if self.taken else split.true_result


def unsplit(self: scopes.AfterScope, stream: SSAValue) -> SSAValue:
    """A value enters the after region once more than it runs (docs/spec D2)."""
    return stream


FAULTS: Mapping[str, tuple[object, str, object]] = {
    "branches swap their values": (scopes.BranchScope, "step", other_side),
    "the after region is not split": (scopes.AfterScope, "split", unsplit),
    "a difference is turned round": (
        identities,
        "COMMUTATIVE",
        (*identities.COMMUTATIVE, arith.SubiOp),
    ),
}


ANY_PERIOD = Choice(both=False, period=None)
"""The wrong rules have nothing to do with buffers."""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_rule_is_found_and_shown_small(
    fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    target, name, wrong = FAULTS[fault]
    with patch.object(target, name, wrong):
        seed = next(
            seed
            for seed in range(600)
            if judge_by_models(random_program(seed), ANY_PERIOD.setting(seed)).finding
        )
        chosen = ["--seed", str(seed), "--clock-period", "none"]
        assert main([*chosen, "--shrink", "--seconds", str(SECONDS)]) == 1
        shown = capsys.readouterr().out
        text = shown[shown.index("func.func") : shown.index("\n}\n") + 3]
        lines = [line for line in text.splitlines() if "arith.constant" not in line]
        assert len(lines) <= MOST_LINES, text
        assert f"replay with: python -m tests.random_programs --seed {seed} --shrink" in shown
        assert "activation 0: {" in shown
        several = replace(ANY_PERIOD, activations=6, both=True).setting(seed)
        found = judge_by_models(text, several).finding
        assert found is not None and found.kind == "difference"
    assert main(chosen) == 0, "without the fault the program is right"
    assert judge_by_models(text, several).finding is None
