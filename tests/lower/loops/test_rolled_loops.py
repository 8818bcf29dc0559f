"""Loops alike that follow each other become the iterations of one, where no time is lost."""

from __future__ import annotations

from random import Random
from typing import Literal

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation

from loom.analysis.balance.invariants import check_invariants
from loom.dialects.facts.places import place_of
from loom.front.api import compile_request, read_program
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.lower.options import Options
from loom.lower.pipeline import PASSES
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed
from tests.grow.random_rows import random_rows

Share = Literal["auto", "on", "off"]
WORD = 1 << 32
CYCLES = 100_000
FOR = "for (int i = 0; i < n; i++)"


def kernel(*statements: str) -> str:
    """A C kernel with arrays a and b, a variable s that it returns, and a bound n."""
    lines = "\n".join(f"  {each}" for each in statements)
    return f"int k(int a[16], int b[16], int n) {{\n  int s = 1;\n{lines}\n  return s;\n}}\n"


def row(*constants: object, body: str = "a[i] += {0};", loop: str = FOR) -> str:
    """A kernel of one loop for each constant."""
    return kernel(*(f"{loop} {{ {body.format(each)} }}" for each in constants))


ROLLED = {
    "identical": row("", "", body="a[i] += i;"),
    "an arithmetic sequence": row(*range(5)),
    "a sequence that falls": row(9, 7, 5, 3, 1, -1),
    "two constants": row(700, 11),
    "a table": row(5, -3, 90, 7),
    "branches": row(*range(3), body="if (a[i] > {0}) a[i] = a[i] * 3 + {0}; else b[i] = {0};"),
    "a carried sum": row(*range(3), body="s += a[i] * ({0} + 3);"),
    "a carried sum and a store": row(3, 3, 3, body="s ^= a[i]; a[i] += {0};"),
    "a product": row(*range(3, 8), body="a[i] = a[i] * {0};"),
    "a read-only address": row(*range(3), body="a[i] += b[(i + {0}) & 15];"),
    "nests": row(*range(3), body="for (int j = 0; j < 4; j++) a[i & 3] += j + {0};"),
    "whiles": kernel(*(
        f"{{ int i = 0; while (i < n && a[i & 15] > {k}) {{ a[i & 15] -= 1; i++; }} }}"
        for k in range(3)
    )),
    "in a loop": kernel(
        "for (int t = 0; t < 3; t++) {", *[f"{FOR} a[i] += {k};" for k in range(3)], "}"
    ),
    "a value made between": kernel(
        *(f"int m{k} = n * 5 + 1; {FOR} a[i] += m{k};" for k in range(3))
    ),
    "the last one's result": kernel(
        *(f"s = 0; {FOR} {{ s += a[i]; a[i] += {k}; }}" for k in range(3))
    ),
    "floats": row(0.3, 0.7, 0.9, body="a[i] = (int)((float)a[i] * {0}f);"),
    "two rows": kernel(
        *(f"{FOR} a[i] += {k};" for k in range(3)), *(f"{FOR} b[i] ^= {k};" for k in range(3))
    ),
}  # fmt: skip
"""Rows that `--share auto` rolls."""
APART = {
    "other operations": kernel(f"{FOR} a[i] += 1;", f"{FOR} a[i] -= 1;"),
    "an access between": kernel(f"{FOR} a[i] += 1;", "a[0] = 5;", f"{FOR} a[i] += 2;"),
    "other arrays": kernel(f"{FOR} a[i] += 1;", f"{FOR} b[i] += 1;"),
    "other values from outside": kernel(f"{FOR} a[i] += n;", f"{FOR} a[i] += s;"),
    "other steps": kernel(*(f"for (int i = 0; i < 16; i += {k}) a[i] += 1;" for k in (1, 2))),
    "other directives": kernel(f"#pragma loom unroll(2)\n{FOR} a[i] += 1;",
                               f"{FOR} a[i] += 1;"),
    "unrolled": kernel(*[f"#pragma loom unroll(2)\n{FOR} a[i] += 1;"] * 2),
    "a result used elsewhere": kernel(
        f"int t = 0; {FOR} {{ t += a[i]; a[i] += 1; }}",
        f"int u = 0; {FOR} {{ u += a[i]; a[i] += 1; }}", "s = t * u;"
    ),
    "loops that overlap": kernel(
        f"int t = 0; {FOR} t += a[i] * 3;", f"int u = 0; {FOR} u += a[i] * 3;", "s = t + u;"
    ),
    "a result that is not used": kernel(*[f"s = 0; {FOR} s += a[i] * 3;"] * 2),
}  # fmt: skip
"""Loops in a row that stay whatever is wanted."""
SLOWER = {
    "an address of what is written": row(*range(3), body="a[(i + {0}) & 15] = b[i] + a[i];"),
    "a product in a recurrence": row(*range(3, 6), body="s = s * {0} + a[i];"),
    "a product in a recurrence by memory": row(*range(3, 6), body="a[(i+1)&15] += a[i] * {0};"),
    "a product in a condition": row(
        *range(3, 6), body="int j = 0; while (a[j] * {0} < 99 & j < 9) {{ a[j] += 60; j++; }}"
    ),
    "a divider": row(*range(3, 33), body="a[i] = a[i] / {0};"),
    "a bound": row(*range(3, 6), body="for (int j = 0; j < (n & {0}); j++) a[i] += j;"),
    "other bounds": kernel(*(f"for (int i = 0; i < {k}; i++) a[i] += 1;" for k in (8, 12, 14))),
    "two products one after the other": row(*range(3), body="a[i] = (a[i] * {0} + 1) * ({0} + 7);"),
    "few iterations": row(1, 2, loop="for (int i = 0; i < 3; i++)"),
    "what the loop around overlaps": kernel(
        "for (int t = 0; t < 4; t++) { s = 0;",
        *(f"for (int i = 0; i < 4; i++) s += b[t * 4 + i] * {k};" for k in (3, 4, 5)),
        "a[t] = s; }",
    ),
    "inner loops without accesses that conflict": row(
        *range(3), body="int x = 0; for (int j = 0; j < 16; j++) x += b[j] ^ {0}; a[i] += x;"
    ),
}
"""Rows that `--share on` alone rolls: they would take more cycles."""


