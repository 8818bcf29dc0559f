"""Functions of the C library that circuits compute, as C: bit by bit what a circuit gives.

A machine's own expf may differ by a unit in the last place, and does from machine to machine. A
program that is recorded calls these instead, so that its results are those of its circuit.
"""

from __future__ import annotations

from loom.dialects.floats.elementary.functions import PROGRAMS, program_of
from loom.dialects.floats.elementary.words import Program, Word

C: dict[str, str] = {
    "add": "{0} + {1}",
    "subtract": "{0} - {1}",
    "product": "({type}){0} * {1}",
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "{0} ^ {1}",
    "shift_left": "{0} << {1}",
    "shift_right": "{0} >> {1}",
    "equals": "{0} == {1}",
    "below": "{0} < {1}",
    "select": "{0} ? {1} : {2}",
    "extend": "{0}",
    "extend_signed": "({signed})(({type}){0} << {above}) >> {above}",
    "low": "{0}",
    "look_up": "{table}[{0}]",
    "constant": "{value}",
}
"""Each operation as C on words of 64 or 128 bits, whose upper bits are cleared afterwards."""
FULL = frozenset({"and", "or", "xor", "shift_right", "equals", "below", "select", "extend",
                  "product", "look_up", "constant"})  # fmt: skip
"""Operations after which no upper bits are set."""
TYPES = {64: ("unsigned long long", "long long"), 128: ("unsigned __int128", "__int128")}


def size_of(width: int) -> int:
    """The bits of the type of C that holds so many."""
    assert width <= 128
    return 64 if width <= 64 else 128


def literal(width: int, value: int) -> str:
    """A constant of C."""
    if size_of(width) == 64:
        return f"{value:#x}ULL"
    low = value & ((1 << 64) - 1)
    return f"((unsigned __int128){value >> 64:#x}ULL << 64 | {low:#x}ULL)"


def write_function(name: str, program: Program) -> str:
    """C of a function from pattern to pattern, with its tables."""
    tables: list[str] = []
    names: dict[Word, str] = {program.operand: "operand"}
    lines: list[str] = []
    for word in program.steps():
        if word in names:
            continue
        names[word] = f"w{len(names)}"
        size, type_ = size_of(word.width), TYPES[size_of(word.width)][0]
        first = word.operands[0].width if word.operands else word.width
        table = f"{name}_{len(tables)}"
        if word.table:
            entries = ",".join(literal(word.width, each) for each in word.table)
            tables.append(f"static const {type_} {table}[] = {{{entries}}};\n")
        text = C[word.kind].format(
            *(names[each] for each in word.operands),
            above=size - first,
            signed=TYPES[size][1],
            type=type_,
            table=table,
            value=literal(word.width, word.value),
        )
        if word.kind not in FULL and word.width < size:
            text = f"({text}) & {literal(word.width, (1 << word.width) - 1)}"
        lines.append(f"  {type_} {names[word]} = {text};\n")
    type_ = TYPES[64][0]
    body = "".join(lines)
    return (
        f"{''.join(tables)}static {type_} {name}({type_} operand)\n{{\n{body}"
        f"  return {names[program.result]};\n}}\n"
    )


def write_library() -> str:
    """C that defines the functions under the names of the C library, for float and double.

    They are weak: a program that has a function of such a name keeps its own.
    """
    return "".join(
        write_named(operator, form, name)
        for operator in PROGRAMS
        for form, name in (("f32", f"{short_name(operator)}f"), ("f64", short_name(operator)))
    )


def write_named(operator: str, form: str, name: str) -> str:
    """One function of floats, by that of their patterns."""
    type_, pattern = {"f32": ("float", "unsigned"), "f64": ("double", TYPES[64][0])}[form]
    return write_function(f"loom_{name}", program_of(operator, form)) + (
        f"__attribute__((weak)) {type_} {name}({type_} x)\n{{\n"
        f"  union {{ {type_} number; {pattern} bits; }} word = {{x}};\n"
        f"  word.bits = loom_{name}(word.bits);\n  return word.number;\n}}\n"
    )


def short_name(operator: str) -> str:
    """The name of the function of double in the C library."""
    return operator.removeprefix("math.")


NAMES = tuple(f"{short_name(operator)}{end}" for operator in PROGRAMS for end in ("", "f"))
"""The functions of `write_library`."""
NOT_BUILTIN = tuple(f"-fno-builtin-{name}" for name in NAMES)
"""Options without which compilers compute some calls themselves."""
