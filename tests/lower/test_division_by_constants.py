"""A quotient or remainder by a constant is the divider's, for every dividend and divisor."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import pytest
import z3
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Block, SSAValue

from loom.analysis.program.interval import Range, whole
from loom.dialects.facts.instances import shape_of
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.operator import Shape
from loom.front.api import compile_text
from loom.lower.options import Options
from loom.lower.scalar import divide_by_constants
from loom.lower.scalar.divide_by_constants import DIVISIONS, UNSIGNED, Divided, Division
from loom.lower.scalar.reciprocal import Reciprocal, find_reciprocal, scale_reciprocal
from loom.lower.scalar.simplify import token_of
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models

DIVIDERS = [CATALOGUE[class_.name] for class_ in DIVISIONS]
INDEX_WIDTH = 64


class Rewritten:
    """One division by a constant, as the pass builds it, and the divider's meaning."""

    def __init__(
        self, class_: type[Divided], type_: IntegerType | IndexType, divisor: int, range_: Range
    ) -> None:
        self.width = type_.bitwidth if isinstance(type_, IntegerType) else INDEX_WIDTH
        block = Block(arg_types=[type_])
        constant = arith.ConstantOp(IntegerAttr(divisor, type_, truncate_bits=True))
        op = class_(block.args[0], constant.result)
        block.add_ops([constant, op])
        self.argument = block.args[0]
        self.result = Division(op, INDEX_WIDTH, {self.argument: range_}).divide()
        assert self.result.type == type_
        self.operations = [each for each in block.ops if each is not op]
        self.steps: list[
            tuple[Callable[..., int | tuple[int, ...]], tuple[SSAValue, ...], tuple[SSAValue, ...]]
        ] = []
        self.constants: dict[SSAValue, int] = {}
        for each in self.operations:
            if isinstance(each, arith.ConstantOp):
                width = shape_width(each.result)
                token = token_of(each.result, width)
                assert token is not None
                self.constants[each.result] = token
                continue
            row = CATALOGUE[each.name]
            assert row not in DIVIDERS and row.semantics.meaning is not None
            meaning = row.semantics.meaning(shape_of(each, row, INDEX_WIDTH))
            self.steps.append((meaning, tuple(each.operands), tuple(each.results)))
        row = CATALOGUE[class_.name]
        assert row.semantics.meaning is not None and row.semantics.undefined is not None
        self.shape = Shape((self.width,) * 2, (self.width,))
        self.meaning, self.undefined = row.semantics.meaning(self.shape), row.semantics.undefined
        self.divisor = divisor & ((1 << self.width) - 1)

    def run(self, token: int) -> int:
        """The result for one dividend."""
        values = {**self.constants, self.argument: token}
        for meaning, operands, results in self.steps:
            found = meaning(*(values[operand] for operand in operands))
            values.update(
                zip(results, found if isinstance(found, tuple) else (found,), strict=True)
            )
        return values[self.result]

    def wrong(self, numbers: Iterable[int]) -> list[int]:
        """The dividends whose result is not the divider's."""
        tokens = (number & ((1 << self.width) - 1) for number in numbers)
        return [
            token for token in tokens
            if not self.undefined(self.shape, token, self.divisor)
            and self.run(token) != self.meaning(token, self.divisor)
        ]  # fmt: skip


def shape_width(value: SSAValue) -> int:
    """Bits of an integer value."""
    return value.type.bitwidth if isinstance(value.type, IntegerType) else INDEX_WIDTH


@pytest.mark.parametrize("class_", DIVISIONS, ids=lambda class_: class_.name)
@pytest.mark.parametrize("width", [2, 3, 4, 5, 6])
def test_all_dividends_by_all_divisors(class_: type[Divided], width: int) -> None:
    for divisor in range(1, 1 << width):
        found = Rewritten(class_, IntegerType(width), divisor, whole(width))
        assert found.wrong(range(1 << width)) == [], divisor


@pytest.mark.parametrize("class_", DIVISIONS, ids=lambda class_: class_.name)
def test_all_dividends_of_a_byte(class_: type[Divided]) -> None:
    for divisor in (1, 3, 6, 7, 10, 64, 127, 128, 129, 200, 253, 255):
        found = Rewritten(class_, IntegerType(8), divisor, whole(8))
        assert found.wrong(range(256)) == [], divisor


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("class_", DIVISIONS, ids=lambda class_: class_.name)
def test_all_dividends_of_a_range(class_: type[Divided]) -> None:
    """Ranges of numbers of five bits, each with every divisor: those outside are not divided."""
    dice, half = random.Random(class_.name), 16
    for _ in range(15):
        low, high = sorted(dice.choices(range(-half, half), k=2))
        for divisor in range(1, 2 * half):
            found = Rewritten(class_, IntegerType(5), divisor, Range(low, high))
            assert found.wrong(range(low, high + 1)) == [], (low, high, divisor)


