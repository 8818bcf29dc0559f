"""``loom help VERB``: the manual page of a verb, as text or for ``man``."""

from __future__ import annotations

import argparse
import pydoc
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from loom.errors import LoomError, Place, nearest
from loom.front.verbs import MATCH

ABOUT = (
    "LOOM compiles functions in C, Python or MLIR to elastic circuits in SystemVerilog, and "
    "compares program, token model and RTL."
)
WIDTH = 80
"""Of a page as text [characters]."""
STATUS = (
    ("0", "success"),
    ("1", "a mismatch, a deadlock, or less than what is expected"),
    ("2", "an input that is not accepted: FILE:LINE:COLUMN: error[CODE]: found X; LOOM accepts Y"),
    ("130", "an interrupt"),
)
ENVIRONMENT = (
    ("LOOM_NO_RUN", "if it is set and not 0, nothing of the user's is run, as with --no-run"),
    ("NO_COLOR", "if it is not empty, nothing is coloured; without a terminal nothing ever is"),
    ("LOOM_CACHE", "the folder of simulators and rows that are kept, else loom in XDG_CACHE_HOME"),
)
EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "compile": (
        ("loom compile dot.c --top dot -o out", "SystemVerilog, a file list and the netlist"),
        ("loom compile dot.c -o out --unroll 3=4 --partition x:cyclic:4", "four iterations at a "
         "time, from four banks"),
        ("loom compile dot.c -o out --style auto", "a static schedule where that costs less"),
    ),
    "lower": (("loom lower dot.c --trace -o dot.mlir", "the graph, and what each pass did"),),
    "graph": (("loom graph dot.c --format svg -o dot.svg", "the circuit as a drawing"),),
    "emit": (("loom emit dot.netlist.json -o out", "SystemVerilog of a netlist"),),
    "wrap": (("loom wrap axi4lite dot.c -o out", "the circuit behind registers, with a driver"),),
    "package": (("loom package vivado dot.c -o out", "a folder that Vivado packages as IP"),),
    "check": (("loom check dot.c", "every problem, and the balance of tokens"),),
    "model": (("loom model dot.c", "the program and both models, without a simulator"),),
    "sim": (
        ("loom sim dot.c", "the calls of main(), in RTL"),
        ("loom sim dot.c --stalls 0.3 --wave dot.fst", "with random stalls, and waves"),
    ),
    "report": (("loom report dot.c --html dot.html", "cycles and II, and a page"),),
    "regress": (("loom regress kernels -j 4", "every kernel of a folder"),),
    "explore": (("loom explore dot.c --over clock-period=8,10", "which circuits are best"),),
    "new": (("loom new dot --language python", "a folder with a first kernel"),),
    "doctor": (("loom doctor", "what is missing, and what it would give"),),
    "completion": (("loom completion bash", "to be read by eval in ~/.bashrc"),),
    "help": (("loom help sim", "the page of loom sim"),),
    "ops": (("loom ops", "all operators"),),
}  # fmt: skip
"""Of each verb some commands, each with what it gives."""


@dataclass(frozen=True)
class Section:
    """A part of a page: a text, then terms, each with what it means."""

    title: str
    text: str = ""
    terms: tuple[tuple[str, str], ...] = ()


def help_(options: argparse.Namespace) -> int:
    """``loom help``. Refused: the name of no verb (CLI_VERB)."""
    from loom.front.cli import parser

    root = parser()
    name = options.topic
    if name is not None and name not in root.verbs:
        accepted = nearest(name, root.verbs) or f"a verb: {', '.join(root.verbs)}"
        raise LoomError("CLI_VERB", Place("loom help"), f"the verb {name!r}", accepted)
    sections = overview(root.verbs) if name is None else page_of(name, root.verbs[name])
    title = "loom" if name is None else f"loom-{name}"
    if options.man:
        print("\n".join(roff_lines(title, sections)))
        return MATCH
    text = "\n".join(text_lines(sections)) + "\n"
    if sys.stdout is not None and sys.stdout.isatty():
        pydoc.pager(text)
    else:
        print(text, end="")
    return MATCH


def overview(verbs: dict[str, argparse.ArgumentParser]) -> list[Section]:
    """The page of the command itself."""
    listed = tuple((name, plain(verb.description)) for name, verb in verbs.items())
    begin = ("loom new dot", "a folder with a first kernel"), *EXAMPLES["sim"]
    return [
        Section("NAME", "loom - dynamically scheduled high-level synthesis"),
        Section("SYNOPSIS", "loom VERB [OPTIONS] FILE"),
        Section("DESCRIPTION", ABOUT),
        Section("VERBS", "", listed),
        Section("EXAMPLES", "", begin),
        Section("EXIT STATUS", "", STATUS),
        Section("ENVIRONMENT", "", ENVIRONMENT),
    ]  # fmt: skip


def page_of(name: str, verb: argparse.ArgumentParser) -> list[Section]:
    """The page of a verb."""
    given = [action for action in verb._actions if not action.option_strings]
    words = [f"[{each.metavar} ...]" if each.nargs == "*" else f"[{each.metavar}]"
             if each.nargs == "?" else str(each.metavar) for each in given]  # fmt: skip
    usage = " ".join([f"loom {name} [OPTIONS]", *words])
    about = plain(verb.description) + "." + (f" {plain(verb.epilog)}" if verb.epilog else "")
    groups = [
        Section(f"{str(group.title).upper()}", "", tuple(map(term_of, group._group_actions)))
        for group in verb._action_groups
        if group._group_actions
    ]
    return [
        Section("NAME", f"loom-{name} - {plain(verb.description)}"),
        Section("SYNOPSIS", usage),
        Section("DESCRIPTION", about),
        *groups,
        Section("EXAMPLES", "", EXAMPLES[name]),
        Section("EXIT STATUS", "", STATUS),
        Section("ENVIRONMENT", "", ENVIRONMENT),
    ]


def term_of(action: argparse.Action) -> tuple[str, str]:
    """An option or argument with its value, and what it does."""
    value = "" if action.nargs == 0 or action.metavar is None else f" {action.metavar}"
    names = ", ".join(action.option_strings)
    return f"{names}{value}".strip() or action.dest, plain(action.help)


def plain(text: str | None) -> str:
    """A text of argparse without its end, on one line."""
    return " ".join((text or "").replace("%%", "%").split()).rstrip(".")


def text_lines(sections: Sequence[Section]) -> Iterator[str]:
    """The page as text of `WIDTH` columns."""
    for number, section in enumerate(sections):
        if number:
            yield ""
        yield section.title
        if section.text:
            yield from filled(section.text, 7)
        for term, meaning in section.terms:
            yield from filled(term, 7)
            yield from filled(meaning, 14)


def filled(text: str, indent: int) -> list[str]:
    """The text in lines that begin at a column."""
    space = " " * indent
    return textwrap.wrap(text, WIDTH, initial_indent=space, subsequent_indent=space,
                         break_on_hyphens=False)  # fmt: skip


def roff_lines(title: str, sections: Sequence[Section]) -> Iterator[str]:
    """The page as ``man`` reads it."""
    yield f'.TH "{roff(title.upper())}" 1 "" "loom {version("loom-hls")}" "LOOM"'
    for section in sections:
        yield f'.SH "{roff(section.title)}"'
        if section.text:
            yield roff(section.text)
        for term, meaning in section.terms:
            yield ".TP"
            yield rf"\fB{roff(term)}\fR"
            yield roff(meaning)


def roff(text: str) -> str:
    """A text in which roff sees no command: signs of its own are escaped."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    return re.sub(r"^([.'])", r"\\&\1", escaped)
