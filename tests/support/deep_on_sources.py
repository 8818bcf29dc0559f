"""The fixture `deep_on_sources`: a deep test that looks at all of LOOM, and at its own helpers.

Tests that compile, run or simulate many programs take it (`pytest.mark.usefixtures`). Their inputs
are the compiler, the simulator, the examples and rows, and of `tests` and `tools` the files that
the test's file imports or names, and those that these import or name, and so on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support.deep import RECORD, Deep, digest_inputs
from tests.support.folders import ROOT

WHOLE = (
    "examples", "loom", "pyproject.toml", "rtl_templates", "sim", "tests/conftest.py",
    "tests/rows", "tests/support/deep_on_sources.py", "tests/support/folders.py",
    "tests/support/no_clock_period.py",
)  # fmt: skip
"""What each of these tests may look at."""
DOTTED = re.compile(r"\b(?:tests|tools)(?:\.\w+)+")
"""A module, wherever it is named: in an import, or as text for `python -m` or another process."""
IMPORTED = re.compile(r"\bfrom ((?:tests|tools)[.\w]*) import (\([^)]*\)|[^\n]*)")
"""What is imported from a package may be modules of it."""
PATH = re.compile(r"\b(?:tests|tools)(?:/[\w.-]+)+")
JOINED = re.compile(r"\b(ROOT|TESTS)((?: / \"[\w.-]+\")+)")
PAGES = re.compile(r"\bDOCS\b")
THE_RECORD = f"{RECORD.parent.name}/{RECORD.name}"
"""No test's outcome depends on it, and each run with `--record` changes it."""
NO_READERS = (
    "tests/support/deep.py", "tests/support/deep_on_sources.py", "tests/support/folders.py",
)  # fmt: skip
"""They name places for others, and read none themselves."""


def files_of_module(root: Path, name: str) -> Iterator[str]:
    """The files of a dotted name: of each package in it, and of the module that it leads to."""
    place = Path(*name.split(".")[:1])
    for part in (*name.split(".")[1:], ""):
        if (root / place / "__init__.py").is_file():
            yield str(place / "__init__.py")
            if not part and (root / place / "__main__.py").is_file():
                yield str(place / "__main__.py")
        place /= part
        if part and (root / place).with_suffix(".py").is_file():
            yield str(place.with_suffix(".py"))
            return


def named_in(root: Path, name: str) -> Iterator[str]:
    """The files and folders that a file of the project imports or names."""
    text = (root / name).read_text(encoding="utf-8")
    for found in DOTTED.findall(text):
        yield from files_of_module(root, found)
    for package, words in IMPORTED.findall(text):
        for word in re.findall(r"\w+", words):
            yield from files_of_module(root, f"{package}.{word}")
    for found in PATH.findall(text):
        path = found.rstrip("./")
        if (root / path).exists() and path != THE_RECORD:
            yield path
    for base, words in JOINED.findall(text):
        path = "/".join([RECORD.parent.name] * (base == "TESTS") + re.findall(r"[\w.-]+", words))
        if (root / path).exists() and path != THE_RECORD:
            yield path
    if PAGES.search(text):
        yield "docs"


def data_beside(root: Path, name: str) -> Iterator[str]:
    """Files beside a module that are no modules, and folders there that are no packages.

    A module that asks where it stands may read its neighbours as texts: all of them count.
    """
    folder = (root / name).parent
    if folder == root or folder.parent == root:
        return
    if "__file__" in (root / name).read_text(encoding="utf-8"):
        yield str(folder.relative_to(root))
    for file in folder.iterdir():
        if file.is_dir():
            is_data = file.name != "__pycache__" and not (file / "__init__.py").is_file()
            if is_data and any(inner.is_file() for inner in file.rglob("*")):
                yield str(file.relative_to(root))
        elif file.suffix != ".py":
            yield str(file.relative_to(root))


@cache
def looked_at(root: Path, name: str) -> tuple[str, ...]:
    """All files and folders of `tests` and `tools` that a file leads to, and itself."""
    seen: set[str] = set()
    own = name.removesuffix(".py").replace("/", ".")
    ahead = [name, *files_of_module(root, own)]
    while ahead:
        file = ahead.pop()
        if file in seen:
            continue
        seen.add(file)
        if file.endswith(".py") and file not in NO_READERS:
            ahead += named_in(root, file)
            ahead += data_beside(root, file)
    return tuple(sorted(seen))


@cache
def digest_looked_at(root: Path, name: str) -> str:
    """The digest of all that a test's file leads to and of all of LOOM."""
    whole = [place for place in WHOLE if (root / place).exists()]
    return digest_inputs((*whole, *looked_at(root, name)), root=root)


def choices() -> list[str]:
    """What the environment chooses, such as a first seed; the place of the cache is no choice."""
    return [
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if name.startswith("LOOM_") and name != "LOOM_CACHE"
    ]


@pytest.fixture
def deep_on_sources(deep: Deep, request: pytest.FixtureRequest) -> None:
    """The test is skipped if nothing that it may look at changed since it passed."""
    own = str(request.path.relative_to(ROOT))
    deep(texts=[digest_looked_at(ROOT, own), *choices()])
