"""Floats are multiplied by reciprocals of powers of two.

A quotient and that product round the same real number, so they agree for every dividend, whatever
its class, if the reciprocal is a number of the format. Only normal reciprocals are taken. A power
of two becomes a parameter (`fold_constants`); it is the right operand (`normal_order`).
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, ModuleOp
from xdsl.ir import SSAValue

from loom.dialects.facts.instances import PREFIX
from loom.dialects.floats.attributes import float_attribute, form_of, pattern_of
from loom.dialects.floats.formats import Format
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, replace


def multiply_by_reciprocals(module: ModuleOp, options: Options) -> None:
    """No float divider has a power of two whose reciprocal is normal, but those of cores."""
    for op in list(module.walk()):
        if not isinstance(op, arith.DivfOp) or op.name in options.cores:
            continue
        if any(name.startswith(PREFIX) for name in op.attributes):
            continue
        factor = find_reciprocal_constant(op.rhs)
        if factor is not None:
            arithmetic = Arithmetic(op)
            constant = arithmetic.insert(arith.ConstantOp(factor))
            replace(op, arithmetic.insert(arith.MulfOp(op.lhs, constant, op.fastmath)))


def find_reciprocal_constant(divisor: SSAValue) -> FloatAttr | None:
    """The reciprocal of a constant power of two, or None."""
    owner = divisor.owner
    if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, FloatAttr):
        return None
    form = form_of(owner.value.type)
    if form is None:
        return None
    pattern = invert_power(pattern_of(owner.value), form)
    return None if pattern is None else float_attribute(pattern, owner.value.type)


def invert_power(pattern: int, form: Format) -> int | None:
    """The bit pattern of 1 / x if both x and that are normal powers of two, of either sign."""
    size = form.magnitude(pattern)
    if size % form.hidden_bit or not 0 < size < 2 * form.one:
        return None
    return (pattern ^ size) | (2 * form.one - size)
