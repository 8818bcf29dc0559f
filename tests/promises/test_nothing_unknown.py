"""With X in every register and RAM at power-up nothing unknown matters once the reset has ended.

Icarus has four states, so a register that is not reset and a RAM that is not written are X there.
Inputs are X too: all of them before and during a reset, data where there is no token, and read data
of outside memories in every cycle but the one behind an enabled read. No valid, ready, enable or
error code may be X after one clock edge in reset; tokens and elements are those of the program, at
power-up and after a reset in the middle of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from loom_sim.kernel import Kernel

import loom
from tests.promises.four_state import NEEDS_ICARUS, compile_bench, differences, simulate
from tests.promises.held_starts import (
    FILES,
    HALVE,
    TEXTS,
    Held,
    hold_example,
    hold_text,
)
from tests.support.planted_faults import Fault

pytestmark = NEEDS_ICARUS

RUNS: Mapping[str, Mapping[str, int]] = {
    "from power-up": {},
    "stalls": {"stall": 100, "seed": 3},
    "reset": {"reset_at": 30},
    "reset under stalls": {"reset_at": 17, "stall": 90, "seed": 9},
}
FAULTS: Mapping[str, tuple[Fault, str, str]] = {
    "a counter that is not reset": (
        Fault(
            "rtl/loom_memory_done.sv",
            {"if (!rst_ni) begin : state_reset": "if (!rst_ni && 1'b0) begin : state_reset"},
        ),
        "from power-up",
        "channel extmemory_m_st_done0, cycle 1",
    ),
    "read data that are taken a cycle late": (
        Fault(
            "rtl/loom_memory_held.sv",
            {
                "  assign data_data_o = word_i;\n": (
                    "  logic [T_WIDTH-1:0] late_q;\n"
                    "  always_ff @(posedge clk_i) late_q <= word_i;\n"
                    "  assign data_data_o = late_q;\n"
                ),
            },
        ),
        "from power-up",
        "output out0, cycle 3",
    ),
    "a load that survives a reset": (
        Fault(
            "rtl/loom_memory_held.sv",
            {"if (!rst_ni) held_q <= 1'b0;": "if (!rst_ni) held_q <= grant_i;"},
        ),
        "reset",
        "channel extmemory_m_ld_data0, cycle 1",
    ),
    "a store in a reset": (
        Fault(
            "rtl/loom_extmemory_1_stores_1_loads.sv",
            {"(|st_grant) & rst_ni & ": "(|st_grant) & "},
        ),
        "from power-up",
        "write to m, cycle 0",
    ),
}
"""A fault in the circuit of `HALVE`, the run that finds it, and what that says first of X."""
UNWRITTEN = """
func.func @unwritten(%i: index, %j: index, %v: i32) -> i32 {
  %m = memref.alloc() : memref<4xi32>
  memref.store %v, %m[%j] : memref<4xi32>
  %x = memref.load %m[%i] : memref<4xi32>
  return %x : i32
}
"""
"""Reads another element of a local array than it writes; some activation may have written it."""


@pytest.mark.parametrize("name", (*FILES, *TEXTS), ids=lambda name: name.split("(")[0].split()[-1])
def test_the_outputs_are_known_and_right(name: str, tmp_path: Path) -> None:
    held = hold_text(name) if name in TEXTS else hold_example(name)
    image = compile_bench(held, tmp_path)
    found = {run: [*differences(held, simulate(image, **given))] for run, given in RUNS.items()}
    assert found == {run: [] for run in RUNS}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_reported(name: str, tmp_path: Path) -> None:
    fault, run, said = FAULTS[name]
    held = planted(hold_text(HALVE), fault)
    found = simulate(compile_bench(held, tmp_path), **RUNS[run])
    assert found.unknown[0] == said and said in differences(held, found)


@pytest.mark.parametrize("reset_at, first", ((0, None), (60, 8)), ids=("power-up", "reset"))
def test_an_element_that_nothing_wrote_is_unknown(
    reset_at: int, first: int | None, tmp_path: Path
) -> None:
    """The result alone is; the third activation reads what the first wrote.

    After a reset the first one reads what the second one wrote before it.
    """
    made = loom.compile_text(UNWRITTEN)
    kernel = Kernel(made.source, made.top, made.netlist, made.files())
    inputs = {"i": [1, 2, 3], "j": [3, 1, 0], "v": [7, 8, 9], "start": [0, 0, 0]}
    image = compile_bench(Held(kernel, inputs, {}, {}, {}, {}), tmp_path)
    found = simulate(image, reset_at=reset_at)
    assert found.outputs == {"out0": [first, None, 7], "done": [0, 0, 0]}
    assert {text.partition(",")[0] for text in found.unknown} == {"output out0"}
    assert found.failed == []


def planted(held: Held, fault: Fault) -> Held:
    """The same circuit with the fault in one of its files."""
    return replace(held, kernel=replace(held.kernel, files=fault.plant(held.kernel.files)))
