"""A baseline: the numbers of an earlier run, and what grew since beyond its tolerance."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loom.errors import LoomError, Place
from loom.input_files import read_text
from loom.regress.row import Row

VERSION = 1
"""Of the form of the file."""
METRICS = {"cycles": "cycles", "predicted": "predicted", "lut4": "luts", "ff": "flip_flops",
           "period": "period"}  # fmt: skip
"""What a baseline holds of a kernel, and the fields of a row: [cycles], cells and [ns]."""
TOLERANCES = ("cycles", "lut4", "ff", "period")
"""What has a tolerance; predicted cycles have that of the cycles."""
WRITTEN = "a baseline that `loom regress --baseline F --update` of this LOOM writes"
Numbers = Mapping[str, float]


@dataclass(frozen=True)
class Tolerance:
    """So much a number may grow: in its unit, or as a share of what it was."""

    amount: float
    is_share: bool = False

    def allows(self, before: float, now: float) -> bool:
        """True if the growth is within it; a millionth of a unit is none."""
        most = before * self.amount if self.is_share else self.amount
        return now - before <= most + 1e-6

    def __str__(self) -> str:
        return f"{100 * self.amount:g} %" if self.is_share else f"{self.amount:g}"


DEFAULT: dict[str, Tolerance] = {
    "cycles": Tolerance(0), "lut4": Tolerance(0.05, True), "ff": Tolerance(0.05, True),
    "period": Tolerance(0.03, True),
}  # fmt: skip


def read_tolerance(text: str) -> dict[str, Tolerance]:
    """The tolerances of a text such as ``cycles=0,lut4=5%``; ValueError for other texts."""
    found: dict[str, Tolerance] = {}
    for part in text.split(","):
        name, equals, amount = part.partition("=")
        if name not in TOLERANCES or not equals:
            raise ValueError
        share = amount.endswith("%")
        value = float(amount.removesuffix("%")) / (100 if share else 1)
        if not 0 <= value < float("inf"):
            raise ValueError
        found[name] = Tolerance(value, share)
    return found


@dataclass(frozen=True)
class Change:
    """A number of a kernel that is another than in the baseline."""

    kernel: str
    metric: str
    before: float
    now: float
    tolerance: Tolerance

    @property
    def is_growth(self) -> bool:
        """True of more than the tolerance allows."""
        return not self.tolerance.allows(self.before, self.now)

    def __str__(self) -> str:
        share = f", {100 * (self.now / self.before - 1):+.1f} %" if self.before else ""
        allowed = f"; tolerance {self.tolerance}" if self.is_growth else ""
        by = f"{round(self.now - self.before, 2):+g}{share}{allowed}"
        return f"{self.kernel}: {self.metric} {self.before:g} -> {self.now:g} ({by})"


@dataclass(frozen=True)
class Comparison:
    """The changes since a baseline; `missing` are kernels of it that were not run, `new` others."""

    changes: tuple[Change, ...]
    missing: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def grown(self) -> list[Change]:
        """What grew by more than its tolerance."""
        return [change for change in self.changes if change.is_growth]

    @property
    def is_kept(self) -> bool:
        """True if nothing grew by more than it may, and no kernel is lost."""
        return not self.grown and not self.missing

    def lines(self, name: str) -> list[str]:
        """The difference as text."""
        grown = self.grown
        rest = [change for change in self.changes if not change.is_growth]
        found = [f"grew: {change}" for change in grown]
        found += [f"changed: {change}" for change in rest]
        found += [f"lost: {kernel}: in the baseline, without numbers now"
                  for kernel in self.missing]  # fmt: skip
        found += [f"new: {kernel}: not in the baseline" for kernel in self.new]
        counts = f"{len(grown)} grew, {len(rest)} changed within tolerance or shrank"
        lost = f", {len(self.missing)} lost" if self.missing else ""
        return [*found, f"{name}: {counts}{lost}"]

    def to_json(self) -> dict[str, Any]:
        """The difference as a JSON object."""
        changes = [
            {"kernel": each.kernel, "metric": each.metric, "before": each.before,
             "now": each.now, "tolerance": str(each.tolerance), "grew": each.is_growth}
            for each in self.changes
        ]  # fmt: skip
        return {"changes": changes, "missing": list(self.missing), "new": list(self.new)}


def numbers_of(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """What a baseline holds of the rows that have a circuit."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        fields = {name: getattr(row, field) for name, field in METRICS.items()}
        known = {name: value for name, value in fields.items() if value is not None}
        if known:
            found[row.kernel] = known
    return found


def compare(
    baseline: Mapping[str, Numbers], rows: Sequence[Row],
    tolerances: Mapping[str, Tolerance], *, whole: bool,
) -> Comparison:  # fmt: skip
    """The rows beside a baseline; not `whole`: kernels of it may be missing."""
    now = numbers_of(rows)
    changes = [
        Change(kernel, metric, baseline[kernel][metric], value,
               tolerances["cycles" if metric == "predicted" else metric])
        for kernel, numbers in now.items()
        for metric, value in numbers.items()
        if baseline.get(kernel, {}).get(metric, value) != value
    ]  # fmt: skip
    missing = tuple(kernel for kernel in baseline if kernel not in now) if whole else ()
    return Comparison(tuple(changes), missing, tuple(k for k in now if k not in baseline))


def baseline_text(
    before: Mapping[str, Numbers], rows: Sequence[Row], *, whole: bool
) -> str:  # fmt: skip
    """The baseline of the rows; not `whole`: what else the one before held stays."""
    kernels: dict[str, Numbers] = {} if whole else {**before}
    for kernel, numbers in numbers_of(rows).items():
        kernels[kernel] = {**before.get(kernel, {}), **numbers}
    document = {"loom_regress": VERSION, "kernels": dict(sorted(kernels.items()))}
    return json.dumps(document, indent=1) + "\n"


def read_baseline(file: str) -> dict[str, Numbers]:
    """The numbers of a baseline, by kernel. Refused: other files (REGRESS_BASELINE)."""
    text = read_text(file)
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        where, what = (
            Place(file, error.lineno, error.colno),
            f"a text that is no JSON ({error.msg})",
        )
        raise LoomError("REGRESS_BASELINE", where, what, WRITTEN) from None
    except RecursionError:
        what = "JSON that nests too deep"
        raise LoomError("REGRESS_BASELINE", Place(file, 1, 1), what, WRITTEN) from None
    if not isinstance(document, dict) or "loom_regress" not in document:
        raise LoomError("REGRESS_BASELINE", Place(file, 1, 1), "no baseline", WRITTEN)
    version = document["loom_regress"]
    if version != VERSION:
        what = f"a baseline of version {version!r}"
        accepted = f"version {VERSION}: remove the file, and write it anew by --update"
        raise LoomError("REGRESS_BASELINE", Place(file, 1, 1), what, accepted)
    kernels = document.get("kernels")
    if not is_numbers(kernels):
        what = "a baseline whose kernels are no numbers by name"
        raise LoomError("REGRESS_BASELINE", Place(file, 1, 1), what, WRITTEN)
    assert isinstance(kernels, dict)
    return kernels


def is_numbers(kernels: object) -> bool:
    """True of numbers of known metrics, by kernel."""
    return isinstance(kernels, dict) and all(
        isinstance(numbers, dict)
        and all(
            name in METRICS and type(value) in (int, float) and 0 <= value < float("inf")
            for name, value in numbers.items()
        )
        for numbers in kernels.values()
    )
