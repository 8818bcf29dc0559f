"""Random loops in each other whose iterations take turns, as static schedules.

``python -m tests.static.interleaving.random_entries`` is a campaign: the machine of each schedule
gives what the program gives; with ``--rtl`` its SystemVerilog does in Verilator, in as many cycles.
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

SIZE = 64
"""Of the arrays [elements]."""
TYPES = ("float", "float", "float", "double", "int", "unsigned", "long long")
TRIPS = ("2", "3", "4", "6", "8", "12")


class Grower:
    """Writes a program with a nest of two loops, or of three, and what is around the inner one."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.type = self.pick(*TYPES)
        self.is_float = self.type in ("float", "double")

    def pick(self, *choices: str) -> str:
        """One of them."""
        return self.random.choice(choices)

    def is_so(self, chance: float) -> bool:
        """True as often."""
        return self.random.random() < chance

    def word(self) -> str:
        """An element that no iteration writes."""
        at = self.pick("i", "k", "i + k", "i * 4 + k", "63 - i", "k * 5")
        return f"{self.pick('a', 'b')}[({at}) & 63]"

    def term(self) -> str:
        """What the inner loop computes with."""
        return self.pick(
            self.word(), self.word(), f"{self.word()} * x", "x", "p", f"({self.type})k"
        )

    def update(self, name: str) -> str:
        """A statement that carries a value on."""
        term = self.term()
        choices = [
            f"{name} += {term};", f"{name} += {term};", f"{name} = {name} * {term} + x;",
            f"if ({term} > {self.word()}) {name} += {term};", f"{name} = {term} - {name};",
        ]  # fmt: skip
        if not self.is_float:
            choices += [f"{name} = {name} * {term} ^ 5;", f"{name} = {name} / 3 + {term};"]
        return self.pick(*choices)

    def before(self) -> str:
        """What stands before the inner loop."""
        own = self.pick("a[i]", "y[i]", "x", "b[63 - i]", f"x * ({self.type})i", "1")
        begin = self.pick("0", "x", "a[i]", "y[i]", "p")
        stores = self.pick("", "", "", f"z[i] = {self.pick('x', 'a[i]', 'p')};")
        if self.is_so(0.2):
            stores = f"if (i & 1) z[i] = {self.pick('x', 'a[i]')};"
        second = f"{self.type} t = {self.pick('1', 'p', 'b[i]')};" if self.two else ""
        return f"{self.type} p = {own}; {stores} {self.type} s = {begin}; {second}"

    def behind(self) -> str:
        """What stands behind it."""
        given = self.pick("s", "s + p", "s * x", "(s * 3 + 1) * s", "t" if self.two else "s")
        return self.pick(
            f"y[i] = {given};", f"y[i] = {given};", f"y[i] += {given};",
            f"if (s > x) y[i] = {given};", f"if (i & 1) y[i] = s; else z[i] = {given};",
            f"total += {given};", f"y[i] = {given}; total = total + s;", "z[i] += s; y[i] = z[i];",
        )  # fmt: skip

    def text(self) -> str:
        """The program."""
        of = self.type
        self.two = self.is_so(0.3)
        body = self.update("s") + (f" {self.update('t')}" if self.two else "")
        if self.is_so(0.2):
            body += " w[(i * 8 + k) & 127] = s;"
        high = self.pick(*TRIPS)
        step = self.pick("i++", "i++", "i += 2")
        low = self.pick("0", "0", "3")
        high = f"{low} + {high}" if step == "i++" else f"{low} + 2 * {high}"
        inner = f"for (int k = {self.pick('0', '0', '2')}; k < {self.pick('3', '4', '8')}; k++)"
        loop = (
            f"for (int i = {low}; i < {high}; {step}) {{ {self.before()} {inner} {{ {body} }} "
            f"{self.behind()} }}"
        )
        if self.is_so(0.3):
            more = self.pick("x += 1;", "")
            loop = f"for (int j = 0; j < {self.pick('1', '2', '3')}; j++) {{ {loop} {more} }}"
        arrays = f"const {of} a[64], const {of} b[64], {of} y[64], {of} z[64], {of} w[128]"
        return f"{of} f({of} x, {arrays}) {{ {of} total = 0; {loop} return total; }}"


def circuit(seed: int) -> StaticCircuit:
    """The schedule of the seed's program, whose iterations take turns, at a random period."""
    random, text = Random(seed), Grower(seed).text()
    options = Options(
        clock_period=random.choice((None, "default", "default", 6.0, 14.0)), style="static"
    )
    interleaving = Trial(interleaves=True)
    with patch.object(static_circuit, "find_fastest", lambda attempt, _: attempt(interleaving)):
        return compile_static_request(Request(text, "k.c", options=options))


def activations(_: StaticCircuit, seed: int) -> Sequence[Activation]:
    """Two, with numbers about as large as each other."""
    random, grower = Random(seed), Grower(seed)

    def word(width: int) -> int:
        """A word of an array."""
        if not grower.is_float:
            return random.getrandbits(width)
        bits, bias = {32: (23, 127), 64: (52, 1023)}[width]
        sign, power = random.getrandbits(1), random.randrange(-6, 6)
        return sign << width - 1 | bias + power << bits | random.getrandbits(bits)

    sizes = {"a": SIZE, "b": SIZE, "y": SIZE, "z": SIZE, "w": 2 * SIZE}
    width = 64 if grower.type in ("double", "long long") else 32
    return [
        Activation({"x": word(width), **{n: [word(width) for _ in range(size)]
                                          for n, size in sizes.items()}})
        for _ in range(2)
    ]  # fmt: skip


def count_turns(found: StaticCircuit) -> int:
    """The loops whose iterations take turns."""
    return len(found.interleaved.taken)


CAMPAIGN = Campaign(
    "tests.static.interleaving.random_entries",
    "with iterations in turns",
    lambda seed: Grower(seed).text(),
    circuit,
    activations,
    count_turns,
)

if __name__ == "__main__":
    raise SystemExit(CAMPAIGN.main())
