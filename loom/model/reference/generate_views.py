"""Python text for operations that look at a memref another way; no word moves.

Every view is checked where it is made, so that an index inside its shape never leaves the buffer.
This is worked out here once more, apart from the lowering's own way, so that each checks the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from loom.dialects.facts.layouts import row_major
from loom.dialects.facts.places import place_of
from loom.errors import LoomError
from loom.model.reference.generate_memory import memref_type
from loom.model.reference.generator import FunctionWriter, Handler
from loom.model.reference.layout import layout_of
from loom.model.reference.views import View, is_literal, product_of


def mixed(
    writer: FunctionWriter, op: Operation, static: Sequence[int], dynamic: Sequence[SSAValue]
) -> list[str]:
    """Numbers of which some are attributes and the others operands, as signed expressions."""
    operands: Iterator[SSAValue] = iter(dynamic)
    return [
        writer.signed(next(operands), op) if number == DYNAMIC_INDEX else str(number)
        for number in static
    ]


def named(writer: FunctionWriter, text: str) -> str:
    """The expression as a literal or a variable of the text."""
    if is_literal(text) or text.isidentifier():
        return text
    name = writer.program.fresh("o")
    writer.line(f"{name} = {text}")
    return name


def sum_of(terms: Sequence[str]) -> str:
    """An expression of the sum, literals folded."""
    constant = sum(int(term) for term in terms if is_literal(term))
    others = [term for term in terms if not is_literal(term)]
    return " + ".join([*others, str(constant)] if constant or not others else others)


def static_sizes(op: Operation, result: SSAValue) -> tuple[int, ...]:
    """The result's shape, refused if it is not static."""
    return layout_of(memref_type(result, op), place_of(op)).sizes


def subview(writer: FunctionWriter, op: Operation) -> None:
    """The result is a part of the source, which must lie inside it."""
    assert isinstance(op, memref.SubviewOp)
    source = writer.views[op.source]
    offsets = mixed(writer, op, op.static_offsets.get_values(), op.offsets)
    strides = mixed(writer, op, op.static_strides.get_values(), op.strides)
    sizes = op.static_sizes.get_values()
    offsets, strides = ([named(writer, text) for text in texts] for texts in (offsets, strides))
    wanted = static_sizes(op, op.result)
    if DYNAMIC_INDEX in sizes:
        raise LoomError("REF_SHAPE", place_of(op), "a subview of dynamic size", "static sizes")
    check_part(writer, op, source, offsets, sizes, strides)
    steps = [product_of(*pair) for pair in zip(source.strides, strides, strict=True)]
    terms = [product_of(*pair) for pair in zip(offsets, source.strides, strict=True)]
    kept = kept_dimensions(sizes, wanted)
    writer.views[op.result] = replace(
        source,
        sizes=wanted,
        offset=named(writer, sum_of([source.offset, *terms])),
        strides=tuple(named(writer, steps[axis]) for axis in kept),
    )
    writer.scope.cost += 1


