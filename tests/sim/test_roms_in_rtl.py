"""Constant globals as ROMs: source reference = token model = RTL, at the cycles predicted."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.front.api import Circuit, compile_text
from loom.lower.options import Options
from loom.model.bundles.activation import Activation

ELEMENTS = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3)
TABLE = """memref.global constant @t : memref<10xi16> = dense<[3, 1, 4, 1, 5, 9, 2, 6, 5, 3]>
func.func @NAME(%a: memref<16xi16>, %n: index) -> i16 {
  %t = memref.get_global @t : memref<10xi16>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i16
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> i16 {
    %q = memref.load %a[%i] : memref<16xi16>
    %j = arith.index_castui %q : i16 to index
    %v = memref.load %t[%j] : memref<10xi16>
    %w = memref.load %t[%v_at] : memref<10xi16>
    %x = arith.addi %v, %w : i16
    memref.store %x, %a[%i] : memref<16xi16>
    %u = arith.addi %s, %x : i16
    scf.yield %u : i16
  }
  return %r : i16
}""".replace("%w = memref", "%v_at = arith.index_castui %v : i16 to index\n    %w = memref")
WAYS: dict[str, Options] = {
    "plain": Options(),
    "slow": Options(latencies=(("memory", 2),)),
    "twice": Options(ports=(("t", 2),)),
    "banks": Options(partitions=(("t", "cyclic:2"),)),
    "words": Options(partitions=(("t", "complete"),)),
}


def circuit_of(way: str, text: str = TABLE) -> Circuit:
    """The circuit of a program whose function is called like the way it is compiled."""
    return compile_text(text.replace("@NAME", f"@{way}"), f"{way}.mlir", options=WAYS[way])


@pytest.mark.parametrize("way", WAYS)
def test_a_constant_global_has_no_write_port_and_no_reset(way: str) -> None:
    circuit = circuit_of(way)
    (table,) = (memory for memory in circuit.netlist.memories if memory.name == "t")
    assert table.kind.name == "rom" and tuple(table.contents or ()) == ELEMENTS
    texts = {k: v for k, v in circuit.files().items() if re.search(r"loom_(rom|word)\w*_t\b", k)}
    texts |= {k: v for k, v in circuit.files().items() if re.search(r"loom_(rom|word)\w*_t_b", k)}
    storage = {k: v for k, v in texts.items() if "_loads_" not in k}
    assert storage
    for text in storage.values():
        code = "\n".join(line.partition("//")[0] for line in text.splitlines())
        assert not re.search(r"wr_|rst_ni", code)
    assert not [name for name in circuit.files() if "loom_ram" in name]


def latencies(**options: int) -> set[int]:
    """The latencies of the table with these options [cycles]."""
    said = Options(latencies=tuple(options.items()))
    netlist = compile_text(TABLE.replace("@NAME", "@f"), "k.mlir", options=said).netlist
    shapes = netlist.shape_by_unit
    tables = [unit for unit in netlist.units if unit.attributes.get("memory") == "t"]
    return {unit.operator.hardware.latency_of(shapes[unit.name]) for unit in tables}


def test_the_latency_of_memories_is_that_of_tables_but_where_they_have_their_own() -> None:
    assert latencies() == {1}
    assert latencies(memory=2) == latencies(rom=2) == {2}
    assert latencies(memory=2, rom=1) == latencies(rom=1, memory=2) == {1}


def test_a_global_that_may_be_written_stays_a_ram() -> None:
    circuit = circuit_of("plain", TABLE.replace("constant @t", "@t"))
    assert [m.kind.name for m in circuit.netlist.memories if m.name == "t"] == ["internal"]
    assert "rtl/loom_ram_plain_t.sv" in circuit.files()


def given() -> Sequence[Activation]:
    """Several activations without a reset between; the last asks outside the table."""
    dice = random.Random(7)
    return [
        Activation({"a": [dice.randrange(10) for _ in range(16)], "n": n}) for n in (1, 16, 5, 16)
    ]


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_roms_in_all_three_ways() -> None:
    kernels = [
        Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files())
        for circuit in map(circuit_of, WAYS)
    ]
    for stalls in (0.0, 0.4):
        options = SimOptions(stalls=stalls)
        for report in cosimulate_kernels(kernels, [given()] * len(kernels), options):
            assert report.match, (report.kernel.top, report.differences[:3])
            assert all(run.residual == () for run in report.rtl.runs)
            if not stalls:
                assert [run.cycles for run in report.rtl.runs] == report.predicted
