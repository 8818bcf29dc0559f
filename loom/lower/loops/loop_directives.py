"""Loop directives: options become attributes of loops, and each attribute is checked."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from loom.dialects.facts.instances import PREFIX
from loom.dialects.facts.loop_attributes import FULL, LOOP_ATTRIBUTES, LOOPS, MEMORY_ORDER, UNROLL
from loom.dialects.facts.places import place_of
from loom.errors import LoomError, Place, raise_all
from loom.lower.options import Options

ORDERS = (StringAttr("serial"), StringAttr("auto"))
"""Values of `MEMORY_ORDER`."""

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
            loop.attributes[UNROLL] = (
                StringAttr(FULL) if factor is None else IntegerAttr(factor, 64)
            )


def check_loop_directives(module: ModuleOp, options: Options) -> None:
    """Every directive stands on a loop and has a value that is accepted (LOWER_LOOP)."""
    raise_all([problem for op in module.walk() for problem in find_directive_errors(op)])


def drop_directives(module: ModuleOp, options: Options) -> None:
    """No loop has a directive any more."""
    for op in module.walk():
        for name in LOOP_ATTRIBUTES:
            op.attributes.pop(name, None)


def find_directive_errors(op: Operation) -> Iterator[LoomError]:
    """The errors in the loop or function directives of an operation."""
    order = op.attributes.get(MEMORY_ORDER)
    if order is not None and not (isinstance(op, FuncOp) and order in ORDERS):
        what = f"{MEMORY_ORDER} = {order} of {op.name}"
        accepted = f"{MEMORY_ORDER} of a function, {' or '.join(map(str, ORDERS))}"
        yield LoomError("LOWER_LOOP", place_of(op), what, accepted)
    for name, attribute in op.attributes.items():
        what = f"{name} = {attribute} of {op.name}"
        if name not in LOOP_ATTRIBUTES:
            if isinstance(op, LOOPS) and name.startswith(PREFIX) and name != MEMORY_ORDER:
                accepted = f"{', '.join(LOOP_ATTRIBUTES)} there"
                yield LoomError("LOWER_LOOP", place_of(op), what, accepted)
            continue
        is_value, values = LOOP_ATTRIBUTES[name]
        if not isinstance(op, LOOPS):
            accepted = f"{name} of {', '.join(loop.name for loop in LOOPS)}"
            yield LoomError("LOWER_LOOP", place_of(op), what, accepted)
        elif not is_value(attribute):
            yield LoomError("LOWER_LOOP", place_of(op), what, f"{name} with {values}")
