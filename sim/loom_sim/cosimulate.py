"""Circuits run in Verilator and come back as plain results."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from loom.errors import LoomError, Place
from loom.model.tokens.endless import endless_channels
from loom.model.tokens.token_simulator import has_rest
from loom.netlist.banks import words_of_bank
from loom.processes.child import HOLD, Finished, Limits, run_child
from loom.processes.output import Listener
from loom.processes.unwind import scratch_folder
from loom_sim.build import Builder, Variant
from loom_sim.cache import cache_root
from loom_sim.channels import channel_settings
from loom_sim.check_jobs import check_jobs
from loom_sim.design import Design, design_of
from loom_sim.harness import TOP
from loom_sim.jobs import Activation, Job, JobResult, Progress, Run, SimOptions
from loom_sim.programs import Programs, find_programs
from loom_sim.results import offered, run_of

ASSERTION = re.compile(r"%Error: \S+ Assertion failed in \S*?\bjob_(\d+)\.dut\.?(\S*?):? (.*)")
PROGRESS = re.compile(r"loom-progress (\d+) (\d+) (\d+)")
BENCH = "loom_sim.bench"
TAIL_LINES = 20
MEMORY = 16 << 30
"""Resident memory of a simulator [bytes]."""
SPARE_CYCLES = 1000
"""A bench gives up so long after its activations must have ended [cycles]."""

Answer = list[list[dict[str, Any]]]


def cosimulate(jobs: Sequence[Job], options: SimOptions = SimOptions()) -> list[JobResult]:  # noqa: B008 (frozen)
    """Every job has run all its activations, without a reset between them; results in job order.

    All jobs share one build and run side by side, so that a hundred small circuits cost little
    more than one. What happens in a job does not depend on the others. A job ends early at an
    activation in which outputs are missing.
    Refused: SIM_JOB and SIM_FILES for jobs that do not fit their circuits, SIM_OPTION,
    SIM_NO_SIMULATOR, SIM_NO_COMPILER, SIM_CACHE, SIM_FOLDER, SIM_BUILD, SIM_TIMEOUT and
    SIM_CRASHED.
    """
    check_jobs(jobs, options)
    if not jobs:
        return []
    wanted = jobs
    jobs = [with_rest(job) for job in jobs]
    programs = find_programs()
    design = design_of(jobs, options.profile)
    builder = Builder(programs, cache_root(options.cache), options.build_timeout)
    simulator = builder.simulator(design, Variant(options.wave is not None, bool(options.fast)))
    output, answer = _run(simulator, design, jobs, options, programs)
    assertions: list[list[str]] = [[] for _ in jobs]
    for match in ASSERTION.finditer(output):
        assertions[int(match[1])].append(
            f"{match[2] or design.jobs[int(match[1])].top}: {match[3]}"
        )
    return [
        JobResult(
            job.netlist.name,
            tuple(runs_of(job, runs)),
            tuple(dict.fromkeys(failed)),
        )
        for job, runs, failed in zip(wanted, answer, assertions, strict=True)
    ]


def with_rest(job: Job) -> Job:
    """The job, for a circuit with tokens of its own behind an activation without tokens.

    That one shows where its own tokens lie at rest.
    """
    if job.black_box or not has_rest(job.netlist) or not job.activations:
        return job
    ports = job.netlist.ports
    idle = Activation(
        {port.name: () for port in ports if port.direction == "input"},
        job.activations[0].memories,
        expected_tokens={port.name: 0 for port in ports if port.direction == "output"},
    )
    return replace(job, activations=(idle, *job.activations))


def runs_of(job: Job, raw: Sequence[Mapping[str, Any]]) -> Iterator[Run]:
    """The results of the job's own activations."""
    resting = frozenset[str]() if job.black_box else frozenset(endless_channels(job.netlist))
    if not job.black_box and has_rest(job.netlist) and raw:
        resting, raw = offered(job.netlist, raw[0]), raw[1:]
    for activation, each in zip(job.activations, raw, strict=False):
        yield run_of(job, activation, each, resting)


def _run(
    simulator: Path,
    design: Design,
    jobs: Sequence[Job],
    options: SimOptions,
    programs: Programs,
) -> tuple[str, Answer]:
    """What the simulator printed and answered."""
    command = [str(simulator), *_plusargs(options)]
    if options.wave is not None:
        command += ["--trace", "--trace-file", str(options.wave.resolve())]
    environment = simulation_environment(programs, BENCH)
    limits = Limits(options.timeout, options.silence, MEMORY)
    try:
        with scratch_folder("loom-sim-") as folder:
            (folder / "plan.json").write_text(json.dumps(_plan(design, jobs, options)))
            done = run_child(command, folder, environment, limits, _listener(options), streams=HOLD)
            answer = folder / "answer.json"
            text = answer.read_text() if answer.is_file() else ""
    except OSError as error:
        raise LoomError(
            "SIM_FOLDER",
            Place(error.filename or tempfile.gettempdir()),
            f"a temporary folder or simulator that cannot be used ({error.strerror or error})",
            "a folder for temporary files with room left; set TMPDIR to one",
        ) from error
    return done.output, _answer(done, text, options)


