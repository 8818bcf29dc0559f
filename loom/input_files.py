"""Text files that the user names: readable, UTF-8, and of a size that can be worked on."""

from __future__ import annotations

import io
import os
import stat
import sys
from typing import TextIO

from loom.errors import LoomError, Place

STDIN = "<stdin>"
"""What places call standard input."""
PIPES_OF_SHELL = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""Where a command finds the pipes that it was started with."""
MOST_MEGABYTES = 16
"""Size of the longest input [Mi characters]: a program of this size takes a minute or two to read
and some gigabytes of memory."""


def read_text(file: str, most: int = MOST_MEGABYTES) -> str:
    """The text of a file, or of standard input for ``-``, which problems call ``<stdin>``.

    No more than `most` [Mi characters] are read before the rest is refused (INPUT_TOO_LARGE), so a
    file that never ends is refused too. Refused as well: files that cannot be read, or are no
    UTF-8 text (INPUT_UNREADABLE).
    """
    limit, place = most << 20, Place(name_in_places(file))
    try:
        if file == "-":
            # In some locales Python would let any bytes through.
            if isinstance(sys.stdin, io.TextIOWrapper):
                sys.stdin.reconfigure(encoding="utf-8", errors="strict")
            text = sys.stdin.read(limit + 1)
        else:
            with open_regular_file(file, place) as stream:
                text = stream.read(limit + 1)
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
        raise LoomError("INPUT_UNREADABLE", place, name_kind(mode), "a regular file, or -")
    os.set_blocking(number, True)
    return open(number, encoding="utf-8")


def name_kind(mode: int) -> str:
    """What a file that is no regular one is, in words."""
    kinds = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")
