"""The report of a static schedule as a page: its steps over the cycles, and what starts when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from loom.draw.of_schedule import Bar, Chart
from loom.model.fsmd.record_spans import MOST_CYCLES, SpanRun

WIDTH, NAMES, ROW, CELL = 900, 190, 20, 26
"""Of the timeline, of the names beside it, height of a row, width of a cycle [pixels]."""
TICKS = 8
STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; --bar: #1667c2;
  --issue: #d9480f; --edge: #8885; }
@media (prefers-color-scheme: dark) { :root { --bar: #7db6f5; --issue: #ffa94d; } }
body { margin: 1.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--edge); }
th:first-child, td:first-child { text-align: left; }
td.slot { min-width: 2rem; text-align: center; }
td.taken { background: color-mix(in srgb, var(--bar) 35%, transparent); }
svg text { fill: currentColor; font-size: 12px; }
.tick { stroke: var(--edge); }
.bar { fill: var(--bar); }
.issue { fill: var(--issue); }
summary { cursor: pointer; font-weight: 600; margin-top: 1rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.source td:first-child { color: #888; user-select: none; }
.source td { text-align: left; padding: 0 .7rem; border: 0; white-space: pre;
  font: 13px/1.5 ui-monospace, monospace; }
.source tr:target { background: color-mix(in srgb, var(--issue) 30%, transparent); }
"""


@dataclass(frozen=True)
class Schedule:
    """What the page shows: the text of the report, the source, and a chart beside each step.

    `cycles` are those of the activation that `runs` are of, which may be its first ones.
    """

    name: str
    summary: Sequence[str]
    source: str
    cycles: int
    runs: Sequence[SpanRun]
    charts: Sequence[Chart | None]

    @property
    def shown(self) -> int:
        """The cycles that are shown."""
        return max(1, min(self.cycles, MOST_CYCLES))


def schedule_page(found: Schedule) -> str:
    """One file of HTML without scripts."""
    parts = [
        "<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{escape(found.name)}: static schedule</title>",
        f"<style>{STYLE}</style>", "</head>", "<body>",
        f"<h1>{escape(found.name)}</h1>", f"<pre>{escape(chr(10).join(found.summary))}</pre>",
        f"<h2>The first activation: {span_of(found)}</h2>",
        "<p>Blue: the step runs; orange: an iteration issues.</p>",
        '<div class="wide">', *timeline(found), "</div>",
        '<div class="wide">', *step_table(found), "</div>",
        "<h2>What starts when</h2>",
        "<p>Cycles of a run, or of an iteration. Thin bars are parts of a chain in one cycle.</p>",
    ]  # fmt: skip
    for run, chart in zip(found.runs, found.charts, strict=True):
        if chart is not None:
            parts += chart_section(run, chart)
    rows = (
        f'<tr id="L{number}"><td>{number}</td><td>{escape(text)}</td></tr>'
        for number, text in enumerate(found.source.splitlines(), 1)
    )
    parts += ["<h2>Source</h2>", '<div class="wide"><table class="source">', *rows]
    return "\n".join([*parts, "</table></div>", "</body>", "</html>"]) + "\n"


def span_of(found: Schedule) -> str:
    """The cycles that are shown, in words."""
    if found.shown < found.cycles:
        return f"the first {found.shown:,} of {found.cycles:,} cycles"
    return f"{found.cycles:,} cycles"


def title_of(run: SpanRun) -> str:
    """A step in words."""
    line = run.span.place.line
    return f"{run.span.kind} at line {line}" if line else run.span.kind


def timeline(found: Schedule) -> Iterator[str]:
    """A row for each step: where it runs, and above it where iterations issue."""
    height = ROW * (len(found.runs) + 1)
    scale = (WIDTH - NAMES) / found.shown
    yield f'<svg width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img">'
    yield "<title>The steps over the cycles</title>"
    for k in range(TICKS + 1):
        cycle = round(k * found.shown / TICKS)
        x = round(NAMES + cycle * scale, 1)
        yield f'<line class="tick" x1="{x}" x2="{x}" y1="0" y2="{height - ROW}"/>'
        anchor = "end" if k == TICKS else "middle"
        yield f'<text x="{x}" y="{height - 5}" text-anchor="{anchor}">{cycle}</text>'
    for number, run in enumerate(found.runs):
        y = ROW * number
        indent = 10 * min(run.span.depth, 6)
        yield f'<text x="{indent}" y="{y + 14}">{escape(title_of(run))}</text>'
        issues = [(cycle, cycle) for cycle in run.issues]
        yield bars("bar", run.runs, y + 8, ROW - 10, scale)
        yield bars("issue", issues, y + 3, 4, scale)
    yield "</svg>"


