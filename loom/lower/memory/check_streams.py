"""Refuse arrays that are to be streams and are not accessed in order.

A stream has each element once, from element 0 to the last. So an array is one if a single access
goes to it, in nothing but counted loops with constant bounds, whose address is the number of the
iteration in row-major order. Requests of one access leave in the order of the program, whatever
waits: the circuit then asks for the elements in this order too.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import BlockArgument

from loom.analysis.program.memory_accesses import Access, Accesses, Loop
from loom.dialects.facts.argument_names import argument_names
from loom.dialects.facts.arrays import MEMORY, arrays_of
from loom.dialects.facts.memory_choices import MemoryChoice, parse_memory
from loom.dialects.facts.places import place_of
from loom.errors import LoomError, Place, raise_all
from loom.lower.options import Options

AccessOp = memref.LoadOp | memref.StoreOp
KIND = "channel"
"""The memory of a stream of which nothing is said."""
ACCEPTED = "a single access that takes each element once, from element 0 to the last"


def choose_streams(module: ModuleOp, options: Options) -> None:
    """Arguments that are streams are memories behind channels, if nothing else is said.

    Refused (LOWER_ARRAY): names of no argument, memories that are none behind channels.
    """
    called = {op.callee.root_reference.data for op in module.walk() if isinstance(op, CallOp)}
    outside = [
        array
        for array in arrays_of(module)
        if isinstance(array.maker, FuncOp) and array.maker.sym_name.data not in called
    ]
    listed = ", ".join(array.name for array in outside) or "no array: no argument is one"
    known = {array.name for array in outside}
    for name in options.streams if options.streams != "all" else ():
        if name not in known:
            what = f"the stream {name!r}"
            raise LoomError("LOWER_ARRAY", Place("streams"), what, f"arguments: {listed}")
    chosen = dict(options.memories)
    for array in outside:
        said = array.said(MEMORY)
        text = chosen.get(array.name, said.data if isinstance(said, StringAttr) else KIND)
        memory = parse_memory(text)
        if not options.is_stream(array.name) or not isinstance(memory, MemoryChoice):
            continue
        if not memory.kind.answers:
            what = f"the stream {array.name} as the memory {memory}"
            raise LoomError("LOWER_ARRAY", array.place, what, f"{KIND}, or nothing, for a stream")
        array.say(MEMORY, StringAttr(text))


def check_streams(module: ModuleOp, options: Options) -> None:
    """Each array of `options.streams` is accessed in order (LOWER_STREAM says what is not)."""
    if not options.streams:
        return
    problems: list[LoomError] = []
    for function in module.ops:
        if isinstance(function, FuncOp):
            accesses = Accesses(function, options.index_width)
            for name, argument in zip(argument_names(function), function.args, strict=True):
                if isinstance(argument.type, MemRefType) and options.is_stream(name):
                    problems += order_problems(accesses, function, argument, name)
    raise_all(problems)


def order_problems(
    accesses: Accesses, function: FuncOp, array: BlockArgument, name: str
) -> Iterator[LoomError]:
    """Why the array, whose name is given, is not accessed in order; nothing if it is."""
    assert isinstance(array.type, MemRefType)
    found = [op for op in function.walk() if isinstance(op, AccessOp) and op.memref is array]
    if not found:
        yield LoomError("LOWER_STREAM", place_of(function), f"no access to {name}", ACCEPTED)
        return
    first, *others = found
    for other in others:
        what = f"a second {verb_of(other)} of {name}"
        if verb_of(other) != verb_of(first):
            what = f"a {verb_of(other)} of {name} beside a {verb_of(first)}"
        yield LoomError("LOWER_STREAM", place_of(other), what, ACCEPTED)
        return
    (size,) = array.type.get_shape()
    access = accesses.access_of(first)
    assert access is not None
    if said := disorder(access, first, size):
        what = f"a {verb_of(first)} of {name} {said}"
        yield LoomError("LOWER_STREAM", place_of(first), what, ACCEPTED)


def verb_of(operation: AccessOp) -> str:
    """What the access is called."""
    return "read" if isinstance(operation, memref.LoadOp) else "write"


def disorder(access: Access, operation: AccessOp, size: int) -> str:
    """How the access leaves the order of an array of so many elements; empty if it does not."""
    holder = operation.parent_op()
    while not isinstance(holder, FuncOp):
        if isinstance(holder, scf.IfOp):
            return f"under the condition at line {place_of(holder).line}"
        assert holder is not None
        holder = holder.parent_op()
    trips: list[int] = []
    for loop in access.loops:
        trip = constant_trip(loop)
        if trip is None:
            return f"in the loop at line {line_of(loop)}, whose trip count is not constant"
        trips.append(trip)
    terms = access.address.terms
    if terms.keys() - {loop.iteration for loop in access.loops}:
        return "at an address that is not affine in its loops"
    if access.address.constant:
        return f"that begins at element {access.address.constant}"
    step = 1
    for loop, trip in reversed(list(zip(access.loops, trips, strict=True))):
        assert loop.iteration is not None
        factor = terms.get(loop.iteration, 0)
        if trip != 1 and factor != step:
            return (
                f"that goes on by {factor} elements in each iteration of the loop at line "
                f"{line_of(loop)}, not by {step}"
            )
        step *= trip
    return "" if step == size else f"of {step} elements of {size}"


def constant_trip(loop: Loop) -> int | None:
    """How often a loop runs, None where that is not constant."""
    if loop.bounds is None:
        return None
    span = loop.bounds.upper.plus(loop.bounds.lower, -1)
    return None if span.terms else max(0, -(-span.constant // loop.bounds.step))


def line_of(loop: Loop) -> int | None:
    """The line of a loop."""
    return place_of(loop.operation).line
