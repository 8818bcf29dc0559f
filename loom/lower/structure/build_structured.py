"""Structured code over variables becomes scf operations whose results are the variables.

A variable that nothing has assigned on a way that cannot be taken is 0.
"""

from __future__ import annotations

from typing import TypeVar

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loom.lower.structure.structured_code import (
    Choice,
    Code,
    Copies,
    Repeat,
    Run,
    Statement,
    Variable,
    assigned_variables,
    final_value,
    live_before,
)

Made = TypeVar("Made", bound=Operation)
Values = dict[Variable, SSAValue]
"""The value that each variable has at one place."""


def type_of(variable: Variable) -> IntegerType | IndexType | AnyFloat:
    """The type of a variable; memories are none."""
    assert isinstance(variable.type, IntegerType | IndexType | AnyFloat)
    return variable.type


def stands_in(value: SSAValue, block: Block) -> bool:
    """True if the value is defined in the block, at any depth."""
    around: Block | None = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while around is not None and around is not block:
        parent = around.parent_op()
        around = None if parent is None else parent.parent
    return around is block


class Builder:
    """Moves operations into new regions; `constants` has to stand before all of them."""

    def __init__(self) -> None:
        self.constants: dict[tuple[Attribute, int], arith.ConstantOp] = {}

    def constant(self, variable: Variable, number: int) -> SSAValue:
        """A constant of the variable's type."""
        type_ = type_of(variable)
        if (type_, number) not in self.constants:
            self.constants[type_, number] = arith.ConstantOp(
                FloatAttr(float(number), type_)
                if isinstance(type_, AnyFloat)
                else IntegerAttr(number, type_, truncate_bits=True)
            )
        return self.constants[type_, number].result

    def value(self, values: Values, source: Variable | int, like: Variable) -> SSAValue:
        """What a variable or a number is at this place."""
        if isinstance(source, int):
            return self.constant(like, source)
        found = values.get(source)
        if found is None:
            # Only a way that cannot be taken leads here without an assignment.
            return self.constant(like, 0)
        return found

    def build(self, code: Code, values: Values, after: set[Variable], block: Block) -> None:
        """The code stands at the end of `block`; `values` are those at its end.

        `after` has the variables that are read later.
        """
        lives = [after]
        for statement in reversed(code):
            lives.append(live_before([statement], lives[-1]))
        for statement, live in zip(code, lives[-2::-1], strict=True):
            self.build_statement(statement, values, live, block)

    def build_statement(
        self, statement: Statement, values: Values, after: set[Variable], block: Block
    ) -> None:
        """As `build`, for one statement."""
        if isinstance(statement, Run):
            for op in statement.operations:
                for inner in op.walk():
                    for k, operand in enumerate(inner.operands):
                        if operand in statement.uses:
                            inner.operands[k] = self.value(values, operand, operand)
                op.detach()
                block.add_op(op)
            values.update({v: v for v in statement.defines if isinstance(v, SSAValue)})
        elif isinstance(statement, Copies):
            pairs = [pair for pair in statement.pairs if pair[0] in after]
            values.update({t: self.value(values, source, t) for t, source in pairs})
        elif isinstance(statement, Choice):
            self.build_choice(statement, values, after, block)
        else:
            self.build_loop(statement, values, after, block)

    def test(self, choice: Choice, values: Values, block: Block, negated: bool = False) -> SSAValue:
        """An i1: the choice takes its first side, or the second."""
        condition = self.value(values, choice.condition, choice.condition)
        if condition.type == IntegerType(1):
            if bool(choice.case & 1) is not negated:
                return condition
            wanted: SSAValue = self.constant(choice.condition, 1)
            return put(block, arith.XOrIOp(condition, wanted), choice.origin)
        wanted = self.constant(choice.condition, choice.case)
        predicate = "ne" if negated else "eq"
        return put(block, arith.CmpiOp(condition, wanted, predicate), choice.origin)

    def build_choice(
        self, choice: Choice, values: Values, after: set[Variable], block: Block
    ) -> None:
        """A branch with the variables that the sides assign in different ways, or only selects."""
        condition = self.test(choice, values, block)
        sides: list[tuple[Block, Values]] = []
        for code in (choice.then, choice.otherwise):
            inner, known = Block(), dict(values)
            self.build(code, known, after, inner)
            sides.append((inner, known))
        (then, first), (otherwise, second) = sides
        results: dict[Variable, tuple[SSAValue, SSAValue]] = {}
        outside: dict[Variable, tuple[SSAValue, SSAValue]] = {}
        for variable in dict.fromkeys(assigned_variables([choice])):
            if variable in after and (variable in first or variable in second):
                pair = (
                    self.value(first, variable, variable),
                    self.value(second, variable, variable),
                )
                is_inside = stands_in(pair[0], then) or stands_in(pair[1], otherwise)
                (results if is_inside else outside)[variable] = pair
        if then.ops or otherwise.ops:
            for inner, side in ((then, 0), (otherwise, 1)):
                inner.add_op(
                    set_location(scf.YieldOp(*(p[side] for p in results.values())), choice)
                )
            types = [type_of(variable) for variable in results]
            branch = set_location(scf.IfOp(condition, types, [then], [otherwise]), choice)
            block.add_op(branch)
            for variable, result in zip(results, branch.results, strict=True):
                name_value(result, variable)
                values[variable] = result
        for variable, pair in outside.items():
            values[variable] = self.select(condition, pair, choice, block)

    def select(
        self, condition: SSAValue, pair: tuple[SSAValue, SSAValue], choice: Choice, block: Block
    ) -> SSAValue:
        """One of two values that are there in any case."""
        then, otherwise = pair
        if then is otherwise:
            return then
        if then.type == IntegerType(1):
            numbers = [self.number(value) for value in pair]
            if numbers == [1, 0]:
                return condition
            if numbers == [0, 1]:
                return put(block, arith.XOrIOp(condition, otherwise), choice.origin)
        return put(block, arith.SelectOp(condition, then, otherwise), choice.origin)

    def number(self, value: SSAValue) -> int | None:
        """The number that a constant of this builder stands for."""
        found = (n for (_, n), constant in self.constants.items() if constant.result is value)
        return next(found, None)

    def build_loop(self, loop: Repeat, values: Values, after: set[Variable], block: Block) -> None:
        """A loop that carries what one iteration hands to the next.

        Where the body ends in the choice to go on or not, what the choice holds stands behind the
        condition: on one side in the loop's second region, on the other after the loop.
        """
        head, back, leave = parts_of(loop)
        starting = live_before(back, loop.again.back)
        leaving = live_before(leave, after)
        carried = [v for v in dict.fromkeys(assigned_variables(loop.body)) if v in loop.again.back]
        before = Block(arg_types=[type_of(v) for v in carried])
        inside = dict(values) | dict(zip(carried, before.args, strict=True))
        last = loop.body[-1]
        if isinstance(last, Choice) and (back or leave):
            self.build(head, inside, starting | leaving | {last.condition}, before)
            going_on = final_value(last.then, loop.again) == 1
            condition = self.test(last, inside, before, negated=not going_on)
        else:
            self.build(head, inside, starting | leaving | {loop.again}, before)
            condition = self.value(inside, loop.again, loop.again)
        read = [v for v in inside if v in starting or v in leaving]
        passed = list(dict.fromkeys(inside[v] for v in read if stands_in(inside[v], before)))
        behind = Block(arg_types=[value.type for value in passed])
        arrived = dict(zip(passed, behind.args, strict=True))
        again = inside | {v: arrived.get(inside[v], inside[v]) for v in read}
        self.build(back, again, set(loop.again.back), behind)
        fed = [self.value(again, v, v) for v in carried]
        starts = [self.value(values, v, v) for v in carried]
        before.add_op(set_location(scf.ConditionOp(condition, *passed), loop))
        behind.add_op(set_location(scf.YieldOp(*fed), loop))
        types = [value.type for value in passed]
        made = set_location(scf.WhileOp(starts, types, [before], [behind]), loop)
        block.add_op(made)
        for argument, variable in zip(before.args, carried, strict=True):
            name_value(argument, variable)
        found = dict(zip(passed, made.results, strict=True))
        for value, result in found.items():
            name_value(result, value)
            name_value(arrived[value], value)
        values.update({v: found.get(inside[v], inside[v]) for v in read if v in leaving})
        self.build(leave, values, after, block)


def parts_of(loop: Repeat) -> tuple[Code, Code, Code]:
    """What comes before the loop's condition, on the way back, and after the loop."""
    last = loop.body[-1]
    if isinstance(last, Choice):
        sides = [final_value(side, loop.again) for side in (last.then, last.otherwise)]
        if sides == [1, 0]:
            return loop.body[:-1], last.then, last.otherwise
        if sides == [0, 1]:
            return loop.body[:-1], last.otherwise, last.then
    return loop.body, (), ()


def put(block: Block, op: Operation, origin: Operation) -> SSAValue:
    """The first result of `op`, which stands at the block's end."""
    op.location = origin.location
    block.add_op(op)
    return op.results[0]


def set_location(op: Made, statement: Choice | Repeat) -> Made:
    """`op`, with the place that the statement has in the text."""
    op.location = statement.origin.location
    return op


def name_value(value: SSAValue, like: Variable) -> None:
    """The value is called as the variable is in the text."""
    if isinstance(like, SSAValue) and value.name_hint is None:
        value.name_hint = like.name_hint
