"""Elements that earlier iterations have loaded stay in registers, and nothing else changes."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from xdsl.dialects import memref, scf

from loom.front.api import compile_text
from loom.frontend.mlir.read import parse_module
from loom.lower.memory import reuse_loads as room
from loom.lower.memory.reuse_loads import reuse_loads
from loom.lower.options import Options
from loom.lower.scalar.simplify import simplify
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models

pytestmark = pytest.mark.usefixtures("no_clock_period")

SIZE = 64
HEAD = f"""func.func @f(%from: index, %to: index, %a: memref<{SIZE}xi32>, %b: memref<{SIZE}xi32>) {{
  %0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
"""


def loop(
    loads: Sequence[tuple[str, int, int]], stores: Sequence[tuple[str, int, int]] = (),
    bounds: str = "%from to %to step %c1",
) -> str:  # fmt: skip
    """A loop whose loads and stores are each of an array at a factor of `i` and an offset.

    Each store has the sum of all loads, weighted by their order.
    """
    lines: list[str] = []

    def place(factor: int, offset: int) -> str:
        n = len(lines)
        lines.extend((
            f"%f{n} = arith.constant {factor} : index", f"%p{n} = arith.muli %i, %f{n} : index",
            f"%o{n} = arith.constant {offset} : index",
            f"%q{n} = arith.addi %p{n}, %o{n} : index",
        ))  # fmt: skip
        return f"%q{n}"

    total = "%zero"
    lines.append("%zero = arith.constant 0 : i32")
    for k, (array, factor, offset) in enumerate(loads):
        lines.append(f"%v{k} = memref.load %{array}[{place(factor, offset)}] : memref<{SIZE}xi32>")
        lines.append(f"%w{k} = arith.constant {2 * k + 3} : i32")
        lines.append(f"%m{k} = arith.muli %v{k}, %w{k} : i32")
        lines.append(f"%s{k} = arith.addi {total}, %m{k} : i32")
        total = f"%s{k}"
    for array, factor, offset in stores:
        there = place(factor, offset)
        lines.append(f"memref.store {total}, %{array}[{there}] : memref<{SIZE}xi32>")
    return f"{HEAD}scf.for %i = {bounds} {{\n" + "\n".join(lines) + "\n}\nreturn\n}"


def at(*offsets: int, array: str = "a", factor: int = 1) -> list[tuple[str, int, int]]:
    """Accesses of one array at these offsets."""
    return [(array, factor, offset) for offset in offsets]


OUT = at(0, array="b")
REUSED: dict[str, tuple[str, int, int]] = {
    "three neighbours": (loop(at(9, 10, 11), OUT), 1, 2),
    "whatever their order": (loop(at(10, 11, 9), OUT), 1, 2),
    "on both sides of a gap": (loop(at(9, 10, 12, 13), OUT), 2, 2),
    "by an index that falls": (loop(at(40, 41, 42, factor=-1), OUT), 1, 2),
    "two iterations of two": (loop(at(9, 11, 13, factor=2), OUT), 1, 2),
    "each of what is even and odd": (loop(at(9, 10, 11, 12, factor=2), OUT), 2, 2),
    "two groups far apart": (loop(at(2, 3, 20, 21), OUT), 2, 2),
    "of the array that is read most": (loop([*at(9, 10), *at(50, array="b")], OUT), 2, 1),
    "three iterations of four loads": (loop(at(9, 10, 11, 12), OUT, "%0 to %c3 step %c1"), 1, 3),
    "in a loop that runs": (loop(at(9, 10), OUT, "%c1 to %c9 step %c1"), 1, 1),
    "where another element is stored": (loop(at(9, 11, factor=2), at(8, factor=2)), 1, 1),
}  # fmt: skip
"""Programs, the loads that are left in the loop, and those before it."""
KEPT: dict[str, str] = {
    "a store may write over it": loop(at(9, 10, 11), at(10)),
    "another array is read as often": loop([*at(9, 10), *at(1, 40, array="b")]),
    "a store may write over it in some iteration": loop(at(9, 10, 11), at(5, factor=2)),
    "with a gap": loop(at(9, 11), OUT),
    "three iterations of two loads": loop(at(9, 10), OUT, "%0 to %c3 step %c1"),
    "what lies between is not loaded": loop(at(9, 10, factor=2), OUT),
}


def rewritten(text: str, order: str = "auto") -> tuple[int, int, str]:
    """The loads in the loop, all others, and the program."""
    options = Options(memory_order="serial" if order == "serial" else "auto")
    module = parse_module(text, "k.mlir")
    reuse_loads(module, options)
    simplify(module, options)
    loads = [op for op in module.walk() if isinstance(op, memref.LoadOp)]
    inside = sum(is_in_loop(load) for load in loads)
    return inside, len(loads) - inside, str(module)


def is_in_loop(load: memref.LoadOp) -> bool:
    holder = load.parent_op()
    while holder is not None and not isinstance(holder, scf.ForOp):
        holder = holder.parent_op()
    return holder is not None


@pytest.mark.parametrize(("text", "inside", "before"), REUSED.values(), ids=REUSED)
def test_only_the_newest_is_loaded(text: str, inside: int, before: int) -> None:
    assert rewritten(text)[:2] == (inside, before)


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_loads_stay(text: str) -> None:
    module = parse_module(text, "k.mlir")
    known = str(module)
    reuse_loads(module, Options())
    assert str(module) == known


@pytest.mark.parametrize("text", [text for text, _, _ in REUSED.values()], ids=REUSED)
def test_with_a_serial_order_every_load_stays(text: str) -> None:
    assert rewritten(text, "serial")[:2] == (text.count("memref.load"), 0)


def differences(text: str) -> list[str]:
    """What the token model does otherwise than the program, for 0, 1, 2 and more iterations."""
    circuit = compile_text(text, "k.mlir", options=Options())
    contents = {"a": [k * k + 1 for k in range(SIZE)], "b": [7 * k for k in range(SIZE)]}
    given = [
        Activation({"from": 1, "to": 1 + trips, **contents}) for trips in (0, 1, 2, 3, 4, 9, 0, 5)
    ]
    return [
        difference
        for seed in (None, 1)
        for difference in compare_models(
            circuit.source, "f", circuit.netlist, given, max_cycles=2000, seed=seed
        ).differences
    ]


@pytest.mark.parametrize("text", [text for text, _, _ in REUSED.values()], ids=REUSED)
def test_memories_are_the_program_s(text: str) -> None:
    assert differences(text) == []


def draw(seed: int) -> str:
    """Loads and stores near each other, with one factor most often."""
    dice = random.Random(seed)
    step = dice.choice((1, 1, 2))
    factor = dice.choice((1, 1, 2, -1))

    def access(array: str) -> tuple[str, int, int]:
        own = factor if dice.random() < 0.9 else 1
        return array, own, dice.randrange(16, 22) + (20 if own < 0 else 0)

    loads = [access(dice.choice("aaab")) for _ in range(dice.randint(2, 6))]
    stores = [access(dice.choice("abb")) for _ in range(dice.randint(0, 2))] or OUT
    return loop(loads, stores, f"%from to %to step %c{step}")


DRAWN = range(60)


@pytest.mark.usefixtures("deep_on_sources")
def test_drawn_loops_are_the_program_s() -> None:
    texts = {seed: draw(seed) for seed in DRAWN}
    assert sum(rewritten(t)[0] < t.count("memref.load") for t in texts.values()) > len(DRAWN) // 5
    assert {seed: found for seed, t in texts.items() if (found := differences(t))} == {}


def test_a_store_that_is_not_seen_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: registers keep what a store has written over."""
    monkeypatch.setattr(room, "conflicts_with_any", lambda *_: False)
    assert differences(KEPT["a store may write over it in some iteration"]) != []
    assert any(differences(draw(seed)) for seed in DRAWN)


def test_an_element_of_another_iteration_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: the registers start with each other's elements."""
    monkeypatch.setattr(room, "older", lambda reused: reused.loads[:0:-1])
    assert differences(REUSED["three neighbours"][0]) != []


LONGEST = """func.func @f() {
  %least = arith.constant -9223372036854775808 : i64
  %most = arith.constant 9223372036854775807 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %least to %most step %c1 : i64 {
  }
  return
}"""


def test_a_loop_may_run_for_longer_than_any_sequence_of_python() -> None:
    rewritten = parse_module(LONGEST)
    reuse_loads(rewritten, Options())
    assert "scf.for" in str(rewritten)
