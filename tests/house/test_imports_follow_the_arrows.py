"""Who may import whom, as one table; rooms and files stay small; the command starts fast."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.support.folders import ROOT

FILES = sorted(
    file for folder in ("loom", "sim", "tools") for file in (ROOT / folder).rglob("*.py")
)
DIALECTS = {
    "dialects.facts", "dialects.floats", "dialects.operators", "dialects.operators.ordering",
    "dialects.ops", "dialects.ops.ordering", "dialects.ops.staticlogic", "dialects.schedules",
}  # fmt: skip
PASSES = {"analysis.program", "lower", *DIALECTS}
LOWERING_ROOMS = (
    "dataflow", "lean", "legalize", "loops", "memory", "scalar", "static", "structure",
)  # fmt: skip
LOWERINGS = {f"lower.{room}" for room in LOWERING_ROOMS}
READERS = {"frontend", "frontend.c", "frontend.mlir", "frontend.python"}
MODELS = {
    "model", "model.bundles", "model.fsmd", "model.limits", "model.reference", "model.static",
    "model.timed", "model.tokens",
}  # fmt: skip
ANALYSES = {
    "analysis.balance", "analysis.modulo", "analysis.order", "analysis.program",
    "analysis.schedule", "analysis.timing",
}  # fmt: skip
SIMULATION = {"loom_sim", "loom_sim.performance", "loom_sim.placement"}
ROOMS: dict[str, set[str]] = {
    "loom": {"dialects.ops", "front", "front.styles", "lower", "netlist"},
    "loom.__main__": {"front"},
    "loom.errors": set(),
    "loom.nesting": set(),
    "loom.graph_algorithms": set(),
    "loom.input_files": set(),
    "loom.processes": set(),
    "loom.elements": set(),
    "loom.cache_folder": set(),
    "loom.entry_points": set(),
    "loom.dialects.floats": {"dialects.floats.elementary"},
    "loom.dialects.floats.elementary": {"dialects.floats"},
    "loom.dialects.operators": {
        "dialects.floats", "dialects.operators.ordering", "dialects.ops.types",
    },
    "loom.dialects.operators.ordering": {"dialects.operators"},
    "loom.dialects.ops": {
        "dialects.floats", "dialects.operators", "dialects.operators.ordering",
        "dialects.ops.ordering", "dialects.ops.staticlogic", "entry_points",
    },
    "loom.dialects.ops.ordering": {
        "dialects.operators", "dialects.operators.ordering", "dialects.ops",
    },
    "loom.dialects.ops.staticlogic": {"dialects.operators", "dialects.ops"},
    "loom.dialects": set(),
    "loom.dialects.schedules": {
        "dialects.facts", "dialects.operators", "dialects.ops", "dialects.ops.staticlogic",
    },
    "loom.dialects.facts": {"dialects.floats", "dialects.operators", "dialects.ops"},
    "loom.frontend": {"dialects.facts", "dialects.operators", "dialects.ops"},
    "loom.frontend.rules": {*DIALECTS, "frontend"},
    "loom.frontend.mlir": {*DIALECTS, "entry_points", "frontend", "frontend.rules", "nesting"},
    "loom.frontend.imperative": DIALECTS,
    "loom.frontend.c": {*DIALECTS, "frontend.imperative", "frontend.c.pragmas",
                        "frontend.c.safety", "frontend.c.statements", "input_files"},
    "loom.frontend.c.pragmas": {*DIALECTS, "frontend.c"},
    "loom.frontend.c.statements": {"frontend.c", "frontend.imperative"},
    "loom.frontend.c.safety": {"frontend.imperative", "input_files", "processes"},
    "loom.frontend.python": {*DIALECTS, "frontend.imperative"},
    "loom.netlist": {*DIALECTS, "graph_algorithms", "nesting"},
    "loom.netlist.fsmd": {*DIALECTS, "netlist"},
    "loom.analysis": set(),
    "loom.analysis.program": DIALECTS,
    "loom.analysis.order": {*DIALECTS, "analysis.program"},
    "loom.analysis.modulo": {"analysis.schedule"},
    "loom.analysis.balance": {*DIALECTS, "graph_algorithms", "netlist"},
    "loom.analysis.timing": {*DIALECTS, "netlist", "netlist.fsmd"},
    "loom.analysis.schedule": {*DIALECTS, "graph_algorithms", "netlist", "analysis.timing"},
    "loom.lower": {
        *DIALECTS, "analysis.order", "analysis.program", "analysis.timing", "entry_points",
        *LOWERINGS,
    },
    "loom.lower.structure": {*PASSES, "graph_algorithms", "lower.scalar"},
    "loom.lower.legalize": {
        *PASSES, "dialects.floats.elementary", "elements", "lower.scalar", "lower.structure",
    },
    "loom.lower.scalar": PASSES,
    "loom.lower.loops": {*PASSES, "analysis.timing", "lower.scalar"},
    "loom.lower.memory": {*PASSES, "lower.scalar"},
    "loom.lower.dataflow": {
        *PASSES, "analysis.schedule", "analysis.timing", "lower.loops", "lower.memory",
        "lower.scalar",
    },
    "loom.lower.static": {
        *PASSES, "analysis.modulo", "analysis.timing", "graph_algorithms", "lower.dataflow",
        "lower.loops", "lower.memory", "lower.scalar", "lower.static.nests", "netlist",
        "netlist.fsmd",
    },
    "loom.lower.static.nests": {*PASSES, "lower.scalar", "lower.static"},
    "loom.lower.lean": {*PASSES, "analysis.order", "analysis.timing", "lower.dataflow", "netlist"},
    "loom.model": {*DIALECTS, *ANALYSES, "netlist", *MODELS},
    "loom.model.reference": {*DIALECTS, "netlist"},
    "loom.model.bundles": {*DIALECTS, "model.reference", "nesting"},
    "loom.model.tokens": {
        *DIALECTS, "analysis.balance", "netlist", "netlist.fsmd", "model.bundles", "model.fsmd",
        "model.reference",
    },
    "loom.model.fsmd": {"dialects.operators", "model.bundles", "netlist", "netlist.fsmd"},
    "loom.model.static": {*DIALECTS, "model.reference"},
    "loom.model.timed": {
        *DIALECTS, "netlist", "netlist.fsmd", "model.bundles", "model.fsmd", "model.tokens",
    },
    "loom.model.limits": {*DIALECTS, "analysis.program"},
    "loom.emit": {"dialects.operators", "entry_points", "netlist", "netlist.fsmd", "processes"},
    "loom.bus": {"dialects.operators", "emit", "netlist"},
    "loom.package": {"bus", "emit", "netlist"},
    "loom.native": {"frontend", "frontend.c", "model.bundles", "native.c", "native.python",
                    "processes"},
    "loom.native.c": {
        "dialects.floats", "dialects.floats.elementary", "frontend.c", "frontend.imperative",
        "input_files", "model.bundles",
        "native",
        "processes",
    },
    "loom.native.python": {
        "dialects.floats.elementary", "frontend.imperative", "frontend.python", "input_files",
        "model.bundles", "native", "processes",
    },
    "loom.front": {
        *DIALECTS, *ANALYSES, *READERS, *MODELS, "lower", *LOWERINGS, "bus", "emit",
        "entry_points", "input_files", "native", "native.python", "netlist", "netlist.fsmd",
        "front.styles", "package", "regress", "explore", "start", "draw", *SIMULATION,
    },
    "loom.front.styles": {
        *DIALECTS, "analysis.program", "emit", "front", "frontend", "input_files", "lower",
        "lower.dataflow", "lower.scalar", "model.bundles", "model.reference", "model.timed",
        "loom_sim",
    },
    "loom.draw": {
        *DIALECTS, "emit", "front", "front.styles", "frontend", "lower", "model.fsmd", "netlist",
        "netlist.fsmd",
    },
    "loom.start": {"emit", "entry_points", "front"},
    "loom.explore": {
        *DIALECTS, "analysis.program", "analysis.timing", "emit", "front", "input_files",
        "lower.loops", "loom_sim.placement", "regress",
    },
    "loom.regress": {
        "loom", "analysis.timing", "bus", "cache_folder", "emit", "front", "front.styles",
        "frontend.c.c_options", "input_files", *MODELS, "processes", "loom_sim",
        "loom_sim.placement",
    },
    "loom_sim": {
        "loom", *DIALECTS, *ANALYSES, *READERS, *MODELS, "bus", "cache_folder", "emit", "front",
        "front.styles", "input_files",
        "lower", "native", "netlist", "processes",
    },
    "loom_sim.performance": {
        *DIALECTS, "analysis.timing", "lower", *MODELS, "netlist", "netlist.fsmd", "loom_sim",
        "loom_sim.placement",
    },
    "loom_sim.placement": {"analysis.timing", "emit", "netlist", "processes"},
    "tools": {
        "dialects.floats.elementary", "frontend.c", "native.c",
        *DIALECTS, "bus", "draw", *ANALYSES, *MODELS, "emit", "front", "front.styles",
        "input_files", "lower",
        "netlist", "processes", "start", *SIMULATION,
    },
}  # fmt: skip
"""Rooms and what they import besides themselves and what is imported everywhere; `tools` is one."""
EVERYWHERE = {"loom.elements", "loom.errors"}
THROUGH: dict[str, set[str]] = {
    "loom.emit": {
        "loom",  # whose folder the templates may be in
        "loom.dialects.operators.catalogue",
        "loom.dialects.operators.cores",
        "loom.dialects.operators.handshake_operators",
        "loom.dialects.operators.integer_operators",
        "loom.dialects.operators.island_operator",
        "loom.dialects.operators.lanes",
        "loom.dialects.operators.memories",
        "loom.dialects.operators.operator",
        "loom.dialects.operators.partitions",
        "loom.dialects.operators.runtime_errors",
    },
}
"""Single modules behind the table's rooms: an operator's row is part of the netlist it is in."""
OUTSIDE: dict[str, set[str]] = {
    "xdsl": {"loom.dialects", "loom.draw", "loom.explore", "loom.frontend", "loom.analysis",
             "loom.lower", "loom.model", "loom.netlist", "loom.front", "loom_sim", "tools"},
    "clang": {"loom.frontend.c"},
    "numpy": {"loom.native"},
    "jinja2": {"loom.emit", "loom_sim", "tools"},
    "ortools": {"loom.analysis.schedule"},
    "cocotb": {"loom_sim", "tools"},
    "submitit": {"loom.regress"},
    "optuna": {"loom.explore"},
}  # fmt: skip
"""Libraries and the rooms, with the rooms in them, that may import them."""
MODULES = 22
"""The most modules of a room."""
LINES = 600
"""The most lines of a file: one idea may need them, two ideas are two files."""


def module_of(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    if parts[0] == "sim":
        parts = parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PACKAGES = {module_of(path) for path in FILES if path.name == "__init__.py"}


def room_of(module: str) -> str:
    """The innermost package that a module is in; a module right in `loom` is its own room."""
    if module.split(".")[0] == "tools":
        return "tools"
    package = module
    while package not in PACKAGES:
        package = package.rpartition(".")[0]
        if not package:
            return module
    return module if package == "loom" else package


def imports_of(path: Path) -> Iterator[tuple[str, bool]]:
    """Modules that a file imports, and whether it does so when it is itself imported."""
    tree = ast.parse(path.read_text())
    at_start = {node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node in at_start) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            module = node.module or ""
            for alias in node.names:
                inner = ROOT / Path(*module.split("."), f"{alias.name}.py")
                is_room = inner.exists() or inner.with_suffix("").is_dir()
                yield (f"{module}.{alias.name}" if is_room else module), node in at_start


def wrong_arrows(module: str, imports: Iterator[tuple[str, bool]]) -> Iterator[str]:
    """What a module imports against the table, in words."""
    room = room_of(module)
    if room not in ROOMS:
        yield f"{module} is in no room of the table"
        return
    for found, at_start in imports:
        library = found.split(".")[0]
        if library in OUTSIDE and not any(
            f"{room}.".startswith(f"{each}.") for each in OUTSIDE[library]
        ):
            yield f"{module} imports {found}"
        if library not in ("loom", "loom_sim", "tools", "tests"):
            continue
        target = room_of(found)
        short = {target.removeprefix("loom."), found.removeprefix("loom.")}
        known = target == room or target in EVERYWHERE or short & ROOMS[room]
        if not known and found not in THROUGH.get(room, set()):
            yield f"{module} imports {found}"
        if room.startswith("loom.") and library == "loom_sim" and at_start:
            yield f"{module} imports {found} when it is imported"


def test_arrows() -> None:
    wrong = [each for path in FILES for each in wrong_arrows(module_of(path), imports_of(path))]
    assert not wrong


def test_the_check_sees_arrows() -> None:
    seen = {
        (room_of(module_of(path)), room_of(found))
        for path in FILES
        for found, _ in imports_of(path)
        if found.split(".")[0] in ("loom", "loom_sim")
    }
    assert {("loom.lower.memory", "loom.analysis.program"), ("loom.front", "loom_sim")} <= seen
    assert len(seen) > 100
    planted = [
        ("loom.analysis.program.trip_counts", "loom.lower.options", True),
        ("loom.emit.files", "xdsl.ir", True),
        ("loom.front.verbs", "loom_sim.jobs", True),
        ("loom.model.tokens.endless", "tests.support.netlists", False),
    ]
    for module, found, at_start in planted:
        assert list(wrong_arrows(module, iter([(found, at_start)])))


def test_rooms_and_files_are_small() -> None:
    modules: dict[Path, int] = {}
    for folder in ("loom", "sim", "tools", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            assert path.read_text().count("\n") <= LINES, path
            if path.name != "__init__.py":
                modules[path.parent] = modules.get(path.parent, 0) + 1
    assert not {str(room): count for room, count in modules.items() if count > MODULES}


def test_the_command_starts_without_the_compiler() -> None:
    program = (
        "import sys, loom.front.cli; loom.front.cli.parser(); "
        "print([m for m in ('xdsl', 'jinja2', 'cocotb', 'loom_sim') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == "[]\n"
