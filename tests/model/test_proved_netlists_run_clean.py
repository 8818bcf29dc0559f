"""What the invariants prove is what runs show: netlists with two readers exchanged, at random.

A netlist whose balance is proved leaves no token and no unit behind, whatever it computes; one that
does is refuted or left open.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from loom.analysis.balance.invariants import check_invariants
from loom.errors import LoomError
from loom.front.api import compile_text
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.model.bundles.signature import random_activations, signature_of
from loom.model.tokens.token_simulator import simulate
from loom.netlist.checks import problems
from loom.netlist.netlist import Netlist
from tests.model.test_program_meets_model import POLICIES
from tests.random_programs import random_program

EXCHANGES = 8
"""Tried on each netlist."""
SEEN: Counter[tuple[str, str]] = Counter()


def exchanged(netlist: Netlist, random: Random) -> Netlist | None:
    """Two channels of one type with each other's reader; None if that leaves an uncut cycle."""
    first = random.choice(netlist.channels)
    second = random.choice([c for c in netlist.channels if c.type == first.type])
    new = {
        first.name: replace(first, target=second.target),
        second.name: replace(second, target=first.target),
    }
    found = replace(netlist, channels=tuple(new.get(c.name, c) for c in netlist.channels))
    return None if problems(found) else found


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("block", range(4))
def test_proved_is_clean(block: int) -> None:
    for seed in range(6 * block, 6 * block + 6):
        options = Options(64, POLICIES[seed % 2])
        circuit = compile_text(random_program(seed), "k.mlir", options=options)
        given = random_activations(signature_of(top_function(circuit.source), 64), seed, 3)
        random = Random(seed)
        for _ in range(EXCHANGES):
            netlist = exchanged(circuit.netlist, random)
            if netlist is None:
                continue
            verdict = check_invariants(netlist).balance.split()[0]
            try:
                run = simulate(netlist, given, limit=100_000)
            except LoomError:
                continue  # a loop without end leaves nothing to see
            clean = not any(a.residual or a.not_at_rest or a.missing for a in run.activations)
            SEEN[verdict, "clean" if clean else "not clean"] += 1
            assert clean or verdict in ("refuted", "not")


def test_the_exchanges_were_of_both_kinds() -> None:
    """In a process that ran all of the above."""
    if sum(SEEN.values()) > 60:
        assert SEEN["proved", "clean"] > 10
        assert SEEN["refuted", "not clean"] > 10
