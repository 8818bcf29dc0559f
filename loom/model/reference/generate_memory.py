"""Python text for memrefs: arrays, views of them, and accesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType
from xdsl.ir import Operation, SSAValue

from loom.dialects.facts.assertions import serves_assertions
from loom.dialects.facts.layouts import extent, rows
from loom.dialects.facts.places import place_of
from loom.dialects.floats.attributes import words_of
from loom.errors import LoomError
from loom.model.reference.generator import FunctionWriter, Handler, Program
from loom.model.reference.layout import buffer_layout
from loom.model.reference.views import View, is_literal

WORDS_PER_OPERATION = 64
"""Words of a new array that cost the budget as much as one operation [words]."""


def memref_type(value: SSAValue, op: Operation) -> MemRefType:
    """The value's type, refused if it is not a ranked memref."""
    if not isinstance(value.type, MemRefType):
        raise LoomError("REF_UNSUPPORTED", place_of(op), f"{value.type}", "ranked memrefs")
    return value.type


def fresh_view(type_: MemRefType, words: str, key: str, op: Operation, unset: bool) -> View:
    """The view of a whole buffer; the layout is static."""
    layout = buffer_layout(type_, place_of(op))
    strides = tuple(str(stride) for stride in layout.strides)
    return View(words, key, extent(layout), layout.sizes, str(layout.offset), strides, unset)


def allocate(writer: FunctionWriter, op: Operation) -> None:
    """A fresh array whose elements are not yet written."""
    result = op.results[0]
    type_ = memref_type(result, op)
    words = writer.program.fresh("w")
    label = result.name_hint or f"array at {place_of(op)}"
    view = fresh_view(type_, words, f"(path, {writer.program.site(label)})", op, True)
    writer.views[result] = view
    assert view.extent is not None
    writer.scope.cost += 1 + view.extent // WORDS_PER_OPERATION
    writer.line(f"{words} = [None] * {view.extent}")


def ignore(writer: FunctionWriter, op: Operation) -> None:
    """Nothing happens: an array's life ends with its function at the latest."""


def declare_global(program: Program, op: memref.GlobalOp) -> None:
    """The global array exists, with its initial words, for every run."""
    name, initial, type_ = op.sym_name.data, op.initial_value, op.type
    words = program.fresh("g")
    unset = not isinstance(initial, DenseIntOrFPElementsAttr)
    view = fresh_view(type_, words, f"((), {program.site(name)})", op, unset)
    assert view.extent is not None
    contents: list[int | None] = [None] * view.extent
    if isinstance(initial, DenseIntOrFPElementsAttr):
        given = iter(words_of(initial, program.width(type_.element_type, op)))
        for row in rows(buffer_layout(type_, place_of(op))):
            contents[row.start : row.stop : row.step] = islice(given, len(row))
    program.globals[name] = replace(view, constant=op.constant is not None)
    program.bound[words] = contents


def get_global(writer: FunctionWriter, op: Operation) -> None:
    """The result is the whole global array."""
    assert isinstance(op, memref.GetGlobalOp)
    found = writer.program.globals.get(op.name_.string_value())
    if found is None:
        raise LoomError("REF_UNSUPPORTED", place_of(op), f"{op.name_}", "globals of the module")
    writer.views[op.results[0]] = found


def load(writer: FunctionWriter, op: Operation) -> None:
    """The result is the element, which must have been written."""
    assert isinstance(op, memref.LoadOp)
    indices = [writer.value(index) for index in op.indices]
    check_indices(writer, op, writer.views[op.memref], op.indices, indices)
    read(writer, op, writer.views[op.memref], indices)


def store(writer: FunctionWriter, op: Operation) -> None:
    """The element has the value."""
    assert isinstance(op, memref.StoreOp)
    indices = [writer.value(index) for index in op.indices]
    check_indices(writer, op, writer.views[op.memref], op.indices, indices)
    write(writer, op, writer.views[op.memref], indices, op.value)


