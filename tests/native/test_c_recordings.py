"""A C file is run by its own main(): its calls are activations, its errors have their places."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from loom.front.api import compile_module
from loom.front.cli import main
from loom.front.verbs import read_request
from loom.frontend.c import library
from loom.frontend.c.read import read_c
from loom.model.comparison import compare_models
from loom.model.reference.reference import compile_reference
from loom.native.c import compile as native_compile
from loom.native.c import record
from loom.native.c.record import record_c
from loom.native.programs import record_program
from loom.native.recording import Recording
from loom.native.run_options import DEFAULTS, RunOptions
from loom.regress.collect import collect
from loom.regress.settings import choices_of
from tests.support.folders import EXAMPLES
from tests.support.refusals import refusal

KERNELS = sorted((EXAMPLES / "c").glob("*.c"))
"""Every second one is run here, `make suite` runs all of them."""
PROGRAMS = sorted((EXAMPLES / "c" / "programs").glob("*.c"))
"""Whole programs: initial values, computation, checksum."""


def calls_in(text: str, most: int | None = None, top: str | None = None) -> Recording:
    return record_c(text, read_c(text, "k.c", top=top).interface, most)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("file", [*KERNELS[::2], *PROGRAMS], ids=lambda file: file.stem)
def test_example(file: Path) -> None:
    text = file.read_text()
    program = read_c(text, str(file))
    found = record_c(text, program.interface)
    assert not found.notes
    reference = compile_reference(program.module, program.interface.name)
    for given in found.activations:
        outcome = reference.run([*given.inputs.values()])
        assert outcome.results == given.expected.results
        assert outcome.memories == given.expected.memories


SUITES = {case.name: case for case in collect([EXAMPLES / "c" / "suites"], choices_of(Namespace()))}
"""Programs in the style of public suites: labels, macros, headers, output, memory functions."""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("name", SUITES)
def test_program_as_it_is_found(name: str) -> None:
    request = read_request(SUITES[name].options)
    program = read_c(request.text, request.file, top=request.top, options=request.c)
    found = record_program(request.text, request.file, request.top, None, "c", DEFAULTS, request.c)
    assert found is not None and found.activations
    reference = compile_reference(program.module, program.interface.name)
    for given in found.activations:
        outcome = reference.run([*given.inputs.values()])
        assert outcome.results == given.expected.results
        assert outcome.memories == given.expected.memories


def test_there_are_forty_programs_as_they_are_found() -> None:
    assert len(SUITES) >= 40


EVERYTHING = """
#include <stdbool.h>
#include <stdint.h>
typedef struct { short x; float y; } point;
int state = 4, shared[2];
struct { short n; int8_t at[2]; } table[2], one;
static int
scale(int v)  // called from main, too
{ return 3 * v; }
uint8_t kernel(bool flag, point p, point more[2], int64_t *out, const double in[2][2])
{
  state += flag;
  shared[1] = state;
  table[1].at[0] = one.at[1]++;
  more[1].x = more[0].x + (short)scale(p.x);
  more[0].y = p.y / 0.0f;
  *out = (int64_t)in[1][0] - shared[0];
  return (uint8_t)(state * 100);
}
int main(void) {
  point more[2] = {{1, 2.5f}, {3, 0.0f}};
  double in[2][2] = {{1, 2}, {3e9, 4}};
  int64_t out = 0;
  shared[0] = scale(7);
  table[0].at[1] = 5;
  one.at[1] = 9;
  kernel(true, more[0], more, &out, in);
  return kernel(false, more[1], more, &out, in);
}
"""


def test_all_that_a_call_takes_and_gives_is_recorded() -> None:
    found = calls_in(EVERYTHING, top="kernel")
    first, second = found.activations
    assert found.calls == 2
    assert found.notes == ("main() returned 244",)
    assert first.inputs == {
        "flag": 1, "p_x": 1, "p_y": 0x40200000, "more_x": [1, 3], "more_y": [0x40200000, 0],
        "out": [0], "in": [0x3FF0000000000000, 0x4000000000000000, 0x41E65A0BC0000000,
                           0x4010000000000000], "shared": [21, 0],
        "table_at": [0, 5, 0, 0], "one_at": [0, 9], "table_n": [0, 0], "one_n": [0],
    }  # fmt: skip
    assert first.expected.results == (244,)
    assert first.expected.memories["more_x"] == [1, 4]
    assert first.expected.memories["out"] == [3_000_000_000 - 21]
    assert first.expected.memories["shared"] == [21, 5]
    assert first.expected.memories["table_at"] == [0, 5, 9, 0]
    assert first.expected.memories["one_at"] == [0, 10]
    assert second.inputs["flag"] == 0 and second.inputs["shared"] == [21, 5]


def test_all_of_it_is_the_same_in_the_circuit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.c"
    file.write_text(EVERYTHING)
    assert main(["model", str(file), "--top", "kernel", "--activations", "2"]) == 0
    told = capsys.readouterr()
    assert "kernel: note: main() returned 244\n" in told.err
    assert "source and token model agree" in told.out


def test_a_wrong_circuit_differs_from_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "int f(int a) { return a + 1; }\nint main(void) { return f(2) * 0; }\n"
    found = calls_in(text)
    wrong = compile_module(read_c("int f(int a) { return a + 2; }", "k.c").module)
    report = compare_models(wrong.source, "f", wrong.netlist, found.activations, max_cycles=100)
    assert report.differences == ("activation 0: result 0 is 4, the C program expects 3",)


def test_as_many_calls_are_kept_as_asked() -> None:
    text = "int f(int a) { return a; }\nint main(void) { for (int i = 0; i < 9; i++) f(i); }\n"
    found = calls_in(text, most=4)
    assert [given.inputs["a"] for given in found.activations] == [0, 1, 2, 3]
    assert found.calls == 9
    assert found.notes == ("the first 4 of 9 calls are replayed",)


UNDEFINED = "LOOM accepts programs whose every step C defines"
CASES = {
    "an index out of range": (
        "int f(int n) {\n  int a[4] = {1};\n  return a[n];\n}\nint main(void) { f(4); }\n",
        "k.c:3:11: error[C_UNDEFINED]: found index 4 out of bounds for type 'int [4]'; "
        + UNDEFINED,
    ),
    "an index out of a parameter": (
        "int f(int a[4], int n) {\n  return a[n];\n}\n"
        "int main(void) { int b[4] = {0}; f(b, 6); }\n",
        "k.c:2:1: error[C_UNDEFINED]: found an access outside of a local array; " + UNDEFINED,
    ),
    "an array that is too short": (
        "int f(const int *a) { return a[0]; }\n#pragma loom size(a, 8)\n"
        "int g(const int *a) { return f(a); }\nint main(void) { int b[4] = {0}; g(b); }\n",
        "k.c: error[C_UNDEFINED]: found an array that is shorter than the kernel's parameter "
        f"says; {UNDEFINED}",
    ),
    "a division by zero": (
        "int f(int a) { return 8 / a; }\nint main(void) { f(0); }\n",
        f"k.c:1:25: error[C_UNDEFINED]: found division by zero; {UNDEFINED}",
    ),
    "a shift too far": (
        "int f(int a) {\n  return 8 << a;\n}\nint main(void) { f(32); }\n",
        "k.c:2:12: error[C_UNDEFINED]: found shift exponent 32 is too large for 32-bit type "
        f"'int'; {UNDEFINED}",
    ),
    "a variable that nothing was assigned to": (
        "\nint f(int a) {\n  int b;\n  if (a) b = 3;\n  return b;\n}\n"
        "int main(void) { f(1); f(0); }\n",
        "k.c:5:10: error[C_UNINITIALISED]: found call 1 of f, whose result is what b, read in line "
        "5, held before anything was assigned to it; LOOM accepts variables that are assigned "
        "first",
    ),
    "arrays that overlap": (
        "void f(int a[2], int b[2]) { a[1] = b[0] + 7; }\n"
        "int main(void) { int c[3] = {1, 2, 3}; f(c, c + 1); }\n",
        "k.c:1:1: error[C_OVERLAP]: found call 0 of f, in which a and b share elements; LOOM "
        "accepts arrays that do not overlap where the kernel writes; a copy of one",
    ),
    "no call": (
        "int f(int a) { return a; }\nint main(void) { return 0; }\n",
        "k.c: error[C_NO_CALLS]: found a main() that never calls f; LOOM accepts programs that "
        "call the kernel; or --inputs BUNDLE.json",
    ),
    "a crash": (
        "#include <stdlib.h>\nint f(int a) { return a; }\nint main(void) { f(1); abort(); }\n",
        "k.c: error[C_CRASHED]: found a main() that ends by the signal SIGABRT; LOOM accepts "
        "programs that end by themselves",
    ),
    "what the compiler of the system does not know": (
        "int f(int a) { return a; }\nint g(void);\nint main(void) { return f(g()); }\n",
        "k.c: error[C_COMPILE]: found LINK; LOOM accepts C that the system's compiler takes",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_c_does_not_define_is_refused(name: str) -> None:
    text, message = CASES[name]
    told = refusal(calls_in, text)
    before, _, after = message.partition("LINK")
    assert told.startswith(before) and told.endswith(after)


@pytest.mark.parametrize("type_", ["unsigned _BitInt(3)", "unsigned"])
def test_a_compiler_without_bit_int_is_told_as_such(
    type_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compiler is a script that takes nothing."""
    script = tmp_path / "cc"
    script.write_text('#!/bin/sh\necho "k.c:1:5: error: no such type" >&2\nexit 1\n')
    script.chmod(0o755)
    monkeypatch.setattr(native_compile, "find_compiler", lambda: str(script))
    text = f"{type_} f({type_} a) {{ return a; }}\nint main(void) {{ f(1); }}\n"
    told = refusal(calls_in, text)
    assert told.startswith("k.c:1:5: error[C_COMPILE]: found no such type; LOOM accepts C that")
    assert ("for _BitInt clang 15 or gcc 14; or --inputs" in told) == ("_BitInt" in type_)


