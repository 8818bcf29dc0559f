"""How a broken rule of a static schedule is reported, and the words for what is in one."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from loom.dialects.facts.places import place_of
from loom.dialects.operators.catalogue import EXPANDED, find
from loom.dialects.ops import index
from loom.dialects.ops.staticlogic import Access, latency_of
from loom.errors import LoomError

BORROWED = ("arith.", "math.", "index.", "llvm.", "dataflow.bit")
"""Dialects whose operations compute."""


def broken(op: Operation, code: str, what: str, accepted: str) -> LoomError:
    """The report of a rule that the schedule breaks, at the place of `op`."""
    return LoomError(code, place_of(op), f"a static schedule against its rules: {what}", accepted)


def quoted(types: Iterable[Attribute]) -> str:
    """``('i32', 'index')``."""
    return f"({', '.join(repr(str(type_)) for type_ in types)})"


def name_of(value: SSAValue) -> str:
    """The name of a value in the text, or its number among the arguments of its block."""
    if value.name_hint:
        return value.name_hint
    return str(value.index) if isinstance(value, BlockArgument) else "?"


def constant_of(value: SSAValue) -> int | None:
    """The integer that a value always is; None of others."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp | index.ConstantOp):
        number = owner.value
        return int(number.value.data) if isinstance(number, IntegerAttr) else None
    return None


def is_constant(op: Operation) -> bool:
    """True for an operation that is a number."""
    return isinstance(op, arith.ConstantOp | index.ConstantOp | index.BoolConstantOp)


def is_pure(op: Operation) -> bool:
    """True for an operation of the catalogue that reads and writes nothing, or a number."""
    if is_constant(op):
        return True
    row = find(op.name) or EXPANDED.get(op.name)
    borrowed = op.name.startswith(BORROWED) and not op.regions
    return borrowed and row is not None and row.semantics.meaning is not None


def is_combinational(op: Operation) -> bool:
    """True for a pure operation whose unit takes no cycle: no product, no quotient."""
    row = find(op.name)
    takes_none = row is not None and row.hardware.latency == 0
    return is_pure(op) and (is_constant(op) or takes_none) and latency_of(op) == 0


def has_effect(op: Operation) -> bool:
    """True for an operation of a stage that writes."""
    return not is_pure(op) and not (isinstance(op, Access) and op.results)
