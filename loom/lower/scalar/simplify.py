"""Constant folding, common subexpressions, elements of constant tables, dead code."""

from __future__ import annotations

from collections.abc import Hashable

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loom.dialects.facts.instances import shape_of
from loom.dialects.floats.attributes import float_attribute, pattern_of
from loom.dialects.operators.catalogue import find
from loom.dialects.operators.operator import Operator, Shape
from loom.dialects.ops.order import PlaceOp
from loom.dialects.ops.types import width_of
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, constant_of, integer_type, replace
from loom.lower.scalar.constant_tables import Tables, globals_of
from loom.lower.scalar.identities import find_identity, normal_order

WITHOUT_EFFECT = (
    arith.ConstantOp,
    memref.LoadOp,
    memref.AllocOp,
    memref.GetGlobalOp,
    PlaceOp,
)
NO_PROMISE = arith.IntegerOverflowAttr("none")
NO_FLAGS = arith.FastMathFlagsAttr("none")


def simplify(module: ModuleOp, options: Options) -> None:
    """The same program with fewer operations; constants stand once, at the function's start."""
    for op in list(module.body.block.ops):
        if isinstance(op, FuncOp):
            Simplification(op, options, Tables(module)).run()
            remove_dead(op)
    remove_unused_globals(module)


class Simplification:
    """One function's constants and the pure values that reach the current place."""

    def __init__(self, function: FuncOp, options: Options, tables: Tables) -> None:
        self.function = function
        self.tables = tables
        self.index_width = options.index_width
        self.constants: dict[Hashable, SSAValue] = {}
        self.known: dict[Hashable, Operation] = {}
        first = function.body.block.first_op
        assert first is not None
        # Constants go before this mark, which is the first operation no longer to move.
        self.mark = arith.ConstantOp(IntegerAttr(0, 1))
        function.body.block.insert_op_before(self.mark, first)

    def run(self) -> None:
        """Rewrite the function."""
        self.simplify_block(self.function.body.block)
        self.mark.detach()
        self.mark.erase()

    def simplify_block(self, block: Block) -> None:
        """Rewrite the block and all inside; what it defines is forgotten after it."""
        defined: list[Hashable] = []
        op = block.first_op
        while op is not None:
            following = op.next_op
            if op is not self.mark:
                inlined = self.simplify_operation(op, defined)
                # The branch that was taken for sure now stands before what followed it.
                following = inlined if inlined is not None else following
            op = following
        for key in defined:
            del self.known[key]

    def simplify_operation(self, op: Operation, defined: list[Hashable]) -> Operation | None:
        """Rewrite one operation; the first of those that now stand in its place, if new."""
        if isinstance(op, arith.ConstantOp):
            width = width_of(op.result.type, self.index_width)
            token = token_of(op.result, width)
            assert token is not None
            replace(op, self.constant(token, op.result, op))
            return None
        if isinstance(op, memref.LoadOp):
            element = self.tables.element(op)
            if element is not None:
                replace(op, self.constant(element, op.res, op))
            return None
        if isinstance(op, scf.IfOp):
            condition = constant_of(op.cond)
            if condition is not None:
                return take_branch(op, condition != 0)
        if isinstance(op, PlaceOp):
            self.simplify_place(op, defined)
            return None
        row = find(op.name)
        if row is not None and row.semantics.meaning is not None:
            self.simplify_pure(op, row, shape_of(op, row, self.index_width), defined)
            return None
        for region in op.regions:
            for block in region.blocks:  # an scf.if without else has a region without blocks
                self.simplify_block(block)
        return None

    def constant(self, value: int, like: SSAValue, origin: Operation) -> SSAValue:
        """The function's one constant of this bit pattern, of the type of `like`."""
        attribute = constant_attribute(value, like.type, self.index_width)
        found = self.constants.get(attribute)
        if found is None:
            op = arith.ConstantOp(attribute)
            Arithmetic(self.mark).put(op)
            op.location = origin.location
            found = self.constants[attribute] = op.result
        return found

    def simplify_pure(
        self, op: Operation, row: Operator, shape: Shape, defined: list[Hashable]
    ) -> None:
        """Fold, share or keep a pure operation."""
        folded = fold(op, row, shape)
        if folded is not None:
            values = [
                self.constant(token, result, op)
                for token, result in zip(folded, op.results, strict=True)
            ]
            replace(op, *values)
            return
        normal_order(op)
        same = find_identity(op, shape.inputs[0])
        if same is not None:
            replace(op, self.constant(same, op.results[0], op) if isinstance(same, int) else same)
            return
        # What a flag promises is not used; without it more operations are equal.
        if "overflowFlags" in op.properties:
            op.properties["overflowFlags"] = NO_PROMISE
        if "fastmath" in op.properties:
            op.properties["fastmath"] = NO_FLAGS
        for name in ("fastmath", "roundingmode"):  # the mode is the one that there is
            op.attributes.pop(name, None)
        chosen = tuple(sorted(shape.attributes.items()))
        key = (type(op), tuple(op.operands), op.result_types, chosen)
        self.share(op, key, defined)

    def simplify_place(self, op: PlaceOp, defined: list[Hashable]) -> None:
        """A constant says where it is itself; two of one address and its subscripts are one."""
        if constant_of(op.address) is not None:
            replace(op, op.address)
        else:
            self.share(op, (type(op), tuple(op.operands), op.sizes), defined)

    def share(self, op: Operation, key: Hashable, defined: list[Hashable]) -> None:
        """The operation is gone if one with the same key reaches it."""
        found = self.known.get(key)
        if found is not None:
            replace(op, *found.results)
            return
        self.known[key] = op
        defined.append(key)


