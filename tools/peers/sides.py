"""One kernel through each flow: cycles of an activation, area and period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels
from loom_sim.placement.place_circuit import Placed, place_circuit
from loom_sim.suite import load

from loom.analysis.timing.area_estimate import estimate_circuit
from loom.errors import LoomError
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.reference.reference import Outcome, compile_reference
from loom.model.timed.simulate import run_timed
from tools.bare_text import bare
from tools.peers.circt_bench import Argument, Array
from tools.peers.circt_run import FLOW, PeerFailed, place, run, verilog_of

STRATEGY, SLOTS = "cycles", 1
"""CIRCT's fastest buffers: its tool's default takes eight to eleven times the cycles."""
LONGER = (24.0, None)
"""Clock periods to try where a single unit takes longer than all that were asked for [ns]."""


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
    """One kernel: ours, theirs, and the bound on its cycles."""

    name: str
    bound: int
    ours: Side
    theirs: Side


@dataclass(frozen=True)
class Subject:
    """A kernel with the activation that has most to do, and what the reference makes of it."""

    name: str
    kernel: Kernel
    given: Activation
    outcome: Outcome

    @property
    def our_digest(self) -> str:
        """A name for the circuit's text without comments and layout, and for the inputs."""
        files = self.kernel.files
        texts = [bare(files[path]) for path in sorted(files) if path.endswith(".sv")]
        return digest(*texts, repr(self.given.inputs))

    @property
    def their_digest(self) -> str:
        """A name for what the other flow is given, and for the flow."""
        return digest(
            str(self.kernel.source), repr(self.given.inputs), FLOW.read_text(encoding="utf-8"),
            f"{STRATEGY} {SLOTS}",
        )  # fmt: skip


def digest(*texts: str) -> str:
    """A short name for texts."""
    return sha256("\n".join(texts).encode()).hexdigest()[:16]


def subject_of(file: Path, lowering: Options) -> Subject:
    """The kernel of a file, compiled as asked for."""
    kernel, activations = load(file, lowering)
    assert kernel.source is not None, "a kernel of a suite has a source"
    reference = compile_reference(kernel.source, kernel.top, kernel.netlist.index_width)
    ran = [(reference.run(copied(each)), each) for each in activations]
    outcome, given = max(ran, key=lambda pair: pair[0].operations)
    return Subject(file.name, kernel, given, outcome)


def quickest_subject(file: Path, lowering: Options, periods: Sequence[float]) -> Subject:
    """The kernel compiled for that clock period [ns] at which it is expected to take least time.

    If a single unit takes longer than all of them, for the first of `LONGER` that it meets.
    """
    found = [each for period in periods if (each := clocked(file, lowering, period)) is not None]
    longer = (clocked(file, lowering, period) for period in LONGER)
    subjects = found or [next(each for each in longer if each is not None)]
    return min(subjects, key=expected_time) if len(subjects) > 1 else subjects[0]


def clocked(file: Path, lowering: Options, period: float | None) -> Subject | None:
    """The kernel compiled for a clock period [ns]; None if a single unit takes longer."""
    try:
        return subject_of(file, replace(lowering, clock_period=period))
    except LoomError as error:
        if error.code != "LOWER_CLOCK_PERIOD":
            raise
        return None


def expected_time(subject: Subject) -> float:
    """Cycles of the timed model times the estimated period, before anything is placed [ns]."""
    netlist = subject.kernel.netlist
    (run,) = run_timed(netlist, [subject.given])
    path = estimate_circuit(netlist).path
    return run.cycles * (0.0 if path is None else path.delay)


def copied(given: Activation) -> list[int | list[int]]:
    """The inputs in order, memories that a run may write to."""
    return [list(v) if isinstance(v, list) else v for v in given.inputs.values()]


def our_side(subject: Subject) -> Side:
    """The kernel through LOOM; a wrong result is an error."""
    (report,) = cosimulate_kernels([subject.kernel], [[subject.given]], SimOptions())
    assert report.match, report.differences
    return Side(report.cycles, place_circuit(subject.kernel.netlist))


def their_side(subject: Subject, python: str) -> Side:
    """The same program through CIRCT, with the same inputs."""
    kernel = subject.kernel
    memories = {memory.name: memory for memory in kernel.netlist.memories}
    arguments: Sequence[Argument] = [
        Array(name, memories[name].width, value) if isinstance(value, list) else value
        for name, value in subject.given.inputs.items()
    ]
    try:
        verilog = verilog_of(python, str(kernel.source) + "\n", STRATEGY, SLOTS)
        answer = run(verilog, kernel.top, arguments)
    except PeerFailed as failure:
        return Side(0, None, str(failure))
    wrong = answer.results != subject.outcome.results or any(
        list(words) != subject.outcome.memories[name] for name, words in answer.memories.items()
    )
    failed = "does not end" if not answer.cycles else "wrong results" if wrong else ""
    return Side(answer.cycles, None if failed else place(verilog, kernel.top), failed)
