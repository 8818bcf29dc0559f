"""The text of expressions, each operand brought to the type and range it needs."""

from __future__ import annotations

from tests.random_programs.operators import DIVISIONS, FORMS, SHIFTS, Form, cast_fits, width_of
from tests.random_programs.printing import Place, Text, Value, constant
from tests.random_programs.tree import Cast, Const, Expr, Load, Op, Ref, Type


def value(text: Text, expr: Expr, type_: Type) -> str:
    """What the expression is called, under this type."""
    if isinstance(expr, Const):
        return constant(text, type_, expr.value).text
    return coerced(text, natural(text, expr), type_).text


def natural(text: Text, expr: Expr) -> Value:
    """The expression under its own type."""
    match expr:
        case Const(type_, number):
            return constant(text, type_, number)
        case Ref(name):
            return text.values.get(name) or constant(text, "i8", 0)
        case Op():
            return operation(text, expr)
        case Cast(operator, source, type_, operand):
            held = value(text, operand, source)
            if not cast_fits(operator, source, type_):
                return coerced(text, Value(held, source), type_)
            return text.let(f"{operator} {held} : {source} to {type_}", type_)
        case Load(memory, addresses):
            place = text.places.get(memory)
            if place is None:
                return constant(text, "i8", 0)
            listed = address_list(text, place, addresses)
            return text.let(f"memref.load {place.text}[{listed}] : {place.type}", place.memory.type)


def coerced(text: Text, held: Value, type_: Type) -> Value:
    """The value under another type: zeros on top, or the low bits."""
    if held.type == type_:
        return held
    if "index" in (held.type, type_):
        name = "index_castui" if type_ == "index" else "index_cast"
        return text.let(f"arith.{name} {held.text} : {held.type} to {type_}", type_, held.below)
    name = "extui" if width_of(held.type) < width_of(type_) else "trunci"
    return text.let(f"arith.{name} {held.text} : {held.type} to {type_}", type_)


def operation(text: Text, op: Op) -> Value:
    """A pure operator's result, its second operand kept where the operator is defined."""
    form = FORMS[op.operator]
    type_ = "index" if form.index_only else op.type
    if type_ == "index" and not form.on_index:
        type_ = "i32"
    types = [type_ if port == "T" else port for port in form.inputs]
    operands: list[str] = []
    for number, (operand, wanted) in enumerate(zip(op.operands, types, strict=True)):
        if number == 1 and form.row.semantics.undefined in SHIFTS:
            operands.append(shift_amount(text, operand, wanted))
        elif number == 1 and form.row.semantics.undefined in DIVISIONS:
            operands.append(divisor(text, operand, wanted))
        else:
            operands.append(value(text, operand, wanted))
    return written(text, form, op, operands, type_)


def written(text: Text, form: Form, op: Op, operands: list[str], type_: Type) -> Value:
    """The operation's line, in the custom form where all of a kind have the same."""
    listed = ", ".join(operands)
    if form.predicates:
        if form.index_only:
            return text.let(f"{form.name} {op.predicate}({listed})", "i1")
        return text.let(f"{form.name} {op.predicate}, {listed} : {type_}", "i1")
    results = [type_ if port == "T" else port for port in form.outputs]
    if len(results) == 1 and results[0] == type_:
        return text.let(f"{form.name} {listed}{'' if form.index_only else f' : {type_}'}", type_)
    left, names = text.head(len(results))
    inputs = [type_ if port == "T" else port for port in form.inputs]
    signature = f"({', '.join(inputs)}) -> ({', '.join(results)})"
    text.line(f'{left}"{form.name}"({listed}) : {signature}')
    return Value(names[op.result % len(names)], results[op.result % len(names)])


def shift_amount(text: Text, expr: Expr, type_: Type) -> str:
    """An amount below the width."""
    width = width_of(type_)
    if isinstance(expr, Const):
        return constant(text, type_, expr.value % width).text
    mask = (1 << (width.bit_length() - 1)) - 1
    return masked(text, value(text, expr, type_), type_, mask)


def divisor(text: Text, expr: Expr, type_: Type) -> str:
    """A divisor that is neither 0 nor -1: even, with the second bit set."""
    width = width_of(type_)
    if width == 1:
        return constant(text, type_, 1).text
    if isinstance(expr, Const):
        word = expr.value % (1 << width)
        return constant(text, type_, 1 if word in (0, (1 << width) - 1) else word).text
    even = masked(text, value(text, expr, type_), type_, -2)
    two = constant(text, type_, 2)
    return text.let(f"arith.ori {even}, {two.text} : {type_}", type_).text


def masked(text: Text, name: str, type_: Type, mask: int) -> str:
    """The value's bits that the mask has too."""
    if type_ == "i1" and mask & 1:
        return name
    limit = constant(text, type_, mask)
    return text.let(f"arith.andi {name}, {limit.text} : {type_}", type_).text


def address_list(text: Text, place: Place, addresses: tuple[Expr, ...]) -> str:
    """An index for every dimension, in range; missing ones are 0."""
    given = (*addresses, *(Const("index", 0) for _ in place.memory.shape))
    pairs = zip(given, place.memory.shape, strict=False)
    return ", ".join(address(text, expr, size) for expr, size in pairs)


def address(text: Text, expr: Expr, size: int) -> str:
    """The expression as an index from 0 to below `size`."""
    if isinstance(expr, Const) or size == 1:
        return constant(text, "index", expr.value % size if isinstance(expr, Const) else 0).text
    held = natural(text, expr)
    if held.below is None or held.below > size:
        held = Value(small(text, held, size), held.type)
    return coerced(text, held, "index").text


def small(text: Text, held: Value, size: int) -> str:
    """The value below `size`: by a mask for powers of two, else the largest for what is beyond."""
    if held.type != "index" and 1 << width_of(held.type) <= size:
        return held.text
    if size & (size - 1) == 0:
        return masked(text, held.text, held.type, size - 1)
    limit = constant(text, held.type, size - 1)
    return text.let(f"arith.minui {held.text}, {limit.text} : {held.type}", held.type).text
