"""loom.toml: what is said of the kernels of a folder and of those below it.

Tables are ``[defaults]`` and ``[kernels.NAME]``; their keys are the options of ``loom sim`` by
name, and those of `OWN`. `exclude` stands before all tables.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from loom.errors import LoomError, Place, nearest
from loom.front import arguments as add
from loom.front import values
from loom.front.command_parser import CommandParser
from loom.input_files import read_text
from loom.regress.row import EXPECTED
from loom.regress.toml_text import Places, read_toml

NAME = "loom.toml"
OWN = ("expect", "timeout", "tags", "depends", "sources")
"""Keys of a kernel besides its options, in `defaults` too."""
TOP = ("exclude", "defaults", "kernels")
NAMES_OF_FILES = ("inputs", "cores", "I", "include")
"""Options whose values are names of files, or of folders."""
MACROS = ("D", "U")
"""Options that are one list: each replaces its own values there."""
LIBRARY = {"latencies": "latency", "partitions": "partition", "memories": "memory"}
"""Fields of `loom.Options` that are not called as their options."""
EXPECT = re.compile(r"match|differs|timeout|refused(:[A-Z][A-Z0-9_]*)?")


@dataclass(frozen=True)
class Choices:
    """What is said of a kernel so far; its `options` are those of `loom sim`."""

    options: argparse.Namespace
    expect: str = "match"
    timeout: float = 600.0
    tags: frozenset[str] = field(default_factory=frozenset)
    depends: tuple[Path, ...] = ()
    sources: tuple[Path, ...] = ()
    """Further C files of the program."""


def option_parser() -> CommandParser:
    """The options that loom.toml may have, as the command line reads them."""
    parser = CommandParser(prog=NAME, add_help=False)
    add.add_options_of_input(add.Group(parser, "input"))
    add.add_c(parser)
    add.add_circuit(parser, style="auto")
    add.add_memories(parser)
    add.add_clock(parser, graphs=True)
    add.add_run(parser, simulated=True)
    return parser


@dataclass(frozen=True)
class Settings:
    """A loom.toml that was read; `names` are its kernels."""

    document: Mapping[str, Any]
    places: Places
    folder: Path

    @property
    def names(self) -> tuple[str, ...]:
        """The kernels that have a table."""
        return tuple(self.document.get("kernels", ()))

    @property
    def exclude(self) -> tuple[str, ...]:
        """Patterns of files that are no kernels, relative to the folder."""
        return tuple(self.document.get("exclude", ()))

    def file_of(self, kernel: str) -> str | None:
        """The file that a kernel's table names."""
        found = self.document["kernels"][kernel].get("file")
        assert found is None or isinstance(found, str)
        return found

    def defaults(self, choices: Choices) -> Choices:
        """The choices with those of the defaults."""
        return self._apply(choices, ("defaults",))

    def of_kernel(self, choices: Choices, kernel: str) -> Choices:
        """The choices with those of the kernel's table."""
        return self._apply(choices, ("kernels", kernel))

    def _apply(self, choices: Choices, path: tuple[str, ...]) -> Choices:
        table: Any = self.document
        for name in path:
            table = table.get(name, {})
        options = copy(choices.options)
        own: dict[str, Any] = {}
        for key, value in table.items():
            place = self.places.place(*path, key)
            if key in OWN:
                own[key] = self._own(key, value, place)
            elif key != "file":
                set_option(options, key, value, place, self.folder)
        tags = choices.tags | own.pop("tags", frozenset())
        depends = choices.depends + own.pop("depends", ())
        return replace(choices, options=options, tags=tags, depends=depends, **own)

    def _own(self, key: str, value: Any, place: Place) -> Any:
        """The value of a key that is no option."""
        if key == "expect":
            if not isinstance(value, str) or not EXPECT.fullmatch(value):
                raise refused_value(value, place, ", ".join(EXPECTED))
            return value
        if key == "timeout":
            if type(value) not in (int, float) or not 0 < value < float("inf"):
                raise refused_value(value, place, values.SECONDS.accepted)
            return float(value)
        names = require_names(value, place)
        if key == "tags":
            return frozenset(names)
        return tuple(self.folder / name for name in names)


