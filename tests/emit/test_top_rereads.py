"""pyverilog reads every top back as the netlist it came from, and sees a wrong connection."""

from __future__ import annotations

import pytest

from loom.emit import emit
from loom.netlist.json_text import to_json
from loom.netlist.netlist import Netlist
from tests.golden.designs import DESIGNS, sum_of_array
from tests.golden.every_unit import every_unit
from tests.support.deep import Deep
from tests.support.reread import differences, reread


def top(netlist: Netlist) -> str:
    return emit(netlist)[f"rtl/{netlist.name}.sv"]


@pytest.mark.parametrize("netlist", (*DESIGNS, every_unit((0, 1, 8))), ids=lambda n: n.name)
def test_top_reads_back_as_its_netlist(netlist: Netlist, deep: Deep) -> None:
    deep("tests/support/reread.py", texts=[to_json(netlist), top(netlist)])
    assert differences(netlist, top(netlist)) == []


def test_reread_finds_instances_and_parameters() -> None:
    read = reread(top(sum_of_array()))
    assert read.name == "sum_of_array"
    assert {"clk_i", "n_data_i", "error_code_o"} <= read.ports
    assert read.instances["one_inst"].module == "loom_constant"
    assert read.instances["one_inst"].parameters == {"T_WIDTH": "32", "VALUE": "32'd1"}


MUTATIONS = (
    (".lhs_ready_o(", ".rhs_ready_o(c99_ready), .lhs_ready_o("),
    (".result_data_o(", ".result_data_o(clk_i), .unknown_o("),
    ("T_WIDTH(32)\n  ) sum_inst", "T_WIDTH(31)\n  ) sum_inst"),
    ("leave_inst (", "left_inst ("),
    ("assign total_data_o = ", "assign total_data_o = 1'b0 | "),
    (".rd_en_o(a_rd_en_o)", ".rd_en_o(a_rd_addr_o)"),
    ("assign error_2 = a_ports_error", "assign error_2 = 1'b0"),
    ("module sum_of_array", "module other"),
)


@pytest.mark.parametrize("old, new", MUTATIONS)
def test_a_wrong_text_is_seen(old: str, new: str) -> None:
    text = top(sum_of_array())
    assert old in text
    assert differences(sum_of_array(), text.replace(old, new, 1))


def test_every_swap_of_two_nets_on_one_instance_is_seen() -> None:
    netlist = sum_of_array()
    text = top(netlist)
    for unit in netlist.units:
        inputs = netlist.inputs_of(unit)
        if len(inputs) < 2:
            continue
        begin = text.index(f" {unit.name}_inst (")
        end = text.index(");", begin)
        block = text[begin:end]
        a, b = f"({inputs[0].name}_valid)", f"({inputs[1].name}_valid)"
        swapped = block.replace(a, "(#)").replace(b, a).replace("(#)", b)
        assert differences(netlist, text[:begin] + swapped + text[end:]), unit.name
