"""A pipeline without its registers: the same text with every register of data a wire."""

from __future__ import annotations

import re
from collections.abc import Iterator

BLOCK = re.compile(
    r"^( *)always_ff @\(posedge clk_i\) begin : (?P<name>\w+)\n"
    r" *if \(advance\) begin : (?P=name)_\w+\n"
    r"(?P<steps>(?: *\w+ <= \w+;\n)+)"
    r" *end\n *end\n",
    re.MULTILINE,
)
"""Registers that a pipeline loads together when it advances."""
STEP = re.compile(r"(\w+) <= (\w+);")


def transparent(text: str, name: str) -> str:
    """The module `name` called ``<name>_transparent``, its results a function of its operands."""

    def wires(block: re.Match[str]) -> str:
        return "".join(
            f"{block[1]}assign {register} = {source};\n"
            for register, source in STEP.findall(block["steps"])
        )

    return BLOCK.sub(wires, text).replace(f"module {name} ", f"module {name}_transparent ", 1)


def registers(text: str, latency: int, digits: int) -> list[list[str]]:
    """The registers of data by the stage that loads them, as they are called from outside.

    A block that belongs to a generated stage stands for as many stages as the others leave, the
    first of which has found so many `digits`.
    """
    blocks = [
        ([name for name, _ in STEP.findall(block["steps"])], len(block[1]) > 2)
        for block in BLOCK.finditer(text)
    ]
    generated = latency - sum(not inner for _, inner in blocks)
    found: list[list[str]] = []
    for names, inner in blocks:
        found += repeated(names, generated, digits) if inner else [names]
    assert len(found) == latency
    return found


def repeated(names: list[str], stages: int, digits: int) -> Iterator[list[str]]:
    """The registers of generated stages."""
    for number in range(1, stages + 1):
        yield [f"stage[{number * digits}].{name}" for name in names]
