"""Float operators round exactly: against fractions, and against the floats of the machine."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from itertools import product
from random import Random

import pytest

from loom.dialects.floats import arithmetic as float_meanings
from loom.dialects.floats import conversions
from loom.dialects.floats import formats as float_formats
from loom.dialects.floats.elementary.functions import PROGRAMS
from loom.dialects.floats.formats import FORMATS, Format
from loom.dialects.floats.text import decimal, double_of, nearest, number_of
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.float_operators import FLOAT_OPERATORS
from loom.dialects.operators.operator import Shape
from tests.judges import float_oracle
from tests.judges.float_oracle import BINARY, QUESTIONS, UNARY
from tests.judges.transcendental_oracle import TRANSCENDENTAL, power

TINY = Format("tiny", 3, 2)
TINIER = Format("tinier", 3, 1)
WIDE = Format("wide", 4, 3)


@pytest.fixture(autouse=True)
def small_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows know the small formats too."""
    for form in (TINY, TINIER, WIDE):
        monkeypatch.setitem(float_formats.KNOWN_FORMATS, form.name, form)


def meaning(name: str, form: Format, **attributes: str) -> Callable[..., int]:
    """The function of a row on one format."""
    row = CATALOGUE[name]
    assert row.semantics.meaning is not None
    shape = Shape(
        (form.width,) * len(row.signature.inputs),
        (form.width,),
        {"format": form.name, **attributes},
    )
    return row.semantics.meaning(shape)  # type: ignore[return-value]


def patterns(form: Format, dice: Random, count: int) -> list[int]:
    """Specials, subnormals, powers of two and their neighbours, small integers, random bits."""
    top, sign = form.infinity, form.sign_bit
    found = [0, 1, form.hidden_bit - 1, form.hidden_bit, form.one, top - 1, top, form.nan, top + 1]
    while len(found) < count:
        near = (dice.randrange(1 << form.exponent_width) << form.fraction_width) + dice.randint(
            -2, 2
        )
        whole = nearest(float(dice.randint(-40, 40)), form)
        around = form.one + dice.randint(-5, 5)
        found.append(dice.choice((dice.getrandbits(form.width), near % sign, whole, around)))
    return [bits ^ (sign if dice.random() < 0.5 else 0) for bits in found]


@pytest.mark.parametrize("name", BINARY)
def test_operators_of_two_on_all_of_a_small_format(name: str) -> None:
    function = meaning(name, TINY)
    for a, b in product(range(1 << TINY.width), repeat=2):
        assert function(a, b) == BINARY[name](TINY, a, b), (a, b)


@pytest.mark.parametrize(
    "form", [TINY, WIDE, FORMATS["f16"], FORMATS["bf16"]], ids=lambda f: f.name
)
@pytest.mark.parametrize("name", UNARY)
def test_operators_of_one_on_all_of_a_format(name: str, form: Format) -> None:
    function, step = meaning(name, form), 1 if form.width < 10 else 37
    for a in range(0, 1 << form.width, step):
        assert function(a) == UNARY[name](form, a), a


def test_fused_products_on_all_of_a_small_format() -> None:
    function = meaning("math.fma", TINIER)
    for a, b, c in product(range(1 << TINIER.width), repeat=3):
        assert function(a, b, c) == float_oracle.fma(TINIER, a, b, c), (a, b, c)


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_operators_on_random_numbers(form: Format) -> None:
    dice = Random(form.name)
    columns = [patterns(form, dice, 150) for _ in range(3)]
    fma = meaning("math.fma", form)
    functions = {name: meaning(name, form) for name in (*BINARY, *UNARY)}
    for a, b, c in zip(*columns, strict=True):
        for name, oracle in BINARY.items():
            assert functions[name](a, b) == oracle(form, a, b), (name, a, b)
        for name, oracle_of_one in UNARY.items():
            assert functions[name](a) == oracle_of_one(form, a), (name, a)
        assert fma(a, b, c) == float_oracle.fma(form, a, b, c), (a, b, c)
        near = fma(a, b, 0) ^ form.sign_bit
        assert fma(a, b, near) == float_oracle.fma(form, a, b, near), (a, b, near)


