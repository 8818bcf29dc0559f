"""The load-store queue as an operation of the dataflow dialect.

Source: docs/spec/operations.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    opt_attr_def,
    var_operand_def,
    var_result_def,
)

from loom.dialects.operators.operator import Shape
from loom.dialects.operators.ordering.load_store_queue import Groups, queue_ports, unfit_queue
from loom.dialects.ops.graph_operation import NONE
from loom.dialects.ops.problem import require


@irdl_op_definition
class LoadStoreQueueOp(IRDLOperation):
    """A load-store queue between accesses and one load and one store of a memory.

    ``"dataflow.load_store_queue"(%group0, .., %end, %address0, ..) {groups = "ls", depth = 8}``.
    Operands and results are in the order of the row's ports.
    """

    name = "dataflow.load_store_queue"
    taken = var_operand_def()
    given = var_result_def()
    groups = attr_def(StringAttr)
    depth = attr_def(IntegerAttr)
    outstanding = opt_attr_def(IntegerAttr)

    def __init__(
        self, taken: Sequence[SSAValue], groups: Groups, depth: int, outstanding: int
    ) -> None:
        _, results = queue_types(groups, *address_and_element(groups, taken))
        super().__init__(
            operands=[list(taken)],
            result_types=[results],
            attributes={
                "groups": StringAttr(groups.text),
                "depth": IntegerAttr(depth, 64),
                "outstanding": IntegerAttr(outstanding, 64),
            },
        )

    @property
    def ports(self) -> tuple[list[str], list[str]]:
        """The names of the operands and of the results."""
        inputs, outputs = queue_ports(Shape((), (), {"groups": self.groups.data}))
        return [port.name for port in inputs], [port.name for port in outputs]

    def way_of_operand(self, index: int) -> int:
        """A group, or an access, has a way of its own; what the memory answers ends one."""
        return way_of_port(self.ports[0][index])

    def way_of_result(self, index: int) -> int:
        """The same of a result; each request to the memory begins a way."""
        return way_of_port(self.ports[1][index])

    def latency_of_result(self, index: int) -> int:
        """From an address to its datum as many cycles as loads are under way at most [cycles]."""
        sent = self.outstanding
        is_datum = self.ports[1][index].startswith("data")
        return int(sent.value.data) if is_datum and sent is not None else 1

    def verify_(self) -> None:
        """Check the groups and places, then the types of all ports."""
        groups = Groups(self.groups.data)
        numbers = {
            name: IntegerAttr(4, 64) if said is None else said
            for name, said in (("depth", self.depth), ("outstanding", self.outstanding))
        }
        attributes = {name: int(said.value.data) for name, said in numbers.items()}
        misfit = unfit_queue(Shape((), (), {"groups": groups.text, **attributes}))
        what, accepted = misfit or ("", "")
        require(misfit is None, "COMP_DATAFLOW_LOAD_STORE_QUEUE", what, accepted)
        shape = Shape((), (), {"groups": groups.text})
        counts = tuple(map(len, queue_ports(shape)))
        require(
            counts == (len(self.taken), len(self.given)),
            "COMP_DATAFLOW_LOAD_STORE_QUEUE",
            f"{len(self.taken)} operands and {len(self.given)} results",
            f"{counts[0]} and {counts[1]} for groups = '{groups.text}'",
        )
        address, element = address_and_element(groups, self.taken)
        require(
            isinstance(address, IndexType | IntegerType),
            "COMP_HANDSHAKE_TYPE",
            f"an address of type {address}",
            "an integer or index",
        )
        wanted = queue_types(groups, address, element)
        found = ([*self.taken.types], [*self.given.types])
        require(
            found == wanted,
            "COMP_HANDSHAKE_TYPE",
            "ports that differ in type",
            "one type of all addresses, one of all data, and none of all tokens",
        )


def way_of_port(name: str) -> int:
    """The number of a port's way through a queue."""
    word = name.rstrip("0123456789")
    number = int(name.removeprefix(word) or 0)
    ways = {"group": 0, "allocated": 0, "address": 1, "value": 1, "data": 1}
    if word in ways:
        return 4 * number + 4 + ways[word]
    return {"end": 0, "ended": 0, "loaded": 1, "stored": 2}.get(name, 3)


def address_and_element(groups: Groups, taken: Sequence[SSAValue]) -> tuple[Attribute, Attribute]:
    """The type of the first address, and of what the memory answers."""
    return taken[len(groups.members) + 1].type, taken[-2].type


def queue_types(
    groups: Groups, address: Attribute, element: Attribute
) -> tuple[list[Attribute], list[Attribute]]:
    """The types of a queue's operands and results."""
    known = {"A": address, "T": element, "none": NONE}
    inputs, outputs = queue_ports(Shape((), (), {"groups": groups.text}))
    return [known[port.type] for port in inputs], [known[port.type] for port in outputs]
