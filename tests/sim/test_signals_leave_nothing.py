"""A signal during a build of a simulator leaves no compiler, no draft and no temporary file."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes.test_children_end_with_us import is_gone, read_number
from tests.support.folders import EXAMPLES

pytestmark = pytest.mark.sim

COMPILER = """#!/bin/sh
if [ "$1" = --version ]; then exec {compiler} --version; fi
sleep 300 &
echo half > "$TMPDIR/ccHALF.s"
echo $! > {number}.new
mv {number}.new {number}
wait
"""
"""A C++ compiler that does not end, and starts another process, as compilers do."""


@pytest.mark.parametrize(
    "ending", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=lambda ending: ending.name
)
def test_no_compiler_and_no_draft_is_left(ending: signal.Signals, tmp_path: Path) -> None:
    """SIGKILL leaves a draft, which goes with the next build."""
    programs, cache, temporary, number = (
        tmp_path / name for name in ("bin", "cache", "temporary", "number")
    )
    for folder in (programs, cache, temporary):
        folder.mkdir()
    compiler = programs / "g++"
    compiler.write_text(COMPILER.format(compiler=shutil.which("g++"), number=number))
    compiler.chmod(0o755)
    environment = {
        **os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "LOOM_CACHE": str(cache), "TMPDIR": str(temporary),
    }  # fmt: skip
    begin = "import signal, sys\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    begin += "from loom.front.cli import main\nsys.exit(main(sys.argv[1:]))"
    loom = subprocess.Popen(
        [sys.executable, "-c", begin, "sim", str(EXAMPLES / "add.mlir")], env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        compiling = read_number(number)
        loom.send_signal(ending)
        output = loom.communicate(timeout=200)
    finally:
        loom.kill()
        loom.wait()
    assert is_gone(compiling)
    assert list(temporary.iterdir()) == []
    drafts = [path for path in cache.iterdir() if path.is_dir()]
    if ending == signal.SIGKILL:
        assert drafts
        return
    assert drafts == []
    wanted = (130, ("", "interrupted\n")) if ending == signal.SIGINT else (-ending, ("", ""))
    assert (loom.returncode, output) == wanted