@pytest.mark.parametrize("predicate", float_meanings.PREDICATES)
def test_comparisons_on_all_of_a_small_format(predicate: str) -> None:
    function = meaning("arith.cmpf", TINIER, predicate=predicate)
    for a, b in product(range(1 << TINIER.width), repeat=2):
        assert function(a, b) == float_oracle.holds(TINIER, predicate, a, b), (a, b)


@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_on_all_of_a_small_format(name: str) -> None:
    for a in range(1 << WIDE.width):
        assert meaning(f"math.{name}", WIDE)(a) == float_oracle.kind(name, WIDE, a), a


def test_conversions_between_formats() -> None:
    dice = Random(1)
    pairs = [(WIDE, TINY), (TINY, WIDE), (WIDE, TINIER), *product(FORMATS.values(), repeat=2)]
    for source, target in pairs:
        small = source.width < 10
        convert = conversions.convert(source, target)
        for a in range(1 << source.width) if small else patterns(source, dice, 300):
            assert convert(a) == float_oracle.convert(source, target, a), (source, target, a)


@pytest.mark.parametrize("is_signed", [False, True])
def test_integers_become_floats_and_back(is_signed: bool) -> None:
    dice = Random(2)
    for form, width in product([TINY, WIDE, *FORMATS.values()], [1, 2, 5, 8, 33, 64]):
        to_float = conversions.from_integer(width, is_signed, form)
        to_integer = conversions.to_integer(form, width, is_signed)
        low = -(1 << (width - 1)) if is_signed else 0
        high = low + (1 << width) - 1
        all_of_it = range(1 << width) if width < 9 else [dice.getrandbits(width) for _ in range(60)]
        for bits in all_of_it:
            number = bits - (1 << width) if is_signed and bits >> (width - 1) else bits
            wanted = float_oracle.join(form, int(number < 0), float_oracle.Fraction(number))
            assert to_float(bits) == wanted, (form, width, bits)
        for a in range(1 << form.width) if form.width < 10 else patterns(form, dice, 80):
            value = float_oracle.split(form, a)[1]
            outside = (
                value is None
                or not low
                <= (math.trunc(value) if isinstance(value, float_oracle.Fraction) else value)
                <= high
            )
            assert bool(conversions.does_not_fit(form, width, is_signed, a)) == outside
            cut = (
                0 if value is None else high if value > high else low if value < low else int(value)
            )
            assert to_integer(a) == cut % (1 << width), (form, width, a)


MACHINE: dict[str, Callable[[float, float], float]] = {
    "arith.addf": operator.add,
    "arith.subf": operator.sub,
    "arith.mulf": operator.mul,
    "arith.divf": operator.truediv,
    "arith.remf": math.fmod,
}


@pytest.mark.parametrize("name", MACHINE)
def test_the_machine_agrees(name: str) -> None:
    """Through binary64 the four operations are exact for formats of less than half its digits."""
    dice = Random(name)
    for form in FORMATS.values():
        function = meaning(name, form)
        for a, b in zip(patterns(form, dice, 1000), patterns(form, dice, 1000), strict=True):
            try:
                machine = MACHINE[name](number_of(a, form), number_of(b, form))
            except (ZeroDivisionError, ValueError):
                continue
            assert function(a, b) == nearest(machine, form), (form, a, b)


def test_the_machine_agrees_on_roots() -> None:
    dice = Random(3)
    for form in FORMATS.values():
        root = meaning("math.sqrt", form)
        for a in patterns(form, dice, 1000):
            number = number_of(a, form)
            if number >= 0:
                assert root(a) == nearest(math.sqrt(number), form), (form, a)


