"""Who may import whom, as one table; files stay short; the command starts without the compiler."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted([*(ROOT / "loom").rglob("*.py"), *(ROOT / "sim").rglob("*.py")])
ROOMS: dict[str, set[str]] = {
    "loom": {"api", "kernels"},
    "loom.errors": set(),
    "loom.nesting": set(),
    "loom.dialects": {"errors"},
    "loom.frontend": {"dialects", "nesting"},
    "loom.netlist": {"dialects", "nesting"},
    "loom.analysis": {"dialects", "netlist"},
    "loom.lower": {"analysis", "dialects"},
    "loom.model": {"analysis", "dialects", "netlist", "nesting"},
    "loom.emit": {"netlist"},
    "loom.graphs": {"frontend", "lower", "netlist", "emit", "analysis", "dialects"},
    "loom.api": {"graphs", "frontend", "lower", "netlist", "emit", "analysis", "dialects"},
    "loom.input_files": set(),
    "loom.verbs": {
        "excerpts", "input_files", "api", "graphs", "frontend", "lower", "model", "netlist",
        "emit", "loom_sim", "native",
    },
    "loom.report_verb": {"verbs", "emit", "loom_sim"},
    "loom.excerpts": {"frontend"},
    "loom.native": {"dialects", "frontend", "model", "input_files"},
    "loom.kernels": {"api", "emit", "frontend", "input_files", "lower", "native", "loom_sim"},
    "loom.cli": {"excerpts", "verbs", "report_verb", "input_files"},
    "loom_sim": {
        "api", "frontend", "lower", "model", "netlist", "emit", "analysis", "dialects", "loom",
        "input_files", "native",
    },
}  # fmt: skip
"""Rooms and what they import besides themselves and the errors."""
THROUGH: dict[str, set[str]] = {
    "loom.emit": {
        "loom",  # whose folder the templates may be in
        "loom.dialects.catalogue",
        "loom.dialects.cores",
        "loom.dialects.lanes",
        "loom.dialects.operator",
        "loom.dialects.partitions",
        "loom.dialects.runtime_errors",
    },
}
"""Single modules behind the table's rooms: an operator's row is part of the netlist it is in."""
OUTSIDE: dict[str, set[str]] = {
    "xdsl": {"loom.dialects", "loom.frontend", "loom.analysis", "loom.lower", "loom.model",
             "loom.netlist", "loom.graphs", "loom.api", "loom_sim"},
    "clang": {"loom.frontend"},
    "numpy": {"loom.native"},
    "jinja2": {"loom.emit", "loom_sim"},
    "ortools": {"loom.analysis"},
    "cocotb": {"loom_sim"},
    "igraph": {"loom_sim"},
    "pyverilog": {"loom_sim"},
}  # fmt: skip
"""Libraries and the rooms that may import them."""


def module_of(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    if parts[0] == "sim":
        parts = parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    if module.split(".")[0] == "loom_sim":
        return "loom_sim"
    return ".".join(module.split(".")[:2])


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


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_arrows(path: Path) -> None:
    module = module_of(path)
    room = room_of(module)
    assert room in ROOMS, f"{module} is in no room of the table"
    for found, at_start in imports_of(path):
        library = found.split(".")[0]
        if library in OUTSIDE:
            assert room in OUTSIDE[library], f"{module} imports {found}"
        if library not in ("loom", "loom_sim"):
            continue
        target = room_of(found)
        short = target.removeprefix("loom.")
        allowed = target == room or short == "errors" or short in ROOMS[room]
        assert allowed or found in THROUGH.get(room, set()), f"{module} imports {found}"
        if room != "loom_sim" and target == "loom_sim":
            assert not at_start, f"{module} imports {found} when it is imported"


def test_the_check_sees_arrows() -> None:
    seen = {
        (room_of(module_of(path)), room_of(found))
        for path in FILES
        for found, _ in imports_of(path)
        if found.split(".")[0] in ("loom", "loom_sim")
    }
    assert {("loom.lower", "loom.analysis"), ("loom.verbs", "loom_sim")} <= seen
    assert len(seen) > 25


@pytest.mark.parametrize("folder", ["loom", "sim", "tests"])
def test_files_are_short(folder: str) -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in (ROOT / folder).rglob("*.py")
        if (lines := path.read_text().count("\n")) > 400
    }
    assert not long


def test_the_command_starts_without_the_compiler() -> None:
    program = (
        "import sys, loom.cli; loom.cli.parser(); "
        "print([m for m in ('xdsl', 'jinja2', 'cocotb', 'loom_sim') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == "[]\n"
