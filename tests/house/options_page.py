"""docs/options.md: the options of the command, and the fields of `loom.Options` that they set."""

from __future__ import annotations

import argparse
from dataclasses import fields
from functools import cache

from loom.front.cli import parser
from loom.lower.options import Options

FIELD_OF = {
    "array_order": "array_orders",
    "trace": "watch",
    "latency": "latencies",
    "partition": "partitions",
    "memory": "memories",
}
"""Fields that are not called as their options: these may be repeated."""
IN_PYTHON = {
    "style": 'style="auto"',
    "index_width": "index_width=32",
    "widths": 'widths="keep"',
    "zero_trip": 'zero_trip="guard"',
    "unroll": "unroll=((12, 4), (20, None))",
    "unroll_below": "unroll_below=8",
    "interleave": 'interleave="off"',
    "partial_sums": "partial_sums=8",
    "latencies": 'latencies=(("muli", 3),)',
    "divider": 'divider="iterative"',
    "cores": 'cores=read_cores(Path("DIR"))',
    "partitions": 'partitions=(("x", "cyclic:4"),)',
    "ports": 'ports=(("t", 2),)',
    "memories": 'memories=(("x", "channel,latency=40"),)',
    "streams": 'streams="all"',
    "fill": 'fill="random"',
    "memory_order": 'memory_order="serial"',
    "array_orders": 'array_orders=(("x", "queue"),)',
    "share": 'share="off"',
    "dsp": "dsp=8",
    "lean": 'lean="off"',
    "target": 'target="ice40"',
    "clock_period": "clock_period=8.0",
    "buffers": 'buffers="optimal"',
    "schedule": 'schedule="exact"',
    "order_depth": "order_depth=4",
    "passes": 'passes=find_passes([("simplify", "narrow-widths")])',
    "watch": "watch=Watch(lambda run, module: print(run.name))",
}
"""An example for each field of `Options`; `read_cores` is of `loom.emit.cores`, `find_passes` of
`loom.front.passes`, `Watch` of `loom.lower.options`."""
HEAD = """# Options

Made from the code by `make docs`; do not edit. `loom VERB --help` prints the same texts.

Every verb that reads a program takes the groups input, circuit, memories and clock. In Python the
last three are fields of `loom.Options`:

```python
import loom

circuit = loom.compile_file("fir.c", options=loom.Options(unroll=((12, 4),), clock_period=8.0))
circuit.loops    # the II of each loop
circuit.files()  # relative path to text
```

Pairs of a name and what is said of it may also be a mapping: `array_orders={"x": "queue"}`.

`loom wrap axis` compiles with `streams="all"`: all array arguments are streams, if that is proved.
`--stream ARRAY` of `loom wrap` and `loom package` adds one name to `streams`.

`loom.Request` holds text, file, top, options, language, graph buffers and the options of C
(`c=loom.COptions(folders=("include",), macros=("-DN=4",))`) as one object, for
`loom.compile_request`, `loom.check_request` and `loom.require_graph` (graphs and netlists). A value
that is not accepted is refused with `CLI_VALUE`, an option that does not exist with `CLI_OPTION`
and the nearest one that does.
"""


@cache
def verbs_by_name() -> dict[str, argparse.ArgumentParser]:
    """The verbs of the command."""
    return parser().verbs


def page() -> str:
    """The page: a table for each group, with the options of all verbs."""
    verbs = verbs_by_name()
    groups: dict[str, dict[str, argparse.Action]] = {}
    for verb in verbs.values():
        for group in verb._action_groups[2:]:
            options = groups.setdefault(str(group.title), {})
            for action in group._group_actions:
                options.setdefault("".join(action.option_strings) or action.dest, action)
    lines = [HEAD]
    for title, options in groups.items():
        of_group = [n for n, v in verbs.items() if title in titles_of(v)]
        rows = [row_of(action, of_group) for action in options.values()]
        lines += [f"## {title.capitalize()}", "", f"Of {listed(of_group)}.", "", *table(rows)]
    return "\n".join(lines).rstrip() + "\n"


def titles_of(verb: argparse.ArgumentParser) -> list[str]:
    """The titles of the verb's groups."""
    return [str(group.title) for group in verb._action_groups]


def listed(names: list[str]) -> str:
    """The names as a text."""
    quoted = [f"`{name}`" for name in names]
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}" if quoted[1:] else quoted[0]


def row_of(action: argparse.Action, of_group: list[str]) -> tuple[str, str, str]:
    """Option, meaning and Python; the verbs too, if not all of the group have the option."""
    name = ", ".join(action.option_strings) or str(action.metavar)
    value = f" {action.metavar}" if action.option_strings and action.metavar else ""
    field = FIELD_OF.get(action.dest, action.dest)
    python = f"`{IN_PYTHON[field]}`" if field in IN_PYTHON else ""
    having = [n for n, v in verbs_by_name().items() if action.dest in {a.dest for a in v._actions}]
    only = "" if having == of_group else f"; of {listed(having)}"
    return f"`{name}{value}`", f"{action.help}{only}", python


def table(rows: list[tuple[str, str, str]]) -> list[str]:
    """The rows as Markdown; the column for Python only if there is something in it."""
    width = 3 if any(python for _, _, python in rows) else 2
    head = ("option", "meaning", "`loom.Options`")
    texts = [row[:width] for row in (head, ("---",) * 3, *rows)]
    return [*(f"| {' | '.join(row)} |" for row in texts), ""]


def undocumented() -> list[str]:
    """Fields of `Options` without an example, and examples of none."""
    return sorted({each.name for each in fields(Options)} ^ set(IN_PYTHON))
