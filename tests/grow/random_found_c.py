"""Random C programs in the style in which they are found; no step of them is undefined.

Beside what `random_c_programs` grows: labels that nobody jumps to, gotos forward and back, pointers
that are one of several arrays, structs through pointers, memcpy and memset, compound literals,
output and assertions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from tests.grow.random_c import RELATIONS
from tests.grow.random_c_programs import (
    NARROW,
    TYPES,
    Callable,
    ProgramGrower,
    grow_function,
    grow_macros,
)

SIZE = 8
"""Of `a`, `b` and `c`, the arrays that pointers may point into [elements]."""
NAMES = ("a", "b", "c")
MOST_ROUNDS = 6
"""How often a goto leads back [times]."""


@dataclass
class FoundGrower(ProgramGrower):
    """Writes a function with such statements; `struct` is the name of its struct type."""

    struct: str = ""
    swaps: str = ""
    """A function that swaps two pointers."""
    pointers: list[str] = field(default_factory=list)
    """Pointers to int, each at the first element of an array."""
    nodes: list[str] = field(default_factory=list)
    """Pointers to the struct."""
    labels: int = 0
    forward: list[str] = field(default_factory=list)
    """Labels behind the statements at hand, in blocks around them."""

    def new_label(self) -> str:
        """A label of its own."""
        self.labels += 1
        return f"l{self.labels}"

    def pointed(self) -> str:
        """An element that a pointer points to, or a field."""
        draw = self.random
        if self.nodes and draw.random() < 0.4:
            return f"{draw.choice(self.nodes)}->{draw.choice(('lo', 'hi', 'of[1]'))}"
        pointer = draw.choice(self.pointers)
        index = f"({self.expression(1)}) & {SIZE - 1}"
        return draw.choice((f"{pointer}[{index}]", f"*({pointer} + ({index}))", f"*{pointer}"))

    def leaf(self) -> str:
        """A name, a number, or what a pointer points to."""
        if self.pointers and self.random.random() < 0.15:
            pointer = self.random.choice(self.pointers)
            return f"{pointer}[{self.random.randrange(SIZE)}]"
        return super().leaf()

    def statement(self, depth: int, jumps: str, indent: int) -> str:
        """One statement, of those that this class adds in two of five."""
        draw, pad = self.random, "  " * indent
        if not self.pointers or draw.random() < 0.6:
            text = super().statement(depth, jumps, indent)
            is_statement = not text.lstrip().startswith(("signed", "unsigned", "int", "short"))
            starts = text.lstrip().startswith(("for", "while", "if", "switch"))
            if is_statement and starts and draw.random() < 0.3:
                return f"{pad}{self.new_label()}:\n{text}"
            return text
        kind = draw.randrange(13)
        one = draw.choice(self.pointers)
        if kind < 3:
            return f"{pad}{self.pointed()} {draw.choice(('=', '+=', '^='))} {self.expression(2)};\n"
        if kind == 3:
            arms = draw.choice(NAMES), draw.choice([*NAMES, *self.pointers])
            return f"{pad}{one} = {self.expression(2)} ? {arms[0]} : {arms[1]};\n"
        if kind == 4:
            return f"{pad}if ({self.expression(2)}) {self.swaps}(&p, &q);\n"
        if kind == 5:
            others = list(NAMES[1:])
            draw.shuffle(others)
            count = draw.choice(("sizeof a", f"{draw.randint(0, SIZE)} * sizeof *a"))
            return (
                f"{pad}{draw.choice(('memcpy', 'memmove'))}({others[0]}, {others[1]}, {count});\n"
            )
        if kind == 6:
            size, to, start = (draw.randint(0, 4) for _ in range(3))
            return f"{pad}memmove({one} + {to}, {one} + {start}, {size} * sizeof(int));\n"
        if kind == 7:
            size = draw.choice(("sizeof c", "3 * sizeof(int)"))
            return f"{pad}memset({draw.choice(NAMES[1:])}, {draw.choice((0, -1, 1))}, {size});\n"
        if kind == 8:
            node = draw.choice(self.nodes)
            literal = (
                f"({self.struct}){{{self.expression(1)}, .of = {{[1] = {self.expression(1)}}}}}"
            )
            return f"{pad}*{node} = {literal};\n"
        if kind == 9:
            node, k = draw.choice(self.nodes), draw.randrange(3)
            other = draw.choice((f"&s[{k}]", f"{self.expression(1)} ? &s[{k}] : &one"))
            return f"{pad}{node} = {other};\n"
        if kind == 10:
            text = draw.choice(
                (f'printf("%d\\n", (int)({self.expression(1)}))', f"assert({one} != 0)")
            )
            return f"{pad}{text};\n"
        if kind == 11 and self.forward:
            return f"{pad}if ({self.expression(2)}) goto {draw.choice(self.forward)};\n"
        if depth >= 2:
            return f"{pad}{self.pointed()} = {self.expression(1)};\n"
        return (
            self.jumps_forward(depth, jumps, indent)
            if draw.random() < 0.5
            else (self.jumps_back(depth, jumps, indent))
        )

    def jumps_forward(self, depth: int, jumps: str, indent: int) -> str:
        """A block with a label at its end, or in its middle, to which gotos in it lead."""
        draw, pad, label = self.random, "  " * indent, self.new_label()
        self.forward.append(label)
        inner = self.statements(draw.randint(1, 2), depth + 1, jumps, indent + 1)
        leave = f"{pad}  if ({self.expression(2)}) goto {label};\n"
        rest = self.statements(1, depth + 1, jumps, indent + 1)
        self.forward.remove(label)
        after = self.statements(1, depth + 1, jumps, indent + 1)
        return f"{pad}{{\n{inner}{leave}{rest}{pad}  {label}: ;\n{after}{pad}}}\n"

    def jumps_back(self, depth: int, jumps: str, indent: int) -> str:
        """A block that a goto in it begins again, a few times."""
        draw, pad, label = self.random, "  " * indent, self.new_label()
        rounds = f"n{self.labels}"
        body = self.statements(draw.randint(1, 3), depth + 1, jumps, indent + 1)
        test = f"{rounds}++ < {draw.randint(1, MOST_ROUNDS)} && {self.expression(2)}"
        again = f"{pad}  if ({test}) goto {label};\n"
        after = self.statements(1, depth + 1, jumps, indent + 1) if draw.random() < 0.5 else ""
        if after and draw.random() < 0.5:
            after += f"{pad}  if ({rounds}++ {draw.choice(RELATIONS[:2])} 3) goto {label};\n"
        return f"{pad}{{\n{pad}  int {rounds} = 0;\n{pad}{label}: ;\n{body}{again}{after}{pad}}}\n"


def random_found_program(name: str, seed: int) -> str:
    """The text of a kernel of this name, and of what it uses; all other names begin with its."""
    draw = Random(seed)
    text, callables, steps = grow_macros(draw, f"{name.upper()}_")
    for k in range(draw.randint(0, 2)):
        text += grow_function(draw, f"{name}_g{k}", callables, [], False)
        callables = [*callables, Callable(f"{name}_g{k}", 2, True)]
    struct, swaps = f"{name}_t", f"{name}_swap"
    fields = f"{draw.choice(TYPES)} lo; {draw.choice(NARROW)} hi; short of[3];"
    text += f"typedef struct {{ {fields} }} {struct};\n"
    text += f"static void {swaps}(int **x, int **y) {{ int *t = *x; *x = *y; *y = t; }}\n"
    text += (
        f"static int {name}_bump({struct} *p, int by) {{\n"
        f"  p->lo += by;\n  p->of[by & 1] ^= p->hi;\n  return p->lo > p->hi;\n}}\n"
    )
    grower = FoundGrower(draw, callables=callables, steps=steps, struct=struct, swaps=swaps)
    grower.integers = ["x", "y"]
    declared = f"  {grower.declaration()}\n"
    declared += f"  int c[{SIZE}] = {{{grower.expression(1)}, {grower.expression(1)}}};\n"
    declared += f"  int *p = a, *q = {draw.choice(NAMES)};\n"
    declared += f"  {struct} s[3] = {{{{1, 2}}, {{x, y}}}}, one = {{.hi = y}};\n"
    declared += f"  {struct} *u = &s[x & 1], *w = &one;\n"
    grower.pointers, grower.nodes = ["p", "q"], ["u", "w"]
    end = grower.new_label() if draw.random() < 0.5 else ""
    grower.forward = [end] if end else []
    body = grower.statements(draw.randint(2, 4), 0, "", 1)
    body += grower.jumps_back(1, "", 1)
    body += "" if "goto l" in body else grower.jumps_forward(1, "", 1)
    bump = f"  {draw.choice(('x', 'y'))} += {name}_bump({draw.choice(('u', 'w', '&s[2]'))}, 3);\n"
    mark = f"{end}: ;\n" if end else ""
    sums = " ^ ".join(("s[0].lo", "s[1].hi", "s[2].of[1]", "one.lo", "*p", "q[7]", "c[3]"))
    return (
        f"{text}{draw.choice(TYPES)} {name}({draw.choice(TYPES)} x, {draw.choice(TYPES)} y, "
        f"int a[{SIZE}], int b[{SIZE}], short m[3][4]) {{\n"
        f"{declared}{body}{bump}{mark}  return ({sums}) + {grower.expression(2)};\n}}\n"
    )
