"""What a static schedule is made of: regions, terminators and their types (rules 1 to 6 and 14)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, i1
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from loom.dialects.ops.staticlogic import (
    LATENCY,
    Access,
    DependenceAttr,
    PipelineOp,
    RegisterOp,
    ReturnOp,
    StageOp,
    YieldOp,
    parse_ports,
)
from loom.dialects.schedules.findings import broken, is_combinational, is_pure, name_of, quoted
from loom.errors import LoomError

COMBINATIONAL = "sums, comparisons, logic, shifts, selects, casts and constants there"


def structure_problems(op: PipelineOp) -> Iterator[LoomError]:
    """What is wrong with the parts of a pipeline; its cycles have a meaning only without any."""
    if op.ii < 1:
        what = f"'II' must be a positive integer, found {op.ii}"
        yield broken(op, "STATIC_II", what, "an II of 1 and more")
    yield from limit_problems(op)
    wrong = [problem for region in op.regions for problem in region_problems(op, region)]
    yield from wrong
    if wrong:
        return
    yield from stage_problems(op)
    if not isinstance(op.stages.block.last_op, ReturnOp):
        return
    yield from condition_problems(op)
    yield from update_problems(op)
    yield from return_problems(op)
    yield from result_problems(op)


def region_problems(op: PipelineOp, region: Region) -> Iterator[LoomError]:
    """A region is one block of all variables, and ends as it must."""
    word = next(n for n in ("condition", "update", "stages") if getattr(op, n) is region)
    types = [value.type for value in (*op.iv_inits, *op.iter_inits)]
    if len(region.blocks) != 1 or list(region.block.arg_types) != types:
        what = f"'{word}' must be one block of the ivs and iter_args, {quoted(types)}"
        yield broken(op, "STATIC_REGION", what, "the three regions as they are printed")
        return
    last = region.block.last_op
    wanted = ReturnOp if region is op.stages else YieldOp
    if not isinstance(last, wanted):
        name = "nothing" if last is None else f"'{last.name}'"
        what = f"'{word}' must end in '{wanted.name}', found {name}"
        yield broken(last or op, "STATIC_REGION", what, "the three regions as they are printed")


def condition_problems(op: PipelineOp) -> Iterator[LoomError]:
    """`condition` yields a test and is combinational, or is empty (rule 2)."""
    yielded = op.condition_yield
    if op.is_while:
        if yielded.values or op.condition.block.first_op is not yielded:
            what = "'condition' must be empty where 'return' gives the test"
            accepted = "the test in one of the two places"
            yield broken(op.return_op, "STATIC_CONDITION", what, accepted)
        return
    if not yielded.values or yielded.values[0].type != i1:
        found = repr(str(yielded.values[0].type)) if yielded.values else "()"
        what = f"'condition' must yield an i1 first, found {found}"
        yield broken(yielded, "STATIC_CONDITION", what, "a test of type i1, or a cond of 'return'")
    yield from combinational_problems(op.condition.block, "condition", "STATIC_CONDITION")


def update_problems(op: PipelineOp) -> Iterator[LoomError]:
    """`update` yields the next induction variables, from the present ones alone (rule 3)."""
    types = [value.type for value in op.iv_inits]
    found = [value.type for value in op.update_yield.values]
    if found != types:
        what = (
            f"'update' must yield {len(types)} value(s) of types {quoted(types)}, "
            f"found {quoted(found)}"
        )
        accepted = "the next value of each iv"
        yield broken(op.update_yield, "STATIC_UPDATE", what, accepted)
    yield from combinational_problems(op.update.block, "update", "STATIC_UPDATE")
    carried = set(op.iter_args(op.update))
    for user in op.update.block.ops:
        for operand in user.operands:
            if operand in carried:
                what = f"'update' may use only ivs, found iter_arg '{name_of(operand)}'"
                accepted = "ivs and values from outside the pipeline there"
                yield broken(user, "STATIC_UPDATE", what, accepted)


def combinational_problems(block: Block, word: str, code: str) -> Iterator[LoomError]:
    """What takes cycles, reads or writes."""
    for op in block.ops:
        if not isinstance(op, YieldOp) and not is_combinational(op):
            what = f"'{word}' may hold only combinational ops, found '{op.name}'"
            yield broken(op, code, what, COMBINATIONAL)


def stage_problems(op: PipelineOp) -> Iterator[LoomError]:
    """There are stages and nothing else, one after the other (rules 4 and 5)."""
    if not op.stage_ops:
        what, accepted = "'stages' needs at least one stage", "one staticlogic.stage and more"
        yield broken(op, "STATIC_STAGES", what, accepted)
    for inner in op.stages.block.ops:
        if not isinstance(inner, StageOp | ReturnOp):
            what = (
                "'stages' may hold only 'staticlogic.stage' and 'staticlogic.return', "
                f"found '{inner.name}'"
            )
            yield broken(inner, "STATIC_STAGES", what, "other operations inside the stages")
    yield from start_problems(op.stage_ops)


def start_problems(stages: Sequence[StageOp]) -> Iterator[LoomError]:
    """Stages stand in the order of their cycles, and are right in themselves (rules 5 and 6).

    Several may share a cycle if they have different predicates, or one of them none.
    """
    previous: int | None = None
    predicates: list[SSAValue | None] = []
    for stage in stages:
        shared = stage.start == previous and stage.when not in predicates
        predicates = [*predicates, stage.when] if shared else [stage.when]
        if stage.start < 0:
            what = f"stage 'start' must be >= 0, found {stage.start}"
            yield broken(stage, "STATIC_START", what, "cycles from the issue of the iteration on")
        elif previous is not None and stage.start <= previous and not shared:
            what = (
                f"stage 'start' {stage.start} must be greater than the previous 'start' {previous}"
            )
            accepted = "one stage a cycle, in the order of the cycles"
            yield broken(stage, "STATIC_START", what, accepted)
        previous = stage.start
        yield from body_problems(stage)


def body_problems(stage: StageOp) -> Iterator[LoomError]:
    """A stage computes, loads and stores, and ends in its registers (rule 6)."""
    accepted = "operations of arith, math and index, memref.load and memref.store in a stage"
    if len(stage.body.blocks) != 1 or stage.body.block.args:
        yield broken(
            stage, "STATIC_REGION", "a stage must be one block without arguments", accepted
        )
        return
    register = stage.body.block.last_op
    if not isinstance(register, RegisterOp):
        what = f"a stage must end in '{RegisterOp.name}'"
        yield broken(register or stage, "STATIC_REGION", what, "the register at its end")
        return
    given = [value.type for value in register.values]
    if given != list(stage.result_types):
        what = f"stage registers types {quoted(given)} but has results {quoted(stage.result_types)}"
        yield broken(register, "STATIC_REGISTER", what, "a register for each result, of its type")
    if stage.when is not None and stage.when.type != i1:
        what = f"'when' must be an i1, found '{stage.when.type}'"
        yield broken(stage, "STATIC_WHEN", what, "a value of type i1")
    for op in stage.ops:
        if not is_pure(op) and not isinstance(op, Access):
            what = f"a stage may hold only operators, loads and stores, found '{op.name}'"
            yield broken(op, "STATIC_STAGES", what, accepted)
        yield from latency_problems(op)


def latency_problems(op: Operation) -> Iterator[LoomError]:
    """A latency is a number of cycles."""
    given = op.attributes.get(LATENCY)
    if given is not None and not (isinstance(given, IntegerAttr) and given.value.data >= 0):
        what = f"'lat' must be a number of cycles, found {given}"
        yield broken(op, "STATIC_LATENCY", what, "lat = 0 for combinational operations, or more")


def return_problems(op: PipelineOp) -> Iterator[LoomError]:
    """`return` gives the next iter_args, and the test where there is one, from stages (rule 14)."""
    end = op.return_op
    types = [value.type for value in op.iter_inits]
    given = [value.type for value in end.iter_args]
    if given != types:
        what = (
            f"'return' gives {len(given)} iter_arg(s) of types {quoted(given)} "
            f"but the pipeline has {len(types)} of types {quoted(types)}"
        )
        yield broken(end, "STATIC_RETURN", what, "the next value of each iter_arg")
    stages = set(op.stage_ops)
    for word, values in (("iter_arg", end.iter_args), ("cond", end.tests)):
        for value in values:
            if not is_result_of(value, stages):
                what = f"'return' gives '{name_of(value)}' as {word}, which is no stage result"
                yield broken(end, "STATIC_RETURN", what, "results of the pipeline's stages")
    if end.cond is not None and end.cond.type != i1:
        what = f"'return' gives a cond of type '{end.cond.type}'"
        yield broken(end, "STATIC_RETURN", what, "a test of type i1")


def is_result_of(value: SSAValue, stages: set[StageOp]) -> bool:
    """True for a result of one of the stages."""
    return isinstance(value, OpResult) and value.op in stages


def result_problems(op: PipelineOp) -> Iterator[LoomError]:
    """None, or the values that `condition` forwards, or else those of the variables."""
    values: Sequence[SSAValue] = op.forwarded or (*op.iv_inits, *op.iter_inits)
    types = [value.type for value in values]
    if op.result_types and list(op.result_types) != types:
        source = "'condition' forwards" if op.forwarded else "the ivs and iter_args are"
        what = f"the pipeline has results {quoted(op.result_types)} but {source} {quoted(types)}"
        yield broken(op, "STATIC_RESULTS", what, "none, or one result for each of them, in order")


def limit_problems(op: PipelineOp) -> Iterator[LoomError]:
    """Ports, units, dependences and the clock are said in the forms that they have."""
    accepted = "ports, res, memdep, trip_count and clock as docs/staticlogic.md says them"

    def wrong(what: str) -> LoomError:
        return broken(op, "STATIC_LIMITS", what, accepted)

    words = () if op.ports_attribute is None else op.ports_attribute.data
    if len(words) != len(op.memories):
        yield wrong(f"{len(words)} 'ports' for {len(op.memories)} memories")
    for word in words:
        if not isinstance(word, StringAttr) or parse_ports(word.data) is None:
            yield wrong(f"'ports' {word} must be such as 1r1w or 2rw")
    for memory in op.memories:
        if list(op.memories).count(memory) > 1:
            yield wrong(f"'ports' of memref '{name_of(memory)}' are given twice")
            break
    for name, count in ({} if op.res_attribute is None else op.res_attribute.data).items():
        if not isinstance(count, IntegerAttr) or count.value.data < 1:
            yield wrong(f"'res' of {name} must be a positive integer, found {count}")
    if isinstance(op.memdep_attribute, ArrayAttr):
        for each in op.memdep_attribute.data:
            if not isinstance(each, DependenceAttr):
                yield wrong(f"'memdep' holds {each}")
    if op.clock is not None and not op.clock > 0:
        yield wrong(f"'clock' must be a positive number of ns, found {op.clock}")
