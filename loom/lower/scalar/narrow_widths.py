"""Bit-width reduction: integers get the bits that their value ranges need.

Ranges are proved by `analysis.program.value_ranges`. What needs a width (a result of the function,
a stored element, an operation without a rule) gets it back by a sign extension, which is wires.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loom.analysis.program.calls import arrays_of_arguments
from loom.analysis.program.memory_accesses import Root, root_of
from loom.analysis.program.value_ranges import stream_range
from loom.dialects.facts.loop_attributes import EXACT_TYPE
from loom.dialects.facts.program_facts import BITS_SAVED
from loom.dialects.ops import order
from loom.lower.options import Options
from loom.lower.scalar.narrow_operations import narrow_operation
from loom.lower.scalar.simplify import simplify
from loom.lower.scalar.width_rewriter import Widths


def narrow_widths(module: ModuleOp, options: Options) -> None:
    """Every integer value of the one function has the bits that its range needs."""
    if options.widths == "keep":
        return
    saved = 0
    functions = [op for op in module.ops if isinstance(op, FuncOp)]
    arrays = arrays_of_arguments(module)
    widths = [Widths(function, options.index_width) for function in functions]
    types = types_of_addresses(functions, widths, arrays)
    for function, each in zip(functions, widths, strict=True):
        _Narrower(each, types, arrays).block(function.body.block)
        saved += each.saved
    if saved:
        BITS_SAVED.put(module, saved)


def simplify_casts(module: ModuleOp, options: Options) -> None:
    """No number is cast twice to one width, and no cast is left that keeps every bit."""
    if options.widths == "narrow":
        simplify(module, options)


def types_of_addresses(
    functions: Sequence[FuncOp], widths: Sequence[Widths], arrays: Mapping[SSAValue, SSAValue]
) -> dict[Root, Attribute]:
    """By array, the type of its addresses: enough to tell an access outside from any other.

    `arrays` are those that arguments of called functions stand for.
    """
    found: dict[Root, int] = {}
    for function, known in zip(functions, widths, strict=True):
        for op in function.walk():
            if isinstance(op, order.LoadOp | order.StoreOp):
                range_, root = known.of(op.index), root_of(arrays.get(op.memory, op.memory))
                assert isinstance(op.memory.type, MemRefType)
                depth = op.memory.type.get_shape()[0]
                bits = max(range_.bits - range_.is_natural, (depth - 1).bit_length(), 1)
                if not range_.is_natural:
                    bits = max(bits, depth.bit_length() + 1)
                found[root] = max(found.get(root, 1), bits)
    limits = [known.index_width for known in widths]
    return {
        root: IntegerType(bits) if bits < min(limits) else IndexType()
        for root, bits in found.items()
    }


class _Narrower:
    """One function's rewrite, from the first operation to the last."""

    def __init__(
        self,
        widths: Widths,
        address_types: Mapping[Root, Attribute],
        arrays: Mapping[SSAValue, SSAValue],
    ) -> None:
        self.widths = widths
        self.address_types = address_types
        self.arrays = arrays

    def block(self, block: Block) -> None:
        """Every operation of the block but its terminator is narrow."""
        for op in list(block.ops):
            if isinstance(op, scf.YieldOp | scf.ConditionOp):
                return
            if isinstance(op, scf.ForOp):
                self.narrow_for(op)
            elif isinstance(op, scf.WhileOp):
                self.narrow_while(op)
            elif isinstance(op, scf.IfOp):
                self.branch(op)
            elif isinstance(op, order.LoadOp | order.StoreOp):
                self.access(op)
            elif not isinstance(op, arith.ConstantOp | memref.AllocOp | memref.GetGlobalOp):
                self.narrow_operation_of(op)

    def narrow_operation_of(self, op: Operation) -> None:
        """An operation without regions in the widths that its numbers need, or as it was."""
        new = narrow_operation(op, self.widths)
        if new is None:
            self.widths.restore_operands(op)
        else:
            self.widths.put(op, new)

    def access(self, op: order.LoadOp | order.StoreOp) -> None:
        """The address has its memory's type; an element that is stored its own."""
        index = op.index
        self.widths.restore_operands(op)
        place = 1 if isinstance(op, order.LoadOp) else 2
        type_ = self.address_types[root_of(self.arrays.get(op.memory, op.memory))]
        op.operands[place] = self.widths.as_type(index, type_, op)

    def narrow_types(self, values: Sequence[SSAValue]) -> list[Attribute]:
        """The types of what a region operation passes on."""
        return [self.widths.narrow_type(value) for value in values]

    def retype_arguments(self, block: Block, types: Sequence[Attribute], skipped: int = 0) -> None:
        """The block's arguments, but the first `skipped`, have these types."""
        for number, type_ in enumerate(types, skipped):
            old = block.args[number]
            if old.type != type_:
                new = block.insert_arg(type_, number)
                self.widths.replace_value(old, new)
                block.erase_arg(old)

    def cast_terminator(self, block: Block, types: Sequence[Attribute], skipped: int = 0) -> None:
        """The block's terminator passes values of these types on, after `skipped` others."""
        end = block.last_op
        assert end is not None
        for number, type_ in enumerate(types, skipped):
            if self.widths.width(type_):
                end.operands[number] = self.widths.as_type(end.operands[number], type_, end)

    def cast_initial(
        self, loop: Operation, values: Sequence[SSAValue], types: Sequence[Attribute]
    ) -> list[SSAValue]:
        """What the loop begins with, in the types of what it carries."""
        pairs = zip(values, types, strict=True)
        widths = self.widths
        return [widths.as_type(v, t, loop) if widths.width(t) else v for v, t in pairs]

    def narrow_for(self, loop: scf.ForOp) -> None:
        """The stream as narrow as what it counts, the carried values as narrow as they stay."""
        needed = stream_range(loop, self.widths.ranges)
        variable, *carried = loop.body.block.args
        types = self.narrow_types(carried)
        bounds = [loop.lb, loop.ub, loop.step]
        count_type: Attribute = variable.type
        if needed is not None and needed.bits < self.widths.index_width:
            count_type = IntegerType(needed.bits)
            EXACT_TYPE.put(loop, True)
        else:
            count_type = self.widths.original.get(loop.lb, loop.lb.type)
        starts = self.cast_initial(loop, loop.iter_args, types)
        body = loop.body.block
        self.retype_arguments(body, [count_type])
        self.retype_arguments(body, types, 1)
        self.block(body)
        self.cast_terminator(body, types)
        low, high, step = (self.widths.as_type(value, count_type, loop) for value in bounds)
        new = scf.ForOp(low, high, step, starts, loop.detach_region(loop.body))
        new.attributes.update(loop.attributes)
        new.properties.update(loop.properties)
        self.widths.put(loop, new)

    def narrow_while(self, loop: scf.WhileOp) -> None:
        """Both regions' arguments and the results as narrow as they stay."""
        before, after = loop.before_region.block, loop.after_region.block
        into = self.narrow_types(before.args)
        through = [
            wider(first, second, self.widths.width)
            for first, second in zip(
                self.narrow_types(after.args), self.narrow_types(loop.results), strict=True
            )
        ]
        starts = self.cast_initial(loop, loop.arguments, into)
        self.retype_arguments(before, into)
        self.block(before)
        self.cast_terminator(before, through, 1)
        self.retype_arguments(after, through)
        self.block(after)
        self.cast_terminator(after, into)
        regions = [loop.detach_region(region) for region in list(loop.regions)]
        new = scf.WhileOp(starts, through, *regions)
        new.attributes.update(loop.attributes)
        self.widths.put(loop, new)

    def branch(self, branch: scf.IfOp) -> None:
        """Results as narrow as what either side gives."""
        types = self.narrow_types(branch.results)
        for region in branch.regions:
            if region.blocks:
                self.block(region.block)
                self.cast_terminator(region.block, types)
        taken, other = branch.true_region, branch.false_region
        new = scf.IfOp(branch.cond, types, branch.detach_region(taken), branch.detach_region(other))
        new.attributes.update(branch.attributes)
        self.widths.put(branch, new)


def wider(first: Attribute, second: Attribute, width: Callable[[Attribute], int]) -> Attribute:
    """The wider of two integer types; the first of any others."""
    return second if width(second) > width(first) else first
