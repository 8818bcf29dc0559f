"""Rules of MLIR that xDSL does not check, above all what regions take and give."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import affine, arith, cf, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    IndexType,
    MemRefType,
    SymbolRefAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, Region
from xdsl.traits import SymbolTable

from loom.dialects.facts.layouts import StaticArithmetic, View, groups_of, layout_of, viewed
from loom.dialects.ops.affine_more import ExtremeOp, MaxOp
from loom.frontend.rules import block_rules
from loom.frontend.rules.loop_rules import LOOP_RULES
from loom.frontend.rules.region_pieces import Rule, first, listed, no_args, takes, yields


def broken_rule(op: Operation) -> str | None:
    """The first of these rules that `op` breaks, in words; None if it keeps them all."""
    rule = RULES.get(type(op))
    return None if rule is None else rule(op)


def scf_if(op: scf.IfOp) -> str | None:
    """Both branches yield the results; without results the second may be absent."""
    return branches(op, op.true_region, op.false_region, "scf.yield")


def affine_if(op: affine.IfOp) -> str | None:
    """As scf.if; one operand for each dimension and symbol of the set."""
    set_ = op.condition.data
    if len(op.args) != set_.num_dims + set_.num_symbols:
        return f"{len(op.args)} operands for {set_}"
    return branches(op, op.then_region, op.else_region, "affine.yield")


def branches(op: Operation, then: Region, otherwise: Region, name: str) -> str | None:
    """None if both branches yield what the operation returns."""
    if op.results and not otherwise.blocks:
        return "results without an else branch"
    regions = [then, otherwise] if otherwise.blocks else [then]
    return first(
        *(problem for r in regions for problem in (yields(r, name, op.result_types), no_args(r)))
    )


def scf_for(op: scf.ForOp) -> str | None:
    """The body yields what it carries."""
    return yields(op.body, "scf.yield", op.result_types)


def scf_while(op: scf.WhileOp) -> str | None:
    """The regions hand values to each other."""
    before, after = op.before_region, op.after_region
    if len(before.blocks) != 1 or len(after.blocks) != 1:
        return "a region that is not one block"
    condition = before.block.last_op
    if not isinstance(condition, scf.ConditionOp):
        return "a first region that does not end in scf.condition"
    passed = condition.args.types
    if tuple(passed) != tuple(op.result_types):
        return f"{listed(passed)} passed on where {listed(op.result_types)} is expected"
    carried = op.arguments.types
    return first(
        takes(before.block, carried),
        takes(after.block, op.result_types),
        yields(after, "scf.yield", carried),
    )


def affine_for(op: affine.ForOp) -> str | None:
    """The body yields what it carries; steps are positive."""
    if op.step.value.data <= 0:
        return f"a step of {op.step.value.data}"
    if not op.lowerBoundMap.data.results or not op.upperBoundMap.data.results:
        return "a bound without results"
    return yields(op.body, "affine.yield", op.result_types)


def affine_access(op: affine.LoadOp | affine.StoreOp) -> str | None:
    """The map gives one index for each dimension of the memref."""
    map_, type_ = op.map.data, op.memref.type
    if len(op.indices) != map_.num_dims + map_.num_symbols:
        return f"{len(op.indices)} operands for the map {map_}"
    if isinstance(type_, MemRefType) and len(map_.results) != type_.get_num_dims():
        return f"{len(map_.results)} indices for {type_}"
    return None


def affine_extreme(op: ExtremeOp) -> str | None:
    """There is something to take the least or the largest of."""
    return None if op.map.data.results else "a map without results"


def compare(op: arith.CmpiOp) -> str | None:
    """The predicate is one of ten; both sides have one type."""
    if not 0 <= op.predicate.value.data <= 9:
        return f"the predicate {op.predicate.value.data}"
    if op.lhs.type != op.rhs.type:
        return f"a comparison of {op.lhs.type} with {op.rhs.type}"
    return None


def compare_floats(op: arith.CmpfOp) -> str | None:
    """The predicate is one of sixteen; both sides have one type."""
    if not 0 <= op.predicate.value.data <= 15:
        return f"the predicate {op.predicate.value.data}"
    if op.lhs.type != op.rhs.type:
        return f"a comparison of {op.lhs.type} with {op.rhs.type}"
    return None


def float_cast(op: arith.ExtFOp | arith.TruncFOp) -> str | None:
    """The result is wider, or narrower."""
    source, target = op.input.type, op.result.type
    if not isinstance(source, FixedBitwidthType) or not isinstance(target, FixedBitwidthType):
        return f"a cast from {source} to {target}"
    fits = target.bitwidth > source.bitwidth
    if isinstance(op, arith.TruncFOp):
        fits = target.bitwidth < source.bitwidth
    return None if fits else f"a cast from {source} to {target}"


def bitcast(op: arith.BitcastOp) -> str | None:
    """Both types say their width."""
    if isinstance(op.input.type, IndexType) or isinstance(op.result.type, IndexType):
        return f"a cast from {op.input.type} to {op.result.type}"
    return None


def get_global(op: memref.GetGlobalOp) -> str | None:
    """The name is that of a global of the same type."""
    name = op.properties["name"]
    assert isinstance(name, SymbolRefAttr)
    found = SymbolTable.lookup_symbol(op, name)
    if not isinstance(found, memref.GlobalOp):
        return f"no memref.global is called {name}"
    if found.type != op.memref.type:
        return f"the type {op.memref.type} of {name}, which is a {found.type}"
    return None


def global_(op: memref.GlobalOp) -> str | None:
    """The initial value has the memref's shape and element type."""
    value, type_ = op.initial_value, op.properties["type"]
    assert isinstance(type_, MemRefType)
    if not isinstance(value, DenseIntOrFPElementsAttr):
        return None
    if value.get_shape() != type_.get_shape() or value.get_element_type() != type_.element_type:
        return f"initial values {value.type} for {type_}"
    if len(value) != prod(type_.get_shape()):
        return f"{len(value)} initial values for {type_}"
    return None


