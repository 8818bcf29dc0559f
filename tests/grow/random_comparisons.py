"""Random loops with one store to an array and loads of it, at addresses that collide.

``python -m tests.grow.random_comparisons`` is a campaign: with comparators wherever they can stand
(or queues, or with an order of each access), and memories of random latency, the timed model gives
what the program gives; with ``--rtl`` the circuits do in Verilator, in as many cycles as the timed
model says.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import Literal

from loom_sim.kernel import Kernel
from xdsl.dialects import memref

from loom.analysis.balance.invariants import check_invariants
from loom.dialects.facts.loop_attributes import MEMORY_ORDER
from loom.errors import LoomError
from loom.front.api import compile_module, read_program
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed
from tests.random_programs.in_rtl import simulated

COUNT, PLACES = 16, 8
INDICES = (
    "x[i]",
    "a",
    "w[i] & 7",
    "(x[i] ^ i) & 7",
    "i & 7",
    "(5 * i + 2) & 7",
    "(n - i) & 7",
    "3",
)
LATENCIES = ("ram", "ram,latency=2", "ram,latency=3", "channel", "channel,latency=9")
Order = Literal["comparators", "queue", "accesses"]
ORDERS: dict[Order, tuple[str, ...]] = {
    "comparators": (
        "dataflow.disambiguate",
        "dataflow.forward_store",
        "dataflow.store_queue",
        "dataflow.forward_queue",
    ),
    "queue": ("dataflow.load_store_queue",),
}
ORDERS["accesses"] = (*ORDERS["comparators"], *ORDERS["queue"])
"""The units of each order; with `accesses` each access has one of its own."""
OF_ACCESSES = (
    ("auto", "comparators"), ("comparators", "tokens"), ("comparators", "comparators", "serial"),
    ("auto", "comparators", "queue"), ("auto", "tokens", "serial"),
)  # fmt: skip
"""What the accesses of one program say."""


class Grower:
    """Writes the body of one loop."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def index(self) -> str:
        """A subscript of the array; seldom one that is made of an element."""
        if self.random.random() < 0.1:
            return f"(h[{self.random.choice(INDICES)}] + i) & 7"
        return self.random.choice(INDICES)

    def value(self) -> str:
        """An expression with loads in it; seldom a load alone."""
        if self.random.random() < 0.1:
            return f"h[{self.index()}]"
        terms = [f"h[{self.index()}]" for _ in range(self.random.choice((1, 1, 2, 3)))]
        terms += [self.random.choice(("i", "w[i]", "x[i]", "5"))]
        return f" {self.random.choice('+-^')} ".join(terms)

    def condition(self) -> str:
        """Of a branch, of loaded data or not."""
        left = self.random.choice(("w[i]", "t", "x[i]", "i"))
        return f"{left} {self.random.choice(('<', '>', '!='))} {self.random.randrange(5)}"

    def several(self) -> str:
        """Statements of an iteration that load and store in any order, under no branch."""
        lines = ["int t = w[i];"]
        for _ in range(self.random.choice((2, 2, 3, 4))):
            target = self.random.choice(("t", "s", "t", *[f"h[{self.index()}]"] * 4))
            value = self.random.choice((self.value(), self.value(), "t", "t * i"))
            lines.append(f"{target} = {'s + ' if target == 's' else ''}{value};")
        return " ".join([*lines, f"h[{self.index()}] = t;"])

    def statements(self) -> str:
        """The body, behind an element that is there whatever branches say."""
        return f"int a = x[i]; {self.body()}"

    def body(self) -> str:
        """The statements of an iteration: one of them stores, under no, one or two branches."""
        if self.random.random() < 0.3:
            return self.several()
        lines = [f"int t = {self.random.choice((self.value(), 'w[i]'))};"]
        store = f"h[{self.index()}] = {self.random.choice((self.value(), 't'))};"
        for _ in range(self.random.choice((0, 1, 1, 2))):
            before = f"s += {self.value()}; " if self.random.random() < 0.2 else ""
            other = f" else s += {self.value()};" if self.random.random() < 0.2 else ""
            store = f"if ({self.condition()}) {{ {before}{store} }}{other}"
        lines.append(store)
        if self.random.random() < 0.2:
            lines.append(f"s += {self.value()};")
        if self.random.random() < 0.2:
            lines.insert(0, "if (w[i] > 1) s += h[i & 6 | x[i] & 1];")
        return " ".join(lines)

    def nest(self) -> str:
        """A loop whose iterations do not meet, in one whose iterations do."""
        first = self.random.choice(("0", "1", "k", "k + 1"))
        last = self.random.choice(("7", "(n & 7)", "(x[k] & 7)", "7 - k"))
        index = self.random.choice(("i", "i", "i + 1", "7 - i"))
        others = ("h[i]", "h[7 - i]", "h[k]", "h[i + 1]", "h[x[i] & 7]")
        terms = [f"h[{index}]", self.random.choice(("w[i]", "x[i + k]", "k"))]
        terms += [self.random.choice(others) for _ in range(self.random.choice((0, 0, 1, 2)))]
        sign = self.random.choice("+-^")
        store = f"h[{index}] = {f' {sign} '.join(terms)};"
        if self.random.random() < 0.2:
            store = f"if ({self.random.choice(('w[i]', 'x[k]'))} > 2) {store}"
        times = self.random.choice(("4", "(n & 3)"))
        inner = f"for (int i = {first}; i < {last}; i++) {{ {store} }}"
        return f"for (int k = 0; k < {times}; k++) {inner}"

    def rows(self) -> str:
        """The same of three loops: rows of a matrix, made of themselves and of one before."""
        last = self.random.choice(("4", "4", "(n & 3) + 1", "(x[k] & 3)"))
        count = self.random.choice(("2", "2", "(n & 1) + 1", "(w[j] & 1) + 1"))
        terms = [f"h[2 * {row} + i]" for row in self.random.choice(("k", "jk", "jk", "jjk"))]
        terms += [self.random.choice(("w[j]", "x[i + j]", "k * i"))]
        value = f" {self.random.choice('+-^')} ".join(terms)
        store = f"h[2 * j + i] = {value};"
        if self.random.random() < 0.2:
            store += f" s += h[2 * {self.random.choice('kj')} + i];"
        first = self.random.choice(("k + 1", "k + 1", "k"))
        inner = f"for (int i = 0; i < {count}; i++) {{ {store} }}"
        middle = f"for (int j = {first}; j < {last}; j++) {inner}"
        return f"for (int k = 0; k < {self.random.choice(('3', '(n & 3)'))}; k++) {middle}"

    def loop(self) -> str:
        """A counted loop, or one that goes on as long as a condition holds."""
        kind = self.random.choice(("for", "for", "while", "do", "break"))
        if kind == "for":
            return f"for (int i = 0; i < n; i++) {{ {self.statements()} }}"
        index = self.index().replace("a", "i & 7")  # of a condition, which stands before `a`
        goes_on = self.random.choice(("x[i] != 7", "w[i] < 7", "s < 40", f"h[{index}] != 7"))
        count = f"int i = 0; {'if (n > 0) ' if kind == 'do' else ''}"
        if kind == "break":
            order = [self.statements(), f"if (!({goes_on})) break;"]
            self.random.shuffle(order)
            return f"for (int i = 0; i < n; i++) {{ {' '.join(order)} }}"
        body = f"{{ {self.statements()} i++; }}"
        if kind == "do":
            return f"{{ {count} do {body} while (i < n && {goes_on}); }}"
        return f"{{ {count} while (i < n && {goes_on}) {body} }}"

    def text(self) -> str:
        """The program."""
        loop = self.loop()
        if self.random.random() < 0.2:
            loop = f"for (int k = 0; k < 2; k++) {loop}"
        elif self.random.random() < 0.3:
            loop = self.random.choice((self.nest, self.rows))()
        arrays = f"const int x[{COUNT}], const int w[{COUNT}], int h[{PLACES}]"
        return f"int f({arrays}, int n) {{ int s = 0; {loop} return s; }}"


