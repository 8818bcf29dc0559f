"""When the values of one pipeline, or of one run of stages, are there, and in which registers."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from loom.netlist.fsmd.signals import Signals


@dataclass(frozen=True, slots=True)
class Made:
    """A signal that has a value from cycle `first` of its iteration to cycle `last`."""

    signal: str
    first: int
    last: int


@dataclass
class Timeline:
    """The cycles of an iteration: in cycle k of one the signal `valid(k)` is 1.

    `ii` is the number of cycles after which the next iteration begins; None: there is none.
    """

    signals: Signals
    name: str
    issue: str
    ii: int | None = None
    made: dict[SSAValue, Made] = field(default_factory=dict)
    forwarded: dict[tuple[SSAValue, int], str] = field(default_factory=dict)
    """Signals of values in a cycle in which they come from a wire, not from their register."""
    _valid: list[str] = field(default_factory=list)
    _copies: dict[SSAValue, list[str]] = field(default_factory=dict)

    def valid(self, cycle: int) -> str:
        """The signal that is 1 while an iteration is in this cycle."""
        if not self._valid:
            self._valid.append(self.issue)
        while len(self._valid) <= cycle:
            later = self.signals.register(f"{self.name}_valid{len(self._valid)}", 1, 0)
            if self._valid[-1]:
                self.signals.update(later, "", self._valid[-1])
            self._valid.append(later)
        return self._valid[cycle]

    def set_issue(self, issue: str) -> None:
        """The iteration issues with this signal, which was not known before."""
        self.issue = self._valid[0] = issue
        if len(self._valid) > 1:
            self.signals.update(self._valid[1], "", issue)

    def at(self, value: SSAValue, cycle: int) -> str:
        """The signal of the value in a cycle of its iteration."""
        found = self.made[value]
        assert cycle >= found.first, f"{value.name_hint} in cycle {cycle}, before {found.first}"
        if cycle <= found.last:
            return self.forwarded.get((value, cycle), found.signal)
        if self.ii is None:
            return self.copy(value, 1)
        return self.copy(value, -(-(cycle - found.last) // self.ii))

    def copy(self, value: SSAValue, number: int) -> str:
        """The register that has the value `number` intervals after it was last there."""
        found = self.made[value]
        copies = self._copies.setdefault(value, [found.signal])
        while len(copies) <= number:
            width = self.signals.width[found.signal]
            later = self.signals.register(value.name_hint or self.name, width)
            cycle = found.last + (len(copies) - 1) * (self.ii or 1)
            self.signals.update(later, self.valid(cycle), copies[-1])
            copies.append(later)
        return copies[number]


@dataclass(frozen=True, slots=True)
class Moment:
    """The cycle in which `signal` is 1; of a run of stages, its `timeline` is in `cycle` then.

    What the run makes in that cycle is on its wire, and in its register a cycle later.
    """

    signal: str
    timeline: Timeline | None = None
    cycle: int = 0
