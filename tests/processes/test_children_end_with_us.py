"""What LOOM starts is bounded, and gone when LOOM is: also daemons, also after SIGKILL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from loom.processes import child
from loom.processes.child import (
    KEEP_ALL,
    KEEP_ERRORS,
    Finished,
    Limits,
    Streams,
    run_child,
    run_children,
)
from loom.processes.output import KEPT, LONGEST_LINE, Output
from tests.support.folders import ROOT

UNLIMITED = Limits()
LONG = 300
"""Longer than any test here [s]."""
DAEMON = f"""
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open(sys.argv[1], "w").write(str(os.getpid()))
        os.rename(sys.argv[1], sys.argv[2])
        time.sleep({LONG})
    os._exit(0)
while not os.path.exists(sys.argv[2]):
    time.sleep(0.01)
"""
"""A program that leaves a daemon, whose number is in the file of the second argument, and ends."""
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these means")


def run(*command: str, limits: Limits = UNLIMITED, streams: Streams = KEEP_ALL) -> Finished:
    return run_child(command, None, os.environ, limits, streams=streams)


def python(text: str, *arguments: str, limits: Limits = UNLIMITED) -> Finished:
    return run(sys.executable, "-S", "-c", text, *arguments, limits=limits)


def is_running(process: int) -> bool:
    """True of a process that is neither gone nor a zombie."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] != "Z"


def is_gone(process: int) -> bool:
    """True as soon as the process is gone; false if it is not in a long time."""
    deadline = time.monotonic() + 60
    while is_running(process):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def read_number(file: Path) -> int:
    """The number in the file, which somebody is about to write."""
    deadline = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return int(file.read_text())


def test_status_and_output() -> None:
    assert run("sh", "-c", "echo out; echo error >&2; exit 3") == Finished(3, "out\nerror\n")
    silent = run("sh", "-c", "echo out; echo error >&2", streams=KEEP_ERRORS)
    assert silent == Finished(0, "error\n")
    assert run("sh", "-c", "kill -SEGV $$").status == -signal.SIGSEGV
    assert run("cat") == Finished(0, "")
    with pytest.raises(FileNotFoundError, match="/no/such/program"):
        run("/no/such/program")


def test_the_environment_is_the_one_that_is_given() -> None:
    given = {"A": "1", "PATH": os.environ["PATH"]}
    found = run_child(["env"], None, given, Limits()).output.split("\n")
    assert {line for line in found if not line.startswith("_=")} == {
        *(f"{name}={value}" for name, value in given.items()), "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("limits", "program", "ended"),
    [
        (Limits(time=0.3), f"import time; time.sleep({LONG})", "time"),
        (Limits(silence=0.3), f"import time; print(1); time.sleep({LONG})", "silence"),
        (Limits(output=1 << 16), "while True: print('x' * 1000)", "output"),
        pytest.param(
            Limits(memory=64 << 20), f"import time; x = b'x' * (1 << 27); time.sleep({LONG})",
            "memory", marks=LINUX,
        ),
        pytest.param(
            Limits(processes=10),
            f"import os, time; [os.fork() or time.sleep({LONG}) for _ in range(20)]; "
            f"time.sleep({LONG})",
            "processes", marks=LINUX,
        ),
        (Limits(file=1000), "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL); "
         "open('big', 'wb').write(bytes(2000))", "file"),
        (Limits(cpu=1), "while True: pass", "time"),
    ],
)  # fmt: skip
def test_a_limit_ends_the_program(
    limits: Limits, program: str, ended: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = python(program, limits=limits)
    assert found.exceeded == ended
    assert found.status < 0


def test_a_program_within_its_limits_ends_by_itself(tmp_path: Path) -> None:
    limits = Limits(
        time=LONG, silence=LONG, memory=1 << 30, processes=10, output=100, file=100, cpu=LONG
    )
    found = python("open(__import__('sys').argv[1], 'w').write('x' * 99); print(1)",
                   str(tmp_path / "f"), limits=limits)  # fmt: skip
    assert (found.status, found.output, found.exceeded) == (0, "1\n", "")
    assert 0 <= found.memory < 1 << 30


@LINUX
def test_a_daemon_ends_with_its_program(tmp_path: Path) -> None:
    number = tmp_path / "number"
    assert python(DAEMON, str(tmp_path / "new"), str(number)).status == 0
    assert is_gone(int(number.read_text()))


@LINUX
def test_without_a_guard_the_daemon_stays(tmp_path: Path) -> None:
    """The fault that the guard is there for."""
    number = tmp_path / "number"
    subprocess.run([sys.executable, "-c", DAEMON, str(tmp_path / "new"), str(number)], check=True)
    daemon = int(number.read_text())
    assert is_running(daemon)
    os.kill(daemon, signal.SIGKILL)


def start_loom(tmp_path: Path) -> tuple[subprocess.Popen[bytes], list[int]]:
    """A process that runs two programs with daemons, and the numbers of all four."""
    programs = [
        [sys.executable, "-S", "-c", f"{DAEMON}\nopen(sys.argv[3], 'w').write(str(os.getpid()))\n"
         f"os.rename(sys.argv[3], sys.argv[4])\ntime.sleep({LONG})",
         *(str(tmp_path / f"{name}{k}") for name in ("new", "daemon", "draft", "program"))]
        for k in range(2)
    ]  # fmt: skip
    text = (
        "import os, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "signal.signal(signal.SIGQUIT, signal.SIG_DFL)\n"
        "from loom.processes.child import Limits, run_children\n"
        f"run_children({programs!r}, None, os.environ, Limits())\n"
    )
    loom = subprocess.Popen([sys.executable, "-c", text], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        names = [f"{name}{k}" for name in ("daemon", "program") for k in range(2)]
        return loom, [read_number(tmp_path / name) for name in names]
    except BaseException:
        loom.kill()
        raise


@LINUX
@pytest.mark.parametrize(
    "ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT]
)
def test_no_child_outlives_loom(ending: signal.Signals, tmp_path: Path) -> None:
    loom, processes = start_loom(tmp_path)
    loom.send_signal(ending)
    assert loom.wait(timeout=60) == (1 if ending == signal.SIGINT else -ending) or (
        ending == signal.SIGINT and loom.returncode == -ending
    )
    assert [number for number in processes if not is_gone(number)] == []


@LINUX
def test_a_program_ends_with_its_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    """What kills the guard has not freed the program."""
    text = "import os, signal, time\nprint(os.getpid(), flush=True)\n"
    text += f"os.kill(os.getppid(), signal.SIGKILL)\ntime.sleep({LONG})"
    monkeypatch.setattr(child, "LAST_BREATH", 0.0)
    found = python(text)
    assert found.status == -signal.SIGKILL
    assert is_gone(int(found.output))


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 2), (0, 1, 2)])
def test_standard_streams_may_be_closed(closed: tuple[int, ...], tmp_path: Path) -> None:
    text = (
        "import os, sys\nfrom pathlib import Path\n"
        "from loom.processes.child import Limits, run_child\n"
        f"for each in {closed}:\n    os.close(each)\n"
        "done = run_child(['sh', '-c', 'echo out; echo error >&2; exit 3'], None, os.environ, "
        "Limits())\n"
        "Path(sys.argv[1]).write_text(repr((done.status, done.output)))\n"
    )
    answer = tmp_path / "answer"
    subprocess.run([sys.executable, "-c", text, str(answer)], cwd=ROOT, check=False)
    assert answer.read_text() == repr((3, "out\nerror\n"))


