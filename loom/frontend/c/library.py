"""libclang, the one door to it: a C text becomes a checked syntax tree.

libclang knows more than its Python classes tell: operators and values of constants come from
the library itself.
"""

from __future__ import annotations

import ctypes
import shutil
import struct
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from loom.errors import LoomError, Place, raise_all
from loom.frontend.c.c_options import COptions, check_c_options
from loom.frontend.c.safety.includes import HeaderFolders
from loom.frontend.c.safety.safe_parse import refuse_unsafe, run_on_large_stack

Cursor = Any
"""A node of libclang's tree; its Python classes have no types."""

DEFAULTS = COptions()
INTEGER, FLOAT = 1, 2
"""Kinds of values that libclang finds."""
ERROR = 3
"""The least severity of a diagnostic that ends the reading."""
UNSEQUENCED = "-Wunsequenced"
"""The one warning that is looked at: of changes whose order C leaves open."""


@cache
def load_libclang() -> Any:
    """The Python binding of libclang, refused kindly where there is none (C_NO_LIBCLANG)."""
    accepted = "an installation with the extra `c`: pip install 'loom-hls[c]'"
    try:
        from clang import cindex
    except ModuleNotFoundError:
        what = "a C file, but no module clang.cindex"
        raise LoomError("C_NO_LIBCLANG", Place("loom"), what, accepted) from None
    try:
        library = cindex.conf.lib
    except cindex.LibclangError as error:
        what = f"a libclang that cannot be loaded: {str(error).splitlines()[0]}"
        raise LoomError("C_NO_LIBCLANG", Place("loom"), what, accepted) from None
    for name in ("clang_getCursorBinaryOperatorKind", "clang_getCursorUnaryOperatorKind"):
        if not hasattr(library, name):
            what = f"a libclang without {name}"
            raise LoomError("C_NO_LIBCLANG", Place("loom"), what, "libclang 17 and later")
    return cindex


@cache
def find_compiler() -> str | None:
    """The system's C compiler."""
    return next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)


@cache
def find_system_folders() -> tuple[str, ...]:
    """Where the system's compiler looks for headers: libclang comes without any."""
    found = find_compiler()
    if found is None:
        return ()
    done = subprocess.run(
        [found, "-E", "-v", "-x", "c", "-"], input="", capture_output=True, text=True, check=False
    )
    _, begin, rest = done.stderr.partition("#include <...> search starts here:")
    listed, _, _ = rest.partition("End of search list.")
    return tuple(line.strip() for line in listed.splitlines() if line.strip()) if begin else ()


HEADERS = str(Path(__file__).with_name("headers"))
"""Our own headers by the names of other tools: of those only the call of a kernel counts."""


def parse_text(text: str, file: str, options: COptions = DEFAULTS) -> Any:
    """The translation unit of the text, which stands where `file` is for what it includes.

    Refused: text that is no C (C_SYNTAX), with every problem that clang finds, options that cannot
    be followed (C_BUILD), and what clang cannot read within limits (`refuse_unsafe`).
    """
    cindex = load_libclang()
    check_c_options(options)
    arguments = clang_arguments(options)
    headers = HeaderFolders((*find_system_folders(), HEADERS), options.folders, options.included)
    refuse_unsafe(text, file, arguments, headers, str(Path(cindex.__file__).parent.parent))
    try:
        unit = run_on_large_stack(
            lambda: cindex.Index.create().parse(file, args=arguments, unsaved_files=[(file, text)])
        )
    except cindex.TranslationUnitLoadError:
        what = "a file that clang cannot parse"
        raise LoomError("C_SYNTAX", Place(file), what, "C text") from None
    problems = [
        LoomError("C_SYNTAX", make_place(found.location, file), found.spelling, "C that compiles")
        for found in unit.diagnostics
        if found.severity >= ERROR
    ]
    raise_all(problems)
    return unit


def clang_arguments(options: COptions) -> list[str]:
    """The arguments of clang."""
    arguments = [f"-std={options.standard}", "-x", "c", "-fwrapv", "-ferror-limit=20"]
    arguments += options.preprocessor
    for folder in (*find_system_folders(), HEADERS):
        arguments += ["-isystem", folder]
    return arguments


def find_skipped_parts(text: str, file: str, options: COptions) -> list[tuple[str, int, int]]:
    """What the preprocessor leaves out of a text that `parse_text` has read, and of its headers.

    Each part is a file and the offsets of its begin and end [bytes].
    """
    cindex = load_libclang()
    # What libclang calls CXSourceRangeList.
    fields = [("count", ctypes.c_uint), ("ranges", ctypes.POINTER(cindex.SourceRange))]
    ranges: Any = ctypes.POINTER(type("Ranges", (ctypes.Structure,), {"_fields_": fields}))
    library, kinds = cindex.conf.lib, cindex.TranslationUnit
    find = library.clang_getAllSkippedRanges
    find.argtypes, find.restype = [kinds], ranges
    how = kinds.PARSE_DETAILED_PROCESSING_RECORD | kinds.PARSE_SKIP_FUNCTION_BODIES
    unit = run_on_large_stack(
        lambda: cindex.Index.create().parse(
            file, args=clang_arguments(options), unsaved_files=[(file, text)], options=how
        )
    )
    listed = find(unit)
    found = [listed.contents.ranges[place] for place in range(listed.contents.count)]
    parts = [
        (str(each.start.file.name), int(each.start.offset), int(each.end.offset))
        for each in found
        if each.start.file is not None
    ]
    dispose = library.clang_disposeSourceRangeList
    dispose.argtypes, dispose.restype = [ranges], None
    dispose(listed)
    return parts