def read_settings(file: Path) -> Settings:
    """The settings of a file, whose keys are all known and whose values have their types.

    Refused: REGRESS_TOML, REGRESS_KEY, CLI_VALUE.
    """
    text = read_text(str(file))
    document, places = read_toml(text, str(file)), Places(text, str(file))
    found = Settings(document, places, file.parent)
    require_known(document, TOP, places, ())
    require_names(document.get("exclude", []), places.place("exclude"))
    for name in ("defaults", "kernels"):
        require_table(document.get(name, {}), places.place(name))
    known = known_keys()
    require_known(document.get("defaults", {}), known, places, ("defaults",))
    for name, table in document.get("kernels", {}).items():
        path = ("kernels", name)
        require_table(table, places.place(*path))
        require_known(table, ("file", *known), places, path)
        if not isinstance(table.get("file", ""), str):
            accepted = values.FILE_NAME.accepted
            raise refused_value(table["file"], places.place(*path, "file"), accepted)
    plain = Choices(option_parser().parse_args([]))
    found.defaults(plain)
    for name in found.names:
        found.of_kernel(plain, name)
    return found


def known_keys() -> tuple[str, ...]:
    """The keys of a kernel: options by their names on the command line, and `OWN`."""
    return (*OWN, *options_by_name())


@cache
def options_by_name() -> Mapping[str, argparse.Action]:
    """The options, by the names that loom.toml has for them."""
    groups = option_parser()._action_groups
    actions = [action for group in groups for action in group._group_actions]
    return {action.option_strings[-1].lstrip("-"): action for action in actions}


def choices_of(options: argparse.Namespace) -> Choices:
    """The choices of a command line, which need not have all options."""
    found = option_parser().parse_args([])
    for name in vars(found):
        if name in options:
            setattr(found, name, getattr(options, name))
    return Choices(found)


def require_known(
    table: Mapping[str, Any], known: Sequence[str], places: Places, path: tuple[str, ...]
) -> None:
    """Return if every key of the table is known, by a name of the command line or the library."""
    for key in table:
        if option_name(key) not in known:
            near = nearest(key, known)
            accepted = f"{', '.join(known)}" + (f"; {near}" if near else "")
            raise LoomError("REGRESS_KEY", places.place(*path, key), f"the key {key!r}", accepted)


def option_name(key: str) -> str:
    """The name of an option on the command line, of a name there or in `loom.Options`."""
    return LIBRARY.get(key, key.replace("_", "-"))


def require_table(value: Any, place: Place) -> None:
    """Return if the value is a table."""
    if not isinstance(value, dict):
        raise refused_value(value, place, "a table")


def require_names(value: Any, place: Place) -> list[str]:
    """The value, if it is a list of texts."""
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise refused_value(value, place, 'a list of texts, such as ["a", "b"]')
    return value


def refused_value(value: Any, place: Place, accepted: str) -> LoomError:
    """The refusal of a value."""
    return LoomError("CLI_VALUE", place, repr(value), accepted)


def set_option(
    options: argparse.Namespace, key: str, value: Any, place: Place, folder: Path
) -> None:
    """The option has the value, read as on the command line; names of files are of the folder.

    A list stands for an option that is repeated, and replaces what was said of it before.
    """
    name = option_name(key)
    action = options_by_name()[name]
    if isinstance(action.default, bool):
        if not isinstance(value, bool):
            raise refused_value(value, place, "true or false")
        setattr(options, action.dest, value)
        return
    several = isinstance(action.default, list)
    if (
        isinstance(value, bool)
        or not isinstance(value, str | int | float | list)
        or (isinstance(value, list) and not several)
    ):
        raise refused_value(value, place, f"the value of --{name}, a text or a number")
    listed = value if isinstance(value, list) else [value]
    assert callable(action.type)
    read: list[Any] = []
    for each in listed:
        try:
            read.append(action.type(str(each)))
        except LoomError as error:
            raise LoomError(error.code, place, error.what, error.accepted) from None
    if name in NAMES_OF_FILES:
        # Cores that a package adds are named, and lie in no folder of the user's.
        inside = [folder / each for each in read]
        is_named = name == "cores" and not inside[0].exists()
        read = read if is_named else [*map(str, inside)]
    if name in MACROS:
        read = [each for each in options.macros if not each.startswith(f"-{name}")] + read
    setattr(options, action.dest, read if several else read[0])
