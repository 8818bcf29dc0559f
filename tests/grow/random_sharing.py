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
static uint32_t total(uint32_t v[4], uint32_t x) {
  for (uint32_t k = 0; k < 4; k++) x = x * 31 + v[k] * (x >> 3 | 1);
  return x;
}
static uint32_t stir(uint32_t v[4], uint32_t x) {
  for (uint32_t k = 0; k < x % 4; k++) {
    v[k] = v[k] * x + (v[3 - k] ^ x >> 5); x = x ^ v[k] << 3;
  }
  return x;
}
static uint32_t move(uint32_t v[4], uint32_t w[4], uint32_t x) {
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t s = x;
    for (uint32_t i = 0; i < k; i++) { s = s * 29 + (v[i] ^ v[k] * s); w[i] ^= s >> 2; }
    w[k] = s;
  }
  return w[0];
}
"""
NAMES = ("divide", "gcd", "mix")
ARRAYS = ("m", "t")


class Grower:
    """Writes the statements of a kernel with variables a, b, c and an array m of 4 elements."""

    def __init__(self, seed: int, arrays: bool) -> None:
        self.random = Random(seed)
        self.arrays = arrays
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
        if self.arrays and draw.random() < 0.7:
            call = self.call_with_arrays()
        if draw.random() < 0.3 and self.calls < 7:
            return f"({call} {draw.choice('+-^')} {self.value()})"
        return f"({call} {draw.choice('+-^|')} {self.operand()})"

    def call_with_arrays(self) -> str:
        """A call of a function that accesses one array or two."""
        first, second = self.random.sample(ARRAYS, 2)
        name = self.random.choice(("total", "stir", "move"))
        both = f", {second}" if name == "move" else ""
        return f"{name}({first}{both}, {self.operand()})"

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


def random_program(seed: int, *, arrays: bool = False) -> str:
    """A C file with a kernel of three to six calls or so; with `arrays` of functions on arrays."""
    grower = Grower(seed, arrays)
    body = " ".join(grower.statement(2) for _ in range(4))
    inside = "uint32_t t[4] = {1, 20, 300, 4000}; " if arrays else ""
    return (
        f"{FUNCTIONS}uint32_t kernel(uint32_t a, uint32_t b, uint32_t m[4]) "
        f"{{ {inside}uint32_t c = 7; {body} return a ^ b ^ c{' ^ t[2]' if arrays else ''}; }}\n"
    )
