"""Python text for scf.index_switch, and for regions that run once where they stand."""

from __future__ import annotations

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation

from loom.model.reference.generate_control import write_branches
from loom.model.reference.generator import FunctionWriter, Handler


def index_switch(writer: FunctionWriter, op: Operation) -> None:
    """The region of the case that the argument equals runs, or the default."""
    assert isinstance(op, scf.IndexSwitchOp)
    mask = (1 << writer.program.index_width) - 1
    argument = writer.value(op.arg)
    cases = [case & mask for case in op.cases.get_values()]
    tests = [f"{argument} == {case}" for case in cases]
    # Not a chain of elif: Python nests each branch of a chain inside the one before.
    tests.append(f"{argument} not in {{{', '.join(map(str, cases))}}}" if cases else "True")
    regions = [*op.case_regions, op.default_region]
    write_branches(writer, op, tests, [region.block for region in regions])


def run_here(writer: FunctionWriter, block: Block) -> Operation:
    """The block's operations but the last stand at the end of the current block; the last one."""
    *body, last = block.ops
    for op in body:
        writer.operation(op)
    return last


def alloca_scope(writer: FunctionWriter, op: Operation) -> None:
    """The region runs; an array's life ends with its function at the latest."""
    assert isinstance(op, memref.AllocaScopeOp)
    end = run_here(writer, op.scope.block)
    for result, value in zip(op.results, end.operands, strict=True):
        if isinstance(result.type, MemRefType):
            writer.views[result] = writer.views[value]
        else:
            writer.names[result] = writer.names[value]


SWITCH_HANDLERS: dict[type[Operation], Handler] = {
    scf.IndexSwitchOp: index_switch,
    memref.AllocaScopeOp: alloca_scope,
}
