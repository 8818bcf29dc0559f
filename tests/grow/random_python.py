"""Random Python kernels: every type of NumPy's, every operator, weak numbers, loops and arrays.

Some are refused, as NumPy has no such operator or a variable would have two types.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

INTEGERS = tuple(f"np.{sign}int{width}" for sign in ("", "u") for width in (8, 16, 32, 64))
FLOATS = ("np.float32", "np.float64")
TYPES = (*INTEGERS, *INTEGERS, *FLOATS, "np.bool", "bool")
LITERALS = ("0", "1", "2", "3", "7", "-1", "-3", "100", "127", "255", "-128", "65535", "1 << 31",
            "0xFFFFFFFF", "True", "N", "1.5", "-0.25", "0.0")  # fmt: skip
OPERATORS = ("+", "-", "*", "&", "|", "^", "+", "-", "*")
RELATIONS = ("<", "<=", ">", ">=", "==", "!=")


@dataclass
class Grower:
    """Writes one kernel."""

    random: Random
    names: list[str] = field(default_factory=list)
    counters: list[str] = field(default_factory=list)
    made: int = 0

    def function(self, name: str) -> str:
        """The text of a kernel."""
        draw = self.random
        head = []
        for number in range(draw.randint(1, 3)):
            head.append(f"p{number}: {draw.choice(TYPES)}")
            self.names.append(f"p{number}")
        for array in "ab":
            head.append(f"{array}: Annotated[NDArray[{draw.choice((*INTEGERS, *FLOATS))}], 8]")
        lines = []
        for _ in range(draw.randint(0, 2)):
            lines += self.statement("    ", 1)
        results = [self.expression(draw.randint(1, 4)) for _ in range(draw.randint(1, 2))]
        lines.append(f"    return {', '.join(results)}")
        return f"@loom.kernel\ndef {name}({', '.join(head)}):\n" + "\n".join(lines) + "\n"

    def statement(self, indent: str, depth: int) -> list[str]:
        """The lines of a statement."""
        draw = self.random
        kind = draw.randint(0, 6 if depth < 3 else 4)
        if kind == 0:
            self.made += 1
            value = self.expression(2)
            self.names.append(f"v{self.made}")
            return [f"{indent}v{self.made} = {value}"]
        if kind in (1, 2):
            operator = draw.choice(OPERATORS)
            return [f"{indent}{draw.choice('ab')}[{self.index()}] {operator}= {self.expression(2)}"]
        if kind == 3:
            return [f"{indent}{draw.choice('ab')}[{self.index()}] = {self.expression(3)}"]
        if kind == 4:
            name = draw.choice(self.names)
            return [f"{indent}{name} {draw.choice('+-*')}= {self.expression(1)}"]
        known = len(self.names)
        if kind == 5:
            lines = [
                f"{indent}if {self.expression(2)}:",
                *self.statement(indent + "    ", depth + 1),
            ]
        else:
            counter = f"i{depth}"
            lines = [f"{indent}for {counter} in range({draw.randint(0, 4)}):"]
            self.counters.append(counter)
            lines += self.statement(indent + "    ", depth + 1)
            self.counters.pop()
        del self.names[known:]
        return lines

    def index(self) -> str:
        """An index that is in range."""
        if self.counters and self.random.random() < 0.5:
            return self.random.choice(self.counters)
        return str(self.random.randint(-8, 7))

    def leaf(self) -> str:
        """A value without operators."""
        draw = self.random.random()
        if draw < 0.25:
            return self.random.choice(LITERALS)
        if draw < 0.45:
            return f"{self.random.choice('ab')}[{self.index()}]"
        if draw < 0.55 and self.counters:
            return self.random.choice(self.counters)
        return self.random.choice(self.names)

    def expression(self, depth: int) -> str:
        """A value."""
        if depth <= 0:
            return self.leaf()
        draw, inner = self.random, depth - 1
        one, other = self.expression(inner), self.expression(draw.randint(0, inner))
        kind = draw.randint(0, 15)
        if kind < 6:
            return f"({one} {draw.choice(OPERATORS)} {other})"
        if kind == 6:
            return f"({one} {draw.choice(('//', '%'))} {draw.choice(('3', '-5', '8', other))})"
        if kind == 7:
            return f"({one} {draw.choice(('<<', '>>'))} {draw.choice(('1', '5', '40', other))})"
        if kind == 8:
            return f"({one} {draw.choice(RELATIONS)} {other})"
        if kind == 9:
            return (
                f"({one} {draw.choice(RELATIONS)} {other} {draw.choice(RELATIONS)} {self.leaf()})"
            )
        if kind == 10:
            return f"({draw.choice(('-', '~', 'not ', '+'))}{one})"
        if kind == 11:
            return f"({one} if {self.expression(1)} else {other})"
        if kind == 12:
            return f"({one} {draw.choice(('and', 'or'))} {other})"
        if kind == 13:
            return f"{draw.choice((*INTEGERS, *FLOATS, 'int', 'float', 'bool'))}({one})"
        if kind == 14:
            return f"{draw.choice(('min', 'max'))}({one}, {other})"
        return f"({one} / {other})" if draw.random() < 0.5 else f"abs({one})"


def random_kernel(name: str, seed: int) -> str:
    """The text of a kernel; the same for the same seed."""
    return Grower(Random(seed)).function(name)
