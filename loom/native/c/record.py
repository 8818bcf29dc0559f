"""The calls that a C program makes of its kernel, as activations of the circuit."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from pathlib import Path

from loom.dialects.floats.formats import FORMATS
from loom.errors import LoomError, Place
from loom.frontend.c.c_options import COptions
from loom.frontend.c.interface import Interface, Slot
from loom.frontend.c.library import DEFAULTS as C_DEFAULTS
from loom.frontend.imperative.effects import find_unassigned
from loom.frontend.imperative.types import Float, make_mlir_type
from loom.input_files import read_text
from loom.native.c.compile import PATTERNS, SANITIZERS, ZEROS, Source, compile_c
from loom.native.c.run import run_program
from loom.native.c.wrap import quote_string, wrap_kernel
from loom.native.recording import MOST_CALLS, Recording, make_activation, note_omitted_calls
from loom.native.run_options import DEFAULTS, RunOptions, refuse_long_record, refuse_run
from loom.processes.unwind import scratch_folder

END = (1 << 64) - 1
"""The length that ends a recording."""
FILLS = (0xFE, 0xAA)
"""The bytes that compilers fill variables with, where patterns are an option."""


@dataclass(frozen=True)
class Call:
    """The elements of one call's arguments before and after it, and its results."""

    before: dict[str, list[int]]
    after: dict[str, list[int]]
    results: tuple[int, ...]
    overlaps: tuple[tuple[str, str], ...]


def record_c(
    text: str,
    interface: Interface,
    most: int | None = None,
    options: RunOptions = DEFAULTS,
    c: COptions = C_DEFAULTS,
    file: str | None = None,
) -> Recording:
    """Run the program's main() and keep the first `most` calls of the kernel.

    `text` is the C file called `file`, by default that of the kernel; `c` names the other ones.

    The program runs twice: watched by sanitizers, with patterns in variables that nothing was
    assigned to, then plain, with zeros in them. Refused: steps that C does not define
    (C_UNDEFINED), results that depend on what was never assigned (C_UNINITIALISED; with `fill` "0"
    it is zero), arrays that share elements which the kernel writes (C_OVERLAP), no call at all
    (C_NO_CALLS), any run where none is allowed (C_NO_RUN), one that goes beyond a limit (C_LIMIT).
    """
    refuse_run(options, interface.file, "C_NO_RUN", "a main()")
    source = make_source(text, interface, c, interface.unit if file is None else file)
    limit = MOST_CALLS if most is None else most
    notes: list[str] = []
    with scratch_folder("loom-run-") as folder:
        watched = compile_c(source, [*SANITIZERS, PATTERNS], folder)
        others: list[Call] | None = None
        if watched is None:
            notes.append(
                "the C compiler has no sanitizers: accesses out of range are not looked for"
            )
        else:
            others, _ = run_calls(watched, source, interface, limit, folder, [], options)
        plain = compile_c(source, [ZEROS], folder) or compile_c(source, [], folder)
        assert plain is not None
        calls, count = run_calls(plain, source, interface, limit, folder, notes, options)
    if count == 0:
        what = f"a main() that never calls {interface.name}"
        accepted = "programs that call the kernel; or --inputs BUNDLE.json"
        raise LoomError("C_NO_CALLS", Place(interface.file), what, accepted)
    check_overlaps(calls, interface)
    if others is not None and c.fill != "0":
        check_initialised(calls, others, interface)
    notes += note_omitted_calls(len(calls), count)
    activations = tuple(
        make_activation(call.before, call.after, call.results, "C program") for call in calls
    )
    return Recording(interface.name, activations, count, tuple(notes))


def make_source(text: str, interface: Interface, options: COptions, file: str) -> Source:
    """The program with a recorder in the kernel's place."""
    texts = {file: text, **{each: read_text(each) for each in options.files}}
    wrapped = wrap_kernel(texts[interface.unit], interface)
    others = {name: given for name, given in texts.items() if name != interface.unit}
    marked = [f"#line 1 {quote_string(name)}\n{given}" for name, given in others.items()]
    near = [*(each.header for each in interface.inclusions), *others]
    folders = tuple(str(Path(each).resolve().parent) for each in near)
    inside = {os.path.realpath(each.header) for each in interface.inclusions if not each.line}
    first = tuple(each for each in options.included if os.path.realpath(each) not in inside)
    return Source(
        wrapped, interface.unit, replace(options, included=first), folders, tuple(marked),
        frozenset(interface.sources),
    )  # fmt: skip


def run_calls(
    program: Path,
    source: Source,
    interface: Interface,
    most: int,
    folder: Path,
    notes: list[str],
    options: RunOptions,
) -> tuple[list[Call], int]:
    """The first calls that the program makes, and the number of all."""
    record_file = folder / f"{program.name}.record"
    environment = {
        "LOOM_RECORD": str(record_file),
        "LOOM_RECORD_CALLS": str(most),
        "LOOM_RECORD_ELEMENTS": str(options.elements),
    }
    status = run_program(program, source, environment, options)
    if status:
        notes.append(f"main() returned {status}")
    if not record_file.exists():
        return [], 0
    refuse_long_record(record_file.stat().st_size, options, source.file, "C_LIMIT")
    try:
        return read_record(record_file.read_bytes(), interface)
    except (BrokenRecord, struct.error):
        what = "a recording that is not whole: main() ends by _exit(), or has written to it"
        accepted = "programs that end by exit() or by a return from main()"
        raise LoomError("C_CRASHED", Place(source.file), what, accepted) from None


