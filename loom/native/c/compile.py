"""A C text compiled to a native program."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from loom.errors import LoomError, Place
from loom.frontend.c.c_options import COptions
from loom.frontend.c.library import DEFAULTS, HEADERS, find_compiler
from loom.native.c.elementary import NOT_BUILTIN, write_library
from loom.processes.child import Limits, run_child

FLAGS = (
    "-O0",
    "-w",
    "-g",
    "-fwrapv",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
)
"""Unoptimised: compilers are free with variables that nothing was assigned to."""
SANITIZERS = (
    "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize=shift-base",
    "-fno-sanitize-recover=all", "-fno-omit-frame-pointer",
)  # fmt: skip
ZEROS, PATTERNS = "-ftrivial-auto-var-init=zero", "-ftrivial-auto-var-init=pattern"
"""Options for the initial values of variables that nothing was assigned to."""
UNKNOWN = re.compile(r"unrecognized|unknown argument|unsupported|cannot find -l|invalid argument")
"""Messages of compilers about options that they do not have."""
LIMITS = Limits(time=120, memory=4 << 30, output=64 << 20, file=1 << 30)
"""What the compiler may use for one text."""
RECORDER = Path(__file__).with_name("recorder.c")


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a C file, the file's own name, and what else its program is made of.

    Headers are also looked for in `folders`. `others` are texts of further C files; `names` are
    those of all files of the user's.
    """

    text: str
    file: str
    options: COptions = DEFAULTS
    folders: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()


def compile_functions(
    compiler: str, folder: Path, environment: dict[str, str], limits: Limits
) -> list[str]:
    """The object of expf and others as circuits compute them; none without integers of 128 bits."""
    path = folder / "functions.o"
    if not path.exists():
        text = folder / "functions.c"
        text.write_text(write_library(), encoding="utf-8")
        command = [compiler, "-w", "-O1", "-fno-builtin", "-c", str(text), "-o", str(path)]
        run_child(command, None, environment, limits)
    return [str(path)] if path.exists() else []


def compile_c(
    source: Source, flags: Sequence[str], folder: Path, limits: Limits = LIMITS
) -> Path | None:
    """The program, or None if the compiler does not have the flags.

    Refused: no compiler (C_NO_COMPILER), a text that it does not take (C_COMPILE), one that takes
    it beyond its limits (C_COMPILE_LIMIT).
    """
    found = find_compiler()
    if found is None:
        accepted = "a machine with a C compiler called cc, gcc or clang; or --inputs BUNDLE.json"
        what = "no C compiler to run main() with"
        raise LoomError("C_NO_COMPILER", Place(source.file), what, accepted)
    program = folder / f"program{len(list(folder.iterdir()))}"
    texts = [folder / f"recorded{number}.c" for number in range(len(source.others) + 1)]
    for path, text in zip(texts, (source.text, *source.others), strict=True):
        path.write_text(text, encoding="utf-8")
    near = [str(Path(source.file).resolve().parent), *source.folders]
    quoted = [word for each in dict.fromkeys(near) for word in ("-iquote", each)]
    environment = {**os.environ, "TMPDIR": str(folder)}
    recorder = str(RECORDER)
    if not source.options.is_default:
        # The user's macros and files are not for the recorder.
        recorder = str(folder / "recorder.o")
        run_child([found, "-w", "-c", str(RECORDER), "-o", recorder], None, environment, limits)
    functions = compile_functions(found, folder, environment, limits)
    command = [found, *FLAGS, *NOT_BUILTIN, f"-std={source.options.standard}", *flags,
               *source.options.preprocessor, *quoted, "-isystem", HEADERS, *map(str, texts),
               recorder, *functions, "-o", str(program), "-lm"]  # fmt: skip
    # What an ended compiler leaves behind goes with the folder.
    done = run_child(command, None, environment, limits)
    if done.exceeded:
        over = {"time": f"{limits.time or 0:g} s",
                "memory": f"{(limits.memory or 0) >> 20} MiB of memory"}  # fmt: skip
        more = over.get(done.exceeded, "it may write")
        what = f"C for which the compiler needs more than {more}"
        accepted = "C that it compiles within that"
        raise LoomError("C_COMPILE_LIMIT", Place(source.file), what, accepted)
    if done.status == 0:
        return program
    if flags and UNKNOWN.search(done.output):
        return None
    message = next((line for line in done.output.splitlines() if "error" in line), done.output)
    accepted = "C that the system's compiler takes"
    if "_BitInt" in source.text:
        accepted += ": for _BitInt clang 15 or gcc 14; or --inputs BUNDLE.json, which needs no run"
    place = re.match(r"(.+?):(\d+):(\d+): .*?error: (.*)", message)
    if place:
        where = Place(place[1], int(place[2]), int(place[3]))
        raise LoomError("C_COMPILE", where, place[4], accepted)
    what = message.strip() or "no program"
    raise LoomError("C_COMPILE", Place(source.file), what, accepted)
