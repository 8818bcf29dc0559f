"""The devices that LOOM knows: default clock periods, and delays and areas beside those of an ECP5.

Units are measured on an ECP5 (`unit_costs`). `targets.json` says how periods of circuits go with
the delays of their units, how long placement lets paths be, how delays and cells of each target go
with those of an ECP5, from what sample, and how far that is off. ``make calibrate`` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log2
from typing import Any

from loom.analysis.timing.unit_costs import Area

FILE = "targets.json"
CLOSE, FAR = 2500.0, 10_000.0
"""LUT4 of circuits whose units lie as close to each other as alone, and of the largest placed."""
DISTANCE = 0.5
"""What ready takes longer to the next unit with each doubling of a circuit between these [ns]."""


@dataclass(frozen=True)
class Correction:
    """Delays beside those of a table: x becomes `offset + scale * x` [ns].

    `sample` is what that was fitted to; the errors are parts of the measured delays.
    """

    offset: float
    scale: float
    mean_error: float
    largest_error: float
    provenance: str
    sample: Sequence[Mapping[str, Any]]

    def at(self, delay: float) -> float:
        """The corrected delay [ns]."""
        return self.offset + self.scale * delay

    def before(self, delay: float) -> float:
        """The delay that is corrected to this one [ns]."""
        return (delay - self.offset) / self.scale


@dataclass(frozen=True)
class Regression:
    """Periods of placed circuits: `offset + scale * x + doubling * log2(luts)` [ns].

    x is the longest sum of delays of units [ns]: synthesis merges units, and wires are longer in
    larger circuits. `sizes` are the least and the most LUT4 of the `sample` it was fitted to:
    smaller and larger circuits count as these. The errors are parts of the placed periods.
    """

    offset: float
    scale: float
    doubling: float
    sizes: tuple[float, float]
    mean_error: float
    largest_error: float
    provenance: str
    sample: Sequence[Mapping[str, Any]]

    def at(self, delay: float, luts: float) -> float:
        """The period of a circuit of so many LUT4 whose longest path takes `delay` by its units."""
        least, most = self.sizes
        size = log2(min(max(luts, least), most))
        return min(delay, self.offset + self.scale * delay + self.doubling * size)


@dataclass(frozen=True)
class Distances:
    """What wires to or from a RAM, and through a multiplier, take longer than alone [ns]."""

    memory: float = 0.0
    multiplier: float = 0.0

    @property
    def is_far(self) -> bool:
        """True if any of them is longer."""
        return max(self.memory, self.multiplier) > 0


@dataclass(frozen=True)
class Blocks:
    """How far RAMs and multipliers, which stand in few rows of a device, are from the logic [ns].

    `doubling` for each doubling of the LUT4 between `sizes`: smaller machines count as the least,
    larger ones as the most. Through a multiplier `each` more for each DSP block between `numbers`,
    since one of many lies far off in its row. The errors are parts of the placed periods of the
    `sample`.
    """

    doubling: float
    each: float
    sizes: tuple[float, float]
    numbers: tuple[float, float]
    mean_error: float
    largest_error: float
    provenance: str
    sample: Sequence[Mapping[str, Any]]

    def at(self, luts: float, multipliers: float) -> Distances:
        """The distances in a machine of so many LUT4 and DSP blocks of an ECP5."""
        least, most = self.sizes
        memory = self.doubling * log2(min(max(luts, least), most) / least)
        few, many = self.numbers
        more = self.each * (min(max(multipliers, few), many) - few)
        return Distances(memory, memory + more)


@dataclass(frozen=True)
class Target:
    """A device: its default clock period [ns], and its delays and cells.

    `circuits` are the periods of placed circuits for a clock period, `unclocked` those of others,
    `machines` those of static schedules, `blocks` how far RAMs and multipliers are in large ones of
    these. `paths` is what placement lets the
    paths of a circuit be: a line that is above most of them. `units` are the delays of units
    beside those of an ECP5. `cells` are the names of LUTs, flip-flops, multipliers and block RAMs;
    `factors` say how many there are for one of an ECP5, `luts_of_multiplier` how many LUTs stand
    for a multiplier where there is none.
    """

    name: str
    title: str
    device: str
    period: float
    circuits: Regression
    unclocked: Regression
    machines: Regression
    blocks: Blocks
    paths: Correction
    units: Correction
    cells: tuple[str, ...]
    factors: tuple[float, ...]
    luts_of_multiplier: float

    def circuit_period(self, measured: float, luts: float, *, clocked: bool = True) -> float:
        """The estimated period of a circuit of so many LUT4 of an ECP5 [ns].

        Its longest path takes `measured` by its units on an ECP5 [ns]. It is `clocked` if its
        buffers are for a clock period: what is then the longest path has operators, not only
        handshakes, most of which synthesis merges.
        """
        line = self.circuits if clocked else self.unclocked
        return self.units.at(line.at(measured, luts))

    def machine_period(self, measured: float, luts: float) -> float:
        """The same of the machine of a static schedule [ns]."""
        return self.units.at(self.machines.at(measured, luts))

    def delay(self, measured: float) -> float:
        """The delay in placement of a path that takes `measured` by its units on an ECP5 [ns]."""
        return self.units.at(min(measured, self.paths.at(measured)))

    def measured(self, delay: float) -> float:
        """What a path takes by its units on an ECP5 that takes `delay` in placement [ns]."""
        path = self.units.before(delay)
        return max(path, self.paths.before(path))

    def placed_for(self, period: float) -> float:
        """What paths may take by their units on an ECP5 in circuits of this period [ns].

        Placement leaves as much as its line is off on the average.
        """
        return self.measured(period / (1 + self.paths.mean_error))

    def period_of(self, measured: float) -> float:
        """The clock period of circuits whose paths take `measured` by their units [ns]."""
        return self.delay(measured) * (1 + self.paths.mean_error)

    @staticmethod
    def distance(luts: float) -> float:
        """What ready takes longer through a unit in a circuit of so many LUT4 of an ECP5 [ns]."""
        return DISTANCE * log2(min(max(luts, CLOSE), FAR) / CLOSE)

    def area(self, measured: Area) -> Area:
        """The area in cells of the target."""
        luts, flip_flops, multipliers, block_rams = self.factors
        return Area(
            luts * measured.luts + self.luts_of_multiplier * measured.multipliers,
            flip_flops * measured.flip_flops,
            multipliers * measured.multipliers,
            block_rams * measured.block_rams,
        )


@cache
def targets() -> Mapping[str, Target]:
    """All targets by name, in the order of `TARGET_NAMES`."""
    return targets_of(files("loom.analysis.timing").joinpath(FILE).read_text(encoding="utf-8"))


def targets_of(text: str) -> Mapping[str, Target]:
    """The targets that a file of targets holds."""
    found = json.loads(text)
    circuits, unclocked, machines = (
        Regression(**{**found[part], "sizes": tuple(found[part]["sizes"])})
        for part in ("circuits", "unclocked", "machines")
    )
    ends = {name: tuple(found["blocks"][name]) for name in ("sizes", "numbers")}
    blocks = Blocks(**{**found["blocks"], **ends})
    paths = Correction(**found["paths"])
    return {
        name: Target(
            name,
            row["title"],
            row["device"],
            row["period"],
            circuits,
            unclocked,
            machines,
            blocks,
            paths,
            Correction(**row["units"]),
            tuple(row["cells"]),
            tuple(row["factors"]),
            row["luts_of_multiplier"],
        )
        for name, row in found["targets"].items()
    }


def find_target(name: str) -> Target:
    """The target of that name."""
    return targets()[name]
