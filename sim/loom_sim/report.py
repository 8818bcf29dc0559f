"""What a co-simulation found, for people."""

from __future__ import annotations

import sys

from loom_sim.jobs import Progress
from loom_sim.kernel import KernelReport


def kernel_lines(report: KernelReport) -> list[str]:
    """A line a run, then the verdict, then what differs."""
    name = report.kernel.netlist.name
    entry = report.to_json()
    lines: list[str] = []
    for number, run in enumerate(entry["runs"]):
        results = ", ".join(map(str, run["results"])) or "none"
        facts = f"{run['cycles']} cycles"
        if run["predicted"] is not None:
            facts += f", {run['predicted']} predicted"
        if run["bound"] is not None:
            facts += f", lower bound {run['bound']} ({run['cycles'] / run['bound']:.2f} x)"
        lines.append(f"{name} activation {number}: results {results}; {facts}")
    source = "source, token model" if report.model.has_program else "token model"
    verdict = (
        f"{source} and RTL agree on {len(report.rtl.runs)} activations and {report.tokens} tokens"
        if report.match
        else "the runs differ"
    )
    shown = [f"  {text}" for text in report.differences[:20]]
    if len(report.differences) > len(shown):
        shown.append(f"  and {len(report.differences) - len(shown)} more")
    return [*lines, f"{name}: {verdict}", *shown]


def table(reports: list[KernelReport]) -> list[str]:
    """One line a kernel: units, cycles, bound, tokens and what matches."""
    rows = [("kernel", "units", "runs", "cycles", "predicted", "bound", "ratio", "tokens", "match")]
    for report in reports:
        bound = sum(outcome.bound for outcome in report.model.outcomes)
        rows.append(
            (
                report.kernel.netlist.name,
                str(len(report.kernel.netlist.units)),
                str(len(report.rtl.runs)),
                str(report.cycles),
                "-" if report.predicted is None else str(sum(report.predicted)),
                str(bound),
                f"{report.cycles / bound:.2f}",
                str(report.tokens),
                "results, memories, tokens" if report.match else report.differences[0],
            )
        )
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if k in (0, 8) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def show_progress(progress: Progress) -> None:
    """One line on standard error that says how far a run has come."""
    print(
        f"\r{progress.cycles} cycles, {progress.activations} activations done",
        end="",
        file=sys.stderr,
        flush=True,
    )