CALLED = """#include "dynamatic/Integration.h"
int f(int a, int b[2]) { return a + b[1]; }
int main(void) { int b[2] = {3, 4}; CALL_KERNEL(f, 5, b); }
"""


def test_the_header_of_another_tool_names_the_call_of_the_kernel() -> None:
    assert calls_in(CALLED).calls == 1
    told = refusal(calls_in, CALLED.replace("Integration", "Other"))
    assert told.startswith("k.c:1:10: error[C_SYNTAX]: found 'dynamatic/Other.h' file not found")


def test_arrays_that_overlap_may_be_read() -> None:
    text = (
        "int f(int a[2], int b[2]) { return a[1] + b[0]; }\n"
        "int main(void) { int c[3] = {1, 2, 3}; return f(c, c + 1) - 4; }\n"
    )
    assert calls_in(text).calls == 1


def test_elements_that_nothing_was_assigned_to_may_stay_so() -> None:
    text = "void f(int a[3]) { a[1] = 5; }\nint main(void) { int b[3]; f(b); return b[1] - 5; }\n"
    assert calls_in(text).calls == 1


def test_a_program_that_does_not_end() -> None:
    text = "int f(int a) { return a; }\nint main(void) { while (f(1)) { } }\n"
    interface = read_c(text, "k.c").interface
    assert refusal(record_c, text, interface, None, RunOptions(seconds=1)) == (
        "k.c: error[C_TIMEOUT]: found a main() that still runs after 1 s; "
        "LOOM accepts programs that end, or a longer --run-time"
    )


