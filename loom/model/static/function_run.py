"""A function with static schedules runs: its pipelines cycle by cycle, or in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from loom.dialects.facts.argument_names import argument_names
from loom.dialects.facts.places import place_of
from loom.dialects.ops.staticlogic import Access, PipelineOp, SeqOp, StageOp, YieldOp
from loom.dialects.ops.types import DEFAULT_INDEX_WIDTH, width_of
from loom.errors import LoomError
from loom.model.static.evaluate import address_of, evaluate, is_load, words_of
from loom.model.static.order_run import keep, run_in_order, run_stage
from loom.model.static.pipeline_run import MOST_CYCLES, Finished, PipelineRun


@dataclass(frozen=True)
class ScheduleOutcome:
    """What one activation did: results and memories as bit patterns, and each pipeline's run."""

    results: tuple[int, ...]
    memories: Mapping[str, list[int]]
    pipelines: Sequence[Finished]


def run_function(
    function: FuncOp,
    inputs: Mapping[str, int | Sequence[int]],
    *,
    in_order: bool = False,
    index_width: int = DEFAULT_INDEX_WIDTH,
    most_cycles: int = MOST_CYCLES,
) -> ScheduleOutcome:
    """The outcome of one activation: scalars and whole memories by the names of the arguments.

    With `in_order` every iteration of a pipeline ends before the next begins: that is what the
    program means, and a schedule that keeps all rules gives the same.
    Refused (REF_UNSUPPORTED): operations that are no step of a sequence.
    """
    run = FunctionRun(in_order, index_width, most_cycles)
    memories: dict[str, list[int]] = {}
    for name, argument in zip(argument_names(function), function.args, strict=True):
        given = inputs[name]
        if isinstance(argument.type, MemRefType):
            assert not isinstance(given, int)
            memory = list(given)
            assert len(memory) == words_of(argument.type, function), f"elements of {name}"
            run.memories[argument] = memories[name] = memory
        else:
            assert isinstance(given, int)
            run.values[argument] = given % (1 << width_of(argument.type, index_width))
    run.steps(function.body.block)
    end = function.body.block.last_op
    assert isinstance(end, ReturnOp)
    results = tuple(run.values[value] for value in end.operands)
    return ScheduleOutcome(results, memories, run.pipelines)


@dataclass
class FunctionRun:
    """The values and memories of one activation so far."""

    in_order: bool
    index_width: int
    most_cycles: int
    values: dict[SSAValue, int] = field(default_factory=dict)
    memories: dict[SSAValue, list[int]] = field(default_factory=dict)
    pipelines: list[Finished] = field(default_factory=list)

    def steps(self, block: Block) -> None:
        """Run the operations of a block one after the other."""
        for op in block.ops:
            if not isinstance(op, ReturnOp | YieldOp | scf.YieldOp):
                self.step(op)

    def step(self, op: Operation) -> None:
        """Run one operation."""
        if isinstance(op, PipelineOp):
            self.give(op, self.run_pipeline(op))
        elif isinstance(op, StageOp):
            keep(run_stage(op, self.values, self.memories, self.index_width))
        elif isinstance(op, SeqOp):
            self.steps(op.body.block)
            last = op.body.block.last_op
            assert last is not None
            self.give(op, [self.values[value] for value in last.operands])
        elif isinstance(op, scf.ForOp):
            self.give(op, self.run_for(op))
        elif isinstance(op, Access):
            self.access(op)
        elif isinstance(op, memref.AllocOp | memref.AllocaOp):
            type_ = op.memref.type
            assert isinstance(type_, MemRefType)
            self.memories[op.memref] = [0] * words_of(type_, op)
        elif op.regions or any(isinstance(value.type, MemRefType) for value in op.results):
            accepted = "operators, accesses, allocations, pipelines and sequences"
            raise LoomError("REF_UNSUPPORTED", place_of(op), op.name, accepted)
        else:
            tokens = [self.values[value] for value in op.operands]
            self.give(op, evaluate(op, tokens, self.index_width))

    def give(self, op: Operation, results: Sequence[int]) -> None:
        """The operation has these results."""
        self.values.update(zip(op.results, results, strict=True))

    def run_pipeline(self, op: PipelineOp) -> Sequence[int]:
        """The results of a pipeline."""
        if self.in_order:
            done = run_in_order(op, self.values, self.memories, self.index_width)
        else:
            run = PipelineRun(op, self.values, self.memories, self.index_width)
            done = run.run(self.most_cycles)
        self.pipelines.append(done)
        return done.results if op.results else ()

    def run_for(self, op: scf.ForOp) -> Sequence[int]:
        """The results of a sequential loop."""
        half = 1 << width_of(op.lb.type, self.index_width) - 1
        low, high = ((self.values[v] ^ half) - half for v in (op.lb, op.ub))
        step = self.values[op.step]
        if not step:
            raise LoomError("REF_UNSUPPORTED", place_of(op), "a step of 0", "positive steps")
        carried = [self.values[value] for value in op.iter_args]
        last = op.body.block.last_op
        assert last is not None
        for index in range(low, high, step):
            variables = [index % (2 * half), *carried]
            self.values.update(zip(op.body.block.args, variables, strict=True))
            self.steps(op.body.block)
            carried = [self.values[value] for value in last.operands]
        return carried

    def access(self, op: Access) -> None:
        """Load or store."""
        tokens = [self.values[value] for value in PipelineRun.scalars(op)]
        address = address_of(op, tokens if is_load(op) else tokens[1:])
        if is_load(op):
            self.give(op, [self.memories[op.memref][address] if address >= 0 else 0])
        elif address >= 0:
            self.memories[op.memref][address] = tokens[0]
