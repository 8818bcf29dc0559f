"""Loop re-rolling: loops alike that follow each other become the iterations of an outer loop.

Two loops that are written alike, where the second one waits for the memory accesses of the first,
take twice the area for the time of one circuit used twice. A row of K such loops is one loop in an
outer one that runs K times. What differs between them is made of the outer loop's index: constants
of an arithmetic sequence by arithmetic, others by a table. What one loop hands to the next is
carried by the outer loop. Each inner loop waits for the accesses of the one before, as in the row:
`thread_memory_order` carries the token of their order round the outer loop.

A row is left alone where that would take time (`--share auto`): where its loops overlap, where a
constant that differs is in an address or a bound, and where an operator by a constant is faster
than one by any number, and a recurrence or a divider has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loom.analysis.program.alike_loops import LOOPS, Row, find_rows
from loom.analysis.program.calls import top_of
from loom.analysis.program.interval import Range
from loom.dialects.facts.loop_attributes import UNROLL
from loom.dialects.facts.places import place_row
from loom.dialects.floats.attributes import dense_of
from loom.dialects.operators.integer_meanings import signed
from loom.dialects.ops.types import width_of
from loom.lower.loops.rolling_profit import Memory, is_faster_apart, is_smaller_apart
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import INDEX, Arithmetic, signed_digits
from loom.lower.scalar.constant_tables import globals_of
from loom.lower.scalar.known_constants import KnownConstants
from loom.lower.scalar.simplify import constant_attribute, token_of

NEVER = 1
"""A loop with this unroll factor is not unrolled."""
STEP = 2
"""The operand of a loop that is its step."""
DIGITS = 2
"""Terms of a product by the step of a sequence; one of more is larger than a table."""


def roll_loops(module: ModuleOp, options: Options) -> None:
    """Rows of loops that are worth it are nests of two loops; with `--share off` none is."""
    if options.share != "off":
        function = top_of(module)
        roll_block(function.body.block, function, options)


def roll_block(block: Block, function: FuncOp, options: Options) -> None:
    """Roll the rows in a block and in all that is inside, outer ones first."""
    memory = Memory(function, options)
    for row in [row for row in find_rows(block) if is_wanted(row, memory, options)]:
        Rolling(row, function, options.index_width).run()
    for op in list(block.ops):
        for region in op.regions:
            for inner in region.blocks:
                roll_block(inner, function, options)


def is_wanted(row: Row, memory: Memory, options: Options) -> bool:
    """True if a row becomes one loop."""
    if len(row.loops) >= 1 << (options.index_width - 1):
        return False  # no index counts them
    inside = list(row.loops[0].walk())
    stores = any(isinstance(op, memref.StoreOp) for op in inside)
    loads = any(isinstance(op, memref.LoadOp) for op in inside)
    # A loop of numbers alone may be shared; one that only loads may have no use.
    if not stores and not (loads and row.carried):
        return False
    reads = [row.reads[0][number] for number in row.different]
    if any(isinstance(read.operation, scf.ForOp) and read.index == STEP for read in reads):
        return False
    if any(is_unrolled(op, options) for op in inside) or is_smaller_apart(row, options):
        return False
    return options.share == "on" or not is_faster_apart(row, memory)


def is_unrolled(op: Operation, options: Options) -> bool:
    """True of a loop that is to be unrolled."""
    if not isinstance(op, LOOPS):
        return False
    directive = UNROLL.of(op)
    if directive is not None:
        return directive != NEVER
    if not options.unroll_below or not isinstance(op, scf.ForOp):
        return False
    indices = KnownConstants(options.index_width).indices(op)
    return indices is not None and len(indices) <= options.unroll_below


class Rolling:
    """The rewrite of one row."""

    def __init__(self, row: Row, function: FuncOp, index_width: int) -> None:
        self.row = row
        self.function = function
        self.index_width = index_width
        self.first = row.loops[0]
        self.values: dict[tuple[Attribute, tuple[int, ...]], SSAValue] = {}
        """What is already made of the index, by type and bit patterns."""

    def run(self) -> None:
        """One loop stands in place of the row."""
        row, first, before = self.row, self.first, Arithmetic(self.first)
        holder = first.parent
        assert holder is not None
        for op in row.between:
            op.detach()
            holder.insert_op_before(op, first)
        starts = [self.start(number) for number in row.carried]
        numbers = [int(row.kinds[number]) for number in row.carried]
        last = row.loops[-1]
        for number, result in enumerate(last.results):
            if result.first_use is not None and number not in numbers:
                zero = constant_attribute(0, result.type, self.index_width)
                starts.append(before.insert(arith.ConstantOp(zero)))
                numbers.append(number)
        low, high, step = (before.constant(n) for n in (0, len(row.loops), 1))
        outer = scf.ForOp(low, high, step, starts, self.body(starts, numbers))
        before.put(outer)
        outer.location = place_row(first.location)
        for number, result in enumerate(last.results):
            if number in numbers:
                made = outer.results[numbers.index(number)]
                made.name_hint = result.name_hint
                result.replace_all_uses_with(made)
        for loop in reversed(row.loops):
            holder.erase_op(loop)

    def start(self, number: int) -> SSAValue:
        """The value before the row that the first loop reads where others read a result."""
        value = self.row.reads[0][number].value
        if isinstance(value.owner, arith.ConstantOp):
            return Arithmetic(self.first).insert(arith.ConstantOp(value.owner.value))
        return value

    def body(self, starts: Sequence[SSAValue], numbers: Sequence[int]) -> Block:
        """One iteration of the outer loop: the first loop, with what it reads replaced."""
        end = scf.YieldOp()
        end.location = self.first.location
        body = Block([end], arg_types=[INDEX, *(value.type for value in starts)])
        inner = self.first.clone()
        copies = dict(zip(self.first.walk(), inner.walk(), strict=True))
        for old, new in copies.items():
            new.location = old.location
        body.insert_op_before(inner, end)
        reads = self.row.reads[0]
        for place, number in enumerate(self.row.carried):
            read = reads[number]
            copies[read.operation].operands[read.index] = body.args[place + 1]
        for number in self.row.different:
            read = reads[number]
            patterns = [
                token_of(each[number].value, width_of(read.value.type, self.index_width))
                for each in self.row.reads
            ]
            known = tuple(each for each in patterns if each is not None)
            value = self.make(read.value.type, known, body.args[0], inner)
            copies[read.operation].operands[read.index] = value
        end.operands = [inner.results[number] for number in numbers]
        return body

    def make(
        self, type_: Attribute, patterns: tuple[int, ...], index: SSAValue, before: Operation
    ) -> SSAValue:
        """The constant of the iteration with this index."""
        key = type_, patterns
        if key not in self.values:
            at = Arithmetic(before)
            step = find_step(type_, patterns, self.index_width)
            if step is not None and len(signed_digits(step)) <= DIGITS:
                assert isinstance(type_, IntegerType | IndexType)
                self.values[key] = make_sequence(at, type_, patterns[0], step, index)
            elif len(patterns) == 2:
                one, other = (
                    at.insert(arith.ConstantOp(constant_attribute(each, type_, self.index_width)))
                    for each in patterns
                )
                is_first = at.compare("eq", index, 0)
                self.values[key] = at.insert(arith.SelectOp(is_first, one, other))
            else:
                self.values[key] = self.make_table(at, type_, patterns, index)
        return self.values[key]

    def make_table(
        self, at: Arithmetic, type_: Attribute, patterns: Sequence[int], index: SSAValue
    ) -> SSAValue:
        """The element of a constant table at this index."""
        elements, element = list(patterns), type_
        if isinstance(type_, IntegerType | IndexType):
            width = width_of(type_, self.index_width)
            elements = [signed(each, width) for each in patterns]
            bits = max(Range(each, each).bits for each in elements)
            element = IntegerType(min(bits, width))
        assert isinstance(element, IntegerType | AnyFloat)
        table = MemRefType(element, [len(elements)])
        module = self.function.parent_op()
        assert isinstance(module, ModuleOp)
        names = {op.sym_name.data for op in globals_of(module)}
        name = next(n for k in range(len(names) + 1) if (n := f"constants_{k}") not in names)
        contents = dense_of(TensorType(element, [len(elements)]), elements)
        made = memref.GlobalOp.get(StringAttr(name), table, contents, constant=UnitAttr())
        made.location = self.first.location
        module.body.block.insert_op_before(made, self.function)
        where = Arithmetic(self.first).insert(memref.GetGlobalOp(name, table))
        value = at.insert(memref.LoadOp.get(where, [index]))
        if isinstance(type_, IndexType):
            return at.insert(arith.IndexCastOp(value, type_))
        if value.type == type_:
            return value
        assert isinstance(type_, IntegerType)
        return at.insert(arith.ExtSIOp(value, type_))


def make_sequence(
    at: Arithmetic, type_: IntegerType | IndexType, first: int, step: int, index: SSAValue
) -> SSAValue:
    """``first + step * index`` in a type."""
    value = index if type_ == index.type else at.insert(arith.IndexCastOp(index, type_))
    if step != 1:
        value = at.with_constant(arith.MuliOp, value, step)
    return at.with_constant(arith.AddiOp, value, first) if first else value


def find_step(type_: Attribute, patterns: Sequence[int], index_width: int) -> int | None:
    """The difference of an arithmetic sequence of integers, modulo their type; None if none."""
    if not isinstance(type_, IntegerType | IndexType):
        return None
    width = width_of(type_, index_width)
    steps = {(b - a) % (1 << width) for a, b in pairwise(patterns)}
    return signed(steps.pop(), width) if len(steps) == 1 else None