def rolled(
    text: str, share: Share = "auto", *, unroll_below: int = 0, index_width: int = 64
) -> list[int]:
    """The trip counts of the outer loops that the pass makes of a program's rows."""
    wanted = Options(share=share, unroll_below=unroll_below, index_width=index_width)
    module = read_program(Request(text, "k.c", options=wanted))
    for step in PASSES:
        step.rewrite(module, wanted)
        if step.name == "roll-loops":
            return trips_of(module)
    raise AssertionError("a pass rolls loops")


def trips_of(module: ModuleOp) -> list[int]:
    """The trip counts of loops whose places have no column."""
    return [trips(op) for op in module.walk() if isinstance(op, scf.ForOp) and is_outer(op)]


def is_outer(op: Operation) -> bool:
    place = place_of(op)
    return place.line > 0 and place.column == 0


def trips(op: scf.ForOp) -> int:
    owner = op.ub.owner
    assert isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr)
    return int(owner.value.value.data)


@pytest.mark.parametrize("name", ROLLED)
def test_loops_alike_become_iterations_of_one(name: str) -> None:
    """By default, and not with ``--share off``."""
    loops = ROLLED[name].count("n; i++") or 3
    expected = {"two rows": [3, 3], "whiles": [3]}.get(name, [loops])
    assert rolled(ROLLED[name]) == expected
    assert rolled(ROLLED[name], "off") == []


@pytest.mark.parametrize("name", APART)
def test_other_loops_stay(name: str) -> None:
    for share in ("auto", "on"):
        assert rolled(APART[name], share) == []


@pytest.mark.parametrize("name", SLOWER)
def test_rows_that_would_take_more_cycles_stay(name: str) -> None:
    assert rolled(SLOWER[name]) == []
    assert len(rolled(SLOWER[name], "on")) == 1


def test_small_rows_stay() -> None:
    """What makes the constants must be smaller than what is saved."""
    several = "a[i] = {0};"
    large = " ".join(f"b[{k}] = {{{k}}};" for k in range(8))
    rng = Random(1)
    loops = [[rng.randrange(WORD >> 1) for _ in range(8)] for _ in range(2)]
    assert rolled(row(1, 2, body=several), "on") == [2]
    text = kernel(*(f"{FOR} {{ {large.format(*each)} }}" for each in loops))
    assert rolled(text, "on") == []


def test_short_loops_are_unrolled() -> None:
    """Not rolled, where ``--unroll-below`` asks for them as iterations side by side."""
    text = row(1, 2, 3, loop="for (int i = 0; i < 16; i++)")
    assert rolled(text, unroll_below=16) == []
    assert rolled(text, unroll_below=15) == [3]


def test_only_the_program_s_rows_are_rolled() -> None:
    """Copies that unrolling makes of a loop stay copies."""
    inner = f"{FOR} a[i] += t;"
    text = kernel("#pragma loom unroll", f"for (int t = 0; t < 4; t++) {inner}")
    assert rolled(text, "on") == []


