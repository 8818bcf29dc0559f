"""The IP-XACT package: order and content of the component; its registers as PeakRDL reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest
from peakrdl_ipxact.importer import IPXACTImporter
from systemrdl import RDLCompiler
from systemrdl.node import AddressableNode, FieldNode, MemNode, RegNode

from tests.package.packaged import packaged, ports_by_slang, with_clock_enable

SPACE = "{http://www.accellera.org/XMLSchema/IPXACT/1685-2014}"
ORDER = {
    "component": "vendor library name version busInterfaces memoryMaps model fileSets description",
    "busInterface": "name busType abstractionTypes master slave",
    "abstractionType": "abstractionRef portMaps",
    "portMap": "logicalPort physicalPort",
    "memoryMap": "name addressBlock addressUnitBits",
    "addressBlock": "name description baseAddress range width usage access register",
    "register": "name description addressOffset size volatile access field",
    "field": "name description bitOffset resets bitWidth access modifiedWriteValue readAction",
    "model": "views instantiations ports",
    "view": "name envIdentifier componentInstantiationRef",
    "componentInstantiation": "name language moduleName fileSetRef",
    "port": "name wire", "wire": "direction vectors", "vector": "left right",
    "fileSet": "name file", "file": "name fileType",
}  # fmt: skip
"""Of some elements the children that LOOM writes, in the order that IEEE 1685-2014 has."""
REQUIRED = {
    "component": "vendor library name version", "busInterface": "name busType",
    "portMap": "logicalPort physicalPort", "memoryMap": "name",
    "addressBlock": "name baseAddress range width", "register": "name addressOffset size",
    "field": "name bitOffset bitWidth", "port": "name wire", "wire": "direction",
    "vector": "left right", "fileSet": "name", "file": "name fileType",
}  # fmt: skip
BUSES = {"AXI4-Lite": "r0p0_0", "AXI4": "r0p0_0", "AXI4Stream": "r0p0_1"}
"""Arm's bus definitions in IP-XACT, and the version of each."""
TOPS = (("gcd", None, "gcd"), ("dot_banks", None, "dot_banks"), ("fir", "axi4lite", "fir_axi4lite"),
        ("gcd", "wishbone", "gcd_wishbone"), ("fir", "axi4", "fir_axi4"),
        ("scale", "axis", "scale_axis"))  # fmt: skip


def short(element: ElementTree.Element) -> str:
    """The name of an element, which is of IP-XACT."""
    assert element.tag.startswith(SPACE), element.tag
    return element.tag.removeprefix(SPACE)


def text(element: ElementTree.Element, path: str) -> str:
    """The text below an element."""
    found = element.findtext("/".join(f"{SPACE}{part}" for part in path.split("/")))
    assert found is not None, path
    return found


def check_component(file: Path, ports: Mapping[str, tuple[str, int]]) -> ElementTree.Element:
    """The component; AssertionError unless it is in order, and has these ports of its top."""
    root = ElementTree.parse(file).getroot()
    for element in root.iter():
        children = [short(child) for child in element]
        if order := ORDER.get(short(element), "").split():
            assert set(children) <= set(order), (short(element), children)
            assert children == sorted(children, key=order.index), (short(element), children)
        for needed in REQUIRED.get(short(element), "").split():
            assert needed in children, (short(element), needed)
    given: dict[str, tuple[str, int]] = {}
    for port in root.iter(f"{SPACE}port"):
        vector = port.find(f".//{SPACE}vector")
        width = 1 if vector is None else int(text(vector, "left")) - int(text(vector, "right")) + 1
        given[text(port, "name")] = (text(port, "wire/direction"), width)
    ways = {"input": "in", "output": "out"}
    assert given == {name: (ways[way], width) for name, (way, width) in ports.items()}
    for bus in root.iter(f"{SPACE}busInterface"):
        for found, end in ((bus.find(f"{SPACE}busType"), ""),
                           (bus.find(f".//{SPACE}abstractionRef"), "_rtl")):  # fmt: skip
            assert found is not None
            name = found.attrib["name"].removesuffix(end)
            expected = {"vendor": "amba.com", "library": "AMBA4", "name": f"{name}{end}",
                        "version": BUSES[name]}  # fmt: skip
            assert found.attrib == expected
        mapped = {text(m, "logicalPort/name"): text(m, "physicalPort/name")
                  for m in bus.iter(f"{SPACE}portMap")}  # fmt: skip
        assert set(mapped.values()) <= set(given) and "ACLK" in mapped, mapped
        maps = {text(m, "name") for m in root.iter(f"{SPACE}memoryMap")}
        for reference in bus.iter(f"{SPACE}memoryMapRef"):
            assert reference.attrib["memoryMapRef"] in maps
    sets = {text(each, "name") for each in root.iter(f"{SPACE}fileSet")}
    assert text(root, "model/instantiations/componentInstantiation/fileSetRef/localName") in sets
    for each in root.iter(f"{SPACE}file"):
        assert (file.parent / text(each, "name")).is_file()
    return root


