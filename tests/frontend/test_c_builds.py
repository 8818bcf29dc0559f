"""How C is built: folders of headers, macros, first files, standards, and several files."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.front.api import compile_text
from loom.front.cli import main
from loom.front.request import Request
from loom.frontend.c.c_options import STANDARDS, COptions
from loom.frontend.c.read import CProgram, read_c
from loom.frontend.c.safety.includes import ACCEPTED
from loom.lower.structure import prepare_blocks
from loom.model.reference import generate_memory
from loom.model.reference.reference import compile_reference
from loom.native.programs import record_program
from loom.native.run_options import DEFAULTS
from tests.support.refusals import refusal

pytestmark = pytest.mark.usefixtures("no_clock_period")

FILES = {
    "inc/defs.h": "#ifndef SIZE\n#define SIZE 4\n#endif\ntypedef int word;\n",
    "inc/helper.h": "#include <defs.h>\n#include <stdint.h>\n"
    "static const word table[4] = {1, 2, 3, 4};\n"
    "static int mul(int a, int b) { return a * b; }\n",
    "inc/kernel.h": '#include "helper.h"\n#pragma loom size(x, 4)\n'
    "static int dot(const word *x, const word w[SIZE])\n{\n  int s = 0;\n"
    "#pragma loom unroll\n  for (int i = 0; i < SIZE; i++)\n"
    "    s += mul(x[i], w[i]) + table[i & 3];\n  return s;\n}\n",
    "src/main.c": '#define UNUSED\n#include "kernel.h"\n#if MODE != 2\n#error mode\n#endif\n'
    "int main(void) {\n  word a[4] = {1, 2, 3, 4}, b[SIZE] = {5, 6};\n  return !dot(a, b);\n}\n",
    "src/first.c": "int main(void) {\n  word a[4] = {1}, b[4] = {3};\n  return !dot(a, b);\n}\n",
    "src/x.c": "#include <defs.h>\nextern int total[2];\nint scale(int);\n"
    "static int twice(int a) { return 2 * a; }\n"
    "int f(int a) { total[0] += a; return scale(twice(a)) + total[1]; }\n",
    "src/y.c": "int total[2] = {1, 2};\nstatic int twice(int a) { return 3 * a; }\nint f(int);\n"
    "int scale(int a) { return twice(a) + 1; }\n"
    "int main(void) {\n  int r = f(3);\n  return f(r) == 0;\n}\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def read(file: Path, options: COptions, top: str | None = None) -> CProgram:
    return read_c(file.read_text(), str(file), top=top, options=options)


def results_of(file: Path, options: COptions, top: str) -> list[tuple[int, ...]]:
    """The results of the calls that main makes, those of C and of the circuit's reference alike."""
    program = read(file, options, top)
    found = record_program(file.read_text(), str(file), top, None, "c", DEFAULTS, options)
    assert found is not None
    reference = compile_reference(program.module, program.interface.name)
    for given in found.activations:
        outcome = reference.run([*given.inputs.values()])
        assert outcome.results == given.expected.results
        assert outcome.memories == given.expected.memories
    return [given.expected.results for given in found.activations]


def test_a_kernel_in_a_header_of_a_folder(folder: Path) -> None:
    options = COptions((str(folder / "inc"),), ("-DMODE=2",))
    assert results_of(folder / "src/main.c", options, "dot") == [(27,)]
    assert len(read(folder / "src/main.c", options).interface.inclusions) == 1


def test_a_header_that_is_no_utf_8_keeps_its_places(folder: Path) -> None:
    kernel = FILES["inc/kernel.h"].encode()
    (folder / "inc/kernel.h").write_bytes(b"/* \xe9t\xe9 */\n" + kernel)
    options = COptions((str(folder / "inc"),), ("-DMODE=2",))
    program = read(folder / "src/main.c", options)
    assert "unroll" in str(program.module)
    assert results_of(folder / "src/main.c", options, "dot") == [(27,)]


def test_macros_are_in_their_order(folder: Path) -> None:
    macros = ("-DMODE=1", "-UMODE", "-DMODE=2", "-DSIZE=5", "-USIZE", "-DSIZE=3")
    program = read(folder / "src/main.c", COptions((str(folder / "inc"),), macros))
    assert [slot.shape for slot in program.interface.slots] == [(4,), (3,)]
    wrong = COptions((str(folder / "inc"),), (*macros, "-UMODE"))
    assert "main.c:4:2: error[C_SYNTAX]: found mode" in refusal(read, folder / "src/main.c", wrong)


@pytest.mark.parametrize("standard", ["c99", "gnu11"])
def test_a_first_file_and_a_standard(folder: Path, standard: str) -> None:
    kernel = str(folder / "inc/kernel.h")
    options = COptions((str(folder / "inc"),), (), (kernel,), standard)
    assert results_of(folder / "src/first.c", options, "dot") == [(13,)]


def test_a_program_of_two_files(folder: Path) -> None:
    inc = (str(folder / "inc"),)
    one = COptions(inc, files=(str(folder / "src/y.c"),))
    assert results_of(folder / "src/x.c", one, "f") == [(21,), (129,)]
    other = COptions(inc, files=(str(folder / "src/x.c"),))
    assert results_of(folder / "src/y.c", other, "f") == [(21,), (129,)]


