"""The C files of a program as clang has read them, and what one of them knows of the others."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from loom.errors import LoomError, Place, raise_all
from loom.frontend.c.c_options import COptions
from loom.frontend.c.functions import find_targets, list_definitions
from loom.frontend.c.interface import Inclusion
from loom.frontend.c.library import (
    HEADERS,
    UNSEQUENCED,
    Cursor,
    find_skipped_parts,
    find_system_folders,
    get_file,
    is_in_file,
    locate,
    make_place,
    walk_nodes,
)
from loom.frontend.c.safety.includes import is_below

PRAGMA = re.compile(r"#\s*pragma\b")
CONDITIONAL = re.compile(r"#\s*(if|elif|else)")


@dataclass(frozen=True)
class Unit:
    """A C file that clang has read."""

    text: str
    file: str
    parsed: Any
    options: COptions

    @cached_property
    def definitions(self) -> list[Cursor]:
        """The functions with a body, in the order of the file."""
        return list_definitions(self.parsed)

    @cached_property
    def texts(self) -> dict[str, str]:
        """The texts of the file and of the user's headers that it includes, by their names."""
        system = [os.path.realpath(each) for each in (*find_system_folders(), HEADERS)]
        found = {self.file: self.text}
        for each in self.parsed.get_includes():
            name = str(each.include.name)
            if name not in found and not is_below(name, system):
                found[name] = decode_header(Path(name).read_bytes())
        return found

    @cached_property
    def pragma_texts(self) -> dict[str, str]:
        """The same without what the preprocessor leaves out, if there are pragmas in them."""
        texts = self.texts.values()
        if not any(PRAGMA.search(text) and CONDITIONAL.search(text) for text in texts):
            return self.texts
        found = {name: text.encode() for name, text in self.texts.items()}
        for name, begin, end in find_skipped_parts(self.text, self.file, self.options):
            if name in found:
                part = re.sub(rb"[^\n]", b" ", found[name][begin:end])
                found[name] = found[name][:begin] + part + found[name][end:]
        return {name: text.decode() for name, text in found.items()}

    @cached_property
    def alone(self) -> Units:
        """The program that is this file alone."""
        return Units((self,))


@dataclass(frozen=True)
class Units:
    """The files of a program, the first of which is the one that LOOM was given."""

    units: tuple[Unit, ...]

    @cached_property
    def definitions(self) -> list[Cursor]:
        """The functions with a body, file by file."""
        return [each for unit in self.units for each in unit.definitions]

    @cached_property
    def texts(self) -> dict[str, str]:
        """The texts of all files and of the user's headers, by their names."""
        return {name: text for unit in self.units for name, text in unit.texts.items()}

    @cached_property
    def pragma_texts(self) -> dict[str, str]:
        """The same without what the preprocessor leaves out."""
        return {name: text for unit in self.units for name, text in unit.pragma_texts.items()}

    @cached_property
    def exported(self) -> dict[str, Cursor]:
        """The functions and variables that other files see, by the names that clang gives them."""
        found: dict[str, Cursor] = {}
        for unit in self.units:
            for each in unit.parsed.cursor.get_children():
                storage = each.storage_class.name
                is_function = each.kind.name == "FUNCTION_DECL" and each.is_definition()
                is_variable = each.kind.name == "VAR_DECL" and (
                    each.is_definition() or storage != "EXTERN"
                )
                if storage != "STATIC" and (is_function or is_variable):
                    known = found.get(each.get_usr())
                    if known is None or (each.is_definition() and not known.is_definition()):
                        found[each.get_usr()] = each
        return found

    def find_definition(self, cursor: Cursor) -> Cursor | None:
        """Where the function or variable is defined, in this file or another one."""
        found = cursor.get_definition()
        if found is not None or len(self.units) == 1:
            return found
        return self.exported.get(cursor.get_usr())

    def make_key(self, cursor: Cursor) -> str:
        """A name that all declarations of one variable share, and no other variable has."""
        found = self.find_definition(cursor) or cursor
        return f"{found.get_usr()} {found.canonical.hash}"

    @cached_property
    def assigned_names(self) -> frozenset[int]:
        """The definitions of variables that a function assigns or takes the address of, by hash."""
        found: set[int] = set()
        for definition in self.definitions:
            targets = find_targets(definition)
            names = targets.assigned | targets.addressed
            for node in walk_nodes(definition):
                if node.referenced is not None and node.referenced.hash in names:
                    found.add((self.find_definition(node.referenced) or node.referenced).hash)
        return frozenset(found)

    def refuse_unsequenced(self, functions: Sequence[Cursor]) -> None:
        """Return unless one of the functions makes changes in no order that C defines.

        Refused (C_UNSEQUENCED): each such change, as clang finds it.
        """
        found: list[LoomError] = []
        for unit in self.units:
            for each in unit.parsed.diagnostics:
                if each.option != UNSEQUENCED:
                    continue
                if any(is_within(each.location, function) for function in functions):
                    where = make_place(each.location, unit.file)
                    what = f"{each.spelling}, in an order that C leaves open"
                    accepted = "each change of a variable in a statement of its own"
                    found.append(LoomError("C_UNSEQUENCED", where, what, accepted))
        raise_all(found)

    @cached_property
    def globals_used(self) -> list[frozenset[str]]:
        """The globals that each function names."""
        return [
            frozenset(
                self.make_key(node.referenced)
                for node in walk_nodes(definition)
                if node.kind.name == "DECL_REF_EXPR"
                and node.referenced is not None
                and node.referenced.kind.name == "VAR_DECL"
            )
            for definition in self.definitions
        ]

    def find_callees(self, kernel: Cursor) -> list[Cursor]:
        """The kernel and all functions with a body that it leads to."""
        found = [kernel]
        for function in found:
            for node in walk_nodes(function):
                if node.kind.name != "CALL_EXPR" or node.referenced is None:
                    continue
                definition = self.find_definition(node.referenced)
                if definition is not None and not any(definition == one for one in found):
                    found.append(definition)
        return found

    def is_in_files(self, cursor: Cursor) -> bool:
        """True if the node stands in one of the C files, not in a header."""
        return any(is_in_file(cursor, unit.file) for unit in self.units)

    def find_unit(self, cursor: Cursor) -> Unit:
        """The file that the node was read with, itself or by an #include."""
        return next(each for each in self.units if each.parsed is cursor.translation_unit)

    def list_functions_of(self, file: str) -> Sequence[Cursor]:
        """The functions with a body of a file or header, in its order."""
        return [each for each in self.definitions if get_file(each) == file]


