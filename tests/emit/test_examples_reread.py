"""pyverilog reads back from every example's top what its netlist says."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.lower.options import Options
from tests.support.compiled import compile_example
from tests.support.folders import EXAMPLES
from tests.support.reread import differences

KERNELS = sorted(EXAMPLES.glob("*.mlir"))


@pytest.mark.parametrize("file", KERNELS, ids=lambda file: file.stem)
def test_top_is_the_netlist(file: Path) -> None:
    """Without a clock period, whose buffers take the longest to find."""
    circuit = compile_example(file, Options(clock_period=None))
    top = circuit.files()[f"rtl/{circuit.netlist.name}.sv"]
    assert differences(circuit.netlist, top) == []
    assert differences(circuit.netlist, top.replace("_valid_i(", "_ready_i(", 1)) != []
