"""Many seeds on several processes: figures while they run, and a summary that counts them."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing import get_context

from tests.random_programs import random_program
from tests.random_programs.verdict import Choice, Judge, Verdict

PROGRESS = 15.0
"""The campaign says how far it is so often [s]."""
CHUNK = 20
"""Programs that a process takes at a time; garbage is collected after them [programs]."""


@dataclass
class Tally:
    """Figures of a campaign."""

    programs: int = 0
    tokens: int = 0
    dropped: int = 0
    wrong: list[tuple[int, Verdict]] = field(default_factory=list)

    def add(self, seed: int, verdict: Verdict) -> None:
        """One program more."""
        self.programs += 1
        self.tokens += verdict.tokens
        self.dropped += verdict.dropped
        if verdict.finding is not None:
            self.wrong.append((seed, verdict))

    def __str__(self) -> str:
        return (
            f"{self.programs} programs, {self.tokens} tokens, "
            f"{self.dropped} activations without a result, {len(self.wrong)} mismatches"
        )


@dataclass(frozen=True)
class Chunk:
    """Some seeds with the judge that sees them."""

    judge: Judge
    seeds: range
    choice: Choice

    def run(self) -> list[tuple[int, Verdict]]:
        """The verdicts, with Python's collector at rest meanwhile."""
        gc.disable()
        found = [
            (seed, self.judge(random_program(seed), self.choice.setting(seed)))
            for seed in self.seeds
        ]
        gc.enable()
        gc.collect()
        return found


def chunks(judge: Judge, first: int, count: int, choice: Choice) -> Iterator[Chunk]:
    """The seeds from `first` on, `CHUNK` at a time."""
    for start in range(first, first + count, CHUNK):
        yield Chunk(judge, range(start, min(start + CHUNK, first + count)), choice)


def run_campaign(work: Iterable[Chunk], jobs: int, say: Callable[[str], None]) -> Tally:
    """All chunks have run on `jobs` processes; `say` is told how far it is."""
    tally, began = Tally(), time.monotonic()
    said = began
    with get_context("fork").Pool(jobs) as pool:
        for found in pool.imap_unordered(Chunk.run, work):
            for seed, verdict in found:
                tally.add(seed, verdict)
            if time.monotonic() - said > PROGRESS:
                said = time.monotonic()
                say(f"{tally} in {said - began:.0f} s")
    say(f"{tally} in {time.monotonic() - began:.0f} s")
    return tally


def to_stderr(text: str) -> None:
    """Progress goes where it does not mix with results."""
    print(text, file=sys.stderr, flush=True)
