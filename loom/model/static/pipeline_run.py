"""A pipeline runs by its schedule, cycle by cycle, as its circuit would.

Iteration n issues at cycle n*II and its stage with `start = s` runs in cycle n*II + s. A value that
is used before it is there is what its register still holds, from an earlier iteration. A store is
seen from the next cycle on; accesses beyond the ports of a memory get the first one's address, or
are lost. So a schedule that breaks a rule gives wrong results, as in hardware. The rules
(`loom.dialects.schedules`) are not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field

from xdsl.dialects import memref
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from loom.dialects.facts.places import place_of
from loom.dialects.ops.staticlogic import (
    Access,
    PipelineOp,
    StageOp,
    available_at,
    latency_in,
    latency_of,
)
from loom.errors import LoomError
from loom.model.static.evaluate import address_of, evaluate, is_load

Memories = Mapping[SSAValue, list[int]]
Values = MutableMapping[SSAValue, int]
MOST_CYCLES = 1_000_000
"""Cycles after which a pipeline is taken for endless."""


@dataclass(frozen=True)
class Finished:
    """The results of a pipeline, its iterations, and its cycles from first issue to last end."""

    results: tuple[int, ...]
    iterations: int
    cycles: int


@dataclass
class Ports:
    """The accesses of one memory in one cycle: the address of the first, and how many there are."""

    loads: int = 0
    stores: int = 0
    first: int = -1


@dataclass
class PipelineRun:
    """One activation of a pipeline: `outside` are the values that it uses from around it."""

    op: PipelineOp
    outside: Values
    memories: Memories
    index_width: int
    history: dict[SSAValue, dict[int, tuple[int, int]]] = field(default_factory=dict)
    """Of each value and iteration the cycle from which on it is there, and the value."""
    ivs: dict[int, list[int]] = field(default_factory=dict)
    """The induction variables of each iteration."""
    ports: dict[SSAValue, Ports] = field(default_factory=dict)
    stores: list[tuple[list[int], int, int]] = field(default_factory=list)
    """The stores of this cycle: memory, address, value."""

    def run(self, most_cycles: int = MOST_CYCLES) -> Finished:
        """Run until the test fails and the last iteration has ended.

        Refused (REF_BUDGET): pipelines that take longer than `most_cycles`.
        """
        op, depth = self.op, self.op.depth
        self.ivs[0] = [self.outside[value] for value in op.iv_inits]
        issued, issuing, cycle = 0, True, 0
        forwarded: tuple[int, ...] = ()
        while issuing or cycle < (issued - 1) * op.ii + depth:
            if cycle >= most_cycles:
                what = f"a pipeline that runs after {most_cycles} cycles"
                raise LoomError("REF_BUDGET", place_of(op), what, "pipelines that end before")
            if issuing and cycle == issued * op.ii:
                issuing, forwarded = self.test(issued, cycle)
                if issuing:
                    self.ivs[issued + 1] = self.update(issued, cycle)
                    issued += 1
            oldest = max(0, (cycle - depth) // op.ii)
            for iteration in range(oldest, issued):
                self.step(iteration, cycle)
            self.end_cycle()
            cycle += 1
        # Of a while loop the iteration whose test failed has issued.
        last = issued - 1 if op.is_while else issued
        results = forwarded or (*self.ivs[last], *self.final_values())
        return Finished(results, last, (issued - 1) * op.ii + depth if issued else 0)

    def final_values(self) -> tuple[int, ...]:
        """What the registers of the iter_args hold at the end."""
        count = len(self.op.iter_inits)
        return tuple(self.carried(number, 1 << 62, 1 << 62) for number in range(count))

    def test(self, iteration: int, cycle: int) -> tuple[bool, tuple[int, ...]]:
        """Whether an iteration issues in this cycle, and what `condition` forwards."""
        op = self.op
        if op.is_while:
            test = op.return_op.cond
            assert test is not None
            known = self.read(test, iteration - 1, cycle) if iteration else 1
            return bool(1 if known is None else known), ()
        values = self.compute(op.condition, iteration, cycle)
        first, *others = (self.find(value, iteration, cycle, values)
                          for value in op.condition_yield.values)  # fmt: skip
        return bool(first), tuple(others)

    def update(self, iteration: int, cycle: int) -> list[int]:
        """The induction variables of the iteration behind this one."""
        values = self.compute(self.op.update, iteration, cycle)
        return [self.find(value, iteration, cycle, values) for value in self.op.update_yield.values]

    def compute(self, region: Region, iteration: int, cycle: int) -> Values:
        """The values that a combinational region makes."""
        values: dict[SSAValue, int] = {}
        for inner in region.block.ops:
            if inner.results:
                tokens = [self.find(each, iteration, cycle, values) for each in inner.operands]
                values.update(
                    zip(inner.results, evaluate(inner, tokens, self.index_width), strict=True)
                )
        return values

    def step(self, iteration: int, cycle: int) -> None:
        """The stages of the iteration that run in this cycle, if it is not a bubble."""
        start = cycle - iteration * self.op.ii
        if self.is_live(iteration, start):
            for stage in self.op.stage_ops:
                if stage.start == start:
                    self.run_stage(stage, iteration, cycle)

    def run_stage(self, stage: StageOp, iteration: int, cycle: int) -> None:
        """The operations of a stage, none of them while its `when` is false."""
        if stage.when is not None and not self.find(stage.when, iteration, cycle, {}):
            return
        values: dict[SSAValue, int] = {}
        finished: dict[SSAValue, int] = {}
        for inner in stage.ops:
            tokens = [self.find(v, iteration, cycle, values) for v in self.scalars(inner)]
            results = self.perform(inner, tokens)
            latency = latency_of(inner)
            for result, value in zip(inner.results, results, strict=True):
                finished[result] = value
                if latency:
                    self.write(result, iteration, cycle + latency, value)
                else:
                    values[result] = value
        for result, source in zip(stage.res, stage.register.values, strict=True):
            if source in finished:
                value = finished[source]
            else:
                value = self.find(source, iteration, cycle, values)
            self.write(result, iteration, cycle + max(1, latency_in(stage, source)), value)

    def is_live(self, iteration: int, start: int) -> bool:
        """False for stages behind the test of a while loop where it has failed."""
        test = self.op.return_op.cond
        if test is None:
            return True
        known = available_at(test)
        return known is None or start < known or self.passed(iteration)

    def passed(self, iteration: int) -> bool:
        """False where the test of a while loop has failed in this iteration."""
        test = self.op.return_op.cond
        found = None if test is None else self.history.get(test, {}).get(iteration)
        return found is None or bool(found[1])

    @staticmethod
    def scalars(op: Operation) -> list[SSAValue]:
        """The operands that are no memories."""
        if isinstance(op, memref.LoadOp):
            return [*op.indices]
        return [op.value, *op.indices] if isinstance(op, memref.StoreOp) else [*op.operands]

    def perform(self, op: Operation, tokens: list[int]) -> tuple[int, ...]:
        """What an operation of a stage gives; stores wait for the end of the cycle."""
        if not isinstance(op, Access):
            return evaluate(op, tokens, self.index_width)
        memory = self.memories[op.memref]
        ports = self.ports.setdefault(op.memref, Ports())
        limits = self.op.ports.get(op.memref)
        if is_load(op):
            address = address_of(op, tokens)
            ports.loads += 1
            used = ports.loads + (ports.stores if limits and limits.shared else 0)
            if limits is not None and used > (limits.shared or limits.reads):
                address = ports.first
            elif ports.loads == 1:
                ports.first = address
            return (memory[address] if address >= 0 else 0,)
        address = address_of(op, tokens[1:])
        ports.stores += 1
        used = ports.stores + (ports.loads if limits and limits.shared else 0)
        lost = limits is not None and used > (limits.shared or limits.writes)
        if address >= 0 and not lost:
            self.stores.append((memory, address, tokens[0]))
        return ()

    def end_cycle(self) -> None:
        """The stores of the cycle are in their memories, and all ports are free."""
        for memory, address, value in self.stores:
            memory[address] = value
        self.stores.clear()
        self.ports.clear()

    def write(self, value: SSAValue, iteration: int, cycle: int, number: int) -> None:
        """The value of an iteration is there from this cycle on; long past ones are forgotten."""
        known = self.history.setdefault(value, {})
        known[iteration] = cycle, number
        while len(known) > 2 * (self.op.depth // self.op.ii + 3):
            del known[min(known)]

    def read(self, value: SSAValue, iteration: int, cycle: int) -> int | None:
        """What the register of a value holds for an iteration in this cycle; None if nothing yet.

        Where the iteration's own value is not there, that is the one of an earlier iteration.
        """
        known = self.history.get(value, {})
        for earlier in sorted(known, reverse=True):
            there, number = known[earlier]
            if earlier <= iteration and there <= cycle:
                return number
        return None

    def carried(self, number: int, iteration: int, cycle: int) -> int:
        """An iter_arg of an iteration in this cycle: what earlier ones gave, or its first value."""
        following = self.op.return_op.iter_args[number]
        known = self.history.get(following, {})
        for earlier in sorted(known, reverse=True):
            there, value = known[earlier]
            if earlier < iteration and there <= cycle and self.is_given(following, earlier):
                return value
        return self.outside[self.op.iter_inits[number]]

    def is_given(self, following: SSAValue, iteration: int) -> bool:
        """False where the failed test of a while loop keeps a next value from its register."""
        test = self.op.return_op.cond
        if test is None or self.passed(iteration):
            return True
        assert isinstance(following, OpResult) and isinstance(following.op, StageOp)
        stage, known = following.op, available_at(test)
        written = stage.start + latency_in(stage, stage.register.values[following.index])
        return known is not None and written < known

    def find(self, value: SSAValue, iteration: int, cycle: int, values: Values) -> int:
        """An operand of an iteration in this cycle; `values` are those made in the cycle itself."""
        if value in values:
            return values[value]
        if isinstance(value, BlockArgument) and self.is_region(value.block):
            ivs = self.ivs[iteration]
            if value.index < len(ivs):
                return ivs[value.index]
            return self.carried(value.index - len(ivs), iteration, cycle)
        if value in self.outside:
            return self.outside[value]
        found = self.read(value, iteration, cycle)
        return 0 if found is None else found

    def is_region(self, block: Block) -> bool:
        """True for the block of one of the pipeline's own regions."""
        return block.parent_op() is self.op
