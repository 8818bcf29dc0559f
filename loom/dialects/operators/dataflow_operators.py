"""Rows and meanings of the dataflow operators.

Source: docs/spec/operations.md; docs/spec D1, D8 to D10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from loom.dialects.operators.integer_meanings import (
    ADD,
    COMPARE,
    MULTIPLY,
    STEP_LEFT,
    STEP_RIGHT,
    STEP_RIGHT_SIGNED,
    SUBTRACT,
    UNSIGNED_QUOTIENT,
    truncated_division,
    wrapped_signed,
)
from loom.dialects.operators.operator import (
    Environment,
    Hardware,
    Meaning,
    Operator,
    Queue,
    Semantics,
    Shape,
    Signature,
    parse_ports,
)

STEP_OPERATORS = ("+=", "-=", "*=", "/=", "<<=", ">>=")
CONTINUE_CONDITIONS = ("<", "<=", ">", ">=", "!=")
ZERO_STEP = "RT_DATAFLOW_STREAM_ZERO_STEP"
BURST = 4096
"""Tokens a stream emits before it lets the others run [tokens]."""


def is_rotated(shape: Shape) -> bool:
    """True of a unit of a loop with a non-zero trip count, whose test comes an iteration early."""
    return bool(shape.attributes.get("rotated", False))


def carry(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Emit `a`, then a `b` for each true of `d`; a false starts again with `a`."""
    d, a, b = inputs
    (o,) = outputs
    while True:
        while not a:
            yield a
        o.append(a.popleft())
        while True:
            while not d:
                yield d
            if not d.popleft():
                break
            while not b:
                yield b
            o.append(b.popleft())


