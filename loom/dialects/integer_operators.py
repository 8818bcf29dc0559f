"""Rows for the integer operators borrowed from arith, math and index.

Meanings take and give unsigned bit patterns. Source: MLIR's arith, math and index dialect
documentation; undefined cases carry their reason in `undefined`.
"""

from __future__ import annotations

from collections.abc import Callable

from loom.dialects.operator import Meaning, Operator, Shape, signature

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")

COMPARISONS = {
    "eq": "lhs == rhs",
    "ne": "lhs != rhs",
    "slt": "$signed(lhs) < $signed(rhs)",
    "sle": "$signed(lhs) <= $signed(rhs)",
    "sgt": "$signed(lhs) > $signed(rhs)",
    "sge": "$signed(lhs) >= $signed(rhs)",
    "ult": "lhs < rhs",
    "ule": "lhs <= rhs",
    "ugt": "lhs > rhs",
    "uge": "lhs >= rhs",
}


def signed(value: int, width: int) -> int:
    """The bit pattern `value` read as a two's complement number of `width` [bits]."""
    return value - (1 << width) if value >> (width - 1) else value


def wrapped(function: Callable[[int, int], int]) -> Meaning:
    """Meaning: `function` on bit patterns, modulo 2^width of the result."""

    def meaning(shape: Shape) -> Callable[[int, int], int]:
        mask = (1 << shape.outputs[0]) - 1
        return lambda lhs, rhs: function(lhs, rhs) & mask

    return meaning


def wrapped_signed(function: Callable[[int, int], int]) -> Meaning:
    """Meaning: `function` on two's complement numbers, modulo 2^width of the result."""

    def meaning(shape: Shape) -> Callable[[int, int], int]:
        width = shape.inputs[0]
        mask = (1 << shape.outputs[0]) - 1
        half = 1 << (width - 1)
        return lambda lhs, rhs: function((lhs ^ half) - half, (rhs ^ half) - half) & mask

    return meaning


def unary(function: Callable[[int, int], int]) -> Meaning:
    """Meaning: `function(value, width)`, modulo 2^width of the result."""

    def meaning(shape: Shape) -> Callable[[int], int]:
        width = shape.inputs[0]
        mask = (1 << shape.outputs[0]) - 1
        return lambda value: function(value, width) & mask

    return meaning


def truncated_division(lhs: int, rhs: int) -> int:
    """Quotient rounded towards zero; 0 for a division by zero, which the source forbids."""
    if rhs == 0:
        return 0
    quotient = abs(lhs) // abs(rhs)
    return quotient if (lhs < 0) == (rhs < 0) else -quotient


def truncated_remainder(lhs: int, rhs: int) -> int:
    """What a truncated division leaves, with the sign of `lhs`."""
    return lhs - rhs * truncated_division(lhs, rhs)


def floored_division(lhs: int, rhs: int) -> int:
    """Quotient rounded down; 0 for a division by zero."""
    return lhs // rhs if rhs else 0


