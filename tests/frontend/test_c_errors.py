"""What the C reader refuses: text, exact message; and what a person sees of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from loom.errors import LoomError, LoomErrors, Place
from loom.front.cli import main
from loom.front.excerpts import excerpt
from loom.frontend.c import library
from loom.frontend.c.pragmas.loop_pragmas import FORMS
from loom.frontend.c.read import read_c
from tests.support.refusals import refusal
from tests.support.row_files import read_rows

CASES = read_rows("c_errors.txt")


@pytest.mark.parametrize("name", CASES)
def test_message(name: str) -> None:
    text, message = CASES[name]
    assert refusal(read_c, text, "k.c") == message.replace("FORMS", FORMS)


def test_a_person_sees_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.c"
    file.write_text("int f(int a) {\n\treturn a +\n\t  g(a);\n}\nint g(int);\n")
    assert main(["check", str(file)]) == 2
    assert capsys.readouterr().err == (
        f"{file}:3:4: error[C_SYNTAX]: found call to undeclared function 'g'; ISO C99 and later do "
        "not support implicit function declarations; LOOM accepts C that compiles\n"
        "    3 |    g(a);\n"
        "      |    ^\n"
    )


def test_later_errors_show_the_line_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.c"
    file.write_text("int f(int a[2], int n) {\n  return a[n + 2];\n}\n")
    assert main(["model", str(file)]) == 2
    assert "    2 |   return a[n + 2];\n      |          ^\n" in capsys.readouterr().err


def test_no_excerpt_of_what_is_not_there() -> None:
    assert excerpt(Place("k.mlir", 1, 1)) == excerpt(Place("none.c", 1, 1)) == ""


def test_without_libclang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clang", None)
    library.load_libclang.cache_clear()
    with pytest.raises(LoomError) as caught:
        read_c("int f(void) { return 1; }", "k.c")
    library.load_libclang.cache_clear()
    assert str(caught.value) == (
        "loom: error[C_NO_LIBCLANG]: found a C file, but no module clang.cindex; LOOM accepts "
        "an installation with the extra `c`: pip install 'loom-hls[c]'"
    )


def test_a_nest_deeper_than_python_can_follow() -> None:
    text = "int f(int a) {\n" + "if (a > 1) a--; else " * 3000 + "a++;\nreturn a;\n}\n"
    with pytest.raises((LoomError, LoomErrors)) as caught:
        read_c(text, "k.c")
    assert "error[C_TOO_DEEP]: found statements, expressions or calls nested too deep" in (
        str(caught.value)
    )


def test_nests_that_the_command_can_follow(tmp_path: Path) -> None:
    file = tmp_path / "k.c"
    branches = "if (a > 1) a--; else " * 150
    file.write_text("int f(int a) {\n" + branches + "a++;\nreturn a;\n}\n")
    assert main(["check", str(file)]) == 0


def test_arguments_of_one_name_get_another_one() -> None:
    text = "struct s { int x; };\nint f(struct s p, int p_x) { return p.x - 2 * p_x; }\n"
    names = [slot.name for slot in read_c(text, "k.c").interface.slots]
    assert names == ["p_x", "p_x_"]
