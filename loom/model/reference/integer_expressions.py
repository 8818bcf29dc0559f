"""Python expressions for the commonest operators: faster than a call of the row's meaning.

A test holds every line against the meaning in the catalogue. An operator that is not here
runs through its meaning.
"""

from __future__ import annotations

from collections.abc import Callable

from loom.dialects.operators.operator import Shape

Expression = Callable[[Shape, str, str], str]


def _mask(shape: Shape) -> int:
    return (1 << shape.outputs[0]) - 1


def _half(shape: Shape) -> int:
    return 1 << (shape.inputs[0] - 1)


def _masked(sign: str) -> Expression:
    return lambda s, a, b: f"{a} {sign} {b} & {_mask(s)}"


def _plain(sign: str) -> Expression:
    return lambda s, a, b: f"{a} {sign} {b}"


def _larger(sign: str, is_signed: bool) -> Expression:
    def expression(s: Shape, a: str, b: str) -> str:
        flip = f" ^ {_half(s)}" if is_signed else ""
        return f"{a} if {a}{flip} {sign} {b}{flip} else {b}"

    return expression


COMPARE = {
    "eq": ("==", False),
    "ne": ("!=", False),
    "slt": ("<", True),
    "sle": ("<=", True),
    "sgt": (">", True),
    "sge": (">=", True),
    "ult": ("<", False),
    "ule": ("<=", False),
    "ugt": (">", False),
    "uge": (">=", False),
}


def _compare(s: Shape, a: str, b: str) -> str:
    sign, is_signed = COMPARE[s.text("predicate")]
    flip = f" ^ {_half(s)}" if is_signed else ""
    return f"1 if {a}{flip} {sign} {b}{flip} else 0"


BINARY: dict[str, Expression] = {
    "arith.addi": _masked("+"),
    "arith.subi": _masked("-"),
    "arith.muli": _masked("*"),
    "arith.andi": _plain("&"),
    "arith.ori": _plain("|"),
    "arith.xori": _plain("^"),
    "arith.shli": lambda s, a, b: f"({a} << {b}) & {_mask(s)}",
    "arith.shrui": _plain(">>"),
    "arith.shrsi": lambda s, a, b: f"(({a} ^ {_half(s)}) - {_half(s)} >> {b}) & {_mask(s)}",
    "arith.divui": _plain("//"),
    "arith.remui": _plain("%"),
    "arith.maxsi": _larger(">", True),
    "arith.minsi": _larger("<", True),
    "arith.maxui": _larger(">", False),
    "arith.minui": _larger("<", False),
    "arith.cmpi": _compare,
}
"""Value of an operator of two operands, where it is defined."""


def _sign_cast(s: Shape, a: str) -> str:
    if s.outputs[0] <= s.inputs[0]:
        return _cut(s, a)
    return f"({a} ^ {_half(s)}) - {_half(s)} & {_mask(s)}"


def _cut(s: Shape, a: str) -> str:
    return a if s.outputs[0] >= s.inputs[0] else f"{a} & {_mask(s)}"


UNARY: dict[str, Callable[[Shape, str], str]] = {
    "arith.extsi": _sign_cast,
    "arith.extui": _cut,
    "arith.trunci": _cut,
    "arith.index_cast": _sign_cast,
    "arith.index_castui": _cut,
    "arith.bitcast": _cut,
}
"""Value of an operator of one operand."""


def _too_far(s: Shape, a: str, b: str) -> str:
    return f"{b} >= {s.inputs[0]}"


def _zero(s: Shape, a: str, b: str) -> str:
    return f"{b} == 0"


def _overflows(s: Shape, a: str, b: str) -> str:
    if s.inputs[0] == 1:
        return _zero(s, a, b)
    return f"{b} == 0 or {b} == {_mask(s)} and {a} == {_half(s)}"


UNDEFINED: dict[str, Expression] = {
    "arith.shli": _too_far,
    "arith.shrui": _too_far,
    "arith.shrsi": _too_far,
    "arith.divui": _zero,
    "arith.remui": _zero,
    "arith.ceildivui": _zero,
    "arith.remsi": _zero,
    "arith.divsi": _overflows,
    "arith.ceildivsi": _overflows,
    "arith.floordivsi": _overflows,
}
"""When an operator has no result; must agree with the row's `undefined`."""
