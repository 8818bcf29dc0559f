"""The parts of a recorded run of C, each alone: the wrapper, the record, what is refused."""

from __future__ import annotations

import struct

import pytest

from loom.errors import LoomError
from loom.frontend.c.interface import Interface, Slot
from loom.frontend.imperative.types import Float, Int
from loom.native.c.compile import Source
from loom.native.c.record import (
    Call,
    are_same,
    check_initialised,
    check_overlaps,
    find_size,
    is_comparable,
    read_record,
)
from loom.native.c.run import refuse_undefined
from loom.native.c.wrap import RENAMED, WRAPPER, quote_string, wrap_kernel, write_overlap
from loom.native.recording import make_activation, note_omitted_calls

TEXT = "int f(int x, short a[2]) {\n  return x + a[0];\n}\n"
END = TEXT.index("{")
X, A = Slot("x", Int(32, True), (), "x"), Slot("a", Int(16, True), (2,), "a[{0}]")
RESULT = Slot("result", Int(32, True), (), "loom_result")
INTERFACE = Interface(
    file="k.c", line=1, name="f",
    header=("int", "f", "(", "int", "x", ",", "short", "a", "[", "2", "]", ")"),
    begin=0, end=END, result="int", arguments=("x", "a"),
    extents=(("a", "4"), ("b", "8")), slots=(X, A), results=(RESULT,), has_main=True,
)  # fmt: skip


def call_of(
    before: tuple[int, ...], after: tuple[int, ...], result: int = 0, overlaps: bool = False
) -> Call:
    pairs = (("a", "b"),) if overlaps else ()
    return Call({"x": [before[0]], "a": [*before[1:]]}, {"a": [*after]}, (result,), pairs)


def test_the_wrapper_takes_the_kernels_name() -> None:
    wrapped = wrap_kernel(TEXT, INTERFACE)
    assert f"int {RENAMED}f ( int x" in wrapped
    assert f"int loom_result = {RENAMED}f(x, a);" in wrapped
    assert '#line 1 "k.c"' in wrapped and f'#line 1 "{WRAPPER}"' in wrapped
    _, _, body = wrapped.partition("\n#line 1 ")
    marked = next(line for line in body.split("\n") if "{" in line)
    assert marked.index("{") == END


def test_names_are_strings_of_c() -> None:
    assert quote_string('a"b\\c') == '"a\\"b\\\\c"'
    assert "loom_record_put(&loom_both, 1)" in write_overlap(("a", "4"), ("b", "8"))


def test_a_record_has_calls_and_their_number() -> None:
    data = bytes([1]) + struct.pack("<i2h", -1, 5, -6) + struct.pack("<2hi", 7, 8, 9)
    record = struct.pack("<Q", len(data)) + data + struct.pack("<QQ", (1 << 64) - 1, 3)
    (call,), count = read_record(record, INTERFACE)
    assert count == 3
    assert call.before == {"x": [0xFFFFFFFF], "a": [5, 0xFFFA]}
    assert call.after == {"a": [7, 8]} and call.results == (9,)
    assert call.overlaps == (("a", "b"),)


def test_a_call_is_an_activation() -> None:
    found = make_activation({"x": [3], "a": [1]}, {"a": [2]}, (7,), "C program")
    assert found.inputs == {"x": 3, "a": [1]}
    assert found.expected.results == (7,) and found.expected.memories == {"a": [2]}
    assert note_omitted_calls(2, 2) == []
    assert note_omitted_calls(2, 5) == ["the first 2 of 5 calls are replayed"]


@pytest.mark.parametrize(("width", "size"), [(1, 1), (8, 1), (9, 2), (33, 8), (64, 8)])
def test_sizes_of_elements(width: int, size: int) -> None:
    assert find_size(Slot("x", Int(width, False), (), "x")) == size


def test_only_arrays_that_are_written_must_not_overlap() -> None:
    check_overlaps([call_of((1, 2, 3), (2, 3), overlaps=True)], INTERFACE)
    check_overlaps([call_of((1, 2, 3), (2, 4))], INTERFACE)
    with pytest.raises(LoomError, match="C_OVERLAP"):
        check_overlaps([call_of((1, 2, 3), (2, 4), overlaps=True)], INTERFACE)


def test_results_of_what_nothing_was_assigned_to() -> None:
    zeros, patterns = call_of((1, 2, 3), (2, 3), 0), call_of((1, 2, 3), (2, 3), 0xAAAAAAAA)
    check_initialised([zeros], [zeros], INTERFACE)
    with pytest.raises(LoomError, match="whose result is what an array held"):
        check_initialised([zeros], [patterns], INTERFACE)
    written = call_of((1, 2, 3), (2, 0)), call_of((1, 2, 3), (2, 0xAAAA))
    with pytest.raises(LoomError, match="whose element 1 of a is what an array held"):
        check_initialised([written[0]], [written[1]], INTERFACE)


def test_runs_with_other_arguments_are_not_compared() -> None:
    assert is_comparable(call_of((1, 0, 3), (0, 3)), call_of((1, 0xAAAA, 3), (0, 3)), INTERFACE)
    assert not is_comparable(call_of((1, 2, 3), (2, 3)), call_of((1, 4, 3), (4, 3)), INTERFACE)


def test_all_nans_are_the_same() -> None:
    slot = Slot("x", Float.SINGLE, (), "x")
    assert are_same(0x7FC00000, 0x7FC00001, slot)
    assert not are_same(0x00000000, 0x80000000, slot)


ACCEPTED = "programs whose every step C defines"


@pytest.mark.parametrize(
    ("output", "where", "what"),
    [
        ("k.c:3:7: runtime error: division by zero\n", "k.c:3:7", "division by zero"),
        ("ERROR: AddressSanitizer: SEGV on\n    #0 0x1 in f k.c:4:2\n", "k.c:4:2",
         "an access to an address where nothing is"),
        (f"ERROR: AddressSanitizer: stack-buffer-overflow on\n    #0 0x1 in f {WRAPPER}:4\n",
         "k.c", "an array that is shorter than the kernel's parameter says"),
        ("ERROR: AddressSanitizer: new-kind on\n", "k.c", "new-kind"),
    ],
)  # fmt: skip
def test_sanitizers_messages_have_their_places(output: str, where: str, what: str) -> None:
    with pytest.raises(LoomError) as caught:
        refuse_undefined(output, Source(TEXT, "k.c"))
    assert str(caught.value) == (
        f"{where}: error[C_UNDEFINED]: found {what}; LOOM accepts {ACCEPTED}"
    )


def test_other_output_is_no_error() -> None:
    refuse_undefined("the program's own words\n", Source(TEXT, "k.c"))
