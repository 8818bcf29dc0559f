"""Random C functions: every type, conversion, loop and jump; no step of them is undefined."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

TYPES = (
    "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
    "unsigned long", "_Bool",
)  # fmt: skip
FLOATS = ("float", "double")
SIGNED = ("signed char", "short", "int", "long")
LITERALS = (
    "0", "1", "2", "7", "-1", "-3", "100", "255", "256", "-128", "65535", "32767", "0x7fffffff",
    "0xffffffff", "3000000000", "1u", "5ul", "-9l", "'x'", "4294967295u", "0x8000000000000000",
)  # fmt: skip
RELATIONS = ("<", "<=", ">", ">=", "==", "!=")
OPERATORS = ("+", "-", "*", "&", "|", "^")


@dataclass
class Grower:
    """Writes one function."""

    random: Random
    types: tuple[str, ...] = TYPES
    """Of integer variables and casts."""
    integers: list[str] = field(default_factory=list)
    counters: list[str] = field(default_factory=list)
    floats: list[str] = field(default_factory=list)
    made: int = 0
    loops: int = 0

    def function(self, name: str) -> str:
        """The text of a function."""
        draw = self.random
        parameters = []
        for k in range(draw.randint(1, 3)):
            parameters.append(f"{draw.choice(TYPES)} p{k}")
            self.integers.append(f"p{k}")
        if draw.random() < 0.4:
            parameters.append(f"{draw.choice(FLOATS)} x")
            self.floats.append("x")
        parameters += ["int a[8]", "short m[3][4]"]
        declared = ""
        for _ in range(draw.randint(1, 3)):
            declared += f"  {self.declaration()}\n"
        body = self.statements(draw.randint(2, 5), 0, "", 1)
        result = draw.choice(TYPES)
        return (
            f"{result} {name}({', '.join(parameters)}) {{\n{declared}{body}"
            f"  return {self.expression(3)};\n}}\n"
        )

    def declaration(self) -> str:
        """A new variable with a value."""
        name = f"v{self.made}"
        self.made += 1
        if self.random.random() < 0.15:
            text = f"{self.random.choice(FLOATS)} {name} = {self.number(2)};"
            self.floats.append(name)
        else:
            text = f"{self.random.choice(self.types)} {name} = {self.expression(2)};"
            self.integers.append(name)
        return text

    # Expressions

    def expression(self, depth: int) -> str:
        """An integer expression without effects."""
        draw = self.random
        if depth == 0 or draw.random() < 0.15:
            return self.leaf()
        kind = draw.randrange(13)
        one = self.expression(depth - 1)
        if kind < 4:
            return f"({one} {draw.choice(OPERATORS)} {self.expression(depth - 1)})"
        if kind == 4:
            return f"({one} {draw.choice('/%')} (({self.expression(depth - 1)} & 7) + 1))"
        if kind == 5:
            return f"({one} {draw.choice(('<<', '>>'))} ({self.expression(depth - 1)} & 7))"
        if kind == 6:
            return f"({one} {draw.choice(RELATIONS)} {self.expression(depth - 1)})"
        if kind == 7:
            return f"({one} {draw.choice(('&&', '||'))} {self.expression(depth - 1)})"
        if kind == 8:
            return f"({one} ? {self.expression(depth - 1)} : {self.expression(depth - 1)})"
        if kind == 9:
            return f"{draw.choice(('-', '~', '!', '+'))}({one})"
        if kind == 10:
            return f"({draw.choice(self.types)})({one})"
        if kind == 11:
            return (
                f"(({self.number(depth - 1)}) {draw.choice(RELATIONS)} ({self.number(depth - 1)}))"
            )
        return draw.choice(
            (f"a[{one} & 7]", f"m[({one} & 1) + 1][{self.expression(depth - 1)} & 3]")
        )

    def leaf(self) -> str:
        """A name or a number."""
        names = [*self.integers, *self.counters]
        if names and self.random.random() < 0.7:
            return self.random.choice(names)
        return self.random.choice(LITERALS)

    def number(self, depth: int) -> str:
        """A float expression."""
        draw = self.random
        if depth == 0 or draw.random() < 0.3:
            choices = [
                *self.floats,
                "0.5f",
                "-3.25",
                "1e3",
                f"({draw.choice(FLOATS)}){self.leaf()}",
            ]
            return draw.choice(choices)
        if draw.random() < 0.2:
            return f"({draw.choice(FLOATS)})({self.expression(depth - 1)})"
        if draw.random() < 0.15:
            values = f"{self.number(depth - 1)} : {self.number(depth - 1)}"
            return f"({self.expression(depth - 1)} ? {values})"
        return f"({self.number(depth - 1)} {draw.choice('+-*/')} {self.number(depth - 1)})"

    # Statements

    def statements(self, count: int, depth: int, jumps: str, indent: int) -> str:
        """Some statements; `jumps` tells what encloses them: l for a loop, s for a switch."""
        known = len(self.integers), len(self.floats), len(self.counters)
        text = "".join(self.statement(depth, jumps, indent) for _ in range(count))
        del self.integers[known[0] :], self.floats[known[1] :], self.counters[known[2] :]
        return text

    def statement(self, depth: int, jumps: str, indent: int) -> str:
        """One statement."""
        draw, pad = self.random, "  " * indent
        kind = draw.randrange(20)
        if kind < 4:
            target = draw.choice([*self.integers, f"a[{self.expression(1)} & 7]"])
            operator = draw.choice(("=", "=", "+=", "-=", "*=", "&=", "|=", "^="))
            return f"{pad}{target} {operator} {self.expression(3)};\n"
        if kind == 4:
            target = draw.choice([*self.integers, f"m[1][{self.expression(1)} & 3]"])
            return f"{pad}{target} {draw.choice(('<<=', '>>='))} {self.expression(1)} & 7;\n"
        if kind == 5:
            return f"{pad}{self.step(draw.choice(self.integers))};\n"
        if kind == 6:
            other = self.step(draw.choice(self.integers))
            return f"{pad}a[({other}) & 7] = {draw.choice(LITERALS)};\n"
        if kind == 7 and self.floats:
            operator = draw.choice(("=", "+=", "*="))
            return f"{pad}{draw.choice(self.floats)} {operator} {self.number(2)};\n"
        if kind == 8:
            return f"{pad}{self.declaration()}\n"
        if kind == 9 and jumps:
            word = "continue" if "l" in jumps and draw.random() < 0.5 else "break"
            return f"{pad}if ({self.expression(2)}) {word};\n"
        if kind == 10 and draw.random() < 0.4:
            return f"{pad}if ({self.expression(2)}) return {self.expression(2)};\n"
        if kind == 11:
            name = draw.choice(self.integers)
            return f"{pad}if ({self.expression(1)} && {self.step(name)}) {name} ^= 3;\n"
        if depth >= 3:
            return f"{pad}{draw.choice(self.integers)} = {self.expression(2)};\n"
        if kind < 14:
            return self.branch(depth, jumps, indent)
        if kind < 18 and self.loops < 3:
            return self.loop(depth, indent)
        return self.switch(depth, jumps, indent)

    def step(self, name: str) -> str:
        """A step by one."""
        return self.random.choice((f"{name}++", f"{name}--", f"++{name}", f"--{name}"))

    def branch(self, depth: int, jumps: str, indent: int) -> str:
        """if, perhaps with else."""
        pad = "  " * indent
        first = self.statements(self.random.randint(1, 3), depth + 1, jumps, indent + 1)
        text = f"{pad}if ({self.expression(2)}) {{\n{first}{pad}}}"
        if self.random.random() < 0.5:
            second = self.statements(self.random.randint(1, 2), depth + 1, jumps, indent + 1)
            text += f" else {{\n{second}{pad}}}"
        return text + "\n"

    def loop(self, depth: int, indent: int) -> str:
        """A loop of a few iterations."""
        draw, pad = self.random, "  " * indent
        self.loops += 1
        name = f"i{self.made}"
        self.made += 1
        low, high = f"(int)({self.expression(1)} & 3)", f"(int)({self.expression(1)} & 7)"
        if draw.random() < 0.4:
            low, high = str(draw.randint(0, 4)), str(draw.randint(3, 9))
        known = len(self.counters)
        self.counters.append(name)
        body = self.statements(draw.randint(1, 4), depth + 1, "l", indent + 1)
        del self.counters[known:]
        self.loops -= 1
        type_ = draw.choice(TYPES[:-1])
        kind = draw.randrange(7)
        if kind < 3:
            step = draw.choice((f"{name}++", f"++{name}", f"{name} += {draw.randint(1, 3)}"))
            test = draw.choice((f"{name} < {high}", f"{name} <= {high}", f"{high} > {name}"))
            head = f"for ({type_} {name} = {low}; {test}; {step})"
        elif kind == 3:
            step = draw.choice((f"{name}--", f"--{name}", f"{name} -= 1"))
            head = f"for ({draw.choice(SIGNED)} {name} = {high}; {name} >= {low}; {step})"
        elif kind == 4:
            head = f"for ({type_} {name} = {high}; {name} != 0; {name}--)"
        elif kind == 5:
            return f"{pad}{type_} {name} = {high};\n{pad}while ({name}-- > 0) {{\n{body}{pad}}}\n"
        else:
            return (f"{pad}{draw.choice(SIGNED)} {name} = {low};\n{pad}do {{\n{body}{pad}}}"
                    f" while (++{name} < {high});\n")  # fmt: skip
        return f"{pad}{head} {{\n{body}{pad}}}\n"

    def switch(self, depth: int, jumps: str, indent: int) -> str:
        """A switch that may fall through."""
        draw, pad = self.random, "  " * indent
        text = f"{pad}switch ({self.expression(2)} & 7) {{\n"
        labels = draw.sample(range(8), draw.randint(1, 4))
        default = draw.randrange(len(labels) + 1)
        for k, label in enumerate(labels):
            text += f"{pad}case {label}:\n" + (f"{pad}default:\n" if k == default else "")
            text += self.statements(draw.randint(0, 2), depth + 1, jumps + "s", indent + 1)
            text += f"{pad}  break;\n" if draw.random() < 0.7 else f"{pad}  ;\n"
        return text + f"{pad}}}\n"


def random_function(name: str, seed: int) -> str:
    """The text of a function of this name."""
    return Grower(Random(seed)).function(name)
