"""Memories of a program get what a circuit has of them: sizes, one shape a view, an argument each.

`memref<?xi32>` arguments get the sizes that the user gives, also in what is made of them and in
the functions that they are passed to. memref.reshape is memref.collapse_shape and
memref.expand_shape. A memref that the top function returns is an argument after the others, which
it writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from loom.dialects.facts.argument_names import argument_names, set_argument_names
from loom.dialects.facts.places import place_of
from loom.dialects.facts.program_facts import OUTPUTS
from loom.dialects.ops.memref_more import ReshapeOp
from loom.errors import LoomError
from loom.frontend.functions import top_function
from loom.frontend.rules.number_rules import constant_of

Sizes = Mapping[str, tuple[int, ...]]
"""For each ? in the type of an argument, by its name, a size [elements]."""


def make_static(module: ModuleOp, top: str | None, sizes: Sizes, shapes: Sizes) -> bool:
    """The memories of the module are static where they can be; True if something has changed.

    `sizes` are what the user says, `shapes` those of arrays that are given as inputs: an argument
    without a size of its own has the sizes of one with as many dimensions.
    Refused: sizes of arguments that have none to give (MLIR_SIZE).
    """
    function = top_function(module, top)
    if sizes:
        set_sizes(function, sizes)
    is_given = bool(set_shapes(function, shapes) or sizes)
    if is_given:
        give_shapes(module, function)
    reshapes = [op for op in module.walk() if isinstance(op, ReshapeOp)]
    for op in reshapes:
        expand_reshape(op)
    outputs = pass_results(function) if function.body.blocks else []
    return bool(is_given or reshapes or outputs)


# Sizes


def set_sizes(function: FuncOp, sizes: Sizes) -> None:
    """The arguments have these sizes for the ? in their types, in order."""
    names = argument_names(function)
    unknown = {
        name: argument
        for name, argument in zip(names, function.args, strict=True)
        if isinstance(argument.type, MemRefType) and is_dynamic(argument.type)
    }
    for name, given in sizes.items():
        shown = "x".join(map(str, given))
        if name not in unknown:
            accepted = f"sizes of {', '.join(unknown) or 'no argument: none has a ? in its type'}"
            raise LoomError("MLIR_SIZE", place_of(function), f"the size {name}={shown}", accepted)
        argument = unknown[name]
        type_ = argument.type
        assert isinstance(type_, MemRefType)
        count = type_.get_shape().count(DYNAMIC_INDEX)
        if count != len(given):
            what, accepted = (
                f"the size {name}={shown} of {type_}",
                f"{count} numbers with x between",
            )
            raise LoomError("MLIR_SIZE", place_of(function), what, accepted)
        rest = iter(given)
        shape = [next(rest) if size == DYNAMIC_INDEX else size for size in type_.get_shape()]
        set_type(argument, with_shape(type_, shape))


def set_shapes(function: FuncOp, shapes: Sizes) -> bool:
    """Arguments without sizes have those of the arrays of their names; True if there are some."""
    is_set = False
    for name, argument in zip(argument_names(function), list(function.args), strict=True):
        type_, shape = argument.type, shapes.get(name, ())
        if not is_dynamic(type_):
            continue
        assert isinstance(type_, MemRefType)
        pairs = list(zip(type_.get_shape(), shape, strict=False))
        fits = len(shape) == type_.get_num_dims()
        if fits and all(size in (DYNAMIC_INDEX, given) and given > 0 for size, given in pairs):
            set_type(argument, with_shape(type_, list(shape)))
            is_set = True
    return is_set


def give_shapes(module: ModuleOp, function: FuncOp) -> None:
    """What the function makes of its arguments has their sizes, also where it passes it on."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    for op in function.walk():
        if isinstance(op, memref.CastOp) and is_dynamic(op.dest.type):
            give_shape(op.dest, op.source.type)
        elif isinstance(op, memref.AllocOp | memref.AllocaOp) and op.dynamic_sizes:
            allocate_static(op)
        elif isinstance(op, CallOp) and op.callee.string_value() in functions:
            callee = functions[op.callee.string_value()]
            if any(is_dynamic(each.type) for each in callee.args):
                for argument, given in zip(callee.args, op.operands, strict=False):
                    give_shape(argument, given.type)
                give_shapes(module, callee)
            for result, type_ in zip(op.results, callee.function_type.outputs, strict=False):
                give_shape(result, type_)
    outputs = list(function.function_type.outputs)
    for op in function.walk():
        if isinstance(op, ReturnOp):
            outputs = [
                each.type if is_dynamic(type_) else type_
                for each, type_ in zip(op.operands, outputs, strict=False)
            ]
    inputs = [argument.type for argument in function.args]
    function.properties["function_type"] = FunctionType.from_lists(inputs, outputs)


def is_dynamic(type_: Attribute) -> bool:
    """True for a memref some size of which is not known."""
    return isinstance(type_, MemRefType) and DYNAMIC_INDEX in type_.get_shape()


def with_shape(type_: MemRefType[Attribute], shape: list[int]) -> MemRefType[Attribute]:
    """The type with other sizes."""
    return MemRefType(type_.element_type, shape, type_.layout, type_.memory_space)


def set_type(value: SSAValue, type_: Attribute) -> None:
    """The value has the type."""
    hint = value.name_hint
    Rewriter.replace_value_with_new_type(value, type_).name_hint = hint


