"""Long runs of loops whose accesses collide, in Verilator under stalls: millions of accesses.

``python -m tests.grow.long_orders`` is a campaign: each unit that orders accesses, before memories
of several latencies, with addresses that are all one for a while, take turns, or come by chance.
Results, memories and token counts are those of the program, after a second activation too.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Literal

from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.front.api import compile_text
from loom.front.circuit import Circuit
from loom.lower.options import Options
from loom.model.bundles.activation import Activation

PLACES = 8
MEMORIES = ("ram", "ram,latency=3", "channel,latency=4")
STALLS = (0.0, 0.3)


@dataclass(frozen=True)
class Subject:
    """A loop's body with its accesses of `h`, and how they are ordered."""

    body: str
    accesses: int
    order: Literal["comparators", "queue"] = "comparators"


MANY = Subject("h[x[i]] += w[i]; h[y[i]] ^= i; h[x[i]] -= 3; h[y[i]] += 5;", 8)
"""More stores than one unit takes values of: loads wait."""
SUBJECTS: Mapping[str, Subject] = {
    "dataflow.disambiguate": MANY,
    "dataflow.forward_store": Subject("h[x[i]] += w[i];", 2),
    "dataflow.store_queue": MANY,
    "dataflow.forward_queue": Subject("h[x[i]] = h[y[i]] * 3 + w[i];", 2),
    "dataflow.forward_queue, two stores": Subject("h[x[i]] += w[i]; h[y[i]] ^= i;", 4),
    "dataflow.load_store_queue": Subject(
        "int t = h[x[i]]; h[x[i]] = h[y[i]]; h[y[i]] = t;", 4, "queue"
    ),
}
"""The loop of each unit, and of one with several stores."""


def circuit(subject: Subject, memory: str, count: int) -> Circuit:
    """The loop of `count` iterations, the array behind this memory."""
    arrays = f"const int x[{count}], const int y[{count}], const int w[{count}]"
    loop = f"for (int i = 0; i < {count}; i++) {{ {subject.body} }}"
    text = f"void f({arrays}, int h[{PLACES}]) {{ {loop} }}"
    options = Options(memory_order=subject.order, memories=(("h", memory),), clock_period=None)
    return compile_text(text, "k.c", options=options)


def addresses(random: Random, count: int) -> list[int]:
    """Some tens of iterations each of one address, of a few in turn, of any."""
    found: list[int] = []
    while len(found) < count:
        few = [random.randrange(PLACES) for _ in range(random.choice((1, 2, 2, 3, PLACES)))]
        in_turn = random.random() < 0.5
        found += [
            few[k % len(few)] if in_turn else random.choice(few)
            for k in range(random.randrange(2, 80))
        ]
    return found[:count]


def given(seed: int, count: int) -> list[Activation]:
    """Two activations, the second without reset."""
    random = Random(seed)
    return [
        Activation(
            {
                "x": addresses(random, count),
                "y": addresses(random, count),
                "w": [random.randrange(1 << 20) for _ in range(count)],
                "h": [random.randrange(1 << 20) for _ in range(PLACES)],
            }
        )
        for _ in range(2)
    ]


def kernel_of(name: str, memory: str, count: int) -> Kernel:
    """The circuit of a unit's loop, which has such a unit."""
    made = circuit(SUBJECTS[name], memory, count)
    unit = name.partition(",")[0]
    assert any(each.operator.name == unit for each in made.netlist.units), (name, memory)
    return Kernel(made.source, made.top, made.netlist, made.files())


def differences(kernel: Kernel, seed: int, count: int) -> list[str]:
    """What is wrong in two activations without stalls, and in two with."""
    wrong: list[str] = []
    for stalls in STALLS:
        options = SimOptions(stalls=stalls, shy=stalls > 0, seed=seed, max_cycles=200 * count)
        (report,) = cosimulate_kernels([kernel], [given(seed, count)], options)
        wrong += report.differences
    return wrong


def campaign(count: int, seed: int) -> Iterator[tuple[str, str, int, list[str]]]:
    """Each unit and memory with the accesses of all activations, and what is wrong."""
    for name, subject in SUBJECTS.items():
        for memory in MEMORIES:
            wrong = differences(kernel_of(name, memory, count), seed, count)
            yield name, memory, 2 * len(STALLS) * count * subject.accesses, wrong


def main() -> int:
    """0 if every run gives what the program gives."""
    parser = argparse.ArgumentParser(prog="python -m tests.grow.long_orders", description=__doc__)
    parser.add_argument("--iterations", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    total = failed = 0
    for name, memory, accesses, wrong in campaign(chosen.iterations, chosen.seed):
        total += accesses
        failed += bool(wrong)
        found = f"{name}, {memory}: {accesses:,} accesses, {len(wrong)} wrong"
        print(found, *wrong[:3], sep="\n", flush=True)
    print(f"{total:,} accesses, {failed} runs wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
