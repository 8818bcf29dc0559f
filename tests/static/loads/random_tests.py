"""Random loops whose tests load, store or divide, in other loops, as static schedules.

``python -m tests.static.loads.random_tests`` is a campaign: the machine of each schedule gives what
the program gives; with ``--rtl`` its SystemVerilog does in Verilator, in the machine's cycles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from tests.grow.static_campaign import Campaign
from tests.support.static.circuits import compile_static_request

SIZES = (16, 16, 20, 24)
"""Of the arrays; the program reads the first 16 elements alone."""
TYPES = ("int", "int", "unsigned char", "short", "unsigned")
ADDRESSES = ("i & 15", "(i + 1) & 15", "(i - 1) & 15", "s & 15", "(u + i) & 15", "k", "j & 15")
VALUES = ("x[i & 15]", "w[(i - 1) & 15]", "i", "1", "key", "s", "u", "k * 3", "j")
CARRIED = re.compile(r"iter_args\(%\w+ = %\w+ : i1,")


class Grower:
    """Writes a program with loops whose tests take cycles."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.size = SIZES[seed % 4]

    def pick(self, *choices: str) -> str:
        """One of them."""
        return self.random.choice(choices)

    def element(self) -> str:
        """An element of an array."""
        return f"{self.pick('x', 'x', 'w')}[{self.pick(*ADDRESSES)}]"

    def test(self) -> str:
        """What ends the loop."""
        element, value = self.element(), self.pick(*VALUES)
        return self.pick(
            f"{element} != key",
            f"{element} > {value}",
            f"i > 0 && x[(i - 1) & 15] > {value}",
            f"i < 15 && x[(i + 1) & 15] >= {value} && w[i & 15] != key",
            f"(s += {element} & 7) < 60",
            f"({element} & 7) * (u & 3) < 9",
            f"{element} != {self.element()}",
            f"(s < 40 || {element} > 5)",
            f"x[{self.pick(*ADDRESSES)}]-- > 2",
            f"(w[{self.pick(*ADDRESSES)}] ^= 5) != key",
            f"100 / ({element} & 15 | 1) > 7",
            f"x[w[i & 15] & 15] > {value}",
        )

    def statement(self) -> str:
        """A part of a body."""
        value = self.pick(*VALUES)
        text = self.pick(
            f"s += {value};",
            f"u = {value};",
            f"s ^= {value};",
            f"x[{self.pick(*ADDRESSES)}] = {value};",
            f"w[{self.pick(*ADDRESSES)}] = {value};",
            "x[i & 15] = x[(i - 1) & 15];",
            "{ int t = x[i & 15]; x[i & 15] = x[j & 15]; x[j & 15] = t; }",
            f"s += x[j & 15] * {value};",
            f"w[i & 15] += {value};",
            "s += 50 / (u & 7 | 1);",
        )
        if self.random.random() < 0.3:
            text = f"if ({self.pick(*VALUES)} > {self.pick(*VALUES)}) {{ {text} }}"
            if self.random.random() < 0.4:
                text += f" else {{ {self.pick('u ^= 1;', 's++;', 'w[i & 15] = s;')} }}"
        return text

    def body(self, most: int = 3) -> str:
        """Some statements."""
        return " ".join(self.statement() for _ in range(self.random.randrange(most + 1)))

    def loop(self) -> str:
        """A loop that runs at most so often."""
        step = self.pick(
            "i++", "i--", "i -= 2", "i = x[i & 15] & 15", "i += d, d = 3 - d", "i = w[u & 15] & 15"
        )
        test, body = self.test(), self.body()
        start = self.pick("i = k;", "i = k;", "i = 15 - k;", "i = u & 15;", "")
        bound = self.pick("c++ < n", "c++ < n", "c++ < 5", "c++ < (n & 3)")
        form = self.random.random()
        if form < 0.4:
            found = f"while ({bound} && {test}) {{ {body} {step}; }}"
        elif form < 0.5:
            found = f"while ({test} && {bound}) {{ {body} {step}; }}"
        elif form < 0.65:
            found = f"do {{ {body} {step}; }} while ({bound} && {test});"
        elif form < 0.8:
            ends = self.pick("break;", "{ u = i; break; }", "{ s += 100; w[k] = i; break; }")
            found = f"for (; {bound}; {step}) {{ {self.body(1)} if ({test}) {ends} {body} }}"
        elif form < 0.9:
            found = (
                "{ int l = 0, h = 15; while (l < h) { int m = (l + h) >> 1; "
                f"if (x[m] < key) l = m + 1; else h = m; {self.body(1)} }} i = l; }}"
            )
        else:
            found = f"while ({bound}) {{ {body} if ({test}) {{ {step}; continue; }} i++; "
            found += self.body(1) + " }"
        return f"c = 0; {start} {found}"

    def text(self) -> str:
        """The program."""
        loop = self.loop()
        if self.random.random() < 0.2:
            loop += f" {self.statement()} {self.loop()}"
        if self.random.random() < 0.2:
            loop = f"if ((k & 1) || n > 3) {{ {loop} }}"
        around = self.pick("k < 4", "k < 4", "k < (n & 7)", "k < 1")
        whole = f"for (int k = 0; {around}; k++) {{ {self.body(2)} {loop} {self.body(2)} }}"
        if self.random.random() < 0.2:
            whole = f"int k = 3; {loop}"
        arrays = f"{self.pick(*TYPES)} x[{self.size}], int w[{self.size}]"
        names = "int i = n & 3, j = 5, c = 0, s = 0, u = 9, d = 1;"
        return (
            f"int f({arrays}, int n, int key) {{ {names} {whole} return s ^ i * 64 ^ u * 4096; }}"
        )


def circuit(seed: int) -> StaticCircuit:
    """The schedule of the seed's program, at a random period and latencies."""
    random, text = Random(seed), Grower(seed).text()
    memories = tuple(
        (name, random.choice(("ram", "ram", "ram,latency=2", "ram,latency=3"))) for name in "xw"
    )
    options = Options(
        memories=memories,
        clock_period=random.choice((None, "default", 8.0)),
        memory_order=random.choice(("auto", "auto", "auto", "serial")),
        style="static",
    )
    return compile_static_request(Request(text, "k.c", options=options))


def activations(_: StaticCircuit, seed: int) -> Sequence[Activation]:
    """No iteration, one, two, and many; keys that are there or are not."""
    random, size = Random(seed), SIZES[seed % 4]
    return [
        Activation(
            {
                "x": sorted(random.randrange(most) for _ in range(size)),
                "w": [random.randrange(most) for _ in range(size)],
                "n": n,
                "key": key,
            }
        )
        for n, most, key in ((0, 8, 3), (1, 8, 3), (2, 3, 5), (12, 8, 3), (9, 20, 9))
    ]


def count_carried(found: StaticCircuit) -> int:
    """The pipelined loops that begin an iteration as a bit that they carry says."""
    return len(CARRIED.findall(found.text))


CAMPAIGN = Campaign(
    "tests.static.loads.random_tests",
    "that carry a test",
    lambda seed: Grower(seed).text(),
    circuit,
    activations,
    count_carried,
)

if __name__ == "__main__":
    raise SystemExit(CAMPAIGN.main())
