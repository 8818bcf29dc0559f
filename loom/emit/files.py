"""Files on disk, all or none."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from loom.errors import LoomError, Place
from loom.processes.unwind import unwind_on_signals

DRAFT = ".loom-draft."
"""What the names of files begin with that are not yet in their places."""


@unwind_on_signals()
def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Every file stands under `folder` with its text; on any failure none of them is touched.

    Files are written beside their places first and renamed at the end; a link stays, what it points
    to is written. A place that is no file (a terminal, a pipe, a device) takes its text last.
    Refused: a folder that cannot be written (EMIT_UNWRITABLE).
    """
    place = folder
    streams: list[tuple[Path, str]] = []
    written: list[tuple[Path, Path]] = []
    made: list[Path] = []
    try:
        for relative, text in files.items():
            place = folder / relative
            made += new_folders(place.parent)
            if place.is_dir():
                raise IsADirectoryError(None, "a folder stands there", str(place))
            if place.exists() and not place.is_file():
                streams.append((place, text))
                continue
            if place.is_symlink():
                place = place.resolve()
            handle, name = tempfile.mkstemp(prefix=DRAFT, dir=place.parent)
            written.append((Path(name), place))
            with open(handle, "wb") as stream:
                stream.write(encode_text(text))
            os.chmod(name, 0o666 & ~current_umask())
        for temporary, place in written:
            temporary.replace(place)
        for place, text in streams:
            with place.open("wb") as stream:
                stream.write(encode_text(text))
    except OSError as error:
        raise LoomError(
            "EMIT_UNWRITABLE",
            Place(shown(error, place)),
            f"a place where no file can be written ({error.strerror})",
            "an output folder that can be written",
        ) from error
    finally:
        for temporary, _ in written:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        for folder_made in reversed(made):
            with suppress(OSError):  # only an empty folder can be removed
                folder_made.rmdir()


def encode_text(text: str) -> bytes:
    """The text as it stands in files; half a character, which a name may hold, is escaped."""
    return text.encode("utf-8", "backslashreplace")


def shown(error: OSError, place: Path) -> str:
    """The name that the user knows of what could not be written; `place` for a file beside it."""
    found = str(error.filename or place)
    return str(place) if Path(found).name.startswith(DRAFT) else found


def new_folders(folder: Path) -> list[Path]:
    """The folders that had to be made so that `folder` exists, outermost first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


def current_umask() -> int:
    """The permissions that new files of this process do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
