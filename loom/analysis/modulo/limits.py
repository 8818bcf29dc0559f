"""What bounds the II of a loop from below: a port, a unit, or a cycle of dependences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from loom.analysis.modulo.bounds import critical_recurrence, recurrence_ii, resource_ii
from loom.analysis.modulo.problem import ISSUE, Problem
from loom.errors import Place


@dataclass(frozen=True)
class IILimit:
    """The least II that the constraints allow, MII [cycles], and the constraint.

    `places` are those of the operations of a recurrence in their order, each once.
    """

    mii: int
    kind: Literal["none", "resource", "recurrence"] = "none"
    resource: str = ""
    uses: int = 0
    places: tuple[Place, ...] = ()

    @property
    def lines(self) -> list[int]:
        """The lines of a recurrence, in its order from the first one of the text on."""
        found = list(dict.fromkeys(place.line for place in self.places))
        first = found.index(min(found)) if found else 0
        return found[first:] + found[:first]

    def __str__(self) -> str:
        match self.kind:
            case "none":
                return "nothing: an iteration a cycle"
            case "resource":
                is_port = not {"port", "ports"}.isdisjoint(self.resource.split())
                noun = "accesses" if is_port else "operations"
                return f"the {self.resource}: {self.uses} {noun} an iteration"
            case "recurrence":
                noun = "line" if len(self.lines) == 1 else "lines"
                listed = ", ".join(map(str, self.lines))
                return f"a recurrence through {noun} {listed}"


def find_limit(problem: Problem, places: Sequence[Place]) -> IILimit:
    """What bounds the II of a problem; `places` are those of its operations behind the issue."""
    by_resource, resource = resource_ii(problem)
    by_recurrence = recurrence_ii(problem)
    if by_recurrence > by_resource:
        cycle = critical_recurrence(problem, by_recurrence - 1)
        found = tuple(dict.fromkeys(places[k - 1] for k in cycle if k != ISSUE))
        return IILimit(by_recurrence, "recurrence", places=found)
    if resource:
        uses = sum(resource in each.resources for each in problem.operations)
        name, count = re.sub("@[0-9]+", "", resource), problem.capacity_of(resource)
        if count > 1 and " port of " in name:
            name = f"{count} {name.replace(' port of ', ' ports of ', 1)}"
        return IILimit(by_resource, "resource", name, uses)
    return IILimit(1)
