"""Random statements; regions draw from what is left to spend."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.random_programs.grow_expressions import (
    grow_addresses,
    grow_computed,
    grow_load,
    grow_value,
)
from tests.random_programs.scope import Growth, Scope
from tests.random_programs.tree import (
    Call,
    Carried,
    Choice,
    Const,
    Expr,
    For,
    If,
    Let,
    Local,
    Memory,
    Passed,
    Ref,
    Scalar,
    Statement,
    Store,
    Type,
    View,
    While,
)
from tests.random_programs.views import KINDS, viewed

Block = tuple[Statement, ...]
MOST = (1, 1, 3, 3, 3, 7)
"""Highest bounds of loops, one less than a power of two."""


def grow_block(it: Growth, scope: Scope, depth: int, turns: int) -> Block:
    """Some statements at this depth, inside loops that turn up to `turns` times together."""
    found: list[Statement] = []
    count = it.random.randint(0 if depth else 2, 3 if depth else it.left)
    for _ in range(count):
        if it.left <= 0:
            break
        it.left -= 1
        if depth < it.profile.depth and it.likely(it.profile.nested):
            kind: Callable[..., Statement] = it.random.choice(
                (grow_if, grow_if, grow_for, grow_for, grow_while)
            )
            found.append(kind(it, scope, depth, turns))
        else:
            found += grow_plain(it, scope)
    return tuple(found)


def grow_plain(it: Growth, scope: Scope) -> list[Statement]:
    """An access, a call, a new memory or view, or a value."""
    if scope.memories and it.likely(it.profile.touching):
        # The first memory more often: accesses of one memory have an order to keep.
        memory = scope.memories[0] if it.likely(0.5) else it.random.choice(scope.memories)
        if it.likely(0.5):
            value = grow_value(it, scope, memory.type)
            return [Store(memory.name, grow_addresses(it, scope, memory, 1), value)]
        return [let(it, scope, memory.type, grow_load(it, scope, memory, 1))]
    dice = it.random.random()
    if it.functions and dice < 0.15:
        return [grow_call(it, scope)]
    if dice < 0.18:
        return [grow_local(it, scope)]
    if scope.memories and dice < 0.24:
        return [grow_view(it, scope)]
    type_ = it.type()
    return [let(it, scope, type_, grow_computed(it, scope, type_))]


def let(it: Growth, scope: Scope, type_: Type, value: Expr) -> Let:
    """The value has a name in scope."""
    name = it.name()
    scope.values.append((name, type_))
    return Let(name, value)


def grow_local(it: Growth, scope: Scope) -> Local:
    """A memory of this place."""
    memory = Memory(it.name("l"), it.shape(), it.type())
    fill = grow_value(it, scope, memory.type)
    scope.memories.append(memory)
    return Local(memory, it.likely(0.5), fill)


def grow_view(it: Growth, scope: Scope) -> Statement:
    """Another name for a memory; a value if none has a view."""
    found = [
        (memory, kind, shape)
        for memory in scope.memories
        for kind in KINDS
        if (shape := viewed(kind, memory.shape)) is not None
    ]
    if not found:
        return let(it, scope, "i8", grow_computed(it, scope, "i8"))
    memory, kind, shape = it.random.choice(found)
    view = Memory(it.name("w"), shape, memory.type)
    offset = grow_value(it, scope, "index", 1)
    scope.memories.append(view)
    return View(view.name, memory.name, kind, offset)


def grow_call(it: Growth, scope: Scope) -> Statement:
    """A call with memories of the right shape, the same one twice where there is only one."""
    function = it.random.choice(it.functions)
    scalars = [p for p in function.parameters if isinstance(p, Scalar)]
    chosen: list[str] = []
    for wanted in (p for p in function.parameters if isinstance(p, Memory)):
        fitting = [m for m in scope.memories if (m.shape, m.type) == (wanted.shape, wanted.type)]
        if not fitting:
            return let(it, scope, "i8", grow_value(it, scope, "i8"))
        chosen.append(it.random.choice(fitting).name)
    given = tuple(grow_value(it, scope, scalar.type) for scalar in scalars)
    results = tuple(it.name() for _ in function.results)
    pairs = zip(results, function.results, strict=True)
    scope.values += [(name, result.type) for name, result in pairs]
    return Call(function.name, given, tuple(chosen), results)


def grow_if(it: Growth, scope: Scope, depth: int, turns: int) -> If:
    """A branch; its test is rarely a constant."""
    test = grow_value(it, scope, "i1")
    types = it.types()
    inner, other = scope.inside(), scope.inside()
    then = grow_block(it, inner, depth + 1, turns)
    otherwise = grow_block(it, other, depth + 1, turns) if types or it.likely(0.5) else None
    names = [it.name() for _ in types]
    choices = tuple(
        Choice(name, type_, grow_value(it, inner, type_, 1), grow_value(it, other, type_, 1))
        for name, type_ in zip(names, types, strict=True)
    )
    scope.values += zip(names, types, strict=True)
    return If(test, then, otherwise, choices)


def draw_most(it: Growth, turns: int) -> int:
    """The highest bound of a loop that all loops around leave room for."""
    fitting = [most for most in MOST if most * turns <= it.profile.turns]
    return it.random.choice(fitting or (1,))


def grow_bound(it: Growth, scope: Scope, type_: Type, most: int) -> Expr:
    """A bound: a constant in range, or something that the printer masks."""
    if it.likely(0.4):
        return Const(type_, it.random.randint(0, most))
    return grow_value(it, scope, type_)


def starts(it: Growth, scope: Scope, types: Sequence[Type]) -> list[tuple[str, str, Type, Expr]]:
    """Names inside and outside, type and first value of what a loop carries."""
    return [(it.name(), it.name(), type_, grow_value(it, scope, type_, 1)) for type_ in types]


def closed(
    it: Growth, inner: Scope, begun: Sequence[tuple[str, str, Type, Expr]]
) -> tuple[Carried, ...]:
    """What the loop carries, with the next values: new ones, or the carried ones moved on."""
    moved = it.likely(0.3)
    found: list[Carried] = []
    for k, (name, outer, type_, start) in enumerate(begun):
        other = begun[(k + 1) % len(begun)][0]
        following = Ref(other) if moved else grow_value(it, inner, type_)
        found.append(Carried(name, outer, type_, start, following))
    return tuple(found)


def grow_for(it: Growth, scope: Scope, depth: int, turns: int) -> For:
    """A counted loop, sometimes one that never runs."""
    type_, most = it.random.choice(it.profile.counters), draw_most(it, turns)
    lower: Expr = Const(type_, 0) if it.likely(0.5) else grow_bound(it, scope, type_, most)
    upper = grow_bound(it, scope, type_, most)
    if it.likely(it.profile.empty):
        upper = Const(type_, 0)
    step: Expr = Const(type_, it.random.choice((1, 1, 1, 2)))
    if it.likely(0.2):
        step = grow_value(it, scope, type_)
    begun = starts(it, scope, it.types())
    inner, variable = scope.inside(), it.name("i")
    inner.values += [(name, kind) for name, _, kind, _ in begun]
    inner.values.append((variable, type_))
    body = grow_block(it, inner, depth + 1, turns * most)
    carried = closed(it, inner, begun)
    scope.values += [(one.outer, one.type) for one in carried]
    unsigned = it.likely(0.3)
    base = it.random.choice((0, 0, 0, -2, -2, *edges(type_, most, unsigned)))
    return For(variable, type_, unsigned, base, most, lower, upper, step, carried, body)


def edges(type_: Type, most: int, unsigned: bool) -> tuple[int, ...]:
    """Bases from which bounds lie around the sign's border, or end at the largest number."""
    if type_ == "index":
        return ()
    border = 1 << (int(type_[1:]) - 1)
    if not unsigned:
        return (border - 1 - most,)
    return border - 1, border - 1, 2 * border - 1 - most


