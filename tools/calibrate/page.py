"""The corrections of all targets as tables, for docs/costs.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import geometric_mean

from loom.analysis.timing.targets import Blocks, Correction, Regression, Target
from tools.calibrate.fit import errors_of_sample

NEAR = 0.15
"""Estimates that are off by less are near."""


def target_tables(targets: Mapping[str, Target]) -> Iterator[str]:
    """A row for each target, and where its figures come from."""
    first = next(iter(targets.values()))
    yield from ("### Targets", "", *describe_circuits("Circuits", first.circuits))
    yield from describe_circuits("Circuits without a clock period", first.unclocked)
    yield from describe_circuits("Machines of static schedules", first.machines)
    yield describe_area(first.machines)
    yield describe_blocks(first.blocks)
    yield from (*describe("Paths in placement", first.paths), "")
    yield "| target | device | period [ns] | delay of units | LUT | multiplier | block RAM |"
    yield "|---|---|---|---|---|---|---|"
    for each in targets.values():
        luts, _, multipliers, block_rams = (f"{factor:g}" for factor in each.factors)
        product = f"{each.luts_of_multiplier:g} LUT" if each.luts_of_multiplier else multipliers
        cells = f"{luts} {each.cells[0]} | {product} | {block_rams} {each.cells[3]}"
        line = f"{each.units.offset:g} + {each.units.scale:g} x"
        yield f"| `{each.name}` | {each.device} | {each.period:g} | {line} | {cells} |"
    yield ""
    for each in targets.values():
        yield from describe(f"`{each.name}`", each.units)


def describe_blocks(found: Blocks) -> str:
    """How far RAMs and multipliers are in large machines, and how far that is off."""
    least, few = found.sizes[0], found.numbers[0]
    return (
        f"- RAMs and multipliers of large machines: {found.provenance} {len(found.sample)} of them:"
        f" {found.doubling:g} log2(LUT4 / {least:g}), through multipliers and"
        f" {found.each:g} (DSP blocks - {few:g}); off by {found.mean_error:.0%} on the average,"
        f" {found.largest_error:.0%} at most."
    )


def describe_area(found: Regression) -> str:
    """How far the LUT4 of machines are off."""
    ratios = [row["luts"] / row["placed_luts"] for row in found.sample]
    off = sum(abs(ratio - 1) for ratio in ratios) / len(ratios)
    return (
        f"- LUT4 of the same machines: estimated by measured {geometric_mean(ratios):.2f} in"
        f" geometric mean, {min(ratios):.2f} to {max(ratios):.2f}, off by {off:.0%} on the average."
    )


def describe_circuits(name: str, found: Regression) -> Iterator[str]:
    """How periods of circuits are estimated, and how far that is off."""
    near = sum(error <= NEAR for error in errors_of_sample(found))
    line = f"{found.offset:g} + {found.scale:g} x + {found.doubling:g} log2(LUT4)"
    yield (
        f"- {name}: {found.provenance} {len(found.sample)} of them, from {found.sizes[0]:g} to"
        f" {found.sizes[1]:g} LUT4: {line}, off by {found.mean_error:.0%} on the average,"
        f" {found.largest_error:.0%} at most; {near} are within {NEAR:.0%}."
    )


def describe(name: str, correction: Correction) -> Iterator[str]:
    """Where a correction comes from, and how far it is off."""
    text = f"- {name}: {correction.provenance}"
    if correction.sample:
        text += (
            f" {len(correction.sample)} of them: {correction.offset:g} + {correction.scale:g} x,"
            f" off by {correction.mean_error:.0%} on the average,"
            f" {correction.largest_error:.0%} at most."
        )
    yield text
