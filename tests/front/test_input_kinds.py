"""A file of another kind is called by its name, with what may be given instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.front.cli import main

KINDS: dict[str, tuple[bytes, str]] = {
    "k.mlirbc": (b"ML\xefR\x01", "found MLIR bytecode; LOOM accepts the text that mlir-opt prints"),
    "k.bc": (b"BC\xc0\xde", "found LLVM bitcode"),
    "k": (b"\x7fELF\x02\x01", "found a compiled program"),
    "k.mlir": (b"\x1f\x8b\x08", "found a gzip archive"),
    "u.mlir": ("module {}".encode("utf-16"), "found UTF-16 text; LOOM accepts UTF-8 text"),
    "k.sv": (b"module f;\nendmodule\n", "found a file whose name says that it is Verilog (.sv)"),
    "k.cpp": (b"int f();", "is C++ (.cpp); LOOM accepts C; --language c if it is C all the same"),
    "loom.toml": (b"[loom]\n", "is settings (.toml)"),
    "b.json": (b'{"inputs": {"a": 1}}', "found a bundle of inputs"),
}
NETLIST = b'{"schema": "loom-netlist-1"}'


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_named(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, message = KINDS[name]
    (tmp_path / name).write_bytes(data)
    assert main(["check", str(tmp_path / name)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "error[INPUT_KIND]" in line and message in line


@pytest.mark.parametrize("verb", [["compile", "-o", "out"], ["lower"]])
def test_a_netlist_is_no_program(
    verb: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.netlist.json").write_bytes(NETLIST)
    assert main([*verb, str(tmp_path / "k.netlist.json")]) == 2
    assert "error[INPUT_KIND]: found JSON text: a netlist or a bundle" in capsys.readouterr().err


def test_a_language_that_is_said_is_read(tmp_path: Path) -> None:
    (tmp_path / "k.cpp").write_text("int f(int a) { return a + 1; }\n")
    assert main(["check", "--language", "c", str(tmp_path / "k.cpp")]) == 0


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "k.mlir").write_bytes(b"\xef\xbb\xbffunc.func @f() {\n  return\n}\n")
    assert main(["check", str(tmp_path / "k.mlir")]) == 0


def test_the_longest_input_may_be_beyond_every_machine(tmp_path: Path) -> None:
    (tmp_path / "k.mlir").write_text("func.func @f() {\n  return\n}\n")
    for most in (1 << 20, 1 << 63):  # beyond the memory, beyond every integer
        assert main(["check", "--max-input", str(most), str(tmp_path / "k.mlir")]) == 0
