"""What LOOM can compile of a verified module, and the words of refusal for the rest."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    Signedness,
    UnitAttr,
    UnrankedMemRefType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from loom.dialects.facts.layouts import extent, is_static, layout_of
from loom.dialects.facts.places import place_of, place_of_value
from loom.dialects.floats.attributes import form_of
from loom.dialects.floats.formats import ROUNDING_MODES
from loom.dialects.ops.scf_more import ForallOp
from loom.errors import LoomError, Place, format_integer, raise_all
from loom.frontend.functions import reachable, top_function
from loom.frontend.rules.accepted import ACCEPTED, MEMORY, VIEWS, accepted_instead
from loom.frontend.rules.block_rules import flow_problems
from loom.frontend.rules.number_rules import constant_of, number_problems

SCALARS = "integers of 1 to 64 bits, index, f16, bf16, f32 and f64"
MEMORIES = f"memrefs of static shape and strided layout of {SCALARS}"
STATIC = f"{MEMORIES}; --size gives the sizes of an argument"
MOST_WORDS = (1 << 31) - 1
"""The deepest memory that a netlist may hold [words]."""

PASSED_ON = MEMORY | VIEWS | {"func.func", "func.call", "memref.alloca_scope"}
"""Operations whose results and arguments may be memrefs."""


def check_accepted(module: ModuleOp, top: str | None = None) -> None:
    """Return if LOOM can compile function `top` of the module; raise what stands in the way."""
    function = top_function(module, top)
    functions, problems = reachable(module, function)
    for op in module.body.block.ops:
        if isinstance(op, memref.GlobalOp):
            problems.extend(global_problems(op))
        elif not isinstance(op, FuncOp):
            problems.append(unsupported(op))
    for used in functions:
        problems.extend(function_problems(used, used is function))
    problems.sort(key=lambda problem: (problem.where.line, problem.where.column))
    raise_all(problems)


def unsupported(op: Operation) -> LoomError:
    """The refusal of an operation that LOOM has no hardware for."""
    instead = accepted_instead(op.name) or f"operations such as {', '.join(sorted(ACCEPTED)[:3])}"
    return LoomError("MLIR_UNSUPPORTED_OP", place_of(op), f"the operation {op.name}", instead)


def function_problems(function: FuncOp, is_top: bool) -> Iterator[LoomError]:
    """What LOOM cannot compile in this function."""
    place = place_of(function)
    name = function.sym_name.data
    if not function.body.blocks:
        accepted = "calls of functions whose body is in the module"
        yield LoomError(
            "MLIR_NO_BODY", place, f"@{name}, which is called, without a body", accepted
        )
        return
    for type_ in function.function_type.outputs:
        if is_top and isinstance(type_, MemRefType):
            what = f"@{name} returning {type_}"
            accepted = f"results of {SCALARS}, memories of static shape"
            yield LoomError("MLIR_UNSUPPORTED_TYPE", place, what, accepted)
        else:
            # Several blocks may return several memories.
            yield from type_problems(type_, place, memories=len(function.body.blocks) == 1)
    for op in function.walk():
        if op.name not in ACCEPTED or (isinstance(op, FuncOp) and op is not function):
            yield unsupported(op)
            continue
        yield from operation_problems(op)
    if is_top:
        for argument in function.args:
            yield from root_problems(argument.type, place_of_value(argument))


def operation_problems(op: Operation) -> Iterator[LoomError]:
    """What LOOM cannot compile in this operation, whose name is accepted."""
    memories = op.name in PASSED_ON
    place = place_of(op)
    if isinstance(op, ForallOp) and op.outputs:
        yield LoomError(
            "MLIR_UNSUPPORTED_OP",
            place,
            "shared_outs of scf.forall",
            "stores to memrefs in its body",
        )
        return
    for result in op.results:
        yield from type_problems(result.type, place, memories)
    has_blocks = isinstance(op, FuncOp | scf.ExecuteRegionOp)
    for region in op.regions:
        for block in region.blocks:
            for argument in block.args:
                given = place_of_value(argument)
                yield from type_problems(argument.type, given, memories or has_blocks)
    if isinstance(op, FuncOp | scf.ExecuteRegionOp):
        yield from flow_problems(op)
    elif isinstance(op, memref.AllocOp | memref.AllocaOp):
        yield from root_problems(op.memref.type, place)
    elif isinstance(op, memref.DimOp):
        yield from dimension_problems(op)
    elif isinstance(op, arith.TruncFOp):
        yield from rounding_problems(op)
    elif isinstance(op, memref.ViewOp):
        yield from bytes_problems(op)
    yield from number_problems(op)


def type_problems(type_: Attribute, place: Place, memories: bool) -> Iterator[LoomError]:
    """Why a value cannot have this type."""
    if isinstance(type_, MemRefType) and memories:
        if DYNAMIC_INDEX in type_.get_shape():
            yield LoomError("MLIR_DYNAMIC_SHAPE", place, f"the type {type_}", STATIC)
        elif layout_of(type_) is None:
            yield LoomError("MLIR_UNSUPPORTED_LAYOUT", place, f"the layout of {type_}", MEMORIES)
        elif not is_scalar(type_.element_type):
            yield LoomError("MLIR_UNSUPPORTED_TYPE", place, f"the type {type_}", MEMORIES)
    elif isinstance(type_, UnrankedMemRefType) and memories:
        yield LoomError("MLIR_DYNAMIC_SHAPE", place, f"the type {type_}", STATIC)
    elif isinstance(type_, MemRefType | UnrankedMemRefType):
        accepted = (
            "memrefs known without running the program: arguments, views and calls; for loads, "
            "stores, copies and views also one of several that are made outside of what chooses"
        )
        yield LoomError("MLIR_MEMREF_VALUE", place, f"a choice of {type_} at run time", accepted)
    elif not is_scalar(type_):
        yield LoomError("MLIR_UNSUPPORTED_TYPE", place, f"the type {type_}", SCALARS)


def is_scalar(type_: Attribute) -> bool:
    """True for what a channel of a compiled program carries."""
    if isinstance(type_, IntegerType):
        return type_.signedness.data is Signedness.SIGNLESS and 1 <= type_.width.data <= 64
    return isinstance(type_, IndexType) or form_of(type_) is not None


def root_problems(type_: Attribute, place: Place) -> Iterator[LoomError]:
    """Why a memory cannot be of this type: where it lies must be known, and it is not empty."""
    if not isinstance(type_, MemRefType) or any(True for _ in type_problems(type_, place, True)):
        return
    layout = layout_of(type_)
    assert layout is not None
    if not is_static(layout):
        accepted = "memories whose offset and strides are known and not negative"
        yield LoomError("MLIR_UNSUPPORTED_LAYOUT", place, f"the layout of {type_}", accepted)
    elif extent(layout) == 0:
        accepted = "memories of one element and more"
        yield LoomError("MLIR_UNSUPPORTED_TYPE", place, f"the empty memory {type_}", accepted)
    elif extent(layout) > MOST_WORDS:
        what = f"a memory of {format_integer(extent(layout))} elements"
        yield LoomError("MLIR_TOO_LARGE", place, what, f"up to {MOST_WORDS} of them")


def global_problems(op: memref.GlobalOp) -> Iterator[LoomError]:
    """What LOOM cannot compile in this global."""
    type_, place = op.properties["type"], place_of(op)
    yield from type_problems(type_, place, True)
    yield from root_problems(type_, place)
    if not isinstance(op.initial_value, UnitAttr | DenseIntOrFPElementsAttr):
        accepted = "dense<..> and uninitialized"
        yield LoomError("MLIR_UNSUPPORTED_OP", place, f"the value {op.initial_value}", accepted)


def dimension_problems(op: memref.DimOp) -> Iterator[LoomError]:
    """The dimension that is asked for is a constant and exists."""
    number, type_ = constant_of(op.index), op.source.type
    rank = type_.get_num_dims() if isinstance(type_, MemRefType) else 0
    if number is None:
        what = "a dimension known only at run time"
        accepted = "memref.dim of a constant"
        yield LoomError("MLIR_UNSUPPORTED_OP", place_of(op), what, accepted)
    elif not 0 <= number < rank:
        accepted = f"dimensions from 0 to {rank - 1}" if rank else "memrefs that have dimensions"
        yield LoomError("MLIR_VERIFY", place_of(op), f"dimension {number} of {type_}", accepted)


def rounding_problems(op: arith.TruncFOp) -> Iterator[LoomError]:
    """The rounding mode is the one that the hardware has."""
    mode = op.attributes.get("roundingmode")
    number = int(mode.value.data) if isinstance(mode, IntegerAttr) else 0
    if number != 0:
        word = ROUNDING_MODES[number] if number < len(ROUNDING_MODES) else str(number)
        what = f"the rounding mode {word} of {op.name}"
        yield LoomError("MLIR_ROUNDING", place_of(op), what, f"{ROUNDING_MODES[0]}, the default")


def bytes_problems(op: memref.ViewOp) -> Iterator[LoomError]:
    """A view of bytes has elements of a byte: all elements of a memory have one width."""
    type_ = op.result.type
    if isinstance(type_, MemRefType) and type_.element_type != IntegerType(8):
        what = f"a view of bytes as {type_}"
        accepted = "views as i8; all elements of a memory have one width"
        yield LoomError("MLIR_UNSUPPORTED_TYPE", place_of(op), what, accepted)
