"""The jobs of a regression as files, for schedulers that run arrays of jobs."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

JOBS, ARRAY, COLLECT = "jobs.txt", "array.sh", "collect.sh"
NUMBERS = ("SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID", "SGE_TASK_ID", "LSB_JOBINDEX")
"""Variables in which schedulers say which job of an array runs."""
HEAD = """#!/bin/sh
# {count} jobs of `loom regress`: sh {array} NUMBER runs one of them. As an array:
#   Slurm        sbatch --array=1-{count} {array}
#   PBS          qsub -J 1-{count} {array}
#   Grid Engine  qsub -t 1-{count} {array}
#   LSF          bsub -J "loom[1-{count}]" sh {array}
# or, on one machine, four at a time: seq {count} | xargs -n 1 -P 4 sh {array}
# When all have ended, whatever their status: sh {collect}
"""
PICK = """number=${{1:-{number}}}
if [ -z "$number" ]; then
  echo "the number of a job is needed, 1 to {count}" >&2
  exit 2
fi
command=$(sed -n "$number"p {jobs})
if [ -z "$command" ]; then
  echo "there is no job $number: 1 to {count}" >&2
  exit 2
fi
exec sh -c "$command"
"""
GATHER = """#!/bin/sh
# The rows of all jobs, from where they are kept; what has none is run here. Then the baseline and
# the tables.
{here} || exit 2
exec {command}
"""


ONLY_LAST = ("--baseline", "--tolerance", "--update", "--junit", "--html", "--sarif", "--json")
"""Options of the last run alone; a job has the others, but for those of `OWN`."""
OWN = ("--emit-jobs", "--jobs", "--cache")
"""Options of which each job has its own, or none."""


def job_files(
    words: Sequence[str], verb: argparse.ArgumentParser, count: int, cache: Path, folder: Path
) -> dict[str, str]:
    """The files of `folder` by name: one command a line, a script of an array, and the last run.

    `words` are those that `verb` was given; jobs keep their rows in `cache`, and the last run finds
    them there.
    """
    found = list(parted(words, verb))
    shared = [word for option, several in found for word in several if option not in ONLY_LAST]
    last = [word for option, several in found for word in several]
    here = f"cd {shlex.quote(os.getcwd())}"
    loom = [sys.executable, "-m", "loom", "regress"]
    kept = ["--cache", str(cache)]
    commands = [
        f"{here} && {shlex.join([*loom, *shared, *kept, '--shard', f'{k}/{count}', '-j', '1'])}\n"
        for k in range(1, count + 1)
    ]
    jobs, array, collect = (shlex.quote(str(folder / name)) for name in (JOBS, ARRAY, COLLECT))
    number = ""
    for name in reversed(NUMBERS):
        number = f"${{{name}:-{number}}}"
    head = HEAD.format(count=count, array=array, jobs=jobs, collect=collect)
    pick = PICK.format(number=number, count=count, jobs=jobs)
    gather = GATHER.format(here=here, command=shlex.join([*loom, *last, *kept]))
    return {JOBS: "".join(commands), ARRAY: head + pick, COLLECT: gather}


def parted(
    words: Sequence[str], verb: argparse.ArgumentParser
) -> Iterator[tuple[str, Sequence[str]]]:
    """Each option with its words, by its full name, and each other word by itself (`""`).

    What is in `OWN` is left out. The verb has accepted the words.
    """
    left = list(words)
    while left:
        word = left.pop(0)
        action = option_of(word, verb)
        if action is None:
            yield "", [word]
            continue
        name = action.option_strings[-1]
        has_value = "=" in word or (not word.startswith("--") and len(word) > 2)
        value = [] if action.nargs == 0 or has_value else [left.pop(0)]
        if name not in OWN:
            yield name, [word, *value]


def option_of(word: str, verb: argparse.ArgumentParser) -> argparse.Action | None:
    """The option that the word names, maybe by the beginning of its name."""
    options = verb._option_string_actions
    if not word.startswith("-"):
        return None
    if not word.startswith("--"):
        return options[word[:2]]
    name = word.partition("=")[0]
    return options.get(name) or next(options[each] for each in options if each.startswith(name))