def kept_dimensions(sizes: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """The source dimensions that stay when dimensions of size 1 are dropped.

    Which of several dimensions of size 1 is dropped makes no difference: their index is 0.
    """
    kept: list[int] = []
    for axis, size in enumerate(sizes):
        if len(kept) < len(wanted) and size == wanted[len(kept)]:
            kept.append(axis)
    return kept


def check_part(
    writer: FunctionWriter,
    op: Operation,
    source: View,
    offsets: Sequence[str],
    sizes: Sequence[int],
    strides: Sequence[str],
) -> None:
    """The text stops if the part leaves the source in one of its dimensions."""
    if 0 in sizes:
        return
    number = writer.program.faults.number(op)
    for offset, size, stride, whole in zip(offsets, sizes, strides, source.sizes, strict=True):
        last = sum_of([offset, product_of(stride, str(size - 1))])
        tests = [
            f"not 0 <= {text} < {whole}"
            for text in (offset, last)
            if not (is_literal(text) and 0 <= int(text) < whole)
        ]
        if tests:
            writer.line(f"if {' or '.join(tests)}: bounds({number}, ({whole},), ({last},))")


def reinterpret(writer: FunctionWriter, op: Operation) -> None:
    """The result counts from the buffer's start, not from the source's offset."""
    assert isinstance(op, memref.ReinterpretCastOp)
    source = writer.views[op.source]
    (offset,) = mixed(writer, op, op.static_offsets.get_values(), op.offsets)
    strides = mixed(writer, op, op.static_strides.get_values(), op.strides)
    view = replace(
        source,
        sizes=static_sizes(op, op.result),
        offset=named(writer, offset),
        strides=tuple(named(writer, stride) for stride in strides),
    )
    writer.views[op.result] = view
    writer.scope.cost += 1
    if view.stays_inside():
        return
    number = writer.program.faults.number(op)
    reach = [product_of(s, str(n - 1)) for s, n in zip(view.strides, view.sizes, strict=True)]
    # The lowest and the highest address are a sum of each dimension's own extremes.
    low = " + ".join([view.offset, *(f"min({text}, 0)" for text in reach)])
    high = " + ".join([view.offset, *(f"max({text}, 0)" for text in reach)])
    for text, test in ((low, "{} < 0"), (high, f"{{}} >= len({view.words})")):
        name = named(writer, text)
        writer.line(f"if {test.format(name)}: address({number}, {name}, len({view.words}))")


def cast(writer: FunctionWriter, op: Operation) -> None:
    """The result is the source; what the new type claims to know must hold."""
    (operand,), (result,) = op.operands, op.results
    source = writer.views[operand]
    layout = layout_of(memref_type(result, op), place_of(op))
    writer.views[result] = source
    if layout.sizes != source.sizes:
        raise LoomError("REF_SHAPE", place_of(op), "a cast between shapes", "equal shapes")
    claims = zip((layout.offset, *layout.strides), (source.offset, *source.strides), strict=True)
    tests = [f"{text} != {claim}" for claim, text in claims if claim is not None]
    if tests:
        number = writer.program.faults.number(op)
        writer.line(f"if {' or '.join(tests)}: illegal({number}, 'a layout that does not hold')")


def groups_of(op: Operation) -> list[list[int]]:
    """The dimensions that belong together, one list for each dimension of the smaller rank."""
    reassociation = op.properties["reassociation"]
    assert isinstance(reassociation, ArrayAttr)
    groups: list[list[int]] = []
    for group in reassociation.data:
        assert isinstance(group, ArrayAttr)
        groups.append([int(n.value.data) for n in group.data if isinstance(n, IntegerAttr)])
    return groups


def expand(writer: FunctionWriter, op: Operation) -> None:
    """The result splits dimensions of the source, the last part fastest."""
    assert isinstance(op, memref.ExpandShapeOp)
    source, sizes = writer.views[op.src], static_sizes(op, op.result)
    strides = ["1"] * len(sizes)
    for group, stride in zip(groups_of(op), source.strides, strict=False):
        inner = row_major(tuple(sizes[axis] for axis in group))
        for axis, step in zip(group, inner, strict=True):
            strides[axis] = named(writer, product_of(stride, str(step)))
    writer.views[op.result] = replace(source, sizes=sizes, strides=tuple(strides))


def collapse(writer: FunctionWriter, op: Operation) -> None:
    """The result joins dimensions of the source that lie without gaps."""
    assert isinstance(op, memref.CollapseShapeOp)
    source, sizes = writer.views[op.src], static_sizes(op, op.result)
    number = writer.program.faults.number(op)
    strides: list[str] = []
    for group in groups_of(op):
        real = [axis for axis in group if source.sizes[axis] != 1] or group[-1:]
        strides.append(source.strides[real[-1]])
        for outer, inner in pairwise(real):
            dense = product_of(source.strides[inner], str(source.sizes[inner]))
            if dense != source.strides[outer]:
                writer.line(f"if {source.strides[outer]} != {dense}: illegal({number}, {GAPS!r})")
    writer.views[op.result] = replace(source, sizes=sizes, strides=tuple(strides))


GAPS = "a collapse of dimensions with gaps between"
VIEW_HANDLERS: dict[type[Operation], Handler] = {
    memref.SubviewOp: subview,
    memref.ReinterpretCastOp: reinterpret,
    memref.CastOp: cast,
    memref.MemorySpaceCastOp: cast,
    memref.ExpandShapeOp: expand,
    memref.CollapseShapeOp: collapse,
}
