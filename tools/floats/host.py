"""What the host computes for each float row, as C++ over the operands a, b and c."""

from __future__ import annotations

from collections.abc import Mapping

from loom.dialects.floats.arithmetic import PREDICATES
from tools.floats.units import FloatUnit

MAXIMUM, MINIMUM = "true", "false"


def extreme(larger: str, number_wins: str) -> str:
    """The larger or the smaller operand."""
    return f"host::extreme<F>(a, b, {larger}, {number_wins})"


def rounded(function: str) -> str:
    """A function of the C++ library on the number."""
    return f"host::pattern<F>({function}(host::value<F>(a)))"


def asked(function: str) -> str:
    """A question of the C++ library about the number."""
    return f"{function}(host::value<F>(a))"


HOST: Mapping[str, str] = {
    "arith.addf": "host::add<F>(a, b)",
    "arith.subf": "host::subtract<F>(a, b)",
    "arith.mulf": "host::multiply<F>(a, b)",
    "arith.divf": "host::divide<F>(a, b)",
    "arith.negf": "a ^ F::SIGN",
    "arith.maximumf": extreme(MAXIMUM, "false"),
    "arith.minimumf": extreme(MINIMUM, "false"),
    "arith.maxnumf": extreme(MAXIMUM, "true"),
    "arith.minnumf": extreme(MINIMUM, "true"),
    "arith.cmpf": "host::compare<F>(a, b, WANTED)",
    "arith.extf": "host::convert<F, TO>(a)",
    "arith.truncf": "host::convert<F, TO>(a)",
    "arith.sitofp": "host::from_signed<F, INTEGER>(a)",
    "arith.uitofp": "host::from_unsigned<F, INTEGER>(a)",
    "arith.fptosi": "host::to_signed<F, INTEGER>(a)",
    "arith.fptoui": "host::to_unsigned<F, INTEGER>(a)",
    "math.absf": "a & ~F::SIGN",
    "math.copysign": "(a & ~F::SIGN) | (b & F::SIGN)",
    "math.sqrt": "host::square_root<F>(a)",
    "math.fma": "host::fused<F>(a, b, c)",
    "math.floor": rounded("std::floor"),
    "math.ceil": rounded("std::ceil"),
    "math.trunc": rounded("std::trunc"),
    "math.round": rounded("std::round"),
    "math.roundeven": rounded("std::nearbyint"),
    "math.isnan": asked("std::isnan"),
    "math.isinf": asked("std::isinf"),
    "math.isfinite": asked("std::isfinite"),
    "math.isnormal": "(a & F::INFINITY_) != 0 && (a & F::INFINITY_) != F::INFINITY_",
}
"""Rows by name; `F` is the format of the row, `TO` the one it converts to, `INTEGER` the width of
the integer [bits], `WANTED` a bit for unordered, less, equal and greater."""


def header(unit: FloatUnit) -> str:
    """``unit.h``: the model's ports, vectors for it, and what the host computes."""
    module = unit.module
    names = [port.name for port in module.inputs]
    clocked = unit.rendered.clocked
    sets = " ".join(
        f"u.{name}_data_i = {letter}; u.{name}_valid_i = valid;"
        for name, letter in zip(names, "abc", strict=False)
    )
    clock = "u.clk_i = clock; u.rst_ni = running;" if clocked else ""
    width = module.shape.inputs[0]
    few = len(names) == 1 and width <= 16
    return f"""\
#include "Vunit.h"
#include "vectors.h"
using Unit = Vunit;
using host::Bits;
{constants(unit)}
constexpr int EXHAUSTIVE_BITS = {width if few else 0};
#define FIRST_READY {names[0]}_ready_o
static void set_clock([[maybe_unused]] Unit& u, [[maybe_unused]] bool clock,
                      [[maybe_unused]] bool running) {{ {clock} }}
static void set_operands(Unit& u, Bits a, [[maybe_unused]] Bits b, [[maybe_unused]] Bits c,
                         bool valid) {{ {sets} }}
static vectors::Vector draw(vectors::Dice& dice) {{
  {drawn(unit)}
}}
static Bits expected(Bits a, [[maybe_unused]] Bits b, [[maybe_unused]] Bits c) {{
  return {factored(unit)};
}}
"""


def factored(unit: FloatUnit) -> str:
    """What the host computes; a constant stands for the operand b."""
    found = HOST[unit.module.operator.name]
    for value in unit.module.shape.constants.values():
        found = found.replace("(a, b)", f"(a, {value:#x}ull)")
    return found


def constants(unit: FloatUnit) -> str:
    """What the expressions of `HOST` name."""
    attributes = unit.module.attributes
    lines = [f"using F = host::{attributes['format']};"]
    if "to" in attributes:
        lines.append(f"using TO = host::{attributes['to']};")
    if "predicate" in attributes:
        less, equal, greater, unordered = PREDICATES[str(attributes["predicate"])]
        wanted = sum(held << k for k, held in enumerate((unordered, less, equal, greater)))
        lines.append(f"constexpr int WANTED = {wanted};")
    lines += [f"constexpr int INTEGER = {width};" for width in unit.integers.values()]
    return "\n".join(lines)


def drawn(unit: FloatUnit) -> str:
    """A vector of operands that make corners likely."""
    if unit.takes_integers:
        return "return {vectors::integer(dice, INTEGER), 0, 0, 0};"
    first = "const Bits a = vectors::any<F>(dice);"
    operands = len(unit.module.inputs)
    if operands == 1:
        return f"{first} return {{a, 0, 0, 0}};"
    second = f"{first} const Bits b = vectors::beside<F>(dice, a);"
    if operands == 2:
        return f"{second} return {{a, b, 0, 0}};"
    return f"{second} return {{a, b, vectors::third<F>(dice, a, b), 0}};"
