"""A switch becomes branches: a test for any case, then a binary search among the cases."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Block, Region, SSAValue

from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, replace

Case = tuple[int, Region]
"""A signed index and what runs for it."""


def switch_to_if(module: ModuleOp, options: Options) -> None:
    """No scf.index_switch is left; a value passes as many branches as the cases have bits."""
    for op in list(module.walk()):
        if isinstance(op, scf.IndexSwitchOp):
            lower_switch(op, options.index_width)


def lower_switch(op: scf.IndexSwitchOp, index_width: int) -> None:
    """The branches stand in place of the switch."""
    half = 1 << (index_width - 1)
    numbers = [(case + half) % (2 * half) - half for case in op.cases.get_values()]
    regions = [op.detach_region(region) for region in list(op.case_regions)]
    cases = sorted(zip(numbers, regions, strict=True), key=lambda case: case[0])
    default = op.detach_region(op.default_region)
    known = test_for_cases(Arithmetic(op), op.arg, numbers, 2 * half)
    chosen = build_search(op, cases) if cases else default.clone()
    branch = scf.IfOp(known, op.result_types, chosen, default)
    Arithmetic(op).put(branch)
    replace(op, *branch.results)


def test_for_cases(
    arithmetic: Arithmetic, value: SSAValue, numbers: Sequence[int], every: int
) -> SSAValue:
    """True if the value is one of the numbers; one comparison for numbers without gaps.

    `every` is the number of different indices.
    """
    if len(numbers) in (0, every):
        return arithmetic.constant(int(len(numbers) == every), IntegerType(1))
    low, high = min(numbers), max(numbers)
    if len(numbers) == 1:
        return arithmetic.compare("eq", value, low)
    if high - low + 1 == len(numbers):
        return arithmetic.compare("ult", arithmetic.subtract(value, low), len(numbers))
    tests = [arithmetic.compare("eq", value, number) for number in numbers]
    while len(tests) > 1:
        pairs = list(zip(tests[::2], tests[1::2], strict=False))
        joined = [arithmetic.binary(arith.OrIOp, lhs, rhs) for lhs, rhs in pairs]
        tests = joined + tests[2 * len(pairs) :]
    return tests[0]


def build_search(op: scf.IndexSwitchOp, cases: Sequence[Case]) -> Region:
    """A region that runs the case of the switch's argument, which is one of `cases`."""
    if len(cases) == 1:
        return cases[0][1]
    middle = len(cases) // 2
    end = scf.YieldOp()
    block = Block([end])
    end.location = op.location
    arithmetic = Arithmetic(end)
    below = arithmetic.compare("slt", op.arg, cases[middle][0])
    lower, upper = build_search(op, cases[:middle]), build_search(op, cases[middle:])
    branch = scf.IfOp(below, op.result_types, lower, upper)
    arithmetic.put(branch)
    end.operands = branch.results
    return Region(block)
