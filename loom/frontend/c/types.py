"""C's types as LOOM's, and the conversions that clang's tree does not show."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import Any

from loom.errors import LoomError, Place
from loom.frontend.c.library import is_unnamed_part, list_children, load_libclang
from loom.frontend.imperative.types import TRUTH, Float, Int, Type

CType = Any
"""A type of libclang's."""
SCALARS = "integers of up to 64 bits, _Bool, enums, float, double, and arrays and structs of these"
BIT_INT = re.compile(r"(unsigned )?_BitInt\((\d+)\)")
SIGNED = ("CHAR_S", "SCHAR", "SHORT", "INT", "LONG", "LONGLONG")
UNSIGNED = ("CHAR_U", "UCHAR", "USHORT", "UINT", "ULONG", "ULONGLONG")
ARRAYS = ("CONSTANTARRAY", "INCOMPLETEARRAY", "VARIABLEARRAY")
MOST_ELEMENTS = 1 << 24
"""The largest array [elements]."""
INT = Int(32, True)
"""C's int, on every machine that LOOM's reference runs on."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array type: the size of its first dimension, None if unknown, and its elements."""

    size: int | None
    element: CType


def get_kind(type_: CType) -> str:
    """The kind of a type behind its names."""
    return str(type_.get_canonical().kind.name)


def find_scalar(type_: CType, place: Place) -> Type:
    """The type of a value; refused if it is none (C_TYPE)."""
    found = find_optional_scalar(type_)
    if found is None:
        raise LoomError("C_TYPE", place, f"the type {type_.spelling}", SCALARS)
    return found


def find_optional_scalar(type_: CType) -> Type | None:
    """The type of a value, or None if it is none that LOOM has."""
    canonical = type_.get_canonical()
    kind = canonical.kind.name
    if kind == "BOOL":
        return TRUTH
    if kind in SIGNED:
        return Int(8 * canonical.get_size(), True)
    if kind in UNSIGNED:
        return Int(8 * canonical.get_size(), False)
    if kind == "ENUM":
        return find_optional_scalar(canonical.get_declaration().enum_type)
    if kind == "FLOAT":
        return Float.SINGLE
    if kind == "DOUBLE":
        return Float.DOUBLE
    bits = BIT_INT.search(canonical.spelling)
    if bits and int(bits[2]) <= 64:
        return Int(int(bits[2]), not bits[1])
    return None


def find_array(type_: CType) -> Array | None:
    """The type as an array, if it is one."""
    canonical = type_.get_canonical()
    kind = canonical.kind.name
    if kind not in ARRAYS:
        return None
    known = kind == "CONSTANTARRAY"
    return Array(canonical.element_count if known else None, canonical.element_type)


def find_shape(type_: CType) -> tuple[tuple[int | None, ...], CType]:
    """The sizes of an array type's dimensions, and the type of its elements; () for no array."""
    sizes: list[int | None] = []
    array = find_array(type_)
    while array is not None:
        sizes.append(array.size)
        type_ = array.element
        array = find_array(type_)
    return tuple(sizes), type_


def find_sizes(type_: CType, place: Place) -> tuple[tuple[int, ...], CType]:
    """As `shape_of`; refused if a size is not known or the array is too large (C_SIZE)."""
    sizes, inner = find_shape(type_)
    known = tuple(size for size in sizes if size)
    if len(known) != len(sizes):
        what = f"an array of type {type_.spelling}"
        raise LoomError("C_SIZE", place, what, "arrays whose sizes are constants of 1 and more")
    if prod(known) > MOST_ELEMENTS:
        what = f"an array of {prod(known)} elements"
        raise LoomError("C_SIZE", place, what, f"up to {MOST_ELEMENTS} of them")
    return known, inner


def is_const(type_: CType) -> bool:
    """True if the elements of a scalar or array never change."""
    if type_.is_const_qualified() or type_.get_canonical().is_const_qualified():
        return True
    if find_array(type_) is None:
        return False
    return any(is_const(each.element_type) for each in (type_, type_.get_canonical())
               if each.kind.name in ARRAYS)  # fmt: skip


def is_pointer(type_: CType) -> bool:
    """True for pointers and arrays."""
    return get_kind(type_) == "POINTER" or get_kind(type_) in ARRAYS


def get_pointee_type(type_: CType) -> CType:
    """What a pointer points to, or what an array has as elements."""
    array = find_array(type_)
    return array.element if array else type_.get_canonical().get_pointee()


def find_fields(type_: CType, place: Place) -> list[tuple[str, CType]] | None:
    """Names and types of a struct's fields, or None if it is none; unions are refused."""
    canonical = type_.get_canonical()
    if canonical.kind.name != "RECORD":
        return None
    declaration = canonical.get_declaration()
    cursors = load_libclang().CursorKind
    if declaration.kind != cursors.STRUCT_DECL:
        what = f"the type {type_.spelling}, which is a union"
        raise LoomError("C_TYPE", place, what, "structs; a cast of integers and shifts for bits")
    found: list[tuple[str, CType]] = []
    for field in list_children(declaration):
        if field.kind != cursors.FIELD_DECL and not is_unnamed_part(field):
            continue
        if is_unnamed_part(field) or not field.spelling:
            what = f"the type {type_.spelling}, which has a part without a name"
            raise LoomError("C_TYPE", place, what, "structs whose fields have names")
        if field.is_bitfield():
            what = f"the bit-field {field.spelling} of {type_.spelling}"
            raise LoomError("C_TYPE", place, what, "a field of type _BitInt(n), or an integer")
        found.append((field.spelling, field.type))
    if not found:
        what = f"the type {type_.spelling}, which has no fields"
        raise LoomError("C_TYPE", place, what, "structs of one field and more")
    return found


def promote_type(type_: Type) -> Type:
    """The type in which C computes with values of this one."""
    if isinstance(type_, Int) and type_.width < INT.width and type_.width in (1, 8, 16):
        return INT
    return type_


def find_common_type(left: Type, right: Type) -> Type:
    """The type in which C computes with values of both."""
    floats = [type_ for type_ in (left, right) if isinstance(type_, Float)]
    if floats:
        return max(floats, key=lambda type_: type_.width)
    first, second = promote_type(left), promote_type(right)
    assert isinstance(first, Int) and isinstance(second, Int)
    if first.width != second.width:
        return max(first, second, key=lambda type_: type_.width)
    return Int(first.width, first.signed and second.signed)
