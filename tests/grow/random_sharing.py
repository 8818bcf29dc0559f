"""Random C programs that call functions with loops in loops, branches and one after the other."""

from __future__ import annotations

from random import Random

FUNCTIONS = """#include <stdint.h>
static uint32_t divide(uint32_t n, uint32_t d) {
  uint32_t q = 0, r = 0;
  for (int bit = 15; bit >= 0; bit--) {
    r = r << 1 | (n >> bit & 1);
    if (r >= d) { r -= d; q |= (uint32_t)1 << bit; }
  }
  return q ^ n;
}
static uint32_t gcd(uint32_t a, uint32_t b) {
  a = a % 64 + 1; b = b % 64 + 1;
  while (a != b) { if (a > b) a = a - b; else b = b - a; }
  return a * 5 + (a ^ b << 3);
}
static uint32_t mix(uint32_t x, uint32_t n) {
  for (uint32_t k = 0; k < n % 8; k++) {
    x = x * 25 + (x >> 7 ^ k); x ^= x << 5 | x >> 9;
  }
  return x;
}
"""
NAMES = ("divide", "gcd", "mix")


class Grower:
    """Writes the statements of a kernel with variables a, b, c and an array m of 4 elements."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.calls = 0
        self.loops = 0

    def operand(self) -> str:
        """A variable, an element or a constant."""
        draw = self.random
        return draw.choice(("a", "b", "c", f"m[{draw.randrange(4)}]", str(draw.randrange(1, 99))))

    def value(self) -> str:
        """An expression of a call or two."""
        draw = self.random
        self.calls += 1
        call = f"{draw.choice(NAMES)}({self.operand()}, {self.operand()})"
        if draw.random() < 0.3 and self.calls < 7:
            return f"({call} {draw.choice('+-^')} {self.value()})"
        return f"({call} {draw.choice('+-^|')} {self.operand()})"

    def statements(self, depth: int) -> str:
        """A few statements."""
        return " ".join(self.statement(depth) for _ in range(self.random.randrange(1, 4)))

    def statement(self, depth: int) -> str:
        """An assignment, a branch or a loop."""
        draw = self.random
        kind = draw.random()
        if depth and kind < 0.25:
            other = f" else {{ {self.statements(depth - 1)} }}" if draw.random() < 0.5 else ""
            return f"if ({self.operand()} & 1) {{ {self.statements(depth - 1)} }}{other}"
        if depth and kind < 0.55:
            self.loops += 1
            i = f"i{self.loops}"
            body = self.statements(depth - 1)
            if draw.random() < 0.5:
                body += f" m[{i} % 4] ^= {self.operand()};"
            return f"for (int {i} = 0; {i} < {draw.randrange(1, 4)}; {i}++) {{ {body} }}"
        value = self.value() if self.calls < 6 else self.operand()
        target = draw.choice(("a", "b", "c", f"m[{draw.randrange(4)}]"))
        return f"{target} = {value};"


def random_program(seed: int) -> str:
    """A C file with a kernel of three to six calls or so."""
    grower = Grower(seed)
    body = " ".join(grower.statement(2) for _ in range(4))
    return (
        f"{FUNCTIONS}uint32_t kernel(uint32_t a, uint32_t b, uint32_t m[4]) "
        f"{{ uint32_t c = 7; {body} return a ^ b ^ c; }}\n"
    )