def view(op: View) -> str | None:
    """Ranks, groups and sizes fit together."""
    source, result = op.operands[0].type, op.results[0].type
    if not isinstance(source, MemRefType) or not isinstance(result, MemRefType):
        return None
    if source.element_type != result.element_type:
        return f"elements {source.element_type} seen as {result.element_type}"
    if isinstance(op, memref.CastOp):
        if source.get_shape() != result.get_shape() and DYNAMIC_INDEX not in (
            *source.get_shape(),
            *result.get_shape(),
        ):
            return f"a cast from {source} to {result}"
        return None
    if isinstance(op, memref.CollapseShapeOp):
        return regrouped(groups_of(op), source.get_shape(), result.get_shape())
    if isinstance(op, memref.ExpandShapeOp):
        return regrouped(groups_of(op), result.get_shape(), source.get_shape())
    assert isinstance(op, memref.SubviewOp | memref.ReinterpretCastOp)
    counts = [len(v.get_values()) for v in (op.static_offsets, op.static_sizes, op.static_strides)]
    if isinstance(op, memref.ReinterpretCastOp):
        rank = result.get_num_dims()
        wanted = [1, rank, rank]
    else:
        wanted = [source.get_num_dims()] * 3
    if counts != wanted:
        return f"{counts} offsets, sizes and strides where {wanted} are expected"
    wrong = None
    if isinstance(op, memref.SubviewOp):
        wrong = reduced(list(op.static_sizes.get_values()), list(result.get_shape()))
    return wrong or misplaced(op, source, result)


def misplaced(
    op: memref.SubviewOp | memref.ReinterpretCastOp, source: MemRefType, result: MemRefType
) -> str | None:
    """None unless the result's type states another offset or stride than the view has."""
    before, stated = layout_of(source), layout_of(result)
    if before is None or stated is None or DYNAMIC_INDEX in (*before.sizes, *stated.sizes):
        return None
    found = viewed(op, before, StaticArithmetic())
    # The stride of a dimension of size 1 is never used.
    strides = zip(stated.sizes, found.strides, stated.strides, strict=False)
    pairs = [(found.offset, stated.offset), *((f, s) for size, f, s in strides if size != 1)]
    if all(None in pair or pair[0] == pair[1] for pair in pairs):
        return None
    numbers = ", ".join("?" if number is None else str(number) for number in found.strides)
    offset = "?" if found.offset is None else found.offset
    return f"a view of offset {offset} and strides [{numbers}] as {result}"


def reduced(sizes: list[int], shape: list[int]) -> str | None:
    """None if `shape` is `sizes` without some of the ones."""
    rest = list(shape)
    for size in sizes:
        if rest and rest[0] == size:
            rest.pop(0)
        elif size != 1:
            return f"a shape {shape} where the sizes are {sizes}"
    return f"a shape {shape} where the sizes are {sizes}" if rest else None


def regrouped(groups: list[list[int]], long: Sequence[int], short: Sequence[int]) -> str | None:
    """None if each dimension of the short shape is the product of its group of the long one."""
    if [axis for group in groups for axis in group] != (list(range(len(long))) if groups else []):
        return f"groups {groups} of {len(long)} dimensions"
    if not groups:
        return None if not short and prod(long) == 1 else f"no groups for the shape {list(long)}"
    products = [prod(long[axis] for axis in group) for group in groups]
    if -1 not in (*long, *short) and products != list(short):
        return f"groups of {products} elements where {list(short)} are expected"
    return None


RULES: dict[type[Operation], Rule] = {
    **LOOP_RULES,
    scf.IfOp: scf_if,
    scf.ForOp: scf_for,
    scf.WhileOp: scf_while,
    scf.ExecuteRegionOp: block_rules.execute_region,
    FuncOp: block_rules.function,
    cf.BranchOp: block_rules.branch,
    cf.ConditionalBranchOp: block_rules.branch,
    cf.SwitchOp: block_rules.switch,
    affine.IfOp: affine_if,
    affine.ForOp: affine_for,
    affine.LoadOp: affine_access,
    affine.StoreOp: affine_access,
    affine.MinOp: affine_extreme,
    MaxOp: affine_extreme,
    arith.CmpiOp: compare,
    arith.CmpfOp: compare_floats,
    arith.ExtFOp: float_cast,
    arith.TruncFOp: float_cast,
    arith.BitcastOp: bitcast,
    memref.GetGlobalOp: get_global,
    memref.GlobalOp: global_,
    memref.CastOp: view,
    memref.SubviewOp: view,
    memref.ReinterpretCastOp: view,
    memref.CollapseShapeOp: view,
    memref.ExpandShapeOp: view,
}
"""Rules by class of operation."""
