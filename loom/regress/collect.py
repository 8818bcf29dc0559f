"""The kernels of folders and of those below them, each with what loom.toml says of it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

from loom.bus.buses import WRAPPERS
from loom.errors import LoomError, Place, nearest
from loom.frontend.c.c_options import read_c_flags
from loom.regress.case import Case
from loom.regress.settings import NAME, Choices, Settings, read_settings

KINDS = (".c", ".mlir", ".py")
"""The ends of the names of kernels."""
TESTS = ("conftest.py", "test_*.py", "*_test.py")
"""Files of pytest, which are no kernels."""
PORTS = ".ports.json"
"""The end of the name of a file that stands in every folder with a circuit of LOOM's."""
CORE = ".sv.j2"
ACCEPTED = "a folder with .mlir, .c or .py files, or one of these"


def collect(given: Sequence[Path], choices: Choices) -> list[Case]:
    """The cases of files and folders by name; `choices` hold where loom.toml says nothing else.

    Names are relative to the folder that all have in common. Refused: a place without a kernel
    (SUITE_EMPTY), and what `read_settings` and `kernels_of` refuse.
    """
    places = [path.resolve() for path in given]
    folders = [path if path.is_dir() else path.parent for path in places]
    root = Path(os.path.commonpath(folders)) if folders else Path()
    found: dict[tuple[Path, str], Case] = {}
    for shown, path in zip(given, places, strict=True):
        cases = list(cases_below(path, root, choices))
        if not cases:
            raise LoomError("SUITE_EMPTY", Place(str(shown)), "no kernel", ACCEPTED)
        for case in cases:
            found.setdefault((case.file, case.name), case)
    return named(sorted(found.values(), key=lambda case: (case.name, case.place)))


def named(cases: Sequence[Case]) -> list[Case]:
    """The cases with the ends of their files in the names that would be the same without."""
    names = [case.name for case in cases]
    return [
        replace(case, name=case.name + case.file.suffix) if names.count(case.name) > 1 else case
        for case in cases
    ]


def cases_below(path: Path, root: Path, choices: Choices) -> Iterator[Case]:
    """The cases of a folder and of all below it, or of one file."""
    if path.is_file():
        if path.suffix in KINDS:
            chosen = replace(choices, options=copy(choices.options))
            for case in cases_of(path.parent, root, chosen):
                if case.file == path:
                    yield case
        return
    if path.is_dir():
        yield from cases_of(path, root, choices, below=True)


def cases_of(folder: Path, root: Path, choices: Choices, *, below: bool = False) -> Iterator[Case]:
    """The cases of a folder; with `below` also those of its folders, which inherit its defaults."""
    file = folder / NAME
    settings = read_settings(file) if file.is_file() else None
    if settings is not None:
        choices = settings.defaults(choices)
    excluded = (*TESTS, *(settings.exclude if settings is not None else ()))
    entries = [
        path
        for path in list_folder(folder)
        if not path.name.startswith((".", "__")) and not is_excluded(path.name, excluded)
    ]
    files = [path for path in entries if path.suffix in KINDS and path.is_file()]
    others = other_names([path.name for path in entries]) if below else frozenset()
    yield from kernels_of(folder, files, root, choices, settings, others)
    for path in entries if below else ():
        if path.is_dir() and not path.is_symlink():
            yield from cases_of(path, root, choices, below=True)


def list_folder(folder: Path) -> list[Path]:
    """What is in the folder, by name. Refused (INPUT_UNREADABLE): one that cannot be read."""
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        what = error.strerror or str(error)
        place = Place(str(folder))
        raise LoomError("INPUT_UNREADABLE", place, what, "folders that can be read") from None


def other_names(names: Sequence[str]) -> frozenset[str]:
    """The names of files that are no kernels: graphs, schedules, drivers and scripts of LOOM's.

    NAME.ports.json beside them says that it wrote them; manifest.json is of a package. The model of
    a unit, beside its template NAME.sv.j2, is no kernel either.
    """
    units = [name.removesuffix(CORE) for name in names if name.endswith(CORE)]
    models = [unit + end for unit in units for end in KINDS]
    ends = (
        ".dfg.mlir",
        ".static.mlir",
        *(f"_{bus}{end}" for bus in WRAPPERS for end in (".py", "_litex.py")),
    )
    tops = [name.removesuffix(PORTS) for name in names if name.endswith(PORTS)]
    scripts = ["run.py"] if tops and "manifest.json" in names else []
    return frozenset([*scripts, *models, *(top + end for top in tops for end in ends)])


def is_excluded(name: str, patterns: Sequence[str]) -> bool:
    """True of a name that one of the patterns names."""
    return any(fnmatch(name, pattern) for pattern in patterns)


def kernels_of(
    folder: Path, files: Sequence[Path], root: Path, choices: Choices, settings: Settings | None,
    others: frozenset[str],
) -> Iterator[Case]:  # fmt: skip
    """A case for each table of a kernel, and one for each file that no table names.

    A file of `others`, and one that is a source of another kernel, is a kernel only where a table
    names it.

    Refused (REGRESS_KERNEL): a table of a kernel that has no file in the folder.
    """
    left, sources = list(files), {*choices.sources}
    for name in settings.names if settings is not None else ():
        assert settings is not None
        wanted = settings.file_of(name) or name
        own = [path for path in files if wanted in (path.name, path.stem)]
        if not own:
            known = [path.name for path in files]
            near = nearest(wanted, known)
            where = settings.places.place("kernels", name)
            accepted = f"kernels of its folder: {', '.join(known) or 'there is none'}"
            what = f"the kernel {name!r}, of which there is no file"
            raise LoomError("REGRESS_KERNEL", where, what, accepted + (f"; {near}" if near else ""))
        left = [path for path in left if path not in own]
        chosen = settings.of_kernel(choices, name)
        sources |= {*chosen.sources}
        for path in own:
            yield case_of(path, path.stem if name == path.name else name, root, chosen)
    for path in left:
        if path.name not in others and path not in sources:
            yield case_of(path, path.stem, root, choices)


def case_of(path: Path, name: str, root: Path, choices: Choices) -> Case:
    """The case of a file; a bundle NAME.json beside it is its inputs, if no other is said.

    The C of a folder is read with its compile_flags.txt.
    """
    options = argparse.Namespace(**vars(choices.options))
    options.file = str(path)
    beside = path.with_suffix(".json")
    if options.inputs is None and beside.is_file():
        options.inputs = str(beside)
    options.files = [*map(str, choices.sources)]
    if path.suffix == ".c":
        flags = read_c_flags(path)
        options.headers = [*flags.folders, *options.headers]
        options.macros = [*flags.macros, *options.macros]
        options.included = [*flags.included, *options.included]
    place = path.relative_to(root)
    return Case(
        "/".join([*place.parts[:-1], name]), place.as_posix(), options,
        choices.expect, choices.timeout, choices.tags, choices.depends,
    )  # fmt: skip
