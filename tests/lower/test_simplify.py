"""Folding, identities, sharing and shifts change no result: random straight-line programs."""

from __future__ import annotations

import random

import pytest

from loom.errors import LoomError
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.lower.pipeline import normalize
from loom.model.reference.reference import compile_reference

BINARY = (
    *("addi", "subi", "muli", "andi", "ori", "xori", "shli", "shrui", "shrsi", "divsi", "divui"),
    *("remsi", "remui", "ceildivsi", "ceildivui", "floordivsi", "maxsi", "maxui", "minsi", "minui"),
)
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
ARGUMENTS = 3
OPERATIONS = 25


def interesting(choose: random.Random, width: int) -> int:
    near = 1 << choose.randrange(width)
    return (choose.choice((near, -near)) + choose.randrange(-1, 2)) % (1 << width)


def program(choose: random.Random, width: int, type_: str) -> str:
    """One operation a line; every second operand is a constant, often 0, 1 or a power of two."""
    lines: list[str] = []
    values = [f"%a{k}" for k in range(ARGUMENTS)]
    for k in range(OPERATIONS):
        sides = [choose.choice(values), choose.choice(values)]
        if choose.random() < 0.6:
            number = interesting(choose, width)
            text = ("false", "true")[number] if width == 1 else str(number)
            lines.append(f"%c{k} = arith.constant {text}" + (f" : {type_}" if width > 1 else ""))
            sides[choose.random() < 0.7] = f"%c{k}"
        if choose.random() < 0.2:
            predicate = choose.choice(PREDICATES)
            lines.append(f"%t{k} = arith.cmpi {predicate}, {sides[0]}, {sides[1]} : {type_}")
            third = choose.choice(values)
            lines.append(f"%v{k} = arith.select %t{k}, {sides[0]}, {third} : {type_}")
        else:
            lines.append(f"%v{k} = arith.{choose.choice(BINARY)} {sides[0]}, {sides[1]} : {type_}")
        values.append(f"%v{k}")
    arguments = ", ".join(f"%a{k}: {type_}" for k in range(ARGUMENTS))
    types = ", ".join([type_] * OPERATIONS)
    body = "\n  ".join([*lines, f"return {', '.join(values[ARGUMENTS:])} : {types}"])
    return f"func.func @f({arguments}) -> ({types}) {{\n  {body}\n}}"


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("width", [1, 2, 3, 8, 64])
def test_results_stay(seed: int, width: int) -> None:
    """Operations that the source leaves undefined are taken out until a run is defined."""
    choose = random.Random(f"{seed} {width}")
    type_ = "index" if width == 64 and seed % 2 else f"i{width}"
    text = program(choose, width, type_)
    inputs = [interesting(choose, width) for _ in range(ARGUMENTS)]
    while True:
        source = read_mlir(text)
        try:
            expected = compile_reference(source, "f").run(inputs)
            break
        except LoomError as error:
            lines = text.split("\n")
            at = error.where.line - 1
            name, _, operation = lines[at].partition(" = ")
            operands = operation.partition(" ")[2]
            lines[at] = f"{name} = arith.xori {operands}"
            text = "\n".join(lines)
    normalize(source, Options())
    source.verify()
    simplified = compile_reference(source, "f")
    assert simplified.run(inputs).results == expected.results