def _answer(done: Finished, text: str, options: SimOptions) -> Answer:
    """The answer that a simulator has left, which must have ended by itself."""
    if done.timed_out:
        limit = f"in {options.timeout:g} s" if options.timeout else "and said nothing for long"
        raise LoomError(
            "SIM_TIMEOUT",
            Place("simulator"),
            f"a simulation that did not end {limit}{_tail(done)}",
            "circuits that end in time; raise the timeout, or lower max_cycles",
        )
    if done.ended:
        what = f"a simulation that takes more than {MEMORY >> 30} GiB of memory"
        if done.ended != "memory":
            what = "a simulation that somebody has stopped"
        accepted = "simulations that end by themselves"
        raise LoomError("SIM_CRASHED", Place("simulator"), what + _tail(done), accepted)
    # A failed assertion makes the status 1, with an answer all the same.
    if done.status < 0 or not text:
        end = f"signal {-done.status}" if done.status < 0 else f"status {done.status}"
        raise LoomError(
            "SIM_CRASHED",
            Place("simulator"),
            f"a simulator that ended with {end} and no answer{_tail(done)}",
            "a simulation that runs to its end",
        )
    if options.wave is not None and not options.wave.is_file():
        raise LoomError(
            "SIM_OPTION",
            Place("wave"),
            f"{options.wave}, which cannot be written",
            "a file in a folder that can be written",
        )
    answer: Answer = json.loads(text)
    return answer


def _plan(design: Design, jobs: Sequence[Job], options: SimOptions) -> Mapping[str, object]:
    return {
        "stall": round(options.stalls * 65536),
        "shy": int(options.is_shy),
        "seed": options.seed & 0xFFFFFFFF,
        "max_cycles": options.max_cycles,
        "last_cycle": max(
            SPARE_CYCLES + len(job.activations) * (options.max_cycles + shape.quiet + SPARE_CYCLES)
            for shape, job in zip(design.jobs, jobs, strict=True)
        ),
        "jobs": [
            {
                "inputs": shape.inputs,
                "outputs": shape.outputs,
                "memories": [
                    {
                        "name": m.name,
                        "file": m.file,
                        "settings": dict(channel_settings(job.netlist, m.bank.array.name, options)),
                    }
                    for m in shape.memories
                ],
                "report": shape.report,
                "profile": shape.profile_file if shape.profile else None,
                "limited": shape.limited,
                "black_box": shape.black_box,
                "activations": [
                    {
                        "inputs": {name: list(activation.inputs[name]) for name in shape.inputs},
                        "memories": {
                            m.name: words_of_bank(m.bank, activation.memories[m.bank.array.name])
                            for m in shape.memories
                        },
                        "expected": {n: list(t) for n, t in activation.expected.items()},
                        "wanted": {n: activation.tokens_expected(n) for n in shape.outputs},
                        "limits": {n: activation.tokens_expected(n) for n in shape.limited},
                    }
                    for activation in job.activations
                ],
            }
            for shape, job in zip(design.jobs, jobs, strict=True)
        ],
    }


def _plusargs(options: SimOptions) -> list[str]:
    # Registers without a reset start at random; a failed assertion is noted and the run goes on.
    seed = options.seed % 0x7FFFFFFE + 1
    return [
        "+verilator+rand+reset+2",
        f"+verilator+seed+{seed}",
        f"+verilator+error+limit+{0x7FFFFFFF}",
    ]


@cache
def _libpython() -> str:
    import find_libpython

    found: str | None = find_libpython.find_libpython()
    if found is None:
        raise LoomError(
            "SIM_NO_SIMULATOR",
            Place(sys.executable),
            "a Python without a shared library",
            "a Python built with --enable-shared: the simulator runs Python inside",
        )
    return found


def simulation_environment(programs: Programs, bench: str) -> Mapping[str, str]:
    """What a simulator's process needs to run the cocotb test in the module `bench`."""
    import cocotb_tools.config

    # What a user's shell has set for runs of his own must not change ours.
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("COCOTB_", "GPI_", "PYGPI_"))
    }
    environment.update(
        PATH=os.pathsep.join([environment.get("PATH", ""), str(programs.cocotb_libraries)]),
        PYTHONPATH=os.pathsep.join(entry for entry in sys.path if entry),
        PYGPI_PYTHON_BIN=sys.executable,
        GPI_USERS=f"{_libpython()};{cocotb_tools.config.pygpi_entry_point()}",
        COCOTB_TOPLEVEL=TOP,
        COCOTB_TEST_MODULES=bench,
        COCOTB_RESULTS_FILE="results.xml",
        COCOTB_LOG_LEVEL="WARNING",
        COCOTB_TRUST_INERTIAL_WRITES="1",
        COCOTB_RANDOM_SEED="1",
        TOPLEVEL_LANG="verilog",
    )
    return environment


def _listener(options: SimOptions) -> Listener:
    def heard(line: str) -> bool:
        found = PROGRESS.fullmatch(line)
        if found is not None and options.progress is not None:
            options.progress(Progress(*map(int, found.groups())))
        return found is not None

    return heard


def _tail(done: Finished) -> str:
    lines = [line for line in done.output.splitlines() if line.strip()][-TAIL_LINES:]
    return ":\n  " + "\n  ".join(lines) + "\n" if lines else ""
