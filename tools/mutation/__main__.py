"""``python -m tools.mutation``: every mutant must be killed by a test, or be explained.

Only mutants are run that docs/mutation.md does not yet tell the end of, and the page is written at
the end. Results are kept as they come, for a run that was broken off. Status 1 if a mutant survives
that has no explanation, or if a stage of tests fails on the tree as it is.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty, Queue

from tools.mutation.listed import PARTS, Part, Stage
from tools.mutation.mutant import ROOT, Mutant
from tools.mutation.page import page, recorded
from tools.mutation.run import Outcome, copied_tree, first_failure, outcome_of

PAGE = ROOT / "docs" / "mutation.md"
KEPT = ROOT / "build" / "mutants.json"


def kept(file: Path) -> dict[str, Outcome]:
    """The outcomes of earlier runs by the mutants' keys: those of the page and of `file`."""
    found = recorded(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    rows = json.loads(file.read_text()) if file.exists() else {}
    return found | {key: Outcome(**row) for key, row in rows.items()}


def keep(file: Path, outcomes: dict[str, Outcome]) -> None:
    """Write the outcomes for the next run."""
    file.parent.mkdir(exist_ok=True)
    rows = {key: {"by": each.by, "seconds": each.seconds} for key, each in outcomes.items()}
    file.write_text(json.dumps(rows, indent=1))


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=900, help="of one stage [s]")
    parser.add_argument("--stages", type=int, default=9, help="no more stages than these")
    parser.add_argument("--only", default="", help="mutants of files whose names hold this")
    parser.add_argument("--fresh", action="store_true", help="run all, told or not")
    parser.add_argument("--kept", type=Path, default=KEPT)
    chosen = parser.parse_args()
    outcomes = {} if chosen.fresh else kept(chosen.kept)
    dead = {key for key, each in outcomes.items() if each.killed}
    work = [
        (part, mutant)
        for part in PARTS
        for mutant in part.mutants
        if chosen.only in mutant.file and mutant.key not in dead and not mutant.equal
    ]
    run_all(work, outcomes, chosen)
    PAGE.write_text(page(outcomes), encoding="utf-8")
    alive = [m for _, m in work if not outcomes[m.key].killed]
    return 1 if alive else 0


def run_all(
    work: list[tuple[Part, Mutant]], outcomes: dict[str, Outcome], chosen: argparse.Namespace
) -> None:
    """Run the mutants, each worker in a tree of its own."""
    began = time.monotonic()
    todo: Queue[tuple[Part, Mutant]] = Queue()
    for each in work:
        todo.put(each)
    sound: set[Stage] = set()

    def worker() -> None:
        with copied_tree() as tree:
            while (next_ := taken(todo)) is not None:
                part, mutant = next_
                found, stage = outcome_of(mutant, part.stages[: chosen.stages], tree, chosen.limit)
                if stage is not None and stage not in sound:
                    require_soundness(stage, tree, chosen.limit)
                    sound.add(stage)
                outcomes[mutant.key] = found
                keep(chosen.kept, outcomes)
                text = f"{mutant.file}: {mutant.breaks}: {found.by} ({found.seconds:.0f} s)"
                print(text, flush=True)

    with ThreadPoolExecutor(chosen.jobs) as pool:
        for future in [pool.submit(worker) for _ in range(chosen.jobs)]:
            future.result()
    print(f"{len(work)} mutants in {(time.monotonic() - began) / 60:.0f} minutes")


def require_soundness(stage: Stage, tree: Path, limit: float) -> None:
    """Return if the stage passes on the tree as it is: otherwise it would kill every mutant."""
    failing = first_failure(stage, tree, limit)
    if failing:
        raise SystemExit(f"fails without a mutant: {failing}")


def taken(todo: Queue[tuple[Part, Mutant]]) -> tuple[Part, Mutant] | None:
    """The next mutant, or None if another worker has taken the last."""
    try:
        return todo.get_nowait()
    except Empty:
        return None


if __name__ == "__main__":
    sys.exit(main())
