"""Static loops of dynamic circuits over arrays in banks: in the models and in RTL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.dialects.operators.island_operator import ISLAND
from loom.errors import LoomError, LoomErrors
from loom.front.api import compile_text, netlist_from_text
from loom.front.circuit import Circuit
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed
from loom.netlist.json_text import to_json
from tests.random_programs.grow_program import grow_program
from tests.random_programs.islands import judge_with_islands
from tests.random_programs.print_program import text_of
from tests.random_programs.verdict import Choice
from tests.static.memories.test_static_banks import CUTS, cut
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs
from tests.support.rtl.clean import passes_slang, require_clean_in_icarus, write_rtl

INPUTS = (*RTL_INPUTS, "loom/emit", "rtl_templates/static", "rtl_templates/memory",
          "loom/lower/static")  # fmt: skip
MOST = 20_000
"""Longer than any activation here [cycles]."""


@cache
def islands(name: str, *, clocked: bool = True) -> tuple[Circuit, Sequence[Activation]]:
    """The dynamic circuit of a program in banks whose outermost loops are static."""
    text, options = CUTS[name]
    if not clocked:
        options = replace(options, clock_period=None)
    text = re.sub(r"@\w+\(", f"@{name}(", text, count=1)
    text = text.replace("\n  }\n", '\n  } {loom.style = "static"}\n')
    assert '"static"' in text
    return compile_text(text, f"{name}.mlir", options=options), cut(name)[1]


@pytest.mark.parametrize("name", CUTS)
def test_the_models_do_what_the_program_does(name: str) -> None:
    circuit, given = islands(name)
    netlist = circuit.netlist
    assert any(unit.operator is ISLAND for unit in netlist.units)
    report = compare_models(circuit.source, circuit.top, netlist, given, max_cycles=MOST)
    assert list(report.differences) == []
    assert to_json(netlist_from_text(to_json(netlist))) == to_json(netlist)


def test_an_entry_takes_two_cycles_more_than_its_schedule() -> None:
    """One cycle more than the static function, whose results are there in its last cycle.

    Without a clock: for one a function has room for wires, as large as it is.
    """
    for name in ("fir", "matmul"):
        circuit, given = islands(name, clocked=False)
        cycles = [run.cycles for run in run_timed(circuit.netlist, given)]
        assert cycles == [each + 1 for each in cut(name, clocked=False)[0].cycles(given, MOST)]


TEXTS = {
    "another bank": (
        r"(\"load_banks\": \[\s*)0,(\s*)1,",
        r"\g<1>1,\g<2>0,",
        "bank 0 of array samples",
    ),
    "the bank of another access": (
        r"(\"load_banks\": \[\s*)0,",
        r"\g<1>1,",
        "load 2 of unit .* no other of the unit takes",
    ),
    "no bank that is known": (r"(\"load_banks\": \[\s*)0,", r"\g<1>-1,", "of a known bank"),
    "a bank that is not": (r"loom.bank = 3", "loom.bank = 4", "an access of bank 4 of 4"),
    "another partition": (r"100%4(?=\\\\|>|\\\")", "100/25", "bank 0 of array samples"),
}


@pytest.mark.parametrize("fault", TEXTS)
def test_a_netlist_of_other_banks_is_refused(fault: str) -> None:
    pattern, new, said = TEXTS[fault]
    text = to_json(islands("fir")[0].netlist)
    wrong = re.sub(pattern, new, text, count=1)
    assert wrong != text
    with pytest.raises((LoomError, LoomErrors), match=said):
        netlist_from_text(wrong)


def kernel_of(name: str) -> tuple[Kernel, Sequence[Activation]]:
    """The circuit and its inputs."""
    circuit, given = islands(name)
    return Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files()), given


@pytest.mark.from_sources
@pytest.mark.sim
@pytest.mark.parametrize("stalls", [0.0, 0.4])
def test_in_rtl(stalls: float, deep: Deep) -> None:
    """Each answer comes in its cycle, which the text asserts."""
    loaded = [kernel_of(name) for name in CUTS]
    deep(*INPUTS, texts=describe_runs(loaded))
    kernels, given = zip(*loaded, strict=True)
    reports = cosimulate_kernels(kernels, given, SimOptions(stalls=stalls, max_cycles=MOST))
    assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []
    if not stalls:
        for kernel, inputs, report in zip(kernels, given, reports, strict=True):
            measured = [run.cycles for run in report.rtl.runs]
            assert measured == [run.cycles for run in run_timed(kernel.netlist, inputs)]


@pytest.mark.sim
def test_a_fault_in_the_text_is_seen(deep: Deep) -> None:
    kernel, given = kernel_of("swaps")
    (path,) = (each for each in kernel.files if "island" in each)
    text = re.sub(r"(assign a_hit\w* =) ([^;]*);", r"\1 1'b1 | (\2);", kernel.files[path])
    assert text != kernel.files[path]
    wrong = replace(kernel, files={**kernel.files, path: text})
    deep(*INPUTS, texts=describe_runs([(wrong, given)]))
    (report,) = cosimulate_kernels([wrong], [given], SimOptions(max_cycles=MOST))
    assert not report.match


CLEAN = ("fir", "swaps", "swaps_words")


def write(name: str, folder: Path) -> list[str]:
    """The files of a circuit with static loops, parts first, in a folder."""
    return [str(folder / path) for path in write_rtl(islands(name)[0].files(), name, folder)]


@pytest.mark.parametrize("name", CLEAN)
def test_slang_has_no_warning(name: str, tmp_path: Path) -> None:
    assert passes_slang(write(name, tmp_path), name)


@pytest.mark.parametrize("name", CLEAN)
def test_icarus_has_no_warning(name: str, tmp_path: Path) -> None:
    require_clean_in_icarus(write(name, tmp_path), name, tmp_path)


@pytest.mark.usefixtures("deep_on_sources")
def test_no_finding_in_random_programs() -> None:
    for seed in range(8500, 8540):
        verdict = judge_with_islands(text_of(grow_program(seed)), Choice(2, False).setting(seed))
        assert verdict.finding is None, (seed, verdict.finding)