ROUNDED: dict[str, Callable[[float], float]] = {
    "math.floor": math.floor,
    "math.ceil": math.ceil,
    "math.trunc": math.trunc,
    "math.roundeven": round,
    "math.round": lambda number: math.floor(abs(number) + 0.5) * math.copysign(1, number),
    "math.sqrt": math.sqrt,
}


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("form", [FORMATS["f16"], FORMATS["bf16"]], ids=lambda form: form.name)
@pytest.mark.parametrize("name", UNARY)
def test_the_machine_agrees_on_every_number_of_16_bits(name: str, form: Format) -> None:
    function = meaning(name, form)
    for bits in range(1 << form.width):
        number = number_of(bits, form)
        if math.isfinite(number) and (number >= 0 or name != "math.sqrt"):
            # In binary64 the half is added exactly: these numbers have 11 bits.
            rounded = math.copysign(ROUNDED[name](number), number)
            assert function(bits) == nearest(rounded, form), (bits, number)


def test_the_machine_agrees_on_narrowing() -> None:
    dice = Random(4)
    narrow = conversions.convert(FORMATS["f64"], FORMATS["f32"])
    for a in patterns(FORMATS["f64"], dice, 4000):
        number = double_of(a)
        if math.isfinite(number) and abs(number) < 3e38:
            assert narrow(a) == int.from_bytes(struct.pack(">f", number), "big"), a


@pytest.mark.parametrize("form", [FORMATS["f16"], FORMATS["bf16"]], ids=lambda form: form.name)
def test_decimals_read_back(form: Format) -> None:
    for bits in range(0, 1 << form.width, 5):
        if form.magnitude(bits) < form.infinity:
            text = decimal(bits, form)
            assert nearest(float(text), form) == bits and "." in text


def test_every_float_row_is_judged() -> None:
    moves = {"arith.negf", "math.absf", "math.copysign"}  # whose hand rows say all
    casts = {"extf", "truncf", "sitofp", "uitofp", "fptosi", "fptoui"}
    others = {"arith.cmpf", "math.fma"} | moves | {f"arith.{name}" for name in casts}
    asked = {f"math.{name}" for name in QUESTIONS}
    others |= {*BINARY, *UNARY, *TRANSCENDENTAL, "math.powf"}
    assert {row.name for row in FLOAT_OPERATORS} == others | asked


@pytest.mark.parametrize("form", [TINY, WIDE, *FORMATS.values()], ids=lambda form: form.name)
@pytest.mark.parametrize("name", TRANSCENDENTAL)
def test_transcendental_functions_are_rounded_right(name: str, form: Format) -> None:
    function, oracle, dice = meaning(name, form), TRANSCENDENTAL[name], Random(name)
    # Also numbers of middling size, where most patterns are not.
    middling = [
        nearest(dice.uniform(-30, 30) * 2.0 ** -dice.randrange(24), form) for _ in range(60)
    ]
    some = range(1 << form.width) if form.width < 10 else patterns(form, dice, 60) + middling
    # Programs of integers may give the number next to it (tests/dialects/test_elementary.py).
    apart = int(name in PROGRAMS and form.name in ("f32", "f64"))
    for a in some:
        assert abs(function(a) - oracle(form, a)) <= apart, a


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("form", [TINY, *FORMATS.values()], ids=lambda form: form.name)
def test_powers_are_rounded_right(form: Format) -> None:
    function, dice = meaning("math.powf", form), Random(form.name)
    pairs = list(product(range(1 << TINY.width), repeat=2)) if form is TINY else []
    for _ in range(0 if pairs else 150):
        base = nearest(dice.uniform(0, 9) ** dice.randint(-9, 9), form)
        exponent = nearest(dice.choice((dice.uniform(-9, 9), dice.randint(-90, 90) / 4)), form)
        pairs.append((base, exponent))
        pairs.append((nearest(float(dice.randint(-9, 99)), form), exponent))
        pairs.append((form.one + dice.randint(-3, 3), form.pack(0, 1, dice.randint(0, 60))))
    pairs += zip(patterns(form, dice, 60), patterns(form, dice, 60), strict=True)
    for a, b in pairs:
        assert function(a, b) == power(form, a, b), (a, b)
