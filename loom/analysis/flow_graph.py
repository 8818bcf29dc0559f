"""A handshake function as a graph of firings: who waits for whom, after how many cycles.

A node is one way through a unit: a memory has one a port, a load one for its address and one
for its datum, every other unit one in all. An edge is a use of a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, OpResult, SSAValue

from loom.dialects.catalogue import CATALOGUE
from loom.dialects.dataflow import CarryOp, InvariantOp
from loom.dialects.handshake_memory import ExternalMemoryOp, LoadOp, MemoryOp
from loom.dialects.instances import shape_of

Node = tuple[Operation, int]


@dataclass(frozen=True, slots=True)
class Edge:
    """The use of a value: from the node that makes it to operand `index` of `operation`."""

    source: Node
    target: Node
    operation: Operation
    index: int


@dataclass(frozen=True)
class Timing:
    """Latency [cycles] of a unit, and whether it cuts the path of ready."""

    latency: int
    cuts_ready: bool


def memory_access(operation: MemoryOp | ExternalMemoryOp, index: int, is_operand: bool) -> int:
    """The number of the access, stores first, that a port of a memory belongs to."""
    loads, stores = int(operation.loads.value.data), int(operation.stores.value.data)
    if is_operand:
        index -= len(operation.operands) - len(operation.ports)
        return index // 2 if index < 2 * stores else index - stores
    if index < loads:
        return stores + index
    return index - loads


def node_of_operand(operation: Operation, index: int) -> Node:
    """The node that takes operand `index`."""
    if isinstance(operation, LoadOp):
        return (operation, 1 if index == 1 else 0)
    if isinstance(operation, MemoryOp | ExternalMemoryOp):
        return (operation, memory_access(operation, index, True))
    return (operation, 0)


def node_of_result(operation: Operation, index: int) -> Node:
    """The node that makes result `index`."""
    if isinstance(operation, LoadOp):
        return (operation, 1 if index == 0 else 0)
    if isinstance(operation, MemoryOp | ExternalMemoryOp):
        return (operation, memory_access(operation, index, False))
    return (operation, 0)


def feedback_rank(edge: Edge) -> int:
    """0 for what comes back into a carry, 1 for the condition that sends it, 2 for the rest.

    A token on an edge of rank 0 or 1 is used one iteration after the one that makes it.
    """
    if isinstance(edge.operation, CarryOp):
        return {2: 0, 0: 1}.get(edge.index, 2)
    if isinstance(edge.operation, InvariantOp) and edge.index == 0:
        return 1
    return 2


class FlowGraph:
    """The graph of one handshake function's body."""

    def __init__(self, block: Block, index_width: int) -> None:
        self.block = block
        self.index_width = index_width

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """All edges between operations, in the order of the text."""
        found: list[Edge] = []
        for operation in self.block.ops:
            for index, operand in enumerate(operation.operands):
                source = self.maker(operand)
                if source is not None:
                    target = node_of_operand(operation, index)
                    found.append(Edge(source, target, operation, index))
        return tuple(found)

    def maker(self, value: SSAValue) -> Node | None:
        """The node that makes `value`, or None for an argument."""
        owner = value.owner
        if isinstance(owner, Block) or isinstance(value.type, MemRefType):
            return None
        assert isinstance(value, OpResult)
        return node_of_result(owner, value.index)

    @cached_property
    def timing(self) -> Mapping[Operation, Timing]:
        """Latency and cut of every unit."""
        found: dict[Operation, Timing] = {}
        for operation in self.block.ops:
            operator = CATALOGUE.get(operation.name)
            if operator is None:
                found[operation] = Timing(0, False)
            else:
                shape = shape_of(operation, operator, self.index_width)
                found[operation] = Timing(operator.latency_of(shape), operator.cuts_ready_of(shape))
        return found
