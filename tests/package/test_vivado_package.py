"""The Vivado package: its Tcl script, by the commands that the vendor documents, and its top."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from tests.package.packaged import environment, packaged, ports_by_slang, run, with_clock_enable
from tests.package.tcl_recorder import Call, TclError, parse, record, syntax

VIVADO = {
    "create_project": syntax(0, 2, flags="-in_memory -force -ip", values="-part"),
    "add_files": syntax(1, 1, flags="-norecurse -scan_for_includes", values="-fileset"),
    "get_files": syntax(0, 1, flags="-all", values="-of_objects -compile_order"),
    "set_property": syntax(3, 3, flags="-quiet"),
    "current_fileset": syntax(0, 1, flags="-simset -constrset"),
    "update_compile_order": syntax(0, 0, flags="-quiet", values="-fileset"),
    "ipx::package_project": syntax(
        0, 1, flags="-import_files -force -quiet",
        values="-root_dir -vendor -library -name -version -taxonomy -module -set_current"),
    "ipx::current_core": syntax(0, 1),
    "ipx::associate_bus_interfaces": syntax(
        0, 1, flags="-remove -clear", values="-busif -clock -reset"),
    "ipx::create_xgui_files": syntax(0, 1),
    "ipx::update_checksums": syntax(0, 1),
    "ipx::check_integrity": syntax(0, 1, flags="-quiet"),
    "ipx::save_core": syntax(0, 1),
    "close_project": syntax(0, 0, flags="-delete"),
}  # fmt: skip
"""The commands of UG835 that the script may use, with some of their options."""
PASSES = {"ipx::check_integrity": "1"}
INFO = re.compile(r'X_INTERFACE_INFO = "(\S+) (\S+) (\S+)" \*\)\s+'
                  r'(?:\(\* X_INTERFACE_PARAMETER = "([^"]*)" \*\)\s+)?'
                  r"(?:input|output) wire (?:\[\d+:0\] )?(\w+)")  # fmt: skip
"""Attributes of a pin: type, interface, signal, parameters, and the pin."""
REQUIRED = {
    "aximm": ({"araddr", "arvalid", "arready", "rdata", "rresp", "rvalid", "rready"},
              {"awaddr", "awvalid", "awready", "wdata", "wvalid", "wready", "bresp", "bvalid",
               "bready"}),
    "axis": ({"tvalid", "tready"},),
}  # fmt: skip
"""Groups of signals by the type of an interface: it has one or more, and no part of another."""
TOPS = (("gcd", None, "gcd"), ("fir", "axi4lite", "fir_axi4lite"),
        ("gcd", "wishbone", "gcd_wishbone"), ("fir", "axi4", "fir_axi4"),
        ("scale", "axis", "scale_axis"))  # fmt: skip


def calls_of(pack: Path, top: str, *arguments: str) -> list[Call]:
    """The calls of the script."""
    return [parse(command, VIVADO) for command in record(pack / f"{top}_ip.tcl", arguments, PASSES)]


def check_script(calls: Sequence[Call], pack: Path, top: str) -> None:
    """AssertionError unless the script packages the files as an IP, in an order that works."""
    names = [call.name for call in calls]
    order = ["create_project", "add_files", "update_compile_order", "ipx::package_project",
             "ipx::associate_bus_interfaces", "ipx::create_xgui_files", "ipx::update_checksums",
             "ipx::check_integrity", "ipx::save_core", "close_project"]  # fmt: skip
    places = [names.index(name) for name in order]
    assert places == sorted(places)
    sources, constraints = (call for call in calls if call.name == "add_files")
    listed = [*(pack / f"{top}.f").read_text().split(), f"rtl/{top}_ip.v"]
    assert sources.words[0].split() == [str(pack / path) for path in listed]
    assert constraints.words[0] == str(pack / f"{top}.xdc")
    assert constraints.options["-fileset"] == "constrs_1"
    for file in (*sources.words[0].split(), constraints.words[0]):
        assert Path(file).is_file(), file
    assert Call("set_property", ("top", f"{top}_ip", "<current_fileset>")) in calls
    made = next(call for call in calls if call.name == "ipx::package_project")
    assert {"-root_dir", "-vendor", "-library", "-taxonomy", "-import_files"} <= set(made.options)


def check_top(pack: Path, top: str, calls: Sequence[Call]) -> dict[str, tuple[str, set[str]]]:
    """The interfaces: type and signals; AssertionError unless clock and reset go with each."""
    text = (pack / "rtl" / f"{top}_ip.v").read_text()
    types: dict[str, str] = {}
    signals: dict[str, set[str]] = {}
    parameters: dict[str, str] = {}
    for type_, interface, signal, also, pin in INFO.findall(text):
        assert types.setdefault(interface, type_) == type_
        if pin.endswith(("_i", "_o")) and type_.endswith(":axis_rtl:1.0"):  # a circuit's channel
            assert pin == f"{interface[7:]}_{signal[1:].lower()}_{pin[-1]}"
        else:
            assert pin == (f"{interface}_{signal.lower()}" if "_rtl:" in type_ else interface)
        signals.setdefault(interface, set()).add(signal.lower())
        parameters[interface] = also
    (clock,) = (name for name, type_ in types.items() if type_ == "xilinx.com:signal:clock:1.0")
    (reset,) = (name for name, type_ in types.items() if type_ == "xilinx.com:signal:reset:1.0")
    level = "LOW" if reset in ("rst_ni", "aresetn") else "HIGH"
    assert parameters[reset] == f"POLARITY ACTIVE_{level}"
    buses = [name for name, type_ in types.items() if type_.startswith("xilinx.com:interface:")]
    for name in buses:
        kind = types[name].split(":")[2].removesuffix("_rtl")
        groups = [each for each in REQUIRED[kind] if each & signals[name]]
        assert groups and all(each <= signals[name] for each in groups), name
    said = f"ASSOCIATED_BUSIF {':'.join(buses)}, " if buses else ""
    assert parameters[clock] == f"{said}ASSOCIATED_RESET {reset}"
    core = "<ipx::current_core>"
    for name in buses:
        options = {"-busif": name, "-clock": clock}
        assert Call("ipx::associate_bus_interfaces", (core,), options) in calls, name
    options = {"-clock": clock, "-reset": reset}
    assert Call("ipx::associate_bus_interfaces", (core,), options) in calls
    return {name: (types[name], signals[name]) for name in types}


@pytest.mark.parametrize(("name", "bus", "top"), TOPS)
def test_the_script_packages_every_file(
    name: str, bus: str | None, top: str, tmp_path: Path
) -> None:
    pack = packaged(name, "vivado", bus, tmp_path / "pack")
    calls = calls_of(pack, top)
    check_script(calls, pack, top)
    assert calls[0] == Call("create_project", (f"{top}_ip",), {"-in_memory": ""})
    options = {"-in_memory": "", "-part": "xc7z020clg400-1"}
    named = calls_of(pack, top, "xc7z020clg400-1")
    assert named == [Call("create_project", (f"{top}_ip",), options), *calls[1:]]
    found = check_top(pack, top, calls)
    if bus == "axi4":
        assert {"s_axi", "m_axi_x", "m_axi_y"} <= set(found)
    if bus == "axis":
        assert found["m_axis_y"][1] == {"tdata", "tvalid", "tready", "tlast"}
        assert found["s_axis_add"][1] == {"tdata", "tvalid", "tready"}
    if bus == "axi4lite":
        assert set(found) == {"aclk", "aresetn", "s_axi", "irq"}
        assert found["s_axi"][0] == "xilinx.com:interface:aximm_rtl:1.0"
    ports = ports_by_slang(pack, f"{top}_ip")
    inside = re.findall(r"^    \.(\w+)\((\w+)\)", (pack / f"rtl/{top}_ip.v").read_text(), re.M)
    assert [*ports] == [pin for pin, _ in inside] == [net for _, net in inside]


def test_a_core_without_integrity_is_not_saved(tmp_path: Path) -> None:
    pack = packaged("gcd", "vivado", None, tmp_path / "pack")
    with pytest.raises(TclError, match="gcd: the integrity check of the IP failed"):
        record(pack / "gcd_ip.tcl", answers={"ipx::check_integrity": "0"})


@pytest.mark.sim
@pytest.mark.parametrize(("name", "bus", "top"), TOPS)
def test_the_top_is_verilog_without_a_warning(
    name: str, bus: str | None, top: str, tmp_path: Path
) -> None:
    """Verilator reads it as Verilog 2001; a port of another width is told."""
    pack = packaged(name, "vivado", bus, tmp_path / "pack")
    known = environment(tmp_path / "bin")
    lint = ["verilator", "--quiet", "--lint-only", "-Wall", "+1364-2001ext+v", "--top-module",
            f"{top}_ip", "-f", f"{top}.f", f"rtl/{top}_ip.v"]  # fmt: skip
    assert run(lint, pack, known) == (0, "")
    file = pack / "rtl" / f"{top}_ip.v"
    text = file.read_text()
    width = re.search(r"wire \[(\d+):0\]", text)
    assert width is not None
    file.write_text(text.replace(width[0], f"wire [{int(width[1]) - 1}:0]", 1))
    assert "WIDTH" in run(lint, pack, known)[1]
    file.write_text(text.replace("input wire", "input logic", 1))
    assert run(lint, pack, known)[0] != 0


def test_a_clock_enable_is_no_reset(tmp_path: Path) -> None:
    pack = with_clock_enable("gcd", "vivado", tmp_path / "pack")
    calls = calls_of(pack, "gcd")
    check_script(calls, pack, "gcd")
    found = check_top(pack, "gcd", calls)
    assert found["rst_ni"] == ("xilinx.com:signal:reset:1.0", {"rst"})
    assert "clk_en_i" not in found


FAULTS: Mapping[str, tuple[str, Callable[[str], str], str]] = {
    "a command that is none": (
        "_ip.tcl", lambda t: t.replace("ipx::save_core", "ipx::save"), "no such command"),
    "an option that is none": (
        "_ip.tcl", lambda t: t.replace("-taxonomy", "-taxonomie"), "no such option"),
    "a file that is missing": (
        "_ip.tcl", lambda t: t.replace("  [file join $here rtl/fir.sv] \\\n", ""), "fir.sv"),
    "no clock of the bus": (
        "_ip.tcl", lambda t: t.replace("-busif s_axi -clock aclk", "-busif s_axi -clock clk"),
        "s_axi"),
    "saved before it is complete": (
        "_ip.tcl", lambda t: t.replace("ipx::create_xgui_files $core\n", "").replace(
            "close_project", "ipx::create_xgui_files $core\nclose_project"), "assert"),
    "a signal that is missing": (
        "_ip.v", lambda t: t.replace("s_axi BREADY", "s_axi BUSER"), "s_axi_bready"),
    "a clock without its bus": (
        "_ip.v", lambda t: t.replace("ASSOCIATED_BUSIF s_axi, ", ""), "ASSOCIATED_BUSIF"),
    "another level of the reset": (
        "_ip.v", lambda t: t.replace("ACTIVE_LOW", "ACTIVE_HIGH"), "ACTIVE"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, tmp_path: Path) -> None:
    pack, top = packaged("fir", "vivado", "axi4lite", tmp_path / "pack"), "fir_axi4lite"
    end, change, said = FAULTS[fault]
    file = pack / f"rtl/{top}{end}" if end == "_ip.v" else pack / f"{top}{end}"
    text = file.read_text()
    file.write_text(change(text))
    assert file.read_text() != text
    with pytest.raises((AssertionError, ValueError), match=said):
        calls = calls_of(pack, top)
        check_script(calls, pack, top)
        check_top(pack, top, calls)
