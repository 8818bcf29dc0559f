"""Rows for the combinational integer operators borrowed from arith, math and index.

Source: MLIR's arith, math and index dialect documentation.
"""

from __future__ import annotations

from collections.abc import Callable

from loom.dialects.operators.integer_meanings import (
    ADD,
    COMPARE,
    PREDICATES,
    SELECT,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    SHIFT_RIGHT_SIGNED,
    SHIFT_UNDEFINED,
    SIGN_EXTEND,
    SUBTRACT,
    TRUNCATE,
    add_with_overflow,
    bitwise,
    extreme,
    signed,
    unary,
)
from loom.dialects.operators.operator import (
    Hardware,
    Meaning,
    Operator,
    Semantics,
    Shape,
    Signature,
    parse_ports,
)

BINARY = "lhs:T rhs:T -> result:T"

COMPARISONS = {
    "eq": "lhs == rhs",
    "ne": "lhs != rhs",
    "slt": "left < right",
    "sle": "right >= left",
    "sgt": "right < left",
    "sge": "left >= right",
    "ult": "lhs < rhs",
    "ule": "rhs >= lhs",
    "ugt": "rhs < lhs",
    "uge": "lhs >= rhs",
}
"""In the forms that Yosys maps to one carry chain: `>` and `<=` of 32 bits take twice the LUTs.

`left` and `right` are those of `SIGNS`.
"""
SIGNS = (
    "// Signed numbers whose sign bits change places compare as unsigned ones.\n"
    "typedef logic [T_WIDTH-1:0] number_t;\n"
    "localparam number_t SIGN = number_t'(1) << (T_WIDTH - 1);\n"
    "number_t left, right;\n"
    "left = (lhs & ~SIGN) | (rhs & SIGN);\n"
    "right = (rhs & ~SIGN) | (lhs & SIGN);\n"
)
"""The end of one carry chain is the result, where Yosys reads the two last bits and the sign of a
difference for a signed comparison."""


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
    misfit: Callable[[Shape], tuple[str, str] | None] | None = None,
) -> Operator:
    """A combinational operator; `index` names its twin in the index dialect."""
    aliases = (f"index.{index}",) if index else ()
    inputs, outputs = parse_ports(ports)
    constants = tuple(port.name for port in inputs if port.type == "T") if len(inputs) > 1 else ()
    return Operator(
        name,
        summary,
        Signature(inputs, outputs, constants=constants, misfit=misfit, aliases=aliases),
        Semantics(meaning, undefined=undefined),
        Hardware("primitives/pure", verilog, variant=variant),
    )


PLACES = (
    "typedef logic [T_WIDTH-1:0] amount_t;\n"
    "localparam amount_t PLACES = amount_t'(2 ** $clog2(T_WIDTH) - 1);\n"
)
"""The bits that amounts below the width have: a shift that looks at more is twice as large."""
POPULATION = """\
// A tree: sum i is that of sums 2 * i + 1 and 2 * i + 2, the last ones are the bits.
logic [(2**($clog2(T_WIDTH)+1)-1)*$clog2(T_WIDTH+1)-1:0] sums;
sums = '0;
for (int i = 0; i < T_WIDTH; i++) begin : leaf
  sums[(2**$clog2(T_WIDTH)-1+i)*$clog2(T_WIDTH+1)] = operand[i];
end
for (int i = 2 ** $clog2(T_WIDTH) - 2; i >= 0; i--) begin : node
  sums[i*$clog2(T_WIDTH+1)+:$clog2(T_WIDTH+1)] =
      sums[(2*i+1)*$clog2(T_WIDTH+1)+:$clog2(T_WIDTH+1)] +
      sums[(2*i+2)*$clog2(T_WIDTH+1)+:$clog2(T_WIDTH+1)];
end
result = '0;
for (int i = 0; i < $clog2(T_WIDTH + 1); i++) begin : root
  result[i] = sums[i];
end"""
LEADING = (
    "typedef logic [T_WIDTH-1:0] count_t;\n"
    "result = count_t'(T_WIDTH);\n"
    "for (int i = T_WIDTH - 1; i >= 0; i--) begin : scan\n"
    "  if (operand[T_WIDTH-1-i]) result = count_t'(i);\n"
    "end"
)
TRAILING = (
    "typedef logic [T_WIDTH-1:0] count_t;\n"
    "result = count_t'(T_WIDTH);\n"
    "for (int i = T_WIDTH - 1; i >= 0; i--) begin : scan\n"
    "  if (operand[i]) result = count_t'(i);\n"
    "end"
)
SIGN_EXTENSION = "result = {{(T_WIDTH - S_WIDTH) {operand[S_WIDTH-1]}}, operand};"
ZERO_EXTENSION = "result = {{(T_WIDTH - S_WIDTH) {1'b0}}, operand};"


def comparison(shape: Shape) -> str:
    """The text of a comparison."""
    predicate = shape.text("predicate")
    text = f"result = {COMPARISONS[predicate]};"
    return SIGNS + text if predicate.startswith("s") else text


