"""``--dsp N``: multipliers share until they take N blocks; results, tokens and order stay right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.ir import Operation

from loom.analysis.balance.invariants import check_invariants
from loom.analysis.program.calls import top_of
from loom.dialects.ops.types import width_of
from loom.errors import LoomError
from loom.front.api import compile_request
from loom.front.circuit import Circuit
from loom.front.cli import main
from loom.front.request import Request
from loom.lower.dataflow import share_multipliers
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import random_activations, signature_of
from loom.model.comparison import ModelReport, compare_models
from loom.model.timed.simulate import run_timed
from tests.grow.random_products import random_products

CYCLES = 100_000
DEFAULT = Options()
LOOPS = """#include <stdint.h>
uint32_t kernel(uint32_t a[16], uint32_t b[16], uint8_t c[16], uint32_t x) {
  uint32_t s = 0;
  for (int i = 0; i < 16; i++) a[i] = b[i] * x;
  for (int i = 0; i < 16; i++) s += a[i] * b[i];
  for (int i = 0; i < 16; i++) c[i] = c[i] * c[i];
  return s * x;
}
"""
MIXED = """#include <stdint.h>
static uint32_t mix(uint32_t x, uint32_t y) {
  for (int k = 0; k < 5; k++) { x = x * y + (x >> 7 ^ k); y ^= x << (y & 31) | x >> 9; }
  return x;
}
uint32_t kernel(uint32_t a, uint32_t b) { return mix(mix(a, b) * b, a); }
"""
TWO_KINDS = """
func.func @kernel(%a: i32, %b: i32, %f: f32, %g: f32) -> (i32, i32, f32, f32) {
  %x = arith.muli %a, %b : i32
  %y = arith.muli %x, %b : i32
  %p = arith.mulf %f, %g : f32
  %q = arith.mulf %p, %g : f32
  return %x, %y, %p, %q : i32, i32, f32, f32
}
"""
EXTENDED = """
func.func @kernel(%a: i32, %b: i32) -> (i32, i32) {
  %low, %high = arith.mulsi_extended %a, %b : i32
  %less, %more = arith.mulsi_extended %high, %low : i32
  return %less, %more : i32, i32
}
"""


def compiled(text: str, dsp: int | None, choices: Options = DEFAULT) -> Circuit:
    """The circuit of a program that takes at most so many DSP blocks, with other choices."""
    file = "k.c" if "#include" in text else "k.mlir"
    return compile_request(Request(text, file, options=replace(choices, dsp=dsp)))


def blocks(circuit: Circuit) -> int:
    """The DSP blocks that the report of a circuit says."""
    return circuit.cost.counts[2]


def shares(circuit: Circuit) -> int:
    """How many shared circuits there are."""
    return sum(unit.operator.name == "handshake.share" for unit in circuit.netlist.units)


def given(circuit: Circuit, seed: int) -> list[Activation]:
    """Random arguments of two activations."""
    signature = signature_of(top_of(circuit.source), circuit.netlist.index_width)
    return random_activations(signature, seed, 2)


def compare(circuit: Circuit, seed: int) -> ModelReport:
    """Source and token model in two activations without a reset."""
    return compare_models(
        circuit.source, circuit.top, circuit.netlist, given(circuit, seed),
        max_cycles=CYCLES, seed=seed,
    )  # fmt: skip


def check(circuit: Circuit, seed: int) -> None:
    """Source, token model and timed model agree, and the balance of tokens is proved."""
    assert check_invariants(circuit.netlist).balance == "proved"
    report = compare(circuit, seed)
    assert report.differences == ()
    runs = run_timed(circuit.netlist, given(circuit, seed))
    for run, outcome in zip(runs, report.outcomes, strict=True):
        assert run.missing == ()
        values = (run.outputs[f"out{k}"][0] for k in range(len(outcome.results)))
        assert tuple(values) == outcome.results
        assert all(outcome.memories[name] == words for name, words in run.memories.items())


@pytest.mark.parametrize(
    ("limit", "found", "shared"), [(99, 11, 0), (11, 11, 0), (10, 8, 1), (6, 5, 1), (3, 3, 1)]
)
def test_multipliers_share_until_they_fit(limit: int, found: int, shared: int) -> None:
    """Three products of 32 bits and one of 17; nothing is shared beyond the limit."""
    circuit = compiled(LOOPS, limit)
    assert (blocks(circuit), shares(circuit)) == (found, shared)
    check(circuit, limit)


def test_nothing_changes_where_the_circuit_fits() -> None:
    """A limit that the circuit keeps without sharing changes no unit."""
    assert compiled(LOOPS, 11).files() == compiled(LOOPS, None).files()


def test_products_of_short_loops_share_first() -> None:
    """Of a long loop and two single products the latter are one multiplier."""
    text = LOOPS.replace("return s * x", "s = s * x; return s * x")
    circuit = compiled(text, 11)
    assert shares(circuit) == 1
    cycles = [run.cycles for run in run_timed(circuit.netlist, given(circuit, 1))]
    alone = compiled(text, None)
    assert cycles[0] <= run_timed(alone.netlist, given(alone, 1))[0].cycles + 8


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("seed", range(6))
def test_random_products_share(seed: int) -> None:
    """Products of several widths in loops and branches: half of the blocks, and the least."""
    text = random_products(seed)
    most = blocks(compiled(text, None))
    least = least_limit(text)
    assert least <= most
    for limit in {most // 2, least}:
        if limit >= least:
            circuit = compiled(text, limit, Options(clock_period=(None, 11.0, 14.0)[seed % 3]))
            assert blocks(circuit) <= limit
            check(circuit, seed)


def test_products_in_shared_loops_share() -> None:
    """A multiplier in a circuit that loops share serves products outside of it too."""
    circuit = compiled(MIXED, 3, Options(share="on", clock_period=None))
    assert shares(circuit) == 2
    check(circuit, 1)


def least_limit(text: str) -> int:
    """The least number of blocks that a refusal says is accepted, 0 without one."""
    try:
        compiled(text, 0)
    except LoomError as error:
        assert error.code == "LOWER_DSP"
        return int(error.accepted.split()[1])
    return 0


def test_units_of_two_kinds_and_of_two_results_share() -> None:
    """Floats share a multiplier of floats, both halves of a product one of two results."""
    circuit = compiled(TWO_KINDS, 7)
    assert (blocks(circuit), shares(circuit)) == (7, 2)
    check(circuit, 1)
    circuit = compiled(EXTENDED, 4)
    assert (blocks(circuit), shares(circuit)) == (4, 1)
    check(circuit, 1)


def test_a_limit_out_of_reach_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The message says what can be reached; nothing is written."""
    source = tmp_path / "k.c"
    source.write_text(LOOPS)
    assert main(["compile", str(source), "--dsp", "2", "-o", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.splitlines()[0] == (
        f"{source}:2:10: error[LOWER_DSP]: found a limit of 2 MULT18X18D, where one multiplier of"
        " each kind takes 3; LOOM accepts --dsp 3 or more"
    )
    assert not (tmp_path / "out").exists()
    assert main(["compile", str(source), "--dsp", "-1", "-o", str(tmp_path / "out")]) == 2
    assert "--dsp: error[CLI_VALUE]: found '-1'" in capsys.readouterr().err


def test_a_target_without_blocks_takes_none() -> None:
    """Multipliers of an iCE40 are LUTs: no limit changes them."""
    assert shares(compiled(LOOPS, 0, Options(target="ice40"))) == 0


def test_a_multiplier_that_is_too_narrow_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault: the narrowest multiplier serves all. The comparison with the source reports it."""
    monkeypatch.setattr(share_multipliers, "widest_of", lambda units, _: min(units, key=width))
    assert compare(compiled(LOOPS, 3), 1).differences


def test_a_count_that_misses_units_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault: products of 17 bits are not counted. The circuit then exceeds the limit."""
    count = share_multipliers.blocks_of

    def miss(operation: Operation, options: Options) -> float:
        found = count(operation, options)
        return 0 if found == 2 else found

    monkeypatch.setattr(share_multipliers, "blocks_of", miss)
    assert blocks(compiled(LOOPS, 9)) > 9


def width(unit: Operation) -> int:
    """The width of the result [bits]."""
    return width_of(unit.results[0].type, 64)
