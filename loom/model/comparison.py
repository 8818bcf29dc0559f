"""The source reference against what is expected and against the token model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from loom.analysis.balance.solve_clocks import clocks_of
from loom.analysis.program.reshaped_loops import reshaped_loops
from loom.dialects.facts.program_facts import REASSOCIATED
from loom.dialects.floats.formats import Format
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import Signature, signature_of
from loom.model.reference.port_bound import ports_of
from loom.model.reference.reference import Outcome, compile_reference
from loom.model.tokens.check_counts import Counted
from loom.model.tokens.token_run import ActivationRun, TokenRun
from loom.model.tokens.token_simulator import simulate
from loom.netlist.names import port_names
from loom.netlist.netlist import Netlist

OPERATIONS_A_CYCLE = 20
"""Operations that the reference may run for each cycle a simulation may last [operations]."""


@dataclass(frozen=True)
class ModelReport:
    """Both models' runs of the same activations, and where they differ, in words.

    `broken` are the numbers of the invariants whose counts are not as they must be. Without a
    program the outcomes are the token model's.
    """

    activations: tuple[Activation, ...]
    signature: Signature
    outcomes: tuple[Outcome, ...]
    tokens: TokenRun
    differences: tuple[str, ...]
    broken: frozenset[int] = frozenset()
    has_program: bool = True

    @property
    def judge(self) -> str:
        """Who says what is right, in a message."""
        return "program" if self.has_program else "token model"

    @property
    def bound(self) -> int | None:
        """The least bound of the activations, where a program tells it [cycles]."""
        return min(outcome.bound for outcome in self.outcomes) if self.has_program else None


def compare_models(
    source: ModuleOp,
    top: str,
    netlist: Netlist,
    activations: Sequence[Activation],
    *,
    max_cycles: int,
    seed: int | None = None,
) -> ModelReport:
    """Run the program and the netlist on the same activations and compare all they do.

    What a run of the program by its language gave is not compared where sums are reassociated.
    `max_cycles` bounds both [cycles]: a program that needs more is refused as endless.
    """
    reference = compile_reference(source, top, netlist.index_width)
    budget = max_cycles * max(OPERATIONS_A_CYCLE, sum(1 for _ in source.walk()))
    names = port_names(activations[0].inputs) if activations else {}
    circuit = ports_of(netlist, names)
    outcomes = tuple(
        replace(reference.run(list(activation.inputs.values()), budget=budget), ports=circuit)
        for activation in activations
    )
    counted = Counted(netlist, clocks_of(netlist), reshaped_loops(source))
    limit = max_cycles * max(1, len(netlist.channels))
    run = simulate(netlist, activations, limit=limit, seed=seed, watched=counted.watched())
    signature = signature_of(top_function(source, top), netlist.index_width)
    in_order = not REASSOCIATED.is_on(source)
    differences: list[str] = []
    broken: set[int] = set()
    for number, (activation, outcome) in enumerate(zip(activations, outcomes, strict=True)):
        found: list[str] = []
        if in_order or not activation.expected.by_run:
            found += compare_with_expected(activation, outcome, signature)
        if number < len(run.activations):
            found += compare_with_tokens(outcome, run.activations[number], activation, signature)
            for invariant, text in counted.differences(
                run.activations[number], outcome, activation
            ):
                broken.add(invariant)
                found.append(f"invariant {invariant}: {text}")
        differences += [f"activation {number}: {text}" for text in found]
    if len(run.activations) < len(activations) and not differences:
        ran = len(run.activations)
        differences.append(f"the token model ran {ran} of {len(activations)} activations")
    return ModelReport(
        tuple(activations), signature, outcomes, run, tuple(differences), frozenset(broken)
    )


def top_function(source: ModuleOp, top: str) -> FuncOp:
    """The function of that name."""
    return next(op for op in source.ops if isinstance(op, FuncOp) and op.sym_name.data == top)


def compare_with_expected(
    activation: Activation, outcome: Outcome, signature: Signature
) -> Iterator[str]:
    """Where the reference differs from what is expected."""
    given = activation.expected
    who = given.by
    if given.results is not None and given.results != outcome.results:
        for k, (want, got) in enumerate(zip(given.results, outcome.results, strict=True)):
            if want == got:
                continue
            like = signature.with_tokens[k]
            if given.any_nan and are_nans(got, want, like.form):
                continue
            yield f"result {k} is {like.shown(got)}, the {who} expects {like.shown(want)}"
    for name, words in given.memories.items():
        found = outcome.memories[name]
        wrong = [k for k, word in enumerate(words) if word is not None and word != found[k]]
        array = signature.by_name[name]
        if given.any_nan:
            wrong = [k for k in wrong if not are_nans(found[k], words[k], array.form)]
        if wrong:
            k = wrong[0]
            wanted = words[k]
            assert wanted is not None
            yield (
                f"memory {name} differs from the {who} in {len(wrong)} words, first at {k}: "
                f"{array.shown(found[k])}, expected {array.shown(wanted)}"
            )


def are_nans(got: int, want: int | None, form: Format | None) -> bool:
    """True for two NaNs of a format."""
    return form is not None and want is not None and form.is_nan(got) and form.is_nan(want)


def compare_with_tokens(
    outcome: Outcome, run: ActivationRun, activation: Activation, signature: Signature
) -> Iterator[str]:
    """Where the token model differs from the reference, or is not as it was before."""
    if not run.missing and run.results != outcome.results:
        got, want = (signature.shown(each.results) for each in (run, outcome))
        yield f"the token model's results are {got}, the program's {want}"
    ports = port_names(activation.inputs)
    memories = {ports[name]: words for name, words in outcome.memories.items()}
    for name, words in run.memories.items():
        if words != memories[name]:
            yield f"the token model leaves other words in memory {name} than the program"
    yield from find_unclean_end(run)


def find_unclean_end(run: ActivationRun) -> Iterator[str]:
    """Why the circuit did not end the activation as it began it."""
    if run.missing:
        yield (
            f"the token model deadlocks: no token on {', '.join(run.missing)}; "
            f"blocked: {', '.join(run.blocked)}"
        )
    for code in run.errors:
        yield f"the token model raises {code}"
    if not run.missing:
        for port, tokens in run.outputs.items():
            if len(tokens) > 1:
                yield f"the token model gives {len(tokens)} tokens on output {port}"
        for name, count in run.residual.items():
            if count > 0:
                yield f"the token model leaves {count} tokens on channel {name}"
            else:
                yield f"the token model leaves {-count} tokens fewer than before on channel {name}"
        for unit in run.not_at_rest:
            yield f"the token model leaves unit {unit} in the middle of something"
