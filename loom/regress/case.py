"""A case: one kernel of a regression, its options, and the key of all its row depends on."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import loom
from loom.emit.cores import find_cores
from loom.errors import LoomError

Mode = Literal["model", "simulation", "placement"]
"""Of a run: without a simulator, with it, or synthesized, placed and routed."""
TEXTS = (".py", ".j2", ".sv", ".json", ".c", ".cpp")
"""The files of LOOM that make a circuit, or run it, of a text."""
FILES = ("file", "files", "inputs", "cores", "headers", "included")
"""Options that name files: their contents are part of the key, not their names."""


@dataclass(frozen=True)
class Case:
    """A kernel: `name` and `place` are relative to the folders given, `options` those of `sim`."""

    name: str
    place: str
    options: argparse.Namespace
    expect: str = "match"
    timeout: float = 600.0
    """After so long the kernel is stopped, by the clock [s]."""
    tags: frozenset[str] = field(default_factory=frozenset)
    depends: tuple[Path, ...] = ()
    """Files besides that the row depends on."""

    @property
    def file(self) -> Path:
        """The file of the kernel."""
        return Path(self.options.file)


def key_of(case: Case, mode: Mode) -> str:
    """The digest of texts, options, LOOM and mode of the run; equal wherever the files lie."""
    chosen = sorted((k, v) for k, v in vars(case.options).items() if k not in FILES)
    digest = hashlib.sha256(f"{digest_of_loom()} {mode} {case.file.name} {chosen} ".encode())
    for path in inputs_of(case):
        data = contents_of(path)
        digest.update(f"{path.name}:{len(data)}:".encode() + data)
    return digest.hexdigest()


def inputs_of(case: Case) -> Iterator[Path]:
    """The files that the row depends on: the kernel, its inputs, headers beside C, templates."""
    yield case.file
    yield from case.depends
    if case.options.inputs is not None:
        yield Path(case.options.inputs)
    if case.file.suffix == ".c":
        for folder in (case.file.parent, *map(Path, case.options.headers)):
            yield from sorted(folder.rglob("*.h"))
        yield from map(Path, case.options.included)
        yield from map(Path, case.options.files)
    if case.options.cores is not None:
        with suppress(LoomError):  # which is said where the cores are read
            yield from sorted(find_cores(case.options.cores).glob("*"))


def contents_of(path: Path) -> bytes:
    """The bytes of a file; none of one that cannot be read, which is refused where it is used."""
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError:
        return b""


@cache
def digest_of_loom() -> str:
    """The digest of all that makes a circuit of a text, and of what simulates it."""
    digest = hashlib.sha256(version("xdsl").encode())
    package = Path(loom.__file__).parent
    folders = [package, package.parent / "rtl_templates", package.parent / "sim" / "loom_sim",
               package.parent / "loom_sim"]  # fmt: skip
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.suffix in TEXTS:
                digest.update(file.read_bytes())
    return digest.hexdigest()
