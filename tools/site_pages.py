"""What `mkdocs build` adds to docs/: the manual of the command, and figures of real runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from loom.draw.formats import to_svg
from loom.draw.of_netlist import picture_of_netlist
from loom.draw.picture import Line, Picture
from loom.front.api import compile_text
from loom.front.circuit import Circuit
from loom.front.cli import parser
from loom.model.bundles.activation import Activation
from loom.model.timed.simulate import run_timed
from loom.start.manual import Section, overview, page_of

PROGRAM = """int dot(const int x[64], const int y[64]) {
  int sum = 0;
  for (int i = 0; i < 64; i++)
    sum += x[i] * y[i];
  return sum;
}
"""
"""The program of docs/elastic.md."""
OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./[^)]+\)")
INPUTS = {"x": list(range(64)), "y": list(range(0, 128, 2))}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The files of docs/ and those that are made now: the hook of mkdocs."""
    files.append(File.generated(config, "manual.md", content="\n".join(manual_lines()) + "\n"))
    files.append(File.generated(config, "figures/dot.svg", content=to_svg(figure())))
    return files


def on_page_markdown(text: str, **_: object) -> str:
    """The text of a page: the hook of mkdocs."""
    return without_outside_links(text)


def without_outside_links(text: str) -> str:
    """A text whose links to files beside docs/, which the site has not, are what they say."""
    return OUTSIDE.sub(r"\1", text)


def manual_lines() -> Iterator[str]:
    """The manual pages of all verbs as one page of Markdown."""
    verbs = parser().verbs
    yield "# The command"
    yield from markdown_lines(overview(verbs))
    for name, verb in verbs.items():
        yield from ["", f"## loom {name}"]
        yield from markdown_lines(page_of(name, verb)[1:-2])


def markdown_lines(sections: list[Section]) -> Iterator[str]:
    """The sections of a page, their terms as lists."""
    for section in sections:
        yield from ["", f"**{section.title.capitalize()}**", ""]
        if section.text:
            yield f"    {section.text}" if section.title == "SYNOPSIS" else escaped(section.text)
        yield from (f"- `{term}`: {escaped(meaning)}" for term, meaning in section.terms)


def escaped(text: str) -> str:
    """A text without Markdown of its own."""
    return "".join(f"\\{each}" if each in "*_[]<>`" else each for each in text)


def figure() -> Picture:
    """The circuit of `PROGRAM` after a run: each channel with its tokens, and what waited."""
    circuit = compile_text(PROGRAM, "dot.c")
    return with_tokens(circuit, picture_of_netlist(circuit.netlist))


def with_tokens(circuit: Circuit, picture: Picture) -> Picture:
    """The picture with the tokens of each channel, and the cycles in which one waited."""
    (found,) = run_timed(circuit.netlist, [Activation(INPUTS)])

    def labelled(line: Line) -> Line:
        tokens, waits = found.tokens[line.name], found.stalled[line.name]
        waited = f", {waits} cycles waiting" if waits else ""
        return replace(line, type=f"{line.type}: {tokens} tokens{waited}")

    return replace(picture, lines=tuple(map(labelled, picture.lines)))
