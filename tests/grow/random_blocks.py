"""Random graphs of blocks as MLIR text: any edges, and every run ends.

A counter of fuel goes from block to block. An edge to a block that is not further down is only
taken while there is fuel; the other edges cannot go on for ever. Graphs are as often irreducible
as they come; some blocks are unreachable.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.grow.block_statements import TYPES, Program, Value

LEAVE = -1
"""The target of what leaves the graph."""


@dataclass(frozen=True)
class End:
    """How a block ends: the targets further down, and one above that fuel is needed for."""

    forward: tuple[int, ...]
    back: int | None


def random_end(random: Random, number: int, count: int) -> End:
    """The end of a block; the later, the more of them leave."""
    below = list(range(number + 1, count))
    near = below[: random.choice((1, 2, 2, 4, len(below)))]
    ways = [
        LEAVE if not near or random.random() < 0.12 else random.choice(near)
        for _ in range(random.choice((1, 1, 2, 2, 2, 3)))
    ]
    back = random.randint(1, number) if number and random.random() < 0.6 else None
    return End(tuple(ways), back)


def dominators(ends: list[End]) -> list[set[int]]:
    """The blocks on every way to each; all of them for a block that is unreachable."""
    found = [set(range(len(ends))) for _ in ends]
    found[0] = {0}
    for _ in ends:
        for number in range(1, len(ends)):
            above = [found[k] for k, e in enumerate(ends) if number in (*e.forward, e.back)]
            if above:
                found[number] = set.intersection(*above) | {number}
    return found


class Graph:
    """Blocks in the making, at one depth of the program."""

    def __init__(self, program: Program, depth: int, leave: str, results: list[str]) -> None:
        self.program = program
        self.random = program.random
        self.depth = depth
        self.leave = leave
        self.results = results
        count = self.random.randint(2, 10)
        self.ends = [random_end(self.random, k, count) for k in range(count)]
        self.arguments: list[list[Value]] = [
            [(program.name(), type_) for type_ in ("i8", *program.some_types())] if k else []
            for k in range(count)
        ]
        self.leaving: list[str] = []
        self.mark = program.name()[1:]

    def label(self, number: int) -> str:
        return f"^{self.mark}_{number}"

    def write(self, scope: list[Value]) -> None:
        """All blocks, the values of `scope` in reach."""
        known: list[list[Value]] = []
        for number, above in enumerate(dominators(self.ends)):
            if number:
                listed = ", ".join(f"{name}: {type_}" for name, type_ in self.arguments[number])
                self.program.emit(self.depth - 1, f"{self.label(number)}({listed}):")
            earlier = sorted(k for k in above if k < number)
            inner = [*scope, *(value for k in earlier for value in known[k])]
            before = len(inner)
            inner += self.arguments[number]
            self.write_block(number, inner)
            known.append(inner[before:])

    def write_block(self, number: int, scope: list[Value]) -> None:
        program, depth = self.program, self.depth
        if number:
            fuel = self.arguments[number][0]
        else:
            fuel = program.constant(depth, "i8", self.random.randint(0, 12))
        for _ in range(self.random.choice((0, 0, 1, 2, 3))):
            plain = (program.pure, program.pure, program.load, program.store)
            nested = self.random.random() < 0.1
            (program.branch if nested else self.random.choice(plain))(scope, depth)
        one = program.constant(depth, "i8", 1)
        left = program.op(depth, f"arith.subi {fuel[0]}, {one[0]} : i8", "i8")
        self.write_end(self.ends[number], left, scope)
        for label in self.leaving:
            program.emit(depth - 1, f"{label}:")
            program.leaving(scope, self.results, depth, self.leave)
        self.leaving.clear()

    def way(self, target: int, fuel: Value, scope: list[Value]) -> str:
        """A successor with what its arguments get; what leaves has a block of its own."""
        if target == LEAVE:
            self.leaving.append(f"^{self.program.name()[1:]}")
            return self.leaving[-1]
        types = [type_ for _, type_ in self.arguments[target]][1:]
        values = [fuel, *(self.program.pick(scope, type_, self.depth) for type_ in types)]
        names, kinds = zip(*values, strict=True)
        return f"{self.label(target)}({', '.join(names)} : {', '.join(kinds)})"

    def write_end(self, end: End, fuel: Value, scope: list[Value]) -> None:
        program, depth = self.program, self.depth
        ways = [self.way(target, fuel, scope) for target in end.forward]
        if end.back is not None:
            back, zero = self.way(end.back, fuel, scope), program.constant(depth, "i8", 0)
            go = program.op(depth, f"arith.cmpi sgt, {fuel[0]}, {zero[0]} : i8", "i1")
            if self.random.random() < 0.7:
                test = program.pick(scope, "i1", depth)
                go = program.op(depth, f"arith.andi {go[0]}, {test[0]} : i1", "i1")
            if len(ways) == 1 or self.random.random() < 0.7:
                program.emit(depth, f"cf.cond_br {go[0]}, {back}, {ways[0]}")
                return
            wide = program.op(depth, f"arith.extui {go[0]} : i1 to i8", "i8")
            self.write_switch(wide, [ways[0], back, *ways[1:]], (1, 77, -3))
        elif len(ways) == 1:
            program.emit(depth, f"cf.br {ways[0]}")
        elif len(ways) == 2 and self.random.random() < 0.8:
            test = program.pick(scope, "i1", depth)
            program.emit(depth, f"cf.cond_br {test[0]}, {', '.join(ways)}")
        else:
            flag = program.masked(scope, self.random.choice(("i8", "i32")), 3, depth)
            self.write_switch(flag, ways, (0, 1, 2))

    def write_switch(self, flag: Value, ways: list[str], numbers: tuple[int, ...]) -> None:
        cases = [f"{n}: {way}" for n, way in zip(numbers, ways[1:], strict=False)]
        lines = ", ".join([f"default: {ways[0]}", *cases])
        self.program.emit(self.depth, f"cf.switch {flag[0]} : {flag[1]}, [{lines}]")


def random_blocks(seed: int) -> str:
    """The text of one program; the same for the same seed. Every fourth graph is in a region."""
    random = Random(seed)
    program = Program(random)
    scalars: list[Value] = [(f"%a{k}", random.choice(TYPES)) for k in range(random.randint(1, 3))]
    for k in range(random.choice((0, 1, 1, 2))):
        program.memories[f"%m{k}"] = (random.choice((1, 2, 4, 8)), random.choice(TYPES))
    arguments = [f"{name}: {type_}" for name, type_ in scalars]
    arguments += [f"{n}: memref<{size}x{type_}>" for n, (size, type_) in program.memories.items()]
    scope, results = list(scalars), program.some_types()
    if seed % 4:
        Graph(program, 0, "return", results).write(scope)
    else:
        in_region(program, scope)
        program.leaving(scope, results, 0, "return")
    arrow = f" -> ({', '.join(results)})" if results else ""
    return "\n".join([f"func.func @f({', '.join(arguments)}){arrow} {{", *program.lines, "}", ""])


def in_region(program: Program, scope: list[Value]) -> None:
    """A loop of two turns around a region of blocks, and what the region yields."""
    types = program.some_types()
    inits = [program.pick(scope, type_, 0) for type_ in types]
    low, high, one = (program.constant(0, "index", k) for k in (0, 2, 1))
    carried: list[Value] = [(program.name(), type_) for type_ in types]
    left, results = program.results(types)
    pairs = ", ".join(f"{c[0]} = {i[0]}" for c, i in zip(carried, inits, strict=True))
    carrying = f" iter_args({pairs}) -> ({', '.join(types)})" if types else ""
    header = f"scf.for {program.name()} = {low[0]} to {high[0]} step {one[0]}{carrying}"
    program.emit(0, f"{left}{header} {{")
    inner_left, yielded = program.results(types)
    arrow = f" -> ({', '.join(types)})" if types else ""
    program.emit(1, f"{inner_left}scf.execute_region{arrow} {{")
    Graph(program, 2, "scf.yield", types).write([*scope, *carried])
    program.emit(1, "}")
    if types:
        program.emit(1, f"scf.yield {', '.join(v[0] for v in yielded)} : {', '.join(types)}")
    program.emit(0, "}")
    scope += results
