"""The choices of the user about a circuit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from xdsl.dialects.builtin import ModuleOp

from loom.analysis.program.memory_dependence import MemoryOrder
from loom.dialects.facts.target_names import TargetName
from loom.dialects.operators.cores import Cores
from loom.elements import Fill
from loom.errors import LoomError, Place

Style = Literal["dynamic", "static", "auto"]
"""How the operations of a function find their cycles."""


Rewrite = Callable[[ModuleOp, "Options"], None]
"""A pass: the module is rewritten in its place."""


@dataclass(frozen=True)
class AddedPass:
    """A pass of the user's, and the pass or the stage that it runs after."""

    name: str
    after: str
    rewrite: Rewrite


@dataclass(frozen=True)
class PassRun:
    """What one pass did: operations by name before and after it, and how long it took [s]."""

    stage: str
    name: str
    before: Mapping[str, int]
    after: Mapping[str, int]
    seconds: float


@dataclass(frozen=True)
class Watch:
    """What is seen of passes as they run.

    `see` gets each pass when it has run, `begin` the name of each that begins, its number and how
    many there are; with `verify` the module is verified after each.
    """

    see: Callable[[PassRun, ModuleOp], None] | None = None
    verify: bool = False
    begin: Callable[[str, int, int], None] | None = None


@dataclass(frozen=True)
class Options:
    """Choices that every pass sees; the defaults are those of `loom compile`.

    The same choices on the command line and in Python are in docs/options.md. What is said of
    arrays and operators by name may be a mapping too: ``{"x": "queue"}``.
    """

    index_width: int = 64
    """Width of the type index in hardware [bits]."""

    zero_trip: Literal["raw", "guard"] = "raw"
    """Loops whose trip count may be zero: their condition steers the tokens of the body, or a
    branch encloses the loop (docs/decisions/0002)."""

    widths: Literal["narrow", "keep"] = "narrow"
    """Bit widths of integers: those that their value ranges need, or those of their types."""

    unroll: tuple[tuple[int, int | None], ...] = ()
    """Lines of loops and their unroll factors; None: fully."""

    interleave: Literal["auto", "off"] = "auto"
    """Independent iterations of an outer loop take turns in the inner one: where that saves cycles,
    or only where a directive says so."""

    partial_sums: int | None = None
    """Every float sum of a loop is so many partial sums, which are added in another order than the
    program's; None: where a directive or flags of the program allow it."""

    unroll_below: int = 0
    """Innermost loops with a constant trip count of at most this are fully unrolled; iterations of
    loops that were unrolled into them count [iterations]."""

    latencies: tuple[tuple[str, int], ...] = ()
    """Operators, by name, and the latency of those of their units that state none [cycles]."""

    divider: Literal["pipelined", "iterative"] = "pipelined"
    """The form of dividers that state none: II = 1, or small area."""

    cores: Cores = field(default_factory=dict)
    """Templates of the user for operators; buffers are placed for their latencies."""

    partitions: tuple[tuple[str, str], ...] = ()
    """Arrays, by name, and their partitions: ``cyclic:4``, ``block:2:1``, ``complete``."""

    ports: tuple[tuple[str, int], ...] = ()
    """Arrays inside the circuit, by name, and their read ports, 1 or 2 [elements/cycle]."""

    memories: tuple[tuple[str, str], ...] = ()
    """Arguments, by name, and the memory that each is: ``channel,latency=40``. ``*`` stands for all
    of which nothing else is said."""

    streams: tuple[str, ...] | Literal["all"] = ()
    """Arguments, by name, that are streams: memories behind channels, accessed in order."""

    fill: Fill = "refuse"
    """What new arrays and variables hold: with refuse a run ends where one is read before it is
    written; else zeros, or numbers by chance, the same ones in every run."""

    array_orders: tuple[tuple[str, str], ...] = ()
    """Arrays, by name, and what orders their accesses: tokens, comparators, queue."""

    memory_order: MemoryOrder = "auto"
    """What orders accesses of an array that may alias: tokens, comparators of addresses where they
    can or, with auto, where they save cycles; queue: a load-store queue for each array with
    accesses that may alias; serial: all accesses are ordered."""

    share: Literal["auto", "on", "off"] = "auto"
    """Loops written alike, as those of a function's calls, share one circuit: where that costs
    little time, wherever it is smaller, or never (docs/sharing.md)."""

    dsp: int | None = None
    """Most DSP blocks that multipliers take, which share circuits until they do; None: any number
    (docs/sharing.md)."""

    lean: Literal["on", "off"] = "on"
    """Idle logic leaves the graph, or stays (docs/lean.md)."""

    target: TargetName = "ecp5"
    """The device: its delays and default clock period, and the cells of estimates."""

    clock_period: float | Literal["default"] | None = "default"
    """The longest path between registers: longer ones are pipelined [ns]; None: any.

    By default it is that of the target, or a longer one if a unit needs it or the loops then take
    less time.
    """

    buffers: Literal["fast", "optimal"] = "fast"
    """Buffers are placed by rules, or by a MILP solver, which needs the extra `optimal`."""

    style: Style | None = None
    """Handshakes between all units, one schedule for the whole function, or what costs less of both
    (docs/static.md); None: what the function says by `loom.style`, else what the command takes."""

    schedule: Literal["iterative", "exact"] = "iterative"
    """Loops of a static schedule by iterative modulo scheduling, or by a constraint solver, which
    needs the extra `optimal`: least II, then length, then lifetimes of values."""

    order_depth: int | None = None
    """Stores that are pending in one comparator of addresses at most, where values are forwarded
    the next power of two; None: as many as the loop's II needs."""

    passes: tuple[AddedPass, ...] = ()
    """Passes of the user's, by `loom.front.passes.find_pass`, among those of LOOM."""

    watch: Watch | None = field(default=None, compare=False)
    """Who sees the passes run; it changes no circuit."""

    def __post_init__(self) -> None:
        """Names and what is said of them may be given as a mapping. Refused: CLI_VALUE."""
        for name in ("latencies", "partitions", "ports", "memories", "array_orders"):
            given = getattr(self, name)
            pairs = tuple(given.items() if isinstance(given, Mapping) else given)
            if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
                accepted = "a mapping from names, or pairs: {'x': ..} or (('x', ..),)"
                raise LoomError("CLI_VALUE", Place("Options"), f"{name} = {given!r}", accepted)
            object.__setattr__(self, name, tuple(map(tuple, pairs)))

    @property
    def unwatched(self) -> Options:
        """The same, whose passes are only seen to begin."""
        if self.watch is None:
            return self
        return replace(self, watch=Watch(begin=self.watch.begin))

    def is_stream(self, name: str) -> bool:
        """True if the array of this name is to be a stream."""
        return self.streams == "all" or name in self.streams
