"""Random C programs of products of several widths in loops, branches and one after the other."""

from __future__ import annotations

from random import Random

TYPES = ("uint8_t", "uint16_t", "uint32_t", "int32_t", "uint64_t")


class Products:
    """Writes the statements of a kernel with variables a to e of five types and an array m."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"products {seed}")
        self.loops = 0
        self.left = 9

    def operand(self) -> str:
        """A variable, an element or a constant that is no sum of few powers of two."""
        draw = self.random
        return draw.choice(("a", "b", "c", "d", "e", f"m[{draw.randrange(8)}]", "40503", "-23"))

    def product(self) -> str:
        """A product of two operands, or of one and another product."""
        draw = self.random
        self.left -= 1
        type_ = draw.choice(TYPES)
        more = self.left > 0 and draw.random() < 0.3
        second = f"({self.product()})" if more else self.operand()
        return f"({type_}){self.operand()} * ({type_}){second}"

    def statement(self, depth: int) -> str:
        """An assignment, a branch or a loop."""
        draw = self.random
        kind = draw.random()
        if depth and kind < 0.2:
            other = f" else {{ {self.statement(depth - 1)} }}" if draw.random() < 0.5 else ""
            return f"if ({self.operand()} & 1) {{ {self.statement(depth - 1)} }}{other}"
        if depth and kind < 0.6:
            self.loops += 1
            i = f"i{self.loops}"
            inner = " ".join(self.statement(depth - 1) for _ in range(draw.randrange(1, 3)))
            body = f"{inner} m[{i} % 8] ^= {self.value()};"
            return f"for (int {i} = 0; {i} < {draw.randrange(1, 7)}; {i}++) {{ {body} }}"
        target = draw.choice(("a", "b", "c", "d", "e", f"m[{draw.randrange(8)}]"))
        return f"{target} = {self.value()};"

    def value(self) -> str:
        """A product and another operand, once there are enough products the operand alone."""
        draw = self.random
        other = self.operand()
        return other if self.left <= 0 else f"({self.product()}) {draw.choice('+-^|')} {other}"


def random_products(seed: int) -> str:
    """A C file with a kernel of up to ten products."""
    grower = Products(seed)
    body = " ".join(grower.statement(2) for _ in range(5))
    return (
        "#include <stdint.h>\nuint64_t kernel(uint8_t a, uint16_t b, uint32_t c, int32_t d, "
        f"uint64_t e, uint32_t m[8]) {{ {body} return a ^ b ^ c ^ d ^ e; }}\n"
    )
