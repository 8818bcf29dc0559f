"""A run of a program in normal form with a timestamp for every value.

Operands, the control that lets it happen, and what stands in memory come before a value; its unit's
latency comes after. Resources have no limit and nothing is speculated. A loop starts at most one
iteration a cycle, an access takes a cycle unless its memory is known to be slower, and a store
waits for the loads and stores of the same element that come before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from loom.dialects.facts.argument_names import argument_names
from loom.dialects.facts.arrays import partition_behind, ports_behind
from loom.dialects.facts.instances import shape_of
from loom.dialects.facts.loop_attributes import is_unsigned
from loom.dialects.facts.places import place_of
from loom.dialects.floats.attributes import pattern_of, words_of
from loom.dialects.operators.catalogue import find
from loom.dialects.ops.types import width_of
from loom.model.limits.timestamps import (
    BEGIN,
    IterationEnds,
    LoopTotals,
    TimedArray,
    TimedValue,
    Timestamp,
    latest,
)

LARGEST = 3_000_000
"""Operations after which a run is given up: each costs a microsecond [operations]."""


class TooLong(Exception):
    """The run has more operations than `LARGEST`."""


class TimedRun:
    """One activation.

    `latencies` are those of the operators' units [cycles]; an operator without a unit takes none.
    `access_cycles` are those of accesses to memories that take more than one [cycles].
    """

    def __init__(
        self,
        module: ModuleOp,
        index_width: int,
        latencies: Mapping[str, int] | None = None,
        access_cycles: Mapping[str, int] | None = None,
    ) -> None:
        self.index_width, self.latencies = index_width, latencies
        self.access_cycles = access_cycles or {}
        self.values: dict[SSAValue, TimedValue] = {}
        self.memories: dict[SSAValue, TimedArray] = {}
        self.module = module
        self.globals = {
            op.sym_name.data: TimedArray(op.sym_name.data, self.initial(op))
            for op in module.ops
            if isinstance(op, memref.GlobalOp)
        }
        self.pure: dict[Operation, tuple[Callable[..., int | tuple[int, ...]], int]] = {}
        self.loops: dict[Operation, LoopTotals] = {}
        self.accesses: Counter[tuple[str, str]] = Counter()
        self.names: dict[Operation, str] = {}
        self.around: list[LoopTotals] = []
        self.last = BEGIN
        self.operations = 0

    def initial(self, op: memref.GlobalOp) -> list[int]:
        """The elements a global begins with."""
        assert isinstance(op.type, MemRefType)
        width = width_of(op.type.element_type, self.index_width)
        if isinstance(op.initial_value, DenseIntOrFPElementsAttr):
            return list(words_of(op.initial_value, width))
        return self.blank(op.type)

    def blank(self, type_: MemRefType) -> list[int]:
        """As many zeros as the memory has elements."""
        return [0] * type_.get_shape()[0]

    def run_function(self, function: FuncOp, inputs: Sequence[int | list[int]]) -> None:
        """The body has run, and `last` is its last timestamp."""
        names = argument_names(function)
        for argument, name, given in zip(function.body.block.args, names, inputs, strict=True):
            if isinstance(given, list):
                partition = partition_behind(argument, function, self.module)
                self.memories[argument] = TimedArray(name, list(given), partition)
            else:
                self.values[argument] = TimedValue(given, BEGIN)
        self.run_block(function.body.block, BEGIN)

    def record_last(self, timestamp: Timestamp) -> Timestamp:
        """`timestamp`, which may be the last."""
        if timestamp.time > self.last.time:
            self.last = timestamp
        return timestamp

    def run_block(self, block: Block, control: Timestamp) -> list[TimedValue]:
        """What the block's terminator passes on; nothing in it happens before `control`."""
        if self.operations > LARGEST:
            raise TooLong
        for op in block.ops:
            self.operations += 1
            if isinstance(op, scf.YieldOp | scf.ConditionOp | ReturnOp):
                return [self.leave_block(value) for value in op.operands]
            if isinstance(op, scf.ForOp):
                self.run_for(op, control)
            elif isinstance(op, scf.WhileOp):
                self.run_while(op, control)
            elif isinstance(op, scf.IfOp):
                self.run_if(op, control)
            else:
                self.run_operation(op, control)
        return []

    def leave_block(self, value: SSAValue) -> TimedValue:
        """The value as it leaves its block."""
        found = self.values[value]
        self.record_last(found.timestamp)
        return found

    def run_operation(self, op: Operation, control: Timestamp) -> None:
        """An operation without regions has happened."""
        if isinstance(op, arith.ConstantOp):
            self.constant(op, control)
        elif isinstance(op, memref.LoadOp):
            self.load(op, control)
        elif isinstance(op, memref.StoreOp):
            self.store(op, control)
        elif isinstance(op, memref.GetGlobalOp):
            array = self.globals[str(op.name_.string_value())]
            self.memories[op.memref] = self.set_banks(array, op.memref)
        elif isinstance(op, memref.AllocOp | memref.AllocaOp):
            assert isinstance(op.memref.type, MemRefType)
            array = TimedArray(self.name_of(op), self.blank(op.memref.type))
            self.memories[op.memref] = self.set_banks(array, op.memref)
        else:
            self.compute(op, control)

    def set_banks(self, array: TimedArray, memory: SSAValue) -> TimedArray:
        """The array with its partition and read ports."""
        array.partition = partition_behind(memory, self.module, self.module)
        array.ports = ports_behind(memory, self.module, self.module)
        array.registers = array.partition is not None and array.partition.places == 1
        return array

    def name_of(self, op: memref.AllocOp | memref.AllocaOp) -> str:
        """A name of its own for a local memory: copies of a function share their hints."""
        if op not in self.names:
            name = op.memref.name_hint or f"local at {place_of(op)}"
            twins = sum(known.partition(" #")[0] == name for known in self.names.values())
            self.names[op] = f"{name} #{twins + 1}" if twins else name
        return self.names[op]

    def constant(self, op: arith.ConstantOp, control: Timestamp) -> None:
        """A constant exists as soon as control is there."""
        if isinstance(op.value, FloatAttr):
            token = pattern_of(op.value)
        else:
            assert isinstance(op.value, IntegerAttr)
            token = op.value.value.data % (1 << width_of(op.result.type, self.index_width))
        self.values[op.result] = TimedValue(token, control)

    def compute(self, op: Operation, control: Timestamp) -> None:
        """A pure operation's results exist its latency after the last operand."""
        function, latency = self.meaning(op)
        given = [self.values[operand] for operand in op.operands]
        start = latest(control, *(each.timestamp for each in given))
        end = Timestamp(start.time + latency, op, start) if latency else start
        found = function(*[each.token for each in given])
        for result, token in zip(
            op.results, found if isinstance(found, tuple) else (found,), strict=True
        ):
            self.values[result] = TimedValue(token, end)

    def meaning(self, op: Operation) -> tuple[Callable[..., int | tuple[int, ...]], int]:
        """The function and the latency [cycles] of a pure operation."""
        if op not in self.pure:
            operator = find(op.name)
            assert operator is not None and operator.semantics.meaning is not None, op.name
            shape = shape_of(op, operator, self.index_width)
            latency = (
                operator.hardware.latency_of(shape)
                if self.latencies is None
                else self.latencies.get(op.name, 0)
            )
            self.pure[op] = operator.semantics.meaning(shape), latency
        return self.pure[op]

    def load(self, op: memref.LoadOp, control: Timestamp) -> None:
        """An element comes after its address, and after the store that wrote it."""
        array, address = self.memories[op.memref], self.values[op.indices[0]]
        at = address.token
        self.count(array, "loads", at)
        start = latest(control, address.timestamp, array.written.get(at, BEGIN))
        cycles = self.access_cycles.get(array.name, 1)
        end = self.record_last(Timestamp(start.time + cycles, op, start))
        array.read[at] = latest(array.read.get(at, BEGIN), end)
        self.values[op.res] = TimedValue(array.tokens[at], end)

    def store(self, op: memref.StoreOp, control: Timestamp) -> None:
        """An element is there after datum, address and what must come before."""
        array, address = self.memories[op.memref], self.values[op.indices[0]]
        datum, at = self.values[op.value], address.token
        self.count(array, "stores", at)
        start = latest(
            control, address.timestamp, datum.timestamp,
            array.written.get(at, BEGIN), array.read.get(at, BEGIN),
        )  # fmt: skip
        cycles = self.access_cycles.get(array.name, 1)
        array.written[at] = self.record_last(Timestamp(start.time + cycles, op, start))
        array.tokens[at] = datum.token

    def count(self, array: TimedArray, kind: str, address: int) -> None:
        """One access more, in each loop around too."""
        port = array.port(kind, address)
        if not port:
            return
        self.accesses[port, kind] += 1
        for loop in self.around:
            loop.accesses[port, kind] += 1

    def run_if(self, op: scf.IfOp, control: Timestamp) -> None:
        """The side that the condition chooses has run."""
        condition = self.values[op.cond]
        control = latest(control, condition.timestamp)
        region = op.true_region if condition.token else op.false_region
        left = self.run_block(region.block, control) if region.blocks else []
        for result, found in zip(op.results, left, strict=True):
            self.values[result] = TimedValue(found.token, latest(found.timestamp, control))

    def run_for(self, op: scf.ForOp, control: Timestamp) -> None:
        """Every iteration has run; they start a cycle apart at the least."""
        bounds = [self.values[value] for value in (op.lb, op.ub, op.step)]
        control = latest(control, *(each.timestamp for each in bounds))
        width = width_of(op.lb.type, self.index_width)
        signed = not is_unsigned(op)
        first, end, step = (self.number(each.token, width, signed) for each in bounds)
        carried = [self.values[value] for value in op.iter_args]
        variable, *arguments = op.body.block.args
        ends = IterationEnds(self.enter(op))
        for index in range(first, end, max(step, 1)):
            self.values[variable] = TimedValue(index % (1 << width), control)
            self.values.update(zip(arguments, carried, strict=True))
            ends.totals.iterations += 1
            carried = self.iteration(op.body.block, control, ends)
            control = Timestamp(control.time + 1, op, control)
        self.leave(ends)
        self.values.update(zip(op.results, carried, strict=True))

    def number(self, token: int, width: int, signed: bool) -> int:
        """The number that a pattern of `width` [bits] stands for."""
        return token - (1 << width) if signed and token >> (width - 1) & 1 else token

    def run_while(self, op: scf.WhileOp, control: Timestamp) -> None:
        """Every iteration has run; the next test begins when the last one is decided."""
        before, after = op.before_region.block, op.after_region.block
        carried = [self.values[value] for value in op.arguments]
        ends = IterationEnds(self.enter(op))
        while True:
            self.values.update(zip(before.args, carried, strict=True))
            condition, *passed = self.iteration(before, control, ends)
            decided = latest(control, condition.timestamp)
            passed = [TimedValue(each.token, latest(each.timestamp, decided)) for each in passed]
            if not condition.token:
                break
            self.values.update(zip(after.args, passed, strict=True))
            ends.totals.iterations += 1
            carried = self.iteration(after, decided, None)
            start = Timestamp(control.time + 1, op, control)
            control = latest(start, decided)
        self.leave(ends)
        self.values.update(zip(op.results, passed, strict=True))

    def enter(self, op: Operation) -> LoopTotals:
        """The loop is the innermost around."""
        totals = self.loops.setdefault(op, LoopTotals(len(self.around)))
        totals.entries += 1
        self.around.append(totals)
        return totals

    def iteration(
        self, block: Block, control: Timestamp, ends: IterationEnds | None
    ) -> list[TimedValue]:
        """One run of a loop's block; `ends` gets its last timestamp, if it begins a round."""
        before, self.last = self.last, control
        left = self.run_block(block, control)
        if ends is not None:
            ends.add(self.last.time)
            ends.totals.rounds += 1
        self.last = latest(before, self.last)
        return left

    def leave(self, ends: IterationEnds) -> None:
        """The loop is over."""
        self.around.pop()
        if ends.count > 1:
            ends.totals.cycles += ends.last - ends.first
            ends.totals.steps += ends.count - 1
