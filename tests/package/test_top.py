"""The interfaces of a top: those of a circuit's channels, and those that a wrapper's pins name."""

from __future__ import annotations

from dataclasses import replace

from loom.emit.ports import find_ports
from loom.package.top import Top, top_of_circuit, top_of_wrapper
from tests.package.packaged import compiled

HEADER = """module f_axi4lite (
  input logic aclk,
  input logic aresetn,
  input logic [9:0] s_axi_awaddr,
  output logic s_axi_awready,
  output logic irq,
  output logic [63:0] m_axi_x_araddr,
  output logic [7:0] m_axi_x_arlen,
  input logic [31:0] s_axis_in_y_tdata,
  input logic s_axis_in_y_tvalid,
  input logic [11:2] avs_address,
  output logic avs_waitrequest,
  output logic [7:0] lamp
);
  logic [3:0] inside;
endmodule
"""


def interfaces(top: Top) -> dict[str, tuple[str, str, list[str]]]:
    return {each.name: (each.protocol, each.mode, list(each.pins)) for each in top.interfaces}


def test_a_wrapper_says_its_interfaces_by_its_pins() -> None:
    top = top_of_wrapper("f_axi4lite", HEADER)
    assert interfaces(top) == {
        "s_axi": ("AXI4-Lite", "slave", ["awaddr", "awready"]),
        "m_axi_x": ("AXI4", "master", ["araddr", "arlen"]),
        "s_axis_in_y": ("AXI4-Stream", "slave", ["tdata", "tvalid"]),
        "avs": ("Avalon-MM", "slave", ["address", "waitrequest"]),
    }
    assert (top.clock, top.reset, top.reset_active) == ("aclk", "aresetn", "low")
    assert [pin.name for pin in top.interrupts] == ["irq"] and list(top.others) == ["lamp"]
    widths = {pin.name: pin.width for pin in top.pins}
    assert (widths["s_axi_awaddr"], widths["avs_address"], widths["irq"]) == (10, 10, 1)


def test_a_reset_that_is_not_named_low_is_high() -> None:
    assert top_of_wrapper("f", HEADER.replace("aresetn", "reset")).reset_active == "high"


def test_a_channel_of_other_than_whole_bytes_is_no_stream() -> None:
    found = find_ports(compiled("gcd").netlist)
    narrow = replace(found, channels=tuple(
        replace(c, width=7) if c.name == "a" else c for c in found.channels))  # fmt: skip
    assert "s_axis_a" in interfaces(top_of_circuit(found))
    top = top_of_circuit(narrow)
    assert "s_axis_a" not in interfaces(top)
    assert [pin.name for pin in top.others["a"]] == ["a_data_i", "a_valid_i", "a_ready_o"]
