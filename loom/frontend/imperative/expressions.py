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
    parts,
)
from loom.frontend.imperative.types import Float, Int, Type, is_float, mlir_type

CHEAP = frozenset({arith.AddiOp, arith.SubiOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp})
"""Operations of little area that have a result for all operands."""
MOST_COMPUTED = 8
"""Operations that are computed though the other value may be chosen [operations]."""


def location(place: Place) -> FileLineColLoc:
    """The place as an attribute of an operation."""
    return FileLineColLoc(StringAttr(place.file), IntAttr(place.line), IntAttr(place.column))


def is_harmless(expression: Expression) -> bool:
    """True if the expression has a value and costs little where nobody asked for it."""
    match expression:
        case Load() | Choose():
            return False
        case Apply() if expression.operation not in CHEAP:
            return False
        case Convert() if is_float(expression.type) or is_float(expression.value.type):
            return False
        case _:
            return all(map(is_harmless, parts(expression)))


def size(expression: Expression) -> int:
    """How many operations the expression is made of."""
    return 1 + sum(map(size, parts(expression)))


class Emitter:
    """A place where operations are put, and what variables and memories are there."""

    def __init__(self) -> None:
        self.block = Block()
        self.values: dict[Variable, SSAValue] = {}
        self.memories: dict[Memory, SSAValue] = {}
        self.flat: dict[Memory, SSAValue] = {}

    def put(self, operation: Operation, place: Place) -> Operation:
        """The operation stands at the end of the block."""
        operation.location = location(place)
        self.block.add_op(operation)
        return operation

    def make(self, operation: Operation, place: Place) -> SSAValue:
        """The result of the operation, which stands at the end of the block."""
        return self.put(operation, place).results[0]

    def constant(self, pattern: int, type_: Type, place: Place) -> SSAValue:
        """The constant of this bit pattern."""
        kind = mlir_type(type_)
        if isinstance(kind, Float32Type | Float64Type):
            return self.make(arith.ConstantOp(float_attribute(pattern, kind)), place)
        assert isinstance(type_, Int)
        number = pattern if type_.width == 1 else Int(type_.width, True).number(pattern)
        return self.make(arith.ConstantOp(IntegerAttr(number, kind)), place)

    def read(self, variable: Variable, place: Place) -> SSAValue:
        """The variable's value; 0 where nothing was assigned, which C calls indeterminate."""
        found = self.values.get(variable)
        return self.constant(0, variable.type, place) if found is None else found

    def value(self, expression: Expression) -> SSAValue:
        """The value of the expression."""
        place = expression.place
        match expression:
            case Number():
                return self.constant(expression.pattern, expression.type, place)
            case Read():
                return self.read(expression.variable, place)
            case Load():
                memory, indices = self.access(expression.memory, expression.indices)
                return self.make(memref.LoadOp.get(memory, indices), place)
            case Apply():
                operands = [self.value(operand) for operand in expression.operands]
                return self.make(apply(expression.operation, operands, expression.type), place)
            case Compare():
                return self.compare(expression)
            case Convert():
                return self.convert(self.value(expression.value), expression)
            case Choose():
                return self.choose(expression)

    def compare(self, expression: Compare) -> SSAValue:
        """Whether the relation holds."""
        left, right = self.value(expression.left), self.value(expression.right)
        type_ = expression.left.type
        signed, unsigned, ordered = expression.relation.value
        if isinstance(type_, Float):
            return self.make(arith.CmpfOp(left, right, ordered), expression.place)
        predicate = signed if type_.signed else unsigned
        return self.make(arith.CmpiOp(left, right, predicate), expression.place)

    def convert(self, value: SSAValue, expression: Convert) -> SSAValue:
        """The value in the type of the conversion."""
        old, new, place = expression.value.type, expression.type, expression.place
        kind = mlir_type(new)
        if isinstance(new, Int) and new.is_truth:
            return self.truth(value, old, place)
        if isinstance(old, Int) and isinstance(new, Int):
            assert isinstance(kind, IntegerType)
            if new.width == old.width:
                return value
            if new.width < old.width:
                return self.make(arith.TruncIOp(value, kind), place)
            extend = arith.ExtSIOp if old.signed else arith.ExtUIOp
            return self.make(extend(value, kind), place)
        operation: type[Operation]
        if isinstance(old, Int):
            operation = arith.SIToFPOp if old.signed else arith.UIToFPOp
        elif isinstance(new, Int):
            operation = arith.FPToSIOp if new.signed else arith.FPToUIOp
        elif old is new:
            return value
        else:
            operation = arith.ExtFOp if new.width > old.width else arith.TruncFOp
        return self.make(operation.build(operands=[value], result_types=[kind]), place)

    def truth(self, value: SSAValue, type_: Type, place: Place) -> SSAValue:
        """Whether the value is not zero."""
        if isinstance(type_, Int) and type_.width == 1:
            return value
        zero = self.constant(0, type_, place)
        if isinstance(type_, Int):
            return self.make(arith.CmpiOp(value, zero, Relation.NE.value[0]), place)
        return self.make(arith.CmpfOp(value, zero, Relation.NE.value[2]), place)

    def choose(self, expression: Choose) -> SSAValue:
        """The chosen value; a branch where computing the other one may cost or be wrong."""
        place, kind = expression.place, mlir_type(expression.type)
        condition = self.value(expression.condition)
        both = expression.first, expression.second
        if all(map(is_harmless, both)) and sum(map(size, both)) <= MOST_COMPUTED:
            first, second = self.value(expression.first), self.value(expression.second)
            return self.make(arith.SelectOp(condition, first, second), place)
        branches = [self.branch(value, place) for value in both]
        return self.make(scf.IfOp(condition, [kind], [branches[0]], [branches[1]]), place)

    def branch(self, expression: Expression, place: Place) -> Block:
        """A block that gives the value."""
        outside, self.block = self.block, Block()
        self.put(scf.YieldOp(self.value(expression)), place)
        made, self.block = self.block, outside
        return made

    def access(
        self, memory: Memory, indices: Sequence[Expression]
    ) -> tuple[SSAValue, list[SSAValue]]:
        """The memory, flat where the access has one position, and the indices."""
        flat = len(indices) != len(memory.shape)
        return (self.flat if flat else self.memories)[memory], [self.index(i) for i in indices]

    def index(self, expression: Expression) -> SSAValue:
        """The integer as an index."""
        value, type_ = self.value(expression), expression.type
        assert isinstance(type_, Int)
        if type_.signed:
            return self.make(arith.IndexCastOp(value, IndexType()), expression.place)
        made = IndexCastUIOp.build(operands=[value], result_types=[IndexType()])
        return self.make(made, expression.place)


def apply(operation: type[Operation], operands: Sequence[SSAValue], type_: Type) -> Operation:
    """The operation on these operands."""
    properties: dict[str, Attribute] = {}
    known = issubclass(operation, IRDLOperation) and operation.get_irdl_definition().properties
    if known and "overflowFlags" in known:
        properties["overflowFlags"] = arith.IntegerOverflowAttr("none")
    if known and "fastmath" in known:
        properties["fastmath"] = arith.FastMathFlagsAttr("none")
    kinds = [mlir_type(type_)]
    return operation.create(operands=operands, result_types=kinds, properties=properties)
