"""The remainder of floats becomes a loop of integer operations: `floats.elementary.remainder`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Block, Region, SSAValue

from loom.dialects.facts.instances import shape_of
from loom.dialects.facts.loop_attributes import EXACT_TYPE
from loom.dialects.floats.attributes import form_of
from loom.dialects.floats.elementary.functions import ACCURACY
from loom.dialects.floats.elementary.remainder import remainder_of
from loom.dialects.floats.elementary.words import Word, order_words
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.cores import computed_by
from loom.dialects.ops.float_ops import RemFOp
from loom.lower.legalize.expand_functions import insert
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, replace


def expand_remainders(module: ModuleOp, options: Options) -> None:
    """Only those remainders are left that a core of the user's computes."""
    operator = CATALOGUE[RemFOp.name]
    for op in list(module.walk()):
        if not isinstance(op, RemFOp):
            continue
        form = form_of(op.result.type)
        shape = shape_of(op, operator, options.index_width)
        is_core = bool(computed_by(operator, shape, options.cores).hardware.template)
        if form is not None and form.name in ACCURACY and not is_core:
            expand(op, form.name)


def expand(op: RemFOp, form: str) -> None:
    """The result of the loop in place of the operation's."""
    program = remainder_of(form)
    arithmetic = Arithmetic(op)
    pattern = IntegerType(program.dividend.width)
    values: dict[Word, SSAValue] = {
        word: arithmetic.insert(arith.BitcastOp(value, pattern))
        for word, value in ((program.dividend, op.lhs), (program.divisor, op.rhs))
    }
    insert_words(arithmetic, [program.first, program.trips], values)
    count = IntegerType(program.trips.width)
    zero, one = (arithmetic.constant(number, count) for number in (0, 1))
    # The divisor does not change: what an iteration needs of it stands before the loop.
    fixed = [word for word in order_words([program.next]) if not depends_on(word, program.rest)]
    insert_words(arithmetic, fixed, values)
    first = values[program.first]
    body = Block(arg_types=[count, first.type])
    end = scf.YieldOp(body.args[1])
    body.add_op(end)
    end.location = op.location
    inside = {**values, program.rest: body.args[1]}
    insert_words(Arithmetic(end), [program.next], inside)
    end.operands[0] = inside[program.next]
    loop = scf.ForOp(zero, values[program.trips], one, [first], Region(body))
    EXACT_TYPE.put(loop, True)  # the count is below a quarter of what its type has
    arithmetic.put(loop)
    values[program.left] = loop.results[0]
    insert_words(arithmetic, [program.result], values)
    replace(op, arithmetic.insert(arith.BitcastOp(values[program.result], op.result.type)))


def insert_words(
    arithmetic: Arithmetic, results: Sequence[Word], values: dict[Word, SSAValue]
) -> None:
    """The words are among the values, with all that they are made of."""
    for word in order_words(results):
        if word not in values:
            operands = [values[each] for each in word.operands]
            values[word] = insert(arithmetic, word, operands, refuse_table)


def depends_on(word: Word, other: Word) -> bool:
    """Whether a word is made of another."""
    return other in order_words([word])


def refuse_table(word: Word, index: SSAValue) -> NoReturn:
    """A remainder has no tables."""
    raise AssertionError(word.kind)