def make_place(location: Any, file: str) -> Place:
    """The place of a location, that of the macro's use for what a macro stands for."""
    name = location.file.name if location.file is not None else file
    return Place(name, location.line, location.column)


def locate(cursor: Cursor) -> Place:
    """Where the node stands."""
    start = cursor.location
    if start.file is None or start.line == 0:
        start = cursor.extent.start
    return make_place(start, "<built in>")


def get_unary_operator(cursor: Cursor) -> int:
    """The operator of a unary operation, as libclang numbers them."""
    return int(load_libclang().conf.lib.clang_getCursorUnaryOperatorKind(cursor))


def get_binary_operator(cursor: Cursor) -> int:
    """The operator of a binary operation or assignment, as libclang numbers them."""
    return int(load_libclang().conf.lib.clang_getCursorBinaryOperatorKind(cursor))


def evaluate_node(cursor: Cursor) -> int | float | None:
    """The number that clang finds the expression to be, or None if it is not constant."""
    library = _load_evaluation()
    found = library.clang_Cursor_Evaluate(cursor)
    if not found:
        return None
    try:
        kind = library.clang_EvalResult_getKind(found)
        if kind == INTEGER:
            if library.clang_EvalResult_isUnsignedInt(found):
                return int(library.clang_EvalResult_getAsUnsigned(found))
            return int(library.clang_EvalResult_getAsLongLong(found))
        if kind == FLOAT:
            return float(library.clang_EvalResult_getAsDouble(found))
        return None
    finally:
        library.clang_EvalResult_dispose(found)


@cache
def _load_evaluation() -> Any:
    """The library, with the functions that find constants declared."""
    import ctypes

    cindex = load_libclang()
    library = cindex.conf.lib
    library.clang_Cursor_Evaluate.argtypes = [cindex.Cursor]
    library.clang_Cursor_Evaluate.restype = ctypes.c_void_p
    for name, type_ in (
        ("getKind", ctypes.c_int), ("isUnsignedInt", ctypes.c_uint),
        ("getAsUnsigned", ctypes.c_ulonglong), ("getAsLongLong", ctypes.c_longlong),
        ("getAsDouble", ctypes.c_double), ("dispose", None),
    ):  # fmt: skip
        function = getattr(library, f"clang_EvalResult_{name}")
        function.argtypes, function.restype = [ctypes.c_void_p], type_
    return library


def is_unnamed_part(cursor: Cursor) -> bool:
    """True for a struct or union in another one whose fields are as if they were the other's."""
    return bool(load_libclang().conf.lib.clang_Cursor_isAnonymousRecordDecl(cursor))


def encode_float(number: float, width: int) -> int:
    """The bit pattern of a float of 32 or 64 [bits]."""
    packed = struct.pack("<f" if width == 32 else "<d", number)
    return int.from_bytes(packed, "little")


def list_children(cursor: Cursor) -> list[Cursor]:
    """What the node is made of."""
    return list(cursor.get_children())


def walk_nodes(cursor: Cursor) -> Iterator[Cursor]:
    """The node and all below it, from the front; however deep they nest."""
    stack = [cursor]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(list_children(node))


def get_file(cursor: Cursor) -> str | None:
    """The name of the file or header that the node stands in."""
    start = cursor.location.file
    return None if start is None else str(start.name)


def is_in_file(cursor: Cursor, file: str) -> bool:
    """True if the node stands in the file itself, not in a header."""
    name = get_file(cursor)
    return name is not None and Path(name) == Path(file)


def list_tokens(unit: Any, begin: Any, end: Any) -> list[str]:
    """The tokens of the file from one location to another, as written there."""
    cindex = load_libclang()
    first, last = (
        cindex.SourceLocation.from_offset(unit, at.file, offset)
        for at, offset in ((begin, begin.offset), (end, end.offset))
    )
    extent = cindex.SourceRange.from_locations(first, last)
    return [
        token.spelling
        for token in unit.get_tokens(extent=extent)
        if begin.offset <= token.extent.start.offset < end.offset
        and token.kind != cindex.TokenKind.COMMENT
    ]


def find_wrapped(cursor: Cursor) -> Cursor | None:
    """The operand of brackets or of an implicit conversion; None for anything else.

    libclang has one kind for all that it knows no other kind for; what is only implied begins and
    ends where its operand does.
    """
    kinds = load_libclang().CursorKind
    below = list_children(cursor)
    if len(below) != 1:
        return None
    if cursor.kind == kinds.PAREN_EXPR:
        return below[0]
    ends = [(e.start.offset, e.end.offset) for e in (cursor.extent, below[0].extent)]
    return below[0] if cursor.kind == kinds.UNEXPOSED_EXPR and ends[0] == ends[1] else None
