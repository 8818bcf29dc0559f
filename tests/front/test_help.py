"""The help of every verb: options in groups, each with a text, a unit or a default."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from loom.analysis.timing.targets import targets
from loom.front.cli import parser
from loom.front.passes import find_passes
from loom.lower.options import Options, Watch
from tests.house.options_page import IN_PYTHON, page, undocumented
from tests.support.folders import ROOT

VERBS = parser().verbs
HOME_MADE = re.compile(r"\b(turns?|words?|paces?|meet|quick|told|asked|cuts?|quiet)\b")
"""Words of ours for which the field has a term."""
COMMAND = re.compile(rf"^\$? *(loom (?:{'|'.join(VERBS)})\b.*)$", re.MULTILINE)
GRAPHS = ["input", "C", "circuit", "memories", "clock and buffers"]
GROUPS = [*GRAPHS, "passes"]
RUN = [*GROUPS, "run"]


def groups_of(verb: argparse.ArgumentParser) -> list[str]:
    """The titles of the groups that the help shows, in order."""
    return re.findall(r"^(\w[\w ]*):$", verb.format_help(), re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("compile", [*GROUPS, "style", "ports"]), ("lower", [*GROUPS, "style"]),
        ("emit", [*GRAPHS, "ports"]), ("graph", [*GROUPS, "drawing"]),
        ("wrap", ["bus", *GROUPS, "modules"]), ("package", ["flow", *GROUPS, "ports", "run"]),
        ("check", [*GROUPS, "verdict"]),
        ("model", RUN), ("sim", [*RUN, "waves"]), ("report", [*RUN, "report"]), ("ops", []),
        ("explore", [*GRAPHS, "run", "exploration"]), ("doctor", []),
    ],
)  # fmt: skip
def test_options_stand_in_groups(name: str, titles: list[str]) -> None:
    assert groups_of(VERBS[name]) == ["options", *titles, "output"]


def test_every_verb_is_in_the_list() -> None:
    listed = re.findall(r"^    (\w+)\s+(\S.*)$", parser().format_help(), re.MULTILINE)
    assert listed == [(name, str(verb.description).rstrip(".")) for name, verb in VERBS.items()]


@pytest.mark.parametrize("name", VERBS)
def test_every_option_says_what_it_does(name: str) -> None:
    for action in VERBS[name]._actions:
        if action.dest == "help":
            continue
        assert action.help, action.dest
        assert not HOME_MADE.search(action.help), action.help
        valued = action.option_strings and action.nargs is None and not action.required
        if valued and not isinstance(action, argparse._StoreTrueAction):
            states = "(default: " in action.help or "may be repeated" in action.help
            assert states or action.metavar in ("DIR", "F"), action.dest


def test_defaults_of_the_command_are_those_of_the_library() -> None:
    options = parser().parse_args(["lower", "f"])
    library = Options()
    names = ("index_width", "zero_trip", "widths", "divider", "memory_order", "buffers", "fill",
             "target", "clock_period", "unroll_below", "dsp")  # fmt: skip
    assert [getattr(options, name) for name in names] == [getattr(library, name) for name in names]
    text = re.sub(r"\s+", " ", VERBS["lower"].format_help())
    for name in names:
        default = getattr(library, name)
        if isinstance(default, str) and name != "clock_period":
            assert f"(default: {default})" in text
    periods = ", ".join(f"{each.period:g} for {each.name}" for each in targets().values())
    assert f"(default: {periods}, or a longer one" in text


def test_every_field_of_the_options_is_on_the_page() -> None:
    """The examples of the page are values that `Options` takes."""
    assert undocumented() == []
    for name, example in IN_PYTHON.items():
        if name != "cores":
            names = {"Options": Options, "Watch": Watch, "find_passes": find_passes}
            made = eval(f"Options({example})", names)
            assert getattr(made, name) != getattr(Options(), name)
        assert f"`{example}`" in page()


def documents() -> list[Path]:
    return [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]


def test_documents_name_only_options_that_exist() -> None:
    """Of `loom` itself: commands in the text that begin with it, and options with a value."""
    known = {each for verb in VERBS.values() for each in verb._option_string_actions}
    seen = 0
    for path in documents():
        for line in COMMAND.findall(path.read_text(encoding="utf-8")):
            for option in re.findall(r"(?<!\S)(--[a-z][a-z-]*)", line):
                assert option in known, f"{path.name}: {line}"
                seen += 1
    assert seen > 5
