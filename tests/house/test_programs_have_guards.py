"""Programs are started by `loom.processes` alone, and temporary folders end with signals."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.support.folders import ROOT

ALLOWED = {
    "subprocess": {
        "loom/processes/child.py",
        "loom/frontend/c/library.py",  # cc -E -v, of an empty input
        "sim/loom_sim/programs.py",  # --version
    },
    "TemporaryDirectory": {"loom/processes/unwind.py"},
    "mkdtemp": {"sim/loom_sim/cache.py"},  # in `unwind_on_signals`
    "mkstemp": {"loom/emit/files.py"},  # the same
    "os.fork": {"loom/processes/guard.py", "loom/processes/bounded_call.py"},
    "os.exec": {"loom/processes/guard.py"},
    "os.system": set(),
    "os.popen": set(),
    "posix_spawn": set(),
}
"""Ways to start a program or to make a temporary folder, and the files that may use them."""
USED = re.compile(
    r"^\s*(?:import|from) (subprocess)\b|\b(TemporaryDirectory|mkdtemp|mkstemp|posix_spawn)\("
    r"|\b(os\.(?:fork|exec|system|popen))\w*\(",
    re.MULTILINE,
)


def find_unguarded(file: str, text: str) -> Iterator[str]:
    """Ways that the file may not use."""
    for found in USED.finditer(text):
        name = next(filter(None, found.groups()))
        if file not in ALLOWED[name]:
            yield f"{file}: {name}"


def test_programs_are_started_by_one_room() -> None:
    files = [file for room in ("loom", "sim") for file in (ROOT / room).rglob("*.py")]
    wrong = [
        each
        for file in files
        for each in find_unguarded(file.relative_to(ROOT).as_posix(), file.read_text())
    ]
    assert wrong == []


@pytest.mark.parametrize("name", ALLOWED)
def test_an_unguarded_start_is_found(name: str) -> None:
    text = "    import subprocess\n" if name == "subprocess" else f"x = tempfile.{name}(a)\n"
    text = text.replace("tempfile.os.exec", "os.execvp").replace("tempfile.os", "os")
    assert list(find_unguarded("loom/front/cli.py", text)) == [f"loom/front/cli.py: {name}"]
    assert all(not list(find_unguarded(file, text)) for file in ALLOWED[name])
