"""Which arrays lie in banks: directives of programs and options become one partition an array.

Before anything else is rewritten, since sizes and names are those of the program then. Which bank
an access goes to is found in `assign_banks`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from math import prod

from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from loom.analysis.program.calls import callee_of, calls_in
from loom.dialects.facts.argument_names import argument_names
from loom.dialects.facts.arrays import (
    MEMORY,
    ORDER,
    ORDERS,
    PORTS,
    Array,
    arguments_said,
    arrays_of,
)
from loom.dialects.facts.instances import PREFIX
from loom.dialects.facts.layouts import layout_of, row_major
from loom.dialects.facts.places import place_of
from loom.dialects.operators.partitions import (
    DIRECTIVES,
    MOST_BANKS,
    Axis,
    Partition,
    parse_directive,
)
from loom.dialects.ops.partition_attribute import PARTITION, PartitionAttr
from loom.errors import LoomError, Place, raise_all
from loom.lower.options import Options

ORDER_OPTION = "--array-order"


def partition_arrays(module: ModuleOp, options: Options) -> None:
    """Arrays in banks say so by the typed attribute ``loom.partition``, and no others.

    Refused (LOWER_ARRAY): arrays that there are not, partitions that do not fit an array.
    """
    everywhere, called = list(arrays_of(module)), {callee_of(call) for call in calls_in(module)}
    arrays = [array for array in everywhere if not is_passed(array, called)]
    raise_all([*unknown(arrays, options), *misplaced(everywhere, module, called)])
    problems: list[LoomError] = []
    partitioned: list[Array] = []
    for array in arrays:
        try:
            partition = partition_of_array(array, options)
        except LoomError as problem:
            problems.append(problem)
            continue
        if array.said(PARTITION) is not None:
            array.say(PARTITION, None)
        if partition is not None and partition.banks > 1:
            array.say(PARTITION, PartitionAttr(partition.simplified()))
            partitioned.append(array)
        for name, count in options.ports:
            if name == array.name and array.argument is None:
                array.say(PORTS, IntegerAttr(count, 64))
        for name, order in options.array_orders:
            if name == array.name:
                array.say(ORDER, StringAttr(order))
    raise_all(problems + same_names(arrays, partitioned))


def is_passed(array: Array, called: Collection[str]) -> bool:
    """True of an argument of a function that is called: the array is made elsewhere."""
    return isinstance(array.maker, FuncOp) and array.maker.sym_name.data in called


def unknown(arrays: Sequence[Array], options: Options) -> Iterator[LoomError]:
    """Options for arrays that there are not, and for ports that an array has not."""
    names = list(dict.fromkeys(array.name for array in arrays if array.name))
    listed = ", ".join(names) or "no array: the program has none"
    for name, _ in options.partitions:
        if name not in names:
            yield LoomError("LOWER_ARRAY", Place("--partition"), f"the array {name!r}", listed)
    for name, count in Counter(name for name, _ in options.array_orders).items():
        if count > 1:
            what = f"the array {name!r} twice"
            yield LoomError("LOWER_ARRAY", Place(ORDER_OPTION), what, "one order an array")
    for name, order in options.array_orders:
        if name not in names:
            yield LoomError("LOWER_ARRAY", Place(ORDER_OPTION), f"the array {name!r}", listed)
        elif order not in ORDERS:
            what = f"the order {order!r} of {name!r}"
            yield LoomError("LOWER_ARRAY", Place(ORDER_OPTION), what, ", ".join(ORDERS))
    inside = [array.name for array in arrays if array.argument is None]
    for name, count in options.ports:
        if name not in names:
            yield LoomError("LOWER_ARRAY", Place("--ports"), f"the array {name!r}", listed)
        elif name not in inside:
            what = f"{count} ports of the argument {name!r}"
            accepted = "arrays inside; --partition gives an argument more ports"
            yield LoomError("LOWER_ARRAY", Place("--ports"), what, accepted)
        elif count not in (1, 2):
            yield LoomError("LOWER_ARRAY", Place("--ports"), f"{count} ports of {name!r}", "1 or 2")


def misplaced(
    arrays: Sequence[Array], module: ModuleOp, called: Collection[str]
) -> Iterator[LoomError]:
    """Arguments say how arrays are partitioned, but not those of functions that are called.

    The arrays of those are made elsewhere.
    """
    for function in (op for op in module.walk() if isinstance(op, FuncOp)):
        yield from not_of_arrays(function)
    for array in arrays:
        order = array.said(ORDER)
        if order is not None and not (isinstance(order, StringAttr) and order.data in ORDERS):
            what = f"{ORDER} = {order} of the array {array.name}"
            yield LoomError("LOWER_ARRAY", array.place, what, ", ".join(ORDERS))
        if array.argument is None:
            continue
        for said in (PARTITION, ORDER):
            if array.said(said) is not None and is_passed(array, called):
                what = f"{said} of the argument {array.name} of a function that is called"
                yield LoomError("LOWER_ARRAY", array.place, what, "it where the array is made")
        if array.said(PORTS) is not None:
            what = f"{PORTS} of the argument {array.name}"
            yield LoomError("LOWER_ARRAY", array.place, what, f"{PARTITION} of arguments")


def not_of_arrays(function: FuncOp) -> Iterator[LoomError]:
    """Attributes ``loom.*`` of arguments that LOOM does not know, or knows of arrays alone."""
    names = argument_names(function)
    for argument, given in zip(function.args, arguments_said(function), strict=True):
        for said in given.data:
            is_known = said in (PARTITION, PORTS, MEMORY, ORDER)
            what = f"{said} of the argument {names[argument.index]}"
            if said.startswith(PREFIX) and not is_known:
                accepted = f"{PARTITION}, {MEMORY} and {ORDER} of arguments"
                yield LoomError("LOWER_ARRAY", place_of(function), what, accepted)
            elif is_known and not isinstance(argument.type, MemRefType):
                what = f"{what}, which is {argument.type}"
                yield LoomError("LOWER_ARRAY", place_of(function), what, "it of arrays")


def same_names(arrays: Sequence[Array], partitioned: Sequence[Array]) -> list[LoomError]:
    """Arguments called like a bank of another one."""
    found: list[LoomError] = []
    for array in partitioned:
        if array.argument is None:
            continue
        for other in arrays:
            if other.maker is array.maker and re.fullmatch(
                rf"{re.escape(array.name)}_\d+", other.name
            ):
                what = f"an argument {other.name} beside the banks of {array.name}"
                found.append(
                    LoomError("LOWER_ARRAY", array.place, what, "another name for one of them")
                )
    return found


def partition_of_array(array: Array, options: Options) -> Partition | None:
    """How an array is partitioned; an option speaks instead of the program. None if it is not."""
    texts = [text for name, text in options.partitions if name == array.name]
    place = Place("--partition") if texts else array.place
    said = array.said(PARTITION)
    if not texts and said is None:
        return None
    if not texts and isinstance(said, PartitionAttr) and said.data.depth == elements_of(array):
        return said.data
    if not texts and not isinstance(said, StringAttr):
        raise LoomError("LOWER_ARRAY", place, f"{PARTITION} = {said}", f'"{DIRECTIVES}"')
    if not texts:
        assert isinstance(said, StringAttr)
        texts = said.data.split() or [said.data]
    sizes = array.type.get_shape()
    layout = layout_of(array.type)
    if layout is None or layout.offset != 0 or tuple(layout.strides) != row_major(sizes):
        what = f"a partition of {array.name or 'an array'}, a {array.type}"
        raise LoomError("LOWER_ARRAY", place, what, "arrays without a layout of their own")
    axes = [Axis(size) for size in sizes]
    for text in texts:
        number, axis = partition_dimension(text, sizes, place)
        if axes[number].scheme:
            what = f"two partitions of dimension {number} of {array.name or 'an array'}"
            raise LoomError("LOWER_ARRAY", place, what, "one for each dimension")
        axes[number] = axis
    found = Partition(tuple(axes))
    if found.banks > MOST_BANKS:
        what = f"{found.banks} banks of {array.name or 'an array'}"
        raise LoomError("LOWER_ARRAY", place, what, f"up to {MOST_BANKS}")
    return found


def elements_of(array: Array) -> int:
    """The number of elements of an array [elements]."""
    return prod(array.type.get_shape())


def partition_dimension(text: str, sizes: Sequence[int], place: Place) -> tuple[int, Axis]:
    """The dimension that a directive such as ``cyclic:4:1`` names, partitioned by it."""
    directive = parse_directive(text)
    if directive is None:
        raise LoomError("LOWER_ARRAY", place, f"the partition {text!r}", DIRECTIVES)
    number = directive.dimension
    if number >= len(sizes):
        what = f"dimension {number} of an array of {len(sizes)}"
        raise LoomError("LOWER_ARRAY", place, what, f"dimensions 0 to {len(sizes) - 1}")
    size = sizes[number]
    axis = directive.axis_of(size)
    if axis is None:
        what = f"the partition {text!r} of a dimension of {size}"
        accepted = f"1 to {size} banks, as in {directive.scheme}:{size}"
        raise LoomError("LOWER_ARRAY", place, what, accepted)
    return number, axis
