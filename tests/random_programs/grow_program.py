"""A whole program from a seed."""

from __future__ import annotations

from random import Random

from tests.random_programs.grow_expressions import grow_value
from tests.random_programs.grow_statements import grow_block
from tests.random_programs.scope import Growth, Scope, draw_profile, index_width_of
from tests.random_programs.tree import Function, Global, Memory, Program, Ref, Result, Scalar

MOST_RESULTS = 5
"""Named values that a function gives besides others."""


def grow_program(seed: int) -> Program:
    """The program of this seed, always the same."""
    random = Random(seed)
    profile = draw_profile(random, index_width_of(seed))
    it = Growth(random, profile, profile.statements)
    memories = [Memory(f"m{k}", it.shape(), it.type()) for k in range(random.choice((0, 1, 1, 2)))]
    globals_ = grow_globals(it) if it.likely(0.1) else ()
    for number in range(random.choice((0, 0, 0, 0, 0, 1, 2))):
        it.left = random.choice((1, 2, 4))
        it.functions.append(grow_function(it, f"h{number}", memories, globals_, 1, 8))
    it.left = profile.statements
    top = grow_function(it, "f", memories, globals_, 0, 1)
    return Program(tuple(globals_), tuple(it.functions), top)


def grow_globals(it: Growth) -> tuple[Global, ...]:
    """One memory of the module or two."""
    found: list[Global] = []
    for number in range(it.random.choice((1, 2))):
        memory = Memory(f"g{number}", it.shape(), it.type())
        words = tuple(it.random.randint(-4, 9) for _ in range(64))
        found.append(Global(memory, it.likely(0.5), words))
    return tuple(found)


def grow_function(
    it: Growth,
    name: str,
    memories: list[Memory],
    globals_: tuple[Global, ...],
    depth: int,
    turns: int,
) -> Function:
    """A function of these memories and some scalars."""
    scalars = [Scalar(f"a{k}", it.type()) for k in range(it.random.choice((0, 1, 2, 3)))]
    parameters: list[Scalar | Memory] = [*scalars, *memories]
    it.random.shuffle(parameters)
    scope = Scope([(s.name, s.type) for s in scalars], [*memories, *(g.memory for g in globals_)])
    body = grow_block(it, scope, depth, turns)
    # What nothing shows nobody checks: most programs give what they have named.
    shown = [pair for pair in scope.values if it.likely(0.4)][-MOST_RESULTS:]
    results = (
        *(Result(type_, grow_value(it, scope, type_, 1)) for type_ in it.types()),
        *(Result(type_, Ref(name)) for name, type_ in shown),
    )
    return Function(name, tuple(parameters), body, results)
