"""Rows of loops that are written alike: the same operations on the values that they read.

Two loops are alike if they have the same operations, in the same order, on values that are used in
the same way. Where they read a value from outside, the values may differ: these are the loops'
reads. A constant is a read wherever it stands. A row is a number of loops alike in one block, with
nothing between them but pure operations on values from before the row. From one loop of a row to
the next each read is of one kind: the same value, a constant, or a result of the loop before.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, memref, scf
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from loom.analysis.program.loop_overlap import is_outside
from loom.dialects.facts.program_facts import REQUESTER
from loom.dialects.operators.catalogue import find

Loop = scf.ForOp | scf.WhileOp
LOOPS = (scf.ForOp, scf.WhileOp)
DEEPEST = 50
"""Operations in a row that are looked through."""


@dataclass(frozen=True)
class Read:
    """Operand `index` of an operation of a loop: a value from outside, or a constant."""

    operation: Operation
    index: int

    @property
    def value(self) -> SSAValue:
        """The value that is read."""
        return self.operation.operands[self.index]

    @property
    def constant(self) -> Attribute | None:
        """The constant that is read, or None."""
        owner = self.value.owner
        return owner.value if isinstance(owner, arith.ConstantOp) else None


SAME, CONSTANT = "same", "constant"
Kind = int | str
"""Of a read: `SAME`, `CONSTANT`, or the number of the result of the loop before."""


@dataclass
class Row:
    """Loops alike in the text's order, their reads, and the operations between them."""

    loops: list[Loop]
    reads: list[Sequence[Read]]
    kinds: Sequence[Kind] = ()
    between: list[Operation] = field(default_factory=list)

    def constants(self, number: int) -> tuple[Attribute, ...]:
        """The constants that the loops read in place `number`."""
        found = [reads[number].constant for reads in self.reads]
        return tuple(each for each in found if each is not None)

    @property
    def different(self) -> list[int]:
        """The numbers of the reads that are constants, and not one and the same."""
        return [
            number
            for number, kind in enumerate(self.kinds)
            if kind == CONSTANT and len(set(self.constants(number))) > 1
        ]

    @property
    def carried(self) -> list[int]:
        """The numbers of the reads that are results of the loop before."""
        return [number for number, kind in enumerate(self.kinds) if isinstance(kind, int)]


def find_rows(block: Block) -> list[Row]:
    """The longest rows of two and more loops that stand in a block itself."""
    return [row for row in RowFinder().find(block) if len(row.loops) > 1]


class RowFinder:
    """Reads a block from its first operation to its last."""

    def __init__(self) -> None:
        self.keys: dict[SSAValue, int] = {}
        self.numbers: dict[Hashable, int] = {}
        self.structures: dict[Operation, Structure] = {}

    def find(self, block: Block) -> Iterator[Row]:
        """The rows; a loop with no other one is a row, too."""
        row: Row | None = None
        waiting: list[Operation] = []
        for op in block.ops:
            if isinstance(op, LOOPS):
                if row is not None and self.extend(row, op):
                    row.between += waiting
                else:
                    if row is not None:
                        yield row
                    row = Row([op], [])
                waiting = []
            elif row is not None:
                if is_movable(op) and not reads_results(op, row.loops):
                    waiting.append(op)
                else:
                    yield row
                    row = None
        if row is not None:
            yield row

    def extend(self, row: Row, loop: Loop) -> bool:
        """True if the loop is one more of the row, which then has it."""
        last = row.loops[-1]
        if self.structure(last).found != self.structure(loop).found:
            return False
        reads, new = self.structure(last).reads, self.structure(loop).reads
        kinds: list[Kind] = []
        for before, after in zip(reads, new, strict=True):
            kind = self.kind(before, after, last)
            if kind is None:
                return False
            kinds.append(kind)
        taken = {(read.operation, read.index) for read in new}
        used = {(use.operation, use.index) for result in last.results for use in result.uses}
        if not used <= taken or (row.kinds and row.kinds != kinds):
            return False
        row.reads = row.reads or [reads]
        row.loops.append(loop)
        row.reads.append(new)
        row.kinds = kinds
        return True

    def kind(self, before: Read, after: Read, last: Loop) -> Kind | None:
        """How a read of a loop comes of the same read of the loop before; None if it does not."""
        value = after.value
        if isinstance(value, OpResult) and value.owner is last:
            return value.index
        if before.constant is not None and after.constant is not None:
            return CONSTANT
        return SAME if self.key(before.value) == self.key(value) else None

    def key(self, value: SSAValue, deepest: int = DEEPEST) -> int:
        """Equal for values that pure operations make in the same way of the same values."""
        if value not in self.keys:
            made: Hashable = value
            if deepest and isinstance(value, OpResult) and is_movable(value.owner):
                operands = tuple(self.key(each, deepest - 1) for each in value.owner.operands)
                made = (value.owner.name, facts_of(value.owner), operands, value.type, value.index)
            self.keys[value] = self.numbers.setdefault(made, len(self.numbers))
        return self.keys[value]

    def structure(self, loop: Loop) -> Structure:
        """The structure of a loop."""
        if loop not in self.structures:
            self.structures[loop] = Structure(loop)
        return self.structures[loop]


class Structure:
    """What a loop does with what it reads, and its reads, both in the order of the text."""

    def __init__(self, loop: Operation) -> None:
        self.loop = loop
        self.numbers: dict[SSAValue, int] = {}
        self.reads: list[Read] = []
        self.found: list[Hashable] = []
        self.add(loop)

    def add(self, op: Operation) -> None:
        """Append an operation with all in it; constants are none, but reads."""
        if isinstance(op, arith.ConstantOp):
            return
        operands = tuple(self.operand(op, index) for index in range(len(op.operands)))
        self.found.append((op.name, facts_of(op), operands, self.define(op.results)))
        for region in op.regions:
            self.found.append(len(region.blocks))
            for block in region.blocks:
                self.found.append(self.define(block.args))
                for inner in block.ops:
                    self.add(inner)
                self.found.append(None)

    def operand(self, op: Operation, index: int) -> Hashable:
        """The number of a value of the loop, or the type of a read."""
        value = op.operands[index]
        if isinstance(value.owner, arith.ConstantOp) or is_outside(value, self.loop):
            self.reads.append(Read(op, index))
            return value.type
        return self.numbers[value]

    def define(self, values: Sequence[SSAValue]) -> Hashable:
        """Number new values; their types."""
        for value in values:
            self.numbers[value] = len(self.numbers)
        return tuple(value.type for value in values)


def facts_of(op: Operation) -> Hashable:
    """The attributes and properties of an operation, but not its requester."""
    given = {**op.attributes, **op.properties}
    given.pop(REQUESTER.name, None)
    return tuple((name, str(given[name])) for name in sorted(given))


def is_movable(op: Operation) -> bool:
    """True for an operation that may as well stand further up, below what it reads."""
    if isinstance(op, arith.ConstantOp | memref.GetGlobalOp):
        return True
    row = find(op.name)
    return row is not None and row.semantics.meaning is not None and not op.regions


def reads_results(op: Operation, loops: Sequence[Operation]) -> bool:
    """True if the operation reads a result of one of the loops."""
    return any(value.owner in loops for value in op.operands)
