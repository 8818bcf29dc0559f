"""A C text as a native program: compiled, run, and its errors told with their places."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from loom.errors import LoomError, Place
from loom.frontend.c.library import STANDARD, find_compiler
from loom.native.wrap import WRAPPER

FLAGS = (
    f"-std={STANDARD}",
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
"""What variables hold that nothing was assigned to."""
UNKNOWN = re.compile(r"unrecognized|unknown argument|unsupported|cannot find -l|invalid argument")
"""What compilers say of options that they do not have."""
SECONDS = 120
"""How long the program may run [s]."""
RECORDER = Path(__file__).with_name("recorder.c")
AT_RUN_TIME = re.compile(r"^(.+?):(\d+):(\d+): runtime error: (.+)$", re.MULTILINE)
ADDRESS = re.compile(r"ERROR: AddressSanitizer: (\S+)")
FRAME = re.compile(r"^\s*#\d+ 0x[0-9a-f]+ in (\S+) (.+?):(\d+)(?::(\d+))?$", re.MULTILINE)
NAMES = {
    "stack-buffer-overflow": "an access outside of a local array",
    "global-buffer-overflow": "an access outside of a global array",
    "heap-buffer-overflow": "an access outside of allocated memory",
    "heap-use-after-free": "an access to freed memory",
    "SEGV": "an access to an address where nothing is",
    "FPE": "a division by zero",
}


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a C file, and the file's own name."""

    text: str
    file: str


def compile_c(source: Source, flags: Sequence[str], folder: Path) -> Path | None:
    """The program, or None if the compiler does not have the flags.

    Refused: no compiler (C_NO_COMPILER), a text that it does not take (C_COMPILE).
    """
    found = find_compiler()
    if found is None:
        accepted = "a machine with a C compiler called cc, gcc or clang; or --inputs BUNDLE.json"
        what = "no C compiler to run main() with"
        raise LoomError("C_NO_COMPILER", Place(source.file), what, accepted)
    text, made = folder / "recorded.c", folder / f"program{len(list(folder.iterdir()))}"
    text.write_text(source.text, encoding="utf-8")
    near = Path(source.file).resolve().parent
    command = [found, *FLAGS, *flags, "-iquote", str(near), str(text), str(RECORDER), "-o",
               str(made), "-lm"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return made
    if flags and UNKNOWN.search(done.stderr):
        return None
    message = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr)
    place = re.match(r"(.+?):(\d+):(\d+): .*?error: (.*)", message)
    if place:
        where = Place(place[1], int(place[2]), int(place[3]))
        raise LoomError("C_COMPILE", where, place[4], "C that the system's compiler takes")
    what = message.strip() or "no program"
    raise LoomError("C_COMPILE", Place(source.file), what, "C that the system's compiler takes")


def run(program: Path, source: Source, environment: Mapping[str, str]) -> int:
    """The exit status of the program, which has ended by itself.

    Refused: what sanitizers find (C_UNDEFINED), a crash (C_CRASHED), a run that does not end
    (C_TIMEOUT).
    """
    limits = {"ASAN_OPTIONS": "detect_leaks=0", "PATH": "/usr/bin:/bin", **environment}
    try:
        done = subprocess.run(
            [str(program)], env=limits, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, timeout=SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        what = f"a main() that still runs after {SECONDS} s"
        raise LoomError("C_TIMEOUT", Place(source.file), what, "programs that end") from None
    told = done.stderr.decode(errors="replace")
    refuse_undefined(told, source)
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        what = f"a main() that ends by the signal {name}"
        raise LoomError("C_CRASHED", Place(source.file), what, "programs that end by themselves")
    if "loom: the recording failed" in told:
        raise LoomError("C_CRASHED", Place(source.file), told.strip(), "room for the recording")
    return done.returncode


def refuse_undefined(told: str, source: Source) -> None:
    """Refuse a program of which a sanitizer says that C does not define what it does."""
    accepted = "programs whose every step C defines"
    found = AT_RUN_TIME.search(told)
    if found:
        place = Place(found[1], int(found[2]), int(found[3]))
        raise LoomError("C_UNDEFINED", place, found[4], accepted)
    kind = ADDRESS.search(told)
    if not kind:
        return
    what = NAMES.get(kind[1], kind[1])
    for frame in FRAME.finditer(told):
        if Path(frame[2]).name == WRAPPER:
            what = "an array that is shorter than the kernel's parameter says"
            raise LoomError("C_UNDEFINED", Place(source.file), what, accepted)
        if Path(frame[2]).name == Path(source.file).name:
            place = Place(source.file, int(frame[3]), int(frame[4] or 1))
            raise LoomError("C_UNDEFINED", place, what, accepted)
    raise LoomError("C_UNDEFINED", Place(source.file), what, accepted)
