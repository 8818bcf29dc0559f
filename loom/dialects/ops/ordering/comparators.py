"""Operations of the dataflow dialect that compare addresses of loads with those of pending stores.

Source: docs/spec/operations.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    attr_def,
    irdl_op_definition,
    operand_def,
    opt_attr_def,
    result_def,
    var_operand_def,
)

from loom.dialects.operators.ordering.comparators import DISTANCES, MOST_PENDING, first_datum
from loom.dialects.ops.graph_operation import NONE, GraphOperation
from loom.dialects.ops.problem import require


class PendingStoresOp(GraphOperation):
    """A unit that lets its first operand, a load's address, pass once no pending store has it."""

    clear = result_def(NONE)
    depth = attr_def(IntegerAttr)

    def __init__(
        self, operands: Sequence[SSAValue | Sequence[SSAValue]], depth: int, *more: Attribute
    ) -> None:
        super().__init__(
            operands=list(operands),
            result_types=[NONE, *more],
            attributes={"depth": IntegerAttr(depth, 64)},
        )

    @property
    def dones(self) -> range:
        """The numbers of the operands that are done tokens of stores."""
        return range(len(self.operands) - 1, len(self.operands))

    @property
    def pending(self) -> int:
        """The most stores that are pending, of each that an iteration has."""
        return int(self.depth.value.data)

    def keep(self, pending: int) -> None:
        """So many stores are pending at most."""
        self.depth = IntegerAttr(pending, 64)

    def verify_(self) -> None:
        """Check the address's type, then the depth."""
        super().verify_()
        found = self.operands[0].type
        is_integer = isinstance(found, IndexType | IntegerType)
        require(
            is_integer, "COMP_HANDSHAKE_TYPE", f"an address of type {found}", "an integer or index"
        )
        require(
            2 <= self.pending <= MOST_PENDING,
            "COMP_DATAFLOW_DISAMBIGUATE_DEPTH",
            f"depth = {self.pending}",
            f"2 to {MOST_PENDING}",
        )


@irdl_op_definition
class DisambiguateOp(PendingStoresOp):
    """``%clear = dataflow.disambiguate %address, %done {depth = 4} : i10``."""

    name = "dataflow.disambiguate"
    address = operand_def()
    done = operand_def(NONE)


def places_for(depth: int) -> int:
    """The least power of two that is no less."""
    return 1 << (depth - 1).bit_length()


class ForwardingOp(PendingStoresOp):
    """One that gives the load the value of a pending store to its address."""

    tokens = var_operand_def()
    clear = result_def(NONE)
    loaded = result_def()

    def __init__(self, operands: Sequence[SSAValue], depth: int) -> None:
        """The unit with the least number of places that `depth` stores fit in, a power of two."""
        datum = operands[first_datum(operands)]
        super().__init__([operands], places_for(depth), datum.type)

    def keep(self, pending: int) -> None:
        """The least number of places that so many stores fit in, a power of two."""
        super().keep(places_for(pending))

    @property
    def stores(self) -> int:
        """How many stores an iteration has."""
        return len(self.operands) // 3

    @property
    def first_datum(self) -> int:
        """The number of the operand `datum`, before each store's `value`."""
        return first_datum(self.operands)

    @property
    def values(self) -> range:
        """The numbers of the operands that are values of stores."""
        return range(self.first_datum + 1, self.first_datum + 1 + self.stores)

    def verify_(self) -> None:
        """Check what all units check, then that places are numbered in all their bits."""
        super().verify_()
        require(
            self.pending == places_for(self.pending),
            "COMP_DATAFLOW_DISAMBIGUATE_DEPTH",
            f"depth = {self.pending}",
            f"a power of two from 2 to {MOST_PENDING}",
        )

    @property
    def dones(self) -> range:
        """The numbers of the operands that are done tokens: one for each store."""
        return range(self.values.stop, len(self.operands))

    def way_of_operand(self, index: int) -> int:
        """Requests go one way, data and values another."""
        return int(index == self.first_datum or index in self.values)

    def way_of_result(self, index: int) -> int:
        """The same of a result."""
        return index


@irdl_op_definition
class ForwardStoreOp(ForwardingOp):
    """``%clear, %loaded = dataflow.forward_store %address, %datum, %value, %done {depth = 4}``."""

    name = "dataflow.forward_store"


@irdl_op_definition
class ForwardQueueOp(ForwardingOp):
    """``%clear, %loaded = dataflow.forward_queue %address, %store, %datum, %value, %done ..``.

    Of several stores there are as many ``%store``, then as many ``%value`` and ``%done``.
    """

    name = "dataflow.forward_queue"


@irdl_op_definition
class StoreQueueOp(PendingStoresOp):
    """``%clear = dataflow.store_queue %address, %store, %done {depth = 4} : i10``.

    With ``distance = 0`` the load waits for the store of its own iteration too.
    """

    name = "dataflow.store_queue"
    address = operand_def()
    store = operand_def()
    done = operand_def(NONE)
    distance_attr = opt_attr_def(IntegerAttr, attr_name="distance")

    def __init__(self, operands: Sequence[SSAValue], depth: int, distance: int = 1) -> None:
        super().__init__(operands, depth)
        if distance != 1:
            self.distance_attr = IntegerAttr(distance, 64)

    @property
    def distance(self) -> int:
        """The fewest iterations between a store and a load that waits for it."""
        return 1 if self.distance_attr is None else int(self.distance_attr.value.data)

    def verify_(self) -> None:
        """Check what all units check, then the distance."""
        super().verify_()
        require(
            self.distance in DISTANCES,
            "COMP_DATAFLOW_STORE_QUEUE_DISTANCE",
            f"distance = {self.distance}",
            "0 or 1",
        )