def extreme_constant(shape: Shape) -> tuple[str, str] | None:
    """The refusal of an unsigned comparison with a constant of zeros or of ones."""
    if str(shape.attributes.get("predicate", "u"))[0] != "u" or not shape.has_extreme(0, 1):
        return None
    return "an unsigned comparison with a constant of zeros or of ones", "a token for it"


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


INTEGER_OPERATORS: tuple[Operator, ...] = (
    row(
        "arith.addi",
        BINARY,
        "Sum modulo 2^width.",
        ADD,
        "result = lhs + rhs;",
        index="add",
    ),
    row(
        "arith.subi",
        BINARY,
        "Difference modulo 2^width.",
        SUBTRACT,
        "result = lhs - rhs;",
        index="sub",
    ),
    row(
        "arith.andi",
        BINARY,
        "Bitwise and.",
        bitwise("&"),
        "result = lhs & rhs;",
        index="and",
    ),
    row(
        "arith.ori",
        BINARY,
        "Bitwise or.",
        bitwise("|"),
        "result = lhs | rhs;",
        index="or",
    ),
    row(
        "arith.xori",
        BINARY,
        "Bitwise exclusive or.",
        bitwise("^"),
        "result = lhs ^ rhs;",
        index="xor",
    ),
    row(
        "arith.shli",
        BINARY,
        "Shift left; an amount of width or more is undefined.",
        SHIFT_LEFT,
        PLACES + "result = lhs << (rhs & PLACES);",
        index="shl",
        undefined=SHIFT_UNDEFINED,
    ),
    row(
        "arith.shrui",
        BINARY,
        "Shift right, zeros in; an amount of width or more is undefined.",
        SHIFT_RIGHT,
        PLACES + "result = lhs >> (rhs & PLACES);",
        index="shru",
        undefined=SHIFT_UNDEFINED,
    ),
    row(
        "arith.shrsi",
        BINARY,
        "Shift right, signs in; an amount of width or more is undefined.",
        SHIFT_RIGHT_SIGNED,
        PLACES + "result = $unsigned($signed(lhs) >>> (rhs & PLACES));",
        index="shrs",
        undefined=SHIFT_UNDEFINED,
    ),
    row(
        "arith.maxsi",
        BINARY,
        "The larger, signed.",
        extreme(">", is_signed=True),
        SIGNS + "result = (left < right) ? rhs : lhs;",
        index="maxs",
    ),
    row(
        "arith.maxui",
        BINARY,
        "The larger, unsigned.",
        extreme(">", is_signed=False),
        "result = (lhs > rhs) ? lhs : rhs;",
        index="maxu",
        misfit=extreme_constant,
    ),
    row(
        "arith.minsi",
        BINARY,
        "The smaller, signed.",
        extreme("<", is_signed=True),
        SIGNS + "result = (left < right) ? lhs : rhs;",
        index="mins",
    ),
    row(
        "arith.minui",
        BINARY,
        "The smaller, unsigned.",
        extreme("<", is_signed=False),
        "result = (lhs < rhs) ? lhs : rhs;",
        index="minu",
        misfit=extreme_constant,
    ),
    Operator(
        "arith.cmpi",
        "Comparison by predicate.",
        Signature(
            *parse_ports("lhs:T rhs:T -> result:i1"),
            attributes=("predicate",),
            choices={"predicate": PREDICATES},
            constants=("lhs", "rhs"),
            misfit=extreme_constant,
            aliases=("index.cmp",),
        ),
        Semantics(COMPARE),
        Hardware(
            "primitives/pure",
            comparison,
            variant=lambda s: s.text("predicate"),
        ),
    ),
    row(
        "arith.select",
        "condition:i1 true_value:T false_value:T -> result:T",
        "true_value where the condition holds, else false_value; takes both.",
        SELECT,
        "result = condition ? true_value : false_value;",
    ),
    row("arith.extsi", "operand:S -> result:T", "Sign extension.", SIGN_EXTEND, SIGN_EXTENSION),
    row("arith.extui", "operand:S -> result:T", "Zero extension.", TRUNCATE, ZERO_EXTENSION),
    row(
        "arith.trunci",
        "operand:S -> result:T",
        "The low bits.",
        TRUNCATE,
        "result = operand[T_WIDTH-1:0];",
    ),
    row(
        "arith.index_cast",
        "operand:S -> result:T",
        "Between index and an integer: sign extension or the low bits.",
        SIGN_EXTEND,
        cast_verilog(SIGN_EXTENSION),
        index="casts",
        variant=cast_direction,
    ),
    row(
        "arith.index_castui",
        "operand:S -> result:T",
        "Between index and an integer: zero extension or the low bits.",
        TRUNCATE,
        cast_verilog(ZERO_EXTENSION),
        index="castu",
        variant=cast_direction,
    ),
    row(
        "arith.bitcast",
        "operand:S -> result:T",
        "The same bits under another type.",
        TRUNCATE,
        "result = operand;",
    ),
    row(
        "arith.addui_extended",
        "lhs:T rhs:T -> sum:T overflow:i1",
        "Sum modulo 2^width and the carry out.",
        add_with_overflow,
        "{overflow, sum} = {1'b0, lhs} + {1'b0, rhs};",
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
        POPULATION,
    ),
)