def test_children_run_side_by_side(tmp_path: Path) -> None:
    """Each makes a file and waits for that of the other; one after the other they never end."""
    commands: Sequence[Sequence[str]] = [
        ["sh", "-c", f"touch {own}; until test -e {other}; do sleep 0.01; done"]
        for own, other in (("a", "b"), ("b", "a"))
    ]
    ended = run_children(commands, tmp_path, os.environ, Limits(time=100.0))
    assert [each.status for each in ended] == [0, 0]


def test_one_that_cannot_start_ends_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, start = tmp_path / "number", child._start
    running: list[int] = []

    def start_when_the_other_runs(command: Sequence[str], *rest: Any) -> Any:
        if command == unknown:
            running.append(read_number(number))
        return start(command, *rest)

    begins = ["sh", "-c", f"echo $$ > new; mv new number; exec sleep {LONG}"]
    unknown = ["/no/such"]
    monkeypatch.setattr(child, "_start", start_when_the_other_runs)
    with pytest.raises(FileNotFoundError):
        run_children([begins, unknown], tmp_path, os.environ, Limits())
    (other,) = running
    assert not is_running(other)


def test_of_a_long_output_head_and_tail_are_kept() -> None:
    output = Output()
    for k in range(3000):
        output.add(b"%07d\n" % k * 100)
    assert output.total == 2_400_000
    text = output.text()
    assert text.startswith("0000000\n") and text.endswith("0002999\n") and "\n...\n" in text
    assert len(text) == 2 * KEPT + 5
    assert len(output.head) + len(output.tail) <= 3 * KEPT + 800


def test_a_short_output_is_kept_whole() -> None:
    output = Output()
    text = "".join(f"{k}\n" for k in range(50_000))
    assert KEPT < len(text) < 2 * KEPT
    output.add(text.encode())
    assert output.text() == text


def test_listeners_hear_lines_not_floods() -> None:
    heard: list[str] = []
    output = Output(lambda line: heard.append(line) is None and line.startswith("a"))
    for data in (b"a1\nb", b"2\na3\n", *[b"x" * LONGEST_LINE] * 9, b"y\nend"):
        output.add(data)
    assert heard == ["a1", "b2", "a3"]
    assert output.text().startswith("b2\nxx") and output.text().endswith("end")
    assert len(output.rest) == 3
