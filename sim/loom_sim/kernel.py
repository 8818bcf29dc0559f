"""One kernel in all three ways: the source program, the token model and the RTL must agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from loom.dialects.operators.runtime_errors import RUNTIME_ERRORS
from loom.errors import LoomError, Place
from loom.model.bundles.activation import Activation
from loom.model.comparison import ModelReport, compare_models
from loom.model.graph_run import run_graph
from loom.model.reference.reference import Outcome
from loom.model.report import run_json, total
from loom.model.timed.simulate import predicted
from loom.model.tokens.token_run import ActivationRun, TokenRun
from loom.netlist.names import port_names
from loom.netlist.netlist import Netlist
from loom.netlist.still_moving import describe_movement
from loom_sim.cosimulate import cosimulate
from loom_sim.jobs import Activation as SimActivation
from loom_sim.jobs import Job, JobResult, Run, SimOptions

LONG_RUN = 300_000
"""Tokens on one channel from which a slow build of a fast simulator pays [tokens]."""


MOST_CYCLES = 10_000_000
"""Cycles after which the model of a black box is taken for endless [cycles]."""


@dataclass(frozen=True)
class Kernel:
    """A compiled kernel with its files, ready to be simulated; a graph has no source program."""

    source: ModuleOp | None
    top: str
    netlist: Netlist
    files: Mapping[str, str]
    black_box: bool = False
    """The files are not the netlist's, but have its ports and memories (`Job.black_box`)."""
    cycles: Callable[[Sequence[Activation], int], list[int]] | None = None
    """Of a black box whose cycles are known: those of each activation without stalls, by a model
    that ends at so many cycles."""

    def __repr__(self) -> str:
        return f"<Kernel {self.top}: {self.netlist!r}>"


@dataclass(frozen=True)
class KernelReport:
    """What the three runs of one kernel gave; `differences` is empty if they agree."""

    kernel: Kernel
    model: ModelReport
    rtl: JobResult
    differences: tuple[str, ...]

    @property
    def match(self) -> bool:
        """True if results, memories and token counts agree and nothing was left over."""
        return not self.differences

    def refuse_cut_off(self, most: int) -> None:
        """Return unless all that is wrong is an activation that did not end in `most` [cycles].

        Refused (SIM_CYCLES): such a report, which says nothing of what the RTL would have given.
        """
        number = len(self.rtl.runs) - 1
        if number < 0 or self.rtl.assertions or not self.rtl.runs[number].is_cut_off:
            return
        before = tuple(f"activation {k}:" for k in range(number))
        if self.model.differences or any(text.startswith(before) for text in self.differences):
            return
        run, netlist = self.rtl.runs[number], self.kernel.netlist
        expected = self.predicted
        models = "" if expected is None else f"; {expected[number]} are predicted without stalls"
        raise LoomError(
            "SIM_CYCLES", Place(netlist.name),
            f"activation {number}, which has not ended after {most} cycles{models}; "
            f"{describe_movement(netlist, run.moving)}",
            "a --max-cycles in which activations end",
        )  # fmt: skip

    @property
    def cycles(self) -> int:
        """Cycles of all activations together [cycles]."""
        return sum(run.cycles for run in self.rtl.runs)

    @cached_property
    def predicted(self) -> list[int] | None:
        """Cycles of each activation in the timed model, without stalls; None for long runs."""
        if self.kernel.black_box:
            known = self.kernel.cycles
            return None if known is None else known(self.model.activations, MOST_CYCLES)
        runs = predicted(self.kernel.netlist, self.model.activations, self.model.tokens)
        return None if runs is None else [run.cycles for run in runs]

    @property
    def tokens(self) -> int:
        """Tokens that all channels carried in the RTL [tokens]."""
        return sum(sum(run.tokens.values()) for run in self.rtl.runs)

    @property
    def deadlock(self) -> list[str] | None:
        """The blocked channels if outputs never came, else None."""
        stuck = [run for run in self.rtl.runs if run.missing]
        return list(stuck[0].blocked) if stuck else None

    def to_json(self) -> dict[str, Any]:
        """The object that ``loom sim --json`` prints."""
        seen = total([run.tokens for run in self.rtl.runs])
        expected = total([run.tokens for run in self.model.tokens.activations])
        netlist = self.kernel.netlist
        residual = sum(len(run.residual) for run in self.rtl.runs)
        return {
            "kernel": netlist.name,
            "match": self.match,
            "differences": list(self.differences),
            "residual_tokens": residual,
            "deadlock": self.deadlock,
            "bound": self.model.bound,
            "tokens": {
                name: {"expected": expected.get(name, 0), "seen": seen.get(name, 0)}
                for name in expected
            },
            "runs": [
                {
                    **run_json(self.model.signature, given, results_of(netlist, run), run.memories),
                    "cycles": run.cycles,
                    "predicted": cycles,
                    "bound": outcome.bound if self.model.has_program else None,
                }
                for given, run, outcome, cycles in zip(
                    self.model.activations,
                    self.rtl.runs,
                    self.model.outcomes,
                    self.predicted or repeat(None),
                    strict=False,
                )
            ],
        }


