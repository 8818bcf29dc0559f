"""Every memory becomes one-dimensional, every access a linear address; views are folded."""

from __future__ import annotations

from itertools import islice
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FunctionType,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from loom.analysis.program.affine_forms import Forms
from loom.dialects.facts.arrays import ARRAY_NAME, said_name
from loom.dialects.facts.instances import hardware_of
from loom.dialects.facts.layouts import (
    Layout,
    View,
    extent,
    layout_of,
    row_major,
    rows,
    source_of,
    viewed,
)
from loom.dialects.facts.loop_attributes import MEMORY_ORDER
from loom.dialects.floats.attributes import dense_of, elements_of
from loom.dialects.ops.order import PlaceOp
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, Number, constant_of, replace

Memory = tuple[SSAValue, Layout[Number]]
"""The flat memory behind a memref, and where its elements lie in it."""


def flatten_memrefs(module: ModuleOp, options: Options) -> None:
    """Memories are ``memref<Nxi32>`` without layout and stand at the start of the function.

    N is the extent of the memory's layout, offset and gaps included. Views are folded into the
    addresses. Loads and stores have one index.
    """
    for op in list(module.body.block.ops):
        if isinstance(op, memref.GlobalOp):
            flatten_global(op)
        elif isinstance(op, FuncOp):
            Flattening(op, options).run()


def flat_type(type_: MemRefType) -> MemRefType:
    """The one-dimensional array that holds a memory of this type."""
    layout = layout_of(type_)
    assert layout is not None
    return MemRefType(type_.element_type, [extent(layout)])


def root_layout(type_: MemRefType) -> Layout[Number]:
    """The layout of a memory, which the reader has found static."""
    layout = layout_of(type_)
    assert layout is not None and layout.offset is not None
    offset: Number = layout.offset
    strides: tuple[Number, ...] = tuple(stride or 0 for stride in layout.strides)
    return Layout(layout.sizes, offset, strides)


def flatten_global(op: memref.GlobalOp) -> None:
    """The initial elements stand where the layout puts them, zeros in the gaps."""
    type_ = op.properties["type"]
    assert isinstance(type_, MemRefType)
    layout, flat = layout_of(type_), flat_type(type_)
    assert layout is not None
    op.properties["type"] = flat
    op.properties.pop("alignment", None)
    value = op.initial_value
    if not isinstance(value, DenseIntOrFPElementsAttr):
        return
    tensor = TensorType(value.get_element_type(), flat.get_shape())
    if layout.offset == 0 and layout.strides == row_major(layout.sizes):
        op.properties["initial_value"] = DenseIntOrFPElementsAttr(tensor, value.data)
        return
    elements, given = [0] * extent(layout), iter(elements_of(value))
    for row in rows(layout):
        elements[row.start : row.stop : row.step] = islice(given, len(row))
    op.properties["initial_value"] = dense_of(tensor, elements)


