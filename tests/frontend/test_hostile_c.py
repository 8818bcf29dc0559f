"""C files that ask for too much: macros, nests, headers of all kinds; each refused in seconds."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from loom.errors import LoomError
from loom.front.cli import main
from loom.frontend.c.read import read_c
from loom.frontend.c.safety import safe_parse
from loom.frontend.c.safety.includes import ACCEPTED
from loom.frontend.c.safety.macro_sizes import find_largest_expansion
from loom.frontend.python.read import read_python
from loom.input_files import read_text
from tests.support.refusals import refusal

pytestmark = pytest.mark.usefixtures("no_clock_period")
"""These are about programs, not registers: placement for a period has tests of its own."""

BODY = "int f(int a) { return a; }\n"


def bomb(uses: int, macros: int) -> str:
    """A sum of uses^macros terms, by macros each of which uses the one before so often."""
    lines = ["#define A0 " + "+".join("a" * uses)]
    for k in range(1, macros):
        lines.append(f"#define A{k} " + "+".join([f"A{k - 1}"] * uses))
    return "\n".join([*lines, f"int f(int a) {{ return A{macros - 1}; }}\n"])


# Sums of any length


@pytest.mark.parametrize("terms", [500, 20_000])
def test_a_flat_sum_in_c(terms: int) -> None:
    module = read_c(f"int f(int a) {{ return {'+'.join('a' * terms)}; }}\n", "k.c").module
    assert sum(op.name == "arith.addi" for op in module.walk()) == terms - 1


def test_a_flat_sum_in_python() -> None:
    begin = "import loom\nimport numpy as np\n@loom.kernel\ndef f(a: np.int32) -> np.int32:\n"
    module = read_python(f"{begin}    return {'+'.join('a' * 500)}\n", "k.py").module
    assert sum(op.name == "arith.addi" for op in module.walk()) == 499


def test_a_flat_sum_in_mlir(tmp_path: Path) -> None:
    terms = " + ".join(["d0"] * 500)
    text = f"affine.apply affine_map<(d0) -> ({terms})>(%a)"
    made = f"func.func @f(%a: index) -> index {{\n  %r = {text}\n  return %r : index\n}}\n"
    (tmp_path / "k.mlir").write_text(made)
    assert main(["lower", str(tmp_path / "k.mlir"), "-o", str(tmp_path / "o.mlir")]) == 0


def test_a_long_condition_and_a_long_comma(tmp_path: Path) -> None:
    tests = " && ".join(f"a != {k}" for k in range(500))
    steps = ", ".join(["a += 1"] * 5000)
    file = tmp_path / "k.c"
    file.write_text(f"int f(int a) {{ if ({tests}) a++; {steps}; return a; }}\n")
    assert main(["lower", str(file), "-o", str(tmp_path / "k.mlir")]) == 0


# Macros and nests


def test_a_macro_bomb_of_100_000_terms() -> None:
    assert refusal(read_c, bomb(10, 5), "k.c") == (
        "k.c:6:23: error[C_TOO_LARGE]: found a function of more than 262144 names, constants and "
        "operators; LOOM accepts functions up to that size, with macros expanded; loops and arrays"
    )


def test_a_macro_bomb_that_clang_does_not_survive() -> None:
    assert refusal(read_c, bomb(4, 11), "k.c") == (
        "k.c:12:23: error[C_TOO_LARGE]: found a file for which clang needs too much memory or "
        "stack; the macro A10 expands to about 8388607 tokens; LOOM accepts programs of fewer "
        "tokens and nests, with macros and headers expanded"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"int f(int a) {{ return {'- ' * 5000}a; }}\n", "k.c:1:4019"),
        (f"int f(int a) {{ return {'(int) ' * 3000}a; }}\n", "k.c:1:12011"),
        (f"int f(int a) {{ return {'a ? 1 : ' * 3000}a; }}\n", "k.c:1:15991"),
        (f"int g = {'- ' * 3000}1;\n{BODY}", "k.c:1:4009"),
    ],
    ids=["minus", "casts", "choices", "a global"],
)  # fmt: skip
def test_a_nest_deeper_than_the_stack(text: str, message: str) -> None:
    found = refusal(read_c, text, "k.c")
    assert found.startswith(message) and found.endswith(
        ": error[C_TOO_DEEP]: found statements, expressions or calls nested too deep; "
        "LOOM accepts nests of up to 400"
    )


def test_headers_without_end_are_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_parse, "SECONDS", 1.0)
    lines = ["#if __INCLUDE_LEVEL__ < 40", *['#include "h.h"'] * 2, "#endif"]
    (tmp_path / "h.h").write_text("\n".join(lines) + "\n")
    assert refusal(read_c, f'#include "h.h"\n{BODY}', str(tmp_path / "k.c")) == (
        f"{tmp_path}/k.c:1:1: error[C_TOO_LARGE]: found a file that clang does not read in 1 s; "
        "LOOM accepts programs of fewer tokens and nests, with macros and headers expanded"
    )


def test_memory_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_parse, "MEMORY", 1 << 30)
    text = f"int g[1 << 30] = {{ [0 ... (1 << 30) - 1] = 1 }};\n{BODY}"
    assert "error[C_TOO_LARGE]: found a file for which clang needs" in refusal(read_c, text, "k.c")


def test_the_largest_macro_is_found() -> None:
    text = "#define ONE 1\n#define TWICE(x) x + x\n#define MANY TWICE(TWICE(3))\nONE MANY X\n"
    assert find_largest_expansion(text) == (text.index("MANY X"), "MANY", 19)
    assert find_largest_expansion("#define LOOP LOOP + LOOP\nLOOP\n") == (25, "LOOP", 3)
    assert find_largest_expansion("#define UNUSED 1\n") is None


# Headers

SPECIAL: dict[str, tuple[Callable[[Path], object], str]] = {
    "a pipe": (lambda path: os.mkfifo(path), "which is a named pipe"),
    "a folder": (lambda path: path.mkdir(), "which is a directory"),
    "a socket": (lambda path: socket.socket(socket.AF_UNIX).bind(str(path)), "which is a socket"),
    "a device": (lambda path: path.symlink_to("/dev/zero"), "which is a device"),
}


@pytest.mark.parametrize("kind", SPECIAL)
def test_a_header_that_is_no_regular_file(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, words = SPECIAL[kind]
    monkeypatch.chdir(tmp_path)
    make(Path("x.h"))
    wanted = f"k.c:1:11: error[C_INCLUDE]: found the file ./x.h, {words}; LOOM accepts {ACCEPTED}"
    assert refusal(read_c, f'#include "x.h"\n{BODY}', "k.c") == wanted


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/urandom", "/dev/stdin"])
def test_a_device_is_no_header(name: str) -> None:
    found = refusal(read_c, f"/* */ #include <x>\n#include <{name}>\n{BODY}", "k.c")
    assert f"k.c:2:11: error[C_INCLUDE]: found the file {name}, which is a" in found


@pytest.mark.parametrize("written", ["SECRET", "../SECRET", "link.h", "inner/../../secret"])
def test_nothing_is_shown_of_files_elsewhere(
    written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, folder = tmp_path / "secret", tmp_path / "source"
    secret.write_text("root:$6$hash:1\n")
    (folder / "inner").mkdir(parents=True)
    monkeypatch.chdir(folder)
    Path("link.h").symlink_to(secret)
    name = written.replace("../SECRET", "../secret").replace("SECRET", str(secret))
    found = refusal(read_c, f'#include "{name}"\n{BODY}', "k.c")
    shown = name if name.startswith("/") else f"./{name}"
    assert found == (f"k.c:1:10: error[C_INCLUDE]: found the file {shown}; LOOM accepts {ACCEPTED}")


def test_a_foreign_file_behind_a_header_has_the_place_of_the_directive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.h").write_text('\n#include "/etc/passwd"\n')
    found = refusal(read_c, f'#include "x.h"\n{BODY}', "k.c")
    assert found.startswith("./x.h:2:10: error[C_INCLUDE]: found the file /etc/passwd; ")


def test_a_foreign_file_that_a_condition_leaves_out_is_no_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("inner").mkdir()
    Path("inner/x.h").write_text("#define ONE 1\n")
    text = '#if 0\n#include "/etc/passwd"\n#endif\n#include "inner/x.h"\n#include <stdint.h>\n'
    read_c(f"{text}int f(int a) {{ return a + ONE; }}\n", "k.c")


def test_a_macro_names_no_header() -> None:
    text = f'#define X "/dev/zero"\n#include X\n{BODY}'
    assert refusal(read_c, text, "k.c") == (
        "k.c:2:10: error[C_INCLUDE]: found an #include of a file that a macro names; "
        'LOOM accepts the name itself: "x.h", <x.h>'
    )


def test_a_header_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Path("x.h").open("w") as stream:
        stream.truncate(17 << 20)
    assert refusal(read_c, f'#include "x.h"\n{BODY}', "k.c") == (
        "k.c:1:11: error[C_INCLUDE]: found the file ./x.h of more than 16 Mi bytes; "
        "LOOM accepts headers up to that size"
    )


# The file itself


def test_an_input_that_is_no_regular_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("loop").symlink_to("loop")
    folder = (
        "a directory; LOOM accepts a regular file, or -; loom regress takes a folder of kernels"
    )
    for name, what in (("pipe", "a named pipe"), ("/dev/urandom", "a device"), (".", folder)):
        accepted = "" if what == folder else "; LOOM accepts a regular file, or -"
        assert refusal(read_text, name) == (
            f"{name}: error[INPUT_UNREADABLE]: found {what}{accepted}"
        )
    assert "found Too many levels of symbolic links" in refusal(read_text, "loop")


def test_a_pipe_of_the_shell_is_read() -> None:
    reader, writer = os.pipe()
    os.write(writer, BODY.encode())
    os.close(writer)
    assert read_text(f"/dev/fd/{reader}") == BODY
    os.close(reader)


def test_clang_is_called_where_the_stack_is_large() -> None:
    with pytest.raises(LoomError, match="C_SYNTAX"):
        safe_parse.run_on_large_stack(lambda: read_error())
    assert safe_parse.NO_THREADS not in os.environ


def read_error() -> None:
    assert safe_parse.NO_THREADS in os.environ
    raise LoomError("C_SYNTAX", safe_parse.Place("k.c"), "x", "y")
