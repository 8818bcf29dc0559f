"""Jobs and options that make no sense are refused before anything is built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loom.errors import LoomError, Place, raise_all
from loom_sim.channels import check_channels
from loom_sim.jobs import Activation, Job, SimOptions

MOST_CYCLES = (1 << 32) - 1


def check_jobs(jobs: Sequence[Job], options: SimOptions) -> None:
    """Return if jobs and options can be simulated.

    Refused: SIM_OPTION, and SIM_JOB for activations that do not fit the circuit's ports.
    """
    if not 0 <= options.stalls < 1:
        raise _option("stalls", options.stalls, "a probability of at least 0 and below 1")
    if not 1 <= options.max_cycles <= MOST_CYCLES:
        raise _option("max_cycles", options.max_cycles, f"1 to {MOST_CYCLES} cycles")
    if options.wave is not None and not options.wave.resolve().parent.is_dir():
        raise _option("wave", options.wave, "a file in a folder that exists")
    if options.wave is not None and options.wave.is_dir():
        raise _option("wave", options.wave, "the name of a file, not of a folder")
    if options.wave is not None and options.wave.exists() and not options.wave.is_file():
        raise _option("wave", options.wave, "the name of a file, not of a device")
    raise_all(list(check_channels(jobs, options)))
    for job in jobs:
        for number, activation in enumerate(job.activations):
            _check_activation(job, number, activation)


def _check_activation(job: Job, number: int, activation: Activation) -> None:
    place = Place(f"{job.netlist.name} activation {number}")
    ports = job.netlist.ports
    inputs = {port.name: port.width for port in ports if port.direction == "input"}
    outputs = {port.name: port.width for port in ports if port.direction == "output"}
    memories = {m.name: m for m in job.netlist.memories_outside}
    _check_names(place, "input", activation.inputs, inputs, complete=True)
    _check_names(place, "external memory", activation.memories, memories, complete=True)
    _check_names(place, "output", activation.expected, outputs, complete=False)
    _check_names(place, "output", activation.expected_tokens, outputs, complete=False)
    for name, tokens in activation.inputs.items():
        _check_values(place, f"input {name}", tokens, inputs[name])
    for name, words in activation.memories.items():
        memory = memories[name]
        _check_values(place, f"memory {name}", words, memory.width)
        if len(words) != memory.depth:
            raise _job(place, f"{len(words)} words for memory {name}", f"{memory.depth} words")


def _check_names(
    place: Place,
    kind: str,
    given: Mapping[str, object],
    known: Mapping[str, object],
    *,
    complete: bool,
) -> None:
    accepted = f"the {kind} names of the circuit: {', '.join(known) or 'none'}"
    for name in given:
        if name not in known:
            raise _job(place, f"{kind} {name}", accepted)
    for name in known:
        if complete and name not in given:
            raise _job(place, f"nothing for {kind} {name}", accepted)


def _check_values(place: Place, what: str, values: Sequence[int], width: int) -> None:
    for value in values:
        if not 0 <= value < 1 << width:
            accepted = f"unsigned bit patterns of {width} bits"
            raise _job(place, f"{value} for {what}", accepted)


def _job(place: Place, what: str, accepted: str) -> LoomError:
    return LoomError("SIM_JOB", place, what, accepted)


def _option(name: str, value: object, accepted: str) -> LoomError:
    return LoomError("SIM_OPTION", Place(name), str(value), accepted)