class Flattening:
    """The rewrite of one function."""

    def __init__(self, function: FuncOp, options: Options) -> None:
        self.function = function
        self.forms = Forms(options.index_width)
        self.auto = options.memory_order != "serial"
        self.memories: dict[SSAValue, Memory] = {}
        self.globals: dict[str, SSAValue] = {}
        self.roots: list[Operation] = []
        self.old: list[Operation] = []

    def run(self) -> None:
        """Rewrite the function."""
        block = self.function.body.block
        operations = list(self.function.walk())
        self.flatten_arguments(block)
        for op in operations:
            self.flatten(op)
        first = block.first_op
        assert first is not None
        for root in self.roots:
            block.insert_op_before(root, first)
        for op in reversed(self.old):
            op.detach()
            op.erase()

    def flatten_arguments(self, block: Block) -> None:
        """Arguments that are memories are one-dimensional arrays, in the function's type too."""
        for argument in list(block.args):
            type_ = argument.type
            if isinstance(type_, MemRefType):
                location = argument.location
                flat = Rewriter.replace_value_with_new_type(argument, flat_type(type_))
                assert isinstance(flat, BlockArgument)
                flat.location = location
                self.memories[flat] = (flat, root_layout(type_))
        outputs = self.function.function_type.outputs.data
        self.function.properties["function_type"] = FunctionType.from_lists(
            list(block.arg_types), list(outputs)
        )

    def flatten(self, op: Operation) -> None:
        """Rewrite one operation."""
        if isinstance(op, memref.AllocOp | memref.AllocaOp):
            new = memref.AllocOp([], [], flat_type(op.memref.type))
            self.found(op, new)
        elif isinstance(op, memref.GetGlobalOp):
            self.flatten_get_global(op)
        elif isinstance(op, View):
            memory, layout = self.memories[source_of(op)]
            self.memories[op.results[0]] = (memory, viewed(op, layout, Arithmetic(op)))
            self.old.append(op)
        elif isinstance(op, memref.LoadOp):
            memory, address = self.address(op, op.memref, list(op.indices))
            load = memref.LoadOp.get(memory, [address])
            MEMORY_ORDER.copy(op, load)
            Arithmetic(op).put(load)
            replace(op, load.res)
        elif isinstance(op, memref.StoreOp):
            memory, address = self.address(op, op.memref, list(op.indices))
            store = memref.StoreOp.get(op.value, memory, [address])
            MEMORY_ORDER.copy(op, store)
            Arithmetic(op).put(store)
            replace(op)
        elif isinstance(op, memref.DimOp):
            axis = constant_of(op.index)
            assert axis is not None
            size = self.memories[op.source][1].sizes[axis]
            replace(op, Arithmetic(op).constant(size))
        elif isinstance(op, memref.RankOp):
            replace(op, Arithmetic(op).constant(len(self.memories[op.source][1].sizes)))
        elif isinstance(op, memref.ExtractStridedMetaDataOp):
            self.expand_metadata(op)
        elif isinstance(op, memref.DeallocOp):
            replace(op)

    def expand_metadata(self, op: memref.ExtractStridedMetaDataOp) -> None:
        """The numbers of the layout are values; the base is the memory from its start."""
        memory, layout = self.memories[op.source]
        arithmetic = Arithmetic(op)
        numbers = (layout.offset, *layout.sizes, *layout.strides)
        for result, number in zip(op.results[1:], numbers, strict=True):
            result.replace_all_uses_with(arithmetic.value(number))
        self.memories[op.base_buffer] = (memory, Layout((), 0, ()))
        self.old.append(op)

    def found(self, op: Operation, new: Operation) -> None:
        """`new`, at the start of the function, is the flat memory behind the result of `op`."""
        self.roots.append(new)
        new.location = op.location
        new.attributes |= hardware_of(op)
        if name := said_name(op):
            new.attributes[ARRAY_NAME] = StringAttr(name)
        type_ = op.results[0].type
        assert isinstance(type_, MemRefType)
        new.results[0].name_hint = op.results[0].name_hint
        self.memories[op.results[0]] = (new.results[0], root_layout(type_))
        self.old.append(op)

    def flatten_get_global(self, op: memref.GetGlobalOp) -> None:
        """One memref.get_global for each global serves all its users."""
        name = op.name_.string_value()
        if name not in self.globals:
            new = memref.GetGlobalOp(name, flat_type(op.memref.type))
            self.found(op, new)
            self.globals[name] = new.memref
            return
        self.memories[op.memref] = (self.globals[name], root_layout(op.memref.type))
        self.old.append(op)

    def constrains_subscript(self, index: SSAValue, size: int) -> bool:
        """True if it is not known already that the index is below `size` [elements]."""
        low, high = self.forms.interval(self.forms.exact(index))
        return low < 0 or high >= size

    def address(
        self, op: Operation, value: SSAValue, indices: list[SSAValue]
    ) -> tuple[SSAValue, SSAValue]:
        """The flat memory behind a memref, and the address that the indices name in it."""
        memory, layout = self.memories[value]
        arithmetic = Arithmetic(op)
        total: Number = 0
        for index, stride in zip(indices, layout.strides, strict=True):
            number = arithmetic.number(index)
            total = arithmetic.add(total, arithmetic.multiply(number, stride))
        address = arithmetic.value(arithmetic.add(total, layout.offset))
        if (
            self.auto
            and is_table(layout)
            and any(map(self.constrains_subscript, indices, layout.sizes))
        ):
            address = arithmetic.insert(PlaceOp(address, indices, layout.sizes))
        return memory, address


def is_table(layout: Layout[Number]) -> bool:
    """True for rows without gaps: an address has one subscript in each of several dimensions."""
    rows = [prod(layout.sizes[axis + 1 :]) for axis in range(len(layout.sizes))]
    return layout.offset == 0 and list(layout.strides) == rows and len(rows) > 1
