"""A reduction is one unit: the register of its total, its operator, and what its condition steers.

The graph of the specification carries a total as it carries any value: a carry begins with the
initial value and takes what comes back, the operator makes the next total, and a branch under the
loop's condition sends it back or out. That is three units with a register of valid, data and ready
on the way back, a FIFO for each reading of the condition, and one for the constant it begins with.

Where nothing but the operator reads the total, and nothing but the branch what it makes, no token
between the three can be seen. `dataflow.accumulate` takes the same tokens of the condition, of the
initial value and of the operand, in the same order, and its result has those of the branch's false
side: as a process it is the three, with what passes between them inside. None of its inputs depends
on a token of its own burst, so it waits for itself as little as they did.

- In a loop with a non-zero trip count the operator stands between carry and branch, in any other
  loop behind the branch. The unit is `rotated` in the first case.
- The operator takes no cycle. One that takes some, as those of floats do, stays between its carry
  and its branch, where registers stand on its own stages. So does one that is slower with its
  register than the clock period: no other register may stand between the two.
- Several operators of one kind in a row, such as `(total + a) + b`, become one for `a + b` if
  brackets do not matter: the result is the same in every bit.
- A constant to begin with, or as operand, is a parameter.

Source: reduction variables, e.g. Muchnick, Advanced Compiler Design and Implementation, 1997,
section 14.1; an accumulator register with synchronous reset.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TypeVar

from xdsl.dialects.arith import ConstantOp as ParameterOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loom.analysis.timing.targets import find_target
from loom.analysis.timing.unit_costs import unit_cost
from loom.dialects.facts.instances import constant_pattern, shape_of
from loom.dialects.operators.catalogue import find
from loom.dialects.operators.dataflow_operators import ACCUMULATED, INITIAL, OPERAND
from loom.dialects.operators.operator import AttributeValue, Shape
from loom.dialects.ops.dataflow import AccumulateOp, CarryOp
from loom.dialects.ops.handshake import CondBranchOp, ConstantOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.types import width_of
from loom.lower.dataflow.choose_units import INSIDE, SHARE, period_of
from loom.lower.lean.fold_constants import fold_operand
from loom.lower.options import Options

ASSOCIATIVE = {"addi", "andi", "ori", "xori", "minsi", "minui", "maxsi", "maxui"}
"""Operators of which several in a row may be bracketed in any way, in any order."""


@dataclass(frozen=True)
class Reduction:
    """A carry, the operators that its total passes, and the branch that sends it back or out.

    `rotated`: the operators stand before the branch.
    """

    carry: CarryOp
    steps: tuple[Operation, ...]
    branch: CondBranchOp
    rotated: bool

    @property
    def operator(self) -> str:
        """The operator without its dialect."""
        return self.steps[0].name.partition(".")[2]


def build_accumulators(module: ModuleOp, options: Options) -> None:
    """No handshake function carries a total that nothing but its operator reads."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            block = function.body.block
            parameters: dict[Attribute, SSAValue] = {}
            for operation in list(block.ops):
                found = find_reduction(operation) if isinstance(operation, CarryOp) else None
                if found is None or not takes_operand(found, options.index_width):
                    continue
                if is_in_time(found, options):
                    accumulate(found, block, parameters, options.index_width)


def find_reduction(carry: CarryOp) -> Reduction | None:
    """The reduction that the carry is the total of, if it is one."""
    if carry.lanes > 1 or not isinstance(carry.o.type, IndexType | IntegerType):
        return None
    branch = reader_of(carry.o, CondBranchOp, 1)
    rotated = branch is None
    steps: list[Operation] = []
    value: SSAValue | None = carry.o if branch is None else branch.results[0]
    while value is not None and (step := reader_of(value, Operation)) is not None:
        if not is_step(step, value, steps):
            break
        steps.append(step)
        value = step.results[0]
    if value is None or not steps:
        return None
    if rotated:
        branch = reader_of(value, CondBranchOp, 1)
        value = None if branch is None else branch.results[0]
    if branch is None or value is None or branch.operands[0] is not carry.d:
        return None
    if reader_of(value, CarryOp, 2) is not carry:
        return None
    return Reduction(carry, tuple(steps), branch, rotated)


Reader = TypeVar("Reader", bound=Operation)


def reader_of(value: SSAValue, kind: type[Reader], place: int | None = None) -> Reader | None:
    """The only reader of a value, if it is of this kind and reads it at this place."""
    uses = list(value.uses)
    if len(uses) != 1 or not isinstance(uses[0].operation, kind):
        return None
    return uses[0].operation if place in (None, uses[0].index) else None