@pytest.mark.parametrize("class_", DIVISIONS, ids=lambda class_: class_.name)
@pytest.mark.parametrize("width", [16, 17, 31, 32, 33, 63, 64, 0])
def test_dividends_at_the_edges_of_a_word(class_: type[Divided], width: int) -> None:
    """Around 0, both limits and multiples of the divisor; width 0 is the type index."""
    type_ = IntegerType(width) if width else IndexType()
    width = width or INDEX_WIDTH
    dice, half = random.Random(class_.name), 1 << (width - 1)
    chosen = [1, 2, 3, 5, 6, 7, 10, 12, 14, 641, 1000, half - 1, half, half + 1]
    chosen += [-1, -2, -3, -7, -10, 2 * half - 5, *(dice.getrandbits(width) | 1 for _ in range(8))]
    chosen += [dice.getrandbits(width // 2) | 1 for _ in range(8)]
    for divisor in chosen:
        found = Rewritten(class_, type_, divisor, whole(width))
        size = divisor % (2 * half)
        multiples = [k * size for k in (1, 2, (half - 1) // size, half // size, 2 * half // size)]
        near = [each + more for each in (0, half, *multiples) for more in (-2, -1, 0, 1, 2)]
        assert found.wrong([*near, *(dice.getrandbits(width) for _ in range(8))]) == [], divisor


def is_exact(divisor: int, largest: int, reciprocal: Reciprocal) -> bool:
    """Z3 finds no dividend up to `largest` with a wrong quotient: a proof over the integers."""
    bits = (largest >> reciprocal.before).bit_length()
    factor = reciprocal.factor + (reciprocal.wraps << bits)
    halved, divisor = largest >> reciprocal.before, divisor >> reciprocal.before
    quotient, rest, got = z3.Ints("quotient rest got")
    dividend = quotient * divisor + rest
    solver = z3.Solver()
    solver.add(rest >= 0, rest < divisor, dividend >= 0, dividend <= halved)
    solver.add(got * (1 << reciprocal.shift) <= dividend * factor)
    solver.add(dividend * factor < (got + 1) * (1 << reciprocal.shift))
    solver.add(got != quotient)
    return bool(solver.check() == z3.unsat)


@pytest.mark.parametrize("bits", [8, 16, 20, 31, 32, 48, 64])
def test_a_reciprocal_is_proved_exact(bits: int) -> None:
    dice = random.Random(bits)
    divisors = [3, 5, 6, 7, 9, 10, 11, 14, 19, 28, 100, 127, 641, 1000]
    divisors += [dice.getrandbits(dice.randrange(2, bits)) | 3 for _ in range(20)]
    for divisor in divisors:
        for largest in ((1 << bits) - 1, dice.getrandbits(bits) | 1 << (bits - 1)):
            if divisor < largest and divisor & (divisor - 1):
                found = find_reciprocal(divisor, largest)
                assert is_exact(divisor, largest, found), (divisor, largest, found)


@pytest.mark.parametrize("divisor", [3, 7, 10, 641])
def test_a_planted_reciprocal_is_found(divisor: int) -> None:
    """A factor one less, or the least shift without one place, fails the proof."""
    factor, shift = scale_reciprocal(divisor, 2**32 - 1)
    assert is_exact(divisor, 2**32 - 1, Reciprocal(0, factor, shift))
    assert not is_exact(divisor, 2**32 - 1, Reciprocal(0, factor - 1, shift))
    less = -(-(1 << (shift - 1)) // divisor)
    assert not is_exact(divisor, 2**32 - 1, Reciprocal(0, less, shift - 1))


def test_a_planted_factor_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong factor gives wrong quotients, and the comparison with the divider lists them."""

    def planted(divisor: int, largest: int) -> Reciprocal:
        return Reciprocal(0, 204, 11)  # 205 is right

    monkeypatch.setattr(divide_by_constants, "find_reciprocal", planted)
    found = Rewritten(arith.DivUIOp, IntegerType(8), 10, whole(8))
    assert found.wrong(range(256))[:3] == [10, 20, 30]


def test_a_small_range_needs_a_short_reciprocal() -> None:
    """Of a byte by ten 8 bits; of numbers below 70 seven, below 50 four."""
    assert find_reciprocal(10, 255) == Reciprocal(0, 205, 11)
    assert find_reciprocal(10, 69) == Reciprocal(0, 103, 10)
    assert find_reciprocal(10, 49) == Reciprocal(0, 13, 7)
    assert find_reciprocal(7, 2**32 - 1) == Reciprocal(0, 613566757, 35, wraps=True)
    assert not find_reciprocal(7, 2**31 - 1).wraps


def program(name: str, width: int, divisor: int, attribute: str = "") -> str:
    return (
        f"func.func @f(%x: i{width}) -> i{width} {{\n"
        f"  %c = arith.constant {divisor} : i{width}\n"
        f"  %r = arith.{name} %x, %c {attribute}: i{width}\n  return %r : i{width}\n}}"
    )


@pytest.mark.parametrize("width", [8, 32])
@pytest.mark.parametrize("class_", DIVISIONS, ids=lambda class_: class_.name)
def test_circuits_divide_as_the_source(class_: type[Divided], width: int) -> None:
    divisors = [10, 7, 16] if class_ in UNSIGNED else [10, -7, -16]
    for divisor in divisors:
        circuit = compile_text(program(class_.name.removeprefix("arith."), width, divisor))
        assert not any(unit.operator in DIVIDERS for unit in circuit.netlist.units)
        runs = [Activation({"x": x % (1 << width)}) for x in (0, 1, 9, 10, 100, -1, -7, -128)]
        report = compare_models(circuit.source, circuit.top, circuit.netlist, runs, max_cycles=1000)
        assert report.differences == (), divisor


def test_a_division_that_names_its_hardware_keeps_it() -> None:
    text = program("divui", 32, 10, '{loom.form = "iterative"} ')
    assert any(unit.operator in DIVIDERS for unit in compile_text(text).netlist.units)
    asked = compile_text(program("divui", 32, 10), options=Options(divider="iterative"))
    assert not any(unit.operator in DIVIDERS for unit in asked.netlist.units)