def bars(kind: str, runs: Sequence[tuple[int, int]], y: int, height: int, scale: float) -> str:
    """Runs as one path; those less than half a pixel apart are one bar."""
    merged: list[tuple[float, float]] = []
    for begin, end in runs:
        left, right = (begin - 1) * scale, end * scale
        if merged and left - merged[-1][1] < 0.5:
            merged[-1] = merged[-1][0], right
        else:
            merged.append((left, right))
    path = "".join(
        f"M{NAMES + left:.1f} {y}h{max(right - left - 0.6, 0.6):.1f}v{height}H{NAMES + left:.1f}z"
        for left, right in merged
    )
    return f'<path class="{kind}" d="{path}"/>'


def step_table(found: Schedule) -> Iterator[str]:
    """Of each step: runs, cycles, the share of those shown, iterations, use of its II."""
    head = ("step", "runs", "cycles", "of those shown", "II", "iterations", "issue slots used")
    yield "<table>" + row("th", head)
    for run, chart in zip(found.runs, found.charts, strict=True):
        ii = None if chart is None else chart.ii
        busy = run.busy
        share = f"{busy / found.shown:.0%}"
        issued = ("-",) * 3
        if ii is not None:
            used = f"{len(run.issues) * ii / busy:.0%}" if busy else "-"
            issued = (str(ii), str(len(run.issues)), used)
        yield row("td", (title_of(run), str(len(run.runs)), str(busy), share, *issued))
    yield "</table>"


def row(tag: str, cells: Sequence[str]) -> str:
    """One line of a table."""
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def chart_section(run: SpanRun, chart: Chart) -> Iterator[str]:
    """What is in a step: its operations over the cycles, and the reservations of a pipeline."""
    ii = "" if chart.ii is None else f", II = {chart.ii}"
    yield f"<details open><summary>{escape(title_of(run))}: length {chart.length}{ii}</summary>"
    yield from ('<div class="wide">', *chart_drawing(chart), "</div>")
    if chart.reservations:
        assert chart.ii is not None
        slots = [f"{k}" for k in range(chart.ii)]
        yield '<div class="wide"><table>'
        yield row("th", ["port or unit, cycle modulo II", *slots, "how many", "used"])
        for each in chart.reservations:
            cells = "".join(
                f'<td class="slot{" taken" if lines else ""}">{", ".join(map(link, lines))}</td>'
                for lines in each.lines
            )
            rest = f"<td>{each.count}</td><td>{each.share:.0%}</td>"
            yield f"<tr><td>{escape(each.resource)}</td>{cells}{rest}</tr>"
        yield "</table></div>"
    yield "</details>"


def link(line: int) -> str:
    """A line, which leads to the source."""
    return f'<a href="#L{line}">{line}</a>' if line else "-"


def chart_drawing(chart: Chart) -> Iterator[str]:
    """A bar for each operation, from its start to its result; thin ones are parts of a chain."""
    width = NAMES + CELL * (chart.length + 1)
    height = ROW * (len(chart.bars) + 1)
    yield f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">'
    yield "<title>Operations by start</title>"
    for cycle in range(chart.length + 1):
        x = NAMES + CELL * cycle
        yield f'<line class="tick" x1="{x}" x2="{x}" y1="0" y2="{height - ROW}"/>'
        if cycle < chart.length:
            yield f'<text x="{x + CELL // 2}" y="{height - 5}" text-anchor="middle">{cycle}</text>'
    for number, bar in enumerate(chart.bars):
        yield from bar_drawing(bar, ROW * number)
    yield "</svg>"


def bar_drawing(bar: Bar, y: int) -> Iterator[str]:
    """One operation with its name."""
    x, width = NAMES + CELL * bar.start, CELL * max(1, bar.latency)
    top, height = (y + 3, ROW - 6) if bar.latency else (y + 8, ROW - 16)
    name = f"{bar.line}: {bar.text}" if bar.line else bar.text
    shown = name if len(name) <= 27 else name[:26] + "…"
    cycles = f"cycle {bar.start}, latency {bar.latency}"
    yield f"<g><title>{escape(f'{name}: {cycles}')}</title>"
    text = f'<text x="0" y="{y + 14}">{escape(shown)}</text>'
    yield f'<a href="#L{bar.line}">{text}</a>' if bar.line else text
    yield f'<rect class="bar" x="{x + 1}" y="{top}" width="{width - 2}" height="{height}"/></g>'
