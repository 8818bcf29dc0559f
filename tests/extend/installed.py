"""Packages that are installed without pip: the metadata that Python reads, in a folder."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.folders import EXAMPLES, ROOT

EXAMPLE = EXAMPLES / "extension"
Groups = Mapping[str, Mapping[str, str]]


def groups_of(folder: Path) -> tuple[str, str, Groups]:
    """Name, version and entry points of the project in a folder."""
    project: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    return project["name"], project["version"], project["entry-points"]


@contextmanager
def installed(site: Path, name: str, version: str, groups: Groups, code: Path) -> Iterator[None]:
    """The package can be imported from `code`, and its entry points are found."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (folder / "METADATA").write_text(head)
    sections = [
        "\n".join([f"[{group}]", *(f"{key} = {value}" for key, value in entries.items())])
        for group, entries in groups.items()
    ]
    (folder / "entry_points.txt").write_text("\n".join(sections) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(code))
        patch.syspath_prepend(str(site))
        patch.setenv("PYTHONPATH", f"{site}:{code}:{ROOT}:{ROOT / 'sim'}")
        yield


@contextmanager
def example_installed(site: Path) -> Iterator[None]:
    """The package of examples/extension is installed."""
    with installed(site, *groups_of(EXAMPLE), EXAMPLE):
        yield
