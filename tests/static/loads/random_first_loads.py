"""Random nests whose outer loop loads of an array of the inner one, as static schedules.

``python -m tests.static.loads.random_first_loads`` is a campaign: the machine of each schedule
gives what the program gives; with ``--rtl`` its SystemVerilog does in Verilator, in the machine's
cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import constant_of
from loom.model.bundles.activation import Activation
from tests.grow.static_campaign import Campaign
from tests.support.static.circuits import compile_static_request

OUTSIDE = ("i", "7 - i", "i ^ 1", "n & 7", "s & 7", "(i * 3) & 15", "i + 1", "3", "a[i] & 7")
INSIDE = (
    "j",
    "(i + j) & 15",
    "7 - j",
    "(s + j) & 15",
    "i * 4 + j & 31",
    "b[j & 7] & 15",
    "j * 5 & 31",
)
ENDS = ("(n & 7)", "i", "5", "1", "2", "8", "i + 1", "m", "(7 - i)", "r")
NUMBERS = ("i", "s", "t", "u", "v", "3", "s * 3", "u * v", "b[i & 7]")


class Grower:
    """Writes a program with a nest of two or three loops."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.stored = self.pick("a", "y", "y")
        """The array that is stored to at any place."""

    def pick(self, *choices: str) -> str:
        """One of them."""
        return self.random.choice(choices)

    def load(self, places: Sequence[str]) -> str:
        """An element of an array."""
        return f"{self.pick('a', 'a', 'a', 'b')}[{self.pick(*places)}]"

    def outside(self) -> str:
        """A statement beside the inner loop."""
        load, number = self.load(OUTSIDE), self.pick(*NUMBERS)
        stored = f"{self.stored}[{self.pick(*OUTSIDE)}]"
        return self.pick(
            f"u = {load};", f"u = {load};", f"v = {load} + {number};", f"s += {load};",
            f"t ^= {load};", f"u = {load} * {number};", f"if (s & 1) u = {load};",
            f"if (i > 2) t += {load};", f"y[i & 7] = {number};", f"{stored} = s;",
            f"t += {number};", f"r = {load} & 3;",
        )  # fmt: skip

    def inside(self) -> str:
        """A statement of the inner loop."""
        load, number = self.load(INSIDE), self.pick("j", *NUMBERS)
        stored = f"{self.stored}[{self.pick(*INSIDE)}]"
        return self.pick(
            f"s += {load};", f"s += {load};", f"t ^= {load} + {number};", f"s += {load} * u;",
            f"if (j & 1) s ^= {load};", f"if (u > s) t += {load};", f"s ^= {number};",
            f"y[j & 7] = {load};", f"y[(i + j) & 7] = {number};", f"u = {load};",
            f"{stored} = {number};", f"s += {load} - {self.load(INSIDE)};",
        )  # fmt: skip

    def some(self, statement: str, least: int, most: int) -> str:
        """A few statements."""
        count = self.random.randrange(least, most + 1)
        return " ".join(getattr(self, statement)() for _ in range(count))

    def text(self) -> str:
        """The program."""
        low, step = self.pick("0", "0", "0", "1"), self.pick("j++", "j++", "j++", "j += 2")
        inner = f"for (int j = {low}; j < {self.pick(*ENDS)}; {step}) {{ "
        inner += self.some("inside", 1, 2) + " }"
        front, behind = self.some("outside", 0, 2), self.some("outside", 0, 1)
        high = self.pick("(n & 7)", "8", "4", "1", "(m & 3)")
        nest = f"for (int i = 0; i < {high}; i++) {{ {front} {inner} {behind} }}"
        if self.random.random() < 0.2:
            around = self.pick("2", "(n & 3)", "3")
            nest = f"for (int l = 0; l < {around}; l++) {{ {self.pick('s += l;', '')} {nest} }}"
        arrays = "int a[32], const int b[32], int y[32]"
        names = "int s = 1, t = 2, u = 3, v = 4, r = 2;"
        given = "return s ^ t * 64 ^ u * 512 ^ v * 4096;"
        return f"int f({arrays}, unsigned char n, int m) {{ {names} {nest} {given} }}"


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
    """Inner and outer loops of no iteration, of one, and of more."""
    random = Random(seed)
    return [
        Activation(
            {
                "a": [random.randrange(9) for _ in range(32)],
                "b": [random.randrange(30) for _ in range(32)],
                "y": [random.randrange(50) for _ in range(32)],
                "n": n,
                "m": m % 2**32,
            }
        )
        for n, m in ((7, 5), (0, 2), (1, 0), (2, -3), (5, 1))
    ]


def count_first(found: StaticCircuit) -> int:
    """The nests whose inner loop begins an iteration before its first one, which is 0 or 1."""
    starts = (pipeline.iv_inits[-1:] for pipeline in found.pipelines)
    numbers = (constant_of(each) for start in starts for each in start)
    return sum(number is not None and number < 0 for number in numbers)


CAMPAIGN = Campaign(
    "tests.static.loads.random_first_loads",
    "with outer loads in an iteration of the inner loop",
    lambda seed: Grower(seed).text(),
    circuit,
    activations,
    count_first,
)

if __name__ == "__main__":
    raise SystemExit(CAMPAIGN.main())
