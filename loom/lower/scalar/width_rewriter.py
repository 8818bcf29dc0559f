"""State of the rewrite to narrower integers: ranges, types before and after, casts between them."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from loom.analysis.program.interval import Range, whole
from loom.analysis.program.value_ranges import value_ranges
from loom.dialects.ops.types import width_of
from loom.lower.scalar.arith_builder import Arithmetic


class Widths:
    """One function's ranges, and the types its values had."""

    def __init__(self, function: FuncOp, index_width: int) -> None:
        self.index_width = index_width
        self.ranges: dict[SSAValue, Range] = dict(value_ranges(function, index_width))
        self.original: dict[SSAValue, Attribute] = {}
        self.saved = 0

    def width(self, type_: Attribute) -> int:
        """Bits of an integer type; 0 of any other [bits]."""
        if isinstance(type_, IntegerType | IndexType):
            return width_of(type_, self.index_width)
        return 0

    def narrow_type(self, value: SSAValue) -> Attribute:
        """The type that the value's range needs; its own where that is no wider."""
        range_ = self.ranges.get(value)
        if range_ is None or range_.bits >= self.width(value.type):
            return value.type
        return IntegerType(range_.bits)

    def of(self, value: SSAValue) -> Range:
        """The range of an integer value."""
        return self.ranges.get(value) or whole(self.width(value.type))

    def as_type(self, value: SSAValue, type_: Attribute, before: Operation) -> SSAValue:
        """The value's number as another integer type, cut if that is narrower."""
        if value.type == type_:
            return value
        assert isinstance(type_, IntegerType | IndexType)
        place = Arithmetic(before)
        known = self.ranges.get(value)
        if known is not None and known.low == known.high:
            made = place.constant(known.low, type_)
        elif isinstance(value.type, IndexType) or isinstance(type_, IndexType):
            made = place.insert(arith.IndexCastOp(value, type_))
        elif self.width(value.type) < self.width(type_):
            made = place.insert(arith.ExtSIOp(value, type_))
        else:
            made = place.insert(arith.TruncIOp(value, type_))
        made.name_hint = value.name_hint
        if known is not None and known.fits(self.width(type_)):
            self.ranges[made] = known
        return made

    def restore_operands(self, op: Operation) -> None:
        """The operands have the types they had before anything was narrowed."""
        for index, operand in enumerate(op.operands):
            if operand in self.original:
                op.operands[index] = self.as_type(operand, self.original[operand], op)

    def replace_value(self, old: SSAValue, new: SSAValue) -> None:
        """`new`, narrower or not, stands for `old`."""
        if old in self.ranges:
            self.ranges[new] = self.ranges[old]
        if new.type != old.type:
            self.original[new] = self.original.get(old, old.type)
            self.saved += self.width(old.type) - self.width(new.type)
        if new.name_hint is None:
            new.name_hint = old.name_hint
        old.replace_all_uses_with(new)

    def put(self, old: Operation, new: Operation) -> None:
        """`new` takes the place of `old`."""
        new.location = old.location
        block = old.parent
        assert block is not None
        block.insert_op_before(new, old)
        for result, successor in zip(old.results, new.results, strict=True):
            self.replace_value(result, successor)
        old.detach()
        old.erase()
