"""One program for each format that applies every float operator to many numbers, for the judge."""

from __future__ import annotations

from loom.dialects.floats.formats import FORMATS
from tests.grow.random_floats import PREDICATES, SAME, TESTS

COUNT = 256
"""Rows of the table: numbers in each column of inputs."""
NAMES = "abc"


def table_program(form: str, left_out: tuple[str, ...] = ()) -> str:
    """A loop over columns a, b, c of numbers and w of integers; a column of results an operator."""
    columns: list[tuple[str, str]] = [(name, form) for name in NAMES] + [("w", "i64")]
    body: list[str] = []

    def result(line: str, type_: str) -> None:
        """The value of this line goes into a column of its own."""
        name = f"r{len(columns)}"
        columns.append((name, type_))
        body.append(f"%v{name} = {line}")
        body.append(f"memref.store %v{name}, %{name}[%i] : memref<{COUNT}x{type_}>")

    def bit(line: str) -> None:
        name = f"%b{len(columns)}"
        body.append(f"{name} = {line}")
        result(f"arith.extui {name} : i1 to i8", "i8")

    for count, names in SAME.items():
        operands = ", ".join(f"%{name}x" for name in NAMES[:count])
        for name in names:
            if name not in left_out:
                result(f"{name} {operands} : {form}", form)
    for name in TESTS:
        if name in left_out:
            continue
        bit(f"{name} %ax : {form}")
    for predicate in PREDICATES:
        bit(f"arith.cmpf {predicate}, %ax, %bx : {form}")
    for other, wide in FORMATS.items():
        if wide.width != FORMATS[form].width and other not in left_out:
            cast = "extf" if wide.width > FORMATS[form].width else "truncf"
            result(f"arith.{cast} %ax : {form} to {other}", other)
    for cast in ("sitofp", "uitofp"):
        for width in (8, 32, 64):
            word = "%wx" if width == 64 else f"%w{cast}{width}"
            if width < 64:
                body.append(f"{word} = arith.trunci %wx : i64 to i{width}")
            result(f"arith.{cast} {word} : i{width} to {form}", form)
    body += [
        f"%low = arith.constant 0.0 : {form}",
        f"%high = arith.constant 127.0 : {form}",
        f"%above = arith.maxnumf %ax, %low : {form}",
        f"%inside = arith.minnumf %above, %high : {form}",
        f"%minus = arith.negf %inside : {form}",
    ]
    result(f"arith.fptoui %inside : {form} to i8", "i8")
    result(f"arith.fptosi %minus : {form} to i8", "i8")
    loads = [f"%{n}x = memref.load %{n}[%i] : memref<{COUNT}x{t}>" for n, t in columns[:4]]
    arguments = ", ".join(f"%{name}: memref<{COUNT}x{type_}>" for name, type_ in columns)
    lines = [
        f"func.func @table({arguments}) {{",
        "  %c0 = arith.constant 0 : index",
        "  %c1 = arith.constant 1 : index",
        f"  %end = arith.constant {COUNT} : index",
        "  scf.for %i = %c0 to %end step %c1 {",
        *(f"    {line}" for line in (*loads, *body)),
        "  }",
        "  return",
        "}",
    ]
    return "\n".join(lines) + "\n"
