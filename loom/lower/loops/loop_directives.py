"""Loop directives: options become attributes of loops, and each attribute is checked."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from loom.dialects.facts.instances import PREFIX
from loom.dialects.facts.loop_attributes import (
    ACCESSES,
    DIRECTIVES,
    FULL,
    HINT,
    II,
    INTERLEAVE,
    LOOPS,
    MEMORY_ORDER,
    OF_FUNCTIONS,
    OF_LOOP,
    STYLE,
    UNROLL,
)
from loom.dialects.facts.places import place_of
from loom.errors import LoomError, Place, raise_all
from loom.lower.options import Options

MAX_FACTOR = 1 << 63
"""More than an index counts."""


def apply_unroll_options(module: ModuleOp, options: Options) -> None:
    """Loops at the lines that `options.unroll` names have the attribute.

    Refused (LOWER_LOOP): lines without a loop, and numbers of iterations that no index counts.
    """
    loops = [op for op in module.walk() if isinstance(op, LOOPS)] if options.unroll else []
    for line, factor in options.unroll:
        here = [loop for loop in loops if place_of(loop).line == line]
        if not here:
            lines = sorted({place_of(loop).line for loop in loops})
            accepted = f"the line of a loop: {', '.join(map(str, lines))}" if lines else "loops"
            what = f"no loop at line {line}"
            raise LoomError("LOWER_LOOP", Place("--unroll"), what, accepted)
        if factor is not None and not 0 < factor < MAX_FACTOR:
            what, accepted = f"an unroll factor of {factor}", "factors from 1 to 2^63 - 1"
            raise LoomError("LOWER_LOOP", Place("--unroll"), what, accepted)
        for loop in here:
            UNROLL.put(loop, FULL if factor is None else factor)


ARRAYS = (memref.AllocOp, memref.AllocaOp, memref.GlobalOp)


def check_loop_directives(module: ModuleOp, options: Options) -> None:
    """Every directive stands on a loop and has a value that is accepted (LOWER_LOOP)."""
    raise_all([problem for op in module.walk() for problem in find_directive_errors(op)])


def drop_directives(module: ModuleOp, options: Options) -> None:
    """No loop has a directive any more but `INTERLEAVE`, which is followed later, and its hint, and
    the II of static loops, which their schedules are checked for."""
    for op in module.walk():
        kept: tuple[object, ...] = (INTERLEAVE, HINT) if INTERLEAVE.is_on(op) else ()
        if II.is_on(op) and is_in_static_loop(op):
            kept = (*kept, II, HINT)
        for directive in DIRECTIVES:
            if directive not in kept:
                directive.drop(op)


def is_in_static_loop(op: Operation) -> bool:
    """Whether a loop, or one around it, has the style static."""
    holder: Operation | None = op
    while holder is not None:
        if isinstance(holder, LOOPS) and STYLE.of(holder) == "static":
            return True
        holder = holder.parent_op()
    return False


def find_directive_errors(op: Operation) -> Iterator[LoomError]:
    """The errors in the loop or function directives of an operation."""
    known = {directive.name: directive for directive in DIRECTIVES}
    for name, attribute in op.attributes.items():
        if not name.startswith(PREFIX):
            continue
        what = f"{name} = {attribute} of {op.name}"
        directive = known.get(name)
        of_function = next((each for each in OF_FUNCTIONS if each.name == name), None)
        if of_function is not None:
            if of_function is MEMORY_ORDER and isinstance(op, ARRAYS):
                continue  # of the array: `partition_arrays` has checked it
            if of_function is MEMORY_ORDER and isinstance(op, ACCESSES):
                if not MEMORY_ORDER.accepts(attribute):
                    accepted = f"{name} of an access, {MEMORY_ORDER.values}"
                    yield LoomError("LOWER_LOOP", place_of(op), what, accepted)
                continue
            if of_function is STYLE and isinstance(op, LOOPS):
                if STYLE.of(op) not in OF_LOOP:
                    accepted = f'{name} of a loop, "static" or "dynamic"'
                    yield LoomError("LOWER_LOOP", place_of(op), what, accepted)
            elif not (isinstance(op, FuncOp) and of_function.accepts(attribute)):
                owner = "a function, an array, a load or a store"
                if of_function is STYLE:
                    owner = "a function"
                accepted = f"{name} of {owner}, {of_function.values}"
                yield LoomError("LOWER_LOOP", place_of(op), what, accepted)
        elif directive is None:
            if isinstance(op, LOOPS):
                accepted = f"{', '.join(known)} there"
                yield LoomError("LOWER_LOOP", place_of(op), what, accepted)
        elif not isinstance(op, LOOPS):
            accepted = f"{name} of {', '.join(loop.name for loop in LOOPS)}"
            yield LoomError("LOWER_LOOP", place_of(op), what, accepted)
        elif not directive.accepts(attribute):
            yield LoomError("LOWER_LOOP", place_of(op), what, f"{name} with {directive.values}")
