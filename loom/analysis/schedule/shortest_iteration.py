"""The shortest iteration of a loop: of every branch the side that delays it least.

The II of a loop is that of its longest iteration. Where a branch has a short side, such as one that
passes a sum on unchanged, short iterations come between long ones, and more tokens wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from xdsl.dialects.builtin import NoneType

from loom.analysis.schedule.event_graph import Edge, feedback_rank
from loom.analysis.schedule.modulo_schedule import Arc, critical_cycle
from loom.dialects.ops.handshake import MuxOp

CONDITION = 1
"""The feedback rank of an edge on which a loop's condition sends a token back."""


def shortest_iteration(arcs: Mapping[Edge, Arc]) -> dict[Edge, Arc]:
    """The arcs without the slower inputs of muxes, as far as they delay the iteration.

    What the next test waits for is left: of a side that ends the loop no iterations come.
    """
    left = dict(arcs)
    if not any(has_alternative(edge, arcs) for edge in arcs):
        return left
    while (found := critical_cycle(list(left.values()))) is not None:
        steps = set(pairwise((*found.nodes, found.nodes[0])))
        passed = [edge for edge in left if (edge.source, edge.target) in steps]
        slow = next((edge for edge in passed if has_alternative(edge, left)), None)
        if slow is None or any(feedback_rank(edge) == CONDITION for edge in passed):
            break
        del left[slow]
    return left


def has_alternative(edge: Edge, arcs: Mapping[Edge, Arc]) -> bool:
    """True of a datum of a mux that can get another one instead."""
    operation = edge.operation
    if not isinstance(operation, MuxOp) or edge.index == 0 or operation.out.type == NoneType():
        return False
    return any(e.operation is operation and e.index not in (0, edge.index) for e in arcs)