def constant_attribute(pattern: int, type_: Attribute, index_width: int) -> IntegerAttr | FloatAttr:
    """The attribute of a constant: integers signed."""
    if isinstance(type_, AnyFloat):
        return float_attribute(pattern, type_)
    width = width_of(type_, index_width)
    half = 1 << (width - 1)
    value = ((pattern + half) & ((1 << width) - 1)) - half
    return IntegerAttr(value, integer_type(type_))


def token_of(value: SSAValue, width: int) -> int | None:
    """The bit pattern that an arith.constant always gives, or None."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, FloatAttr):
        return pattern_of(owner.value)
    number = constant_of(value)
    return None if number is None else number & ((1 << width) - 1)


def fold(op: Operation, row: Operator, shape: Shape) -> tuple[int, ...] | None:
    """The results as bit patterns if all operands are constants and the operation is defined."""
    tokens: list[int] = []
    for operand, width in zip(op.operands, shape.inputs, strict=True):
        token = token_of(operand, width)
        if token is None:
            return None
        tokens.append(token)
    if row.semantics.undefined is not None and row.semantics.undefined(shape, *tokens):
        return None
    assert row.semantics.meaning is not None
    result = row.semantics.meaning(shape)(*tokens)
    return result if isinstance(result, tuple) else (result,)


def take_branch(op: scf.IfOp, condition: bool) -> Operation | None:
    """The operations of the branch that is taken stand in place of the scf.if; the first one."""
    region = op.true_region if condition else op.false_region
    block = op.parent
    assert block is not None
    yielded: tuple[SSAValue, ...] = ()
    moved: list[Operation] = []
    for inner in list(region.block.ops) if region.blocks else []:
        inner.detach()
        if isinstance(inner, scf.YieldOp):
            yielded = tuple(inner.arguments)
            inner.erase()
        else:
            block.insert_op_before(inner, op)
            moved.append(inner)
    replace(op, *yielded)
    return moved[0] if moved else None


def remove_dead(function: FuncOp) -> None:
    """No operation is left whose results nobody uses and that does nothing else."""
    # In this order all users of a value come before the operation that defines it.
    for op in reversed(list(function.walk())):
        if not any(result.first_use for result in op.results) and is_harmless(op):
            op.detach()
            op.erase()


def is_harmless(op: Operation) -> bool:
    """True if the operation may go when nobody uses its results."""
    if isinstance(op, scf.IfOp | scf.ForOp):
        return all(is_idle(block) for region in op.regions for block in region.blocks)
    if isinstance(op, WITHOUT_EFFECT):
        return True
    row = find(op.name)
    return row is not None and row.semantics.meaning is not None


def is_idle(block: Block) -> bool:
    """True for a block that is only a terminator."""
    return block.first_op is block.last_op


def remove_unused_globals(module: ModuleOp) -> None:
    """Every memref.global that is left has a user."""
    used = {op.name_.string_value() for op in module.walk() if isinstance(op, memref.GetGlobalOp)}
    for op in list(globals_of(module)):
        if op.sym_name.data not in used:
            op.detach()
            op.erase()
