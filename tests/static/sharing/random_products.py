"""Random loops with products and quotients that share their multipliers, as static schedules.

``python -m tests.static.sharing.random_products`` is a campaign: the machine of each schedule gives
what the program gives; with ``--rtl`` its SystemVerilog does in Verilator, in the machine's cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from unittest.mock import patch

from loom.front import static_circuit
from loom.front.request import Request
from loom.front.static_circuit import PRODUCT_CYCLES, StaticCircuit
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from tests.grow.static_campaign import Campaign
from tests.support.static.circuits import compile_static_request

SIZE = 16
"""Of the arrays [elements]."""
TYPES = ("int", "int", "unsigned", "unsigned", "short", "unsigned char", "long long")


class Grower:
    """Writes a program with some loops, in a row, side by side and in each other."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.type = self.pick(*TYPES)

    def pick(self, *choices: str) -> str:
        """One of them."""
        return self.random.choice(choices)

    def value(self, counter: str) -> str:
        """A number."""
        at = self.pick(counter, f"15 - {counter}", f"({counter} * 5) & 15")
        return self.pick(f"a[{at}]", f"b[{at}]", f"c[{at}]", "x", "s", counter, f"(x + {counter})")

    def product(self, counter: str) -> str:
        """A product, a quotient or a remainder by a constant."""
        one, other = self.value(counter), self.value(counter)
        by = self.pick("3", "7", "10", "28", "1000")
        shapes = f"{one} * {other}", f"{one} * {other} * x", f"{one} / {by}", f"{one} % {by}"
        return self.pick(*shapes, shapes[0], f"({one} * {other} + {counter}) / {by}")

    def statement(self, counter: str) -> str:
        """One that a loop has."""
        product = self.product(counter)
        array = self.pick("c", "d")
        return self.pick(
            f"s += {product};", f"s ^= {product};", f"{array}[{counter}] = {product};",
            f"{array}[{counter}] += {product};", f"if ({self.value(counter)} & 1) s += {product};",
            f"if (x & 2) d[{counter}] = {product}; else d[{counter}] = {self.product(counter)};",
        )  # fmt: skip

    def loop(self) -> str:
        """A loop, a nest, or one that the data end."""
        body = " ".join(self.statement("i") for _ in range(self.random.randrange(1, 4)))
        high = self.pick("16", "16", "3", "1", "(n & 15)", "(n & 1)")
        match self.random.randrange(5):
            case 0:
                inner = self.statement("j")
                inner = f"for (int j = 0; j < {self.pick('4', '16', '(n & 3)')}; j++) {{ {inner} }}"
                return f"for (int i = 0; i < {high}; i++) {{ {inner} {self.pick(body, '')} }}"
            case 1:
                return f"for (int i = 0; i < {high} && s != 77; i++) {{ {body} }}"
        return f"for (int i = 0; i < {high}; i++) {{ {body} }}"

    def text(self) -> str:
        """The program."""
        loops = " ".join(self.loop() for _ in range(self.random.randrange(2, 5)))
        of = self.type
        arrays = f"const {of} a[16], const {of} b[16], {of} c[16], {of} d[16]"
        behind = f"return s + {self.product('3')};"
        return f"{of} f({of} x, unsigned n, {arrays}) {{ {of} s = 1; {loops} {behind} }}"


def circuit(seed: int) -> StaticCircuit:
    """The schedule of the seed's program, with shared multipliers, at a random period."""
    random, text = Random(seed), Grower(seed).text()
    options = Options(
        clock_period=random.choice((None, "default", "default", 7.0, 14.0)),
        share=random.choice(("auto", "on")),
        style="static",
    )
    cycles = random.choice(PRODUCT_CYCLES)
    with patch.object(static_circuit, "share_products", lambda _, attempt: attempt(cycles)):
        return compile_static_request(Request(text, "k.c", options=options))


def activations(found: StaticCircuit, seed: int) -> Sequence[Activation]:
    """Loops of no iteration, of one, and of more."""
    random = Random(seed)
    width = next(memory.width for memory in found.dynamic.netlist.memories_outside)
    words = {name: [random.getrandbits(width) for _ in range(SIZE)] for name in "abcd"}
    return [
        Activation({"x": random.getrandbits(width), "n": n, **words}) for n in (16, 0, 1, 7, 255)
    ]


def count_shared(found: StaticCircuit) -> int:
    """The multipliers that several operations take."""
    units = (each.name for each in found.fsmd.units)
    return sum(name.startswith("shared_mul") for name in units)


CAMPAIGN = Campaign(
    "tests.static.sharing.random_products",
    "with shared multipliers",
    lambda seed: Grower(seed).text(),
    circuit,
    activations,
    count_shared,
)

if __name__ == "__main__":
    raise SystemExit(CAMPAIGN.main())
