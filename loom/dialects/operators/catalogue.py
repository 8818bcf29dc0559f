"""The operator catalogue: every operator LOOM knows, found by name or by class of operation."""

from __future__ import annotations

from loom.dialects.operators.bit_operators import BIT_OPERATORS
from loom.dialects.operators.cores import EXTERNAL_UNIT
from loom.dialects.operators.dataflow_operators import DATAFLOW_OPERATORS
from loom.dialects.operators.expanded_operators import EXPANDED_OPERATORS
from loom.dialects.operators.float_operators import FLOAT_OPERATORS
from loom.dialects.operators.handshake_operators import HANDSHAKE_OPERATORS
from loom.dialects.operators.integer_operators import INTEGER_OPERATORS
from loom.dialects.operators.island_operator import ISLAND
from loom.dialects.operators.memories import MemoryKind
from loom.dialects.operators.operator import Operator
from loom.dialects.operators.pipelined_operators import PIPELINED_OPERATORS
from loom.dialects.operators.routing_operators import ROUTING_OPERATORS
from loom.dialects.operators.sharing_operators import SHARING_OPERATORS

CATALOGUE: dict[str, Operator] = {
    operator.name: operator
    for operator in (
        *DATAFLOW_OPERATORS,
        ISLAND,
        *HANDSHAKE_OPERATORS,
        *ROUTING_OPERATORS,
        *SHARING_OPERATORS,
        *INTEGER_OPERATORS,
        *BIT_OPERATORS,
        *PIPELINED_OPERATORS,
        *FLOAT_OPERATORS,
    )
}
"""Operators by their full name, in the order of the docs."""

ALIASES: dict[str, Operator] = {
    alias: operator for operator in CATALOGUE.values() for alias in operator.signature.aliases
}


def find(name: str) -> Operator | None:
    """The operator called `name`, also by a name that another dialect gives it."""
    return find_row(name) or ALIASES.get(name)


def find_row(name: str) -> Operator | None:
    """The operator of this name in a netlist."""
    return EXTERNAL_UNIT if name == EXTERNAL_UNIT.name else CATALOGUE.get(name)


def row_of_memory(kind: MemoryKind) -> Operator:
    """The operator of the memories of a kind."""
    return next(row for row in CATALOGUE.values() if row.hardware.memory_kind is kind)


EXPANDED: dict[str, Operator] = {operator.name: operator for operator in EXPANDED_OPERATORS}
"""Operations that have a meaning and are gone before there is a netlist."""
