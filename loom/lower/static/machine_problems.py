"""What a machine cannot follow in a schedule that was given as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Attribute, Operation

from loom.dialects.facts.arrays import (
    PORTS,
    arrays_of,
    holders_of,
    identity_of,
    partition_of_access,
    ports_behind,
    ports_of_access,
)
from loom.dialects.facts.instances import signal_shape
from loom.dialects.facts.places import place_of
from loom.dialects.facts.program_facts import BANK
from loom.dialects.ops.partition_attribute import PARTITION, PartitionAttr
from loom.dialects.ops.staticlogic import (
    SHARED,
    PipelineOp,
    Ports,
    RegisterOp,
    ReturnOp,
    SeqOp,
    StageOp,
    YieldOp,
    latency_of,
    sharers_of,
)
from loom.dialects.schedules.resources import port_problems
from loom.errors import LoomError
from loom.lower.options import Options
from loom.lower.static.body_problem import ports_of
from loom.lower.static.units import load_latency, require_pipelined, store_latency
from loom.netlist.fsmd.steps import PLAIN, inner
from loom.netlist.token_types import width_of_text

STEPS = (PipelineOp, StageOp, scf.ForOp, scf.WhileOp, scf.IfOp)
ENDS = (func.ReturnOp, scf.YieldOp, scf.ConditionOp, YieldOp, RegisterOp, ReturnOp)
NTH = ("first", "second", "third")


def unfit(operation: Operation, what: str, accepted: str) -> LoomError:
    """What the machine of a schedule cannot follow."""
    return LoomError("STATIC_MACHINE", place_of(operation), what, accepted)


def machine_problems(
    module: ModuleOp, function: func.FuncOp, options: Options, *, is_island: bool = False
) -> Iterator[LoomError]:
    """Everything in a verified schedule that a machine cannot follow.

    The arguments of an island are arrays of any kind, those of a function lie outside.
    """
    globals_ = {op.sym_name.data for op in module.ops if isinstance(op, memref.GlobalOp)}
    yield from bank_problems(module, function)
    unfit_ports = list(read_port_problems(module, function, is_island=is_island))
    yield from unfit_ports
    if unfit_ports:
        return
    values = [*function.args, *(r for op in function.walk() for r in op.results)]
    for value in values:
        if not is_carried(value.type, options.index_width):
            owner = value.owner if isinstance(value.owner, Operation) else function
            accepted = "integers, index, floats, and arrays of them in one dimension"
            yield unfit(owner, f"a value of type {value.type}", accepted)
    for operation in function.walk():
        if operation is function:
            continue
        if isinstance(operation, memref.GetGlobalOp):
            if operation.name_.string_value() not in globals_:
                yield unfit(
                    operation, "an array that is not there", "a memref.global of the module"
                )
        elif isinstance(operation, SeqOp):
            accepted = "its steps in the function: pipelines, stages, scf.for, scf.while, scf.if"
            yield unfit(operation, operation.name, accepted)
        elif isinstance(operation, PipelineOp):
            yield from pipeline_problems(operation)
        elif isinstance(operation, StageOp):
            yield from run_problems(operation)
        elif not isinstance(operation, (*STEPS, *PLAIN, *ENDS)):
            yield from operation_problems(operation, options)


def bank_problems(module: ModuleOp, function: func.FuncOp) -> Iterator[LoomError]:
    """Partitions of other arrays than they are said of, and banks that an array has not."""
    for array in arrays_of(module):
        said = array.said(PARTITION)
        if said is None or (isinstance(array.maker, func.FuncOp) and array.maker is not function):
            continue
        if not isinstance(said, PartitionAttr) or said.data.depth != prod(array.type.get_shape()):
            what = f"{PARTITION} = {said} of an array of type {array.type}"
            accepted = f'{PARTITION} = #{PARTITION}<"16%4"> of an array of 16 elements'
            yield LoomError("STATIC_MACHINE", array.place, what, accepted)
    for operation in function.walk():
        if not isinstance(operation, memref.LoadOp | memref.StoreOp):
            continue
        partition, bank = partition_of_access(operation), BANK.of(operation)
        count = 0 if partition is None else partition.banks
        if bank is not None and bank >= count:
            yield unfit(operation, f"an access of bank {bank} of {count}", "a bank of its array")


def read_port_problems(
    module: ModuleOp, function: func.FuncOp, *, is_island: bool
) -> Iterator[LoomError]:
    """Numbers of read ports that no memory has, and of arrays outside."""
    for array in arrays_of(module):
        said = array.said(PORTS)
        if said is None or (isinstance(array.maker, func.FuncOp) and array.maker is not function):
            continue
        counts = (1, 2) if is_island or array.argument is None else (1,)
        if not isinstance(said, IntegerAttr) or said.value.data not in counts:
            what = f"{PORTS} = {said} of the array {array.name}"
            accepted = " or ".join(map(str, counts))
            if len(counts) == 1:
                accepted += " of an array outside"
            yield LoomError("STATIC_MACHINE", array.place, what, accepted)


def is_carried(type_: Attribute, index_width: int) -> bool:
    """Whether signals or memories of a machine have this type."""
    if isinstance(type_, MemRefType):
        shape = type_.get_shape()
        if len(shape) != 1 or shape[0] < 1:
            return False
        type_ = type_.element_type
    return bool(width_of_text(str(type_), index_width))


def pipeline_problems(loop: PipelineOp) -> Iterator[LoomError]:
    """A test in stages, next values that no stage computes, ports that are taken twice."""
    if loop.return_op.cond is not None:
        yield unfit(loop, "a pipeline whose stages give the test", "a test in `condition`")
        return
    arguments = loop.iter_args(loop.condition)
    for argument, value in zip(arguments, loop.return_op.iter_args, strict=True):
        made = inner(value).owner
        if not isinstance(made, Operation):
            yield unfit(loop, "a next value that no stage computes", "the result of an operation")
            continue
        stage = value.owner
        assert isinstance(stage, StageOp)
        if argument.uses and stage.start + latency_of(made) == loop.ii:
            what = "a test that reads a value in the cycle in which it comes"
            yield unfit(loop, what, "a greater II, or a test of other values")
    starts = {operation: start for start, operation in loop.scheduled}
    memories = {identity_of(access.memref): access.memref for access in loop.accesses}
    for memory in memories.values():
        ports = Ports(ports_behind(memory, *holders_of(memory)), 1)
        yield from port_problems(loop, memory, ports, starts)


def run_problems(stage: StageOp) -> Iterator[LoomError]:
    """Accesses of one memory in one cycle of stages that run once, said of the first stage."""
    before = stage.prev_op
    while isinstance(before, PLAIN):
        before = before.prev_op
    if isinstance(stage.parent_op(), PipelineOp) or isinstance(before, StageOp):
        return
    run: list[StageOp] = []
    following: Operation | None = stage
    while isinstance(following, (StageOp, *PLAIN)):
        run += [following] if isinstance(following, StageOp) else []
        following = following.next_op
    taken: Counter[tuple[str, int]] = Counter()
    for each in run:
        for operation in each.ops:
            if isinstance(operation, memref.LoadOp | memref.StoreOp):
                own = [(port, each.start) for port in ports_of(operation)]
                most = ports_of_access(operation)
                if any(taken[port] >= most for port in own):
                    what = f"a {NTH[most]} access of its memory in cycle {each.start}"
                    accepted = "a load for each read port and one store of a memory, or of each "
                    yield unfit(operation, what, f"{accepted}bank, a cycle")
                taken.update(own)


def operation_problems(operation: Operation, options: Options) -> Iterator[LoomError]:
    """An operation outside stages, one that is no operator, or of another latency than its unit."""
    holder = operation.parent_op()
    block = operation.parent
    is_test = isinstance(holder, PipelineOp) and block is not holder.stages.block
    if not isinstance(holder, StageOp) and not is_test:
        yield unfit(operation, f"{operation.name} outside stages", "it in a stage")
        return
    if isinstance(operation, memref.StoreOp):
        wanted = store_latency(operation)
    elif isinstance(operation, memref.LoadOp):
        wanted = load_latency(operation)
    else:
        try:
            operator = require_pipelined(operation, options)
        except LoomError as problem:
            yield problem
            return
        wanted = operator.hardware.latency_of(
            signal_shape(operation, operator, options.index_width)
        )
    if sharers_of(operation) != 1 and not wanted:
        what = f"{operation.name} with {SHARED} = {sharers_of(operation)}"
        yield unfit(operation, what, "pipelined operations that share a unit")
    if latency_of(operation) != wanted:
        what = f"{operation.name} of latency {latency_of(operation)}"
        yield unfit(operation, what, f"the latency of its unit or memory, which is {wanted}")
