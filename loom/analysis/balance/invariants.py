"""The invariants of a lowered program, one an entry, and what the graph alone says of each.

Some are proved here for every input, some are counted in a run
(`loom.model.tokens.check_counts`), most are both. Source: docs/spec/control-flow.md,
"Lengths of streams"; docs/spec/memory-order.md, "Invariants"; docs/spec D1 to D6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from loom.analysis.balance.access_ports import misplaced_accesses
from loom.analysis.balance.done_before_return import find_dones_after_return
from loom.analysis.balance.solve_clocks import clocks_of
from loom.analysis.balance.token_clocks import Clocks, Conflict
from loom.analysis.balance.token_deadlock import find_deadlocks
from loom.errors import LoomError, Place
from loom.netlist.netlist import OUTSIDE, Netlist, OutsidePort, Unit

SHOWN = 6
"""Channels that a message names."""
EQUAL = "equal numbers for every input, T(c) being the ones on channel c"


class Facts:
    """A netlist, and analyses of it that several invariants use.

    `lean`: the graph may have lost idle logic (docs/lean.md).
    """

    def __init__(self, netlist: Netlist, lean: bool) -> None:
        self.netlist = netlist
        self.lean = lean

    @cached_property
    def clocks(self) -> Clocks:
        """How often each channel carries a token."""
        return clocks_of(self.netlist)


@dataclass(frozen=True)
class Finding:
    """A violation of an invariant: its unit, its description, and the form that is accepted."""

    unit: Unit | None
    what: str
    accepted: str


Check = Callable[[Facts], Iterator[Finding]]


def find_unequal_counts(facts: Facts, at_outputs: bool) -> Iterator[Finding]:
    """Equations in which two clocks meet whose counts differ for some input."""
    for conflict in facts.clocks.conflicts:
        if conflict.certain and isinstance(conflict.where, OutsidePort) == at_outputs:
            unit = conflict.where if isinstance(conflict.where, Unit) else None
            yield Finding(unit, str(conflict), "one for every input" if at_outputs else EQUAL)


def check_balance(facts: Facts) -> Iterator[Finding]:
    """Units that are sent unequal numbers of tokens."""
    yield from find_unequal_counts(facts, False)


def check_outputs(facts: Facts) -> Iterator[Finding]:
    """Outputs, done among them, that get more or less than a token an activation."""
    yield from find_unequal_counts(facts, True)


def check_accesses(facts: Facts) -> Iterator[Finding]:
    """Accesses that are not connected to one memory port."""
    for unit, what in misplaced_accesses(facts.netlist, facts.clocks.same, lean=facts.lean):
        yield Finding(unit, what, "one memory port an access, for address and datum")


def check_returns(facts: Facts) -> Iterator[Finding]:
    """Done tokens that the return can overtake."""
    if facts.clocks.unrated:
        return
    for unit, channel in find_dones_after_return(facts.netlist, facts.clocks, by_data=facts.lean):
        what = f"done token {channel.name} of {unit.name}, for which the return does not wait"
        yield Finding(unit, what, "a return that comes after every done token, on every way")


def check_waits(facts: Facts) -> Iterator[Finding]:
    """Tokens that wait for themselves."""
    if facts.clocks.unrated or facts.clocks.conflicts:
        return
    drivers = {channel.name: channel.source.unit for channel in facts.netlist.channels}
    for group in find_deadlocks(facts.netlist, facts.clocks):
        shown = ", ".join(group[:SHOWN]) + (", ..." if len(group) > SHOWN else "")
        unit = next((drivers[name] for name in group if drivers[name] != OUTSIDE), "")
        what = f"channels whose tokens wait for each other: {shown}"
        accepted = "a start from outside in every cycle, and a carry of the loop it lies in"
        yield Finding(facts.netlist.unit_by_name.get(unit), what, accepted)


@dataclass(frozen=True)
class Invariant:
    """One invariant: `check` finds what breaks it in the graph, if the graph alone can say."""

    number: int
    sentence: str
    source: str
    code: str = ""
    check: Check | None = None
    counted: bool = False


LENGTHS = "docs/spec/control-flow.md, Lengths of streams"
MEMORY = "docs/spec/memory-order.md, Invariants"
STREAM, GATE, BODY, BOUNDARY, ACCESS, DONES, OUTPUT, RETURN, BALANCE, WAIT = range(1, 11)
INVARIANTS: tuple[Invariant, ...] = (
    Invariant(STREAM, "a stream gives N + 1 tests for N iterations, a rotated one N",
              LENGTHS, counted=True),
    Invariant(GATE, "a gate gives one token per iteration", LENGTHS, counted=True),
    Invariant(BODY, "a loop's body sees one token per iteration", LENGTHS, counted=True),
    Invariant(BOUNDARY, "a loop's boundary sees N + 1 tokens per run, a rotated one N", LENGTHS,
              counted=True),
    Invariant(ACCESS, "an access has one control input and one memory port for address and datum",
              MEMORY, "NETLIST_ACCESS", check_accesses),
    Invariant(DONES, "an access gives one done token", MEMORY, counted=True),
    Invariant(OUTPUT, "an output, done too, gives one token an activation", "docs/spec D5, D6",
              "NETLIST_OUTPUT", check_outputs, counted=True),
    Invariant(RETURN, "the return comes after every done token", MEMORY, "NETLIST_RETURN",
              check_returns),
    Invariant(BALANCE, "every channel carries as many tokens as its reader takes",
              "docs/spec D1 to D6", "NETLIST_BALANCE", check_balance, counted=True),
    Invariant(WAIT, "no token waits for itself", "docs/spec D6", "NETLIST_WAIT", check_waits),
)  # fmt: skip
"""All invariants, by number."""


@dataclass(frozen=True)
class Invariants:
    """What the graph says: findings by invariant, and why the balance is not decided."""

    findings: tuple[tuple[Invariant, tuple[Finding, ...]], ...]
    undecided: str

    @property
    def balance(self) -> str:
        """The verdict on the balance in words."""
        broken = any(found for _, found in self.findings)
        return "refuted" if broken else f"not decided ({self.undecided})" if self.undecided else (
            "proved")  # fmt: skip

    def held(self, invariant: Invariant) -> bool | None:
        """Whether the graph proves the invariant, breaks it, or does not say (None)."""
        if any(found for other, found in self.findings if other is invariant):
            return False
        if invariant.check is check_accesses:
            return True
        broken = any(found for other, found in self.findings if other.check is not check_accesses)
        return None if self.undecided or (invariant.check is None and broken) else True

    def to_json(self) -> list[dict[str, object]]:
        """Each invariant with what the graph says: held is true, false, or null for not decided."""
        return [
            {
                "number": invariant.number,
                "sentence": invariant.sentence,
                "held": self.held(invariant),
            }
            for invariant in INVARIANTS
        ]

    def problems(self, file: str) -> list[LoomError]:
        """Every finding as a refusal, at its unit's place or the file."""
        return [
            LoomError(invariant.code, place_of(finding, file), finding.what, finding.accepted)
            for invariant, found in self.findings
            for finding in found
        ]


