"""Python text for functions, calls, branches and loops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from loom.dialects.facts.loop_attributes import is_unsigned
from loom.dialects.facts.places import place_of
from loom.errors import LoomError
from loom.model.reference.generate_blocks import body_of
from loom.model.reference.generator import (
    Count,
    FunctionWriter,
    Handler,
    Program,
    Scope,
    refuse_memrefs,
)
from loom.model.reference.layout import layout_of
from loom.model.reference.views import View, is_literal


def write_function(program: Program, function: func.FuncOp) -> str:
    """The Python name of a source function, whose text is written or waits to be."""
    name = function.sym_name.data
    if name in program.texts:
        return program.texts[name]
    program.texts[name] = text_name = program.fresh("f")

    def write() -> list[str]:
        writer = FunctionWriter(program, {}, {}, {})
        parameters = ["path", *received(writer, function.args, function)]
        return writer.function(f"{text_name}({', '.join(parameters)})", body_of(function.body))

    program.waiting.append(write)
    return text_name


def received(writer: FunctionWriter, values: Sequence[SSAValue], op: Operation) -> list[str]:
    """The variables in which the values arrive, as `FunctionWriter.passed` lists them."""
    variables: list[str] = []
    for value in values:
        if isinstance(value.type, MemRefType):
            view = writer.views[value] = received_view(writer.program, value.type, op)
            variables += view.variables()
        else:
            variables.append(writer.define(value))
    return variables


def received_view(program: Program, type_: MemRefType, op: Operation) -> View:
    """The view of a memref from another function: what its type leaves open is a variable."""
    layout = layout_of(type_, place_of(op))

    def known(number: int | None, letter: str) -> str:
        return program.fresh(letter) if number is None else str(number)

    return View(
        words=program.fresh("w"),
        key=program.fresh("k"),
        extent=None,
        sizes=layout.sizes,
        offset=known(layout.offset, "o"),
        strides=tuple(known(stride, "t") for stride in layout.strides),
        unset=True,
    )


def call(writer: FunctionWriter, op: Operation) -> None:
    """The callee runs with its own path of calls."""
    assert isinstance(op, func.CallOp)
    program = writer.program
    callee = program.functions.get(op.callee.string_value())
    if callee is None or not callee.body.blocks:
        raise LoomError(
            "REF_UNSUPPORTED", place_of(op), f"a call of {op.callee}", "calls of known functions"
        )
    writer.scope.cost += 1
    arguments = [f"(*path, {program.site(str(place_of(op)))})"]
    for operand, parameter in zip(op.operands, callee.args, strict=True):
        assert operand.type == parameter.type
        arguments += writer.passed(operand, op)
    targets = "".join(f"{name}, " for name in received(writer, op.results, op))
    text = f"{write_function(program, callee)}({', '.join(arguments)})"
    writer.line(f"{targets}= {text}" if targets else text)


WRAPS = "an index that wraps around before it reaches the bound"


def for_loop(writer: FunctionWriter, op: Operation) -> None:
    """The loop runs over its mathematical range, signed unless the operation says unsigned."""
    assert isinstance(op, scf.ForOp)
    bounds = (op.lb, op.ub, op.step)
    width = writer.program.width(op.lb.type, op)
    if is_unsigned(op):
        low, high, step = (writer.value(bound) for bound in bounds)
        most = (1 << width) - 1
    else:
        low, high, step = (writer.signed(bound, op) for bound in bounds)
        most = (1 << (width - 1)) - 1
    # A narrower loop variable is counted in an index, which has room for one step more.
    wraps = width >= writer.program.index_width
    counted_loop(writer, op, low, high, step, op.iter_args, op.body.block, most if wraps else None)


def counted_loop(
    writer: FunctionWriter,
    op: Operation,
    low: str,
    high: str,
    step: str,
    inits: Sequence[SSAValue],
    body: Block,
    most: int | None,
) -> None:
    """The loop over ``range(low, high, step)`` of numbers; its results have the last values.

    Refused: an index that passes `most`, the largest of its type, before it reaches `high`: it
    wraps around and the loop goes on.
    """
    refuse_memrefs(op, op.results, "a loop's result")
    program = writer.program
    number = program.faults.number(op)
    induction, *carried = body.args
    step = checked_step(writer, step, number)
    outer = writer.scope
    outer.cost += 1
    charge = -1
    if all(map(is_literal, (low, high, step))):
        trips = max(0, -(-(int(high) - int(low)) // max(1, int(step))))
        if most is not None and trips and int(low) + trips * int(step) > most:
            writer.line(f"illegal({number}, {WRAPS!r})")
        scope = Scope(Count(outer.count.times * trips, outer.count.base))
    else:
        trip_count, counter = program.fresh("n"), writer.counter()
        gap = f"{high} - {low}" if low != "0" else high
        # Minus the rounded-down quotient of the negative gap is the quotient rounded up.
        writer.line(f"{trip_count} = " + (gap if step == "1" else f"-(({low} - {high}) // {step})"))
        writer.line(f"if {trip_count} < 0: {trip_count} = 0")
        if most is not None and step != "1":
            wrapped = f"{trip_count} and {low} + {trip_count} * {step} > {most}"
            writer.line(f"if {wrapped}: illegal({number}, {WRAPS!r})")
        charge = writer.reserve()
        writer.line(f"if B[0] < 0: over({number})")
        writer.line(f"{counter} += {trip_count}")
        scope = Scope(Count(1, counter))
    carried_names = [writer.define(argument) for argument in carried]
    writer.assign(carried_names, [writer.value(init) for init in inits])
    index = writer.define(induction, "i")
    mask = (1 << program.width(induction.type, op)) - 1
    if is_literal(low) and int(low) >= 0:
        writer.line(f"for {index} in range({low}, {high}, {step}):")
        top = int(high) if is_literal(high) else mask // 2 + 1
        writer.bounded[induction] = (int(low), top)
    else:
        writer.line(f"for {index} in map(({mask}).__and__, range({low}, {high}, {step})):")
    passed = writer.block(body, scope)
    writer.depth += 1
    writer.line("pass")  # the body may be empty
    writer.assign(carried_names, passed)
    writer.depth -= 1
    writer.names.update(zip(op.results, carried_names, strict=True))
    if charge < 0:
        outer.cost += trips * (scope.cost + 1)
    else:
        writer.fill(charge, f"B[0] -= {scope.cost + 1} * {trip_count}")
    writer.iterations.append((f"(path, {program.site(str(place_of(op)))})", scope.count))


def checked_step(writer: FunctionWriter, step: str, number: int) -> str:
    """The step as a literal or a variable, after the text has refused 0 and less."""
    if is_literal(step):
        if int(step) <= 0:
            writer.line(f"step({number}, {step})")
            return "1"
        return step
    name = writer.program.fresh("s")
    writer.line(f"{name} = {step}")
    writer.line(f"if {name} <= 0: step({number}, {name})")
    return name


def while_loop(writer: FunctionWriter, op: Operation) -> None:
    """The loop runs until its condition fails; its results are what the condition passes on."""
    assert isinstance(op, scf.WhileOp)
    refuse_memrefs(op, (*op.results, *op.arguments), "a loop's value")
    program = writer.program
    number = program.faults.number(op)
    before, after = op.before_region.block, op.after_region.block
    tests, iterations = writer.counter(), writer.counter()
    carried = [writer.define(argument) for argument in before.args]
    writer.assign(carried, [writer.value(init) for init in op.arguments])
    iteration = program.fresh("n")
    header = writer.reserve()
    tested, run = Scope(Count(1, tests)), Scope(Count(1, iterations))
    condition, *passed = writer.block(before, tested)
    results = [writer.define(argument) for argument in after.args]
    writer.depth += 1
    writer.assign(results, passed)
    writer.line(f"if not {condition}: break")
    writer.depth -= 1
    again = writer.block(after, run)
    writer.depth += 1
    writer.assign(carried, again)
    writer.depth -= 1
    cost = tested.cost + run.cost + 1
    writer.fill(header, f"for {iteration} in range(B[0] // {cost} + 1):")
    writer.line(f"else: over({number})")
    writer.line(f"B[0] -= {iteration} * {cost}")
    writer.line(f"{tests} += {iteration} + 1")
    writer.line(f"{iterations} += {iteration}")
    writer.names.update(zip(op.results, results, strict=True))
    writer.scope.cost += 1 + tested.cost
    writer.iterations.append((f"(path, {program.site(str(place_of(op)))})", run.count))


def branch(writer: FunctionWriter, op: Operation) -> None:
    """One region runs, as the condition says."""
    assert isinstance(op, scf.IfOp)
    regions = [op.true_region, op.false_region]
    write_two(writer, op, writer.value(op.cond), [r.block if r.blocks else None for r in regions])


def write_two(
    writer: FunctionWriter, op: Operation, condition: str, blocks: Sequence[Block | None]
) -> None:
    """The first block runs if the Python expression `condition` is true, else the second."""
    write_branches(writer, op, [condition, ""], blocks)


def write_branches(
    writer: FunctionWriter, op: Operation, tests: Sequence[str], blocks: Sequence[Block | None]
) -> None:
    """The block runs whose Python expression is true, of which exactly one is.

    An empty expression is true if the one before it is false.
    """
    refuse_memrefs(op, op.results, "a branch's result")
    writer.scope.cost += 1
    results = [writer.define(result) for result in op.results]
    for test, block in zip(tests, blocks, strict=True):
        header = f"if {test}:" if test else "else:"
        if block is None or (block.first_op is block.last_op and not results):
            if header == "else:":
                continue
            writer.line(f"{header} pass")
            continue
        writer.line(header)
        writer.depth += 1
        counter = writer.counter()
        writer.line(f"{counter} += 1")
        writer.depth -= 1
        scope = Scope(Count(1, counter))
        passed = writer.block(block, scope)
        writer.depth += 1
        writer.assign(results, passed)
        writer.depth -= 1
        writer.charges.append((scope.count, scope.cost))


CONTROL_HANDLERS: dict[type[Operation], Handler] = {
    func.CallOp: call,
    scf.ForOp: for_loop,
    scf.WhileOp: while_loop,
    scf.IfOp: branch,
}
