"""The corrections of all targets as tables, for docs/costs.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loom.analysis.timing.targets import Correction, Target


def target_tables(targets: Mapping[str, Target]) -> Iterator[str]:
    """A row for each target, and where its figures come from."""
    circuits = next(iter(targets.values())).circuits
    yield from ("### Targets", "", *describe("Circuits", circuits), "")
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


def describe(name: str, correction: Correction) -> Iterator[str]:
    """Where a correction comes from, and how far it is off."""
    text = f"- {name}: {correction.provenance}"
    number = sum(not row.get("unseen") for row in correction.sample)
    if number:
        text += (
            f" {number} of them: {correction.offset:g} + {correction.scale:g} x,"
            f" off by {correction.mean_error:.0%} on the average,"
            f" {correction.largest_error:.0%} at most."
        )
    yield text
    for row in correction.sample:
        if row.get("unseen"):
            period = row["clock_period"] or "any"
            yield (
                f"  - not fitted: `{row['name']}` at {period} ns, {row['estimate']} by its units,"
                f" {row['placed']} placed: {row['unseen']}"
            )
