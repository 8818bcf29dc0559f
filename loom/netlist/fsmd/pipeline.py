"""The registers and the control of one pipeline of a machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, OpResult, SSAValue

from loom.dialects.facts.instances import constant_pattern, signal_shape
from loom.dialects.operators.catalogue import CATALOGUE, find
from loom.dialects.operators.operator import Shape
from loom.dialects.ops.staticlogic import PipelineOp, StageOp, latency_of
from loom.dialects.schedules.trip_counts import Counted, find_counted, is_known_to_run
from loom.netlist.fsmd.fsmd import Choice
from loom.netlist.fsmd.steps import PLAIN, inner
from loom.netlist.fsmd.timeline import Made, Moment, Timeline

if TYPE_CHECKING:
    from loom.netlist.fsmd.build import Machine


COMPARE = CATALOGUE["arith.cmpi"]


def counter_of_test(loop: PipelineOp) -> Counted | None:
    """The counter of a loop of which a register says that the test fails, from the cycle before.

    Its first iteration is known to run. Other loops test in the cycle of the issue.
    """
    if loop.is_while or loop.forwarded:
        return None
    counted = find_counted(loop)
    return counted if counted is not None and counted.trips > 0 else None


class Pipeline:
    """One pipeline of a machine."""

    def __init__(self, machine: Machine, loop: PipelineOp, go: Moment) -> None:
        self.machine, self.loop = machine, loop
        self.signals = machine.signals
        self.name = machine.title(loop)
        self.timeline = Timeline(self.signals, self.name, "", loop.ii)
        self.ends = [self.end_of_carried(value) for value in loop.return_op.iter_args]
        # From the failing test to the end: the last iteration, and its carried values.
        self.drain = max(0, max([loop.depth, *(end + 1 for end in self.ends)]) - loop.ii)
        self.is_early = self.find_early()
        self.start = machine.settle(go) if self.is_early else go

    def end_of_carried(self, value: SSAValue) -> int:
        """The cycle in which the value of the next iteration is on its wire."""
        assert isinstance(value, OpResult) and isinstance(value.op, StageOp)
        made = inner(value).owner
        assert isinstance(made, Operation)
        return value.op.start + latency_of(made)

    def find_early(self) -> bool:
        """Whether the first iteration issues as the loop starts.

        Induction variables then have their first, constant values before, and nothing else is
        needed in the first cycle. Carried values are in their registers a cycle later: the loop may
        not end in its first cycle then, nor the first iteration give one in its first cycle.
        """
        loop = self.loop
        if loop.iter_inits and self.drain == 0 and not is_known_to_run(loop):
            return False
        if 0 in self.ends:
            return False
        if any(not isinstance(v.owner, arith.ConstantOp) for v in loop.iv_inits):
            return False
        if any(result.uses for result in loop.res[: len(loop.iv_inits)]) and not loop.is_while:
            return False
        if any(value.uses for value in loop.iter_args(loop.condition)):
            return False
        return all(
            self.cycle_of_use(use.operation) > 0
            for value in loop.iter_args(loop.stages)
            for use in value.uses
        )

    def cycle_of_use(self, operation: Operation) -> int:
        """The cycle of the stage that an operation is in, or is."""
        stage = operation if isinstance(operation, StageOp) else operation.parent_op()
        return stage.start if isinstance(stage, StageOp) else 0

    def build(self) -> Moment:
        """The registers, the control, the stages; the end."""
        loop, signals, machine = self.loop, self.signals, self.machine
        ii, go = loop.ii, self.start.signal
        counters = [self.counter(k) for k in range(len(loop.iv_inits))]
        carried = [self.register(k) for k in range(len(loop.iter_inits))]
        self.timeline._valid.append("")
        begin = go if self.is_early else signals.delayed(f"{self.name}_begin", go)
        again = self.timeline.valid(ii)
        counted = counter_of_test(loop)
        if counted is None:
            test = signals.any_of(f"{self.name}_test", [begin, again])
            self.bind(loop.condition.block, counters, carried, 0)
            self.evaluate(loop.condition.block)
            more = machine.hold(loop.condition_yield.values[0])
            issue = signals.gate(f"{self.name}_issue", (test, more))
            stop = signals.gate(f"{self.name}_stop", (test, f"!{more}"))
        else:
            stop = signals.register(f"{self.name}_stop", 1, 0)
            issue = signals.gate(f"{self.name}_issue", (begin,), (again, f"!{stop}"))
        self.timeline.set_issue(issue)
        self.bind(loop.update.block, counters, carried, 0)
        self.evaluate(loop.update.block)
        for place, (register, value) in enumerate(
            zip(counters, loop.update_yield.values, strict=True)
        ):
            first = machine.read_at(loop.iv_inits[place], self.start)
            signals.update(register, stop if self.is_early else go, first)
            signals.update(register, self.timeline.valid(ii - 1), machine.hold(value))
        if counted is not None:
            signals.update(stop, "", self.last_issued(counted, counters[counted.place]))
        self.stages(counters, carried)
        done = signals.delayed(f"{self.name}_drain", stop, self.drain)
        self.results(counters, carried)
        return Moment(done)

    def last_issued(self, counted: Counted, counter: str) -> str:
        """The signal of the cycle before the test that fails, of the last iteration.

        The low bits that tell the last value of the counter from those before it are compared.
        """
        signals, span = self.signals, (counted.trips - 1) * counted.step
        bits = min(max(1, abs(span).bit_length()), signals.width[counter])
        shape = Shape((bits, bits), (1,), {"predicate": "eq"})
        low = signals.resized(counter, counter, bits)
        last = signals.constant(counted.first + span, bits)
        is_last = signals.operation(f"{self.name}_at_last", COMPARE, shape, (low, last))
        moves = [] if counted.moves is None else [self.machine.hold(counted.moves)]
        term = (self.timeline.valid(self.loop.ii - 1), is_last, *moves)
        return signals.gate(f"{self.name}_last", term)

    def counter(self, place: int) -> str:
        """The register of an induction variable; if the loop is early, ready after reset."""
        value = self.loop.ivs(self.loop.stages)[place]
        reset = None
        if self.is_early:
            owner = self.loop.iv_inits[place].owner
            assert isinstance(owner, arith.ConstantOp)
            reset = constant_pattern(owner, self.machine.index_width)
        return self.signals.register(value.name_hint or self.name, self.machine.width(value), reset)

    def register(self, place: int) -> str:
        """The register of an iter_arg, with its first value as the loop starts."""
        value = self.loop.iter_args(self.loop.stages)[place]
        register = self.signals.register(value.name_hint or self.name, self.machine.width(value))
        first = self.machine.read_at(self.loop.iter_inits[place], self.start)
        self.signals.update(register, self.start.signal, first)
        return register

    def bind(
        self, block: Block, counters: Sequence[str], carried: Sequence[str], cycle: int
    ) -> None:
        """The arguments of `condition` or `update` are the registers in the cycle of the issue."""
        for argument, signal in zip(block.args, (*counters, *carried), strict=True):
            self.machine.held[argument] = signal
        if block is self.loop.condition.block:
            for place, argument in enumerate(self.loop.iter_args(self.loop.condition)):
                assert self.ends[place] != cycle + self.loop.ii or not argument.uses

    def evaluate(self, block: Block) -> None:
        """The operations of `condition` or `update` are wires."""
        for operation in block.ops:
            if operation is block.last_op or isinstance(operation, PLAIN):
                continue
            operator = find(operation.name)
            assert operator is not None
            shape = signal_shape(operation, operator, self.machine.index_width)
            operands = tuple(self.machine.hold(value) for value in operation.operands)
            hint = operation.results[0].name_hint or self.name
            signal = self.signals.operation(hint, operator, shape, operands)
            self.machine.held[operation.results[0]] = signal

    def stages(self, counters: Sequence[str], carried: Sequence[str]) -> None:
        """The stages, then what the registers of the iter_args take."""
        loop, timeline, machine = self.loop, self.timeline, self.machine
        for argument, signal in zip(loop.ivs(loop.stages), counters, strict=True):
            timeline.made[argument] = Made(signal, 0, loop.ii - 1)
            machine.home[argument] = timeline
        for place, argument in enumerate(loop.iter_args(loop.stages)):
            timeline.made[argument] = Made(carried[place], 0, self.ends[place])
            machine.home[argument] = timeline
        forwarded = [self.forward(k) for k in range(len(carried))]
        machine.read_ports.assign(loop.stage_ops, loop.ii)
        for stage in loop.stage_ops:
            machine.stage(stage, timeline)
        for place, value in enumerate(loop.return_op.iter_args):
            end, register = self.ends[place], carried[place]
            following = machine.read(value, timeline, end)
            self.signals.update(register, timeline.valid(end), following)
            if forwarded[place]:
                cases = (timeline.valid(end), following), ("", register)
                width = self.signals.width[register]
                self.signals.wires.append(Choice(forwarded[place], width, cases))

    def forward(self, place: int) -> str:
        """A signal of an iter_arg where it is read in the cycle in which its value comes.

        The first iteration then reads the register, the others what comes from the one before.
        """
        argument, cycle = (
            self.loop.iter_args(self.loop.stages)[place],
            self.ends[place] - self.loop.ii,
        )
        if all(self.cycle_of_use(use.operation) != cycle for use in argument.uses):
            return ""
        name = self.signals.name(argument.name_hint or self.name, self.machine.width(argument))
        self.timeline.forwarded[argument, cycle] = name
        return name

    def results(self, counters: Sequence[str], carried: Sequence[str]) -> None:
        """What the loop gives: the registers, or of a loop with a test what that yields."""
        loop, machine = self.loop, self.machine
        if loop.forwarded:
            values = [machine.hold(value) for value in loop.forwarded]
        else:
            values = [*counters, *carried]
        for result, signal in zip(loop.res, values, strict=False):
            machine.held[result] = signal
