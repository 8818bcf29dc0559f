"""A circuit is called as its function, unless every design has that name already."""

from __future__ import annotations

import pytest

from loom.front.api import compile_text
from loom.netlist.names import TAKEN, is_module_name, module_name


@pytest.mark.parametrize("name", ["class", "std", "randomize", "TOP"])
def test_a_name_that_is_taken_gets_an_underscore(name: str) -> None:
    """Of `std` every simulator says that it stands twice, of `TOP` Verilator."""
    text = f"func.func @{name}(%a: i32) -> i32 {{ return %a : i32 }}"
    circuit = compile_text(text)
    assert circuit.netlist.name == f"{name}_"
    assert f"rtl/{name}_.sv" in circuit.files()


def test_no_name_is_taken_twice() -> None:
    assert all(is_module_name(module_name(name)) for name in TAKEN)
    assert module_name("top") == "top" and module_name("1") == "arg1"
