"""How the float operators become circuits: template, function text, and latency in each format."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from loom.dialects.floats.arithmetic import PREDICATES
from loom.dialects.floats.formats import FORMATS, KNOWN_FORMATS, SMALL_FORMATS, Format
from loom.dialects.operators.operator import Hardware, Shape

DIGITS = 2
"""Digits of a quotient or a root that a stage finds."""
ALONE = 32
"""Length of a fraction from which a stage finds one digit: its difference takes long [bits]."""


def by_format(latencies: Mapping[str, int]) -> Callable[[Shape], int]:
    """The latency of an instance from those of the formats [cycles]; text for the docs."""

    def latency(shape: Shape) -> int:
        return latencies[shape.text("format")]

    latency.__doc__ = ", ".join(f"{name} {latencies[name]}" for name in FORMATS)
    return latency


def pipelined(
    template: str, verilog: str | Callable[[Shape], str], latencies: Mapping[str, int]
) -> Hardware:
    """A pipeline with so many registers [cycles]; the template knows where they stand best."""
    return Hardware(template, verilog, latency=by_format(latencies))


def cycles(f16: int, bf16: int, f32: int, f64: int) -> dict[str, int]:
    """Latencies by the name of the format [cycles]; small formats are cut as f16 is."""
    return dict.fromkeys(SMALL_FORMATS, f16) | {"f16": f16, "bf16": bf16, "f32": f32, "f64": f64}


def digits_a_stage(form: Format) -> int:
    """Digits of a quotient or a root that a stage finds in this format."""
    return DIGITS if form.fraction_width < ALONE else 1


def digit_cycles(extra_digits: int, around: int) -> dict[str, int]:
    """Latencies of units that find the precision and some digits, with `around` other steps."""
    return {
        name: around - (-(form.fraction_width + 1 + extra_digits) // digits_a_stage(form))
        for name, form in KNOWN_FORMATS.items()
    }


def adder(verilog: str) -> Hardware:
    """A sum; `verilog` says where the magnitudes are added."""
    return pipelined("primitives/float_add", verilog, cycles(5, 5, 5, 6))


PRODUCT = cycles(4, 4, 4, 7)
SCALED = cycles(2, 2, 2, 2)
SCALED_FAR = cycles(2, 2, 3, 3) | dict.fromkeys(SMALL_FORMATS, 3)
"""Latencies of a product with a constant power of two by format, the second from `FAR` on down
[cycles]."""
FAR = -4
"""The exponent of two from which on down a result is shifted in a stage of its own."""
FAR_OF_SMALL = -2
"""The same of small formats."""


def power_of_factor(shape: Shape) -> int | None:
    """The exponent k if the instance's constant is plus or minus 2^k; else None."""
    return KNOWN_FORMATS[shape.text("format")].power_of_two(shape.constants[1])


def scaling(shape: Shape) -> str:
    """What a constant power of two does to the magnitude; empty without one."""
    power = power_of_factor(shape) if shape.constants else None
    if power is None:
        return ""
    far = FAR_OF_SMALL if shape.text("format") in SMALL_FORMATS else FAR
    return "enlarged" if power >= 0 else "reduced" if power > far else "reduced_far"


def product_cycles(shape: Shape) -> int:
    """The latency of a product [cycles]."""
    how = scaling(shape)
    found = {"": PRODUCT, "reduced_far": SCALED_FAR}.get(how, SCALED)
    return found[shape.text("format")]


product_cycles.__doc__ = (
    f"{by_format(PRODUCT).__doc__}; by a constant power of two {by_format(SCALED).__doc__},"
    f" from 2^{FAR} on down {by_format(SCALED_FAR).__doc__}"
)


def product_variant(shape: Shape) -> str:
    """The format, and what a constant power of two does to the magnitude."""
    return "_".join(filter(None, (shape.text("format"), scaling(shape))))


MULTIPLIER = Hardware(
    "primitives/float_multiply",
    latency=product_cycles,
    with_constants="primitives/float_scale",
    variant=product_variant,
)
FUSED = pipelined("primitives/float_fma", "", cycles(6, 6, 6, 11))
DIVIDER = pipelined("primitives/float_divide", "", digit_cycles(2, 5))
SQUARE_ROOT = pipelined("primitives/float_sqrt", "", digit_cycles(1, 3))
EXTENSION = pipelined("primitives/float_extend", "", cycles(1, 1, 1, 1))
TRUNCATION = pipelined("primitives/float_truncate", "", cycles(3, 3, 3, 3))


def rounder(up: str) -> Hardware:
    """A rounding to a number without fraction; `up` says when the magnitude grows."""
    return pipelined("primitives/float_round", f"up = {up};", cycles(2, 2, 3, 4))


def integer_source(negative: str) -> Hardware:
    """A conversion of an integer, `negative` where it is."""
    return pipelined("primitives/float_from_integer", f"negative = {negative};", cycles(4, 4, 4, 4))


def integer_target(is_signed: bool) -> Hardware:
    """A conversion to an integer."""
    text = f"is_signed = 1'b{int(is_signed)};"
    return pipelined("primitives/float_to_integer", text, cycles(3, 3, 3, 3))


def chooser(result: str) -> Hardware:
    """One of two operands, in the words of the template of comparisons."""
    return Hardware("primitives/float_compare", f"result = {result};")


def compared(shape: Shape) -> str:
    """The function text of a comparison: the relations that its predicate lists."""
    listed = PREDICATES[shape.text("predicate")]
    terms = ("less", "equal", "greater", "unordered")
    if listed[terms.index("greater")]:
        others = [term for term, is_listed in zip(terms, listed, strict=True) if not is_listed]
        return f"result = ~({' | '.join(others)});" if others else "result = 1'b1;"
    chosen = [term for term, is_listed in zip(terms, listed, strict=True) if is_listed]
    return f"result = {' | '.join(chosen)};" if chosen else "result = 1'b0;"


COMPARISON = Hardware(
    "primitives/float_compare",
    compared,
    variant=lambda shape: f"{shape.text('predicate')}_{shape.text('format')}",
)


def moved(verilog: str) -> Hardware:
    """Bits that move as they are."""
    return Hardware("primitives/pure", verilog)


def test(write: Callable[[Format, str], str]) -> Hardware:
    """A question about an operand's magnitude; `write` puts the format's constants in."""

    def verilog(shape: Shape) -> str:
        form = KNOWN_FORMATS[shape.text("format")]
        return f"result = {write(form, 'operand[T_WIDTH-2:0]')};"

    return Hardware("primitives/pure", verilog)


def constant(form: Format, magnitude: int) -> str:
    """A magnitude as SystemVerilog."""
    return f"{form.width - 1}'h{magnitude:x}"


def beside_infinity(relation: str) -> Hardware:
    """A question whose answer is the magnitude's place beside infinity."""
    return test(lambda form, x: f"{x} {relation} {constant(form, form.infinity)}")


def normal(form: Format, magnitude: str) -> str:
    """True from the smallest normal number on, infinity and NaN left out."""
    least, above = constant(form, form.hidden_bit), constant(form, form.infinity)
    return f"({magnitude} >= {least})\n      & ({magnitude} < {above})"


NAN_OR = "unordered ? NOT_A_NUMBER : "
NUMBER_OR = "lhs_nan ? rhs_or_nan : "
