"""The text of statements: regions with what they take, carry and give."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from tests.random_programs.operators import width_of
from tests.random_programs.print_expressions import address_list, masked, natural, value
from tests.random_programs.printing import Place, Text, Value, constant, together
from tests.random_programs.tree import (
    Call,
    Carried,
    Const,
    Expr,
    For,
    If,
    Let,
    Local,
    Scalar,
    Statement,
    Store,
    Type,
    View,
    While,
)
from tests.random_programs.views import print_view

MOST_STORES = 8
"""A memory of more words is filled by a loop [words]."""


def print_block(text: Text, block: Sequence[Statement]) -> None:
    """The statements in order; what they name is in scope."""
    for statement in block:
        match statement:
            case Let(name, expr):
                text.values[name] = natural(text, expr)
            case Store():
                print_store(text, statement)
            case Local():
                print_local(text, statement)
            case View():
                print_view(text, statement)
            case If():
                print_if(text, statement)
            case For():
                print_for(text, statement)
            case While():
                print_while(text, statement)
            case Call():
                print_call(text, statement)


def print_store(text: Text, store: Store) -> None:
    """A store; nothing into memories that are not there or constant."""
    place = text.places.get(store.memory)
    if place is None or place.constant:
        return
    listed = address_list(text, place, store.addresses)
    word = value(text, store.value, place.memory.type)
    text.line(f"memref.store {word}, {place.text}[{listed}] : {place.type}")


def print_local(text: Text, local: Local) -> None:
    """A memory inside the circuit with all its words set."""
    place = Place(text.fresh(), local.memory)
    text.line(f"{place.text} = memref.{'alloca' if local.on_stack else 'alloc'}() : {place.type}")
    word = value(text, local.fill, local.memory.type)
    shape = local.memory.shape
    if len(shape) == 1 and shape[0] > MOST_STORES:
        low, high, step = (constant(text, "index", k).text for k in (0, shape[0], 1))
        variable = text.fresh()
        text.line(f"scf.for {variable} = {low} to {high} step {step} {{")
        text.line(f"  memref.store {word}, {place.text}[{variable}] : {place.type}")
        text.line("}")
    else:
        for position in product(*map(range, shape)):
            listed = ", ".join(constant(text, "index", k).text for k in position)
            text.line(f"memref.store {word}, {place.text}[{listed}] : {place.type}")
    text.places[local.memory.name] = place


def leave(text: Text, keyword: str, values: Sequence[tuple[Expr, Type]]) -> None:
    """A terminator with these values; none is written for none."""
    names = [value(text, expr, type_) for expr, type_ in values]
    if names:
        text.line(f"{keyword}{together(names, [type_ for _, type_ in values])}")


def bind(text: Text, names: Sequence[str], texts: Sequence[str], types: Sequence[Type]) -> None:
    """The names are in scope."""
    for name, held, type_ in zip(names, texts, types, strict=True):
        text.values[name] = Value(held, type_)


def print_if(text: Text, branch: If) -> None:
    """The branch; the else side is written where there are results."""
    test = value(text, branch.test, "i1")
    types = [choice.type for choice in branch.choices]
    left, names = text.head(len(types))
    arrow = f" -> ({', '.join(types)})" if types else ""
    text.line(f"{left}scf.if {test}{arrow} {{")
    with text.region():
        print_block(text, branch.then)
        leave(text, "scf.yield", [(choice.then, choice.type) for choice in branch.choices])
    if types or branch.otherwise is not None:
        text.line("} else {")
        with text.region():
            print_block(text, branch.otherwise or ())
            leave(text, "scf.yield", [(choice.otherwise, choice.type) for choice in branch.choices])
    text.line("}")
    bind(text, [choice.name for choice in branch.choices], names, types)


def bounded(text: Text, expr: Expr, type_: Type, most: int, offset: int = 0) -> str:
    """`offset` plus the expression from 0 to `most`, which is one less than a power of two."""
    if isinstance(expr, Const):
        return constant(text, type_, min(abs(expr.value), most) + offset).text
    held = masked(text, value(text, expr, type_), type_, most)
    if not offset:
        return held
    base = constant(text, type_, offset)
    return text.let(f"arith.addi {held}, {base.text} : {type_}", type_).text


def roomy(type_: Type, most: int) -> Type:
    """The type if it can count to `most` in steps of 2 and beyond, else one that can."""
    return type_ if width_of(type_) >= most.bit_length() + 3 else "i8"


def begin(text: Text, carried: Sequence[Carried]) -> tuple[list[str], list[str], str]:
    """Names inside, types, and the text that pairs them with their first values."""
    types = [one.type for one in carried]
    starts = [value(text, one.start, one.type) for one in carried]
    inner = [text.fresh() for _ in carried]
    pairs = ", ".join(f"{name} = {start}" for name, start in zip(inner, starts, strict=True))
    return inner, types, pairs


def print_for(text: Text, loop: For) -> None:
    """The loop; its variable is known to stay below the highest bound."""
    type_ = roomy(loop.type, loop.most)
    offset = max(0, loop.base) if loop.unsigned else loop.base
    low = bounded(text, loop.lower, type_, loop.most, offset)
    high = bounded(text, loop.upper, type_, loop.most, offset)
    if isinstance(loop.step, Const):
        step = constant(text, type_, max(1, min(2, loop.step.value))).text
    else:
        one = constant(text, type_, 1).text
        bit = masked(text, value(text, loop.step, type_), type_, 1)
        step = text.let(f"arith.addi {bit}, {one} : {type_}", type_).text
    inner, types, pairs = begin(text, loop.carried)
    variable = text.fresh()
    left, names = text.head(len(types))
    arguments = f" iter_args({pairs}) -> ({', '.join(types)})" if types else ""
    word = "unsigned " if loop.unsigned else ""
    kind = "" if type_ == "index" else f" : {type_}"
    text.line(f"{left}scf.for {word}{variable} = {low} to {high} step {step}{arguments}{kind} {{")
    with text.region():
        text.values[loop.variable] = Value(variable, type_, None if offset else loop.most)
        bind(text, [one.inner for one in loop.carried], inner, types)
        print_block(text, loop.body)
        leave(text, "scf.yield", [(one.next, one.type) for one in loop.carried])
    text.line("}")
    bind(text, [one.outer for one in loop.carried], names, types)


def print_while(text: Text, loop: While) -> None:
    """The loop with its counter in front of what it carries and passes on."""
    type_ = roomy(loop.type, loop.most)
    fuel = bounded(text, loop.fuel, type_, loop.most)
    zero, one = (constant(text, type_, k).text for k in (0, 1))
    inner, types, pairs = begin(text, loop.carried)
    count, passed_types = text.fresh(), [type_, *(one.type for one in loop.passed)]
    pairs = ", ".join([f"{count} = {zero}", *([pairs] if pairs else [])])
    left, names = text.head(len(passed_types))
    signature = f"({', '.join([type_, *types])}) -> ({', '.join(passed_types)})"
    text.line(f"{left}scf.while ({pairs}) : {signature} {{")
    with text.region():
        bind(text, [one.inner for one in loop.carried], inner, types)
        print_block(text, loop.before)
        if loop.counts_first:
            count = text.let(f"arith.addi {count}, {one} : {type_}", type_).text
        predicate = "ule" if loop.counts_first else "ult"
        test = text.let(f"arith.cmpi {predicate}, {count}, {fuel} : {type_}", "i1").text
        if loop.test is not None:
            too = value(text, loop.test, "i1")
            test = text.let(f"arith.andi {test}, {too} : i1", "i1").text
        values = [count, *(value(text, one.value, one.type) for one in loop.passed)]
        text.line(f"scf.condition({test}){together(values, passed_types)}")
    text.line("} do {")
    with text.region():
        arguments = [text.fresh() for _ in passed_types]
        listed = zip(arguments, passed_types, strict=True)
        text.line(f"^bb0({', '.join(f'{name}: {kind}' for name, kind in listed)}):")
        bind(text, [one.inner for one in loop.passed], arguments[1:], passed_types[1:])
        print_block(text, loop.after)
        count = arguments[0]
        if not loop.counts_first:
            count = text.let(f"arith.addi {count}, {one} : {type_}", type_).text
        back = [count, *(value(text, one.next, one.type) for one in loop.carried)]
        text.line(f"scf.yield{together(back, [type_, *types])}")
    text.line("}")
    bind(text, [one.outer for one in loop.passed], names[1:], passed_types[1:])


def print_call(text: Text, call: Call) -> None:
    """The call, if there is such a function and a memory for each that it wants."""
    function = text.functions.get(call.function)
    if function is None:
        return
    scalars, memories = list(call.scalars), list(call.memories)
    wanted = [p for p in function.parameters if not isinstance(p, Scalar)]
    places = [text.places.get(name) for name in memories[: len(wanted)]]
    fits = [
        place is not None
        and not place.constant
        and not place.layout
        and (place.memory.shape, place.memory.type) == (memory.shape, memory.type)
        for place, memory in zip(places, wanted, strict=False)
    ]
    if len(fits) < len(wanted) or not all(fits):
        return
    operands: list[str] = []
    types: list[str] = []
    for parameter in function.parameters:
        if isinstance(parameter, Scalar):
            given = scalars.pop(0) if scalars else Const(parameter.type, 0)
            operands.append(value(text, given, parameter.type))
            types.append(parameter.type)
        else:
            place = text.places[memories.pop(0)]
            operands.append(place.text)
            types.append(place.type)
    outputs = [result.type for result in function.results]
    left, names = text.head(len(outputs))
    arrow = f"({', '.join(types)}) -> ({', '.join(outputs)})"
    text.line(f"{left}func.call @{call.function}({', '.join(operands)}) : {arrow}")
    count = min(len(names), len(call.results))
    bind(text, call.results[:count], names[:count], outputs[:count])
