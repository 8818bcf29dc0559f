"""Which memory each argument is: options and programs say one choice an array.

An argument that says nothing is a RAM that answers in the next cycle. The choice is checked here,
where names are still those of the program; the memory's unit gets it with its interface.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp

from loom.dialects.facts.arrays import MEMORY, Array, arrays_of
from loom.dialects.facts.memory_choices import FORMS, MemoryChoice, parse_memory
from loom.dialects.operators.memories import pack_misfit
from loom.dialects.ops.partition_attribute import PARTITION
from loom.dialects.ops.types import width_of
from loom.errors import LoomError, Place, raise_all
from loom.lower.options import Options

OPTION = "--memory"
ALL_OTHERS = "*"
"""Instead of a name: every argument of which neither an option nor the program says anything."""


def choose_memories(module: ModuleOp, options: Options) -> None:
    """Arguments that are not a RAM of latency 1 say so by the attribute ``loom.memory``.

    Refused (LOWER_ARRAY): arrays that there are not or that are inside, memories that there are
    not, banks behind a channel. Partitions are typed by now.
    """
    arrays = list(arrays_of(module))
    called = {op.callee.root_reference.data for op in module.walk() if isinstance(op, CallOp)}
    raise_all(list(unknown(arrays, options)))
    problems: list[LoomError] = []
    for array in arrays:
        try:
            choice = memory_of_array(array, options, called)
        except LoomError as problem:
            problems.append(problem)
            continue
        if array.said(MEMORY) is not None:
            array.say(MEMORY, None)
        if choice is not None and not choice.is_usual:
            array.say(MEMORY, StringAttr(str(choice)))
    raise_all(problems)


def unknown(arrays: Sequence[Array], options: Options) -> Iterator[LoomError]:
    """Options for arrays that are no arguments, or for one twice."""
    outside = [array.name for array in arrays if array.argument is not None]
    listed = ", ".join(dict.fromkeys(outside)) or "no array: no argument is one"
    place = Place(OPTION)
    inside = {array.name for array in arrays if array.argument is None}
    for name, count in Counter(name for name, _ in options.memories).items():
        if name not in (*outside, ALL_OTHERS):
            what = f"the array {name!r}" + ", which is inside" * (name in inside)
            yield LoomError("LOWER_ARRAY", place, what, f"arguments: {listed}")
        elif count > 1:
            yield LoomError(
                "LOWER_ARRAY", place, f"the array {name!r} twice", "one memory an array"
            )


def memory_of_array(array: Array, options: Options, called: set[str]) -> MemoryChoice | None:
    """The memory of an array; an option speaks instead of the program. None where nothing does."""
    said, given = array.said(MEMORY), dict(options.memories)
    text = given.get(array.name)
    if array.argument is None:
        if said is not None:
            what = f"{MEMORY} of {array.name or 'an array'}, which is inside"
            raise LoomError("LOWER_ARRAY", array.place, what, f"{MEMORY} of arguments")
        return None
    if said is not None and not isinstance(said, StringAttr):
        raise LoomError("LOWER_ARRAY", array.place, f"{MEMORY} = {said}", f'"{FORMS}"')
    function = array.maker.attributes.get("sym_name") or array.maker.properties.get("sym_name")
    is_called = isinstance(function, StringAttr) and function.data in called
    if said is not None and is_called:
        what = f"{MEMORY} of the argument {array.name} of a function that is called"
        raise LoomError("LOWER_ARRAY", array.place, what, "it of the circuit's own arguments")
    if text is None and said is None and not is_called:
        text = given.get(ALL_OTHERS)
    place = array.place if text is None else Place(OPTION)
    if text is None:
        if said is None:
            return None
        text = said.data
    found = parse_memory(text)
    if not isinstance(found, MemoryChoice):
        what, accepted = found
        raise LoomError("LOWER_ARRAY", place, f"{what}, of {array.name}", accepted)
    if array.said(PARTITION) is not None and not found.kind.may_have_banks:
        what = f"a partition of {array.name}, which is {found}"
        raise LoomError("LOWER_ARRAY", place, what, "one of both")
    width = width_of(array.type.element_type, options.index_width)
    misfit = pack_misfit(found.said.get("pack", 0), width)
    if misfit is not None:
        raise LoomError("LOWER_ARRAY", place, f"{misfit[0]}, of {array.name}", misfit[1])
    return found
