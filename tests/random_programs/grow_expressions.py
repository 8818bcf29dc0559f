"""Random expressions over the names in scope."""

from __future__ import annotations

from tests.random_programs.operators import CASTS, OPERATIONS, cast_fits, width_of
from tests.random_programs.scope import Growth, Scope
from tests.random_programs.tree import Cast, Const, Expr, Load, Memory, Op, Ref, Type

RECENT = 5
"""Values that are picked more often: the last ones named."""


def grow_value(it: Growth, scope: Scope, type_: Type, depth: int = 0) -> Expr:
    """A value meant to have the type: a name, an operation, a cast, a load or a constant."""
    dice = it.random.random()
    if dice < 0.12:
        return grow_constant(it, type_)
    if depth < 2:
        if dice < 0.3 - 0.1 * depth:
            return grow_operation(it, scope, type_, depth + 1)
        if dice < 0.36:
            return grow_cast(it, scope, type_, depth + 1)
        if dice < 0.36 + it.profile.loads and scope.memories:
            return grow_load(it, scope, it.random.choice(scope.memories), depth + 1)
    return grow_reference(it, scope, type_)


def grow_computed(it: Growth, scope: Scope, type_: Type) -> Expr:
    """A value that is worth a name: mostly an operation."""
    dice = it.random.random()
    if dice < 0.75:
        return grow_operation(it, scope, type_, 1)
    return grow_cast(it, scope, type_, 1) if dice < 0.9 else grow_value(it, scope, type_)


def grow_reference(it: Growth, scope: Scope, type_: Type) -> Expr:
    """A name in scope, rather one of the type and rather a recent one, or a constant."""
    same = [name for name, held in scope.values if held == type_]
    names = same if same and it.likely(0.8) else [name for name, _ in scope.values]
    if not names:
        return grow_constant(it, type_)
    return Ref(it.random.choice(names[-RECENT:] if it.likely(0.6) else names))


def grow_constant(it: Growth, type_: Type) -> Const:
    """Mostly small, sometimes at the borders of the type or anything."""
    width = width_of(type_)
    edges = (1 << (width - 1), (1 << (width - 1)) - 1, (1 << width) - 1)
    dice = it.random.random()
    if type_ == "index" or dice < 0.7:
        return Const(type_, it.random.randint(-3, 6))
    return Const(type_, it.random.choice(edges) if dice < 0.85 else it.random.getrandbits(width))


def grow_operation(it: Growth, scope: Scope, type_: Type, depth: int) -> Expr:
    """One of the program's operators; for i1 often a comparison."""
    name = it.random.choice(it.profile.operators)
    if type_ == "i1" and it.likely(0.6):
        name, type_ = "arith.cmpi", it.type()
    form = OPERATIONS[name]
    if form.index_only:
        type_ = "index"
    types = [type_ if port == "T" else port for port in form.inputs]
    operands = tuple(grow_value(it, scope, wanted, depth) for wanted in types)
    predicate = it.random.choice(form.predicates) if form.predicates else ""
    return Op(name, type_, operands, predicate, it.random.randrange(len(form.outputs)))


def grow_cast(it: Growth, scope: Scope, type_: Type, depth: int) -> Expr:
    """A cast from another of the program's types; a plain value if none leads to this type."""
    source = it.type()
    fitting = [name for name in CASTS if cast_fits(name, source, type_)]
    operand = grow_value(it, scope, source, depth)
    return Cast(it.random.choice(fitting), source, type_, operand) if fitting else operand


def grow_load(it: Growth, scope: Scope, memory: Memory, depth: int) -> Expr:
    """A load at addresses that depend on data."""
    return Load(memory.name, grow_addresses(it, scope, memory, depth))


def grow_addresses(it: Growth, scope: Scope, memory: Memory, depth: int) -> tuple[Expr, ...]:
    """An address for every dimension, often the same small ones so that they collide."""
    found: list[Expr] = []
    for _ in memory.shape:
        dice = it.random.random()
        if dice < 0.3:
            found.append(Const("index", it.random.randrange(2)))
        else:
            found.append(grow_value(it, scope, "index" if dice < 0.6 else it.type(), depth))
    return tuple(found)
