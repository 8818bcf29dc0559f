"""Rows and meanings of the dataflow operators.

Source: docs/spec/operations.md; docs/spec D1, D8 to D10. `accumulate` is LOOM's own: a carry, an
operator, and the branch that sends its result back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loom.dialects.operators.handshake_operators import fork
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
from loom.dialects.operators.integer_operators import INTEGER_OPERATORS
from loom.dialects.operators.operator import (
    Environment,
    Hardware,
    Meaning,
    Operator,
    Port,
    Queue,
    Semantics,
    Shape,
    Signature,
    insert_constants,
    parse_ports,
)
from loom.dialects.operators.ordering.comparators import COMPARATORS
from loom.dialects.operators.ordering.load_store_queue import LOAD_STORE_QUEUE

STEP_OPERATORS = ("+=", "-=", "*=", "/=", "<<=", ">>=")
CONTINUE_CONDITIONS = ("<", "<=", ">", ">=", "!=")
ZERO_STEP = "RT_DATAFLOW_STREAM_ZERO_STEP"
BURST = 4096
"""Tokens a stream emits before it lets the others run [tokens]."""


def lanes_of(shape: Shape) -> int:
    """How many entries of its loop a unit interleaves."""
    found = shape.attributes.get("lanes", 1)
    assert isinstance(found, int)
    return found


def is_rotated(shape: Shape) -> bool:
    """True of a unit of a loop with a non-zero trip count, whose test comes an iteration early."""
    return bool(shape.attributes.get("rotated", False))


MOST_LANES = 64
"""Entries of a loop that are interleaved, at most."""


def unfit_lanes(shape: Shape) -> tuple[str, str] | None:
    """The refusal of a number of lanes that no template has."""
    lanes = lanes_of(shape)
    return None if 1 <= lanes <= MOST_LANES else (f"{lanes} lanes", f"1 to {MOST_LANES}")


def lanes_variant(shape: Shape) -> str:
    """What the module of a unit with lanes is called more."""
    return "lanes" if lanes_of(shape) > 1 else ""


def lanes_facts(shape: Shape) -> dict[str, int]:
    """The number of lanes of a unit that has some."""
    return {"lanes": lanes_of(shape)} if lanes_of(shape) > 1 else {}


def carry(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Emit `a`, then a `b` for each true of `d`; a false starts again with `a`.

    With lanes as many `a` begin, and each false lets one more go; falses come in groups of as many.
    """
    d, a, b = inputs
    (o,) = outputs
    lanes = lanes_of(shape)
    pending, ended = lanes, 0  # `a` that go next; falses of the last group
    while True:
        if pending and a:
            o.append(a.popleft())
            pending -= 1
        elif d and not d[0] and pending < lanes:
            d.popleft()
            pending += 1
            ended = (ended + 1) % lanes
        elif pending and (d or not ended):
            yield a
        elif not d:
            yield d
        elif not b:
            yield b
        else:
            d.popleft()
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

    Rotated: each with whether the condition holds for the next; start always. With lanes each
    comes so often, and a burst takes so many tokens of each input, of which the last one counts.
    """
    index_out, continue_out = outputs
    advance, proceeds = step_function(shape), tested_function(shape)
    lanes = lanes_of(shape)
    while True:
        for _ in range(lanes):
            for queue in inputs:
                while not queue:
                    yield queue
            index, by, limit, *_ = insert_constants(shape, [queue.popleft() for queue in inputs])
            if by == 0:
                env.report(ZERO_STEP)
            goes_on = proceeds(index, by, limit)
            index_out.append(index)
            continue_out.append(int(goes_on))
        emitted = 0
        while goes_on:
            index = advance(index, by)
            goes_on = proceeds(index, by, limit)
            for _ in range(lanes):
                index_out.append(index)
                continue_out.append(int(goes_on))
            emitted += lanes
            if emitted % BURST < lanes:
                yield index_out


STREAM_INPUTS, STREAM_OUTPUTS = parse_ports(
    "start:index step:index bound:index -> index:index cont:i1"
)
CONTROL = Port("ctrl", "none")
"""Of a stream: a token that begins a burst together with the operands that are tokens."""


def stream_ports(shape: Shape) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """The ports of a stream: a fourth input is a control token."""
    more = (CONTROL,) * (len(shape.inputs) - len(STREAM_INPUTS))
    return (*STREAM_INPUTS, *more), STREAM_OUTPUTS


def stream_rates(shape: Shape) -> str:
    """A burst of `cont` for each token of the inputs that are no constants."""
    ports, _ = stream_ports(shape)
    first, *others = (port.name for k, port in enumerate(ports) if k not in shape.constants)
    return "; ".join((f"cont?0 = {first}", *(f"{o} = {first}" for o in others), "index = cont"))


def endless_stream(shape: Shape) -> tuple[str, str] | None:
    """The refusal of a stream of constants that does not end, or one with a step of zero."""
    if (misfit := unfit_lanes(shape)) is not None:
        return misfit
    if shape.constants.get(1) == 0:
        return "a stream with a constant step of zero", "another step, or one that is a token"
    if len(shape.constants) == len(STREAM_INPUTS) and find_burst(shape) is None:
        return "a stream of constants whose end is not known", "a token for one of them"
    if shape.attributes["unsigned"] and len(shape.constants) < 3 and shape.has_extreme(0, 2):
        return "a stream from or to a constant of zeros or of ones, unsigned", "a token for it"
    return None


@dataclass(frozen=True, slots=True)
class Burst:
    """The indices of a stream of constants: the number of its tokens, and bit patterns.

    `last` is the last index, `before_last` the one before it, or the start where there is none;
    `varying` has the bits in which indices differ.
    """

    count: int
    before_last: int
    last: int
    varying: int


MOST_STEPS = 4096
"""Tokens of a burst that are counted one by one, where no formula gives their number."""


def find_burst(shape: Shape) -> Burst | None:
    """The burst of a stream of constants; None if its end is not known."""
    start, step, bound = (shape.constants[place] for place in range(len(STREAM_INPUTS)))
    count = count_steps(shape, start, step, bound)
    advance, proceeds = step_function(shape), tested_function(shape)
    if count is not None:
        sign = -1 if shape.text("step_op") == "-=" else 1
        mask = (1 << shape.inputs[0]) - 1
        steps = (max(count - 2, 0), count - 1)
        before_last, last = ((start + sign * step * number) & mask for number in steps)
        # Between patterns that rise or fall the bits above the highest that differs are the same.
        varying = (1 << (start ^ last).bit_length()) - 1
        return Burst(count, before_last, last, varying)
    index, before_last, varying = start, start, 0
    for number in range(1, MOST_STEPS + 1):
        varying |= start ^ index
        if not proceeds(index, step, bound):
            return Burst(number, before_last, index, varying)
        before_last, index = index, advance(index, step)
    return None


def burst_facts(shape: Shape) -> dict[str, int]:
    """Where a stream of constants ends; of any the number of lanes."""
    burst = find_burst(shape) if len(shape.constants) == len(STREAM_INPUTS) else None
    lanes = lanes_facts(shape)
    if burst is None:
        return lanes
    ends = {"before_last": burst.before_last, "last": burst.last, "varying": burst.varying}
    return {**ends, **lanes}


def count_steps(shape: Shape, start: int, step: int, bound: int) -> int | None:
    """The tokens of a stream that adds or subtracts, if no index wraps on the way; else None."""
    step_op, test, width = shape.text("step_op"), shape.text("cont_cond"), shape.inputs[0]
    low, high = (
        (0, 1 << width) if shape.attributes["unsigned"] else (-1 << width >> 1, 1 << width - 1)
    )
    if step_op not in ("+=", "-="):
        return None
    start, step, bound = ((value - low) % (1 << width) + low for value in (start, step, bound))
    step = -step if step_op == "-=" else step
    away = {
        "<": bound - start,
        "<=": bound + 1 - start,
        ">": start - bound,
        ">=": start - bound + 1,
    }
    if test not in away or (step > 0) != test.startswith("<"):
        return None
    tests = max(0, -(-away[test] // abs(step)))
    tests = max(tests, 1) if is_rotated(shape) else tests
    if not low <= start + tests * step < high:
        return None
    return tests if is_rotated(shape) else tests + 1


SMALLER = "({} < {}) ? operand : current"
COMPARED: Mapping[str, str] = {
    "minsi": SMALLER.format("(operand ^ SIGN)", "(current ^ SIGN)"),
    "minui": SMALLER.format("operand", "current"),
    "maxsi": SMALLER.format("(current ^ SIGN)", "(operand ^ SIGN)"),
    "maxui": SMALLER.format("current", "operand"),
}
"""The next total by operator. In these forms a comparison is one carry chain, and enables the
register of the total without a multiplexer. SIGN has the highest bit alone."""
ACCUMULATED = ("addi", "subi", "andi", "ori", "xori", *COMPARED)
"""Operators of one cycle that an accumulator may have, without their dialect."""
TOTAL_NAMES: Mapping[str, str] = {"result": "following", "lhs": "current", "rhs": "operand"}
"""What an accumulator calls the ports of its operator."""
ROWS = {row.name: row for row in INTEGER_OPERATORS}
INITIAL, OPERAND = 1, 2
"""Places among the inputs of an accumulator."""


def accumulated_operator(shape: Shape) -> str:
    """The operator that an accumulator applies, without its dialect."""
    return str(shape.attributes.get("operator", ACCUMULATED[0]))


def accumulated_row(shape: Shape) -> Operator:
    """The row of the operator that an accumulator applies."""
    return ROWS[f"arith.{accumulated_operator(shape)}"]


def accumulated_function(shape: Shape) -> Callable[..., Any]:
    """The next total from a total and an operand."""
    meaning, width = accumulated_row(shape).semantics.meaning, shape.inputs[INITIAL]
    assert meaning is not None
    return meaning(Shape((width, width), (width,)))


def accumulated_text(shape: Shape) -> str:
    """The assignment of `following`, the next total, from `current` and the operand."""
    compared = COMPARED.get(accumulated_operator(shape))
    if compared is not None:
        return f"following = {compared};"
    text = accumulated_row(shape).hardware.verilog_of(shape)
    return re.sub(r"\w+", lambda word: TOTAL_NAMES.get(word[0], word[0]), text)


def accumulate(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Apply the operator to `initial` and an operand for each true of `cond`; a false emits it.

    Rotated: the false comes with the last operand.
    """
    places = [k for k in range(len(shape.inputs)) if k not in shape.constants]
    queues = dict(zip(places, inputs, strict=True))
    conditions, (results,) = queues[0], outputs
    operands = queues.get(OPERAND)
    apply, rotated = accumulated_function(shape), is_rotated(shape)
    while True:
        total = shape.constants.get(INITIAL)
        if total is None:
            while not queues[INITIAL]:
                yield queues[INITIAL]
            total = queues[INITIAL].popleft()
        begun = False
        while True:
            # Rotated both are taken in any case: in a burst that has begun the operand comes first,
            # so that the unit does not seem to be at rest.
            if operands is not None and rotated and begun:
                while not operands:
                    yield operands
            while not conditions:
                yield conditions
            goes_on = conditions.popleft()
            if goes_on or rotated:
                if operands is None:
                    operand = shape.constants[OPERAND]
                else:
                    while not operands:
                        yield operands
                    operand = operands.popleft()
                total = apply(total, operand)
            begun = True
            if not goes_on:
                break
        results.append(total)