def place_of(finding: Finding, file: str) -> Place:
    """The place of the unit, in the file it was read from."""
    place = finding.unit.place if finding.unit else None
    return place or Place(file)


def check_invariants(netlist: Netlist, *, lean: bool = True) -> Invariants:
    """What the netlist proves, breaks and leaves open; it has passed the netlist checks.

    In a `lean` circuit the return may come after the datum of a load instead of its done token, and
    an access may start with its address instead of a control token.
    """
    facts = Facts(netlist, lean)
    findings = tuple((i, tuple(i.check(facts)) if i.check else ()) for i in INVARIANTS)
    return Invariants(findings, format_undecided(facts.clocks))


def format_undecided(clocks: Clocks) -> str:
    """Why the balance is not decided; empty if it is."""
    if clocks.unrated:
        names = dict.fromkeys(unit.operator.name for unit in clocks.unrated)
        return f"{', '.join(names)}: the graph alone does not tell what is taken"
    if clocks.may_be_empty:
        return f"{clocks.may_be_empty[0].name} is right only for loops with a non-zero trip count"
    uncertain = [conflict for conflict in clocks.conflicts if not conflict.certain]
    return f"only if {format_condition(uncertain)}" if uncertain else ""


def format_condition(conflicts: Sequence[Conflict]) -> str:
    """What the data must make equal."""
    texts = dict.fromkeys(f"{conflict.left} = {conflict.right}" for conflict in conflicts)
    shown = list(texts)[:2]
    return " and ".join(shown) + (", ..." if len(texts) > len(shown) else "")
