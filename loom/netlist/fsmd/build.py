"""The machine of a function whose loops are pipelines, stages and sequences of these.

A step starts in the cycle of its go signal, and the next step in that of its done signal: one
register a cycle of a run of stages, and nothing for a step that is a wire.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from loom.dialects.facts.instances import constant_pattern, signal_shape
from loom.dialects.facts.loop_attributes import EXACT_TYPE, is_unsigned
from loom.dialects.facts.program_facts import IN_RANGE
from loom.dialects.operators.catalogue import CATALOGUE, find
from loom.dialects.operators.operator import Shape
from loom.dialects.ops.staticlogic import PipelineOp, StageOp, latency_of, sharers_of
from loom.dialects.ops.types import width_of
from loom.netlist.fsmd.fsmd import GO, Choice, Fsmd, ReadPort, WritePort
from loom.netlist.fsmd.signals import Signals, sort_wires
from loom.netlist.fsmd.timeline import Made, Timeline
from loom.netlist.fsmd.unit_pools import UnitPools

SIGNED_CASTS = (arith.ExtSIOp, arith.IndexCastOp)
CASTS = (*SIGNED_CASTS, arith.ExtUIOp, arith.TruncIOp, arith.BitcastOp)
"""Operations that are wires: what they give is made anew wherever it is used."""
PLAIN = (*CASTS, arith.ConstantOp, memref.GetGlobalOp, memref.AllocOp)


@dataclass(frozen=True, slots=True)
class Access:
    """A load or store in the cycles in which `enable` is 1."""

    enable: str
    address: str
    data: str = ""


def build_fsmd(
    function: func.FuncOp, memories: Mapping[SSAValue | str, str], index_width: int
) -> Fsmd:
    """The machine of a function that `lower_static` left.

    `memories` are the names of arrays, by argument, allocation, or name of a global.
    """
    return _Machine(function, memories, index_width).build()


class _Machine:
    """The signals of one function, step by step."""

    def __init__(
        self, function: func.FuncOp, memories: Mapping[SSAValue | str, str], index_width: int
    ) -> None:
        self.function, self.memories, self.index_width = function, memories, index_width
        block = function.body.block
        scalars = [each for each in block.args if not isinstance(each.type, MemRefType)]
        self.signals = Signals([])
        self.held: dict[SSAValue, str] = {}
        self.inputs: list[tuple[str, int]] = []
        for value in scalars:
            width = self.width(value)
            name = self.signals.name(value.name_hint or f"arg{value.index}", width)
            self.held[value] = name
            self.inputs.append((name, width))
        self.home: dict[SSAValue, Timeline] = {}
        self.loads: dict[str, list[Access]] = {}
        self.stores: dict[str, list[Access]] = {}
        self.words: dict[str, str] = {}
        self.read_latency: dict[str, int] = {}
        self.types: dict[str, MemRefType] = {}
        self.outside: list[str] = []
        self.pools = UnitPools(self.signals)
        self.steps = 0

    def build(self) -> Fsmd:
        """All steps, then the ports of the memories."""
        block = self.function.body.block
        finish = self.run(block, GO)
        end = block.last_op
        assert isinstance(end, func.ReturnOp)
        results = tuple((f"out{k}", self.hold(value)) for k, value in enumerate(end.operands))
        signals = self.signals
        reads, writes = [], []
        for memory, accesses in self.loads.items():
            enable, address = self.merge(memory, "rd", accesses)
            word = self.words[memory]
            latency = self.read_latency[memory]
            reads.append(ReadPort(word, signals.width[word], memory, enable, address, latency))
        for memory, accesses in self.stores.items():
            enable, address = self.merge(memory, "wr", accesses)
            data = signals.choice(f"{memory}_wr_data", [(a.enable, a.data) for a in accesses])
            writes.append(WritePort(memory, enable, address, data))
        self.pools.finish()
        error = signals.any_of("error", self.outside) if self.outside else ""
        return Fsmd(
            tuple(self.inputs),
            results,
            sort_wires(signals.wires),
            tuple(signals.registers.values()),
            tuple(signals.units),
            tuple(reads),
            tuple(writes),
            finish,
            error,
        )

    def merge(self, memory: str, verb: str, accesses: Sequence[Access]) -> tuple[str, str]:
        """Enable and address of a port that several accesses take, one at a time."""
        enable = self.signals.any_of(f"{memory}_{verb}_en", [each.enable for each in accesses])
        cases = [(each.enable, each.address) for each in accesses]
        return enable, self.signals.choice(f"{memory}_{verb}_addr", cases)

    def width(self, value: SSAValue) -> int:
        """Bits of a value [bits]."""
        return width_of(value.type, self.index_width)

    def title(self, operation: Operation) -> str:
        """A name for the control of a step."""
        del operation
        self.steps += 1
        return f"step{self.steps}"

    # Values

    def read(self, value: SSAValue, timeline: Timeline | None, cycle: int) -> str:
        """The signal of a value in a cycle of a timeline; None: of what is held."""
        value = inner(value)
        if value in self.held:
            return self.held[value]
        owner = value.owner
        if isinstance(owner, arith.ConstantOp):
            return self.signals.constant(
                constant_pattern(owner, self.index_width), self.width(value)
            )
        if isinstance(owner, CASTS):
            source = self.read(owner.operands[0], timeline, cycle)
            is_signed = isinstance(owner, SIGNED_CASTS)
            return self.resize(source, self.width(value), is_signed=is_signed)
        home = self.home[value]
        if home is timeline:
            return home.at(value, cycle)
        return home.copy(value, 1)

    def resize(self, source: str, width: int, *, is_signed: bool) -> str:
        """A signal as wide as is wanted; the same one for the same question."""
        return self.signals.resized(source, source, width, is_signed=is_signed)

    def hold(self, value: SSAValue) -> str:
        """The signal of a value that is there until its step runs again."""
        return self.read(value, None, 0)

    # Steps

    def run(self, block: Block, go: str) -> str:
        """The steps of a block, one after the other; the signal of its end."""
        stages: list[StageOp] = []
        for operation in block.ops:
            if isinstance(operation, StageOp):
                stages.append(operation)
                continue
            if operation.regions:
                go = self.run_stages(stages, go)
                stages = []
                go = self.step(operation, go)
            else:
                assert isinstance(operation, PLAIN) or operation is block.last_op
        return self.run_stages(stages, go)

    def step(self, operation: Operation, go: str) -> str:
        """One step with regions."""
        match operation:
            case PipelineOp():
                return self.pipeline(operation, go)
            case scf.ForOp():
                return self.sequential_for(operation, go)
            case scf.WhileOp():
                return self.sequential_while(operation, go)
            case scf.IfOp():
                return self.branch(operation, go)
        raise AssertionError(f"no step: {operation.name}")

    def run_stages(self, stages: Sequence[StageOp], go: str) -> str:
        """Stages that run once."""
        if not stages:
            return go
        timeline = Timeline(self.signals, self.title(stages[0]), go)
        for stage in stages:
            self.stage(stage, timeline)
        return timeline.valid(max(map(end_of_stage, stages)))

    def stage(self, stage: StageOp, timeline: Timeline) -> None:
        """The operations of a stage, in its cycle."""
        cycle = stage.start
        valid = timeline.valid(cycle)
        if stage.when is not None:
            predicate = self.read(stage.when, timeline, cycle)
            valid = self.signals.gate(f"{timeline.name}_when", (valid, predicate))
        for operation in stage.ops:
            if isinstance(operation, memref.LoadOp):
                self.load(operation, timeline, cycle, valid)
            elif isinstance(operation, memref.StoreOp):
                self.store(operation, timeline, cycle, valid)
            elif not isinstance(operation, PLAIN):
                operands = [self.read(v, timeline, cycle) for v in operation.operands]
                self.compute(operation, timeline, cycle, tuple(operands))

    def compute(
        self, operation: Operation, timeline: Timeline, cycle: int, operands: tuple[str, ...]
    ) -> None:
        """A pure operation: wires, or a pipelined unit."""
        operator = find(operation.name)
        assert operator is not None
        shape = signal_shape(operation, operator, self.index_width)
        latency = latency_of(operation)
        assert latency == operator.hardware.latency_of(shape), operation.name
        operands = tuple(s for k, s in enumerate(operands) if k not in shape.constants)
        if (sharers := sharers_of(operation)) > 1:
            signal = self.pools.take(operator, shape, operands, timeline, cycle, sharers)
            there = cycle + latency
            timeline.made[operation.results[0]] = Made(signal, there, there)
            self.home[operation.results[0]] = timeline
            return
        make = self.signals.unit if latency else self.signals.operation
        for place, value in enumerate(operation.results):
            if value.uses:
                hint = value.name_hint or operation.name.rpartition(".")[2]
                signal = make(hint, operator, shape, operands, place)
                timeline.made[value] = Made(signal, cycle + latency, cycle + latency)
                self.home[value] = timeline

    def load(self, operation: memref.LoadOp, timeline: Timeline, cycle: int, valid: str) -> None:
        """A read, whose word comes when the latency is over."""
        memory = self.name_memory(operation.memref)
        enable, address = self.address(operation, memory, timeline, cycle, valid)
        self.loads.setdefault(memory, []).append(Access(enable, address))
        if memory not in self.words:
            self.words[memory] = self.signals.name(f"{memory}_word", self.width(operation.res))
        self.read_latency[memory] = latency_of(operation)
        there = cycle + latency_of(operation)
        timeline.made[operation.res] = Made(self.words[memory], there, there)
        self.home[operation.res] = timeline

    def store(self, operation: memref.StoreOp, timeline: Timeline, cycle: int, valid: str) -> None:
        """A write."""
        memory = self.name_memory(operation.memref)
        enable, address = self.address(operation, memory, timeline, cycle, valid)
        data = self.read(operation.value, timeline, cycle)
        self.stores.setdefault(memory, []).append(Access(enable, address, data))

    def name_memory(self, memory: SSAValue) -> str:
        """The name of the array behind a memref."""
        assert isinstance(memory.type, MemRefType)
        owner = memory.owner
        key = owner.name_.string_value() if isinstance(owner, memref.GetGlobalOp) else memory
        name = self.memories[key]
        self.types[name] = memory.type
        return name

    def address(
        self,
        operation: memref.LoadOp | memref.StoreOp,
        memory: str,
        timeline: Timeline,
        cycle: int,
        valid: str,
    ) -> tuple[str, str]:
        """Enable and address of an access; one outside its array raises the error instead."""
        depth = self.types[memory].get_shape()[0]
        width = max(1, (depth - 1).bit_length())
        index = inner(operation.indices[0])
        is_signed = True
        while isinstance(index.owner, arith.IndexCastOp) and index not in self.held:
            index = inner(index.owner.operands[0])
        source = self.read(index, timeline, cycle)
        if not IN_RANGE.is_on(operation):
            wide = max(self.signals.width[source], width + 1)
            whole = self.resize(source, wide, is_signed=is_signed)
            beyond = self.signals.beyond(f"{memory}_beyond", whole, depth)
            self.outside.append(self.signals.gate(f"{memory}_outside", (valid, beyond)))
            valid = self.signals.gate(f"{memory}_inside", (valid, f"!{beyond}"))
        return valid, self.resize(source, width, is_signed=False)

    # Loops

    def pipeline(self, loop: PipelineOp, go: str) -> str:
        """Iterations issue every II cycles while the condition holds; the signal of the end."""
        return _Pipeline(self, loop, go).build()

    def sequential_for(self, loop: scf.ForOp, go: str) -> str:
        """A counted loop with steps in it: its test takes a cycle, and its body what it takes."""
        signals, name = self.signals, self.title(loop)
        block = loop.body.block
        end = block.last_op
        assert isinstance(end, scf.YieldOp)
        width = self.width(block.args[0]) + (0 if EXACT_TYPE.is_on(loop) else 1)
        is_signed = not is_unsigned(loop)
        low, high, step = (
            self.resize(self.hold(value), width, is_signed=is_signed)
            for value in (loop.lb, loop.ub, loop.step)
        )
        counter = signals.register(block.args[0].name_hint or name, width)
        self.held[block.args[0]] = self.resize(
            counter, self.width(block.args[0]), is_signed=is_signed
        )
        carried = self.carried(block.args[1:], list(loop.iter_args), go)
        test = signals.register(f"{name}_test", 1, 0)
        compare = CATALOGUE["arith.cmpi"]
        predicate = "slt" if is_signed else "ult"
        shape = Shape((width, width), (1,), {"predicate": predicate})
        runs = signals.operation(f"{name}_runs", compare, shape, (counter, high))
        body_go = signals.gate(f"{name}_body", (test, runs))
        done = signals.gate(f"{name}_done", (test, f"!{runs}"))
        again = self.run(block, body_go)
        add = CATALOGUE["arith.addi"]
        shape = Shape((width, width), (width,), {})
        following = signals.operation(f"{name}_next", add, shape, (counter, step))
        signals.update(counter, go, low)
        signals.update(counter, again, following)
        signals.update(test, "", signals.any_of(f"{name}_begin", [go, again]))
        for register, value in zip(carried, end.operands, strict=True):
            signals.update(register, again, self.hold(value))
        for value, register in zip(loop.results, carried, strict=True):
            self.held[value] = register
        return done

    def carried(
        self, arguments: Sequence[BlockArgument], first: Sequence[SSAValue], go: str
    ) -> list[str]:
        """A register for each carried value, with its first value when the loop starts."""
        registers = []
        for argument, value in zip(arguments, first, strict=True):
            register = self.signals.register(argument.name_hint or "carried", self.width(argument))
            self.signals.update(register, go, self.hold(value))
            self.held[argument] = register
            registers.append(register)
        return registers

    def sequential_while(self, loop: scf.WhileOp, go: str) -> str:
        """A loop whose test has steps, or whose body has loops."""
        signals, name = self.signals, self.title(loop)
        before, after = loop.before_region.block, loop.after_region.block
        test, end = before.last_op, after.last_op
        assert isinstance(test, scf.ConditionOp) and isinstance(end, scf.YieldOp)
        carried = self.carried(before.args, list(loop.arguments), go)
        begin = signals.register(f"{name}_begin", 1, 0)
        tested = self.run(before, begin)
        runs = self.hold(test.condition)
        for argument, value in zip(after.args, test.args, strict=True):
            self.held[argument] = self.hold(value)
        again = self.run(after, signals.gate(f"{name}_body", (tested, runs)))
        for register, value in zip(carried, end.operands, strict=True):
            signals.update(register, again, self.hold(value))
        signals.update(begin, "", signals.any_of(f"{name}_test", [go, again]))
        for result, value in zip(loop.results, test.args, strict=True):
            self.held[result] = self.hold(value)
        return signals.gate(f"{name}_done", (tested, f"!{runs}"))

    def branch(self, branch: scf.IfOp, go: str) -> str:
        """A branch with steps in it; its results are in registers a cycle after its end."""
        signals, name = self.signals, self.title(branch)
        chosen = self.hold(branch.cond)
        ends: list[tuple[str, list[SSAValue]]] = []
        for region, begin in (
            (branch.true_region, (go, chosen)),
            (branch.false_region, (go, f"!{chosen}")),
        ):
            start = signals.gate(f"{name}_taken", begin)
            if not region.blocks:
                ends.append((start, []))
                continue
            finish = self.run(region.block, start)
            end = region.block.last_op
            ends.append((finish, list(end.operands) if isinstance(end, scf.YieldOp) else []))
        done = signals.any_of(f"{name}_done", [finish for finish, _ in ends])
        for place, result in enumerate(branch.results):
            register = signals.register(result.name_hint or name, self.width(result))
            for finish, values in ends:
                signals.update(register, finish, self.hold(values[place]))
            self.held[result] = register
        return signals.delayed(f"{name}_done", done) if branch.results else done


class _Pipeline:
    """One pipeline of a machine."""

    def __init__(self, machine: _Machine, loop: PipelineOp, go: str) -> None:
        self.machine, self.loop, self.go = machine, loop, go
        self.signals = machine.signals
        self.name = machine.title(loop)
        self.timeline = Timeline(self.signals, self.name, "", loop.ii)
        self.ends = [self.end_of_carried(value) for value in loop.return_op.iter_args]
        # From the failing test to the end: the last iteration, and its carried values.
        self.drain = max(0, max([loop.depth, *(end + 1 for end in self.ends)]) - loop.ii)
        self.is_early = self.find_early()

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
        if loop.iter_inits and self.drain == 0 and not loop.trip_count:
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

    def build(self) -> str:
        """The registers, the control, the stages; the signal of the end."""
        loop, signals, machine = self.loop, self.signals, self.machine
        ii = loop.ii
        counters = [self.counter(k) for k in range(len(loop.iv_inits))]
        carried = [self.register(k) for k in range(len(loop.iter_inits))]
        self.timeline._valid.append("")
        begin = self.go if self.is_early else signals.delayed(f"{self.name}_begin", self.go)
        again = self.timeline.valid(ii)
        test = signals.any_of(f"{self.name}_test", [begin, again])
        self.bind(loop.condition.block, counters, carried, 0)
        self.evaluate(loop.condition.block)
        runs = machine.hold(loop.condition_yield.values[0])
        issue = signals.gate(f"{self.name}_issue", (test, runs))
        self.timeline.set_issue(issue)
        stop = signals.gate(f"{self.name}_stop", (test, f"!{runs}"))
        self.bind(loop.update.block, counters, carried, 0)
        self.evaluate(loop.update.block)
        for place, (register, value) in enumerate(
            zip(counters, loop.update_yield.values, strict=True)
        ):
            first = machine.hold(loop.iv_inits[place])
            signals.update(register, stop if self.is_early else self.go, first)
            signals.update(register, self.timeline.valid(ii - 1), machine.hold(value))
        self.stages(counters, carried)
        done = signals.delayed(f"{self.name}_drain", stop, self.drain)
        self.results(counters, carried)
        return done

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
        first = self.machine.hold(self.loop.iter_inits[place])
        self.signals.update(register, self.go, first)
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


def inner(value: SSAValue) -> SSAValue:
    """The value that a stage's result is in its stage."""
    while isinstance(value, OpResult) and isinstance(value.op, StageOp):
        value = value.op.register.values[value.index]
    return value


def end_of_stage(stage: StageOp) -> int:
    """The cycle in which all of a stage that runs once is done, and what others read is held."""
    ends = [1, *(max(1, latency_of(op)) for op in stage.ops)]
    for value, result in zip(stage.register.values, stage.res, strict=True):
        made = inner(value).owner
        if isinstance(made, Operation) and any(
            not is_stage_of(use.operation) for use in result.uses
        ):
            ends.append(latency_of(made) + 1)
    return stage.start + max(ends)


def is_stage_of(operation: Operation) -> bool:
    """Whether an operation is, or is in, a stage that is not a pipeline's."""
    holder: Operation | None = operation
    while holder is not None and not isinstance(holder, StageOp):
        holder = holder.parent_op()
    return holder is not None and not isinstance(holder.parent_op(), PipelineOp)
