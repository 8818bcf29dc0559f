"""Random loops whose inner bounds are loaded, as static schedules that load them ahead.

``python -m tests.grow.random_loaded_bounds`` is a campaign: the machine of each schedule gives what
the program gives; with ``--rtl`` its SystemVerilog does in Verilator, in the machine's cycles.
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

ROWS = 8
MOST = 14
"""The largest pointer."""
TYPES = ("int", "int", "unsigned char", "short", "unsigned", "signed char")
CALM = ("a[k]", "k", "i", "s", "t", "7", "x[i]", "w[a[k] & 7]", "s * 3", "p[i]")
OUTSIDE = ("i", "s", "t", "5", "x[i]", "p[i]", "q[i]")


class Grower:
    """Writes a program with a nest of two loops, of which the inner one has loaded bounds."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def bounds(self) -> tuple[str, str]:
        """The first number and the one that is not reached."""
        pick = self.random.choice
        if self.random.random() < 0.5:
            return pick(
                (("p[i]", "p[i + 1]"), ("0", "p[i]"), ("p[i]", "q[i]"), ("i", "p[i]"),
                 ("p[i + 1]", "p[i]"), ("p[i]", "p[i + 2]"), ("p[2 * i]", "p[2 * i + 2]"))
            )  # fmt: skip
        words = ("p[i]", "p[i + 1]", "q[i]", "q[7 - i]", "p[15 - i]", "p[i ^ 1]", "p[(i * 3) & 7]")
        low = pick(("0", "1", "i", *words, "p[i] + 1", "(p[i] & 3)"))
        high = pick((*words, "q[i] + 2", "(p[i] > i ? p[i] : i)", "p[i] + 3 - (q[i] & 3)"))
        return low, high

    def statement(self, values: Sequence[str]) -> str:
        """A part of a body."""
        pick = self.random.choice
        value = pick(values)
        return pick(
            (f"s += {value};", f"t ^= {value};", f"s = {value};", f"s ^= {value}; t++;",
             f"y[i] = {value};", f"y[s & 7] = {value};", f"if (s & 1) t += {value};")
        )  # fmt: skip

    def some(self, values: Sequence[str], most: int) -> str:
        """A few statements."""
        return " ".join(self.statement(values) for _ in range(self.random.randrange(most + 1)))

    def text(self) -> str:
        """The program."""
        pick = self.random.choice
        low, high = self.bounds()
        body = self.some(CALM, 3) or "s += a[k];"
        step = pick(("k++", "k++", "k++", "k += 2"))
        inner = f"for (int k = {low}; k < {high}; {step}) {{ {body} }}"
        first = self.some(OUTSIDE, 1) if self.random.random() < 0.5 else ""
        behind = self.some(OUTSIDE, 2) if self.random.random() < 0.6 else ""
        if self.random.random() < 0.3:
            first, behind = "int u = t; " + first, behind + " t = u + s;"
        start, end = pick(("0", "0", "0", "1", "2")), pick(("7", "7", "7", "1", "2", "(n & 7)"))
        outer = pick(("i++", "i++", "i++", "i += 2"))
        nest = f"for (int i = {start}; i < {end}; {outer}) {{ {first} {inner} {behind} }}"
        if self.random.random() < 0.1:
            nest = f"for (int l = 0; l < 2; l++) {{ {nest} s += l; }}"
        kind = pick(TYPES)
        arrays = f"const {kind} p[16], const {pick(TYPES)} q[16], const int a[64]"
        arrays += ", const int x[8], int w[8], int y[8]"
        return f"int f({arrays}, int n) {{ int s = 1, t = 2; {nest} return s ^ t * 64; }}"


def circuit(seed: int) -> StaticCircuit:
    """The schedule of the seed's program, at a random period and latency."""
    random, text = Random(seed), Grower(seed).text()
    latency = random.choice(("ram", "ram", "ram", "ram,latency=2"))
    options = Options(
        memories=(("a", latency),),
        clock_period=random.choice((None, "default", "default", 14.0)),
        style="static",
    )
    return compile_static_request(Request(text, "k.c", options=options))


def activations(_: StaticCircuit, seed: int) -> Sequence[Activation]:
    """Pointers that grow, that are the same, and any; rows that are empty, or have one element."""
    random, found = Random(seed), list[Activation]()
    for n, most in ((7, 2), (0, 2), (1, 3), (6, 0), (7, 1)):
        total, pointers = 0, list[int]()
        for _ in range(16):
            pointers.append(min(total, MOST))
            total += random.randrange(most + 1)
        other = [random.randrange(MOST) for _ in range(16)]
        found.append(
            Activation(
                {
                    "p": pointers if n != 6 else other[::-1],
                    "q": other,
                    "a": [random.randrange(100) for _ in range(64)],
                    **{name: [random.randrange(50) for _ in range(8)] for name in "xwy"},
                    "n": n,
                }
            )
        )
    return found


def count_prefetched(found: StaticCircuit) -> int:
    """The loads of bounds that are made ahead."""
    return found.text.count("loom.speculative")


CAMPAIGN = Campaign(
    "tests.grow.random_loaded_bounds",
    "with bounds loaded ahead",
    lambda seed: Grower(seed).text(),
    circuit,
    activations,
    count_prefetched,
)

if __name__ == "__main__":
    raise SystemExit(CAMPAIGN.main())
