"""Random programs in Verilator: many in one build, each under three rates of stalls."""

from __future__ import annotations

from collections.abc import Sequence

from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, KernelReport, cosimulate_kernels

from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import random_activations, signature_of
from tests.random_programs import random_program
from tests.random_programs.replay import Way
from tests.random_programs.verdict import Finding, Setting, Verdict, judge_by_models, setting_of

STALLS = (0.0, 0.3, 0.6)
"""Probabilities of a pause of outside sources and sinks in a cycle."""
MOST_UNITS = 150
"""Larger circuits are left to the token model: the C++ compiler takes longest for them [units]."""


def kernel_of(text: str, setting: Setting) -> tuple[Kernel, list[Activation]]:
    """The circuit under the setting's first policy, and its inputs."""
    source = read_mlir(text, "program.mlir")
    circuit = setting.circuit(source, setting.policies[0])
    signature = signature_of(top_function(source), setting.index_width)
    given = random_activations(signature, setting.seed, setting.activations)
    return Kernel(source, circuit.top, circuit.netlist, circuit.files()), given


def simulated(pairs: Sequence[tuple[Kernel, list[Activation]]], seed: int) -> list[Finding | None]:
    """What is wrong with each kernel, in one build under all rates of stalls."""
    kernels, given = [kernel for kernel, _ in pairs], [inputs for _, inputs in pairs]
    found: list[Finding | None] = [None] * len(pairs)
    for stalls in STALLS:
        reports = cosimulate_kernels(kernels, given, SimOptions(stalls=stalls, seed=seed + 1))
        for number, report in enumerate(reports):
            differences = [*report.differences, *([] if stalls else mispredicted(report))]
            if differences and found[number] is None:
                words = "\n".join([f"in RTL, stalls {stalls}:", *differences])
                found[number] = Finding("difference in RTL", words, tuple(given[number]))
    return found


def mispredicted(report: KernelReport) -> list[str]:
    """Where the cycles of a run without stalls are not those of the timed model."""
    measured = [run.cycles for run in report.rtl.runs]
    same = report.predicted is None or report.predicted == measured
    return [] if same else [f"{measured} cycles, {report.predicted} predicted"]


def judge_by_rtl(text: str, setting: Setting) -> Verdict:
    """One program; what the models alone find comes first, as it costs no build."""
    verdict = judge_by_models(text, setting)
    if verdict.finding or verdict.dropped:
        return verdict
    return Verdict(verdict.tokens, 0, simulated([kernel_of(text, setting)], setting.seed)[0])


def rtl_setting(seed: int) -> Setting:
    """Two activations; the policy takes turns."""
    return setting_of(seed, 2, both=False)


def batch(first: int, count: int) -> list[int]:
    """`count` seeds from `first` on whose circuits are small and whose inputs have results."""
    found: list[int] = []
    seed = first
    while len(found) < count:
        setting = rtl_setting(seed)
        text = random_program(seed)
        circuit = setting.circuit(read_mlir(text), setting.policies[0])
        if len(circuit.netlist.units) <= MOST_UNITS and not judge_by_models(text, setting).dropped:
            found.append(seed)
        seed += 1
    return found


def renamed_kernel(seed: int) -> tuple[Kernel, list[Activation]]:
    """The circuit of a seed under a name that no other has, and its inputs."""
    return kernel_of(random_program(seed).replace("@f(", f"@p{seed}("), rtl_setting(seed))


def judge_kernels(
    seeds: Sequence[int], pairs: Sequence[tuple[Kernel, list[Activation]]]
) -> dict[int, Finding]:
    """What is wrong with the programs of these seeds; empty if nothing is."""
    found = simulated(pairs, seeds[0])
    return {
        seed: finding for seed, finding in zip(seeds, found, strict=True) if finding is not None
    }


IN_RTL = Way(" --rtl", judge_by_rtl)
