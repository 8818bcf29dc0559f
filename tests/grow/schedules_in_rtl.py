"""Random programs as static schedules, or with static loops, in Verilator: many in one build."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from loom_sim.kernel import Kernel
from xdsl.dialects.builtin import ModuleOp

from loom.errors import LoomError, LoomErrors
from loom.front.api import compile_module
from loom.front.static_circuit import StaticCircuit
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import random_activations, signature_of
from tests.grow.static_campaign import kernel_of
from tests.random_programs import islands, random_program
from tests.random_programs.campaign import Tally
from tests.random_programs.in_rtl import simulated
from tests.random_programs.replay import Way
from tests.random_programs.statically import (
    AUTOMATICALLY,
    REFUSED,
    STATICALLY,
    Chosen,
    Compiled,
    choose,
    schedule,
)
from tests.random_programs.verdict import Choice, Finding, Verdict, crash, with_results

BATCH = 20
"""Circuits of one build."""
Pair = tuple[Kernel, list[Activation]]
"""A circuit under a name that no other has, and its inputs."""


def with_islands(seed: int) -> Compiled:
    """What compiles a program with some static loops, chosen by its seed."""

    def compiled(module: ModuleOp, options: Options, given: Sequence[Activation]) -> Chosen:
        marked = module.clone()
        return compile_module(marked, options=options) if islands.mark_loops(marked, seed) else None

    return compiled


def behind_channels(seed: int) -> Compiled:
    """The same of a program with arrays behind channels."""

    def compiled(module: ModuleOp, options: Options, given: Sequence[Activation]) -> Chosen:
        marked = module.clone()
        islands.draw_channels(marked, seed)
        return compile_module(marked, options=options) if islands.mark_loops(marked, seed) else None

    return compiled


WAYS: dict[str, Callable[[int], Compiled]] = {
    STATICALLY.option: lambda _: schedule,
    AUTOMATICALLY.option: lambda _: choose,
    islands.ISLANDS.option: with_islands,
    islands.BEHIND.option: behind_channels,
}
"""By the option of the command, what compiles the program of a seed."""


def pair_of(seed: int, way: Way, choice: Choice) -> Pair | Verdict:
    """A program's circuit and inputs; a verdict if there is nothing to simulate."""
    setting = choice.setting(seed)
    module = read_mlir(random_program(seed).replace("@f(", f"@p{seed}("), "program.mlir")
    signature = signature_of(top_function(module), setting.index_width)
    drawn = random_activations(signature, seed, setting.activations)
    given = with_results(module, signature.name, setting, drawn)
    options = Options(index_width=setting.index_width, clock_period=setting.period)
    try:
        circuit = WAYS[way.option](seed)(module, options, given) if given else None
    except (LoomError, LoomErrors) as error:
        code = error.code if isinstance(error, LoomError) else error.problems[0].code
        if code in REFUSED | islands.REFUSED:
            return Verdict(dropped=len(drawn))
        return Verdict(finding=Finding(f"refused {code}", str(error)))
    except Exception as error:
        return Verdict(finding=crash(error))
    if circuit is None:
        return Verdict(dropped=len(drawn))
    if isinstance(circuit, str):
        return Verdict(finding=Finding("choice", circuit, tuple(given)))
    if isinstance(circuit, StaticCircuit):
        return kernel_of(circuit), given
    return Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files()), given


def run_in_rtl(
    seeds: Sequence[int], way: Way, choice: Choice, say: Callable[[str], None]
) -> tuple[Tally, int]:
    """All these programs judged, under three rates of stalls, and how many were simulated."""
    tally, count = Tally(), 0
    pairs = found_pairs(seeds, way, choice, tally)
    while batch := [*islice(pairs, BATCH)]:
        findings = simulated([pair for _, pair in batch], batch[0][0])
        for (seed, (_, given)), finding in zip(batch, findings, strict=True):
            dropped = choice.activations - len(given)
            tally.add(seed, Verdict(len(given), dropped, finding))
        count += len(batch)
        say(f"{count} in RTL, {tally}")
    return tally, count


def found_pairs(
    seeds: Sequence[int], way: Way, choice: Choice, tally: Tally
) -> Iterator[tuple[int, Pair]]:
    """The seeds whose programs are simulated; the tally has the verdicts on the others."""
    for seed in seeds:
        found = pair_of(seed, way, choice)
        if isinstance(found, Verdict):
            tally.add(seed, found)
        else:
            yield seed, found
