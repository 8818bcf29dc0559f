"""docs/mutation.md: which test kills which mutant."""

from __future__ import annotations

from tests.mutation.listed import PARTS, Part
from tests.mutation.mutant import Mutant
from tests.mutation.run import Outcome

HEAD = """# Mutants

Written by `make mutants`; do not edit. A mutant is one small wrong in one file. Each is put into a
copy of the tree, and tests run until one fails: the quick ones of its part first, then every fast
test, then simulations. The list is in `tests/mutation`.
"""


def page(outcomes: dict[str, Outcome]) -> str:
    """The page: figures, then every mutant."""
    lines = [HEAD, "| part | killed | all | the same as before |", "|---|---|---|---|"]
    for part in PARTS:
        equal = sum(bool(mutant.equal) for mutant in part.mutants)
        lines.append(f"| {part.name} | {killed(part, outcomes)} | {len(part.mutants)} | {equal} |")
    total = sum(len(part.mutants) for part in PARTS)
    equal = sum(bool(mutant.equal) for part in PARTS for mutant in part.mutants)
    dead = sum(killed(part, outcomes) for part in PARTS)
    lines.append(f"| all | {dead} | {total} | {equal} |")
    seconds = sum(each.seconds for each in outcomes.values())
    lines += ["", f"All runs together took {seconds / 3600:.1f} hours of one process.", ""]
    for part in PARTS:
        lines += [
            f"## {part.name.capitalize()}",
            "",
            "| file | wrong | killed by |",
            "|---|---|---|",
        ]
        lines += [row(mutant, outcomes.get(mutant.key)) for mutant in part.mutants]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def killed(part: Part, outcomes: dict[str, Outcome]) -> int:
    """How many mutants of the part some test notices."""
    found = [outcomes.get(mutant.key) for mutant in part.mutants]
    return sum(each is not None and each.killed for each in found)


def row(mutant: Mutant, outcome: Outcome | None) -> str:
    """One line of the table."""
    if mutant.equal:
        by = f"nothing: {mutant.equal}"
    elif outcome is None:
        by = "not run"
    else:
        by = f"`{outcome.by}`" if outcome.killed else "**survived**"
    return f"| {mutant.file} | {mutant.breaks} | {by.replace('|', chr(92) + '|')} |"
