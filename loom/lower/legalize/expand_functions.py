"""exp, log, sin and cos become integer operations and tables: programs of `floats.elementary`."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Operation, SSAValue

from loom.dialects.facts.arrays import ARRAY_NAME
from loom.dialects.facts.instances import shape_of
from loom.dialects.floats.attributes import dense_of, form_of
from loom.dialects.floats.elementary.functions import ACCURACY, PROGRAMS, program_of
from loom.dialects.floats.elementary.words import Word
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.cores import computed_by
from loom.dialects.ops.index import IndexCastUIOp
from loom.elements import encode_elements
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, replace

BINARY: dict[str, Callable[..., Operation]] = {
    "add": arith.AddiOp,
    "subtract": arith.SubiOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
    "shift_left": arith.ShLIOp,
    "shift_right": arith.ShRUIOp,
    "select": arith.SelectOp,
}
"""Operations that take words and nothing else."""
CASTS: dict[str, Callable[..., Operation]] = {
    "extend": arith.ExtUIOp,
    "extend_signed": arith.ExtSIOp,
    "low": arith.TruncIOp,
}
"""Operations that give another width."""
COMPARISONS = {"equals": "eq", "below": "ult"}


def expand_functions(module: ModuleOp, options: Options) -> None:
    """Of the functions with programs only those are left that a core of the user's computes."""
    for op in list(module.walk()):
        if op.name not in PROGRAMS:
            continue
        form = form_of(op.operands[0].type)
        operator = CATALOGUE[op.name]
        shape = shape_of(op, operator, options.index_width)
        is_core = bool(computed_by(operator, shape, options.cores).hardware.template)
        if form is not None and form.name in ACCURACY and not is_core:
            expand(module, op, form.name)


def expand(module: ModuleOp, op: Operation, form: str) -> None:
    """The result of the program in place of the operation's."""
    arithmetic = Arithmetic(op)
    program = program_of(op.name, form)
    pattern = IntegerType(program.operand.width)
    values: dict[Word, SSAValue] = {
        program.operand: arithmetic.insert(arith.BitcastOp(op.operands[0], pattern))
    }
    tables = Tables(module, arithmetic, f"{op.name.replace('.', '_')}_{form}")
    for word in program.steps():
        if word not in values:
            operands = [values[each] for each in word.operands]
            values[word] = insert(arithmetic, word, operands, tables.look_up)
    result = arith.BitcastOp(values[program.result], op.results[0].type)
    replace(op, arithmetic.insert(result))


def insert(
    arithmetic: Arithmetic,
    word: Word,
    operands: list[SSAValue],
    look_up: Callable[[Word, SSAValue], SSAValue],
) -> SSAValue:
    """The value of one word."""
    type_ = IntegerType(word.width)
    if word.kind == "constant":
        return arithmetic.constant(word.value, type_)
    if word.kind == "look_up":
        return look_up(word, operands[0])
    if word.kind == "product":
        return insert_product(arithmetic, operands[0], operands[1], type_)
    if word.kind in COMPARISONS:
        return arithmetic.compare(COMPARISONS[word.kind], *operands)
    if word.kind in CASTS:
        return arithmetic.insert(CASTS[word.kind](operands[0], type_))
    return arithmetic.insert(BINARY[word.kind](*operands))


def insert_product(
    arithmetic: Arithmetic, lhs: SSAValue, rhs: SSAValue, type_: IntegerType
) -> SSAValue:
    """The whole product: both halves of it, side by side."""
    halves = arith.MulUIExtendedOp(lhs, rhs)
    arithmetic.put(halves)
    low, high = (arithmetic.insert(arith.ExtUIOp(each, type_)) for each in halves.results)
    half = arithmetic.constant(type_.width.data // 2, type_)
    moved = arithmetic.insert(arith.ShLIOp(high, half))
    return arithmetic.insert(arith.OrIOp(moved, low))


class Tables:
    """The tables of one operation: each is a constant array of its own, so that none waits."""

    def __init__(self, module: ModuleOp, arithmetic: Arithmetic, name: str) -> None:
        self.module = module
        self.arithmetic = arithmetic
        self.name = name
        self.taken = {
            each.sym_name.data for each in module.body.block.ops
            if isinstance(each, memref.GlobalOp)
        }  # fmt: skip

    def look_up(self, word: Word, index: SSAValue) -> SSAValue:
        """The element of the word's table."""
        element = IntegerType(word.width)
        type_ = MemRefType(element, [len(word.table)])
        number = 0
        while (name := f"{self.name}_{number}") in self.taken:
            number += 1
        self.taken.add(name)
        half = 1 << (word.width - 1)
        signed = [each - 2 * half if each >= half else each for each in word.table]
        elements = dense_of(TensorType(element, [len(word.table)]), encode_elements(signed))
        table = memref.GlobalOp.get(StringAttr(name), type_, elements, constant=UnitAttr())
        table.attributes[ARRAY_NAME] = StringAttr(name)
        table.location = self.arithmetic.anchor.location
        first = self.module.body.block.first_op
        assert first is not None
        self.module.body.block.insert_op_before(table, first)
        memory = self.arithmetic.insert(memref.GetGlobalOp(name, type_))
        place = self.arithmetic.insert(IndexCastUIOp(index, IndexType()))
        return self.arithmetic.insert(memref.LoadOp.get(memory, [place]))
