"""``python -m tests.random_programs``: a campaign over many seeds, or one seed again.

A campaign compares the source reference with the token model, or with the static machine; with
--rtl what has a schedule also in RTL. One seed may also be judged by MLIR's own compiler.
"""

from __future__ import annotations

import argparse
import os
import sys

from tests.random_programs.campaign import chunks, run_campaign, to_stderr
from tests.random_programs.print_program import text_of
from tests.random_programs.replay import MODELS, Way, told
from tests.random_programs.verdict import Choice, Period

SHOWN = 3
"""Findings of a campaign that are shrunk and shown."""


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    made = argparse.ArgumentParser(prog="python -m tests.random_programs", description=__doc__)
    made.add_argument("--seed", type=int, help="judge the program of this seed alone")
    made.add_argument("--print", action="store_true", help="print the program of the seed")
    made.add_argument("--shrink", action="store_true", help="make a failing program smaller")
    made.add_argument(
        "--rtl", action="store_true",
        help="judge the seed in Verilator; with --static, --auto or --islands a campaign, too",
    )  # fmt: skip
    made.add_argument("--static", action="store_true", help="judge the seed's static schedule")
    made.add_argument("--auto", action="store_true", help="judge the seed in the chosen style")
    made.add_argument("--islands", action="store_true", help="judge the seed with static loops")
    made.add_argument(
        "--channels", action="store_true",
        help="with --islands: most arrays outside are behind channels",
    )  # fmt: skip
    made.add_argument("--judge", action="store_true", help="judge the seed by MLIR's compiler")
    made.add_argument("--programs", type=int, default=20000, help="programs of a campaign")
    made.add_argument("--first", type=int, default=0, help="the campaign's first seed")
    made.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    made.add_argument("--activations", type=int, default=2, help="activations a program")
    made.add_argument(
        "--clock-period", type=parse_period, default="drawn", metavar="NS",
        help="of each circuit [ns], or none, in place of one that is drawn from the seed",
    )  # fmt: skip
    made.add_argument("--both", action="store_true", help="both zero-trip policies, not in turns")
    made.add_argument("--seconds", type=float, default=60.0, help="for shrinking a program [s]")
    return made


def parse_period(text: str) -> Period:
    """`drawn`, none, or a number of ns."""
    if text == "drawn":
        return "drawn"
    return None if text == "none" else float(text)


def way_of(given: argparse.Namespace) -> Way:
    """The way that the options ask for; what it needs is imported only then."""
    if given.static:
        from tests.random_programs.statically import STATICALLY

        return STATICALLY
    if given.auto:
        from tests.random_programs.statically import AUTOMATICALLY

        return AUTOMATICALLY
    if given.islands:
        from tests.random_programs.islands import BEHIND, ISLANDS

        return BEHIND if given.channels else ISLANDS
    if given.rtl:
        from tests.random_programs.in_rtl import IN_RTL

        return IN_RTL
    if given.judge:
        from tests.random_programs.natively import NATIVELY

        return NATIVELY
    return MODELS


def one_seed(given: argparse.Namespace) -> int:
    """0 if the program of the seed is right."""
    way = way_of(given)
    choice = Choice(given.activations, not given.rtl, given.clock_period)
    setting = choice.setting(given.seed)
    text = text_of(way.program(given.seed))
    if given.print:
        print(text)
    verdict = way.judge(text, setting)
    print(f"seed {given.seed}: {'a finding' if verdict.finding else 'no finding'}")
    if verdict.finding is None:
        return 0
    seconds = given.seconds if given.shrink else 0.0
    print(told(given.seed, setting, verdict.finding, seconds, way))
    return 1


def campaign(given: argparse.Namespace) -> int:
    """0 if no program of the campaign is wrong; the first wrong ones are shown small."""
    choice = Choice(given.activations, given.both, given.clock_period)
    way = way_of(given)
    work = chunks(way.judge, given.first, given.programs, choice)
    tally = run_campaign(work, given.jobs, to_stderr)
    print(tally)
    for seed, verdict in sorted(tally.wrong, key=lambda pair: pair[0])[:SHOWN]:
        assert verdict.finding is not None
        print(told(seed, choice.setting(seed), verdict.finding, given.seconds, way))
    return 1 if tally.wrong else 0


def campaign_in_rtl(given: argparse.Namespace) -> int:
    """0 if the schedules of all programs, or of the one of a seed, are right in Verilator."""
    from tests.grow.schedules_in_rtl import run_in_rtl

    first, count = (given.first, given.programs) if given.seed is None else (given.seed, 1)
    choice, way = Choice(given.activations, False, given.clock_period), way_of(given)
    tally, simulated = run_in_rtl(range(first, first + count), way, choice, to_stderr)
    print(f"{simulated} in RTL, {tally}")
    for seed, verdict in tally.wrong:
        assert verdict.finding is not None
        print(f"{verdict.finding.kind} of --seed {seed}:", verdict.finding.words, sep="\n")
    return 1 if tally.wrong else 0


def main(arguments: list[str] | None = None) -> int:
    """0 if nothing is wrong, 1 with the programs that are."""
    given = parser().parse_args(arguments)
    if given.rtl and (given.static or given.auto or given.islands):
        return campaign_in_rtl(given)
    if given.seed is not None:
        return one_seed(given)
    if given.rtl or given.judge:
        parser().error("--judge, and --rtl of dynamic circuits, are of one --seed")
    return campaign(given)


if __name__ == "__main__":
    sys.exit(main())
