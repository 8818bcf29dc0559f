"""Random programs on floats: loops, branches, loads and stores around every float operator.

The operators come from the catalogue by the types of their ports. What MLIR leaves open is left
out: no pattern of a NaN is looked at, and conversions to integers are clamped before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from loom.dialects.floats.formats import FORMATS
from loom.dialects.operators.float_operators import FLOAT_OPERATORS

Value = tuple[str, str]
"""Name and type."""
SIZE = 4
"""Elements of each array, a power of two."""
SIGNED_ZERO_OPEN = ("arith.maxnumf", "arith.minnumf", "arith.maximumf", "arith.minimumf")
"""Operators whose zero, of +0 and -0, MLIR leaves open, or loses when it expands them."""


def by_ports(inputs: tuple[str, ...], output: str) -> list[str]:
    """The operators of these port types that take nothing but a format."""
    return [
        row.name
        for row in FLOAT_OPERATORS
        if tuple(port.type for port in row.signature.inputs) == inputs
        and row.signature.outputs[0].type == output
        and row.signature.attributes == ("format",)
    ]


SAME = {count: by_ports(("T",) * count, "T") for count in (1, 2, 3)}
TESTS = by_ports(("T",), "i1")


CASTS = [
    (
        "arith.extf" if FORMATS[source].width < FORMATS[target].width else "arith.truncf",
        source,
        target,
    )
    for source in FORMATS
    for target in FORMATS
    if FORMATS[source].width != FORMATS[target].width
]
PREDICATES = next(
    row.signature.choices["predicate"]
    for row in FLOAT_OPERATORS
    if "predicate" in row.signature.attributes
)


@dataclass
class Program:
    """A program in the making."""

    random: Random
    left_out: tuple[str, ...] = ()
    forms: tuple[str, ...] = tuple(FORMATS)
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    count: int = 0

    def emit(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def op(self, text: str, type_: str) -> Value:
        self.count += 1
        name = f"%v{self.count}"
        self.emit(f"{name} = {text}")
        return name, type_

    def pick(self, scope: list[Value], type_: str) -> Value:
        same = [value for value in scope if value[1] == type_]
        if same and self.random.random() < 0.9:
            return self.random.choice(same[-8:])
        return self.op(f"arith.constant {self.random.choice(CONSTANTS)} : {type_}", type_)

    def pure(self, scope: list[Value]) -> None:
        form = self.random.choice(self.forms)
        kind = self.random.random()
        if kind < 0.6:
            count = self.random.choice((1, 2, 2, 2, 3))
            names = [name for name in SAME[count] if name not in self.left_out]
            if not names:
                return
            name = self.random.choice(names)
            operands = ", ".join(self.pick(scope, form)[0] for _ in range(count))
            scope.append(self.op(f"{name} {operands} : {form}", form))
        elif kind < 0.75:
            name, source, target = self.random.choice(
                [c for c in CASTS if {*c[1:]} <= {*self.forms}]
            )
            operand = self.pick(scope, source)[0]
            scope.append(self.op(f"{name} {operand} : {source} to {target}", target))
        elif kind < 0.85:
            bit = self.condition(scope)
            operands = f"{self.pick(scope, form)[0]}, {self.pick(scope, form)[0]}"
            scope.append(self.op(f"arith.select {bit}, {operands} : {form}", form))
        else:
            self.through_integers(scope, form)

    def through_integers(self, scope: list[Value], form: str) -> None:
        """A float to a small integer and back to another format."""
        low = self.op(f"arith.constant -128.0 : {form}", form)
        high = self.op(f"arith.constant 127.0 : {form}", form)
        above = self.op(f"arith.maxnumf {self.pick(scope, form)[0]}, {low[0]} : {form}", form)
        inside = self.op(f"arith.minnumf {above[0]}, {high[0]} : {form}", form)
        number = self.op(f"arith.fptosi {inside[0]} : {form} to i8", "i8")
        to = self.random.choice(self.forms)
        name = self.random.choice(("sitofp", "uitofp"))
        scope.append(self.op(f"arith.{name} {number[0]} : i8 to {to}", to))

    def condition(self, scope: list[Value]) -> str:
        form = self.random.choice(self.forms)
        if self.random.random() < 0.25:
            test = self.random.choice([name for name in TESTS if name not in self.left_out])
            return self.op(f"{test} {self.pick(scope, form)[0]} : {form}", "i1")[0]
        sides = f"{self.pick(scope, form)[0]}, {self.pick(scope, form)[0]}"
        return self.op(f"arith.cmpf {self.random.choice(PREDICATES)}, {sides} : {form}", "i1")[0]

    def access(self, scope: list[Value], index: str) -> None:
        form = self.random.choice(self.forms)
        place = f"%m{form}[{index}] : memref<{SIZE}x{form}>"
        if self.random.random() < 0.5:
            scope.append(self.op(f"memref.load {place}", form))
        else:
            self.emit(f"memref.store {self.pick(scope, form)[0]}, {place}")

    def branch(self, scope: list[Value], index: str) -> None:
        form, bit = self.random.choice(self.forms), self.condition(scope)
        self.count += 1
        name = f"%v{self.count}"
        self.emit(f"{name} = scf.if {bit} -> {form} {{")
        self.inside(list(scope), index, form)
        self.emit("} else {")
        self.inside(list(scope), index, form)
        self.emit("}")
        scope.append((name, form))

    def loop(self, scope: list[Value]) -> None:
        form = self.random.choice(self.forms)
        start = self.pick(scope, form)
        self.count += 1
        name, index, carried = f"%v{self.count}", f"%i{self.count}", f"%a{self.count}"
        trips = self.random.choice(("%c0", "%c1", "%c3", "%n"))
        self.emit(f"{name} = scf.for {index} = %c0 to {trips} step %c1"
                  f" iter_args({carried} = {start[0]}) -> {form} {{")  # fmt: skip
        self.inside([*scope, (carried, form)], index, form)
        self.emit("}")
        scope.append((name, form))

    def inside(self, scope: list[Value], index: str, form: str) -> None:
        self.depth += 1
        self.block(scope, index)
        self.emit(f"scf.yield {self.pick(scope, form)[0]} : {form}")
        self.depth -= 1

    def block(self, scope: list[Value], index: str) -> None:
        for _ in range(self.random.randint(2, max(3, 9 - 2 * self.depth))):
            kind = self.random.random()
            if kind < 0.65:
                self.pure(scope)
            elif kind < 0.8:
                self.access(scope, index)
            elif self.depth < 4:
                self.branch(scope, index) if kind < 0.9 else self.loop(scope)


CONSTANTS = ("0.0", "-0.0", "1.0", "-1.5", "0.1", "3.0e-5", "1.0e+4", "6.5e+4")


def random_float_program(
    seed: int, left_out: tuple[str, ...] = (), forms: tuple[str, ...] = tuple(FORMATS)
) -> str:
    """The text of one program without the operators left out; the same for the same seed."""
    program = Program(Random(seed), left_out, forms)
    for name, number in (("%c0", 0), ("%c1", 1), ("%c3", 3)):
        program.emit(f"{name} = arith.constant {number} : index")
    program.emit("%c4 = arith.constant 4 : index")
    program.emit("%n = arith.remui %raw, %c4 : index")
    scope: list[Value] = [(f"%x{form}", form) for form in forms]
    program.block(scope, "%n")
    program.loop(scope)
    results = [program.pick(scope, form) for form in forms]
    arguments = [f"%x{form}: {form}" for form in forms]
    arguments += [f"%m{form}: memref<{SIZE}x{form}>" for form in forms]
    types = ", ".join(type_ for _, type_ in results)
    program.emit(f"return {', '.join(name for name, _ in results)} : {types}")
    head = f"func.func @f({', '.join(arguments)}, %raw: index) -> ({types}) {{"
    return "\n".join([head, *program.lines, "}", ""])
