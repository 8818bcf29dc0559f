"""C's types as LOOM's, each object alone: no function is read."""

from __future__ import annotations

import pytest

from loom.errors import LoomError, Place
from loom.frontend.c.library import Cursor, list_children, parse_text
from loom.frontend.c.types import (
    MOST_ELEMENTS,
    find_common_type,
    find_fields,
    find_optional_scalar,
    find_scalar,
    find_shape,
    find_sizes,
    get_pointee_type,
    is_const,
    is_pointer,
    promote_type,
)
from loom.frontend.imperative.types import TRUTH, Float, Int, Type

HERE = Place("k.c", 1, 1)
BYTE, SHORT, INT, UNSIGNED = Int(8, True), Int(16, False), Int(32, True), Int(32, False)
LONG, SMALL = Int(64, True), Int(7, True)


def declare(text: str) -> Cursor:
    """The last declaration of the text."""
    return list_children(parse_text(text, "k.c").cursor)[-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("signed char x;", BYTE), ("unsigned short x;", SHORT), ("unsigned x;", UNSIGNED),
        ("long long x;", LONG), ("_Bool x;", TRUTH), ("enum e { A } x;", UNSIGNED),
        ("typedef int number; number x;", INT), ("_BitInt(7) x;", SMALL),
        ("unsigned _BitInt(64) x;", Int(64, False)), ("float x;", Float.SINGLE),
        ("double x;", Float.DOUBLE), ("const volatile int x;", INT),
    ],
)  # fmt: skip
def test_scalars(text: str, expected: Type) -> None:
    assert find_scalar(declare(text).type, HERE) == expected


@pytest.mark.parametrize("text", ["long double x;", "int *x;", "_BitInt(65) x;", "int x[2];"])
def test_no_scalars(text: str) -> None:
    type_ = declare(text).type
    assert find_optional_scalar(type_) is None
    with pytest.raises(LoomError) as caught:
        find_scalar(type_, HERE)
    assert str(caught.value).startswith(f"k.c:1:1: error[C_TYPE]: found the type {type_.spelling};")


@pytest.mark.parametrize(
    ("text", "sizes"),
    [("int x;", ()), ("int x[2][3];", (2, 3)), ("extern int x[][4];", (None, 4)),
     ("typedef int row[3]; row x[2];", (2, 3))],
)  # fmt: skip
def test_shapes(text: str, sizes: tuple[int | None, ...]) -> None:
    found, inner = find_shape(declare(text).type)
    assert (found, find_scalar(inner, HERE)) == (sizes, INT)


@pytest.mark.parametrize("size", ["", "0", str(MOST_ELEMENTS + 1)])
def test_sizes_that_are_refused(size: str) -> None:
    with pytest.raises(LoomError, match="C_SIZE"):
        find_sizes(declare(f"extern int x[{size}];").type, HERE)


def test_the_largest_array() -> None:
    sizes, _ = find_sizes(declare(f"extern int x[{MOST_ELEMENTS}];").type, HERE)
    assert sizes == (MOST_ELEMENTS,)


def test_fields_keep_their_order() -> None:
    text = "struct s { int b; struct { char c; } a; float d[2]; } x;"
    fields = find_fields(declare(text).type, HERE)
    assert fields is not None and [name for name, _ in fields] == ["b", "a", "d"]
    assert find_fields(declare("int x;").type, HERE) is None


@pytest.mark.parametrize(
    "text",
    ["union u { int a; } x;", "struct s { int a : 3; } x;", "struct s { } x;",
     "struct s { struct { int a; }; } x;"],
)  # fmt: skip
def test_fields_that_are_refused(text: str) -> None:
    with pytest.raises(LoomError, match="C_TYPE"):
        find_fields(declare(text).type, HERE)


def test_pointers_and_constants() -> None:
    pointer, array = declare("int *x;").type, declare("const int x[2][3];").type
    assert is_pointer(pointer) and is_pointer(array) and not is_pointer(declare("int x;").type)
    assert find_scalar(get_pointee_type(pointer), HERE) == INT
    assert find_shape(get_pointee_type(array))[0] == (3,)
    assert is_const(array) and is_const(declare("const int x;").type)
    assert not is_const(declare("const int *x;").type) and not is_const(declare("int x[2];").type)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (BYTE, SHORT, INT), (TRUTH, TRUTH, INT), (INT, UNSIGNED, UNSIGNED), (UNSIGNED, LONG, LONG),
        (SMALL, SMALL, SMALL), (SMALL, BYTE, INT), (LONG, Float.SINGLE, Float.SINGLE),
        (Float.SINGLE, Float.DOUBLE, Float.DOUBLE),
    ],
)  # fmt: skip
def test_the_type_in_which_c_computes(left: Type, right: Type, expected: Type) -> None:
    assert find_common_type(left, right) == find_common_type(right, left) == expected


def test_promotion() -> None:
    kept = (SMALL, INT, UNSIGNED, LONG, Float.SINGLE)
    assert [promote_type(each) for each in (BYTE, SHORT, TRUTH)] == [INT] * 3
    assert tuple(map(promote_type, kept)) == kept
