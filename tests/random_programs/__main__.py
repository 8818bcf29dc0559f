"""``python -m tests.random_programs``: a campaign over many seeds, or one seed again."""

from __future__ import annotations

import argparse
import os
import sys

from tests.random_programs import random_program
from tests.random_programs.campaign import chunks, run_campaign, to_stderr
from tests.random_programs.replay import told
from tests.random_programs.verdict import judge_by_models, setting_of

SHOWN = 3
"""Findings of a campaign that are shrunk and shown."""


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    made = argparse.ArgumentParser(prog="python -m tests.random_programs", description=__doc__)
    made.add_argument("--seed", type=int, help="judge the program of this seed alone")
    made.add_argument("--print", action="store_true", help="print the program of the seed")
    made.add_argument("--shrink", action="store_true", help="make a failing program smaller")
    made.add_argument("--programs", type=int, default=1000, help="programs of a campaign")
    made.add_argument("--first", type=int, default=0, help="the campaign's first seed")
    made.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    made.add_argument("--activations", type=int, default=2, help="activations a program")
    made.add_argument("--seconds", type=float, default=60.0, help="for shrinking a program [s]")
    return made


def main(arguments: list[str] | None = None) -> int:
    """0 if nothing is wrong, 1 with the programs that are."""
    given = parser().parse_args(arguments)
    if given.seed is None:
        work = chunks(judge_by_models, given.first, given.programs, given.activations)
        tally = run_campaign(work, given.jobs, to_stderr)
        wrong = sorted(tally.wrong, key=lambda pair: pair[0])
        print(tally)
    else:
        text = random_program(given.seed)
        if given.print:
            print(text)
        verdict = judge_by_models(text, setting_of(given.seed, given.activations))
        wrong = [(given.seed, verdict)] if verdict.finding else []
        print(f"seed {given.seed}: {'a finding' if wrong else 'no finding'}")
    seconds = given.seconds if given.shrink or given.seed is None else 0.0
    for seed, verdict in wrong[:SHOWN]:
        assert verdict.finding is not None
        setting = setting_of(seed, given.activations)
        print(told(seed, setting, judge_by_models, verdict.finding, "", seconds))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
