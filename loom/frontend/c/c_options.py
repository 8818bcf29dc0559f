"""What the user chose about the C of a program: headers, macros, standard, files, console."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from loom.elements import Fill
from loom.errors import LoomError, Place
from loom.input_files import read_text

STANDARDS = (
    "gnu17", "gnu11", "gnu99", "gnu89", "gnu90", "gnu18", "c17", "c11", "c99", "c89", "c90", "c18",
)  # fmt: skip
"""The standards of C that are read; the first one unless another is chosen."""
Console = Literal["drop", "refuse"]
"""What becomes of calls that print."""
FLAGS = "compile_flags.txt"
"""The name of a file with options of the C beside it, as clang's tools have it."""
MACRO = re.compile(r"-D[A-Za-z_]\w*(?:\([\w\s,.]*\))?(?:=[^\n\r\0]*)?|-U[A-Za-z_]\w*")


@dataclass(frozen=True)
class COptions:
    """How the C of a program is read, and its `main()` compiled; the same for all its files."""

    folders: tuple[str, ...] = ()
    """Folders of headers, as of ``-I``; what stands in them and below may be included."""

    macros: tuple[str, ...] = ()
    """``-DNAME``, ``-DNAME=VALUE`` and ``-UNAME``, in their order."""

    included: tuple[str, ...] = ()
    """Files that each C file begins with, as of ``-include``."""

    standard: str = STANDARDS[0]
    """The standard of C, one of `STANDARDS`."""

    files: tuple[str, ...] = ()
    """C files of the program besides the one that is given as text."""

    console: Console = "drop"
    """Output and assertions of the kernel: left out with a note, or refused."""

    fill: Fill = "refuse"
    """What variables and arrays hold before anything is assigned to them, as in any language."""

    @property
    def is_default(self) -> bool:
        """True if nothing is chosen that only C has."""
        return replace(self, fill="refuse") == COptions()

    @property
    def preprocessor(self) -> list[str]:
        """The words that clang and the system's compiler take for folders, macros and files."""
        words = [f"-I{folder}" for folder in self.folders] + [*self.macros]
        for file in self.included:
            words += ["-include", os.path.abspath(file)]
        return words


def read_c_flags(file: Path) -> COptions:
    """The options of C in ``compile_flags.txt`` beside the file, a word a line; none without it.

    Folders and files are those of that folder. Refused: other words (C_FLAGS).
    """
    folder, folders, macros, included = file.parent, list[str](), list[str](), list[str]()
    flags = folder / FLAGS
    words = read_text(str(flags)).split("\n") if flags.exists() else []
    for line, word in enumerate(map(str.strip, words), start=1):
        if word.startswith("-include"):
            included.append(str(folder / word.removeprefix("-include").strip()))
        elif word.startswith("-I"):
            folders.append(str(folder / word[2:].strip()))
        elif word.startswith(("-D", "-U")):
            macros.append(word)
        elif word:
            accepted = "-IDIR, -DNAME=VALUE, -UNAME or -include FILE, each on a line"
            raise LoomError("C_FLAGS", Place(str(flags), line, 1), f"the word {word}", accepted)
    return COptions(tuple(folders), tuple(macros), tuple(included))


def check_c_options(options: COptions) -> None:
    """Return if the options can be followed; else they are refused (C_BUILD)."""
    for folder in options.folders:
        if not os.path.isdir(folder):
            refuse("-I", f"{folder!r}, which is no folder", "folders of headers")
    for macro in options.macros:
        if not MACRO.fullmatch(macro):
            refuse(macro[:2], repr(macro[2:]), "NAME or NAME=VALUE, in -U NAME alone")
    if options.standard not in STANDARDS:
        refuse("--std", repr(options.standard), ", ".join(STANDARDS))


def refuse(option: str, what: str, accepted: str) -> None:
    """Refuse the value of an option."""
    raise LoomError("C_BUILD", Place(option), what, accepted)
