"""Files that a C file includes: regular files in its own folder, and the compiler's headers.

A directive is found in the text, so that a pipe or a device is refused before anything opens it.
What conditions and macros make of directives is clang's to say: `safe_parse.py` asks.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from loom.errors import LoomError, Place
from loom.input_files import MOST_MEGABYTES, STDIN, name_kind

DIRECTIVE = re.compile(
    r"^[ \t]*(?:#|%:)[ \t]*(?:include|include_next|import|embed)\b[ \t]*"
    r'(?:"([^"\n]*)"|<([^>\n]*)>|([^\n]*))',
    re.MULTILINE,
)
ACCEPTED = "headers in the folder of the C file or of -I, and those of the C compiler"
MOST_HEADERS = 1000
"""Headers of the user's that one file leads to [files]."""
MASKED = re.compile(
    r"""//(?:[^\n\\]|\\[\s\S])*|/\*[\s\S]*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
)


def find_user_folder(file: str) -> str:
    """The folder of the C file, of which headers may be included."""
    return os.path.realpath("." if file in ("-", STDIN) else os.path.dirname(file) or ".")


@dataclass(frozen=True, slots=True)
class HeaderFolders:
    """Where headers are looked for besides the folder of the file that includes them.

    `system` is the compiler's, `user` is of the command line, as are the files `first`, with which
    every C file begins.
    """

    system: Sequence[str]
    user: Sequence[str] = ()
    first: Sequence[str] = ()

    @property
    def system_roots(self) -> list[str]:
        """The real paths of the compiler's folders."""
        return [os.path.realpath(each) for each in self.system]

    def find_user_roots(self, file: str) -> list[str]:
        """The real paths of the folders of which the C file may include headers."""
        beside = [os.path.dirname(os.path.abspath(each)) for each in self.first]
        return [find_user_folder(file), *map(os.path.realpath, (*self.user, *beside))]


def refuse_special_files(text: str, file: str, headers: HeaderFolders) -> None:
    """Refuse directives that name what is no regular file, or one too large (C_INCLUDE).

    Headers of the user's are followed, those of the compiler are not.
    """
    system, user = headers.system_roots, headers.find_user_roots(file)
    work, seen = [(text, file)], {os.path.realpath(file)}
    for first in headers.first:
        work.append((read_header(first, Place("-include")), os.path.abspath(first)))
    while work:
        content, name = work.pop()
        for directive in DIRECTIVE.finditer(mask_comments(content)):
            line = content.count("\n", 0, directive.start(directive.lastindex or 0)) + 1
            start = directive.start(directive.lastindex or 0)
            place = Place(name, line, start - content.rfind("\n", 0, start))
            quoted, angled, other = directive.groups()
            if other is not None:
                what = "an #include of a file that a macro names"
                raise LoomError("C_INCLUDE", place, what, 'the name itself: "x.h", <x.h>')
            near = [os.path.dirname(name) or "."] if quoted is not None else []
            folders = [*near, *headers.user, *system]
            found = find_file(quoted if quoted is not None else angled, folders)
            if found is None or os.path.realpath(found) in seen:
                continue
            seen.add(os.path.realpath(found))
            if is_below(found, system):
                continue
            if len(seen) > MOST_HEADERS:
                what = f"more than {MOST_HEADERS} files that are included"
                raise LoomError("C_INCLUDE", place, what, "up to that many headers")
            if is_below(found, user):
                work.append((read_header(found, place), found))
            else:
                read_kind(found, place)


def mask_comments(text: str) -> str:
    """The text with blanks in place of comments, everything else where it was."""

    def mask(match: re.Match[str]) -> str:
        found = match[0]
        if not found.startswith("/"):
            return found
        return re.sub(r"[^\n]", " ", found)

    return MASKED.sub(mask, text)


def find_file(name: str, folders: Sequence[str]) -> str | None:
    """The first file of this name in the folders; a name from the root is its own place."""
    for each in folders:
        path = os.path.join(each, name)
        if "\0" not in path and os.path.lexists(path):
            return path
    return None


def is_below(name: str, roots: Sequence[str]) -> bool:
    """True if the file stands in one of the folders, which are real paths, or below."""
    path = Path(os.path.realpath(name))
    return any(path.is_relative_to(root) for root in roots)


def read_kind(found: str, place: Place) -> None:
    """Refuse what is no regular file."""
    try:
        mode = os.stat(found).st_mode
    except OSError as error:
        what = f"the file {found}: {error.strerror}"
        raise LoomError("C_INCLUDE", place, what, ACCEPTED) from None
    if not stat.S_ISREG(mode):
        what = f"the file {found}, which is {name_kind(mode)}"
        raise LoomError("C_INCLUDE", place, what, ACCEPTED)


def read_header(found: str, place: Place) -> str:
    """The text of a header; refused if it is no regular file, or too large."""
    read_kind(found, place)
    try:
        if os.stat(found).st_size > MOST_MEGABYTES << 20:
            what = f"the file {found} of more than {MOST_MEGABYTES} Mi bytes"
            raise LoomError("C_INCLUDE", place, what, "headers up to that size")
        return Path(found).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        what = f"the file {found}: {error.strerror}"
        raise LoomError("C_INCLUDE", place, what, ACCEPTED) from None
