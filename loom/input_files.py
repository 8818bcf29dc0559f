"""Text files that the user names: readable, UTF-8, and of a size that can be worked on."""

from __future__ import annotations

import io
import os
import stat
import sys
from contextlib import suppress
from pathlib import PurePath
from typing import TextIO

from loom.errors import LoomError, Place

STDIN = "<stdin>"
"""What places call standard input."""
PIPES_OF_SHELL = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""Where a command finds the pipes that it was started with."""
MOST_MEGABYTES = 16
"""Size of the longest input [Mi characters]: a program of this size takes a minute or two to read
and some gigabytes of memory."""


PIECE = 1 << 20
"""What is read at once [characters]."""
BEGINNINGS = {
    b"ML\xefR": ("MLIR bytecode", "the text that mlir-opt prints of it"),
    b"BC\xc0\xde": ("LLVM bitcode", "MLIR, C or Python as text"),
    b"\x7fELF": ("a compiled program", "MLIR, C or Python as text"),
    b"\xcf\xfa\xed\xfe": ("a compiled program", "MLIR, C or Python as text"),
    b"MZ": ("a compiled program", "MLIR, C or Python as text"),
    b"!<arch>": ("a library of compiled programs", "MLIR, C or Python as text"),
    b"\x1f\x8b": ("a gzip archive", "the file in it"),
    b"PK\x03\x04": ("a zip archive", "a file of it"),
    b"%PDF": ("a PDF document", "MLIR, C or Python as text"),
    b"\x89PNG": ("an image", "MLIR, C or Python as text"),
    b"\xff\xfe": ("UTF-16 text", "UTF-8 text"),
    b"\xfe\xff": ("UTF-16 text", "UTF-8 text"),
}
"""Kinds of files by the bytes they begin with, and what may be given instead."""
OTHERS = {
    ".cpp .cc .cxx .hpp .hh": ("C++", "C; --language c if it is C all the same"),
    ".v .sv .svh .vh": ("Verilog", "programs: SystemVerilog is what LOOM writes"),
    ".vhd .vhdl": ("VHDL", "programs in MLIR, C or Python"),
    ".ll": ("LLVM IR", "MLIR, C or Python; --language mlir if it is MLIR"),
    ".rs .go .java .js .ts .scala .f90 .m": ("another language", "MLIR, C or Python"),
    ".toml .yaml .yml .ini .cfg": ("settings", "a program; settings are options of the command"),
    ".md .rst .html .xml .csv .f": ("a document", "MLIR, C or Python"),
}
"""Kinds of files by their names' ends, and what may be given instead."""


def require_kind(file: str, language: object) -> None:
    """Return if a file of this name may be something that LOOM reads; else INPUT_KIND.

    With a `language` that is said it is read, whatever its name.
    """
    end = PurePath(file).suffix.lower()
    for ends, (kind, accepted) in OTHERS.items():
        if language is None and end in ends.split():
            what = f"a file whose name says that it is {kind} ({end})"
            raise LoomError("INPUT_KIND", Place(file), what, accepted)


def refuse_binary(file: str) -> None:
    """Return if the file may be text, or is no regular one; else INPUT_KIND."""
    begin = b""
    with suppress(OSError, ValueError):  # which is reported when the text is read
        if os.path.isfile(file):
            with open(file, "rb") as stream:
                begin = stream.read(8)
    for bytes_, (kind, accepted) in BEGINNINGS.items():
        if begin.startswith(bytes_):
            raise LoomError("INPUT_KIND", Place(file), kind, accepted)


def read_text(file: str, most: int = MOST_MEGABYTES) -> str:
    """The text of a file, or of standard input for ``-``, which problems call ``<stdin>``.

    A byte order mark at the start is no part of it. No more than `most` [Mi characters] are read
    before the rest is refused (INPUT_TOO_LARGE), so a file that never ends is refused too. Refused
    as well: files that cannot be read, or are no UTF-8 text (INPUT_UNREADABLE), and those that
    begin as files of another kind (INPUT_KIND).
    """
    limit, place = most << 20, Place(name_in_places(file))
    try:
        if file == "-":
            if sys.stdin is None:
                raise OSError(None, "standard input is closed")
            # In some locales Python would let any bytes through.
            if isinstance(sys.stdin, io.TextIOWrapper):
                sys.stdin.reconfigure(encoding="utf-8-sig", errors="strict")
            text = read_characters(sys.stdin, limit + 1)
        else:
            refuse_binary(file)
            with open_regular_file(file, place) as stream:
                text = read_characters(stream, limit + 1)
    except io.UnsupportedOperation:
        what, accepted = "standard input a second time", "- for one file"
        raise LoomError("INPUT_UNREADABLE", place, what, accepted) from None
    except OSError as error:
        what = error.strerror or str(error)
        raise LoomError("INPUT_UNREADABLE", place, what, "a readable file") from None
    except UnicodeDecodeError:
        what = "bytes that are no UTF-8 text"
        raise LoomError("INPUT_UNREADABLE", place, what, "a text file") from None
    except ValueError as error:
        raise LoomError("INPUT_UNREADABLE", place, str(error), "a file name") from None
    if len(text) > limit:
        what = f"more than {most} Mi characters"
        accepted = "files up to that size, or a larger --max-input"
        raise LoomError("INPUT_TOO_LARGE", place, what, accepted)
    return text


def name_in_places(file: str) -> str:
    """The name of a file of the command line, as places have it: ``-`` is ``<stdin>``."""
    return STDIN if file == "-" else file


def read_characters(stream: TextIO, most: int) -> str:
    """The text up to `most` characters, piece by piece: a read takes memory for all it may give."""
    parts: list[str] = []
    while most > 0 and (part := stream.read(min(most, PIECE))):
        parts.append(part)
        most -= len(part)
    return "".join(parts)


def open_regular_file(file: str, place: Place) -> TextIO:
    """The file, opened to be read; refused if it is a directory, a pipe, a socket or a device.

    Opening does not wait for whoever might write. A pipe that the shell has made for the command,
    as in ``loom check <(generate)``, is read.
    """
    number = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(number).st_mode
    is_pipe_of_shell = stat.S_ISFIFO(mode) and file.startswith(PIPES_OF_SHELL)
    if stat.S_ISDIR(mode) or not (stat.S_ISREG(mode) or is_pipe_of_shell):
        os.close(number)
        of_folder = "; loom regress takes a folder of kernels" if stat.S_ISDIR(mode) else ""
        accepted = f"a regular file, or -{of_folder}"
        raise LoomError("INPUT_UNREADABLE", place, name_kind(mode), accepted)
    os.set_blocking(number, True)
    return open(number, encoding="utf-8-sig")


def name_kind(mode: int) -> str:
    """What a file that is no regular one is, in words."""
    kinds = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")
