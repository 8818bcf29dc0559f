"""The calls that a program made of its kernel, as activations of the circuit."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory

from loom.dialects.floats.formats import FORMATS
from loom.errors import LoomError, Place
from loom.frontend.c.interface import Interface, Slot
from loom.frontend.imperative.types import Float, mlir_type
from loom.model.bundles.activation import Activation, Expected
from loom.native.build import PATTERNS, SANITIZERS, ZEROS, Source, compile_c, run
from loom.native.wrap import recording

MOST_CALLS = 1000
"""Calls that are kept unless another number is asked for [calls]."""
END = (1 << 64) - 1
FILLS = (0xFE, 0xAA)
"""The bytes that compilers fill variables with, asked for patterns."""


@dataclass(frozen=True)
class Recording:
    """The first calls of the kernel, the number of all, and what is to be said of the run."""

    kernel: str
    activations: tuple[Activation, ...]
    calls: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Call:
    """The words of one call: before it, after it, and its result."""

    before: dict[str, list[int]]
    after: dict[str, list[int]]
    results: tuple[int, ...]
    overlaps: tuple[tuple[str, str], ...]


def record(text: str, interface: Interface, most: int | None = None) -> Recording:
    """Run the file's main() and keep the first `most` calls of the kernel.

    The program runs twice: watched by sanitizers, with patterns in variables that nothing was
    assigned to, then plain, with zeros in them. Refused: steps that C does not define
    (C_UNDEFINED), results that depend on what was never assigned (C_UNINITIALISED), arrays that
    share words which the kernel writes (C_OVERLAP), no call at all (C_NO_CALLS).
    """
    source = Source(recording(text, interface), interface.file)
    limit = MOST_CALLS if most is None else most
    notes: list[str] = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        watched = compile_c(source, [*SANITIZERS, PATTERNS], folder)
        other: list[Call] | None = None
        if watched is None:
            notes.append(
                "the C compiler has no sanitizers: accesses out of range are not looked for"
            )
        else:
            other, _ = calls_of(watched, source, interface, limit, folder, notes=[])
        plain = compile_c(source, [ZEROS], folder) or compile_c(source, [], folder)
        assert plain is not None
        found, count = calls_of(plain, source, interface, limit, folder, notes)
    if count == 0:
        what = f"a main() that never calls {interface.name}"
        accepted = "programs that call the kernel; or --inputs BUNDLE.json"
        raise LoomError("C_NO_CALLS", Place(interface.file), what, accepted)
    check_overlaps(found, interface)
    if other is not None:
        check_same(found, other, interface)
    if count > len(found):
        notes.append(f"the first {len(found)} of {count} calls are replayed")
    return Recording(interface.name, tuple(map(activation_of, found)), count, tuple(notes))


def calls_of(
    program: Path, source: Source, interface: Interface, most: int, folder: Path, notes: list[str]
) -> tuple[list[Call], int]:
    """The first calls that the program makes, and the number of all."""
    record_file = folder / f"{program.name}.record"
    environment = {"LOOM_RECORD": str(record_file), "LOOM_RECORD_CALLS": str(most)}
    status = run(program, source, environment)
    if status:
        notes.append(f"main() returned {status}")
    if not record_file.exists():
        return [], 0
    return read_record(record_file.read_bytes(), interface)


def read_record(data: bytes, interface: Interface) -> tuple[list[Call], int]:
    """The calls of a recording, and the number of all."""
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

    def words(slot: Slot) -> Iterator[int]:
        nonlocal position
        size, mask = bytes_of(slot), (1 << slot.type.width) - 1
        for _ in range(prod(slot.shape)):
            yield int.from_bytes(data[position : position + size], "little") & mask
            position += size

    pairs = list(combinations(interface.extents, 2))
    overlaps = tuple((a, b) for ((a, _), (b, _)), bit in zip(pairs, data, strict=False) if bit)
    position = len(pairs)
    before = {slot.name: list(words(slot)) for slot in interface.slots}
    after = {slot.name: list(words(slot)) for slot in interface.slots if slot.is_array}
    results = tuple(word for slot in interface.results for word in words(slot))
    assert position == len(data), "the wrapper and the reader of a recording differ"
    return Call(before, after, results, overlaps)


def bytes_of(slot: Slot) -> int:
    """The size of a word in C [bytes]."""
    size = 1
    while 8 * size < slot.type.width:
        size *= 2
    return size


def activation_of(call: Call) -> Activation:
    """The call as an activation of the circuit."""
    inputs: dict[str, int | list[int]] = {
        name: words if name in call.after else words[0] for name, words in call.before.items()
    }
    memories: dict[str, list[int | None]] = {name: [*words] for name, words in call.after.items()}
    return Activation(inputs, Expected(call.results, memories, "C program", any_nan=True))


def check_overlaps(calls: Sequence[Call], interface: Interface) -> None:
    """Refuse arrays that share words, if the kernel writes one of them."""
    for number, call in enumerate(calls):
        if call.overlaps and any(call.before[name] != words for name, words in call.after.items()):
            first, second = call.overlaps[0]
            what = f"call {number} of {interface.name}, in which {first} and {second} share words"
            accepted = "arrays that do not overlap where the kernel writes; a copy of one"
            raise LoomError("C_OVERLAP", Place(interface.file, interface.line, 1), what, accepted)


def check_same(calls: Sequence[Call], others: Sequence[Call], interface: Interface) -> None:
    """Refuse results that depend on what is in variables before anything is assigned to them."""
    for number, (call, other) in enumerate(zip(calls, others, strict=False)):
        if not is_comparable(call, other, interface):
            return
        culprit = next(differing(call, other, interface), None)
        if culprit is not None:
            what = f"call {number} of {interface.name}, whose {culprit} is what a variable held "
            what += "before anything was assigned to it"
            where = Place(interface.file, interface.line, 1)
            raise LoomError("C_UNINITIALISED", where, what, "variables that are assigned first")


def is_comparable(call: Call, other: Call, interface: Interface) -> bool:
    """True if the calls are given the same, but for words that nothing was assigned to."""
    for slot in interface.slots:
        size = bytes_of(slot)
        mask = (1 << slot.type.width) - 1
        patterns = {int.from_bytes(bytes([byte]) * size, "little") & mask for byte in FILLS}
        for word, there in zip(call.before[slot.name], other.before[slot.name], strict=True):
            if word != there and (word or there not in patterns):
                return False
    return True


def differing(call: Call, other: Call, interface: Interface) -> Iterator[str]:
    """The results and words that differ, though nobody handed them over."""
    forms = {slot.name: slot for slot in interface.slots}
    for number, slot in enumerate(interface.results):
        if not same(call.results[number], other.results[number], slot):
            yield "result"
    for name, words in call.after.items():
        pairs = zip(words, other.after[name], call.before[name], other.before[name], strict=True)
        for k, (now, there, was, there_was) in enumerate(pairs):
            is_kept = now == was and there == there_was
            if not is_kept and not same(now, there, forms[name]):
                yield f"word {k} of {name}"


def same(left: int, right: int, slot: Slot) -> bool:
    """True for the same pattern, and for two that are no numbers."""
    if left == right or not isinstance(slot.type, Float):
        return left == right
    form = FORMATS[mlir_type(slot.type).name]
    return form.is_nan(left) and form.is_nan(right)
