"""A circuit without a source program: the token model says what it does.

What the token model gives is compared with the bundle, and the RTL with the token model. There is
no third reading that could judge both.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.analysis.balance.solve_clocks import clocks_of
from loom.dialects.facts.layouts import Layout
from loom.dialects.floats.formats import FORMATS
from loom.errors import LoomError
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import Array, Scalar, Signature, random_activations
from loom.model.comparison import ModelReport, compare_with_expected, find_unclean_end
from loom.model.reference.reference import Outcome
from loom.model.tokens.check_counts import Counted
from loom.model.tokens.token_run import ActivationRun, TokenRun
from loom.model.tokens.token_simulator import simulate
from loom.netlist.netlist import Memory, Netlist, OutsidePort

DRAW_LIMIT = 1_000_000
"""Tokens that a run on random inputs may take [tokens]."""
RANGES = (None, 1 << 8, 64, 16, 4, 2, 1)
"""From which random data are drawn, one after the other until the circuit comes to rest."""


def run_graph(
    netlist: Netlist,
    activations: Sequence[Activation],
    *,
    max_cycles: int,
    seed: int | None = None,
) -> ModelReport:
    """Run the netlist on the activations and compare it with what the bundle expects."""
    limit = max_cycles * max(1, len(netlist.channels))
    counted = Counted(netlist, clocks_of(netlist))
    run = simulate(netlist, activations, limit=limit, seed=seed, watched=counted.watched())
    names = [*activations[0].inputs] if activations else []
    signature = signature_of_netlist(netlist, names)
    outcomes = tuple(outcome_of(each) for each in run.activations)
    differences: list[str] = []
    broken: set[int] = set()
    for number, (activation, outcome, each) in enumerate(
        zip(activations, outcomes, run.activations, strict=False)
    ):
        found = [*find_unclean_end(each)]
        if not each.missing:
            found += compare_with_expected(activation, outcome, signature)
        for invariant, text in counted.differences(each, outcome, activation):
            broken.add(invariant)
            found.append(f"invariant {invariant}: {text}")
        differences += [f"activation {number}: {text}" for text in found]
    if len(outcomes) < len(activations) and not differences:
        differences.append(f"the token model ran {len(outcomes)} of {len(activations)} activations")
    return ModelReport(
        tuple(activations), signature, outcomes, run, tuple(differences), frozenset(broken),
        has_program=False,
    )  # fmt: skip


def outcome_of(run: ActivationRun) -> Outcome:
    """What the run gave, as a program's run would; nothing is known of operations and loops."""
    return Outcome(
        run.results, {name: list(words) for name, words in run.memories.items()}, {}, {}, 0
    )


def signature_of_netlist(netlist: Netlist, arguments: Sequence[str]) -> Signature:
    """What an activation gives and gets: inputs with data, outside memories, outputs with data.

    A memory is a flat array; a bundle may nest its words in any way.
    """
    ports = {port.name: port for port in netlist.ports}
    memories = netlist.memory_by_name
    outputs = [port for port in netlist.ports if port.direction == "output" and port.width]
    return Signature(
        netlist.name,
        tuple(
            scalar(name, ports[name]) if name in ports else array(memories[name])
            for name in arguments
        ),
        tuple(scalar(str(number), port) for number, port in enumerate(outputs)),
    )


def scalar(name: str, port: OutsidePort) -> Scalar:
    """A port with data."""
    return Scalar(
        name=name, type=port.type, width=port.width, is_index=port.type == "index",
        form=FORMATS.get(port.type),
    )  # fmt: skip


def array(memory: Memory) -> Array:
    """A memory outside."""
    layout: Layout[int | None] = Layout((memory.depth,), 0, (1,))
    return Array(
        name=memory.name, type=memory.type, width=memory.width, is_index=memory.type == "index",
        form=FORMATS.get(memory.type), layout=layout, any_nesting=True,
    )  # fmt: skip


def draw_settling_activations(
    netlist: Netlist, signature: Signature, seed: int, count: int
) -> list[Activation]:
    """`count` activations drawn from `seed`, in which the circuit comes to rest without errors.

    Data are drawn from narrower and narrower ranges; where none does, the last draw is given.
    """
    found: list[Activation] = []
    while len(found) < count:
        for attempt, below in enumerate(RANGES):
            drawn = random_activations(signature, hash((seed, len(found), attempt)), 1, below)[0]
            if settles(netlist, [*found, drawn]):
                break
        found.append(drawn)
    return found


def settles(netlist: Netlist, activations: Sequence[Activation]) -> bool:
    """True if the circuit ends every activation as it began it."""
    try:
        run: TokenRun = simulate(netlist, activations, limit=DRAW_LIMIT)
    except LoomError:
        return False
    return run.clean