def is_step(step: Operation, total: SSAValue, before: list[Operation]) -> bool:
    """True of an operator that an accumulator may have, and whose operand is not the total.

    One behind others is of their kind, if brackets do not matter.
    """
    dialect, _, name = step.name.partition(".")
    if dialect != "arith" or name not in ACCUMULATED:
        return False
    if name not in ASSOCIATIVE and (step.operands[0] is not total or before):
        return False
    return not before or before[0].name == step.name


def takes_operand(found: Reduction, index_width: int) -> bool:
    """Whether the unit takes what the operator has as a parameter, if that is its operand."""
    known = known_operand(found, index_width)
    if known is None:
        return True
    operator = find(AccumulateOp.name)
    assert operator is not None
    width = width_of(found.carry.a.type, index_width)
    attributes: dict[str, AttributeValue] = {"operator": found.operator, "rotated": found.rotated}
    constants = {OPERAND: known}
    return operator.signature.fits(Shape((1, width, width), (width,), attributes, constants))


def known_operand(found: Reduction, index_width: int) -> int | None:
    """The bit pattern of what the total is combined with, if it is always the same."""
    patterns: list[int] = []
    for number in range(len(found.steps)):
        owner = other_operand(found, number).owner
        if not isinstance(owner, ParameterOp):
            return None
        patterns.append(constant_pattern(owner, index_width))
    row = find(found.steps[0].name)
    assert row is not None and row.semantics.meaning is not None
    combine = row.semantics.meaning(shape_of(found.steps[0], row, index_width))

    def combined(one: int, other: int) -> int:
        result = combine(one, other)
        assert isinstance(result, int)
        return result

    return reduce(combined, patterns)


def is_in_time(found: Reduction, options: Options) -> bool:
    """True if the unit leaves its neighbours time in the clock period, by its measured delays."""
    period = period_of(options)
    operator = find(AccumulateOp.name)
    assert operator is not None
    width = width_of(found.carry.a.type, options.index_width)
    attributes: dict[str, AttributeValue] = {"operator": found.operator, "rotated": found.rotated}
    constants = {INITIAL: 0} if isinstance(found.carry.a.owner, ConstantOp) else {}
    cost = unit_cost(operator, Shape((1, width, width), (width,), attributes, constants))
    if period is None or cost is None:
        return True
    most = find_target(options.target).placed_for(period)
    return all(
        delay <= (most if name == INSIDE else SHARE * most) for name, delay in cost.delays.items()
    )


def accumulate(
    found: Reduction, block: Block, parameters: dict[Attribute, SSAValue], index_width: int
) -> None:
    """The reduction is one unit."""
    carry, branch = found.carry, found.branch
    operand, *others = (other_operand(found, number) for number in range(len(found.steps)))
    known = known_operand(found, index_width)
    if known is not None and others:
        assert isinstance(operand.type, IndexType | IntegerType)
        constant = ParameterOp(IntegerAttr(known, operand.type, truncate_bits=True))
        constant.location = found.steps[-1].location
        block.insert_op_before(constant, branch)
        operand, others = constant.result, []
    for step, more in zip(found.steps[1:], others, strict=False):
        both = type(step).create(
            operands=[operand, more], result_types=[r.type for r in step.results]
        )
        both.location = step.location
        block.insert_op_before(both, branch)
        operand = both.results[0]
    unit = AccumulateOp(carry.d, carry.a, operand, found.operator, found.rotated)
    unit.location = carry.location
    result = branch.results[1]
    unit.result.name_hint = result.name_hint or carry.o.name_hint
    block.insert_op_before(unit, branch)
    result.replace_all_uses_with(unit.result)
    gone: list[Operation] = [carry, *found.steps, branch]
    for operation in gone:
        operation.detach()
    for operation in gone:
        operation.erase(safe_erase=False)
    for place in (INITIAL, OPERAND):
        if isinstance(unit.operands[place].owner, ConstantOp):
            fold_operand(unit, place, parameters, index_width)


def other_operand(found: Reduction, number: int) -> SSAValue:
    """What a step of the reduction takes besides the total."""
    total = (
        found.steps[number - 1].results[0]
        if number
        else found.carry.o
        if found.rotated
        else found.branch.results[0]
    )
    lhs, rhs = found.steps[number].operands
    return rhs if lhs is total else lhs