def check_indices(
    writer: FunctionWriter,
    op: Operation,
    view: View,
    values: Sequence[SSAValue],
    indices: Sequence[str],
) -> None:
    """The text stops at an index outside its dimension; indices are unsigned bit patterns."""
    tests = []
    for value, index, size in zip(values, indices, view.sizes, strict=True):
        low, high = writer.bounded.get(value, (0, size + 1))
        if is_literal(index):
            low, high = int(index), int(index) + 1
        if low < 0 or high > size:
            tests.append(f"{index} >= {size}")
    if tests:
        number = writer.program.faults.number(op)
        shown = ", ".join(writer.signed(value, op) for value in values)
        writer.line(f"if {' or '.join(tests)}: bounds({number}, {view.sizes}, ({shown},))")


def read(writer: FunctionWriter, op: Operation, view: View, indices: Sequence[str]) -> None:
    """The result of `op` is the word at `indices`, which are known to be inside."""
    name = writer.define(op.results[0])
    writer.line(f"{name} = {view.words}[{view.address(indices)}]")
    if view.unset:
        writer.line(f"if {name} is None: unset({writer.program.faults.number(op)})")
    writer.scope.cost += 1
    if not serves_assertions(op):
        writer.accesses.append((view.key, writer.scope.count, 1, 0))


def write(
    writer: FunctionWriter, op: Operation, view: View, indices: Sequence[str], value: SSAValue
) -> None:
    """The word at `indices`, which are known to be inside, has the value."""
    write_text(writer, op, view, indices, writer.value(value))


def write_text(
    writer: FunctionWriter, op: Operation, view: View, indices: Sequence[str], text: str
) -> None:
    """The word at `indices`, which are known to be inside, has the expression's value."""
    refuse_constant(op, view)
    writer.line(f"{view.words}[{view.address(indices)}] = {text}")
    writer.scope.cost += 1
    writer.accesses.append((view.key, writer.scope.count, 0, 1))


def refuse_constant(op: Operation, view: View) -> None:
    """Return if the array below may be written."""
    if view.constant:
        raise LoomError(
            "REF_UNDEFINED", place_of(op), "a write to a constant global", "writes to others"
        )


def copy(writer: FunctionWriter, op: Operation) -> None:
    """Every element of the destination has the value of the source, written or not."""
    assert isinstance(op, memref.CopyOp)
    source, target = writer.views[op.source], writer.views[op.destination]
    refuse_constant(op, target)
    if source.sizes != target.sizes:
        raise LoomError("REF_SHAPE", place_of(op), "a copy between shapes", "equal shapes")
    count = 1
    for size in source.sizes:
        count *= size
    positions = [
        f"positions({view.offset}, {view.sizes}, ({''.join(s + ', ' for s in view.strides)}))"
        for view in (source, target)
    ]
    # All is read before anything is written, so that overlapping views have one meaning.
    words = writer.program.fresh("w")
    writer.line(f"{words} = [{source.words}[p] for p in {positions[0]}]")
    place = writer.program.fresh("p")
    writer.line(f"for {place}, {target.words}[{place}] in zip({positions[1]}, {words}): pass")
    writer.scope.cost += count
    writer.accesses.append((source.key, writer.scope.count, count, 0))
    writer.accesses.append((target.key, writer.scope.count, 0, count))


def dimension(writer: FunctionWriter, op: Operation) -> None:
    """The result is the size of the dimension that the index names."""
    assert isinstance(op, memref.DimOp)
    sizes, index = writer.views[op.source].sizes, writer.value(op.index)
    number = writer.program.faults.number(op)
    writer.scope.cost += 1
    if not is_literal(index) or int(index) >= len(sizes):
        writer.line(f"if {index} >= {len(sizes)}: illegal({number}, 'no such dimension')")
    name = writer.define(op.result)
    writer.line(f"{name} = {sizes}[{index}]")


MEMORY_HANDLERS: dict[type[Operation], Handler] = {
    memref.AllocOp: allocate,
    memref.AllocaOp: allocate,
    memref.DeallocOp: ignore,
    memref.GetGlobalOp: get_global,
    memref.LoadOp: load,
    memref.StoreOp: store,
    memref.CopyOp: copy,
    memref.DimOp: dimension,
}
