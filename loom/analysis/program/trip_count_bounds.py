"""Upper bounds on trip counts, from the sizes of the memories that a loop accesses.

An access outside its memory is an error of the program. So where an access is made in every
iteration, and the address goes on by less than what lies outside the memory, it cannot wrap around
to the memory's other end without an error, and the memory's size limits the iterations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation

from loom.analysis.program.affine_forms import Forms, IterationNumber, Quotient, Variable
from loom.analysis.program.trip_counts import has_constant_nonzero_trip


def iteration_limits(
    forms: Forms, depth: Mapping[Variable, int], access: memref.LoadOp | memref.StoreOp
) -> dict[Variable, int]:
    """The greatest iteration of the loops around an access, where it is made.

    Where the access is made in every iteration for certain, the interval of the iteration is
    narrowed too.
    """
    type_ = access.memref.type
    assert isinstance(type_, MemRefType)
    size = type_.get_shape()[0]
    address = forms.modular(access.indices[0])
    found: dict[Variable, int] = {}
    # It wraps where a number of fewer bits in it does, too.
    quotients = {v: abs(n) for v, n in address.terms.items() if isinstance(v, Quotient)}
    wraps = {v: n for v, n in quotients.items() if n > size}
    modulus = gcd(1 << forms.index_width, *wraps.values())
    inner: list[scf.ForOp] = []
    holder = access.parent_op()
    around = loop_depth(access)
    while isinstance(holder, scf.ForOp):
        iteration = IterationNumber(holder.body.block)
        level = around - len(inner) - 1
        step = address.terms.get(iteration, 0)
        if (
            step
            and iteration in forms.intervals
            and has_same_trip_counts(forms, depth, inner, level)
        ):
            moves = [
                v for v in address.terms if depth[v] > level and v != iteration and v not in wraps
            ]
            reach = sum(abs(address.terms[v]) * value_spread(forms, found, v) for v in moves)
            if abs(step) + reach <= modulus - size:
                found[iteration] = (size - 1 + reach) // abs(step)
                if all(has_constant_nonzero_trip(loop) for loop in inner):
                    low, high = forms.intervals[iteration]
                    forms.intervals[iteration] = (low, min(high, found[iteration]))
        inner.append(holder)
        holder = holder.parent_op()
    return found


def value_spread(forms: Forms, found: Mapping[Variable, int], variable: Variable) -> int:
    """How far apart two numbers are that the variable may be."""
    low, high = forms.intervals[variable]
    return min(high, found.get(variable, high)) - low


def has_same_trip_counts(
    forms: Forms, depth: Mapping[Variable, int], inner: Sequence[scf.ForOp], level: int
) -> bool:
    """True if the inner loops have the same trip count in each iteration of the loop at `level`."""
    bounds = [forms.bounds(loop) for loop in inner]
    return all(
        each is not None
        and all(depth[v] <= level for form in (each.lower, each.upper) for v in form.terms)
        for each in bounds
    )


def loop_depth(operation: Operation) -> int:
    """How many loops the operation lies in."""
    count = 0
    holder = operation.parent_op()
    while holder is not None:
        count += isinstance(holder, scf.ForOp | scf.WhileOp)
        holder = holder.parent_op()
    return count