def cosimulate_kernels(
    kernels: Sequence[Kernel],
    activations: Sequence[Sequence[Activation]],
    options: SimOptions,
) -> list[KernelReport]:
    """Run every kernel on its activations in source, token model and RTL, and compare.

    All kernels share one simulator build. `options.max_cycles` bounds each activation.
    """
    models = [
        model_of(kernel, given, options.max_cycles)
        for kernel, given in zip(kernels, activations, strict=True)
    ]
    jobs = [
        Job(
            kernel.netlist,
            kernel.files,
            tuple(sim_activation(kernel.netlist, a) for a in given),
            kernel.black_box,
        )
        for kernel, given in zip(kernels, activations, strict=True)
    ]
    if options.fast is None:
        options = replace(options, fast=any(is_long(model.tokens) for model in models))
    reports: list[KernelReport] = []
    for kernel, model, rtl in zip(kernels, models, cosimulate(jobs, options), strict=True):
        found = tuple(dict.fromkeys([*model.differences, *differences(kernel, model, rtl)]))
        reports.append(KernelReport(kernel, model, rtl, found))
    return reports


def model_of(kernel: Kernel, given: Sequence[Activation], max_cycles: int) -> ModelReport:
    """What the models say of a kernel: source and token model, or the token model alone."""
    if kernel.source is None:
        return run_graph(kernel.netlist, given, max_cycles=max_cycles)
    return compare_models(kernel.source, kernel.top, kernel.netlist, given, max_cycles=max_cycles)


def is_long(tokens: TokenRun) -> bool:
    """Whether the run takes more than `LONG_RUN` cycles: a channel carries one token a cycle."""
    counts = total([run.tokens for run in tokens.activations])
    return max(counts.values(), default=0) > LONG_RUN


def sim_activation(netlist: Netlist, activation: Activation) -> SimActivation:
    """The activation as tokens for ports and words for external memories."""
    ports = port_names(activation.inputs)
    given = {ports[name]: value for name, value in activation.inputs.items()}
    inputs: dict[str, Sequence[int]] = {}
    for port in netlist.ports:
        if port.direction == "input":
            token = given.get(port.name, 0) if port.width else 0
            assert isinstance(token, int)
            inputs[port.name] = (token,)
    memories: dict[str, Sequence[int]] = {}
    for memory in netlist.memories_outside:
        words = given.get(memory.name)
        assert isinstance(words, list)
        memories[memory.name] = words
    return SimActivation(inputs, memories)


def differences(kernel: Kernel, model: ModelReport, rtl: JobResult) -> Iterator[str]:
    """Where the RTL differs from the program and from the token model, in words."""
    netlist = kernel.netlist
    yield from rtl.problems
    for number, (run, outcome, activation) in enumerate(
        zip(rtl.runs, model.outcomes, model.activations, strict=False)
    ):
        ports = port_names(activation.inputs)
        for text in run_differences(netlist, run, outcome, ports, model):
            yield f"activation {number}: {text}"
    for number, (run, tokens) in enumerate(zip(rtl.runs, model.tokens.activations, strict=False)):
        watched = run.tokens if kernel.black_box else tokens.tokens
        for text in token_differences(run, tokens, watched):
            yield f"activation {number}: {text}"
    if len(rtl.runs) < len(model.outcomes) and not rtl.problems:
        yield f"the RTL ran {len(rtl.runs)} of {len(model.outcomes)} activations"


def run_differences(
    netlist: Netlist, run: Run, outcome: Outcome, ports: Mapping[str, str], model: ModelReport
) -> Iterator[str]:
    """Where one activation's results or memories differ from the model's."""
    results, judge, signature = results_of(netlist, run), model.judge, model.signature
    if not run.missing and results != outcome.results:
        got, want = (signature.shown(each) for each in (results, outcome.results))
        yield f"the RTL's results are {got}, the {judge}'s {want}"
    memories = {ports[name]: words for name, words in outcome.memories.items()}
    likes = {ports[name]: like for name, like in signature.by_name.items()}
    for name, words in run.memories.items():
        if list(words) != memories[name]:
            wrong = [k for k, word in enumerate(words) if word != memories[name][k]]
            k = wrong[0]
            yield (
                f"the RTL leaves {len(wrong)} other words in memory {name} than the {judge}, "
                f"first at {k}: {likes[name].shown(words[k])}, "
                f"not {likes[name].shown(memories[name][k])}"
            )
    if run.error_code:
        known = run.error_code < len(RUNTIME_ERRORS)
        name = RUNTIME_ERRORS[run.error_code] if known else "an error that no circuit has"
        yield f"the RTL raises {name}"


def token_differences(run: Run, expected: ActivationRun, watched: Iterable[str]) -> Iterator[str]:
    """Of the `watched` channels those that carried another number of tokens than in the model."""
    for name in watched:
        seen, count = run.tokens.get(name), expected.tokens.get(name)
        if seen != count:
            yield f"channel {name} carried {seen} tokens, {count} expected"


def results_of(netlist: Netlist, run: Run) -> tuple[int, ...]:
    """The tokens on the outputs with data, in port order."""
    return tuple(
        token
        for port in netlist.ports
        if port.direction == "output" and port.width
        for token in run.outputs[port.name][:1]
    )
