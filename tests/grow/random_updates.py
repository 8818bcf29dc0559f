"""Random loops that update elements of an array, as static schedules with forwarding.

``python -m tests.grow.random_updates`` is a campaign: the machine of each schedule gives what the
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

COUNT, PLACES = 16, 8
TYPES = ("int", "int", "unsigned char", "short", "float")
INDICES = ("x[i] & 7", "w[i] & 7", "(x[i] ^ i) & 7", "i & 7", "(n - i) & 7", "3", "(i >> 1) & 7")


class Grower:
    """Writes a program with one load and one store of `h` in a loop, or one statement more."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def update(self) -> str:
        """A statement that loads an element and stores one, perhaps another, under branches."""
        pick = self.random.choice
        load = pick(INDICES)
        store = load if self.random.random() < 0.6 else pick(INDICES)
        term = pick(("w[i]", "i", "1", "x[i]"))
        sign = pick(("+", "-", "+", "*"))
        if self.random.random() < 0.3:
            then = f"if ({pick(('t', 'w[i]'))} > {term}) h[{store}] = t {sign} {term};"
            return f"T t = h[{load}]; {then}"
        text = f"h[{store}] = h[{load}] {sign} {term};"
        for _ in range(pick((0, 0, 1, 2))):
            text = f"if ({pick(('w[i]', 'x[i]', 'i'))} > {self.random.randrange(5)}) {{ {text} }}"
            if self.random.random() < 0.3:
                text += " else s += w[i];"
            elif self.random.random() < 0.2:
                text = text.replace(") {", ") s++; else {", 1)
        return text

    def nest(self, loop: str) -> str:
        """The loop in one or two others, with statements before and behind it."""
        pick = self.random.choice
        for counter in pick(("k", "k", "jk")):
            before, behind = (
                pick(("", "", "", "int u = s; ", "s += r; ", f"h[{counter} & 7] = 3; "))
                for _ in range(2)
            )
            behind = pick(("", "r += s; ", "r ^= u; " if "u =" in before else "s ^= 5; ", behind))
            if "int u" in behind:
                behind = ""
            times = pick(("3", "2", "(n & 3)") if counter == "k" else ("3", "2"))
            head = f"for (int {counter} = 0; {counter} < {times}; {counter}++)"
            loop = f"{head} {{ {before}{loop} {behind}}}"
        return loop

    def text(self) -> str:
        """The program."""
        pick = self.random.choice
        body = self.update()
        if self.random.random() < 0.2:
            body += f" s += {pick(('w[i]', 'g[x[i] & 7]'))};"
        if self.random.random() < 0.2:
            body += f" g[{pick(INDICES)}] = g[{pick(INDICES)}] + w[i];"
        if self.random.random() < 0.1:
            body += f" h[{pick(INDICES)}] = w[i];"
        high = pick(("n", "16", "n"))
        loop = f"for (int i = 0; i < {high}; i++) {{ {body} }}"
        if self.random.random() < 0.4:
            loop = self.nest(
                pick((loop, loop.replace("i < n", "i < 5").replace("i < 16", "i < 4")))
            )
        typed = f"T h[{PLACES}], int g[{PLACES}]"
        arrays = f"const int x[{COUNT}], const int w[{COUNT}], {typed}"
        text = f"int f({arrays}, int n) {{ int s = 0, r = 1; {loop} return s ^ r; }}"
        return text.replace("T ", f"{pick(TYPES)} ")


def circuit(seed: int) -> StaticCircuit:
    """The schedule of the seed's program, at a random period and latencies."""
    random = Random(seed)
    text = Grower(random).text()
    latency = random.choice(("ram", "ram", "ram,latency=2", "ram,latency=3"))
    options = Options(
        memories=(("h", latency),),
        clock_period=random.choice((None, "default", 8.0)),
        style="static",
    )
    return compile_static_request(Request(text, "k.c", options=options))


def activations(found: StaticCircuit, seed: int) -> Sequence[Activation]:
    """No iteration, one, two, and all, over arrays of small numbers."""
    random = Random(seed)
    is_float = "%h: memref<8xf32>" in found.text
    words = (0x3F800000, 0x40000000, 0xC0400000, 0) if is_float else tuple(range(PLACES))
    return [
        Activation(
            {
                "x": [random.randrange(most) for _ in range(COUNT)],
                "w": [random.randrange(most) for _ in range(COUNT)],
                "h": [random.choice(words) for _ in range(PLACES)],
                "g": [random.randrange(PLACES) for _ in range(PLACES)],
                "n": n,
            }
        )
        for n, most in ((0, 8), (1, 8), (2, 2), (COUNT, 8), (COUNT, 2))
    ]


def count_forwarded(found: StaticCircuit) -> int:
    """The loads to which stores are forwarded."""
    return found.text.count("loom.forwarded =")


CAMPAIGN = Campaign(
    "tests.grow.random_updates",
    "with forwarding",
    lambda seed: Grower(Random(seed)).text(),
    circuit,
    activations,
    count_forwarded,
)

if __name__ == "__main__":
    raise SystemExit(CAMPAIGN.main())
