"""The regions of the source as they enter the graph: how a value gets one level further in.

A value passes one step per level (docs/spec D4). Constants do not travel: each level makes its own
from its control token (docs/spec D3). Steps are made when they are first needed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue

from loom.dialects.ops.dataflow import CarryOp, InvariantOp, ReplicateOp
from loom.dialects.ops.handshake import CondBranchOp, ConstantOp
from loom.lower.dataflow.graph_builder import GraphBuilder


@dataclass
class Scope:
    """The top level of a function: values of the source to streams of the graph."""

    graph: GraphBuilder
    start: SSAValue
    streams: dict[SSAValue, SSAValue] = field(default_factory=dict)
    constants: dict[Attribute, SSAValue] = field(default_factory=dict)
    token: SSAValue | None = None

    def get(self, value: SSAValue) -> SSAValue:
        """The stream of `value` at this level, one token for each run of the level."""
        found = self.streams.get(value)
        if found is None:
            owner = value.owner
            if isinstance(owner, arith.ConstantOp):
                found = self.constant(owner)
            else:
                found = self.enter(value)
                found.name_hint = found.name_hint or value.name_hint
            self.streams[value] = found
        return found

    def constant(self, operation: arith.ConstantOp) -> SSAValue:
        """A constant of this level, made from the level's control token."""
        attribute = operation.value
        assert isinstance(attribute, IntegerAttr | FloatAttr)
        found = self.constants.get(attribute)
        if found is None:
            new = self.graph.add(ConstantOp(self.control(), attribute), operation)
            new.result.name_hint = operation.result.name_hint
            found = self.constants[attribute] = new.result
        return found

    def control(self) -> SSAValue:
        """One control token for each run of this level."""
        if self.token is None:
            self.token = self.enter_control()
        return self.token

    def enter(self, value: SSAValue) -> SSAValue:
        """A value of the function that nothing has defined yet."""
        raise AssertionError(f"{value} is used before its definition")

    def enter_control(self) -> SSAValue:
        """The start token."""
        return self.start


class InnerScope(Scope):
    """A level inside another: values and control enter by the same step."""

    def __init__(self, parent: Scope, source: Operation) -> None:
        super().__init__(parent.graph, parent.start)
        self.parent = parent
        self.source = source

    def step(self, stream: SSAValue) -> SSAValue:
        """The parent's stream at this level."""
        raise AssertionError("every inner scope has a step")

    def enter(self, value: SSAValue) -> SSAValue:
        """The parent's stream of `value`, one step further in."""
        return self.step(self.parent.get(value))

    def enter_control(self) -> SSAValue:
        """The parent's control token, one step further in."""
        return self.step(self.parent.control())


class ReplicateScope(InnerScope):
    """A loop body under the condition: a value is repeated for each true (docs/spec D1).

    In a `rotated` loop for the false too: the test that comes with an iteration is of the next one.
    With `lanes` the values of that many entries go round.
    """

    def __init__(
        self,
        parent: Scope,
        source: Operation,
        raw: SSAValue,
        rotated: bool = False,
        lanes: int = 1,
    ) -> None:
        super().__init__(parent, source)
        self.raw = raw
        self.rotated = rotated
        self.lanes = lanes

    def step(self, stream: SSAValue) -> SSAValue:
        """The stream repeated for each iteration."""
        if self.lanes == 1:
            return self.graph.add(ReplicateOp(self.raw, stream, self.rotated), self.source).o
        carry = self.graph.add(CarryOp(self.raw, stream, stream, self.lanes), self.source)
        split = self.graph.add(CondBranchOp(self.raw, carry.o), self.source)
        carry.operands[2] = split.true_result
        return carry.o


class BeforeScope(InnerScope):
    """The before region of a while: values repeat, once more than its condition has trues.

    The condition is made inside the level: `close` connects it.
    """

    def __init__(self, parent: Scope, source: Operation) -> None:
        super().__init__(parent, source)
        self.open: list[InvariantOp] = []

    def step(self, stream: SSAValue) -> SSAValue:
        """The stream repeated for each run of the level."""
        new = self.graph.add(InvariantOp(stream, stream), self.source)
        self.open.append(new)
        return new.o

    def close(self, condition: SSAValue) -> None:
        """Connect the condition that the level has computed."""
        for invariant in self.open:
            invariant.operands[0] = condition
        self.open = []


class AfterScope(ReplicateScope):
    """The after region of a while: what the before region has is split, the rest is repeated.

    Source: docs/spec D2. `outer` is the level around the loop, `before` the before region.
    """

    def __init__(self, outer: Scope, before: Scope, source: Operation, raw: SSAValue) -> None:
        super().__init__(outer, source, raw)
        self.before = before

    def enter(self, value: SSAValue) -> SSAValue:
        """The true side of the before region's stream, else a replication from outside."""
        stream = self.before.streams.get(value)
        return super().enter(value) if stream is None else self.split(stream)

    def enter_control(self) -> SSAValue:
        """The true side of the before region's control, else a replication from outside."""
        token = self.before.token
        return super().enter_control() if token is None else self.split(token)

    def split(self, stream: SSAValue) -> SSAValue:
        """The tokens of `stream` whose raw condition is true."""
        return self.graph.add(CondBranchOp(self.raw, stream), self.source).true_result


class Branches:
    """The two regions of an scf.if: a value that either uses is split once (docs/spec D3)."""

    def __init__(self, parent: Scope, source: Operation, condition: SSAValue) -> None:
        self.parent = parent
        self.source = source
        self.condition = condition
        self.splits: dict[SSAValue, CondBranchOp] = {}

    def split(self, stream: SSAValue) -> CondBranchOp:
        """The one branch of this stream."""
        found = self.splits.get(stream)
        if found is None:
            found = self.parent.graph.add(CondBranchOp(self.condition, stream), self.source)
            self.splits[stream] = found
        return found


class BranchScope(InnerScope):
    """One region of an scf.if."""

    def __init__(self, branches: Branches, taken: bool) -> None:
        super().__init__(branches.parent, branches.source)
        self.branches = branches
        self.taken = taken

    def step(self, stream: SSAValue) -> SSAValue:
        """The side of the stream's branch that this region stands on."""
        split = self.branches.split(stream)
        return split.true_result if self.taken else split.false_result
