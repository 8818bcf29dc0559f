"""The loops of a program that are unrolled, flattened or interchanged in the circuit."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from loom.dialects.facts.loop_attributes import LOOPS, RESHAPING, UNROLL
from loom.dialects.facts.places import place_of
from loom.errors import Place


def reshaped_loops(module: ModuleOp) -> frozenset[Place]:
    """The places of loops that directives unroll, flatten or interchange."""
    found: set[Place] = set()
    for op in module.walk():
        if isinstance(op, LOOPS) and UNROLL.of(op) not in (None, 1):
            found.add(place_of(op))
        if isinstance(op, LOOPS) and any(fact.is_on(op) for fact in RESHAPING):
            found.update(place_of(loop) for loop in op.walk() if isinstance(loop, LOOPS))
    return frozenset(found)
