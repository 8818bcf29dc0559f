"""One kernel through each flow: cycles of an activation, area and period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels
from loom_sim.placement.place_circuit import Placed, place_verilog
from loom_sim.suite import load_styled

from loom.analysis.timing.area_estimate import CircuitEstimate
from loom.dialects.facts.loop_attributes import LOOPS, STYLE
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.reference.reference import Outcome, compile_reference
from tools.bare_text import bare
from tools.peers.circt_bench import Argument, Array
from tools.peers.circt_run import FLOW, PeerFailed, run, verilog_of

STRATEGY, SLOTS = "cycles", 1
"""CIRCT's fastest buffers: its tool's default takes eight to eleven times the cycles."""
SEEDS = ("1", "2", "3")
"""Of place and route; periods are medians."""


@dataclass(frozen=True)
class Side:
    """One flow's cycles of the activation and what place and route gave, or why not."""

    cycles: int
    placed: Placed | None
    failed: str = ""

    @property
    def time(self) -> float | None:
        """Cycles times period [us]."""
        period = None if self.placed is None else self.placed.period
        return None if period is None or not self.cycles else self.cycles * period / 1000


@dataclass(frozen=True)
class Row:
    """One kernel: the bound on its cycles, LOOM's estimated period [ns], ours and theirs.

    `style` is that of LOOM's circuit.
    """

    name: str
    style: str
    bound: int
    estimate: float | None
    ours: Side
    theirs: Side


@dataclass(frozen=True)
class Subject:
    """A kernel with the activation that has most to do, and what the reference makes of it."""

    name: str
    kernel: Kernel
    given: Activation
    outcome: Outcome
    style: str
    cost: CircuitEstimate

    @property
    def our_digest(self) -> str:
        """A name for the circuit's text without comments and layout, and for the inputs."""
        return digest(*map(bare, self.sources), repr(self.given.inputs), *SEEDS)

    @property
    def sources(self) -> list[str]:
        """The circuit's SystemVerilog."""
        files = self.kernel.files
        return [files[path] for path in sorted(files) if path.endswith(".sv")]

    @property
    def estimate(self) -> float | None:
        """The period that LOOM expects [ns]; None without a path from register to register."""
        path = self.cost.path
        return None if path is None else round(path.delay, 2)

    @property
    def their_digest(self) -> str:
        """A name for what the other flow is given, and for the flow."""
        return digest(
            program_text(self.kernel), repr(self.given.inputs), FLOW.read_text(encoding="utf-8"),
            f"{STRATEGY} {SLOTS}", *SEEDS,
        )  # fmt: skip


def program_text(kernel: Kernel) -> str:
    """The program, without the styles that `auto` chose for its loops."""
    assert kernel.source is not None, "a kernel of a suite has a source"
    program = kernel.source.clone()
    for op in program.walk():
        if isinstance(op, LOOPS):
            STYLE.drop(op)
    return str(program)


def digest(*texts: str) -> str:
    """A short name for texts."""
    return sha256("\n".join(texts).encode()).hexdigest()[:16]


def subject_of(file: Path, lowering: Options) -> Subject:
    """The kernel of a file, compiled as asked for."""
    styled, activations = load_styled(file, lowering)
    kernel = styled.simulated()
    assert kernel.source is not None, "a kernel of a suite has a source"
    reference = compile_reference(kernel.source, kernel.top, kernel.netlist.index_width)
    ran = [(reference.run(copied(each)), each) for each in activations]
    outcome, given = max(ran, key=lambda pair: pair[0].operations)
    return Subject(file.name, kernel, given, outcome, styled.style, styled.circuit.cost)


def copied(given: Activation) -> list[int | list[int]]:
    """The inputs in order, memories that a run may write to."""
    return [list(v) if isinstance(v, list) else v for v in given.inputs.values()]


def our_side(subject: Subject) -> Side:
    """The kernel through LOOM; a wrong result is an error."""
    (report,) = cosimulate_kernels([subject.kernel], [[subject.given]], SimOptions())
    assert report.match, report.differences
    return Side(report.cycles, place_verilog(subject.sources, subject.kernel.netlist.name, SEEDS))


def their_side(subject: Subject, python: str) -> Side:
    """The same program through CIRCT, with the same inputs."""
    kernel = subject.kernel
    memories = {memory.name: memory for memory in kernel.netlist.memories}
    arguments: Sequence[Argument] = [
        Array(name, memories[name].width, value) if isinstance(value, list) else value
        for name, value in subject.given.inputs.items()
    ]
    try:
        verilog = verilog_of(python, program_text(kernel) + "\n", STRATEGY, SLOTS)
        answer = run(verilog, kernel.top, arguments)
    except PeerFailed as failure:
        return Side(0, None, str(failure))
    wrong = answer.results != subject.outcome.results or any(
        list(words) != subject.outcome.memories[name] for name, words in answer.memories.items()
    )
    failed = "does not end" if not answer.cycles else "wrong results" if wrong else ""
    return Side(
        answer.cycles, None if failed else place_verilog([verilog], kernel.top, SEEDS), failed
    )
