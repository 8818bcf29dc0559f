"""Texts to start from: every kind of file that LOOM reads, with what the tests know of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from loom.errors import LoomError, LoomErrors
from loom.front.api import compile_text
from tests.support.folders import EXAMPLES, TESTS
from tests.support.row_files import read_rows

FILES = (
    *(
        "blocks.mlir",
        "programs.mlir",
        "structured.mlir",
        "graphs.txt",
        "mlir_errors.txt",
        "dialect_errors.txt",
    ),
    *("structured_errors.txt", "float_errors.txt", "mlir_operations.txt"),
)
"""Files of rows."""
KINDS = ("program", "graph", "netlist", "bundle")


@dataclass(frozen=True)
class Seed:
    """A text of one kind; `kernel` is the program that a bundle is for."""

    kind: str
    name: str
    text: str
    kernel: str = ""


def sections(file: str) -> list[str]:
    """The texts of a file of rows, without their names: inputs, accepted ones and messages."""
    return [part for parts in read_rows(file).values() for part in parts]


def programs() -> dict[str, str]:
    """Programs by name: the examples, the hand-made ones, those of the error rows."""
    files = (*EXAMPLES.glob("*.mlir"), *(TESTS / "graphs").glob("*.mlir"))
    found = {path.stem: path.read_text(encoding="utf-8") for path in files}
    for file in FILES:
        found |= {f"{file} {number}": text for number, text in enumerate(sections(file))}
    return dict(sorted(found.items()))


@cache
def sound_seeds(kind: str) -> tuple[Seed, ...]:
    """The texts of a kind that are not there for their errors."""
    return tuple(seed for seed in seeds(kind) if "errors" not in seed.name)


@cache
def seeds(kind: str) -> tuple[Seed, ...]:
    """All texts of a kind, in the same order every time."""
    found: list[Seed] = []
    for name, text in programs().items():
        if kind == "program":
            found.append(Seed(kind, name, text))
            continue
        try:
            circuit = compile_text(text, name)
        except (LoomError, LoomErrors):
            if kind == "graph" and "handshake.func" in text:
                found.append(Seed(kind, name, text))
            continue
        bundle = EXAMPLES / f"{name}.json"
        if kind == "graph":
            found.append(Seed(kind, name, circuit.dfg_text))
        elif kind == "netlist":
            found.append(Seed(kind, name, circuit.netlist_text))
        elif bundle.exists():
            found.append(Seed(kind, name, bundle.read_text(encoding="utf-8"), text))
    return tuple(found)
