"""The Quartus package: its two Tcl files, by the commands that the vendor documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from tests.package.packaged import packaged, ports_by_slang, with_clock_enable
from tests.package.tcl_recorder import Call, parse, record, syntax

QIP = {"set_global_assignment": syntax(1, 1, values="-name")}
HW = {
    "package": syntax(3, 3, flags="-exact"),
    "set_module_property": syntax(2, 2),
    "add_fileset": syntax(2, 4),
    "set_fileset_property": syntax(3, 3),
    "add_fileset_file": syntax(4, 5),
    "add_interface": syntax(3, 3),
    "set_interface_property": syntax(3, 3),
    "add_interface_port": syntax(5, 5),
}
"""Of the Platform Designer component interface, with the words of each."""
MODULE_PROPERTIES = {"NAME", "VERSION", "DISPLAY_NAME", "DESCRIPTION", "GROUP", "EDITABLE"}
ROLES = {
    "clock": "clk", "reset": "reset reset_n", "interrupt": "irq",
    "axi4stream": "tvalid tready tdata tlast",
    "axi4": "awid awaddr awlen awsize awburst awlock awcache awprot awqos awvalid awready "
            "wdata wstrb wlast wvalid wready bid bresp bvalid bready "
            "arid araddr arlen arsize arburst arlock arcache arprot arqos arvalid arready "
            "rid rdata rresp rlast rvalid rready",
    "axi4lite": "awaddr awprot awvalid awready wdata wstrb wvalid wready bresp bvalid bready "
                "araddr arprot arvalid arready rdata rresp rvalid rready",
    "avalon": "address read write writedata byteenable waitrequest readdata readdatavalid "
              "writeresponsevalid response",
}  # fmt: skip
"""Of an interface by its type; a conduit has any."""
PROPERTIES = {
    "associatedClock": None, "associatedReset": None, "associatedAddressablePoint": None,
    "synchronousEdges": {"NONE", "DEASSERT", "BOTH"}, "addressUnits": {"WORDS", "SYMBOLS"},
    "maximumPendingReadTransactions": None, "maximumPendingWriteTransactions": None,
}  # fmt: skip
"""Of an interface, and the words that each takes."""


def check_component(calls: Sequence[Call], ports: Mapping[str, tuple[str, int]]) -> None:
    """AssertionError unless the component is one, and has these ports of its top."""
    assert calls[0] == Call("package", ("require", "qsys", "16.1"), {"-exact": ""})
    types: dict[str, str] = {}
    given: dict[str, tuple[str, int]] = {}
    for call in calls[1:]:
        if call.name == "set_module_property":
            assert call.words[0] in MODULE_PROPERTIES, call
        elif call.name == "add_fileset":
            assert call.words[1] in ("QUARTUS_SYNTH", "SIM_VERILOG", "SIM_VHDL"), call
        elif call.name == "add_fileset_file":
            assert call.words[1:3] == ("SYSTEM_VERILOG", "PATH"), call
            assert call.words[4:] in ((), ("TOP_LEVEL_FILE",)), call
        elif call.name == "add_interface":
            name, type_, end = call.words
            assert name not in types, f"twice: {name}"
            assert type_ == "conduit" or type_ in ROLES, call
            assert end in ("start", "end"), call
            types[name] = type_
        elif call.name == "set_interface_property":
            name, key, value = call.words
            assert name in types and key in PROPERTIES, call
            accepted = PROPERTIES[key]
            assert accepted is None or value in accepted, call
            if key.startswith("associated"):
                assert value in types, f"{name}: no interface {value}"
        elif call.name == "add_interface_port":
            name, port, role, direction, width = call.words
            assert types[name] == "conduit" or role in ROLES[types[name]].split(), call
            assert port not in given, f"twice: {port}"
            given[port] = (direction, int(width))
    assert given == {name: (way.capitalize(), width) for name, (way, width) in ports.items()}
    associated = [call.words for call in calls if call.name == "set_interface_property"]
    clocked = {name for name, key, _ in associated if key == "associatedClock"}
    assert clocked == {name for name, type_ in types.items() if type_ != "clock"}


def component(pack: Path, name: str) -> list[Call]:
    """The calls of the component."""
    return [parse(command, HW) for command in record(pack / f"{name}_hw.tcl")]


TOPS = (("gcd", None, "gcd"), ("dot_banks", None, "dot_banks"), ("fir", "axi4lite", "fir_axi4lite"),
        ("gcd", "wishbone", "gcd_wishbone"), ("gcd", "avalon", "gcd_avalon"),
        ("scale", "axis", "scale_axis"), ("fir", "axi4", "fir_axi4"))  # fmt: skip


@pytest.mark.parametrize(("name", "bus", "top"), TOPS)
def test_the_component_has_every_port_of_the_top(
    name: str, bus: str | None, top: str, tmp_path: Path
) -> None:
    pack = packaged(name, "quartus", bus, tmp_path / "pack")
    calls = component(pack, top)
    check_component(calls, ports_by_slang(pack, top))
    listed = (pack / f"{top}.f").read_text().split()
    for fileset in ("QUARTUS_SYNTH", "SIM_VERILOG"):
        begin = calls.index(Call("add_fileset", (fileset, fileset, "", "")))
        files = calls[begin + 2 : begin + 2 + len(listed)]
        assert [call.words[3] for call in files] == listed
        assert calls[begin + 1].words == (fileset, "TOP_LEVEL", top)
    types = {call.words[0]: call.words[1] for call in calls if call.name == "add_interface"}
    if bus == "axi4lite":
        assert types == {"aclk": "clock", "aresetn": "reset", "s_axi": "axi4lite",
                         "irq": "interrupt"}  # fmt: skip
    if bus == "axi4":
        assert types["m_axi_x"] == types["m_axi_y"] == "axi4" and types["s_axi"] == "axi4lite"
    if bus == "axis":
        streams = {name for name, type_ in types.items() if type_ == "axi4stream"}
        assert streams == {"s_axis_x", "m_axis_y", "s_axis_negate", "s_axis_add", "m_axis_out0"}
    if top == "gcd":
        assert types["s_axis_a"] == types["m_axis_out0"] == "axi4stream"


@pytest.mark.parametrize(("name", "bus", "top"), TOPS[::2])
def test_the_project_gets_every_file(name: str, bus: str | None, top: str, tmp_path: Path) -> None:
    pack = packaged(name, "quartus", bus, tmp_path / "pack")
    before = f"array set ::quartus {{qip_path {pack}}}"
    calls = [parse(command, QIP) for command in record(pack / f"{top}.qip", before=before)]
    files: dict[str, list[str]] = {}
    for call in calls:
        files.setdefault(call.options["-name"], []).append(call.words[0])
    assert set(files) == {"IP_TOOL_NAME", "IP_TOOL_VERSION", "SYSTEMVERILOG_FILE", "SDC_FILE"}
    listed = (pack / f"{top}.f").read_text().split()
    assert files["SYSTEMVERILOG_FILE"] == [str(pack / path) for path in listed]
    assert files["SDC_FILE"] == [str(pack / f"{top}.sdc")]
    (constraint,) = record(pack / f"{top}.sdc")[1:]
    clock = next(iter(ports_by_slang(pack, top)))
    assert constraint[:3] == ("create_clock", "-name", clock)


def test_a_clock_enable_is_no_reset(tmp_path: Path) -> None:
    pack = with_clock_enable("gcd", "quartus", tmp_path / "pack")
    calls = component(pack, "gcd")
    check_component(calls, ports_by_slang(pack, "gcd"))
    words = [call.words for call in calls if call.name == "add_interface_port"]
    assert ("rst_ni", "rst_ni", "reset_n", "Input", "1") in words
    assert ("pins_clk_en_i", "clk_en_i", "clk_en_i", "Input", "1") in words


FAULTS: Mapping[str, tuple[Callable[[str], str], str]] = {
    "a command that is none": (
        lambda t: t.replace("add_interface_port", "add_port"), "no such command"),
    "too few words": (lambda t: t.replace(" Input 32", " Input"), "4 words"),
    "a role that is none": (lambda t: t.replace(" wstrb ", " strobe "), "'strobe'"),
    "a wrong width": (lambda t: t.replace("wdata Input 32", "wdata Input 31"), "'Input', 31"),
    "a port that is missing": (lambda t: t.replace("add_interface_port irq", "#"), "irq"),
    "a port twice": (lambda t: t + "add_interface_port s_axi irq awaddr Input 1\n", "twice: irq"),
    "a clock that is none": (
        lambda t: t.replace("s_axi associatedClock aclk", "s_axi associatedClock clk"),
        "no interface clk"),
    "no clock": (lambda t: t.replace("set_interface_property irq associatedClock aclk", ""),
                 "irq"),
    "another package": (lambda t: t.replace("qsys 16.1", "sopc 9.1"), "sopc"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, tmp_path: Path) -> None:
    pack = packaged("fir", "quartus", "axi4lite", tmp_path / "pack")
    script = pack / "fir_axi4lite_hw.tcl"
    change, said = FAULTS[fault]
    text = script.read_text()
    script.write_text(change(text))
    assert script.read_text() != text
    with pytest.raises(AssertionError, match=said):
        check_component(component(pack, "fir_axi4lite"), ports_by_slang(pack, "fir_axi4lite"))
