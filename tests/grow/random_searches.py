"""Random loops that end by what they load, as static schedules with speculative loads.

``python -m tests.grow.random_searches`` is a campaign: the machine of each schedule gives what the
program gives; with ``--rtl`` its SystemVerilog does in Verilator, in the machine's cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from tests.grow.static_campaign import Campaign
from tests.support.static.circuits import compile_static_request

COUNT = 16
SIZES = (16, 20, 24, 32)
"""Of the arrays; the program reads the first `COUNT` elements alone."""
TYPES = ("int", "int", "unsigned char", "short", "unsigned")
INDICES = ("i & 15", "i", "i", "(i + 1) & 15", "(n - i) & 15", "(i >> 1) & 15", "(n - 1 - i) & 15")
CALM = ("x[i & 15]", "w[i & 15]", "i", "1", "key", "s", "u")
"""Values that may be read wherever the loop is."""


def sizes_of(seed: int) -> tuple[int, int]:
    """The sizes of both arrays."""
    return SIZES[seed % 4], SIZES[seed // 4 % 4]


class Grower:
    """Writes a program with a loop whose test needs elements of arrays."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.sizes = sizes_of(seed)

    def element(self) -> str:
        """An element; beyond `i < n` some addresses are outside the array."""
        return f"{self.random.choice('xxw')}[{self.random.choice(INDICES)}]"

    def test(self) -> str:
        """What ends the loop, behind a count."""
        pick = self.random.choice
        term = pick(("!= key", "> u", "< 6", "!= s", f"!= {self.element()}"))
        text = f"{self.element()} {term}"
        if self.random.random() < 0.2:
            text = f"({text} {pick(('||', '&&'))} {pick(('s < 40', 'u != 3', 'i != 5', text))})"
        return text

    def statement(self) -> str:
        """A part of the body."""
        pick = self.random.choice
        text = pick(
            (
                f"s += {pick(CALM)};", f"u = {pick(CALM)};", f"s ^= {pick(CALM)};", "s++;",
                f"g[i & 7] = {pick(CALM)};", f"g[{pick(('s', 'u'))} & 7] += {pick(CALM)};",
                f"s += g[i & 7] * {pick(CALM)};", f"u = s; s = {pick(CALM)};",
            )
        )  # fmt: skip
        if self.random.random() < 0.3:
            text = f"if ({pick(CALM)} > {pick(CALM)}) {{ {text} }}"
            if self.random.random() < 0.4:
                text += f" else {{ u ^= {pick(CALM)}; }}"
        return text

    def loop(self) -> str:
        """The loop, in one of the forms in which it is found."""
        pick = self.random.choice
        body = " ".join(self.statement() for _ in range(pick((0, 0, 1, 1, 2, 3))))
        step = pick(("i++", "i++", "i += 2", "++i", "i += d, d = 3 - d"))
        test = self.test()
        high = pick(("n", "n", "16", "n - 1"))
        form = self.random.random()
        if form < 0.35:
            return f"while (i < {high} && {test}) {{ {body} {step}; }}"
        if form < 0.7:
            ends = pick(("break;", "{ u = i; break; }", "{ s += 100; break; }"))
            behind = self.statement() if self.random.random() < 0.3 else ""
            return f"for (; i < {high}; {step}) {{ {behind} if (!({test})) {ends} {body} }}"
        if form < 0.8:
            return f"do {{ {body} {step}; }} while (i < {high} && {test});"
        if form < 0.9:
            inside = self.element()
            return f"while (s < 60 && i < {high}) {{ s += 1 + ({inside} & 15); {body} {step}; }}"
        ends = f"u = {self.element()}; if (u == key) break;"
        return f"while (i < {high} && s < 50) {{ {ends} s += u & 7; {step}; }}"

    def text(self) -> str:
        """The program."""
        pick = self.random.choice
        x, w = self.sizes
        loop = self.loop()
        if self.random.random() < 0.2:
            loop += f" i = {pick(('0', '1'))}; {self.loop()}"
        if self.random.random() < 0.15:
            loop = f"if (n > 3) {{ {loop} }}"
        if self.random.random() < 0.1:
            loop = f"for (int k = 0; k < 3; k++) {{ i = k; {loop} }}"
        arrays = f"const {pick(TYPES)} x[{x}], const int w[{w}], int g[8]"
        start = pick(("0", "0", "1", "n & 1"))
        result = pick(("s ^ u * 64 ^ i * 4096", "i", "s + i", "u", "i < n ? i : -1"))
        names = f"int i = {start}; int s = 0, u = 9, d = 1;"
        return f"int f({arrays}, int n, int key) {{ {names} {loop} return {result}; }}"


def circuit(seed: int) -> StaticCircuit:
    """The schedule of the seed's program, at a random period and latencies."""
    random, text = Random(seed), Grower(seed).text()
    latency = random.choice(("ram", "ram", "ram,latency=2", "ram,latency=3"))
    options = Options(
        memories=(("x", latency),),
        clock_period=random.choice((None, "default", 8.0)),
        style="static",
    )
    return compile_static_request(Request(text, "k.c", options=options))


def activations(_: StaticCircuit, seed: int) -> Sequence[Activation]:
    """No iteration, one, two, and all; keys that are there, early and late, or are not."""
    random, (x, w) = Random(seed), sizes_of(seed)
    return [
        Activation(
            {
                "x": [random.randrange(most) for _ in range(x)],
                "w": [random.randrange(most) for _ in range(w)],
                "g": [random.randrange(8) for _ in range(8)],
                "n": n,
                "key": key,
            }
        )
        for n, most, key in ((0, 8, 3), (1, 8, 3), (2, 2, 5), (COUNT, 8, 3), (COUNT, 2, 9))
    ]


def count_speculative(found: StaticCircuit) -> int:
    """The loads that are made ahead."""
    return found.text.count("loom.speculative")


CAMPAIGN = Campaign(
    "tests.grow.random_searches",
    "with speculative loads",
    lambda seed: Grower(seed).text(),
    circuit,
    activations,
    count_speculative,
)

if __name__ == "__main__":
    raise SystemExit(CAMPAIGN.main())
