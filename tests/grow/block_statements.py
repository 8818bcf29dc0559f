"""Statements of random blocks as MLIR text: pure operations, accesses in range, and branches."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

TYPES = ("i1", "i7", "i8", "i16", "i32", "i64")
PURE = ("addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxui")
PREDICATES = ("eq", "ne", "slt", "sle", "ugt", "uge")

Value = tuple[str, str]
"""Name and type."""


def width(type_: str) -> int:
    return int(type_[1:])


@dataclass
class Program:
    """A program in the making."""

    random: Random
    lines: list[str] = field(default_factory=list)
    memories: dict[str, tuple[int, str]] = field(default_factory=dict)
    count: int = 0

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def emit(self, depth: int, text: str) -> None:
        self.lines.append("  " * (depth + 1) + text)

    def op(self, depth: int, text: str, type_: str) -> Value:
        name = self.name()
        self.emit(depth, f"{name} = {text}")
        return name, type_

    def constant(self, depth: int, type_: str, value: int | None = None) -> Value:
        if value is None:
            low, high = (0, 1) if type_ == "i1" else (-5, 5)
            value = self.random.randint(low, high)
        text = ("false", "true")[value] if type_ == "i1" else f"{value} : {type_}"
        return self.op(depth, f"arith.constant {text}", type_)

    def pick(self, scope: list[Value], type_: str, depth: int) -> Value:
        """A value of the type: one in scope, a cast of one, or a constant."""
        same = [value for value in scope if value[1] == type_]
        if same and self.random.random() < 0.8:
            return self.random.choice(same[-6:] if self.random.random() < 0.6 else same)
        others = [value for value in scope if value[1].startswith("i") and value[1] != "index"]
        if others and self.random.random() < 0.7:
            return self.cast(self.random.choice(others), type_, depth)
        return self.constant(depth, type_)

    def cast(self, value: Value, type_: str, depth: int) -> Value:
        name, source = value
        if source == type_:
            return value
        if type_ == "index":
            kind = "index_castui" if width(source) < 60 else "index_cast"
        elif width(source) < width(type_):
            kind = self.random.choice(("extui", "extsi"))
        else:
            kind = "trunci"
        return self.op(depth, f"arith.{kind} {name} : {source} to {type_}", type_)

    def masked(self, scope: list[Value], type_: str, mask: int, depth: int) -> Value:
        """A value from 0 to mask."""
        scalar = "i8" if type_ == "index" else type_
        value = self.pick(scope, scalar, depth)
        limit = self.constant(depth, scalar, mask)
        small = self.op(depth, f"arith.andi {value[0]}, {limit[0]} : {scalar}", scalar)
        return self.cast(small, type_, depth) if type_ == "index" else small

    def memory(self) -> tuple[str, int, str] | None:
        if not self.memories:
            return None
        name = self.random.choice(list(self.memories))
        return name, *self.memories[name]

    # ---- statements: each adds what it defines to the scope ----

    def pure(self, scope: list[Value], depth: int) -> None:
        type_ = self.random.choice(TYPES)
        lhs, rhs = self.pick(scope, type_, depth), self.pick(scope, type_, depth)
        kind = self.random.randrange(4)
        if kind == 0:
            predicate = self.random.choice(PREDICATES)
            text = f"arith.cmpi {predicate}, {lhs[0]}, {rhs[0]} : {type_}"
            scope.append(self.op(depth, text, "i1"))
        elif kind == 1:
            test = self.pick(scope, "i1", depth)
            text = f"arith.select {test[0]}, {lhs[0]}, {rhs[0]} : {type_}"
            scope.append(self.op(depth, text, type_))
        else:
            text = f"arith.{self.random.choice(PURE)} {lhs[0]}, {rhs[0]} : {type_}"
            scope.append(self.op(depth, text, type_))

    def load(self, scope: list[Value], depth: int) -> None:
        chosen = self.memory()
        if chosen:
            name, size, type_ = chosen
            address = self.masked(scope, "index", size - 1, depth)
            text = f"memref.load {name}[{address[0]}] : memref<{size}x{type_}>"
            scope.append(self.op(depth, text, type_))

    def store(self, scope: list[Value], depth: int) -> None:
        chosen = self.memory()
        if chosen:
            name, size, type_ = chosen
            address = self.masked(scope, "index", size - 1, depth)
            value = self.pick(scope, type_, depth)
            self.emit(
                depth, f"memref.store {value[0]}, {name}[{address[0]}] : memref<{size}x{type_}>"
            )

    def leaving(self, scope: list[Value], types: list[str], depth: int, keyword: str) -> None:
        """A terminator with values of these types."""
        values = [self.pick(scope, type_, depth)[0] for type_ in types]
        listed = f" {', '.join(values)} : {', '.join(types)}" if types else ""
        self.emit(depth, f"{keyword}{listed}")

    def some_types(self) -> list[str]:
        return [self.random.choice(TYPES) for _ in range(self.random.choice((0, 0, 1, 1, 2, 3)))]

    def results(self, types: list[str]) -> tuple[str, list[Value]]:
        """The left side of an operation with these results, and the values."""
        if not types:
            return "", []
        # MLIR reads no ``%v#1`` in the list of a switch.
        values = [(self.name(), type_) for type_ in types]
        return f"{', '.join(name for name, _ in values)} = ", values

    def branch(self, scope: list[Value], depth: int) -> None:
        test, types = self.pick(scope, "i1", depth), self.some_types()
        left, results = self.results(types)
        arrow = f" -> ({', '.join(types)})" if types else ""
        self.emit(depth, f"{left}scf.if {test[0]}{arrow} {{")
        for has_else in (False, True):
            if has_else:
                if not types and self.random.random() < 0.5:
                    break
                self.emit(depth, "} else {")
            inner = list(scope)
            self.block(inner, depth + 1)
            if types:
                self.leaving(inner, types, depth + 1, "scf.yield")
        self.emit(depth, "}")
        scope += results

    def block(self, scope: list[Value], depth: int) -> None:
        """Some statements without regions."""
        for _ in range(self.random.randint(0, 3)):
            self.random.choice((self.pure, self.load, self.store))(scope, depth)