def grow_while(it: Growth, scope: Scope, depth: int, turns: int) -> While:
    """A loop with work before its condition, after it, or both."""
    type_, most = it.random.choice(it.profile.counters), draw_most(it, turns)
    fuel = grow_bound(it, scope, type_, most)
    begun = starts(it, scope, it.types())
    first = scope.inside()
    first.values += [(name, kind) for name, _, kind, _ in begun]
    before = grow_block(it, first, depth + 1, turns * (most + 1)) if it.likely(0.6) else ()
    test = grow_value(it, first, "i1") if it.likely(0.3) else None
    passed = tuple(
        Passed(it.name(), it.name(), kind, grow_value(it, first, kind, 1)) for kind in it.types()
    )
    second = scope.inside()
    second.values += [(one.inner, one.type) for one in passed]
    after = grow_block(it, second, depth + 1, turns * most) if it.likely(0.7) else ()
    carried = closed_after(it, second, begun, passed)
    scope.values += [(one.outer, one.type) for one in passed]
    counts_first = it.likely(0.4)
    return While(type_, most, fuel, test, counts_first, carried, passed, before, after)


def closed_after(
    it: Growth,
    inner: Scope,
    begun: Sequence[tuple[str, str, Type, Expr]],
    passed: Sequence[Passed],
) -> tuple[Carried, ...]:
    """What a while loop carries: often what it has passed on, in another order."""
    moved = bool(passed) and it.likely(0.4)
    found: list[Carried] = []
    for k, (name, outer, type_, start) in enumerate(begun):
        other = passed[(k + 1) % len(passed)].inner if moved else ""
        following = Ref(other) if moved else grow_value(it, inner, type_)
        found.append(Carried(name, outer, type_, start, following))
    return tuple(found)