def give_shape(value: SSAValue, source: Attribute) -> None:
    """The value has the sizes of a memref of the same number of dimensions."""
    type_ = value.type
    if not is_dynamic(type_) or not isinstance(source, MemRefType) or is_dynamic(source):
        return
    assert isinstance(type_, MemRefType)
    if type_.get_num_dims() == source.get_num_dims():
        set_type(value, with_shape(type_, list(source.get_shape())))


def allocate_static(op: memref.AllocOp | memref.AllocaOp) -> None:
    """The memory has the sizes that are constants or sizes of static memories."""
    sizes = [known_size(each) for each in op.dynamic_sizes]
    if any(size is None for size in sizes):
        return
    rest = iter([size for size in sizes if size is not None])
    type_ = op.memref.type
    assert isinstance(type_, MemRefType)
    shape = [next(rest) if size == DYNAMIC_INDEX else size for size in type_.get_shape()]
    made = type(op).build(
        operands=[[], list(op.symbol_operands)],
        result_types=[with_shape(type_, shape)],
        properties={} if op.alignment is None else {"alignment": op.alignment},
    )
    replace(op, made)


def known_size(value: SSAValue) -> int | None:
    """The number that a value is, or the size of a static memory, or None."""
    if isinstance(op := value.owner, memref.DimOp):
        number, type_ = constant_of(op.index), op.source.type
        if number is None or not isinstance(type_, MemRefType) or is_dynamic(type_):
            return None
        shape = type_.get_shape()
        return shape[number] if 0 <= number < len(shape) else None
    return constant_of(value)


def replace(op: Operation, made: Operation) -> None:
    """The operation made stands in place of the other one, at the same place of the text."""
    block = op.parent
    assert block is not None
    made.location = op.location
    block.insert_op_before(made, op)
    for old, new in zip(op.results, made.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    Rewriter.erase_op(op)


# Shapes


def expand_reshape(op: ReshapeOp) -> None:
    """The memory in one dimension, and then in those of the result; elements keep their order.

    What cannot be so stays: a type that is not static, which is refused as such.
    Refused: a layout that is not the identity (MLIR_UNSUPPORTED_LAYOUT).
    """
    source, result = op.source.type, op.result.type
    assert isinstance(source, MemRefType) and isinstance(result, MemRefType)
    if is_dynamic(source) or is_dynamic(result):
        return
    for type_ in (source, result):
        if not isinstance(type_.layout, NoneAttr):
            what, accepted = f"memref.reshape of {type_}", "memrefs of the identity layout"
            raise LoomError("MLIR_UNSUPPORTED_LAYOUT", place_of(op), what, accepted)
    block, flat = op.parent, with_shape(source, [prod(source.get_shape())])
    assert block is not None
    value: SSAValue = op.source
    steps = [] if source.get_num_dims() == 1 else [flat]
    steps += [] if result.get_num_dims() == 1 else [result]
    for type_ in steps:
        made = change_shape(value, type_)
        made.location = op.location
        block.insert_op_before(made, op)
        value = made.results[0]
    op.result.replace_all_uses_with(value)
    Rewriter.erase_op(op)


def change_shape(value: SSAValue, type_: MemRefType[Attribute]) -> Operation:
    """The memory seen with all its dimensions in one, or with its only one as several."""
    source = value.type
    assert isinstance(source, MemRefType)
    ranks = source.get_num_dims(), type_.get_num_dims()
    axes = [IntegerAttr(axis, i64) for axis in range(max(ranks))]
    groups = ArrayAttr([ArrayAttr(axes)] if min(ranks) else [])
    if ranks[0] > ranks[1]:
        return memref.CollapseShapeOp.build(
            operands=[value], result_types=[type_], properties={"reassociation": groups}
        )
    shape = DenseArrayBase.from_list(i64, list(type_.get_shape()))
    return memref.ExpandShapeOp.build(
        operands=[value, []], result_types=[type_],
        properties={"reassociation": groups, "static_output_shape": shape},
    )  # fmt: skip


# Results


def pass_results(function: FuncOp) -> list[str]:
    """Each static memref that the function returns is an argument after the others.

    An array that is allocated for it is the argument itself; anything else is copied. Their names.
    """
    outputs = list(function.function_type.outputs)
    moved = [k for k, each in enumerate(outputs) if isinstance(each, MemRefType)]
    if not moved or any(is_dynamic(outputs[k]) for k in moved):
        return []
    returns = [op for op in function.walk() if isinstance(op, ReturnOp)]
    names = argument_names(function)
    added: list[str] = []
    for k in moved:
        type_ = outputs[k]
        assert isinstance(type_, MemRefType)
        plain = MemRefType(type_.element_type, type_.get_shape())
        entry = function.body.blocks[0]
        argument = entry.insert_arg(plain, len(entry.args), function.location)
        name = f"result{k}"
        while name in names:
            name += "_"
        names.append(name)
        added.append(name)
        allocated = {op.operands[k].owner for op in returns}
        owner = next(iter(allocated))
        if len(allocated) == 1 and isinstance(owner, memref.AllocOp) and owner.memref.type == plain:
            owner.memref.replace_all_uses_with(argument)
            Rewriter.erase_op(owner)
            continue
        for op in returns:
            copied = memref.CopyOp(op.operands[k], argument)
            copied.location = op.location
            block = op.parent
            assert block is not None
            block.insert_op_before(copied, op)
    for op in returns:
        op.operands = [each for k, each in enumerate(op.operands) if k not in moved]
    kept = [each for k, each in enumerate(outputs) if k not in moved]
    inputs = [each.type for each in function.args]
    function.properties["function_type"] = FunctionType.from_lists(inputs, kept)
    set_argument_names(function, names)
    OUTPUTS.put(function, " ".join(added))
    return added
