"""Python text for a structured program: what every operation's generator writes into.

One Python function stands for each source function. Python limits how deep blocks may nest, so a
region deeper than `MAX_DEPTH` becomes a Python function of its own, called where the region
stands. Nothing is counted in the innermost text: each block knows how often it runs as a multiple
of a counter, loops add their trip count on entry, and the totals are written when a function ends.

Names in the text: ``B`` the budget of operations left, ``T`` the accesses and ``I`` the iterations
by (call path, number), ``path`` the numbers of the calls that led here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loom.dialects.facts.blocks import last_of
from loom.dialects.facts.places import place_of
from loom.dialects.ops.types import is_token_type, width_of
from loom.errors import LoomError
from loom.model.reference.faults import Faults
from loom.model.reference.layout import layout_of
from loom.model.reference.views import View

MAX_DEPTH = 10
"""Nested blocks in one Python function; Python itself stops at 20."""

Handler = Callable[["FunctionWriter", Operation], None]
WriteBody = Callable[["FunctionWriter"], tuple[Operation, list[str]]]
"""Writes the body of a function; gives the operation to name where the budget ends, and what the
function returns."""


@dataclass(slots=True)
class Count:
    """How often a block runs: `times` the variable `base`, or just `times` if it is empty."""

    times: int
    base: str = ""

    def __str__(self) -> str:
        if not self.base:
            return str(self.times)
        return self.base if self.times == 1 else f"{self.times} * {self.base}"


@dataclass(slots=True)
class Scope:
    """The block being written: how often it runs and what one run costs [operations]."""

    count: Count
    cost: int = 0


@dataclass
class Program:
    """The whole text in the making: what its functions share."""

    index_width: int
    handlers: Mapping[type[Operation], Handler]
    fallback: Handler
    functions: Mapping[str, FuncOp]
    faults: Faults = field(default_factory=Faults)
    bound: dict[str, object] = field(default_factory=dict)
    waiting: list[Callable[[], list[str]]] = field(default_factory=list)
    sites: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)  # source function to its Python name
    globals: dict[str, View] = field(default_factory=dict)
    names: int = 0

    def fresh(self, letter: str) -> str:
        """A name that nothing else in the text has."""
        self.names += 1
        return f"{letter}{self.names}"

    def site(self, label: str) -> int:
        """The number under which a memory, loop or call is counted; `label` is for the report."""
        self.sites.append(label)
        return len(self.sites) - 1

    def bind(self, letter: str, value: object) -> str:
        """A name in the text for a Python object."""
        name = self.fresh(letter)
        self.bound[name] = value
        return name

    def width(self, type_: Attribute, op: Operation) -> int:
        """The width of a scalar [bits], refused if it is none."""
        if not is_token_type(type_):
            raise LoomError("REF_UNSUPPORTED", place_of(op), f"{type_}", "integers and index")
        return width_of(type_, self.index_width)


@dataclass
class FunctionWriter:
    """One Python function in the making."""

    program: Program
    names: dict[SSAValue, str]
    views: dict[SSAValue, View]
    bounded: dict[SSAValue, tuple[int, int]]  # signed values known to lie in [low, high)
    lines: list[str] = field(default_factory=list)
    depth: int = 0
    scope: Scope = field(default_factory=lambda: Scope(Count(1)))
    counters: list[str] = field(default_factory=list)
    charges: list[tuple[Count, int]] = field(default_factory=list)
    accesses: list[tuple[str, Count, int, int]] = field(default_factory=list)
    iterations: list[tuple[str, Count]] = field(default_factory=list)

    def line(self, text: str) -> None:
        """The line stands at the end of the current block."""
        self.lines.append(" " * (self.depth + 1) + text)

    def reserve(self) -> int:
        """A line to be written later, by `fill`; None is left out."""
        self.line("pass")
        return len(self.lines) - 1

    def fill(self, reserved: int, text: str) -> None:
        """The reserved line says `text`."""
        old = self.lines[reserved]
        self.lines[reserved] = old[: len(old) - len(old.lstrip())] + text

    def counter(self) -> str:
        """A new counter, zero when the function starts."""
        name = self.program.fresh("c")
        self.counters.append(name)
        return name

    def value(self, value: SSAValue) -> str:
        """The Python expression (a name or a literal) for an unsigned bit pattern."""
        return self.names[value]

    def signed(self, value: SSAValue, op: Operation) -> str:
        """An expression for the value read as a two's complement number."""
        name = self.names[value]
        half = 1 << (self.program.width(value.type, op) - 1)
        if name.isdigit():
            return str((int(name) ^ half) - half)
        low, high = self.bounded.get(value, (-1, 0))
        if low >= 0 and high <= half:
            return name
        return f"(({name} ^ {half}) - {half})"

    def define(self, value: SSAValue, letter: str = "v") -> str:
        """A fresh name for `value`."""
        name = self.program.fresh(letter)
        self.names[value] = name
        return name

    def assign(self, targets: Sequence[str], values: Sequence[str]) -> None:
        """All targets take their values at once."""
        pairs = [(t, v) for t, v in zip(targets, values, strict=True) if t != v]
        if pairs:
            self.line(f"{', '.join(t for t, _ in pairs)} = {', '.join(v for _, v in pairs)}")

    def operation(self, op: Operation) -> None:
        """The text of `op` stands at the end of the current block."""
        self.program.handlers.get(type(op), self.program.fallback)(self, op)

    def block(self, block: Block, scope: Scope) -> tuple[str, ...]:
        """The block is written here, or called from here; the values its terminator passes on."""
        if self.depth > MAX_DEPTH:
            self.depth += 1
            results = self.outlined([block], len(last_of(block).operands), single_block(block))
            self.depth -= 1
            return results
        outer, self.scope = self.scope, scope
        self.depth += 1
        last = block.last_op
        for op in block.ops:
            if op is not last:
                self.operation(op)
        self.depth -= 1
        self.scope = outer
        assert last is not None
        return tuple(self.names.get(operand, "") for operand in last.operands)

    def outlined(
        self, blocks: Sequence[Block], results: int, write_body: WriteBody
    ) -> tuple[str, ...]:
        """The blocks are a function of its own, called here; the names of its results."""
        name = self.program.fresh("r")
        outside = [*blocks[0].args, *values_from_outside(blocks)]
        names = {value: self.names[value] for value in outside if value in self.names}
        views = {value: self.views[value] for value in outside if value in self.views}
        bounded = {value: self.bounded[value] for value in outside if value in self.bounded}
        parameters = dict.fromkeys(
            text
            for text in (*names.values(), *(n for v in views.values() for n in v.variables()))
            if not text.isdigit()
        )
        arguments = ", ".join(("path", *parameters))
        # What leaves the blocks may be a value from outside, which needs no name of its own here.
        targets = [self.program.fresh("y") for _ in range(results)]

        def write() -> list[str]:
            writer = FunctionWriter(self.program, dict(names), dict(views), dict(bounded))
            return writer.function(f"{name}({arguments})", write_body)

        self.program.waiting.append(write)
        # A call of its own for each iteration; the callee charges the budget.
        left = "".join(f"{target}, " for target in targets)
        self.line(f"{left}= {name}({arguments})" if left else f"{name}({arguments})")
        return tuple(targets)

    def outline(self, op: Operation) -> None:
        """The operation, which gives scalars, is written in a function of its own, called here."""
        name = self.program.fresh("r")
        blocks = [block for region in op.regions for block in region.blocks]
        outside = dict.fromkeys([*op.operands, *values_from_outside(blocks)])
        names = {value: self.names[value] for value in outside if value in self.names}
        views = {value: self.views[value] for value in outside if value in self.views}
        bounded = {value: self.bounded[value] for value in outside if value in self.bounded}
        texts = (*names.values(), *(n for v in views.values() for n in v.variables()))
        parameters = dict.fromkeys(text for text in texts if not text.isdigit())
        arguments = ", ".join(("path", *parameters))

        def write() -> list[str]:
            writer = FunctionWriter(self.program, dict(names), dict(views), dict(bounded))
            writer.operation(op)
            leaving = [writer.names[result] for result in op.results]
            return writer.finished(f"{name}({arguments})", op, leaving)

        self.program.waiting.append(write)
        targets = "".join(f"{self.define(result)}, " for result in op.results)
        self.line(f"{targets}= {name}({arguments})" if targets else f"{name}({arguments})")

    def passed(self, value: SSAValue, op: Operation) -> list[str]:
        """The expressions that hand `value` to another function.

        A memref goes as its list, its key and what its type leaves open of offset and strides.
        """
        if not isinstance(value.type, MemRefType):
            return [self.names[value]]
        view, layout = self.views[value], layout_of(value.type, place_of(op))
        given, stated = (view.offset, *view.strides), (layout.offset, *layout.strides)
        unknown = [text for text, known in zip(given, stated, strict=True) if known is None]
        return [view.words, view.key, *unknown]

    def function(self, header: str, write_body: WriteBody) -> list[str]:
        """The finished text of a Python function whose body `write_body` writes."""
        last, leaving = write_body(self)
        return self.finished(header, last, leaving)

    def finished(self, header: str, op: Operation, leaving: Sequence[str]) -> list[str]:
        """The text of a Python function whose body is written; `op` is blamed for too many."""
        body, self.lines = self.lines, []
        over = self.program.faults.number(op)
        if self.counters:
            self.line(" = ".join(self.counters) + " = 0")
        self.line(f"B[0] -= {self.scope.cost}")
        self.line(f"if B[0] < 0: over({over})")
        self.lines += body
        self._write_totals()
        if leaving:
            self.line(f"return {', '.join(leaving)},")
        return [f"def {header}:", *self.lines]

    def _write_totals(self) -> None:
        """The counts of this run are added to the program's totals."""
        for count, cost in self.charges:
            if cost:
                self.line(f"B[0] -= {cost} * {count}")
        totals: dict[tuple[str, int], dict[str, int]] = {}
        for key, count, loads, stores in self.accesses:
            for side, number in enumerate((loads, stores)):
                if number:
                    terms = totals.setdefault((key, side), {})
                    terms[count.base] = terms.get(count.base, 0) + number * count.times
        for (key, side), terms in totals.items():
            # A line for each counter: Python's compiler cannot take a sum of thousands.
            for base, times in terms.items():
                self.line(f"T[{key}][{side}] += {Count(times, base)}")
        for key, count in self.iterations:
            self.line(f"I[{key}] += {count}")


def single_block(block: Block) -> WriteBody:
    """What writes a function that is this block."""

    def write(writer: FunctionWriter) -> tuple[Operation, list[str]]:
        writer.depth = -1
        writer.block(block, writer.scope)
        writer.depth = 0
        last = last_of(block)
        return last, [text for value in last.operands for text in writer.passed(value, last)]

    return write


def values_from_outside(blocks: Sequence[Block]) -> list[SSAValue]:
    """The values that `blocks` use, at any depth, and that are defined outside, in order of use."""
    inside: set[SSAValue] = set()
    used: dict[SSAValue, None] = {}
    pending = list(blocks)
    while pending:
        current = pending.pop()
        inside.update(current.args)
        for op in current.ops:
            inside.update(op.results)
            used.update(dict.fromkeys(op.operands))
            pending += [inner for region in op.regions for inner in region.blocks]
    return [value for value in used if value not in inside]


def refuse_memrefs(op: Operation, values: Iterable[SSAValue], what: str) -> None:
    """Return if no memref is among the values that `op` passes on."""
    if any(isinstance(value.type, MemRefType) for value in values):
        raise LoomError("REF_UNSUPPORTED", place_of(op), f"a memref as {what}", "scalars there")
