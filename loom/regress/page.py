"""The rows of a regression as one page of HTML, without scripts or files besides."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from loom.regress.baseline import Comparison
from loom.regress.row import Row
from loom.regress.tables import HEAD, UNITS, cells, growth_of

STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 1.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child, th:last-child, td:last-child { text-align: left; }
tr.bad { background: #d332; }
pre { white-space: pre-wrap; margin: 0; }
"""


def page(rows: Sequence[Row], comparison: Comparison | None, name: str) -> str:
    """The table, what is wrong below it, and the difference from the baseline `name`."""
    expected = sum(row.is_expected for row in rows)
    parts = [
        "<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">', "<title>loom regress</title>",
        f"<style>{STYLE}</style>", "</head>", "<body>",
        f"<h1>{expected} of {len(rows)} kernels as expected</h1>",
        f"<p>{escape(UNITS)}.</p>", '<div class="wide"><table>',
        table_row("th", HEAD, ""),
        *(table_row("td", cells(row), mark(row, comparison)) for row in rows),
        "</table></div>",
    ]  # fmt: skip
    wrong = [row for row in rows if not row.is_expected]
    if wrong:
        parts.append("<h2>Not as expected</h2>")
    for row in wrong:
        texts = "\n".join(problem.at(row.file) for problem in row.problems) or row.verdict
        parts.append(f"<h3>{escape(row.kernel)}</h3><pre>{escape(texts)}</pre>")
    if comparison is not None:
        lines = "\n".join(comparison.lines(name))
        parts.append(f"<h2>Since the baseline</h2><pre>{escape(lines)}</pre>")
    return "\n".join([*parts, "</body>", "</html>"]) + "\n"


def mark(row: Row, comparison: Comparison | None) -> str:
    """The class of a row."""
    return "" if row.is_expected and not growth_of(row, comparison) else ' class="bad"'


def table_row(tag: str, texts: Sequence[str], attribute: str) -> str:
    """One row of the table."""
    return f"<tr{attribute}>" + "".join(f"<{tag}>{escape(t)}</{tag}>" for t in texts) + "</tr>"
