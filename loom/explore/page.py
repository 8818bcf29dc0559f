"""The points of an exploration as a page: time over LUT4, the front as a line, and the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import floor, log10

from loom.explore.front import Result, table_of

WIDTH, HEIGHT, LEFT, BELOW, TOP = 760, 420, 70, 46, 12
"""Of the drawing, and of what lies around its axes [pixels]."""
TICKS = 5
STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; --line: #1667c2; }
@media (prefers-color-scheme: dark) { :root { --line: #7db6f5; } }
body { margin: 1.5rem; }
.wide { overflow-x: auto; }
svg { max-width: 100%; height: auto; }
svg text { fill: currentColor; font-size: 12px; }
.axis { stroke: currentColor; stroke-opacity: .25; }
.point { fill: #888a; }
.front { fill: var(--line); }
.steps { fill: none; stroke: var(--line); stroke-width: 1.5; }
table { border-collapse: collapse; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #8884; }
th:last-child, td:last-child { text-align: left; }
tr.front-row { font-weight: 600; }
"""


class Scale:
    """Numbers from 0 to a little above the largest, as pixels."""

    def __init__(self, numbers: Sequence[float], begin: float, end: float) -> None:
        self.most = 1.05 * max(numbers, default=1.0) or 1.0
        self.begin, self.end = begin, end

    def __call__(self, number: float) -> float:
        """The place of a number."""
        return round(self.begin + (self.end - self.begin) * number / self.most, 1)

    @property
    def ticks(self) -> list[float]:
        """Round numbers along the axis, `TICKS` or some more."""
        power = 10.0 ** floor(log10(self.most / TICKS))
        step = power * max(each for each in (1, 2, 5) if each * power <= self.most / TICKS)
        return [k * step for k in range(int(self.most / step) + 1)]


def page(results: Sequence[Result], name: str) -> str:
    """One file of HTML without scripts."""
    front = sum(result.is_on_front for result in results)
    title = f"{name}: {len(results)} points, {front} on the front"
    head, *cells = table_of(results)
    parts = [
        "<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>", "</head>", "<body>",
        f"<h1>{escape(title)}</h1>", *drawing(results),
        "<p>Cycles of all activations; period [ns] and LUT4 are estimates; time [us].</p>",
        '<div class="wide"><table>', row_of("th", head),
        *(row_of("td", line, front="*" in line[0]) for line in cells), "</table></div>",
        "</body>", "</html>",
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


def row_of(tag: str, cells: Sequence[str], *, front: bool = False) -> str:
    """One line of the table."""
    mark = ' class="front-row"' if front else ""
    return f"<tr{mark}>{''.join(f'<{tag}>{escape(text)}</{tag}>' for text in cells)}</tr>"


def drawing(results: Sequence[Result]) -> Iterator[str]:
    """The points whose time is known, as SVG; below and to the left is better."""
    known = [
        (float(result.row.luts), result.time, result)
        for result in results
        if result.row.luts is not None and result.time is not None
    ]
    across = Scale([luts for luts, _, _ in known], LEFT, WIDTH - TOP)
    up = Scale([time for _, time, _ in known], HEIGHT - BELOW, TOP)
    yield f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img">'
    yield "<title>Time over LUT4</title>"
    for number in across.ticks:
        x = across(number)
        yield f'<line class="axis" x1="{x}" y1="{TOP}" x2="{x}" y2="{HEIGHT - BELOW}"/>'
        yield f'<text x="{x}" y="{HEIGHT - BELOW + 16}" text-anchor="middle">{number:.6g}</text>'
    for number in up.ticks:
        y = up(number)
        yield f'<line class="axis" x1="{LEFT}" y1="{y}" x2="{WIDTH - TOP}" y2="{y}"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{number:.6g}</text>'
    yield f'<text x="{WIDTH // 2}" y="{HEIGHT - 8}" text-anchor="middle">LUT4</text>'
    yield f'<text x="12" y="{TOP + 10}">us</text>'
    yield steps([(across(luts), up(time)) for luts, time, each in known if each.is_on_front])
    for luts, time, result in sorted(known, key=lambda each: each[2].is_on_front):
        kind = "front" if result.is_on_front else "point"
        said = f"{result.point.label}: {time:g} us, {luts:g} LUT4, {result.row.verdict}"
        yield (
            f'<circle class="{kind}" cx="{across(luts)}" cy="{up(time)}" r="5">'
            f"<title>{escape(said)}</title></circle>"
        )
    yield "</svg>"


def steps(places: Sequence[tuple[float, float]]) -> str:
    """The line that parts what the front beats from what it does not."""
    path = ""
    for k, (x, y) in enumerate(sorted(places)):
        path += f"M{x} {y}" if k == 0 else f"H{x}V{y}"
    return f'<path class="steps" d="{path}"/>'
