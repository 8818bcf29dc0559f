"""Circuits in Icarus, where what nobody has set is X: before a reset everything is."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from jinja2 import Environment, StrictUndefined
from loom_sim.harness import LEAST_QUIET, HarnessJob, harness_job

from loom.emit import write_files
from loom.netlist.banks import gathered, words_of_bank
from tests.promises.held_starts import Held

NEEDS_ICARUS = pytest.mark.skipif(
    shutil.which("iverilog") is None,
    reason="Icarus, the simulator of four states, is no Python package and not on this machine",
)
TEMPLATE = Path(__file__).with_suffix(".sv.j2")


@dataclass
class FourStateRun:
    """What a run gave; a token or element of which a bit is unknown is None.

    `unknown` says where something unknown mattered, with its cycle.
    """

    outputs: dict[str, list[int | None]] = field(default_factory=dict)
    memories: dict[str, list[int | None]] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def compile_bench(
    held: Held, folder: Path, change: Callable[[str], str] = lambda text: text
) -> Path:
    """The circuit and its bench, compiled by Icarus; `change` plants a fault in the bench."""
    netlist, files = held.kernel.netlist, held.kernel.files
    write_files(folder, files)
    (folder / "bench.sv").write_text(change(bench_text(held)), encoding="utf-8")
    sources = [*files[f"{netlist.name}.f"].split(), "bench.sv"]
    command = ["iverilog", "-g2012", "-DSIMULATION", "-s", "bench", "-o", "image", *sources]
    run(command, folder)
    return folder / "image"


def bench_text(held: Held) -> str:
    """The bench of a circuit, of which the harness says ports, banks and pins."""
    shape = harness_job(0, held.kernel.netlist.name, held.job)
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        top=shape.top,
        ports=shape.ports,
        tokens=held.inputs,
        memories=[*memories_of(shape, held.words)],
        pins=[(inner, outer.partition("_")[2]) for inner, outer in shape.pins],
        channels=[channel.name for channel in shape.channels],
        most_quiet=max(LEAST_QUIET, shape.quiet),
    )


def memories_of(
    shape: HarnessJob, words: Mapping[str, Sequence[int]]
) -> Iterator[Mapping[str, object]]:
    """What the bench needs to know of each outside memory or bank of one."""
    for memory in shape.memories:
        yield {
            "name": memory.name,
            "width": memory.width,
            "bits": memory.address_width,
            "loads": memory.loads,
            "stores": memory.stores,
            "words": words_of_bank(memory.bank, words[memory.bank.array.name]),
        }


def simulate(image: Path, **values: int) -> FourStateRun:
    """A run with the plusargs `stall` [256ths], `reset_at` [cycles] and `seed`."""
    given = [f"+{name}={value}" for name, value in values.items()]
    found = FourStateRun()
    for line in run(["vvp", "-n", image.name, *given], image.parent).splitlines():
        kind, _, rest = line.partition(" ")
        name, _, word = rest.partition(" ")
        if kind in ("T", "M"):
            group = found.outputs if kind == "T" else found.memories
            group.setdefault(name, []).append(None if set(word) & set("xXzZ") else int(word, 16))
        elif kind == "C":
            found.tokens[name] = int(word)
        elif kind == "X":
            found.unknown.append(f"{word}, cycle {name}")
        elif kind != "E":
            found.failed.append(line)
    return found


def differences(held: Held, run: FourStateRun) -> Iterator[str]:
    """Where the run is otherwise than the program says, or something unknown mattered."""
    yield from run.failed
    yield from run.unknown
    for name, tokens in held.outputs.items():
        if run.outputs.get(name, []) != [*tokens]:
            yield f"output {name} gave {run.outputs.get(name, [])}, not {[*tokens]}"
    banks = [memory.bank for memory in harness_job(0, "dut", held.job).memories]
    words = {name: [-1 if w is None else w for w in each] for name, each in run.memories.items()}
    for name, array in gathered(banks, words).items():
        if array != held.memories[name]:
            yield f"memory {name} is not what the activations in order leave"
    for name, count in held.tokens.items():
        if run.tokens[name] != count:
            yield f"channel {name} carried {run.tokens[name]} tokens, {count} expected"


def run(command: Sequence[str], folder: Path) -> str:
    """Standard output of a command, which must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout
