"""Python text for blocks that branch to each other, as they stand: a loop that goes from one to the
next by number.

Nothing is restructured here, so that the reference can judge how the compiler restructures.
"""

from __future__ import annotations

from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.ub import PoisonOp, UnreachableOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from loom.dialects.facts.blocks import (
    Edge,
    condition_of,
    edges_of,
    last_of,
    reverse_post_order,
    unvarying_arguments,
)
from loom.dialects.facts.places import place_of
from loom.dialects.ops.llvm_intrinsics import LlvmUnreachableOp
from loom.errors import LoomError
from loom.model.reference.generator import (
    Count,
    FunctionWriter,
    Handler,
    Scope,
    WriteBody,
    refuse_memrefs,
    single_block,
)


def body_of(region: Region) -> WriteBody:
    """What writes a function whose body is the region."""
    if len(region.blocks) == 1:
        return single_block(region.blocks[0])

    def write(writer: FunctionWriter) -> tuple[Operation, list[str]]:
        walk = _Walk(writer, region)
        walk.write()
        return last_of(walk.order[0]), walk.results

    return write


class _Walk:
    """The text that goes through the blocks of a region; stands at the start of a function."""

    def __init__(self, writer: FunctionWriter, region: Region) -> None:
        self.writer = writer
        self.order = reverse_post_order(region)
        self.numbers = {block: k for k, block in enumerate(self.order)}
        self.unvarying = unvarying_arguments(self.order)
        self.at = writer.program.fresh("b")
        self.back: dict[Block, str] = {}  # counters of the ways back to a block
        self.results: list[str] = []

    def write(self) -> None:
        """Every block stands under its number; a way back starts the search from the top."""
        writer = self.writer
        for block in self.order[1:]:
            for argument in block.args:
                if not isinstance(argument.type, MemRefType):
                    writer.define(argument)
        writer.line(f"{self.at} = 0")
        writer.line("while True:")
        writer.depth += 1
        for block in self.order:
            self.write_block(block)
        writer.depth -= 1
        for block, counter in self.back.items():
            site = writer.program.site(str(place_of(block.first_op or last_of(block))))
            writer.iterations.append((f"(path, {site})", Count(1, counter)))

    def write_block(self, block: Block) -> None:
        """The block's operations, and where to go from there."""
        writer, last = self.writer, last_of(block)
        for argument in block.args if self.numbers[block] else ():
            if isinstance(argument.type, MemRefType):
                writer.views[argument] = writer.views[self.memory(argument, last)]
        writer.line(f"if {self.at} == {self.numbers[block]}:")
        counter = writer.counter()
        writer.depth += 1
        writer.line(f"{counter} += 1")
        charge = writer.reserve()
        writer.line(f"if B[0] < 0: over({writer.program.faults.number(last)})")
        writer.depth -= 1
        # The branch is a step of its own: a loop of empty blocks ends with the budget, too.
        scope = Scope(Count(1, counter), 1)
        writer.block(block, scope)
        writer.depth += 1
        writer.fill(charge, f"B[0] -= {scope.cost}")
        self.leave(block, last)
        writer.depth -= 1

    def memory(self, argument: BlockArgument, last: Operation) -> SSAValue:
        """The memref that every branch hands to the argument."""
        if argument not in self.unvarying:
            what, accepted = "a choice of memrefs at run time", "the same memref from everywhere"
            raise LoomError("REF_UNSUPPORTED", place_of(last), what, accepted)
        return self.unvarying[argument]

    def leave(self, block: Block, last: Operation) -> None:
        """The text of the terminator."""
        writer, edges = self.writer, edges_of(last)
        condition = condition_of(last)
        for edge in edges:
            if edge.case is not None and condition is not None:
                mask = (1 << writer.program.width(condition.type, last)) - 1
                writer.line(f"if {writer.value(condition)} == {edge.case & mask}:")
                writer.depth += 1
                self.go(block, edge)
                writer.line("continue")
                writer.depth -= 1
            else:
                self.go(block, edge)
        if edges:
            # What comes next may stand above.
            if self.numbers[edges[-1].target] <= self.numbers[block]:
                writer.line("continue")
        elif isinstance(last, UnreachableOp | LlvmUnreachableOp):
            number = writer.program.faults.number(last)
            writer.line(f"illegal({number}, 'a place that is never reached')")
        else:
            refuse_memrefs(last, last.operands, "one of several results")
            self.results = self.results or [writer.program.fresh("y") for _ in last.operands]
            writer.assign(self.results, [writer.value(value) for value in last.operands])
            writer.line("break")

    def go(self, block: Block, edge: Edge) -> None:
        """The arguments of the target have their values, and its turn is next."""
        writer = self.writer
        pairs = [
            (writer.value(argument), writer.value(value))
            for argument, value in zip(edge.target.args, edge.values, strict=True)
            if not isinstance(argument.type, MemRefType)
        ]
        writer.assign([target for target, _ in pairs], [value for _, value in pairs])
        writer.line(f"{self.at} = {self.numbers[edge.target]}")
        if self.numbers[edge.target] <= self.numbers[block]:
            if edge.target not in self.back:
                self.back[edge.target] = writer.counter()
            writer.line(f"{self.back[edge.target]} += 1")


def execute_region(writer: FunctionWriter, op: Operation) -> None:
    """The blocks run once, in place or as a function of their own."""
    assert isinstance(op, scf.ExecuteRegionOp)
    refuse_memrefs(op, op.results, "a region's result")
    results = [writer.define(result) for result in op.results]
    writer.scope.cost += 1
    blocks = list(op.region.blocks)
    if len(blocks) > 1:
        passed = writer.outlined(blocks, len(results), body_of(op.region))
        writer.assign(results, passed)
        return
    writer.line("if True:")
    passed = writer.block(blocks[0], writer.scope)
    writer.depth += 1
    writer.line("pass")  # the body may be empty
    writer.assign(results, passed)
    writer.depth -= 1


def assertion(writer: FunctionWriter, op: Operation) -> None:
    """The text stops where the assertion does not hold."""
    assert isinstance(op, cf.AssertOp)
    writer.scope.cost += 1
    number = writer.program.faults.number(op)
    writer.line(f"if not {writer.value(op.arg)}: assertion({number}, {op.msg.data!r})")


def poison(writer: FunctionWriter, op: Operation) -> None:
    """The result may be anything; here, and in the circuit, it is 0."""
    writer.program.width(op.results[0].type, op)
    writer.names[op.results[0]] = "0"


BLOCK_HANDLERS: dict[type[Operation], Handler] = {
    scf.ExecuteRegionOp: execute_region,
    cf.AssertOp: assertion,
    PoisonOp: poison,
}
