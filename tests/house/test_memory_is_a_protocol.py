"""Only the implementations of memories know kinds: everything else asks the record of a kind."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from loom.dialects.operators.memories import KINDS
from loom.dialects.ops import handshake_memory
from tests.support.folders import ROOT

IMPLEMENTATIONS = {
    "loom/dialects/operators/handshake_operators.py",  # their rows
    "loom/dialects/operators/memories.py",  # their records
    "loom/dialects/ops/handshake_memory.py",  # their operations
    "loom/lower/dataflow/memory_interfaces.py",  # which of them an array gets
}
CLASSES = {
    operation.__name__
    for operation in handshake_memory.OPERATIONS
    if issubclass(operation, handshake_memory.MemoryInterface)
}
NAMES = {*CLASSES, "InsideMemory", *(name.upper() for name in KINDS)}


def kinds_known(source: str) -> Iterator[str]:
    """What a file says of single kinds: an operation's class, a record, or a kind's own name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and node.id in NAMES:
            yield node.id
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            yield node.attr
        elif isinstance(node, ast.alias) and node.name in NAMES:
            yield node.name
        elif isinstance(node, ast.Compare | ast.MatchValue | ast.Subscript | ast.Dict):
            yield from (
                str(each.value)
                for each in ast.walk(node)
                if isinstance(each, ast.Constant) and each.value in KINDS
            )


def test_only_implementations_know_kinds() -> None:
    files = [f for room in ("loom", "sim", "tools") for f in (ROOT / room).rglob("*.py")]
    found = {
        name: sorted(set(known))
        for file in files
        if (name := file.relative_to(ROOT).as_posix()) not in IMPLEMENTATIONS
        and (known := list(kinds_known(file.read_text(encoding="utf-8"))))
    }
    assert not found, "ask the memory's kind, not which one it is"


@pytest.mark.parametrize(
    "fault",
    [
        "if memory.kind.name == 'internal': pass",
        "if kind.name in ('rom', 'external'): pass",
        "from loom.dialects.operators.memories import ROM",
        "isinstance(operation, handshake_memory.ExternalMemoryOp)",
        "BANKS = {'internal': 2}",
        "match kind.name:\n    case 'rom': pass",
    ],
)
def test_the_check_sees_kinds(fault: str) -> None:
    assert list(kinds_known(fault))
