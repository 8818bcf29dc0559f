"""The machine of a function whose loops are pipelines, stages and sequences of these.

A step starts in the cycle of its go signal, and the steps that wait for it in that of its done
signal: one register a cycle of a run of stages, and nothing for a step that is a wire. Registers
take what a run of stages makes in its last cycle; all else waits for the next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from loom.dialects.facts.arrays import banks_of_access, partition_of_access
from loom.dialects.facts.instances import constant_pattern, signal_shape
from loom.dialects.facts.loop_attributes import EXACT_TYPE, is_unsigned
from loom.dialects.facts.places import place_of
from loom.dialects.facts.program_facts import IN_RANGE
from loom.dialects.operators.catalogue import CATALOGUE, find
from loom.dialects.operators.operator import Shape
from loom.dialects.ops.staticlogic import PipelineOp, StageOp, latency_of, sharers_of
from loom.dialects.ops.types import width_of
from loom.netlist.banks import bank_name
from loom.netlist.fsmd.enable_registers import enable_registers
from loom.netlist.fsmd.fsmd import GO, Choice, Fsmd, ReadPort, Span, WritePort
from loom.netlist.fsmd.pipeline import Pipeline
from loom.netlist.fsmd.read_ports import Port, ReadPorts, port_title
from loom.netlist.fsmd.signals import Signals, sort_wires
from loom.netlist.fsmd.steps import CASTS, PLAIN, SIGNED_CASTS, inner, last_of, steps_of
from loom.netlist.fsmd.timeline import Made, Moment, Timeline
from loom.netlist.fsmd.unit_pools import UnitPools

COMPARE = CATALOGUE["arith.cmpi"]


@dataclass(frozen=True, slots=True)
class Access:
    """A load or store in the cycles in which `enable` is 1.

    No other access takes the port of its memory in a cycle with `case`.
    """

    enable: str
    case: str
    address: str
    data: str = ""


def build_fsmd(
    function: func.FuncOp,
    memories: Mapping[SSAValue | str, str],
    index_width: int,
    *,
    is_island: bool = False,
) -> Fsmd:
    """The machine of a function that `lower_static` left.

    `memories` are the names of arrays, by argument, allocation, or name of a global. The address of
    a bank is a place in it; of an island it is one of the array, whose memory splits it.
    """
    return Machine(function, memories, index_width, is_island=is_island).build()


class Machine:
    """The signals of one function, step by step."""

    def __init__(
        self,
        function: func.FuncOp,
        memories: Mapping[SSAValue | str, str],
        index_width: int,
        *,
        is_island: bool,
    ) -> None:
        self.function, self.memories, self.index_width = function, memories, index_width
        self.is_island = is_island
        block = function.body.block
        scalars = [each for each in block.args if not isinstance(each.type, MemRefType)]
        self.signals = Signals()
        self.held: dict[SSAValue, str] = {}
        self.inputs: list[tuple[str, int]] = []
        for value in scalars:
            width = self.width(value)
            name = self.signals.name(value.name_hint or f"arg{value.index}", width)
            self.held[value] = name
            self.inputs.append((name, width))
        self.home: dict[SSAValue, Timeline] = {}
        self.read_ports = ReadPorts()
        self.loads: dict[Port, list[Access]] = {}
        self.stores: dict[str, list[Access]] = {}
        self.words: dict[Port, str] = {}
        self.read_latency: dict[str, int] = {}
        self.write_latency: dict[str, int] = {}
        self.types: dict[str, MemRefType] = {}
        self.choices: dict[str, list[Port]] = {}
        """The words of loads whose bank is not known, and the ports of the banks of each."""
        self.enables: dict[Port, str] = {}
        self.outside: list[str] = []
        self.pools = UnitPools(self.signals)
        self.joins: dict[tuple[str, ...], str] = {}
        self.steps = 0
        self.spans: list[Span] = []
        self.depth = 0

    def build(self) -> Fsmd:
        """All steps, then the ports of the memories."""
        block = self.function.body.block
        last = self.run(block, Moment(GO))
        end = block.last_op
        assert isinstance(end, func.ReturnOp)
        results, finish = self.results(list(end.operands), last)
        signals = self.signals
        reads, writes = [], []
        for port, accesses in self.loads.items():
            enable, address = self.merge(port_title(port), "rd", accesses)
            self.enables[port], word = enable, self.words[port]
            memory, width = port[0], signals.width[word]
            latency = self.read_latency[memory]
            reads.append(ReadPort(word, width, memory, enable, address, latency))
        for memory, accesses in self.stores.items():
            enable, address = self.merge(memory, "wr", accesses)
            data = signals.choice(f"{memory}_wr_data", [(a.case, a.data) for a in accesses])
            writes.append(WritePort(memory, enable, address, data, self.write_latency[memory]))
        for name, ports in self.choices.items():
            cases = self.cases_of(ports)
            signals.wires.append(Choice(name, signals.width[name], cases))
        self.pools.finish()
        error = signals.any_of("error", self.outside) if self.outside else ""
        machine = Fsmd(
            tuple(self.inputs),
            tuple((f"out{place}", signal) for place, signal in enumerate(results)),
            sort_wires(signals.wires),
            tuple(signals.registers.values()),
            tuple(signals.units),
            tuple(reads),
            tuple(writes),
            finish,
            error,
            tuple(self.spans),
        )
        return enable_registers(machine, signals.name)

    def results(self, values: Sequence[SSAValue], last: Moment) -> tuple[list[str], str]:
        """The signals of the results, and that of the first cycle in which all are there.

        They stay until the next start, though inputs and words change: what does not is held.
        """
        signals = self.signals
        found = [self.read_at(value, last) for value in values]
        if last.signal != GO and all(map(signals.stays, found)):
            return found, last.signal
        for place, signal in enumerate(found):
            if not signals.stays(signal):
                found[place] = signals.register(f"out{place}", signals.width[signal])
                signals.update(found[place], last.signal, signal)
        if last.timeline is not None:
            return found, self.settle(last).signal
        return found, signals.delayed("finish", last.signal)

    def merge(self, title: str, verb: str, accesses: Sequence[Access]) -> tuple[str, str]:
        """Enable and address of a port that several accesses take, one at a time."""
        enable = self.signals.any_of(f"{title}_{verb}_en", [each.enable for each in accesses])
        cases = [(each.case, each.address) for each in accesses]
        return enable, self.signals.choice(f"{title}_{verb}_addr", cases)

    def cases_of(self, ports: Sequence[Port]) -> tuple[tuple[str, str], tuple[str, str]]:
        """The word of the bank that was read, in a tree: that of a half, or that of the other."""
        signals, words = self.signals, []
        first, second = ports[: len(ports) // 2], ports[len(ports) // 2 :]
        for half in (first, second):
            if len(half) == 1:
                words.append(self.words[half[0]])
                continue
            cases = self.cases_of(half)
            words.append(signals.choice("word_of_banks", list(cases)))
        enable = signals.any_of("read_of_banks", [self.enables[port] for port in first])
        read = signals.delayed("read_of_banks", enable, self.read_latency[ports[0][0]])
        return (read, words[0]), ("", words[1])

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

    def read_at(self, value: SSAValue, moment: Moment) -> str:
        """The signal of a value in the cycle of a moment, which may be that in which it is made."""
        return self.read(value, moment.timeline, moment.cycle)

    def settle(self, moment: Moment) -> Moment:
        """The cycle from which all that is made before a moment is held."""
        if moment.timeline is None:
            return moment
        return Moment(moment.timeline.valid(moment.cycle + 1))

    # Steps

    def run(self, block: Block, go: Moment) -> Moment:
        """Each step begins when those that it waits for have ended; the end of the block.

        Steps that wait for nothing begin with the block.
        """
        steps = steps_of(block)
        ends: list[Moment] = []
        for step in steps:
            begin = self.join([ends[number] for number in step.waits], go)
            ends.append(self.step_with_span(step.operations, begin))
        return self.join([ends[number] for number in last_of(steps)], go)

    def join(self, ends: Sequence[Moment], go: Moment) -> Moment:
        """The last end of some steps; of none, the beginning of the block."""
        if len(ends) < 2:
            return ends[0] if ends else go
        signals = self.signals
        different = tuple(dict.fromkeys(self.settle(end).signal for end in ends))
        if len(different) == 1:
            return Moment(different[0])
        if different not in self.joins:
            waiting = [signals.register(f"{end}_seen", 1, 0) for end in different]
            pairs = list(zip(different, waiting, strict=True))
            there = [signals.gate(f"{end}_there", (end,), (seen,)) for end, seen in pairs]
            joined = signals.gate("joined", tuple(there))
            for end, seen in pairs:
                signals.update(seen, joined, signals.constant(0, 1))
                signals.update(seen, end, signals.constant(1, 1))
            self.joins[different] = joined
        return Moment(self.joins[different])

    def step_with_span(self, operations: Sequence[Operation], begin: Moment) -> Moment:
        """One step, which stands among the spans with what is in it behind it."""
        number, depth, self.depth = len(self.spans), self.depth, self.depth + 1
        first = operations[0]
        if isinstance(first, StageOp):
            place = next((p for op in first.ops if (p := place_of(op)).line), place_of(first))
            begin = self.settle(begin)
            end = self.run_stages(operations, begin.signal)
            span = Span("stages", place, depth, begin.signal, end.signal)
        elif isinstance(first, PipelineOp):
            pipeline = Pipeline(self, first, begin)
            end = pipeline.build()
            start, issue = pipeline.start.signal, pipeline.timeline.issue
            span = Span("pipeline", place_of(first), depth, start, end.signal, issue)
        else:
            kind: Literal["loop", "branch"] = "branch" if isinstance(first, scf.IfOp) else "loop"
            end = self.step(first, begin)
            span = Span(kind, place_of(first), depth, begin.signal, end.signal)
        self.spans.insert(number, span)
        self.depth = depth
        return end

    def step(self, operation: Operation, go: Moment) -> Moment:
        """One loop or branch with steps in it."""
        match operation:
            case scf.ForOp():
                return Moment(self.sequential_for(operation, go))
            case scf.WhileOp():
                return Moment(self.sequential_while(operation, go))
            case scf.IfOp():
                return Moment(self.branch(operation, self.settle(go).signal))
        raise AssertionError(f"no step: {operation.name}")

    def run_stages(self, run: Sequence[Operation], go: str) -> Moment:
        """Stages that run once; the end is the cycle in which the last value is made."""
        stages = [each for each in run if isinstance(each, StageOp)]
        timeline = Timeline(self.signals, self.title(stages[0]), go)
        self.read_ports.assign(stages)
        for stage in stages:
            self.stage(stage, timeline)
        last = max(stage.start + max(map(latency_of, stage.ops)) for stage in stages)
        return Moment(timeline.valid(last), timeline, last)

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
        used = [place for place, value in enumerate(operation.results) if value.uses]
        if (sharers := sharers_of(operation)) > 1:
            found = self.pools.take(operator, shape, operands, timeline, cycle, sharers, used)
        else:
            make = self.signals.unit if latency else self.signals.operation
            hints = [operation.results[k].name_hint for k in used]
            name = operation.name.rpartition(".")[2]
            found = [
                make(hint or name, operator, shape, operands, place)
                for hint, place in zip(hints, used, strict=True)
            ]
        for place, signal in zip(used, found, strict=True):
            value = operation.results[place]
            timeline.made[value] = Made(signal, cycle + latency, cycle + latency)
            self.home[value] = timeline

    def load(self, operation: memref.LoadOp, timeline: Timeline, cycle: int, valid: str) -> None:
        """A read, whose word comes when the latency is over."""
        array = self.name_memory(operation.memref)
        enable, address = self.address(operation, array, timeline, cycle, valid)
        width, number = self.width(operation.res), self.read_ports.of[operation]
        ports: list[Port] = []
        for memory, access in self.ports_of(operation, array, enable, address):
            port = memory, number
            ports.append(port)
            self.loads.setdefault(port, []).append(access)
            if port not in self.words:
                self.words[port] = self.signals.name(f"{port_title(port)}_word", width)
            self.read_latency[memory] = latency_of(operation)
        word = self.words[ports[0]]
        if len(ports) > 1:
            whole = array, number
            if whole not in self.words:
                self.words[whole] = self.signals.name(f"{port_title(whole)}_word", width)
                self.choices[self.words[whole]] = ports
            word = self.words[whole]
        there = cycle + latency_of(operation)
        timeline.made[operation.res] = Made(word, there, there)
        self.home[operation.res] = timeline

    def store(self, operation: memref.StoreOp, timeline: Timeline, cycle: int, valid: str) -> None:
        """A write."""
        array = self.name_memory(operation.memref)
        enable, address = self.address(operation, array, timeline, cycle, valid)
        data = self.read(operation.value, timeline, cycle)
        for memory, access in self.ports_of(operation, array, enable, address):
            self.stores.setdefault(memory, []).append(replace(access, data=data))
            self.write_latency[memory] = latency_of(operation)

    def ports_of(
        self, operation: memref.LoadOp | memref.StoreOp, array: str, enable: str, address: str
    ) -> Iterator[tuple[str, Access]]:
        """What an access does at the port of each memory that it may go to: the array or a bank."""
        partition, banks = partition_of_access(operation), banks_of_access(operation)
        if partition is None:
            yield array, Access(enable, enable, address)
            return
        place = address
        if not self.is_island:
            place = self.signals.split(array, address, partition, "place")
        for bank in banks:
            taken = enable
            if len(banks) > 1:
                own = self.signals.split(array, address, partition, "bank")
                width = self.signals.width[own]
                shape = Shape((width, width), (1,), {"predicate": "eq"})
                compared = own, self.signals.constant(bank, width)
                hit = self.signals.operation(f"{array}_hit", COMPARE, shape, compared)
                taken = self.signals.gate(f"{array}_taken", (enable, hit))
            yield bank_name(array, bank), Access(taken, enable, place)

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
        """Enable and address of an access; one outside its array raises the error instead.

        An address is an unsigned number of an index's width, which casts to it fill or cut.
        """
        depth = self.types[memory].get_shape()[0]
        width = max(1, (depth - 1).bit_length())
        index = inner(operation.indices[0])
        while isinstance(index.owner, arith.IndexCastOp) and index not in self.held:
            narrow = index.owner.operands[0]
            if self.width(narrow) > self.index_width:
                break
            index = inner(narrow)
        source = self.read(index, timeline, cycle)
        if not IN_RANGE.is_on(operation):
            wide = max(self.signals.width[source], min(width + 1, self.index_width))
            whole = self.resize(source, wide, is_signed=True)
            if wide <= width:
                source = whole
            if depth < 1 << wide:
                beyond = self.signals.beyond(f"{memory}_beyond", whole, depth)
                self.outside.append(self.signals.gate(f"{memory}_outside", (valid, beyond)))
                valid = self.signals.gate(f"{memory}_inside", (valid, f"!{beyond}"))
        return valid, self.resize(source, width, is_signed=False)

    # Loops

    def sequential_for(self, loop: scf.ForOp, go: Moment) -> str:
        """A counted loop with steps in it: its test takes a cycle, and its body what it takes."""
        signals, name = self.signals, self.title(loop)
        block = loop.body.block
        end = block.last_op
        assert isinstance(end, scf.YieldOp)
        width = self.width(block.args[0]) + (0 if EXACT_TYPE.is_on(loop) else 1)
        is_signed = not is_unsigned(loop)
        low, high, step = (
            self.resize(signal, width, is_signed=is_signed)
            for signal in (self.read_at(loop.lb, go), *map(self.hold, (loop.ub, loop.step)))
        )
        counter = signals.register(block.args[0].name_hint or name, width)
        self.held[block.args[0]] = self.resize(
            counter, self.width(block.args[0]), is_signed=is_signed
        )
        carried = self.carried(block.args[1:], list(loop.iter_args), go)
        test = signals.register(f"{name}_test", 1, 0)
        predicate = "slt" if is_signed else "ult"
        shape = Shape((width, width), (1,), {"predicate": predicate})
        runs = signals.operation(f"{name}_runs", COMPARE, shape, (counter, high))
        body_go = signals.gate(f"{name}_body", (test, runs))
        done = signals.gate(f"{name}_done", (test, f"!{runs}"))
        last = self.run(block, Moment(body_go))
        again = last.signal
        add = CATALOGUE["arith.addi"]
        shape = Shape((width, width), (width,), {})
        following = signals.operation(f"{name}_next", add, shape, (counter, step))
        signals.update(counter, go.signal, low)
        signals.update(counter, again, following)
        signals.update(test, "", signals.any_of(f"{name}_begin", [go.signal, again]))
        for register, value in zip(carried, end.operands, strict=True):
            signals.update(register, again, self.read_at(value, last))
        for value, register in zip(loop.results, carried, strict=True):
            self.held[value] = register
        return done

    def carried(
        self, arguments: Sequence[BlockArgument], first: Sequence[SSAValue], go: Moment
    ) -> list[str]:
        """A register for each carried value, with its first value when the loop starts."""
        registers = []
        for argument, value in zip(arguments, first, strict=True):
            register = self.signals.register(argument.name_hint or "carried", self.width(argument))
            self.signals.update(register, go.signal, self.read_at(value, go))
            self.held[argument] = register
            registers.append(register)
        return registers

    def sequential_while(self, loop: scf.WhileOp, go: Moment) -> str:
        """A loop whose test has steps, or whose body has loops."""
        signals, name = self.signals, self.title(loop)
        before, after = loop.before_region.block, loop.after_region.block
        test, end = before.last_op, after.last_op
        assert isinstance(test, scf.ConditionOp) and isinstance(end, scf.YieldOp)
        carried = self.carried(before.args, list(loop.arguments), go)
        begin = signals.register(f"{name}_begin", 1, 0)
        tested = self.settle(self.run(before, Moment(begin))).signal
        runs = self.hold(test.condition)
        for argument, value in zip(after.args, test.args, strict=True):
            self.held[argument] = self.hold(value)
        last = self.run(after, Moment(signals.gate(f"{name}_body", (tested, runs))))
        for register, value in zip(carried, end.operands, strict=True):
            signals.update(register, last.signal, self.read_at(value, last))
        signals.update(begin, "", signals.any_of(f"{name}_test", [go.signal, last.signal]))
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
            finish = self.settle(self.run(region.block, Moment(start))).signal
            end = region.block.last_op
            ends.append((finish, list(end.operands) if isinstance(end, scf.YieldOp) else []))
        done = signals.any_of(f"{name}_done", [finish for finish, _ in ends])
        for place, result in enumerate(branch.results):
            register = signals.register(result.name_hint or name, self.width(result))
            for finish, values in ends:
                signals.update(register, finish, self.hold(values[place]))
            self.held[result] = register
        return signals.delayed(f"{name}_done", done) if branch.results else done
