"""Random C programs with rows of loops that are written alike, with constants of their own."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

BINARY = ("+", "-", "^", "*", "&", "|")
Statement = Callable[[int], str]
"""The statement of loop k of a row."""


class Grower:
    """Writes rows with arrays a and b of 16 elements, a variable s, and a bound n."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def constant(self) -> Callable[[int], str]:
        """The same for all, an arithmetic sequence, or any."""
        draw = self.random
        first, step = draw.randrange(-20, 20), draw.choice((0, 1, 1, 2, -3))
        table = [draw.randrange(-1000, 1000) for _ in range(6)]
        if draw.random() < 0.4:
            return lambda k: f"({table[k]})"
        return lambda k: f"({first + step * k})"

    def value(self) -> Statement:
        """An element or a variable, and a constant."""
        draw, constant = self.random, self.constant()
        one = draw.choice(("a[i]", "b[i]", "b[a[i] & 15]", "s", "i", "n"))
        operator = draw.choice(BINARY)
        return lambda k: f"({one} {operator} {constant(k)})"

    def statement(self, depth: int) -> Statement:
        """An assignment, a branch or a loop."""
        draw, value = self.random, self.value()
        kind = draw.random()
        if kind < 0.25 and depth:
            inner, other = self.statement(depth - 1), self.statement(depth - 1)
            return lambda k: f"if ({value(k)} > 3) {{ {inner(k)} }} else {{ {other(k)} }}"
        if kind < 0.4 and depth:
            inner = self.statement(depth - 1)
            return lambda k: f"for (int j = 0; j < 3; j++) {{ {inner(k)} }}"
        target = draw.choice(("a[i]", "b[i]", "a[(i + 1) & 15]", "s"))
        return lambda k: f"{target} = {value(k)};"

    def row(self) -> str:
        """A row of loops that write an array."""
        draw = self.random
        body = [self.statement(2) for _ in range(draw.randrange(1, 3))]
        last = self.value()
        head = draw.choice(
            ("for (int i = 0; i < n; i++)", "for (int i = 15; i >= 0; i -= 2)",
             "for (int i = 0; i < n && a[i] != 7; i++)")
        )  # fmt: skip
        count = draw.randrange(2, 6)
        return "\n".join(
            f"  {head} {{ {' '.join(each(k) for each in body)} a[i] = {last(k)}; }}"
            for k in range(count)
        )


def random_rows(seed: int) -> str:
    """A kernel of one to three rows."""
    grower = Grower(seed)
    rows = "\n".join(grower.row() for _ in range(grower.random.randrange(1, 4)))
    return f"int k(int a[16], int b[16], int n) {{\n  int s = 1;\n{rows}\n  return s;\n}}\n"
