"""docs/mutation.md: which test kills which mutant, and the record that the next run reads."""

from __future__ import annotations

import re

from tools.mutation.listed import PARTS, Part
from tools.mutation.mutant import Mutant
from tools.mutation.run import Outcome

HEAD = """# Mutants

Written by `make mutants`; do not edit. A mutant is one small wrong in one file. Each is put into a
copy of the tree, and tests run until one fails: the quick ones of its part first, then every fast
test, then simulations. Tests that only compare texts made from the code are not asked, and a stage
out of time kills nothing. The list is in `tools/mutation`.
"""


def page(outcomes: dict[str, Outcome]) -> str:
    """The page: figures, then every mutant."""
    lines = [HEAD, *figures(outcomes)]
    keys = {mutant.key for part in PARTS for mutant in part.mutants if not mutant.equal}
    seconds = sum(each.seconds for key, each in outcomes.items() if key in keys)
    lines += ["", f"The runs that are told here took {seconds / 60:.0f} minutes together.", ""]
    for part in PARTS:
        lines += [
            f"## {part.name.capitalize()}",
            "",
            "| file | wrong | killed by | s | mutant |",
            "|---|---|---|---|---|",
        ]
        lines += [row(mutant, outcomes.get(mutant.key)) for mutant in part.mutants]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def figures(outcomes: dict[str, Outcome]) -> list[str]:
    """The table of how many are killed."""
    lines = ["| part | killed | all | the same as before |", "|---|---|---|---|"]
    total = [0, 0, 0]
    for part in PARTS:
        equal = sum(bool(mutant.equal) for mutant in part.mutants)
        counts = [killed(part, outcomes), len(part.mutants), equal]
        lines.append(f"| {part.name} | {counts[0]} | {counts[1]} | {counts[2]} |")
        total = [sum(pair) for pair in zip(total, counts, strict=True)]
    return [*lines, f"| all | {total[0]} | {total[1]} | {total[2]} |"]


def killed(part: Part, outcomes: dict[str, Outcome]) -> int:
    """How many mutants of the part some test notices."""
    found = [outcomes.get(mutant.key) for mutant in part.mutants if not mutant.equal]
    return sum(each is not None and each.killed for each in found)


def row(mutant: Mutant, outcome: Outcome | None) -> str:
    """One line of the table; the key tells whether the mutant is still the same."""
    seconds = ""
    if mutant.equal:
        by = f"nothing: {mutant.equal}"
    elif outcome is None:
        by = "not run"
    else:
        by = f"`{outcome.by}`" if outcome.killed else f"**{outcome.by}**"
        seconds = f"{outcome.seconds:.0f}"
    wrong, by = (text.replace("|", "\\|") for text in (mutant.breaks, by))
    return f"| {mutant.file} | {wrong} | {by} | {seconds} | {mutant.key} |"


KILLED = re.compile(r"\| `(.+)` \| (\d+) \| (\w+) \|$", re.MULTILINE)


def recorded(text: str) -> dict[str, Outcome]:
    """The kills that a page tells, by the mutants' keys."""
    return {
        key: Outcome(by.replace("\\|", "|"), float(seconds))
        for by, seconds, key in KILLED.findall(text)
    }