def accumulate_rates(shape: Shape) -> str:
    """A result for each false; an operand for each true, rotated for the false too."""
    found = ["result = cond?0"]
    if INITIAL not in shape.constants:
        found.append("cond?0 = initial")
    if OPERAND not in shape.constants:
        found.append(f"operand = cond{'' if is_rotated(shape) else '?1'}")
    return "; ".join(found)


def unfit_accumulator(shape: Shape) -> tuple[str, str] | None:
    """The refusal of an accumulator without data, and of a comparison that has one result."""
    if not shape.inputs[INITIAL]:
        return "an accumulator of tokens without data", "an integer type"
    operator, width = accumulated_operator(shape), shape.inputs[OPERAND]
    flipped = 1 << width >> 1 if operator.endswith("si") else 0
    extreme = shape.constants.get(OPERAND, flipped + 1) ^ flipped in (0, (1 << width) - 1)
    if operator.startswith(("min", "max")) and OPERAND in shape.constants and extreme:
        return "a comparison with a constant at the end of its range", "a token for it"
    return None


DATAFLOW_OPERATORS: tuple[Operator, ...] = (
    Operator(
        "dataflow.carry",
        "Emits a, then a b for each true of d; a false starts the next burst. With lanes so many a "
        "begin a burst and so many falses end it: a b comes back so many tokens later.",
        Signature(
            *parse_ports("d:i1 a:T b:T -> o:T"),
            attributes=("lanes",),
            misfit=unfit_lanes,
            defaults={"lanes": 1},
        ),
        Semantics(process=carry, rates="d?0 = a; b = d?1; o = d", rest="a", leads=True),
        Hardware("primitives/carry", variant=lanes_variant, facts=lanes_facts),
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
        "runs, each index with whether there is another. With lanes each index comes so often, and "
        "a burst takes so many tokens of each input.",
        Signature(
            STREAM_INPUTS,
            STREAM_OUTPUTS,
            attributes=("step_op", "cont_cond", "unsigned", "rotated", "lanes"),
            constants=("start", "step", "bound"),
            arrange=stream_ports,
            misfit=endless_stream,
            choices={"step_op": STEP_OPERATORS, "cont_cond": CONTINUE_CONDITIONS},
            defaults={
                "step_op": "+=",
                "cont_cond": "<",
                "unsigned": False,
                "rotated": False,
                "lanes": 1,
            },
        ),
        Semantics(
            process=stream,
            rates=stream_rates,
            rest="start",
            error=ZERO_STEP,
        ),
        Hardware("primitives/stream", variant=lambda s: stream_variant(s), facts=burst_facts),
    ),
    Operator(
        "dataflow.accumulate",
        "Applies its operator to a total that begins with initial, and an operand for each true of "
        "cond; a false gives the total, rotated after the operand that comes with it.",
        Signature(
            *parse_ports("cond:i1 initial:T operand:T -> result:T"),
            attributes=("operator", "rotated"),
            constants=("initial", "operand"),
            misfit=unfit_accumulator,
            choices={"operator": ACCUMULATED},
            defaults={"operator": ACCUMULATED[0], "rotated": False},
        ),
        Semantics(process=accumulate, rates=accumulate_rates, rest="cond"),
        Hardware(
            "primitives/accumulate",
            accumulated_text,
            variant=lambda s: accumulated_operator(s) + ("_rotated" if is_rotated(s) else ""),
        ),
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
    *COMPARATORS,
    LOAD_STORE_QUEUE,
    Operator(
        "dataflow.broadcast",
        "Puts each token on every output, where the readers take it in the same cycle.",
        Signature(*parse_ports("in:T -> out*:T")),
        Semantics(process=fork, rates="out* == in", rest="in"),
        Hardware("primitives/broadcast"),
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
    ctrl = "_after" if len(shape.inputs) > len(STREAM_INPUTS) else ""
    lanes = "_lanes" if lanes_of(shape) > 1 else ""
    return f"{step}_{test}_{signedness}{'_rotated' if is_rotated(shape) else ''}{ctrl}{lanes}"
