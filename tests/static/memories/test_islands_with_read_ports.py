"""Static loops of dynamic circuits over arrays with two read ports: in the models and in RTL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

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
from tests.static.memories.test_static_read_ports import CIRCUITS, MOST, circuit_of, inputs_of
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs

INPUTS = (*RTL_INPUTS, "loom/emit", "rtl_templates/static", "rtl_templates/memory",
          "loom/lower/static")  # fmt: skip
NAMES = tuple(name for name in CIRCUITS if name not in ("lookup_outside", "window_exact"))
"""Those that are not for static functions alone."""


@cache
def islands(name: str) -> tuple[Circuit, Sequence[Activation]]:
    """The dynamic circuit of a program whose outermost loops are static."""
    text, options = CIRCUITS[name]
    marked = text.replace("\n  }\n", '\n  } {loom.style = "static"}\n')
    assert '"static"' in marked
    circuit = compile_text(marked.replace("@f(", f"@{name}("), f"{name}.mlir", options=options)
    return circuit, inputs_of(text)


@pytest.mark.parametrize("name", NAMES)
def test_the_models_do_what_the_program_does(name: str) -> None:
    circuit, given = islands(name)
    netlist = circuit.netlist
    assert any(unit.operator is ISLAND for unit in netlist.units)
    report = compare_models(circuit.source, circuit.top, netlist, given, max_cycles=MOST)
    assert list(report.differences) == []
    assert to_json(netlist_from_text(to_json(netlist))) == to_json(netlist)


def test_an_entry_takes_two_cycles_more_than_its_schedule() -> None:
    """One cycle more than the static function, whose results are there in its last cycle."""
    circuit, given = islands("lookup")
    cycles = [run.cycles for run in run_timed(circuit.netlist, given)]
    static = circuit_of("lookup")[0].cycles(given, MOST)
    assert cycles[1:] == [each + 1 for each in static[1:]]


TEXTS = {
    "one port": (r'"ports": 2', '"ports": 1', "load 1 of unit .* no other of the unit takes"),
    "a schedule of one port": (r"loom.ports = 2 : i64", "loom.ports = 1 : i64",
                               "STATIC_PORTS.* 2 accesses in cycle .* but 1 read port"),
    "a schedule of three ports": (r"loom.ports = 2 : i64", "loom.ports = 3 : i64",
                                  "STATIC_MACHINE.* LOOM accepts 1 or 2"),
}  # fmt: skip


@pytest.mark.parametrize("fault", TEXTS)
def test_a_netlist_of_other_ports_is_refused(fault: str) -> None:
    pattern, new, said = TEXTS[fault]
    text = to_json(islands("lookup")[0].netlist)
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
    """Each answer comes in its cycle, which the text asserts; stalls are of shy sinks."""
    loaded = [kernel_of(name) for name in NAMES]
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
    """Both loads of a cycle ask for the element of the first."""
    kernel, given = kernel_of("lookup")
    (path,) = (each for each in kernel.files if "island" in each)
    text = kernel.files[path]
    asked = re.findall(r"assign ld_address\d_data_o = (.*);", text)
    assert len(asked) >= 2
    wrong = text
    for k, other in enumerate(asked[1::-1]):
        wrong = re.sub(rf"(assign ld_address{k}_data_o =) .*;", rf"\1 {other};", wrong)
    assert wrong != text
    faulty = replace(kernel, files={**kernel.files, path: wrong})
    deep(*INPUTS, texts=describe_runs([(faulty, given)]))
    (report,) = cosimulate_kernels([faulty], [given], SimOptions(max_cycles=MOST))
    assert not report.match
