"""Random loops with a `while` in them that become one loop, as static schedules.

``python -m tests.static.whiles.random_whiles`` is a campaign: the machine of each schedule gives
what the program gives; with ``--rtl`` its SystemVerilog does in Verilator, in as many cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from unittest.mock import patch

from loom.front import static_circuit
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower.options import Options
from loom.lower.static.trial import Trial
from loom.model.bundles.activation import Activation
from tests.grow.static_campaign import Campaign
from tests.support.static.circuits import compile_static_request

SIZE = 16
"""Of the arrays [elements]."""
TYPES = ("int", "int", "unsigned", "short", "unsigned char", "long long")


class Grower:
    """Writes a program with a loop in another one, whose trip count data decide."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.type = self.pick(*TYPES)

    def pick(self, *choices: str) -> str:
        """One of them."""
        return self.random.choice(choices)

    def is_so(self, chance: float) -> bool:
        """True as often."""
        return self.random.random() < chance

    def value(self) -> str:
        """A number."""
        at = self.pick("i", "k", "i + k", "i ^ k", "15 - i", "t", "s")
        array = self.pick("a", "a", "c", "d")
        return self.pick(
            f"{array}[({at}) & 15]", f"{array}[({at}) & 15]", "x", "s", "t", "i", "k", "r"
        )

    def effect(self) -> str:
        """A statement."""
        at = self.pick("i", "k", "s", "t", "i + k")
        value = f"{self.value()} {self.pick('+', '^', '-', '*', '|')} {self.value()}"
        store = f"{self.pick('c', 'd')}[({at}) & 15]"
        return self.pick(
            f"s += {value};", f"s ^= {self.value()};", f"{store} = {value};", f"r = {value};",
            f"{store} += {self.value()};", f"if ({self.value()} & 1) s += {value};",
            f"if ({self.value()} & 2) {store} = {value}; else r += {self.value()};", "",
        )  # fmt: skip

    def inner(self) -> str:
        """A loop that ends."""
        low = self.pick("0", "0", "i", "r & 7", "1")
        match self.random.randrange(4):
            case 0:
                test = f"k < {self.pick('8', '12', 'n')} && {self.value()} != {self.value()}"
                step = "k++;"
            case 1:
                test, step = f"{self.pick('t', '(t & 1) == 0 && t')} > 0", "t >>= 1; k++;"
            case 2:
                test, step = f"t > {self.pick('0', '(x & 3)')}", "t = t / 3; k++;"
            case _:
                test, step = f"k < 9 && ({self.value()} & 3)", "k += 1 + (s & 1);"
        begin = f"k = {low}; t = ({self.value()}) & 255;"
        body = f"{step} {self.effect()}" if self.is_so(0.7) else step
        return f"{begin} {self.effect()} while ({test}) {{ {body} }}"

    def loop(self) -> str:
        """A loop with that in it."""
        body = f"{self.effect()} {self.inner()} {self.effect()} {self.effect()}"
        if self.is_so(0.2):
            body = f"{body} if ({self.value()} == {self.value()}) break;"
        high = self.pick("8", "16", "3", "1", "(n & 15)", "n")
        match self.random.randrange(6):
            case 0:
                test = self.pick("i < n && a[i & 15] != x", "i < n", "(a[i & 15] & 7) && i < 20")
                return f"unsigned i = 0; while ({test}) {{ {body} i++; }}"
            case 1:
                step = self.pick("i += 2", "i += 3")
                return f"for (unsigned char i = 0; i < {high}; {step}) {{ {body} }}"
            case 2:
                return f"for (int i = 12; i > 0; i--) {{ {body} }}"
        loop = f"for (unsigned i = 0; i < {high}; i++) {{ {body} }}"
        return f"for (int j = 0; j < 2; j++) {{ {loop} r += s; }}" if self.is_so(0.2) else loop

    def text(self) -> str:
        """The program."""
        of = self.type
        arrays = f"const {of} a[16], {of} c[16], {of} d[16]"
        loops = " ".join(f"{{ {self.loop()} }}" for _ in range(self.random.randrange(1, 3)))
        head = f"{of} f({of} x, unsigned char m, {arrays})"
        begin = f"{of} s = 1, r = 0; unsigned n = m & 15, k = 2, t = 3;"
        return f"{head} {{ {begin} {loops} return s + r; }}"


def circuit(seed: int) -> StaticCircuit:
    """The schedule of the seed's program, with one loop of two, at a random period."""
    random, text = Random(seed), Grower(seed).text()
    options = Options(
        clock_period=random.choice((None, "default", "default", 6.0, 14.0)),
        memory_order=random.choice(("auto", "auto", "auto", "serial")),
        style="static",
    )
    flat = Trial(flattens=True)
    with patch.object(static_circuit, "find_fastest", lambda attempt, _: attempt(flat)):
        return compile_static_request(Request(text, "k.c", options=options))


def activations(_: StaticCircuit, seed: int) -> Sequence[Activation]:
    """Loops of no iteration, of one, and of more."""
    random, of = Random(seed), Grower(seed).type
    width = {"short": 16, "unsigned char": 8, "long long": 64}.get(of, 32)
    words = {name: [random.getrandbits(width) for _ in range(SIZE)] for name in "acd"}
    return [Activation({"x": random.getrandbits(width), "m": n, **words}) for n in (12, 0, 1, 15)]


def count_flat(found: StaticCircuit) -> int:
    """The loops that are one with the `while` in them."""
    return len(found.flattened.taken)


CAMPAIGN = Campaign(
    "tests.static.whiles.random_whiles",
    "with one loop of two",
    lambda seed: Grower(seed).text(),
    circuit,
    activations,
    count_flat,
)

if __name__ == "__main__":
    raise SystemExit(CAMPAIGN.main())