def test_the_place_of_an_undefined_step_is_that_of_its_file(folder: Path) -> None:
    (folder / "inc/kernel.h").write_text(FILES["inc/kernel.h"].replace("w[i]", "w[i + 1]"))
    options = COptions((str(folder / "inc"),), ("-DMODE=2",))
    found = refusal(results_of, folder / "src/main.c", options, "dot")
    assert found.startswith(f"{folder}/inc/kernel.h:8:") and "error[C_UNDEFINED]" in found


def test_the_command_takes_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-I", str(folder / "inc"), "-DMODE=2", str(folder / "src/main.c")]
    assert main(["model", *words, "--std", "gnu11"]) == 0
    assert "results 27" in capsys.readouterr().out
    words = [str(folder / "src/x.c"), str(folder / "src/y.c"), f"-I{folder / 'inc'}"]
    assert main(["model", *words, "--top", "f"]) == 0
    assert "results 129" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (COptions(("none",)), "-I: error[C_BUILD]: found 'none', which is no folder; LOOM accepts "
         "folders of headers"),
        (COptions(macros=("-D1=2",)), "-D: error[C_BUILD]: found '1=2'; LOOM accepts NAME or "
         "NAME=VALUE, in -U NAME alone"),
        (COptions(macros=("-Ua=2",)), "-U: error[C_BUILD]: found 'a=2'; LOOM accepts NAME or "
         "NAME=VALUE, in -U NAME alone"),
        (COptions(standard="c1"), "--std: error[C_BUILD]: found 'c1'; LOOM accepts "
         + ", ".join(STANDARDS)),
        (COptions(included=("/dev/zero",)), "-include: error[C_INCLUDE]: found the file /dev/zero, "
         f"which is a device; LOOM accepts {ACCEPTED}"),
    ],
)  # fmt: skip
def test_options_that_cannot_be_followed(options: COptions, message: str) -> None:
    assert refusal(read_c, "int f(int a) { return a; }\n", "k.c", options=options) == message


def test_headers_of_a_folder_are_as_safe_as_others(folder: Path) -> None:
    options = COptions((str(folder / "inc"),), ("-DMODE=2",))
    (folder / "inc/defs.h").unlink()
    (folder / "inc/defs.h").symlink_to("/dev/zero")
    place = f"{folder}/inc/helper.h:1:11: error[C_INCLUDE]"
    assert refusal(read, folder / "src/main.c", options).startswith(
        f"{place}: found the file {folder}/inc/defs.h, which is a device"
    )
    (folder / "inc/defs.h").unlink()
    (folder / "inc/defs.h").write_text('#include "/etc/passwd"\n')
    assert refusal(read, folder / "src/main.c", options) == (
        f"{folder}/inc/defs.h:1:10: error[C_INCLUDE]: found the file /etc/passwd; LOOM accepts "
        f"{ACCEPTED}"
    )


def test_options_of_c_are_for_c_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "examples/add.mlir", "-DX"]) == 2
    assert capsys.readouterr().err == (
        "examples/add.mlir: error[C_BUILD]: found options of C, or several files, with a file that "
        "is no C; LOOM accepts C, or --language c\n"
    )
    assert Request("", "k.c").c == COptions()


PRINTING = """#include <assert.h>
#include <stdio.h>
int f(int a) {
  printf("%d\\n", a++);
  if (a > 3) printf("more than 3\\n");
  assert(a > 0);
  return a;
}
"""


def test_what_prints_is_left_out_with_one_note_each() -> None:
    circuit = compile_text(PRINTING, "k.c")
    assert [note for note in circuit.notes if "k.c" in note] == [
        "k.c:4:3: printf has no circuit and is left out",
        "k.c:6:3: assert has no circuit and is left out",
    ]
    reference = compile_reference(circuit.source, circuit.top)
    assert reference.run([4]).results == (5,)
    assert "assert" not in circuit.dfg_text
    assert refusal(reference.run, [-1]) == (
        "k.c:6:3: error[REF_ASSERTION]: found an assertion that does not hold (a > 0) in "
        "cf.assert; LOOM accepts inputs for which it holds"
    )


ASSERTS = """#include <assert.h>
int f(int a[4], int b[4]) {
  int s = 0;
  for (int i = 0; i < 4; i++) {
    assert(a[i] < 100 && b[a[i] & 3] >= -5);
    s += a[i];
  }
  return s;
}
"""
PLAIN = "\n".join(line for line in ASSERTS.splitlines() if "assert" not in line)


def test_what_serves_assertions_alone_has_no_circuit_and_no_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without `serves_assertions` the loads of b are in the circuit, and count in the bound."""

    def found(text: str) -> tuple[int, int]:
        circuit = compile_text(text, "k.c")
        run = compile_reference(circuit.source, circuit.top).run([[9, 2, 3, 4], [1] * 4])
        return len(circuit.netlist.units), run.accesses["b"][0]

    assert found(ASSERTS) == found(PLAIN) and found(PLAIN)[1] == 0
    for module in (prepare_blocks, generate_memory):
        monkeypatch.setattr(module, "serves_assertions", lambda operation: False)
    units, loads = found(ASSERTS)
    assert units > found(PLAIN)[0] and loads == 4


def test_what_prints_is_refused_where_that_is_chosen() -> None:
    assert refusal(read_c, PRINTING, "k.c", options=COptions(console="refuse")) == (
        "k.c:4:3: error[C_CALL]: found a call of printf; LOOM accepts none in the kernel, or "
        "--console drop"
    )
