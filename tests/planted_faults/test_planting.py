"""A fault that no longer finds its text fails with what to do; what is planted goes away again."""

from __future__ import annotations

from pathlib import Path

import pytest
from loom_sim import kernel

from loom.emit import emit
from tests.planted_faults.change import Change, FaultNotFoundError
from tests.planted_faults.circuits import adder
from tests.planted_faults.planting import plant_in_python, plant_in_template

JOBS = "sim/loom_sim/jobs.py"


@pytest.mark.parametrize("times", (0, 2))
def test_a_text_that_is_not_there_once_is_refused(tmp_path: Path, times: int) -> None:
    (tmp_path / "a.sv").write_text("assign x = y;\n" * times)
    with pytest.raises(FaultNotFoundError) as refused:
        Change("a.sv", "x = y", "x = ~y").text(tmp_path)
    assert str(refused.value) == (
        f"a planted fault has lost its place: a.sv has {times} times (not once)\n"
        "    x = y\n"
        "Find the text that does the same now, and write it and the same fault into the table in "
        "tests/planted_faults/. If nothing does the same any more, the check that the fault shows "
        "needs another fault: do not just delete the row."
    )


def test_a_change_that_changes_nothing_is_refused() -> None:
    with pytest.raises(FaultNotFoundError):
        Change("a.sv", "x", "x").apply("x")


def test_python_is_as_before_afterwards() -> None:
    before = kernel.results_of.__code__
    change = Change("sim/loom_sim/kernel.py", "run.outputs[port.name][:1]", "(7, 8)")
    with plant_in_python(change):
        assert kernel.results_of.__code__ != before
    assert kernel.results_of.__code__ == before


@pytest.mark.parametrize(
    "old, new", (('"""The jobs of', '"""All jobs of'), ("seed: int = 1", "seed: int = 2"))
)
def test_a_change_of_what_has_already_run_is_refused(old: str, new: str) -> None:
    with (
        pytest.raises(FaultNotFoundError, match="in no function"),
        plant_in_python(Change(JOBS, old, new)),
    ):
        pass


def test_templates_are_as_before_afterwards() -> None:
    before = emit(adder())
    file = "rtl/loom_buffer_seq_2.sv"
    with plant_in_template(
        Change(
            "rtl_templates/primitives/buffer.sv.j2",
            "assign out_data_o = front_q;",
            "assign out_data_o = '1;",
        )
    ):
        planted = emit(adder())
    assert {name for name in before if before[name] != planted[name]} == {file}
    assert emit(adder()) == before
