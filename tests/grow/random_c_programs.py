"""Random C programs of several functions, macros, switches and narrow types; none is undefined.

What `random_c` grows stands in the kernel and in the functions it calls; macros stand in both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from tests.grow.random_c import LITERALS, OPERATORS, RELATIONS, Grower

NARROW = ("int8_t", "uint8_t", "int16_t", "uint16_t", "_Bool", "signed char", "unsigned short")
WIDE = ("int32_t", "uint32_t", "int64_t", "uint64_t", "int", "unsigned", "long")
TYPES = (*NARROW, *NARROW, *WIDE)
"""Narrow types are twice as likely."""
MOST_CALLS = 5
"""Calls in one function: each has a circuit of its own [calls]."""


@dataclass(frozen=True)
class Callable:
    """A macro or a function without effects, and how many numbers it takes."""

    name: str
    arity: int
    is_function: bool


@dataclass
class ProgramGrower(Grower):
    """Writes a function that uses macros and calls functions."""

    types: tuple[str, ...] = TYPES
    callables: list[Callable] = field(default_factory=list)
    writers: list[str] = field(default_factory=list)
    """Functions that take the array `a` and a number, and change the array."""
    steps: list[str] = field(default_factory=list)
    """Macros that are statements: they take a variable and a number."""
    calls: int = 0

    def expression(self, depth: int) -> str:
        """An integer expression, perhaps a call or a macro."""
        draw = self.random
        if depth > 0 and self.callables and draw.random() < 0.25:
            used = draw.choice(self.callables)
            if not used.is_function or self.calls < MOST_CALLS:
                self.calls += used.is_function
                given = ", ".join(self.expression(depth - 1) for _ in range(used.arity))
                return f"{used.name}({given})" if used.arity else used.name
        return super().expression(depth)

    def statement(self, depth: int, jumps: str, indent: int) -> str:
        """One statement, perhaps a macro or a call that changes the array."""
        draw, pad = self.random, "  " * indent
        kind = draw.random()
        if self.steps and kind < 0.08:
            name, target = draw.choice(self.steps), draw.choice(self.integers)
            return f"{pad}{name}({target}, {self.expression(2)});\n"
        if self.writers and kind < 0.14 and self.calls < MOST_CALLS:
            self.calls += 1
            target = draw.choice(self.integers)
            return f"{pad}{target} ^= {draw.choice(self.writers)}(a, {self.expression(1)});\n"
        return super().statement(depth, jumps, indent)


def grow_macros(draw: Random, prefix: str) -> tuple[str, list[Callable], list[str]]:
    """Macros of all kinds: their text, those that are numbers, and those that are statements."""
    text, found = "", list[Callable]()

    def define(name: str, parameters: str, body: str) -> None:
        nonlocal text
        text += f"#define {prefix}{name}{parameters} {body}\n"
        if name[0] != "S":
            arity = len(parameters.split(",")) if parameters else 0
            found.append(Callable(f"{prefix}{name}", arity, False))

    define("K", "", f"({draw.choice(LITERALS)} {draw.choice(OPERATORS)} {draw.choice(LITERALS)})")
    define("OP", "(x, y)", f"((x) {draw.choice(OPERATORS)} (y))")
    define("PICK", "(x, y)", f"((x) {draw.choice(RELATIONS)} (y) ? (x) : (y))")
    define("TO", "(x)", f"(({draw.choice(NARROW)})(x))")
    # A macro in a macro, and one whose operator is an argument of another.
    define("DEEP", "(x)", f"{prefix}TO({prefix}OP({prefix}PICK((x), {prefix}K), (x)))")
    define("FIELD", "(x)", f"(((x) >> {draw.randrange(4)}) & {draw.choice((1, 3, 15, 255))})")
    define("NAME", "(x)", f"{prefix}JOIN(FI, ELD)(x)")
    text += f"#define {prefix}JOIN(a, b) {prefix}##a##b\n"
    define("STEP", "(v, d)", f"do {{ (v) {draw.choice(('+=', '-=', '^='))} (d); }} while (0)")
    define("SWAP", "(v, d)", "do { int t_ = (v); (v) = (d); a[t_ & 7] ^= (v); } while (0)")
    return text, found, [f"{prefix}STEP", f"{prefix}SWAP"]


def random_program(name: str, seed: int) -> str:
    """The text of a kernel of this name, and of what it uses; all other names begin with its."""
    draw = Random(seed)
    text, callables, steps = grow_macros(draw, f"{name.upper()}_")
    writers: list[str] = []
    for k in range(draw.randint(1, 3)):
        writes = draw.random() < 0.4
        function = f"{name}_g{k}"
        text += grow_function(draw, function, callables, steps if writes else [], writes)
        if writes:
            writers.append(function)
        else:
            callables = [*callables, Callable(function, 2, True)]
    grower = ProgramGrower(draw, callables=callables, writers=writers, steps=steps)
    text += f"struct {name}_s {{ {draw.choice(NARROW)} lo; {draw.choice(TYPES)} hi; _Bool is; }};\n"
    return text + grow_kernel(grower, name)


def grow_function(
    draw: Random, name: str, callables: list[Callable], steps: list[str], writes: bool
) -> str:
    """A function of two numbers, or of the array and a number, which it then changes."""
    own = [each for each in callables if not each.is_function]
    grower = ProgramGrower(draw, callables=own, steps=steps)
    grower.loops = 2
    grower.integers = ["y"] if writes else ["x", "y"]
    first = "int a[8]" if writes else f"{draw.choice(TYPES)} x"
    head = f"static {draw.choice(TYPES)} {name}({first}, {draw.choice(TYPES)} y) {{\n"
    values = ", ".join(draw.choice(LITERALS) for _ in range(4))
    declared = "" if writes else f"  int a[8] = {{{values}}};\n"
    declared += f"  short m[3][4] = {{{{{values}}}}};\n  {grower.declaration()}\n"
    body = grower.statements(draw.randint(1, 3), 2, "", 1)
    return f"{head}{declared}{body}  return {grower.expression(2)};\n}}\n"


def grow_kernel(grower: ProgramGrower, name: str) -> str:
    """The kernel: numbers, two arrays, and a struct of narrow fields."""
    draw = grower.random
    count = draw.randint(1, 3)
    parameters = [f"{draw.choice(TYPES)} p{k}" for k in range(count)]
    grower.integers = [f"p{k}" for k in range(count)]
    declared = f"  {grower.declaration()}\n  {grower.declaration()}\n"
    values = ", ".join(grower.expression(1) for _ in range(3))
    declared += f"  struct {name}_s s = {{{values}}};\n"
    grower.integers += ["s.lo", "s.hi", "s.is"]
    body = grower.statements(draw.randint(2, 4), 0, "", 1)
    if "switch" not in body:
        body += grower.switch(1, "", 1)
    return (
        f"{draw.choice(TYPES)} {name}({', '.join(parameters)}, int a[8], short m[3][4]) {{\n"
        f"{declared}{body}  return {grower.expression(3)};\n}}\n"
    )