def is_within(location: Any, function: Cursor) -> bool:
    """True if the location stands in the text of the function."""
    begin, end = function.extent.start, function.extent.end
    if location.file is None or location.file.name != begin.file.name:
        return False
    return bool(begin.offset <= location.offset < end.offset)


def decode_header(data: bytes) -> str:
    """The text of a header; one that is no UTF-8 has a ? for each byte that is no ASCII.

    So positions in bytes stay as clang counts them.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        return bytes(byte if byte < 128 else ord("?") for byte in data).decode()


def find_kernel(units: Units, top: str | None) -> Cursor:
    """The function to compile: `top`, or the only one that no other function but main calls.

    A function of a header is one where `top` names it, or the files have none but main.
    """
    file = units.units[0].file
    inside = [each for each in units.definitions if units.is_in_files(each)]
    names = ", ".join(each.spelling for each in inside if each.spelling != "main") or "none"
    found = [each for each in units.definitions if get_file(each) in units.texts]
    if top is not None:
        for each in (*inside, *found):
            if each.spelling == top:
                return each
        accepted = f"a function of the file: {names}"
        raise LoomError("C_NO_TOP", Place(file, 1, 1), f"no function {top} with a body", accepted)
    kernels = [each for each in inside if each.spelling != "main"]
    kernels = kernels or [each for each in found if each.spelling != "main"]
    called = {
        node.referenced.spelling
        for each in kernels
        for node in walk_nodes(each)
        if node.kind.name == "CALL_EXPR"
        and node.referenced is not None
        and node.referenced.spelling != each.spelling
    }
    uncalled = [each for each in kernels if each.spelling not in called]
    roots = [each for each in uncalled if each.storage_class.name != "STATIC"] or uncalled
    if len(roots) == 1:
        return roots[0]
    if not roots:
        accepted = "a file with a function, and --top"
        raise LoomError("C_NO_TOP", Place(file, 1, 1), "no function but main", accepted)
    what = "several functions: " + ", ".join(each.spelling for each in roots)
    raise LoomError("C_SEVERAL_TOPS", locate(roots[1]), what, "the kernel's name (--top)")


def find_inclusions(unit: Unit, file: str) -> tuple[Inclusion, ...]:
    """How the header is included, from the C file inwards; () for the C file itself."""
    found: list[Inclusion] = []
    entered = {str(each.include.name): each for each in unit.parsed.get_includes()}
    while file != unit.file and file in entered:
        source, line = entered[file].location.file, entered[file].location.line
        outer = str(source.name) if source is not None else ""
        if outer not in unit.texts:
            outer, line = unit.file, 0  # a file of -include
        found.insert(0, Inclusion(outer, line, file, unit.texts[file]))
        file = outer
    return tuple(found)
