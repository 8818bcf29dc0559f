"""A guard between LOOM and a program it starts: nothing that the program starts outlives the guard.

It is run as a file, not imported: ``guard.py REPORT PARENT MEMORY PROCESSES CPU FILE LOCALE PROGRAM
ARGUMENT..``. REPORT is the file descriptor that takes one line at the end, ``STATUS REASON PEAK``:
the exit status of the program (negative: a signal), why the guard ended it (``-``: it ended by
itself), and its largest resident memory [bytes]. The numbers are limits, 0 for none: resident
memory of all its processes together [bytes], their number, processor time of one process [s], size
of one file [bytes]. LOCALE is 1 if LC_CTYPE was set.

The program runs in a session of its own. The guard ends it, with all processes below it, when it
has ended by itself, when it is over a limit, when the guard is asked to (SIGTERM), and when LOOM,
the process PARENT, is gone. On Linux the guard adopts processes that have left their parents, so
that daemons are found too; elsewhere only the program's own group of processes is ended, and the
limits of memory and of processes are not kept.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time
from collections.abc import Sequence

INTERVAL = 0.05
"""Between two looks at the processes [s]."""
PATIENCE = 10.0
"""How long processes that do not end are killed again and again [s]."""
SET_DEATH_SIGNAL, SET_SUBREAPER = 1, 36
"""Options of Linux's prctl()."""
PAGE = resource.getpagesize()


def end_with_parent() -> None:
    """This process is killed when the one that has started it ends; Linux only."""
    call_prctl(SET_DEATH_SIGNAL, signal.SIGKILL)


def call_prctl(option: int, value: int) -> None:
    """Linux's prctl() with one argument, where there is one."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


class Watch:
    """The program and its processes; `limits` are those of memory [bytes] and of processes.

    `signals` is the file descriptor that tells of signals.
    """

    # No dataclass: the module would take half of a guard's start.
    def __init__(self, program: int, parent: int, limits: tuple[int, int], signals: int) -> None:
        self.program, self.parent, self.signals = program, parent, signals
        self.memory, self.processes = limits
        self.status: int | None = None
        self.reason = "-"
        self.peak = 0

    def run(self) -> None:
        """The program has ended; what it has left may still run."""
        while self.reason == "-":
            self.reap()
            if self.status is not None:
                return
            if os.getppid() != self.parent:
                self.reason = "orphan"
                return
            self.measure()
            if self.reason != "-":
                return
            came = select.select([self.signals], [], [], INTERVAL)[0]
            if came and signal.SIGTERM in os.read(self.signals, 4096):
                self.reason = "stopped"

    def reap(self) -> None:
        """Processes that have ended are forgotten; the program's status is kept."""
        while True:
            try:
                number, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if number == 0:
                return
            if number == self.program:
                self.status = os.waitstatus_to_exitcode(status)

    def measure(self) -> None:
        """The processes are within their limits, or `reason` names the one that is not kept."""
        found = list_descendants(os.getpid())
        memory = sum(map(measure_memory, found))
        self.peak = max(self.peak, memory)
        if self.processes and len(found) > self.processes:
            self.reason = "processes"
        elif self.memory and memory > self.memory:
            self.reason = "memory"

    def end(self) -> None:
        """No process is left below this one.

        All are stopped before the first is killed, so that none starts another meanwhile.
        """
        send(-self.program, signal.SIGKILL)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            stopped: set[int] = set()
            while new := set(list_descendants(os.getpid())) - stopped:
                for number in new:
                    send(number, signal.SIGSTOP)
                stopped |= new
            for number in stopped:
                send(number, signal.SIGKILL)
            self.reap()
            if not stopped and self.status is not None:
                return
            time.sleep(0.002)


def send(number: int, which: signal.Signals) -> None:
    """The signal is sent, if there is such a process of ours."""
    try:
        os.kill(number, which)
    except (ProcessLookupError, PermissionError):
        return


def list_descendants(root: int) -> list[int]:
    """The processes below a process; none where the system does not list them."""
    children = list_children if os.path.exists(f"/proc/{root}/task/{root}/children") else (
        scan_processes().get
    )  # fmt: skip
    found: list[int] = []
    left = [root]
    while left:
        below = children(left.pop()) or []
        found += below
        left += below
    return found


def list_children(number: int) -> list[int]:
    """The children of a process, as the kernel lists them for each thread."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{number}/task"):
            with open(f"/proc/{number}/task/{thread}/children") as listed:
                found += map(int, listed.read().split())
    except OSError:  # it is gone
        return found
    return found


def scan_processes() -> dict[int, list[int]]:
    """The children of every process, where the kernel has no lists of them."""
    found: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat") as listed:
                    parent = int(listed.read().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            found.setdefault(parent, []).append(int(name))
    return found


def measure_memory(number: int) -> int:
    """The resident memory of a process [bytes]; 0 if it is gone."""
    try:
        with open(f"/proc/{number}/statm") as listed:
            return int(listed.read().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def start(command: Sequence[str], cpu: int, file: int) -> int:
    """The program runs; its number. Raises OSError where it cannot be started."""
    reader, writer = os.pipe()
    guard = os.getpid()
    number = os.fork()
    if number == 0:
        try:
            os.setsid()
            end_with_parent()
            if os.getppid() != guard:
                os._exit(1)
            limit(resource.RLIMIT_CORE, 0)
            if cpu:
                limit(resource.RLIMIT_CPU, cpu)
            if file:
                limit(resource.RLIMIT_FSIZE, file)
            for each in (signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(each, signal.SIG_DFL)
            os.execvp(command[0], [*command])
        except OSError as error:
            os.write(writer, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(writer)
    problem = os.read(reader, 16)
    os.close(reader)
    if problem:
        os.waitpid(number, 0)
        raise OSError(int(problem), command[0])
    return number


def limit(which: int, value: int) -> None:
    """The limit of this process is `value`, or what it was if that is less.

    The hard limit is one more: a process over both is killed without its signal.
    """
    _, most = resource.getrlimit(which)
    if most == resource.RLIM_INFINITY or most > value:
        most = value + 1
    resource.setrlimit(which, (min(value, most), most))


def main(arguments: Sequence[str]) -> int:
    """Guard the program of the command line."""
    report, parent, memory, processes, cpu, file, locale = map(int, arguments[:7])
    if not locale:
        # Python sets it for itself where the locale is C; the program has what LOOM gave it.
        os.environ.pop("LC_CTYPE", None)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for each in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(each, lambda number, frame: None)
    call_prctl(SET_SUBREAPER, 1)
    os.set_inheritable(report, False)
    try:
        program = start(arguments[7:], cpu, file)
    except OSError as error:
        os.write(report, f"{error.errno} unstarted 0\n".encode())
        return 1
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    watch = Watch(program, parent, (memory, processes), reader)
    watch.run()
    watch.end()
    status = int(-signal.SIGKILL) if watch.status is None else watch.status
    os.write(report, f"{status} {watch.reason} {watch.peak}\n".encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