def test_without_a_c_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "int f(int a) { return a; }\nint main(void) { return f(0); }\n"
    interface = read_c(text, "k.c").interface
    monkeypatch.setattr(native_compile, "find_compiler", lambda: None)
    assert refusal(record_c, text, interface) == (
        "k.c: error[C_NO_COMPILER]: found no C compiler to run main() with; LOOM accepts a machine "
        "with a C compiler called cc, gcc or clang; or --inputs BUNDLE.json"
    )


def test_a_compiler_without_sanitizers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "SANITIZERS", ("-fsanitize=everything",))
    text = "int f(int a) { return a; }\nint main(void) { return f(0); }\n"
    (note,) = calls_in(text).notes
    assert note == "the C compiler has no sanitizers: accesses out of range are not looked for"


def test_the_folders_of_headers_are_the_compilers() -> None:
    assert any(Path(folder, "stddef.h").exists() for folder in library.find_system_folders())


def test_unsigned_numbers_are_shown_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.c"
    file.write_text(
        "unsigned f(unsigned a, signed char s[1], unsigned char u[2]) {\n"
        "  s[0]--; u[1] += 200;\n  return a - 1;\n}\n"
        "int main(void) { signed char s[1] = {0}; unsigned char u[2] = {3, 4}; f(0, s, u); }\n"
    )
    assert main(["model", str(file)]) == 0
    assert "results 4294967295;" in capsys.readouterr().out
    assert main(["model", str(file), "--json"]) == 0
    run = json.loads(capsys.readouterr().out)["runs"][0]
    assert run["results"] == [4294967295]
    assert run["memories"] == {"s": [-1], "u": [3, 204]}
