"""A signal that ends LOOM leaves no program, no temporary folder, and no draft of a file."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from loom.processes.unwind import ENDING, Stopped, scratch_folder, unwind_on_signals
from tests.processes.test_children_end_with_us import is_gone, read_number
from tests.support.folders import ROOT

LOOM = str(Path(sys.executable).with_name("loom"))
DEFAULT_INTERRUPT = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
SIGNALS = pytest.mark.parametrize("ending", ENDING, ids=lambda ending: ending.name)


def start(program: str, temporary: Path, *arguments: str) -> subprocess.Popen[str]:
    """Python in a session of its own, with the folder for temporary files."""
    environment = {**os.environ, "TMPDIR": str(temporary)}
    return subprocess.Popen(
        [sys.executable, "-c", DEFAULT_INTERRUPT + program, *arguments], cwd=ROOT, text=True,
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


MAIN = """
#include <stdio.h>
#include <unistd.h>
int f(int a) {{ return a; }}
int main(void) {{
  FILE *number = fopen("{0}.new", "w");
  f(1);
  fprintf(number, "%d", getpid());
  fclose(number);
  rename("{0}.new", "{0}");
  sleep(300);
}}
"""


@pytest.mark.parametrize("ending", [*ENDING, signal.SIGKILL], ids=lambda ending: ending.name)
def test_a_program_and_its_folder_are_gone(ending: signal.Signals, tmp_path: Path) -> None:
    """SIGKILL leaves the folder."""
    temporary, number, file = tmp_path / "temporary", tmp_path / "number", tmp_path / "k.c"
    temporary.mkdir()
    file.write_text(MAIN.format(number))
    loom = start("import sys\nfrom loom.front.cli import main\nsys.exit(main(sys.argv[1:]))",
                 temporary, "model", str(file))  # fmt: skip
    program = read_number(number)
    loom.send_signal(ending)
    _, error = loom.communicate(timeout=100)
    assert is_gone(program)
    if ending == signal.SIGINT:
        assert (loom.returncode, error) == (130, "interrupted\n")
    else:
        assert (loom.returncode, error) == (-ending, "")  # 128 + the signal, says a shell
    assert len(list(temporary.iterdir())) == (1 if ending == signal.SIGKILL else 0)
    shutil.rmtree(temporary)


WRITING = """
import sys, time
from pathlib import Path
from loom.emit.files import write_files

class Slow(dict):
    def items(self):
        yield "new/a.sv", "a"
        yield "old.sv", "new"
        print("written", flush=True)
        time.sleep(300)

write_files(Path(sys.argv[1]), Slow())
"""


@SIGNALS
def test_files_are_written_whole_or_not_at_all(ending: signal.Signals, tmp_path: Path) -> None:
    output = tmp_path / "out"
    output.mkdir()
    (output / "old.sv").write_text("old")
    loom = start(WRITING, tmp_path, str(output))
    assert loom.stdout is not None and loom.stdout.readline() == "written\n"
    assert len(list(output.iterdir())) == 3  # the drafts are there
    loom.send_signal(ending)
    loom.communicate(timeout=100)
    assert loom.returncode in ((1, -ending) if ending == signal.SIGINT else (-ending,))
    assert [path.name for path in output.iterdir()] == ["old.sv"]
    assert (output / "old.sv").read_text() == "old"


def test_handlers_are_there_for_the_block_alone() -> None:
    # What runs in the background of a shell ignores interrupts.
    interrupt = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        before = [signal.getsignal(each) for each in ENDING]
        with unwind_on_signals(), unwind_on_signals():
            inside = [signal.getsignal(each) for each in ENDING]
            assert len(set(inside)) == 1 and inside[0] not in before
        assert [signal.getsignal(each) for each in ENDING] == before
    finally:
        signal.signal(signal.SIGINT, interrupt)


def test_a_handler_of_the_caller_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: seen.append(number))
    try:
        with unwind_on_signals():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.01)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == [signal.SIGTERM]


def test_a_second_signal_does_not_disturb_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[int, int]] = []
    kill = os.kill
    undone = False
    monkeypatch.setattr(os, "kill", lambda *given: sent.append(given))
    with pytest.raises(Stopped), unwind_on_signals():
        try:
            kill(os.getpid(), signal.SIGTERM)
            time.sleep(10)
        finally:
            for each in ENDING:
                kill(os.getpid(), each)
            time.sleep(0.01)
            undone = True
    assert undone and sent == [(os.getpid(), signal.SIGTERM)]


def test_in_a_thread_handlers_are_not_touched(tmp_path: Path) -> None:
    found: list[object] = []

    def work() -> None:
        with unwind_on_signals(), scratch_folder() as folder:
            found.extend([folder.is_dir(), signal.getsignal(signal.SIGTERM)])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [True, signal.getsignal(signal.SIGTERM)]