PERIODS: dict[Order, tuple[float, float]] = {
    "comparators": (12.0, 16.0), "queue": (20.0, 24.0), "accesses": (20.0, 24.0),
}  # fmt: skip
"""Clock periods that circuits with these units meet [ns]."""


def circuit(seed: int, order: Order = "comparators") -> Circuit:
    """The program of the seed, in this order of memory, at a random period and latency."""
    random = Random(seed)
    text = Grower(random).text()
    options = Options(
        memory_order="auto" if order == "accesses" else order,
        memories=(("h", random.choice(LATENCIES)),),
        order_depth=random.choice((None, None, 2, 3)),
        clock_period=random.choice((None, "default", *PERIODS[order])),
        style="dynamic",
    )
    source = read_program(Request(text, "k.c", options=options))
    if order == "accesses":
        words = random.choice(OF_ACCESSES)
        for access in source.walk():
            if isinstance(access, memref.LoadOp | memref.StoreOp):
                MEMORY_ORDER.put(access, random.choice(words))
    return compile_module(source, options=options)


def activations(seed: int) -> Sequence[Activation]:
    """No iteration, one, two, and all, over arrays of small numbers."""
    random = Random(seed)
    return [
        Activation(
            {
                "x": [random.randrange(most) for _ in range(COUNT)],
                "w": [random.randrange(most) for _ in range(COUNT)],
                "h": [random.randrange(PLACES) for _ in range(PLACES)],
                "n": n,
            }
        )
        for n, most in ((0, 8), (1, 8), (2, 2), (COUNT, 8), (COUNT, 2))
    ]


