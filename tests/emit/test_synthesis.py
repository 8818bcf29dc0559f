"""Products become multipliers and memories become RAMs on three FPGA families, by count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loom_sim.placement.synthesis_tools import ToolFailed

from loom.netlist.checks import problems
from loom.netlist.netlist import Netlist
from tests.support.deep import UNIT_INPUTS, Deep
from tests.support.netlists import NetlistBuilder
from tools.library import synthesis_record as record
from tools.library.synthesis import (
    ECP5,
    FAMILIES,
    ICE40,
    XILINX7,
    Cells,
    Family,
    cells_of,
    of_netlist,
)

MAPPED = {
    ECP5: (3, {"DP16KD": 2}),
    ICE40: (3, {"SB_RAM40_4K": 8}),
    XILINX7: (3, {"RAMB36E1": 1}),
}
"""Multipliers and block RAMs of `products`: the lower half of a product of 32 bits needs no product
of the two upper halves, and 1024 words of 32 bits are two of 18 kbit, eight of 4 or one of 36."""


def products() -> Netlist:
    """A circuit that stores what its inputs make: a fork, a product of 32 bits, a RAM."""
    made = NetlistBuilder("products")
    made.memory("words", "i32", 1024, "internal")
    copy = made.port("output", "copy", "i32")
    made.fork("twice", made.port("input", "x", "i32"), ("product.lhs", copy), "i32")
    made.connect(made.port("input", "y", "i32"), "product.rhs", "i32")
    made.unit("product", "arith.muli")
    made.unit("ram", "handshake.memory", memory="words", stores=1, loads=1)
    made.connect("product.result", "ram.st_data0", "i32")
    for name in ("st_address0", "ld_address0"):
        made.connect(made.port("input", name, "i10"), f"ram.{name}", "i10")
    made.connect("ram.ld_data0", made.port("output", "word", "i32"), "i32")
    for name in ("st_done0", "ld_done0"):
        made.connect(f"ram.{name}", made.port("output", name, "none"), "none")
    return made.build()


@pytest.mark.sim
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_product_and_a_memory_are_mapped(family: Family, deep: Deep) -> None:
    deep(*UNIT_INPUTS, "tools/library", "sim/loom_sim/placement")
    netlist = products()
    assert not problems(netlist, "products")
    found = of_netlist(netlist, family)
    assert (found.multipliers, dict(found.rams)) == MAPPED[family]
    assert 0 < found.luts < 500 and 0 < found.flip_flops < 500


def test_cells_are_counted_by_sort() -> None:
    ecp5 = {"LUT4": 5, "CCU2C": 2, "PFUMX": 3, "TRELLIS_FF": 4, "MULT18X18D": 1, "DP16KD": 2}
    assert cells_of(ecp5, ECP5) == Cells(9, 4, 1, {"DP16KD": 2})
    ice40 = {"SB_LUT4": 5, "SB_CARRY": 2, "SB_DFFESR": 3, "SB_DFF": 4, "SB_RAM40_4K": 2}
    assert cells_of(ice40, ICE40) == Cells(5, 7, 0, {"SB_RAM40_4K": 2})
    xilinx = {"LUT6": 5, "LUT2": 1, "CARRY4": 2, "FDRE": 3, "RAM32M": 1, "DSP48E1": 2,
              "RAMB18E1": 1, "RAMB36E1": 2}  # fmt: skip
    assert cells_of(xilinx, XILINX7) == Cells(7, 3, 2, {"RAMB18E1": 1, "RAMB36E1": 2})


def test_the_record_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows whose text is new are run, the others kept; a tool that fails leaves its reason."""
    add = "func.func @add(%a: i8, %b: i8) -> i8 {\n%r = arith.addi %a, %b : i8\nreturn %r : i8\n}"
    for name in ("add", "fir"):
        (tmp_path / f"{name}.mlir").write_text(add.replace("@add", f"@{name}"))
    (placed_first, known) = record.examples(tmp_path)
    assert (placed_first.title, known.title) == ("fir", "add")
    kept = {"digest": known.digest, "ECP5": {"failed": "kept"}}
    file = tmp_path / "record.json"
    file.write_text(json.dumps({"examples": {"add": kept, "gone": {}}, "units": {}}))
    monkeypatch.setattr(record, "FILE", file)
    monkeypatch.setattr(record, "units", lambda: iter(()))
    calls: list[str] = []

    def synthesize(netlist: Netlist, family: Family) -> Cells:
        calls.append(f"{netlist.name} {family.name}")
        if family is ICE40:
            raise ToolFailed("yosys: no room")
        return Cells(50, 4, 2, {"RAMB18E1": 1, "RAMB36E1": 2})

    monkeypatch.setattr(record, "of_netlist", synthesize)
    placed = {"estimate": {"luts": 60, "flip_flops": 3, "period": 6.0}, "period": 4.0}
    monkeypatch.setattr(record, "placed", lambda _: placed)
    told: list[str] = []
    record.update(tmp_path, told.append)
    assert calls == ["fir ECP5", "fir iCE40", "fir Xilinx 7"] and len(told) == 1
    found = record.read()["examples"]
    assert found.keys() == {"add", "fir"} and found["add"] == kept
    assert list(record.table({"fir": found["fir"]}))[-1] == (
        "| fir | 50 / 4 / 2 / 2.5 | yosys: no room | 50 / 4 / 2 / 2.5 |"
    )
    assert list(record.comparison(found))[-1] == (
        "| fir | 60 / 50 | 1.20 | 3 / 4 | 0.75 | 6 / 4 | 1.50 |"
    )
    record.update(tmp_path, told.append)
    assert len(told) == 1