class BrokenRecord(Exception):
    """A recording is not as `recorder.c` writes it."""


def read_record(data: bytes, interface: Interface) -> tuple[list[Call], int]:
    """The calls of a recording, and the number of all.

    Raises BrokenRecord, and struct.error, for one that is not whole.
    """
    found: list[Call] = []
    position = 0
    while True:
        (size,) = struct.unpack_from("<Q", data, position)
        position += 8
        if size == END:
            (count,) = struct.unpack_from("<Q", data, position)
            return found, count
        found.append(read_call(data[position : position + size], interface))
        position += size


def read_call(data: bytes, interface: Interface) -> Call:
    """One call of a recording."""
    position = 0

    def read_elements(slot: Slot) -> Iterator[int]:
        nonlocal position
        size, mask = find_size(slot), (1 << slot.type.width) - 1
        for _ in range(prod(slot.shape)):
            yield int.from_bytes(data[position : position + size], "little") & mask
            position += size

    pairs = list(combinations(interface.extents, 2))
    overlaps = tuple((a, b) for ((a, _), (b, _)), bit in zip(pairs, data, strict=False) if bit)
    position = len(pairs)
    before = {slot.name: list(read_elements(slot)) for slot in interface.slots}
    after = {slot.name: list(read_elements(slot)) for slot in interface.slots if slot.is_array}
    results = tuple(each for slot in interface.results for each in read_elements(slot))
    if position != len(data):
        raise BrokenRecord
    return Call(before, after, results, overlaps)


def find_size(slot: Slot) -> int:
    """The size of an element in C [bytes]."""
    size = 1
    while 8 * size < slot.type.width:
        size *= 2
    return size


def check_overlaps(calls: Sequence[Call], interface: Interface) -> None:
    """Refuse arrays that share elements, if the kernel writes one of them."""
    for number, call in enumerate(calls):
        is_written = any(call.before[name] != elements for name, elements in call.after.items())
        if call.overlaps and is_written:
            first, second = call.overlaps[0]
            what = f"call {number} of {interface.name}, in which {first} and {second} "
            what += "share elements"
            accepted = "arrays that do not overlap where the kernel writes; a copy of one"
            raise LoomError("C_OVERLAP", Place(interface.file, interface.line, 1), what, accepted)


def check_initialised(calls: Sequence[Call], others: Sequence[Call], interface: Interface) -> None:
    """Refuse results that depend on variables that nothing was assigned to."""
    for number, (call, other) in enumerate(zip(calls, others, strict=False)):
        if not is_comparable(call, other, interface):
            return
        difference = next(find_differences(call, other, interface), None)
        if difference is not None:
            read = find_unassigned(interface.function) if interface.function else {}
            where = next(iter(read.values()), Place(interface.file, interface.line, 1))
            reads = " or ".join(f"{name}, read in line {at.line}," for name, at in read.items())
            what = f"call {number} of {interface.name}, whose {difference} is what "
            what += f"{reads or 'an array'} held before anything was assigned to it"
            raise LoomError("C_UNINITIALISED", where, what, "variables that are assigned first")


def is_comparable(call: Call, other: Call, interface: Interface) -> bool:
    """True if the calls are given the same, but for elements that nothing was assigned to."""
    for slot in interface.slots:
        size = find_size(slot)
        mask = (1 << slot.type.width) - 1
        patterns = {int.from_bytes(bytes([byte]) * size, "little") & mask for byte in FILLS}
        for element, there in zip(call.before[slot.name], other.before[slot.name], strict=True):
            if element != there and (element or there not in patterns):
                return False
    return True


def find_differences(call: Call, other: Call, interface: Interface) -> Iterator[str]:
    """The results and elements that differ, though the kernel was given the same."""
    forms = {slot.name: slot for slot in interface.slots}
    for number, slot in enumerate(interface.results):
        if not are_same(call.results[number], other.results[number], slot):
            yield "result"
    for name, elements in call.after.items():
        pairs = zip(elements, other.after[name], call.before[name], other.before[name], strict=True)
        for k, (now, there, was, there_was) in enumerate(pairs):
            is_kept = now == was and there == there_was
            if not is_kept and not are_same(now, there, forms[name]):
                yield f"element {k} of {name}"


def are_same(left: int, right: int, slot: Slot) -> bool:
    """True for the same bit pattern, and for two NaNs."""
    if left == right or not isinstance(slot.type, Float):
        return left == right
    form = FORMATS[make_mlir_type(slot.type).name]
    return form.is_nan(left) and form.is_nan(right)
