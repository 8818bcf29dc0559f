"""What the user may choose about lowering."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from loom.analysis.program.memory_dependence import MemoryOrder
from loom.dialects.operators.cores import Cores


@dataclass(frozen=True)
class Options:
    """Choices that every pass sees; the defaults are what `loom compile` uses."""

    index_width: int = 64
    """Bits of `index` in hardware [bits]."""

    zero_trip: Literal["raw", "guard"] = "raw"
    """How a loop that may run zero times is made right (docs/spec D1)."""

    cores: Cores = field(default_factory=dict)
    """Templates of the user's, whose latency buffers are placed for."""

    latencies: tuple[tuple[str, int], ...] = ()
    """Operators, by name, and the latency of those of their units that say none [cycles]."""

    partitions: tuple[tuple[str, str], ...] = ()
    """Arrays, by name, and how they are cut into banks: ``cyclic:4``, ``block:2:1``."""

    ports: tuple[tuple[str, int], ...] = ()
    """Arrays inside, by name, and how many words of theirs are read in a cycle."""

    widths: Literal["narrow", "keep"] = "narrow"
    """Whether integers get the bits that their ranges need, or those of their types."""

    divider: Literal["pipelined", "iterative"] = "pipelined"
    """The form of dividers that say none."""

    memory_order: MemoryOrder = "auto"
    """Which accesses of a memory wait for each other: those that may meet, or all."""

    buffers: Literal["fast", "optimal"] = "fast"
    """How buffers are placed: by rules, or by a solver, for which OR-tools must be installed."""

    clock_period: float | None = None
    """The longest path from register to register that buffers may leave [ns]; None: any."""

    unroll: tuple[tuple[int, int | None], ...] = ()
    """Lines of loops, and how many of their turns become one; None: all."""

    unroll_below: int = 0
    """Innermost loops of no more turns than this, those in them counted, are unrolled [turns]."""
