"""The report as one HTML page that needs nothing else."""

from __future__ import annotations

import json
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from loom_sim.performance.describe import lines
from loom_sim.performance.layout_engine import layout_engine_text
from loom_sim.performance.page_data import data_of
from loom_sim.performance.performance import Performance

FOLDER = Path(__file__).parent / "page_parts"
SCRIPTS = ("data", "engine", "layout", "drawing", "colours", "timeline", "replay", "controls")
"""The page's scripts, each before those that use it."""


def page(found: Performance) -> str:
    """The page's text. Refused: REPORT_NO_LAYOUT where Graphviz is not installed."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER), undefined=StrictUndefined, autoescape=True,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    parts = [(FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    return environment.get_template("page.html.j2").render(
        name=found.netlist.name,
        style=(FOLDER / "page.css").read_text(encoding="utf-8"),
        script='"use strict";\n' + "\n".join(parts),
        summary="\n".join(lines(found)),
        source=list(enumerate(found.source.splitlines(), 1)),
        engine=layout_engine_text(),
        # "</" would end the script that holds the data.
        data=json.dumps(data_of(found)).replace("</", "<\\/"),
    )