@pytest.mark.parametrize(("name", "bus", "top"), TOPS)
def test_the_component_has_ports_files_and_buses(
    name: str, bus: str | None, top: str, tmp_path: Path
) -> None:
    pack = packaged(name, "ipxact", bus, tmp_path / "pack")
    root = check_component(pack / f"{top}.xml", ports_by_slang(pack, top))
    assert text(root, "name") == top
    assert text(root, "model/instantiations/componentInstantiation/moduleName") == top
    sources = [text(each, "name") for each in root.iter(f"{SPACE}file")]
    listed = (pack / f"{top}.f").read_text().split()
    assert sources == [*listed, f"{top}.sdc"]
    buses = {text(each, "name"): each for each in root.iter(f"{SPACE}busInterface")}
    if bus == "axi4lite":
        (only,) = buses.values()
        mapped = {text(m, "logicalPort/name"): text(m, "physicalPort/name")
                  for m in only.iter(f"{SPACE}portMap")}  # fmt: skip
        axi = {name for name in ports_by_slang(pack, top) if name.startswith("s_axi_")}
        assert mapped == {"ACLK": "aclk", "ARESETn": "aresetn",
                          **{name[6:].upper(): name for name in axi}}  # fmt: skip
    if bus == "axi4":
        assert set(buses) == {"s_axi", "m_axi_x", "m_axi_y"}
    if bus == "axis":
        assert set(buses) == {"s_axis_x", "m_axis_y", "s_axis_negate", "s_axis_add", "m_axis_out0"}
        mapped = {text(m, "logicalPort/name") for m in buses["m_axis_y"].iter(f"{SPACE}portMap")}
        assert mapped == {"ACLK", "ARESETn", "TDATA", "TVALID", "TREADY", "TLAST"}
    if top == "gcd":
        assert set(buses) == {"s_axis_a", "s_axis_b", "s_axis_start", "m_axis_out0", "m_axis_done"}


Row = tuple[object, ...]


def rows_of(compiler: RDLCompiler, top: str) -> list[Row]:
    """Registers and memories of a map by address, with their fields."""
    found: list[Row] = []

    def visit(node: AddressableNode) -> None:
        if isinstance(node, RegNode):
            fields = [
                (f.inst_name, f.low, f.high, f.get_property("sw"), f.get_property("onread"),
                 f.get_property("onwrite"), f.get_property("reset"))
                for f in node.children() if isinstance(f, FieldNode)
            ]  # fmt: skip
            found.append((node.absolute_address, node.inst_name, node.size, fields))
        elif isinstance(node, MemNode):
            found.append((node.absolute_address, node.inst_name, node.size))
        else:
            for child in node.children():
                assert isinstance(child, AddressableNode)
                visit(child)

    (only,) = compiler.elaborate(top).children()
    assert isinstance(only, AddressableNode)
    visit(only)
    return sorted(found, key=str)


def registers_by_peakrdl(file: Path) -> list[Row]:
    """What PeakRDL reads from a component."""
    compiler = RDLCompiler()
    IPXACTImporter(compiler).import_file(str(file))
    *_, top = compiler.root.comp_defs
    return rows_of(compiler, top)


@pytest.mark.parametrize(("name", "bus", "top"), TOPS[2:5])
def test_the_registers_are_those_of_systemrdl(
    name: str, bus: str | None, top: str, tmp_path: Path
) -> None:
    pack = packaged(name, "ipxact", bus, tmp_path / "pack")
    compiler = RDLCompiler()
    compiler.compile_file(str(pack / f"{top}.rdl"))
    expected = rows_of(compiler, top)
    assert registers_by_peakrdl(pack / f"{top}.xml") == expected
    file = pack / f"{top}.xml"
    file.write_text(file.read_text().replace("oneToToggle", "oneToClear", 1))
    assert registers_by_peakrdl(file) != expected


def test_a_clock_enable_is_no_reset(tmp_path: Path) -> None:
    pack = with_clock_enable("gcd", "ipxact", tmp_path / "pack")
    root = check_component(pack / "gcd.xml", ports_by_slang(pack, "gcd"))
    mapped = {text(m, "logicalPort/name"): text(m, "physicalPort/name")
              for m in root.iter(f"{SPACE}portMap")}  # fmt: skip
    assert mapped["ARESETn"] == "rst_ni" and "clk_en_i" not in mapped.values()


FAULTS: Mapping[str, tuple[Callable[[str], str], str]] = {
    "elements in another order": (
        lambda t: t.replace("<ipxact:library>hls</ipxact:library>\n", "").replace(
            "<ipxact:model>", "<ipxact:library>hls</ipxact:library>\n<ipxact:model>"), "library"),
    "an element that is none": (
        lambda t: t.replace("usage>", "use>"), "addressBlock.*use"),
    "an element that is missing": (
        lambda t: t.replace("<ipxact:size>32</ipxact:size>", "", 1), "size"),
    "a port of another width": (lambda t: t.replace(">31<", ">30<", 1), "30|31"),
    "a port that is none": (
        lambda t: t.replace("<ipxact:name>irq</ipxact:name>", "<ipxact:name>int</ipxact:name>"),
        "int"),
    "a bus of another version": (lambda t: t.replace("r0p0_0", "r0p0_1", 1), "r0p0_1"),
    "a map that is none": (
        lambda t: t.replace('memoryMapRef="registers"', 'memoryMapRef="regs"'), "regs"),
    "a file that is none": (lambda t: t.replace("rtl/fir.sv", "rtl/for.sv"), "is_file"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, tmp_path: Path) -> None:
    pack = packaged("fir", "ipxact", "axi4lite", tmp_path / "pack")
    file = pack / "fir_axi4lite.xml"
    change, said = FAULTS[fault]
    before = file.read_text()
    file.write_text(change(before))
    assert file.read_text() != before
    with pytest.raises(AssertionError, match=said):
        check_component(file, ports_by_slang(pack, "fir_axi4lite"))
