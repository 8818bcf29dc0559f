"""Float units are IEEE arithmetic for all operands, says a solver; a planted fault it finds."""

from __future__ import annotations

import pytest

from loom.dialects.floats.formats import FORMATS
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.float_hardware import DIGITS
from loom.dialects.operators.float_shapes import float_shape
from loom.emit.modules import module_of
from loom.emit.render import render_module
from tests.support.deep import UNIT_INPUTS, Deep
from tools.floats import equivalence
from tools.floats.equivalence import THEORY, Question, answer
from tools.prove.transparent import registers, transparent

CONVERSIONS = (
    Question("arith.extf", "f16", "f32"),
    Question("arith.extf", "f32", "f64"),
    Question("arith.truncf", "f32", "f16"),
    Question("arith.truncf", "f64", "f32"),
)
POWERS = (0, 1, 9, -1, -3, -4, -14)
"""Exponents of two of constant factors."""
ROUNDINGS = ("floor", "ceil", "trunc", "round", "roundeven")
QUESTIONS = (
    *(Question(name, "e3m2") for name in ("arith.addf", "arith.subf", "arith.mulf", "arith.divf")),
    Question("arith.addf", "bf16"),
    Question("arith.subf", "f16"),
    Question("math.fma", "e3m2"),
    Question("math.sqrt", "e4m4"),
    *(Question(f"math.{name}", form) for name in ROUNDINGS for form in ("e2m1", "f32")),
    *CONVERSIONS,
    *(
        Question(
            "arith.mulf", form.name, factor=form.one + k * form.hidden_bit + k % 2 * form.sign_bit
        )
        for form in FORMATS.values()
        for k in POWERS
    ),
)


def test_every_row_of_the_theory_is_asked() -> None:
    assert {question.operator for question in QUESTIONS} == set(THEORY)


@pytest.mark.sim
@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_the_unit_is_right_for_all_operands(question: Question, deep: Deep) -> None:
    deep(*UNIT_INPUTS, "tools/floats", "tools/prove")
    assert answer(question, 100) == "unsat"


@pytest.mark.sim
def test_a_planted_fault_has_operands(monkeypatch: pytest.MonkeyPatch, deep: Deep) -> None:
    deep(*UNIT_INPUTS, "tools/floats", "tools/prove")

    def broken(text: str, name: str) -> str:
        return transparent(text, name).replace("half & (rest | kept[0])", "half & rest")

    monkeypatch.setattr(equivalence, "transparent", broken)
    assert answer(Question("arith.addf", "f16"), 100) == "sat"


@pytest.mark.sim
def test_another_factor_is_another_function(monkeypatch: pytest.MonkeyPatch, deep: Deep) -> None:
    deep(*UNIT_INPUTS, "tools/floats", "tools/prove")
    monkeypatch.setattr(equivalence, "parameters", lambda _: "-G RHS=16'h3400 ")
    assert answer(Question("arith.mulf", "f16", factor=0x3800), 100) == "sat"


def test_registers_are_listed_by_stage() -> None:
    operator = CATALOGUE["arith.divf"]
    shape = float_shape(operator, {"format": "e2m1"}, 1)
    module = module_of(operator, shape, None, "k")
    text = render_module(module).text
    found = registers(text, module.latency, DIGITS)
    assert [stage[0] for stage in found] == [
        "sign_1", "sign_2", "stage[2].remainder", "stage[4].remainder", "sign_of_quotient_3",
        "sign_of_quotient_4", "result_5",
    ]  # fmt: skip
    assert "result_5 <=" in text and "result_5 <=" not in transparent(text, module.name)
