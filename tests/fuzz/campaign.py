"""Many mutated inputs, one after the other, and what became of them."""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from loom.front.cli import main
from tests.fuzz.corpus import KINDS, Seed, seeds, sound_seeds
from tests.fuzz.judge import TooSlow, Verdict, judge, problems_of, within
from tests.fuzz.mutators import mutate

VERBS = {"program": ("check", "compile", "lower", "model"), "graph": ("check", "emit", "model"),
         "netlist": ("check", "emit"), "bundle": ("model",), "c": ("check", "compile", "lower"),
         "python": ("check", "compile", "lower"), "core": ("compile",)}  # fmt: skip
"""Verbs that run nothing of the user's, but for bundles."""
ENDS = {"netlist": "json", "bundle": "json", "c": "c", "python": "py"}
"""Ends of file names; of the others it is mlir."""


@dataclass
class Tally:
    """Counts of a campaign, by kind too, and the inputs that crashed."""

    kinds: dict[str, Tally] = field(default_factory=dict)
    codes: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    crashes: list[tuple[str, str, bytes]] = field(default_factory=list)

    def count(self, label: str, data: bytes, verdict: Verdict, kind: str = "") -> None:
        if kind:
            self.kinds.setdefault(kind, Tally()).count(label, data, verdict)
        self.codes[verdict.code] += 1
        self.slowest = max(self.slowest, verdict.seconds)
        if verdict.code == "crash":
            self.crashes.append((label, verdict.text, data))

    def line(self) -> str:
        """Inputs, refusals, accepted, crashes, slowest."""
        total = sum(self.codes.values())
        accepted, crashes = self.codes["accepted"], self.codes["crash"]
        return (
            f"inputs={total} refusals={total - accepted - crashes} accepted={accepted} "
            f"crashes={crashes} codes={len(set(self.codes) - {'accepted', 'crash'})} "
            f"slowest={self.slowest:.1f}s"
        )


def inputs(first: int, kinds: tuple[str, ...] = KINDS) -> Iterator[tuple[int, Seed, bytes]]:
    """Mutated inputs without end, each a function of its number."""
    number = first
    while True:
        random = Random(number)
        kind = kinds[number % len(kinds)]
        seed = random.choice(sound_seeds(kind) if random.random() < 0.8 else seeds(kind))
        other = random.choice(seeds(random.choice((kind, kind, random.choice(KINDS)))))
        yield number, seed, mutate(random, seed.text.encode(), other.text.encode())
        number += 1


def run_one(number: int, seed: Seed, data: bytes, folder: Path, every: int) -> Verdict:
    """The verdict about one input: in the library, or every so often through the command."""
    random = Random(~number)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return through_command(seed, data, folder, random)
    if random.randrange(every) == 0:
        return through_command(seed, data, folder, random)
    return judge(seed, text, random)


def through_command(seed: Seed, data: bytes, folder: Path, random: Random) -> Verdict:
    """The command ends with 0, or with 2 and one line a problem, and no file is left over."""
    if seed.kind == "options":
        return judge(seed, data.decode("utf-8", "surrogateescape"), random)
    name = folder / f"input.{ENDS.get(seed.kind, 'mlir')}"
    name.write_bytes(data)
    verb = random.choice(VERBS[seed.kind])
    arguments = [verb, str(name)]
    if seed.kind == "core":
        (folder / "cores").mkdir(exist_ok=True)
        (folder / "cores" / "math.absf.sv.j2").write_bytes(data)
        name.write_text(seed.kernel, encoding="utf-8")
        arguments += ["--cores", str(folder / "cores")]
    if seed.kind == "bundle":
        kernel = folder / "kernel.mlir"
        kernel.write_text(seed.kernel, encoding="utf-8")
        arguments = [verb, str(kernel), "--inputs", str(name)]
    if verb == "model":
        arguments += ["--max-cycles", "500", "--activations", "1"]
    target = folder / "out"
    if verb in ("compile", "emit"):
        arguments += ["-o", str(target)]
    out, err = io.StringIO(), io.StringIO()
    try:
        with within(60.0), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(arguments)
    except (Exception, TooSlow) as error:
        return Verdict("crash", f"loom {verb}: {type(error).__name__}: {error}", 0.0)
    if status == 2 and target.exists():
        return Verdict("crash", f"loom {verb} refuses and leaves files", 0.0)
    remove(target)
    lines = problems_of(err.getvalue())
    if status == 2 and lines and all(": error[" in line for line in lines[:100]):
        return Verdict(lines[0].partition("error[")[2].partition("]")[0], "", 0.0)
    # A bundle may expect something else, a graph may be wrong: a mismatch is an answer.
    differs = status == 1 and verb == "model" and seed.kind in ("bundle", "graph")
    if (status == 0 or differs) and not lines:
        return Verdict("accepted", "", 0.0)
    return Verdict("crash", f"loom {verb} ends with {status}: {(err or out).getvalue()[:300]}", 0.0)


def remove(folder: Path) -> None:
    """The folder and all in it are gone."""
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    if folder.exists():
        folder.rmdir()
