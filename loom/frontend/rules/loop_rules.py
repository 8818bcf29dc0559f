"""Rules for what the regions of switches, parallel loops and atomic operations take and give."""

from __future__ import annotations

from xdsl.dialects import affine, func, memref, scf
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Operation

from loom.dialects.facts.layouts import Layout, layout_of
from loom.dialects.ops.affine_more import ParallelOp
from loom.dialects.ops.memref_more import GenericAtomicRMWOp, TransposeOp
from loom.dialects.ops.scf_more import ForallOp, InParallelOp
from loom.frontend.rules.region_pieces import Rule, first, listed, no_args, takes, yields

INDEX = IndexType()


def index_switch(op: scf.IndexSwitchOp) -> str | None:
    """Every region yields the results; the cases are different, one a region."""
    cases, regions = list(op.cases.get_values()), list(op.case_regions)
    if len(cases) != len(regions):
        return f"{len(cases)} cases for {len(regions)} regions"
    if len(set(cases)) != len(cases):
        return f"the case {next(case for case in cases if cases.count(case) > 1)} twice"
    return first(
        *(
            problem
            for region in (op.default_region, *regions)
            for problem in (yields(region, "scf.yield", op.result_types), no_args(region))
        )
    )


def scf_parallel(op: scf.ParallelOp) -> str | None:
    """The body takes its indices and ends in a reduction of each result."""
    rank = len(op.lowerBound)
    if not rank or len(op.upperBound) != rank or len(op.step) != rank:
        return f"{rank} lower bounds, {len(op.upperBound)} upper bounds, {len(op.step)} steps"
    if tuple(op.initVals.types) != tuple(op.result_types):
        return f"initial values {listed(op.initVals.types)} for {listed(op.result_types)}"
    return yields(op.body, "scf.reduce", op.result_types) or takes(op.body.block, [INDEX] * rank)


def scf_reduce(op: scf.ReduceOp) -> str | None:
    """A region for each operand takes two values and returns one of the operand's type."""
    if len(op.reductions) != len(op.args):
        return f"{len(op.reductions)} regions for {len(op.args)} operands"
    if not isinstance(op.parent_op(), scf.ParallelOp):
        return "it stands outside scf.parallel"
    return first(
        *(
            yields(region, "scf.reduce.return", [arg.type]) or takes(region.block, [arg.type] * 2)
            for region, arg in zip(op.reductions, op.args, strict=True)
        )
    )


def forall(op: ForallOp) -> str | None:
    """The body takes its indices and what it shares, and ends in scf.forall.in_parallel."""
    rank = len(op.static_lower)
    if len(op.body.blocks) != 1:
        return f"a region of {len(op.body.blocks)} blocks"
    if not isinstance(op.body.block.last_op, InParallelOp):
        return "a region that does not end in scf.forall.in_parallel"
    return takes(op.body.block, [*[INDEX] * rank, *op.outputs.types])


def in_parallel(op: InParallelOp) -> str | None:
    """It ends an scf.forall."""
    return None if isinstance(op.parent_op(), ForallOp) else "it stands outside scf.forall"


def affine_parallel(op: ParallelOp) -> str | None:
    """The body takes its indices and yields what is reduced."""
    return yields(op.body, "affine.yield", op.result_types) or takes(
        op.body.block, [INDEX] * len(op.steps)
    )


def alloca_scope(op: memref.AllocaScopeOp) -> str | None:
    """The region takes nothing and returns the results."""
    return yields(op.scope, "memref.alloca_scope.return", op.result_types) or no_args(op.scope)


def element_access(op: memref.AtomicRMWOp | GenericAtomicRMWOp) -> str | None:
    """One index for each dimension; the result is an element."""
    type_ = op.memref.type
    assert isinstance(type_, MemRefType)
    if len(op.indices) != type_.get_num_dims():
        return f"{len(op.indices)} indices for {type_}"
    if op.result.type != type_.element_type:
        return f"a result {op.result.type} for {type_}"
    return None


def generic_atomic(op: GenericAtomicRMWOp) -> str | None:
    """The region takes the old element and yields the new one; nothing in it touches memory."""
    element = [op.result.type]
    broken = element_access(op) or yields(op.atomic_body, "memref.atomic_yield", element)
    if broken:
        return broken
    touching = next((inner.name for inner in op.walk() if isinstance(inner, TOUCHING)), None)
    return f"{touching} inside it" if touching else takes(op.atomic_body.block, element)


TOUCHING = (
    *(memref.LoadOp, memref.StoreOp, memref.AllocOp, memref.AllocaOp, memref.DeallocOp),
    *(memref.CopyOp, memref.AtomicRMWOp, affine.LoadOp, affine.StoreOp, func.CallOp),
)
"""Operations that touch memory, or may."""


def transpose(op: TransposeOp) -> str | None:
    """The result's layout is the source's with its dimensions in another order."""
    source, result = op.source.type, op.result.type
    if not isinstance(source, MemRefType) or not isinstance(result, MemRefType):
        return None
    before, after = layout_of(source), layout_of(result)
    if before is None or after is None:
        return None
    axes = op.axes()
    turned = Layout(
        tuple(before.sizes[axis] for axis in axes),
        before.offset,
        tuple(before.strides[axis] for axis in axes),
    )
    return None if turned == after else f"a transposition from {source} to {result}"


def same_type(op: Operation) -> str | None:
    """The result has the operand's type."""
    if op.operands[0].type == op.results[0].type:
        return None
    return f"{op.operands[0].type} seen as {op.results[0].type}"


def metadata(op: memref.ExtractStridedMetaDataOp) -> str | None:
    """The base is one element; a size and a stride for each dimension."""
    source, base = op.source.type, op.base_buffer.type
    assert isinstance(source, MemRefType) and isinstance(base, MemRefType)
    if base.get_num_dims() or base.element_type != source.element_type:
        return f"a base {base} of {source}"
    if len(op.sizes) != source.get_num_dims() or len(op.strides) != source.get_num_dims():
        return f"{len(op.sizes)} sizes and {len(op.strides)} strides of {source}"
    return None


LOOP_RULES: dict[type[Operation], Rule] = {
    scf.IndexSwitchOp: index_switch,
    scf.ParallelOp: scf_parallel,
    scf.ReduceOp: scf_reduce,
    ForallOp: forall,
    InParallelOp: in_parallel,
    ParallelOp: affine_parallel,
    memref.AllocaScopeOp: alloca_scope,
    memref.AtomicRMWOp: element_access,
    GenericAtomicRMWOp: generic_atomic,
    TransposeOp: transpose,
    memref.AssumeAlignmentOp: same_type,
    memref.ExtractStridedMetaDataOp: metadata,
}
"""Rules by class of operation."""