def invariant(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Emit `a`, then the same again for each true of `d`; a false starts again."""
    d, a = inputs
    (o,) = outputs
    while True:
        while not a:
            yield a
        value = a.popleft()
        o.append(value)
        while True:
            while not d:
                yield d
            if not d.popleft():
                break
            o.append(value)


def replicate(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Emit `a` for each true of `d`, rotated for the false too, which takes it."""
    d, a = inputs
    (o,) = outputs
    rotated = is_rotated(shape)
    while True:
        while not a:
            yield a
        value = a.popleft()
        while True:
            while not d:
                yield d
            goes_on = d.popleft()
            if goes_on or rotated:
                o.append(value)
            if not goes_on:
                break


def gate(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Drop the last value and the first condition of each burst."""
    values, conditions = inputs
    after_value, after_cond = outputs
    while True:
        first = True
        while True:
            for queue in (values, conditions) if first else (conditions, values):
                while not queue:
                    yield queue
            value, condition = values.popleft(), conditions.popleft()
            if not first:
                after_cond.append(condition)
            if not condition:
                break
            after_value.append(value)
            first = False


STEPS: dict[str, tuple[Meaning, Meaning]] = {
    "+=": (ADD, ADD),
    "-=": (SUBTRACT, SUBTRACT),
    "*=": (MULTIPLY, MULTIPLY),
    "/=": (wrapped_signed(truncated_division), UNSIGNED_QUOTIENT),
    "<<=": (STEP_LEFT, STEP_LEFT),
    ">>=": (STEP_RIGHT_SIGNED, STEP_RIGHT),
}
"""By step operator its meaning, signed and unsigned."""
PREDICATES = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "!=": "ne"}
"""By continue condition the comparison's predicate, without its sign."""


def step_function(shape: Shape) -> Callable[..., Any]:
    """The next index from index and step, modulo 2^width; all ones from a division by zero."""
    width = shape.inputs[0]
    step_op = shape.text("step_op")
    advance = STEPS[step_op][bool(shape.attributes["unsigned"])](Shape((width, width), (width,)))
    if step_op != "/=":
        return advance
    return lambda index, step: advance(index, step) if step else (1 << width) - 1


def continue_function(shape: Shape) -> Callable[..., Any]:
    """Whether an index lies before the bound, as 0 or 1."""
    predicate = PREDICATES[shape.text("cont_cond")]
    if predicate != "ne":
        predicate = f"{'u' if shape.attributes['unsigned'] else 's'}{predicate}"
    return COMPARE(Shape(shape.inputs[:1] * 2, (1,), {"predicate": predicate}))


def tested_function(shape: Shape) -> Callable[[int, int, int], Any]:
    """What comes with an index, from index, step and bound."""
    advance, proceeds = step_function(shape), continue_function(shape)
    if is_rotated(shape):
        return lambda index, step, bound: proceeds(advance(index, step), bound)
    return lambda index, step, bound: proceeds(index, bound)


def stream(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Emit start, next, ... with true while the condition holds, then one more with false.

    Rotated: each with whether the condition holds for the next; start always.
    """
    start, step, bound = inputs
    index_out, continue_out = outputs
    advance, proceeds = step_function(shape), tested_function(shape)
    while True:
        for queue in (start, step, bound):
            while not queue:
                yield queue
        index, by, limit = start.popleft(), step.popleft(), bound.popleft()
        if by == 0:
            env.report(ZERO_STEP)
        emitted = 0
        while proceeds(index, by, limit):
            index_out.append(index)
            continue_out.append(1)
            index = advance(index, by)
            emitted += 1
            if emitted % BURST == 0:
                yield index_out
        index_out.append(index)
        continue_out.append(0)


DATAFLOW_OPERATORS: tuple[Operator, ...] = (
    Operator(
        "dataflow.carry",
        "Emits a, then a b for each true of d; a false starts the next burst.",
        Signature(*parse_ports("d:i1 a:T b:T -> o:T")),
        Semantics(process=carry, rates="d?0 = a; b = d?1; o = d", rest="a", leads=True),
        Hardware("primitives/carry"),
    ),
    Operator(
        "dataflow.invariant",
        "Emits a, then the same value for each true of d; a false starts the next burst.",
        Signature(*parse_ports("d:i1 a:T -> o:T")),
        Semantics(process=invariant, rates="d?0 = a; o = d", rest="a", leads=True),
        Hardware("primitives/invariant"),
    ),
    Operator(
        "dataflow.replicate",
        "Emits a once for each true of d, rotated for the false too; a false takes the next a.",
        Signature(
            *parse_ports("d:i1 a:T -> o:T"),
            attributes=("rotated",),
            defaults={"rotated": False},
        ),
        Semantics(
            process=replicate,
            rates=lambda s: f"d?0 = a; o = d{'' if is_rotated(s) else '?1'}",
            rest="a",
        ),
        Hardware("primitives/replicate", variant=lambda s: "rotated" if is_rotated(s) else ""),
    ),
    Operator(
        "dataflow.stream",
        "The indices of a loop with true, then one more index with false; rotated, of a loop that "
        "runs, each index with whether there is another.",
        Signature(
            *parse_ports("start:index step:index bound:index -> index:index cont:i1"),
            attributes=("step_op", "cont_cond", "unsigned", "rotated"),
            choices={"step_op": STEP_OPERATORS, "cont_cond": CONTINUE_CONDITIONS},
            defaults={"step_op": "+=", "cont_cond": "<", "unsigned": False, "rotated": False},
        ),
        Semantics(
            process=stream,
            rates="cont?0 = start; step = start; bound = start; index = cont",
            rest="start",
            error=ZERO_STEP,
        ),
        Hardware("primitives/stream", variant=lambda s: stream_variant(s)),
    ),
    Operator(
        "dataflow.gate",
        "Drops the last value and the first condition of each burst.",
        Signature(*parse_ports("before_value:T before_cond:i1 -> after_value:T after_cond:i1")),
        Semantics(
            process=gate,
            rates="before_value = before_cond; after_value = before_cond?1; "
            "after_cond = before_cond?1; after_cond?0 ~ before_cond?0",
            rest="before_value",
        ),
        Hardware("primitives/gate"),
    ),
)

STREAM_WORDS = {
    "+=": "add", "-=": "sub", "*=": "mul", "/=": "div", "<<=": "shl", ">>=": "shr",
    "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "!=": "ne",
}  # fmt: skip


def stream_variant(shape: Shape) -> str:
    """Step operator, continue condition, signedness and what is tested as a module's name."""
    step, test = STREAM_WORDS[shape.text("step_op")], STREAM_WORDS[shape.text("cont_cond")]
    signedness = "unsigned" if shape.attributes["unsigned"] else "signed"
    return f"{step}_{test}_{signedness}{'_rotated' if is_rotated(shape) else ''}"