def ceiled_division(lhs: int, rhs: int) -> int:
    """Quotient rounded up; 0 for a division by zero."""
    return -(-lhs // rhs) if rhs else 0


def division_undefined(shape: Shape, lhs: int, rhs: int) -> str:
    """Why this division has no result in the source, or the empty string."""
    return "a division by zero" if rhs == 0 else ""


def signed_division_undefined(shape: Shape, lhs: int, rhs: int) -> str:
    """Division by zero, and the one quotient that does not fit."""
    width = shape.inputs[0]
    if rhs == (1 << width) - 1 and lhs == 1 << (width - 1) and width > 1:
        return "a signed division that overflows"
    return division_undefined(shape, lhs, rhs)


def shift_undefined(shape: Shape, lhs: int, rhs: int) -> str:
    """Why this shift has no result in the source, or the empty string."""
    width = shape.inputs[0]
    return f"a shift by {rhs} of a value of {width} bits" if rhs >= width else ""


def compare(shape: Shape) -> Callable[[int, int], int]:
    """The predicate's comparison as 0 or 1."""
    half = 1 << (shape.inputs[0] - 1)
    tests: dict[str, Callable[[int, int], int]] = {
        "eq": lambda lhs, rhs: int(lhs == rhs),
        "ne": lambda lhs, rhs: int(lhs != rhs),
        "slt": lambda lhs, rhs: int(lhs ^ half < rhs ^ half),
        "sle": lambda lhs, rhs: int(lhs ^ half <= rhs ^ half),
        "sgt": lambda lhs, rhs: int(lhs ^ half > rhs ^ half),
        "sge": lambda lhs, rhs: int(lhs ^ half >= rhs ^ half),
        "ult": lambda lhs, rhs: int(lhs < rhs),
        "ule": lambda lhs, rhs: int(lhs <= rhs),
        "ugt": lambda lhs, rhs: int(lhs > rhs),
        "uge": lambda lhs, rhs: int(lhs >= rhs),
    }
    return tests[shape.text("predicate")]


def add_with_overflow(shape: Shape) -> Callable[[int, int], tuple[int, int]]:
    """Sum modulo 2^width and the carry out."""
    width = shape.inputs[0]
    mask = (1 << width) - 1
    return lambda lhs, rhs: ((lhs + rhs) & mask, (lhs + rhs) >> width)


def extended_product(is_signed: bool) -> Meaning:
    """Low and high half of the product of full width."""

    def meaning(shape: Shape) -> Callable[[int, int], tuple[int, int]]:
        width = shape.inputs[0]
        mask = (1 << width) - 1

        def multiply(lhs: int, rhs: int) -> tuple[int, int]:
            product = signed(lhs, width) * signed(rhs, width) if is_signed else lhs * rhs
            return product & mask, (product >> width) & mask

        return multiply

    return meaning


def constant_value(shape: Shape) -> Callable[[int], int]:
    """The attribute `value`, once for each control token."""
    value = shape.integer("value")
    return lambda _: value


def multiply_latency(shape: Shape) -> int:
    """Pipeline stages of a multiplier [cycles]: more where it takes several DSP blocks."""
    width = max(shape.inputs)
    return 2 if width <= 18 else 3 if width <= 36 else 4


def divide_latency(shape: Shape) -> int:
    """Pipeline stages of a divider [cycles]: absolute values, a stage a bit, the sign."""
    return shape.inputs[0] + 2


def row(
    name: str,
    ports: str,
    summary: str,
    meaning: Meaning,
    verilog: str | Callable[[Shape], str],
    *,
    index: str = "",
    variant: str | Callable[[Shape], str] = "",
    undefined: Callable[..., str] | None = None,
) -> Operator:
    """A combinational operator; `index` names its twin in the index dialect."""
    inputs, outputs = signature(ports)
    return Operator(
        name,
        inputs,
        outputs,
        summary,
        "primitives/pure",
        meaning,
        verilog=verilog,
        variant=variant,
        aliases=(f"index.{index}",) if index else (),
        undefined=undefined,
    )


BINARY = "lhs:T rhs:T -> result:T"


def division(
    name: str, index: str, kind: str, rounding: str, meaning: Meaning, summary: str
) -> Operator:
    """A pipelined divider: `kind` is quotient or remainder, `rounding` as in the template."""
    inputs, outputs = signature(BINARY)
    is_signed = not name.endswith("ui")
    return Operator(
        name,
        inputs,
        outputs,
        summary,
        "primitives/divide",
        meaning,
        verilog=f"{'signed' if is_signed else 'unsigned'} {kind} {rounding}",
        latency=divide_latency,
        aliases=(f"index.{index}",),
        undefined=(
            signed_division_undefined if is_signed and kind == "quotient" else division_undefined
        ),
    )


def multiplier(
    name: str, ports: str, summary: str, meaning: Meaning, verilog: str, index: str = ""
) -> Operator:
    """A pipelined operator with registers that a DSP block can absorb."""
    inputs, outputs = signature(ports)
    return Operator(
        name,
        inputs,
        outputs,
        summary,
        "primitives/pipelined",
        meaning,
        verilog=verilog,
        latency=multiply_latency,
        aliases=(f"index.{index}",) if index else (),
    )


def count_bits(select: str) -> str:
    """Statements that count the bits of `operand` that the loop body `select` picks."""
    return (
        f"result = '0;\nfor (int unsigned i = 0; i < T_WIDTH; i++) begin : count\n  {select}\nend"
    )


LEADING = (
    "result = T_WIDTH'(T_WIDTH);\n"
    "for (int i = T_WIDTH - 1; i >= 0; i--) begin : scan\n"
    "  if (operand[T_WIDTH-1-i]) result = T_WIDTH'(i);\n"
    "end"
)
TRAILING = (
    "result = T_WIDTH'(T_WIDTH);\n"
    "for (int i = T_WIDTH - 1; i >= 0; i--) begin : scan\n"
    "  if (operand[i]) result = T_WIDTH'(i);\n"
    "end"
)
SIGN_EXTEND = "result = {{(T_WIDTH-S_WIDTH){operand[S_WIDTH-1]}}, operand};"
ZERO_EXTEND = "result = {{(T_WIDTH-S_WIDTH){1'b0}}, operand};"


def cast_direction(shape: Shape) -> str:
    """widen, narrow or keep."""
    operand, result = shape.inputs[0], shape.outputs[0]
    return "widen" if result > operand else "narrow" if result < operand else "keep"


def cast_verilog(extend: str) -> Callable[[Shape], str]:
    """Assignments of a cast that widens by `extend`, keeps, or truncates, as the widths say."""

    def verilog(shape: Shape) -> str:
        if shape.outputs[0] > shape.inputs[0]:
            return extend
        if shape.outputs[0] == shape.inputs[0]:
            return "result = operand;"
        return "result = operand[T_WIDTH-1:0];"

    return verilog


SIGNED_CAST = unary(signed)
UNSIGNED_CAST = unary(lambda value, _: value)

INTEGER_OPERATORS: tuple[Operator, ...] = (
    row(
        "arith.addi",
        BINARY,
        "Sum modulo 2^width.",
        wrapped(lambda a, b: a + b),
        "result = lhs + rhs;",
        index="add",
    ),
    row(
        "arith.subi",
        BINARY,
        "Difference modulo 2^width.",
        wrapped(lambda a, b: a - b),
        "result = lhs - rhs;",
        index="sub",
    ),
    row(
        "arith.andi",
        BINARY,
        "Bitwise and.",
        wrapped(lambda a, b: a & b),
        "result = lhs & rhs;",
        index="and",
    ),
    row(
        "arith.ori",
        BINARY,
        "Bitwise or.",
        wrapped(lambda a, b: a | b),
        "result = lhs | rhs;",
        index="or",
    ),
    row(
        "arith.xori",
        BINARY,
        "Bitwise exclusive or.",
        wrapped(lambda a, b: a ^ b),
        "result = lhs ^ rhs;",
        index="xor",
    ),
    row(
        "arith.shli",
        BINARY,
        "Shift left; an amount of width or more is undefined.",
        wrapped(lambda a, b: a << b if b < 65536 else 0),
        "result = lhs << rhs;",
        index="shl",
        undefined=shift_undefined,
    ),
    row(
        "arith.shrui",
        BINARY,
        "Shift right, zeros in; an amount of width or more is undefined.",
        wrapped(lambda a, b: a >> b),
        "result = lhs >> rhs;",
        index="shru",
        undefined=shift_undefined,
    ),
    row(
        "arith.shrsi",
        BINARY,
        "Shift right, signs in; an amount of width or more is undefined.",
        lambda s: lambda a, b: (signed(a, s.outputs[0]) >> b) & ((1 << s.outputs[0]) - 1),
        "result = $unsigned($signed(lhs) >>> rhs);",
        index="shrs",
        undefined=shift_undefined,
    ),
    row(
        "arith.maxsi",
        BINARY,
        "The larger, signed.",
        wrapped_signed(max),
        "result = ($signed(lhs) > $signed(rhs)) ? lhs : rhs;",
        index="maxs",
    ),
    row(
        "arith.maxui",
        BINARY,
        "The larger, unsigned.",
        wrapped(max),
        "result = (lhs > rhs) ? lhs : rhs;",
        index="maxu",
    ),
    row(
        "arith.minsi",
        BINARY,
        "The smaller, signed.",
        wrapped_signed(min),
        "result = ($signed(lhs) < $signed(rhs)) ? lhs : rhs;",
        index="mins",
    ),
    row(
        "arith.minui",
        BINARY,
        "The smaller, unsigned.",
        wrapped(min),
        "result = (lhs < rhs) ? lhs : rhs;",
        index="minu",
    ),
    Operator(
        "arith.cmpi",
        *signature("lhs:T rhs:T -> result:i1"),
        "Comparison by predicate.",
        "primitives/pure",
        compare,
        verilog=lambda s: f"result = {COMPARISONS[s.text('predicate')]};",
        attributes=("predicate",),
        choices={"predicate": PREDICATES},
        variant=lambda s: s.text("predicate"),
        aliases=("index.cmp",),
    ),
    row(
        "arith.select",
        "condition:i1 true_value:T false_value:T -> result:T",
        "true_value where the condition holds, else false_value; takes both.",
        lambda _: lambda c, t, f: t if c else f,
        "result = condition ? true_value : false_value;",
    ),
    row("arith.extsi", "operand:S -> result:T", "Sign extension.", SIGNED_CAST, SIGN_EXTEND),
    row("arith.extui", "operand:S -> result:T", "Zero extension.", UNSIGNED_CAST, ZERO_EXTEND),
    row(
        "arith.trunci",
        "operand:S -> result:T",
        "The low bits.",
        UNSIGNED_CAST,
        "result = operand[T_WIDTH-1:0];",
    ),
    row(
        "arith.index_cast",
        "operand:S -> result:T",
        "Between index and an integer: sign extension or the low bits.",
        SIGNED_CAST,
        cast_verilog(SIGN_EXTEND),
        index="casts",
        variant=cast_direction,
    ),
    row(
        "arith.index_castui",
        "operand:S -> result:T",
        "Between index and an integer: zero extension or the low bits.",
        UNSIGNED_CAST,
        cast_verilog(ZERO_EXTEND),
        index="castu",
        variant=cast_direction,
    ),
    row(
        "arith.bitcast",
        "operand:S -> result:T",
        "The same bits under another type.",
        UNSIGNED_CAST,
        "result = operand;",
    ),
    row(
        "arith.addui_extended",
        "lhs:T rhs:T -> sum:T overflow:i1",
        "Sum modulo 2^width and the carry out.",
        add_with_overflow,
        "{overflow, sum} = {1'b0, lhs} + {1'b0, rhs};",
    ),
    multiplier(
        "arith.muli",
        BINARY,
        "Product modulo 2^width.",
        wrapped(lambda a, b: a * b),
        "result = lhs * rhs;",
        index="mul",
    ),
    multiplier(
        "arith.mului_extended",
        "lhs:T rhs:T -> low:T high:T",
        "Both halves of the unsigned product.",
        extended_product(False),
        "{high, low} = {{T_WIDTH{1'b0}}, lhs} * {{T_WIDTH{1'b0}}, rhs};",
    ),
    multiplier(
        "arith.mulsi_extended",
        "lhs:T rhs:T -> low:T high:T",
        "Both halves of the signed product.",
        extended_product(True),
        "{high, low} = {{T_WIDTH{lhs[T_WIDTH-1]}}, lhs} * {{T_WIDTH{rhs[T_WIDTH-1]}}, rhs};",
    ),
    division(
        "arith.divsi",
        "divs",
        "quotient",
        "truncate",
        wrapped_signed(truncated_division),
        "Signed quotient, rounded towards zero.",
    ),
    division(
        "arith.divui",
        "divu",
        "quotient",
        "truncate",
        wrapped(floored_division),
        "Unsigned quotient.",
    ),
    division(
        "arith.remsi",
        "rems",
        "remainder",
        "truncate",
        wrapped_signed(truncated_remainder),
        "Signed remainder, sign of lhs.",
    ),
    division(
        "arith.remui",
        "remu",
        "remainder",
        "truncate",
        wrapped(lambda a, b: a % b if b else a),
        "Unsigned remainder.",
    ),
    division(
        "arith.ceildivsi",
        "ceildivs",
        "quotient",
        "ceiling",
        wrapped_signed(ceiled_division),
        "Signed quotient, rounded up.",
    ),
    division(
        "arith.ceildivui",
        "ceildivu",
        "quotient",
        "ceiling",
        wrapped(ceiled_division),
        "Unsigned quotient, rounded up.",
    ),
    division(
        "arith.floordivsi",
        "floordivs",
        "quotient",
        "floor",
        wrapped_signed(floored_division),
        "Signed quotient, rounded down.",
    ),
    row(
        "math.absi",
        "operand:T -> result:T",
        "Absolute value modulo 2^width.",
        unary(lambda v, w: abs(signed(v, w))),
        "result = operand[T_WIDTH-1] ? -operand : operand;",
    ),
    row(
        "math.ctlz",
        "operand:T -> result:T",
        "Zeros above the highest one.",
        unary(lambda v, w: w - v.bit_length()),
        LEADING,
    ),
    row(
        "math.cttz",
        "operand:T -> result:T",
        "Zeros below the lowest one.",
        unary(lambda v, w: (v & -v).bit_length() - 1 if v else w),
        TRAILING,
    ),
    row(
        "math.ctpop",
        "operand:T -> result:T",
        "Number of ones.",
        unary(lambda v, _: v.bit_count()),
        count_bits("if (operand[i]) result = result + 1'b1;"),
    ),
)