def count_units(found: Circuit, order: Order) -> int:
    """The comparators, or queues, of a circuit."""
    return sum(unit.operator.name in ORDERS[order] for unit in found.netlist.units)


def differences(seed: int, order: Order = "comparators") -> tuple[int, list[str]]:
    """How many units of the order there are, and where the circuit's run is not the program's."""
    found, given = circuit(seed, order), activations(seed)
    report = compare_models(found.source, "f", found.netlist, given, max_cycles=20_000)
    wrong = [*report.differences, *check_invariants(found.netlist).problems("k.c")]
    runs = list(run_timed(found.netlist, given))
    wrong = [*wrong, *[f"{len(runs)} activations end"] * (len(runs) < len(given))]
    for number, (run, outcome) in enumerate(zip(runs, report.outcomes, strict=False)):
        memories = {**given[number].inputs, **run.memories}  # of h: if the circuit has accesses
        memory = memories["h"] != [*outcome.memories["h"]]
        if memory or [*run.outputs["out0"]] != [*outcome.results] or run.errors or run.missing:
            wrong.append(f"activation {number}")
    return count_units(found, order), [str(each) for each in wrong]


def campaign(
    seeds: Iterable[int], order: Order = "comparators"
) -> Iterator[tuple[int, int, list[str]]]:
    """Each seed with its units of the order and what is wrong; LoomError is wrong too."""
    for seed in seeds:
        try:
            yield seed, *differences(seed, order)
        except LoomError as error:
            yield seed, 0, [str(error)]


def in_rtl(
    seeds: Iterable[int], order: Order = "comparators", size: int = 20
) -> Iterator[tuple[int, int, list[str]]]:
    """Those whose circuits have units of the order, in Verilator under three rates of stalls.

    Of each how many units it has and what is wrong; `size` circuits are in one build.
    """
    found = ((seed, circuit(seed, order)) for seed in seeds)
    compared = ((seed, made) for seed, made in found if count_units(made, order))
    while batch := [*islice(compared, size)]:
        pairs = [
            (Kernel(made.source, made.top, made.netlist, made.files()), [*activations(seed)])
            for seed, made in batch
        ]
        for (seed, made), finding in zip(batch, simulated(pairs, batch[0][0]), strict=True):
            yield seed, count_units(made, order), [finding.words] if finding else []


def main() -> int:
    """0 if every program of the campaign gives what it should."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.grow.random_comparisons", description=__doc__
    )
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--rtl", action="store_true", help="in Verilator, those with such units")
    parser.add_argument("--order", choices=[*ORDERS], default="comparators")
    given = parser.parse_args()
    failed = compared = 0
    run = in_rtl if given.rtl else campaign
    for seed, units, wrong in run(range(given.first, given.first + given.programs), given.order):
        compared += units > 0
        if wrong:
            failed += 1
            print(seed, *wrong[:3], Grower(Random(seed)).text(), sep="\n", flush=True)
    print(f"{given.programs} programs, {compared} with {given.order}, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
