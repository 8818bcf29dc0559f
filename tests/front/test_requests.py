"""The library's front door: one request, public names, and objects that print in one line."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from loom_sim.kernel import Kernel as SimulatedKernel

import loom
from loom.elements import repeat_element
from loom.front.api import load_graph
from loom.front.request import Request
from loom.netlist.netlist import Memory, Netlist
from tests.support.folders import EXAMPLES, ROOT

FIR = EXAMPLES / "fir.mlir"
TWO = "func.func @f() {\n  return\n}\nfunc.func @g(%a: i8) -> i8 {\n  return %a : i8\n}\n"


def test_every_public_name_is_there_and_documented() -> None:
    for name in loom.__all__:
        assert getattr(loom, name).__doc__, name
    assert set(loom.__all__) <= set(dir(loom))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = loom.nothing


def test_the_easy_functions_are_requests() -> None:
    by_file = loom.compile_file(FIR)
    by_text = loom.compile_text(FIR.read_text(), str(FIR))
    by_request = loom.compile_request(Request(FIR.read_text(), str(FIR)))
    assert by_file.netlist == by_text.netlist == by_request.netlist
    narrow = loom.compile_file(FIR, options=loom.Options(index_width=9))
    assert narrow.netlist.index_width == 9
    assert loom.compile_text(TWO, top="g").netlist.name == "g"
    with pytest.raises(loom.LoomError, match="INPUT_UNREADABLE"):
        loom.compile_file("nope.mlir")


def test_the_language_is_that_of_the_name_unless_given() -> None:
    for name, language in (("k.c", "c"), ("k.i", "c"), ("k.py", "python"), ("k.mlir", "mlir")):
        assert Request("", name).source_language == language
    given = Request("", "k.mlir", language="python")
    assert given.source_language == "python" and not given.is_netlist
    text = "int f(int a) {\n  return a;\n}\n"
    assert loom.compile_request(Request(text, language="c")).netlist.name == "f"


def test_a_netlist_is_known_by_its_name_or_begin() -> None:
    assert Request("{}", "k").is_netlist and Request("", "k.json").is_netlist
    assert not Request("{-# #-}", "k").is_netlist
    assert not Request("{}", "k.py").is_netlist


def test_one_line_stands_for_each_object() -> None:
    circuit = loom.compile_file(FIR)
    netlist = circuit.netlist
    units, channels = len(netlist.units), len(netlist.channels)
    graph = load_graph(Request(circuit.dfg_text, "fir.dfg.mlir"))
    assert repr(circuit) == f"<Circuit fir: {units} units, {channels} channels>"
    assert repr(netlist) == f"<Netlist fir: {units} units, {channels} channels>"
    assert repr(graph) == f"<Graph fir: {units} units, {channels} channels>"
    kernel = SimulatedKernel(circuit.source, "fir", netlist, circuit.files())
    assert repr(kernel) == f"<Kernel fir: {netlist!r}>"
    assert repr(Request("abc", "k.c", "f")) == "<Request k.c @f: c, 3 characters>"
    memory = Memory("a", "i8", 8, 100_000, "internal", repeat_element(7, 100_000))
    assert repr(memory) == "<Memory a: 100000 x 8 bits, internal>"
    unit = next(unit for unit in netlist.units if unit.operator.name == "arith.muli")
    assert repr(unit) == f"<Unit {unit.name}: arith.muli at {unit.place}>"
    assert unit.place is not None and unit.place.file == FIR.name
    one = Netlist("f", 64, (), (), (unit,), ())
    assert repr(one) == "<Netlist f: 1 unit, 0 channels>"


class Cells(HTMLParser):
    """The texts of the cells of a table, and its tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        self.texts.append("")

    def handle_data(self, data: str) -> None:
        self.texts[-1] += data

    def rows(self) -> dict[str, str]:
        cells = [x for tag, x in zip(self.tags, self.texts, strict=True) if tag in ("th", "td")]
        return dict(zip(cells[::2], cells[1::2], strict=True))


def test_a_notebook_shows_a_table_of_the_circuit() -> None:
    circuit = loom.compile_file(FIR)
    cells = Cells(circuit._repr_html_())
    assert cells.texts[1] == "circuit fir"
    rows = cells.rows()
    assert rows["units"] == str(len(circuit.netlist.units))
    assert rows["channels"] == str(len(circuit.netlist.channels))
    assert all(memory.name in rows["memories"] for memory in circuit.netlist.memories)
    area, path = circuit.cost.area, circuit.cost.path
    assert path is not None
    assert rows["area (ECP5, estimate)"].startswith(f"{area.luts:.0f} LUT4, ")
    assert rows["clock period"] == f"{path.delay:.1f} ns"
    assert rows["Fmax"] == f"{1000 / path.delay:.0f} MHz"
    loops = [value for name, value in rows.items() if name.startswith("loop at line ")]
    assert len(loops) == len(circuit.loops) > 0
    assert all(value.startswith("II = ") for value in loops)


def test_a_notebook_shows_a_table_of_the_netlist() -> None:
    netlist = loom.compile_file(FIR).netlist
    cells = Cells(netlist._repr_html_())
    assert cells.texts[1] == "netlist fir"
    assert list(cells.rows()) == ["units", "channels", "memories"]
    named = Netlist("<b>", 64, (), (), (), ())
    assert "&lt;b&gt;" in named._repr_html_() and "<b>" not in named._repr_html_()


def test_the_package_is_a_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "loom", "check", str(EXAMPLES / "add.mlir")],
        capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "program add: 1 units, balanced: proved, no problem\n"


def test_both_packages_are_typed() -> None:
    assert Path(loom.__file__).with_name("py.typed").is_file()
    assert (ROOT / "sim" / "loom_sim" / "py.typed").is_file()
