"""Channels stand in a wave viewer by loop."""

from __future__ import annotations

from loom_sim.wave_layout import SCOPE, gtkwave_layout, surfer_layout

from tests.support.compiled import compile_example
from tests.support.folders import EXAMPLES


def test_a_group_a_loop_in_the_order_of_the_source() -> None:
    netlist = compile_example(EXAMPLES / "matmul.mlir").netlist
    text = gtkwave_layout(netlist)
    titles = [line[1:] for line in text.splitlines() if line.startswith("-")]
    assert titles == [
        title
        for loop in ("outside all loops", *(f"loop at line {at}" for at in ("4:3", "5:5", "6:7")))
        for title in (loop, loop)
    ]
    inner = text.partition("-loop at line 6:7\n")[2].partition("@1401200")[0].splitlines()
    assert f"{SCOPE}.stream_k_cont_valid" in inner
    assert f"{SCOPE}.muli_product_data[31:0]" in inner
    assert f"{SCOPE}.stream_j_cont_valid" not in inner


def test_every_channel_has_its_signals_once() -> None:
    netlist = compile_example(EXAMPLES / "matmul.mlir").netlist
    lines = gtkwave_layout(netlist).splitlines()
    for channel in netlist.channels:
        for signal in ("valid", "ready"):
            assert lines.count(f"{SCOPE}.{channel.name}_{signal}") == 1
        index = f"[{channel.width - 1}:0]" if channel.width > 1 else ""
        assert lines.count(f"{SCOPE}.{channel.name}_data{index}") == (channel.width > 0)


def test_surfer_has_the_same_signals_in_the_same_order() -> None:
    """Its names have no range; before each group stands a divider."""
    netlist = compile_example(EXAMPLES / "matmul.mlir").netlist
    gtkwave, surfer = gtkwave_layout(netlist).splitlines(), surfer_layout(netlist).splitlines()
    traces = [line.partition("[")[0] for line in gtkwave if line.startswith(SCOPE)]
    words = [line.partition(" ")[::2] for line in surfer]
    assert [name for verb, name in words if verb == "variable_add"] == traces
    titles = [line[1:] for line in gtkwave if line.startswith("-")][::2]
    assert [name for verb, name in words if verb == "divider_add"] == titles
    assert surfer[2] == "divider_add outside all loops" and surfer[-1] == "zoom_fit"
    place = surfer.index("divider_add loop at line 6:7")
    inner = f"variable_add {SCOPE}.muli_product_data"
    assert inner in surfer[place:] and inner not in surfer[:place]


def test_a_circuit_without_loops_is_one_open_group() -> None:
    text = gtkwave_layout(compile_example(EXAMPLES / "add.mlir").netlist)
    assert text.count("@800200\n-outside all loops\n") == 1
    assert text.count("@1000200\n-outside all loops\n") == 1
    assert "@c00200" not in text
