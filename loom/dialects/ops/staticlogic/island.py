"""A loop with a static schedule inside a dynamic circuit, in the program and in the graph."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, MemRefType, NoneType, StringAttr, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    result_def,
    var_operand_def,
    var_result_def,
)

from loom.dialects.operators.island_operator import IslandPorts, ports_in
from loom.dialects.ops.problem import require
from loom.dialects.ops.types import is_token_type

NONE = NoneType()


@irdl_op_definition
class StaticLoopOp(IRDLOperation):
    """A loop that has become a schedule: what it reads, its arrays, and once order is threaded the
    token that it starts with; what it gives, and the token that it ends with.

    `loads` are the arrays of its load ports by their numbers among `memories`, `load_banks` the
    banks of these, 0 of arrays in one piece; `stores` the same.
    """

    name = "order.static_loop"
    values = var_operand_def()
    memories = var_operand_def(MemRefType)
    after = var_operand_def(NONE)
    outs = var_result_def()
    done = result_def(NONE)
    title = attr_def(StringAttr)
    ports = attr_def(StringAttr)
    schedule = attr_def(StringAttr)
    loads = attr_def(DenseArrayBase)
    load_banks = attr_def(DenseArrayBase)
    stores = attr_def(DenseArrayBase)
    store_banks = attr_def(DenseArrayBase)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @property
    def loaded(self) -> Sequence[SSAValue]:
        """The array of each load port."""
        return [self.memories[number] for number in self.loads.get_values()]

    @property
    def stored(self) -> Sequence[SSAValue]:
        """The array of each store port."""
        return [self.memories[number] for number in self.stores.get_values()]

    def wait_for(self, token: SSAValue) -> None:
        """The loop starts when the token is there."""
        values, memories = list(self.values), list(self.memories)
        self.operands = [*values, *memories, token]
        self.properties["operandSegmentSizes"] = DenseArrayBase.from_list(
            i32, [len(values), len(memories), 1]
        )


def is_seam(value: SSAValue) -> bool:
    """Whether a value passes between a static loop and a memory, where time is counted."""
    ends = (value.owner, *(use.operation for use in value.uses))
    return any(isinstance(end, IslandOp) and end.is_seam(value) for end in ends)


@irdl_op_definition
class IslandOp(IRDLOperation):
    """A schedule between channels.

    ``"dataflow.island"(%ctrl, ..) {title = .., ports = .., schedule = ..} : (..) -> (..)``.

    Operands are the control token, the values, the datum of each load and the done token of each
    store; results are done, the results, the address of each load, datum and address of each store.
    """

    name = "dataflow.island"
    taken = var_operand_def()
    given = var_result_def()
    title = attr_def(StringAttr)
    ports = attr_def(StringAttr)
    schedule = attr_def(StringAttr)

    def __init__(
        self,
        taken: Sequence[SSAValue],
        given: Sequence[Attribute],
        attributes: dict[str, Attribute],
    ) -> None:
        super().__init__(operands=[list(taken)], result_types=[list(given)], attributes=attributes)

    @property
    def own_ports(self) -> IslandPorts:
        """The ports that the text says."""
        found = ports_in(self.ports.data)
        assert found is not None
        return found

    def way_of_operand(self, index: int) -> int:
        """0 of what it starts with; each answer of a memory ends a way of its own."""
        return -index if index > self.own_ports.values else 0

    def way_of_result(self, index: int) -> int:
        """0 of what it gives; each request to a memory begins a way of its own."""
        return index if index > self.own_ports.results else 0

    def is_seam(self, value: SSAValue) -> bool:
        """Whether a value is a request to a memory or its answer: no buffer may stand there."""
        ports = self.own_ports
        return value in self.given[1 + ports.results :] or value in self.taken[1 + ports.values :]

    def verify_(self) -> None:
        """Check that the ports are those that the text says, and what they carry."""
        found = ports_in(self.ports.data)
        accepted = "the ports that it says: 'in=2 out=1 loads=1,1 stores=1 index=32 cycles=9'"
        what = f"ports = {self.ports.data!r} beside {len(self.taken)} operands and "
        what += f"{len(self.given)} results"
        counts = found and (
            1 + found.values + len(found.latencies) + found.stores,
            1 + found.results + len(found.latencies) + 2 * found.stores,
        )
        require(
            counts == (len(self.taken), len(self.given)), "COMP_DATAFLOW_ISLAND", what, accepted
        )
        for value in (*self.taken, *self.given):
            what = f"a port of an island of type {value.type}"
            require(is_token_type(value.type), "COMP_HANDSHAKE_TYPE", what, "a token type")
        ends = (self.taken[0], self.given[0])
        for value in ends:
            what = f"a control port of type {value.type}"
            require(value.type == NONE, "COMP_HANDSHAKE_TYPE", what, "none")