def compiled(text: str, share: Share, period: float | Literal["default"] | None) -> Circuit:
    """The circuit of a program."""
    options = Options(share=share, clock_period=period)
    return compile_request(Request(text, "k.c", options=options))


def activations(seed: int) -> list[Activation]:
    """Arguments with 0, 1, 2 and many iterations, and again."""
    rng = Random(seed)
    return [
        Activation(
            {"a": [rng.randrange(-99, 99) % WORD for _ in range(16)],
             "b": [rng.randrange(WORD) for _ in range(16)], "n": n}
        )
        for n in (0, 1, 2, 16, 5)
    ]  # fmt: skip


def check(text: str, share: Share, period: float | Literal["default"] | None, seed: int) -> Circuit:
    """Source, token model and timed model agree on five activations without a reset."""
    circuit = compiled(text, share, period)
    assert check_invariants(circuit.netlist).balance == "proved"
    given = activations(seed)
    report = compare_models(
        circuit.source, circuit.top, circuit.netlist, given, max_cycles=CYCLES, seed=seed
    )
    assert report.differences == ()
    for run, outcome in zip(run_timed(circuit.netlist, given), report.outcomes, strict=True):
        assert run.missing == ()
        assert tuple(v[0] for k, v in run.outputs.items() if k != "done") == outcome.results
        assert all(outcome.memories[name] == words for name, words in run.memories.items())
    return circuit


@pytest.mark.parametrize("name", ROLLED)
def test_rolled_loops_do_what_the_row_does(name: str) -> None:
    check(ROLLED[name], "auto", None, 1)


@pytest.mark.parametrize("name", SLOWER)
def test_slower_rows_do_what_the_row_does(name: str) -> None:
    check(SLOWER[name], "on", None, 2)


@pytest.mark.parametrize("name", ["a table", "whiles", "a carried sum and a store"])
def test_rolled_loops_reach_a_period(name: str) -> None:
    check(ROLLED[name], "auto", "default", 3)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("seed", range(6))
def test_random_rows_do_what_they_do_apart(seed: int) -> None:
    text = random_rows(seed)
    assert rolled(text, "on")
    check(text, "on" if seed % 2 else "auto", None, seed)


@pytest.mark.parametrize("name", ["an arithmetic sequence", "a table", "a product"])
def test_a_row_takes_no_more_cycles_than_before(name: str) -> None:
    """But for those in which the outer loop starts, and two a loop of a multiplier."""
    given, late = activations(4), 10 if name == "a product" else 0
    one, row_ = (
        [run.cycles for run in run_timed(compiled(ROLLED[name], share, None).netlist, given)]
        for share in ("auto", "off")
    )
    assert all(cycles <= before + 5 + late for cycles, before in zip(one, row_, strict=True))


def test_loops_after_each_other_take_the_area_of_one() -> None:
    """A loop more costs no LUT to speak of."""
    costs = [
        cost.area.luts
        for count in (3, 30)
        if (cost := compiled(row(*range(count)), "auto", None).cost) is not None
    ]
    assert costs[1] < 1.1 * costs[0]


def test_the_trip_counts_of_other_loops_are_still_compared() -> None:
    """Those in a rolled row are no more the program's: they are those of the whole row."""
    rows = row(*range(3), body="for (int j = 0; j < 4; j++) a[i & 3] += j + {0};")
    text = rows.replace("  return", "  for (int i = 0; i < 4; i++) b[i] = 0;\n  return")
    other = text.replace("i < 4", "i < 5")
    circuit = compiled(text, "auto", None)
    assert circuit.source is not None
    for written, wrong in ((text, 0), (other, 5)):
        source = read_program(Request(written, "k.c"))
        report = compare_models(
            source, circuit.top, circuit.netlist, activations(5), max_cycles=CYCLES
        )
        found = [each for each in report.differences if "has 4 iterations, the program's 5" in each]
        assert len(found) == wrong


def test_an_outer_loop_has_a_line_and_no_column() -> None:
    """In a report it stands above the loop that it is around, whose place is its own."""
    circuit = compiled(row(*range(3)), "auto", None)
    places = {u.place for u in circuit.netlist.units if u.operator.name == "dataflow.stream"}
    assert sorted((p.line, p.column) for p in places if p is not None) == [(3, 0), (3, 3)]


def test_more_loops_than_an_index_counts_stay() -> None:
    text = row(*(k * k % 7 for k in range(130)), loop="for (int i = 0; i < 4; i++)")
    assert rolled(text, index_width=9) == [130]
    assert rolled(text, index_width=8) == []
