"""Expressions become operations, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    FileLineColLoc,
    Float32Type,
    Float64Type,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from loom.dialects.floats.attributes import float_attribute
from loom.dialects.ops.index import IndexCastUIOp
from loom.errors import Place
from loom.frontend.imperative.tree import (
    Apply,
    Choose,
    Compare,
    Convert,
    Expression,
    Load,
    Memory,
    Number,
    Read,
    Relation,
    Variable,
    walk_expression,
)
from loom.frontend.imperative.types import Float, Int, Type, is_float, make_mlir_type

CHEAP = frozenset({arith.AddiOp, arith.SubiOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp})
"""Operations of little area that have a result for all operands."""
MOST_SPECULATED = 8
"""Operations that are computed though the other value may be chosen [operations]."""


def make_location(place: Place) -> FileLineColLoc:
    """The place as an attribute of an operation."""
    return FileLineColLoc(StringAttr(place.file), IntAttr(place.line), IntAttr(place.column))


def is_speculable(expression: Expression) -> bool:
    """True if the expression has a value and costs little where it is not chosen."""
    for each in walk_expression(expression):
        match each:
            case Load() | Choose():
                return False
            case Apply() if each.operation not in CHEAP:
                return False
            case Convert() if is_float(each.type) or is_float(each.value.type):
                return False
    return True


def count_operations(expression: Expression) -> int:
    """How many operations the expression is made of."""
    return sum(1 for _ in walk_expression(expression))


def find_first_operand(expression: Expression) -> Expression | None:
    """The operand that is emitted first, where all that is emitted for the expression follows."""
    match expression:
        case Apply() if expression.operands:
            return expression.operands[0]
        case Compare():
            return expression.left
        case Convert():
            return expression.value
        case Choose():
            return expression.condition
        case _:
            return None


class Emitter:
    """A place where operations are put, and what variables and memories are there."""

    def __init__(self) -> None:
        self.block = Block()
        self.values: dict[Variable, SSAValue] = {}
        self.memories: dict[Memory, SSAValue] = {}
        self.flat: dict[Memory, SSAValue] = {}

    def insert(self, operation: Operation, place: Place) -> Operation:
        """The operation stands at the end of the block."""
        operation.location = make_location(place)
        self.block.add_op(operation)
        return operation

    def insert_value(self, operation: Operation, place: Place) -> SSAValue:
        """The result of the operation, which stands at the end of the block."""
        return self.insert(operation, place).results[0]

    def emit_constant(self, pattern: int, type_: Type, place: Place) -> SSAValue:
        """The constant of this bit pattern."""
        kind = make_mlir_type(type_)
        if isinstance(kind, Float32Type | Float64Type):
            return self.insert_value(arith.ConstantOp(float_attribute(pattern, kind)), place)
        assert isinstance(type_, Int)
        number = pattern if type_.width == 1 else Int(type_.width, True).decode(pattern)
        return self.insert_value(arith.ConstantOp(IntegerAttr(number, kind)), place)

    def read_variable(self, variable: Variable, place: Place) -> SSAValue:
        """The variable's value; 0 where nothing was assigned, which C calls indeterminate."""
        found = self.values.get(variable)
        return self.emit_constant(0, variable.type, place) if found is None else found

    def emit_expression(self, expression: Expression) -> SSAValue:
        """The value of the expression; a sum may have any number of terms."""
        outer: list[Expression] = []
        while (first := find_first_operand(expression)) is not None:
            outer.append(expression)
            expression = first
        value = self.emit_leaf(expression)
        for each in reversed(outer):
            value = self.emit_operator(each, value)
        return value

    def emit_leaf(self, expression: Expression) -> SSAValue:
        """The value of an expression without a first operand."""
        place = expression.place
        match expression:
            case Number():
                return self.emit_constant(expression.pattern, expression.type, place)
            case Read():
                return self.read_variable(expression.variable, place)
            case Load():
                memory, indices = self.emit_access(expression.memory, expression.indices)
                return self.insert_value(memref.LoadOp.get(memory, indices), place)
            case _:
                raise AssertionError("an expression with a first operand")

    def emit_operator(self, expression: Expression, first: SSAValue) -> SSAValue:
        """The value of the expression, the first operand of which is known."""
        match expression:
            case Apply():
                rest = [self.emit_expression(operand) for operand in expression.operands[1:]]
                made = build_operation(expression.operation, [first, *rest], expression.type)
                return self.insert_value(made, expression.place)
            case Compare():
                return self.emit_comparison(expression, first)
            case Convert():
                return self.emit_conversion(first, expression)
            case Choose():
                return self.emit_choice(expression, first)
            case _:
                raise AssertionError("an expression without a first operand")

    def emit_comparison(self, expression: Compare, left: SSAValue) -> SSAValue:
        """Whether the relation holds."""
        right = self.emit_expression(expression.right)
        type_ = expression.left.type
        signed, unsigned, ordered = expression.relation.value
        if isinstance(type_, Float):
            return self.insert_value(arith.CmpfOp(left, right, ordered), expression.place)
        predicate = signed if type_.signed else unsigned
        return self.insert_value(arith.CmpiOp(left, right, predicate), expression.place)

    def emit_conversion(self, value: SSAValue, expression: Convert) -> SSAValue:
        """The value in the type of the conversion."""
        old, new, place = expression.value.type, expression.type, expression.place
        kind = make_mlir_type(new)
        if isinstance(new, Int) and new.is_truth:
            return self.emit_nonzero_test(value, old, place)
        if isinstance(old, Int) and isinstance(new, Int):
            assert isinstance(kind, IntegerType)
            if new.width == old.width:
                return value
            if new.width < old.width:
                return self.insert_value(arith.TruncIOp(value, kind), place)
            extend = arith.ExtSIOp if old.signed else arith.ExtUIOp
            return self.insert_value(extend(value, kind), place)
        operation: type[Operation]
        if isinstance(old, Int):
            operation = arith.SIToFPOp if old.signed else arith.UIToFPOp
        elif isinstance(new, Int):
            operation = arith.FPToSIOp if new.signed else arith.FPToUIOp
        elif old is new:
            return value
        else:
            operation = arith.ExtFOp if new.width > old.width else arith.TruncFOp
        return self.insert_value(operation.build(operands=[value], result_types=[kind]), place)

    def emit_nonzero_test(self, value: SSAValue, type_: Type, place: Place) -> SSAValue:
        """Whether the value is not zero."""
        if isinstance(type_, Int) and type_.width == 1:
            return value
        zero = self.emit_constant(0, type_, place)
        if isinstance(type_, Int):
            return self.insert_value(arith.CmpiOp(value, zero, Relation.NE.value[0]), place)
        return self.insert_value(arith.CmpfOp(value, zero, Relation.NE.value[2]), place)

    def emit_choice(self, expression: Choose, condition: SSAValue) -> SSAValue:
        """The chosen value; a branch where computing the other one may cost or be wrong."""
        place, kind = expression.place, make_mlir_type(expression.type)
        both = expression.first, expression.second
        if all(map(is_speculable, both)) and sum(map(count_operations, both)) <= MOST_SPECULATED:
            first, second = (
                self.emit_expression(expression.first),
                self.emit_expression(expression.second),
            )
            return self.insert_value(arith.SelectOp(condition, first, second), place)
        branches = [self.emit_branch(value, place) for value in both]
        return self.insert_value(scf.IfOp(condition, [kind], [branches[0]], [branches[1]]), place)

    def emit_branch(self, expression: Expression, place: Place) -> Block:
        """A block that gives the value."""
        outside, self.block = self.block, Block()
        self.insert(scf.YieldOp(self.emit_expression(expression)), place)
        made, self.block = self.block, outside
        return made

    def emit_access(
        self, memory: Memory, indices: Sequence[Expression]
    ) -> tuple[SSAValue, list[SSAValue]]:
        """The memory, flat where the access has one position, and the indices."""
        flat = len(indices) != len(memory.shape)
        return (self.flat if flat else self.memories)[memory], [self.emit_index(i) for i in indices]

    def emit_index(self, expression: Expression) -> SSAValue:
        """The integer as an index."""
        value, type_ = self.emit_expression(expression), expression.type
        assert isinstance(type_, Int)
        if type_.signed:
            return self.insert_value(arith.IndexCastOp(value, IndexType()), expression.place)
        made = IndexCastUIOp.build(operands=[value], result_types=[IndexType()])
        return self.insert_value(made, expression.place)


def build_operation(
    operation: type[Operation], operands: Sequence[SSAValue], type_: Type
) -> Operation:
    """The operation on these operands."""
    properties: dict[str, Attribute] = {}
    known = issubclass(operation, IRDLOperation) and operation.get_irdl_definition().properties
    if known and "overflowFlags" in known:
        properties["overflowFlags"] = arith.IntegerOverflowAttr("none")
    if known and "fastmath" in known:
        properties["fastmath"] = arith.FastMathFlagsAttr("none")
    kinds = [make_mlir_type(type_)]
    return operation.create(operands=operands, result_types=kinds, properties=properties)
