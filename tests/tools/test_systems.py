"""The example systems on an FPGA: areas apart, their limits, what is kept, the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loom_sim.placement.place_circuit import Placed

from loom.analysis.timing.unit_costs import Area
from tests.support.deep import Deep
from tests.support.folders import DOCS, EXAMPLES, ROOT
from tools.systems import __main__ as command
from tools.systems.areas import Areas, Part, areas_of, split
from tools.systems.circuits import SYSTEMS, Modules, modules_of
from tools.systems.measure import FILE, Measured, Row, measure_all, measured_of

MOST_OF_A_PART = 500
"""Of a master or an adapter [LUT4]."""
MOST_OF_THE_REST = {"fir": 350, "fir_in_memory": 350, "convolve": 0, "spmv": 500}
"""Of port and registers; `spmv` has five base addresses [LUT4]."""
SMALL = Areas(Area(40, 30, 1, 0), (Part("loom_axi4_read", 2, Area(10, 5, 0, 0)),),
              Area(7, 8, 0, 1))  # fmt: skip
MEASURED = Measured(SMALL, Placed(Area(60, 48, 1, 1), 10.0), Placed(None, None, "none"), "these")


def over_limit(areas: Areas, of_a_part: int, of_the_rest: int) -> list[str]:
    """What of a wrapper takes more: masters and adapters, and the port with its registers."""
    wide = [part.name for part in areas.parts if part.area.luts > of_a_part]
    return [*wide, *(["rest"] if areas.rest.luts > of_the_rest else [])]


@pytest.mark.sim
@pytest.mark.parametrize("name", SYSTEMS)
def test_wrappers_stay_below_their_limits(name: str, deep: Deep) -> None:
    system = modules_of(SYSTEMS[name], EXAMPLES)
    deep("sim/loom_sim/placement", "tools/systems/areas.py", texts=system.texts)
    areas = areas_of(system)
    assert areas.kernel.luts > 200 and areas.wrapper.luts > 40
    assert over_limit(areas, MOST_OF_A_PART, MOST_OF_THE_REST[name]) == []
    parts = [part.name for part in areas.parts]
    assert over_limit(areas, 20, 200) == parts + (["rest"] if MOST_OF_THE_REST[name] else [])
    masters = {"fir": 0, "fir_in_memory": 2, "convolve": 2, "spmv": 5}
    assert sum(part.instances for part in areas.parts) == masters[name]


def a_system(kernel: int, adapter: int, wrapper: int) -> Modules:
    """A system whose parts have registers of so many bits."""
    texts = [
        f"module {name} (input logic clk_i, input logic [{bits - 1}:0] d_i, "
        f"output logic [{bits - 1}:0] q_o);\n  always_ff @(posedge clk_i) q_o <= d_i;\n"
        "endmodule\n"
        for name, bits in (("kernel", kernel), ("loom_axis_read", adapter))
    ]
    pins, body = ["input logic clk_i"], list[str]()
    instances = (("kernel", "one", kernel), ("loom_axis_read", "two", adapter),
                 ("loom_axis_read", "three", adapter))  # fmt: skip
    for module, name, bits in instances:
        pins += [f"input logic [{bits - 1}:0] {name}_i", f"output logic [{bits - 1}:0] {name}_o"]
        body.append(f"  {module} {name} (.clk_i(clk_i), .d_i({name}_i), .q_o({name}_o));")
    pins += [f"input logic [{wrapper - 1}:0] own_i", f"output logic [{wrapper - 1}:0] own_o"]
    body.append("  always_ff @(posedge clk_i) own_o <= own_i;")
    top = f"module top (\n  {', '.join(pins)});\n" + "\n".join(body) + "\nendmodule\n"
    return Modules((*texts, top), "top", "kernel")


@pytest.mark.sim
@pytest.mark.parametrize("bits", [(5, 3, 2), (6, 3, 2), (5, 4, 2), (5, 3, 3)])
def test_a_register_counts_where_it_stands(bits: tuple[int, int, int]) -> None:
    """One more in the kernel, in an adapter, in the rest of the wrapper."""
    kernel, adapter, rest = (Area(0, number, 0, 0) for number in bits)
    found = areas_of(a_system(*bits))
    assert found == Areas(kernel, (Part("loom_axis_read", 2, adapter),), rest)
    assert found.wrapper.flip_flops == bits[2] + 2 * bits[1]


def test_masters_with_other_parameters_are_told_apart() -> None:
    modules = {
        "\\top": {"num_cells_by_type": {"LUT4": 7, "$paramod$a\\loom_axi4_read": 2, "k": 1,
                                        "$paramod$b\\loom_axi4_read": 1}},
        "$paramod$a\\loom_axi4_read": {"num_cells_by_type": {"LUT4": 10, "CCU2C": 1}},
        "\\k": {"num_cells_by_type": {"TRELLIS_FF": 3}},
        "$paramod$b\\loom_axi4_read": {"num_cells_by_type": {"LUT4": 11}},
    }  # fmt: skip
    found = split(modules, Modules((), "top", "k"))
    assert [(part.instances, part.area.luts) for part in found.parts] == [(2, 12), (1, 11)]
    assert found.wrapper.luts == 7 + 24 + 11 and found.kernel.flip_flops == 3


def test_what_has_not_changed_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran, told, record = list[str](), list[Row](), tmp_path / "record.json"
    ends = {"fir": "", "convolve": ""}

    def modules(system: object, folder: Path) -> Modules:
        name = next(name for name, each in SYSTEMS.items() if each is system)
        return Modules((f"// a comment\nmodule {name}; endmodule{ends[name]}\n",), name, name)

    def measure(system: Modules) -> Measured:
        ran.append(system.top)
        return MEASURED

    monkeypatch.setattr("tools.systems.measure.modules_of", modules)
    monkeypatch.setattr("tools.systems.measure.measure", measure)
    first = measure_all(["fir", "convolve"], told.append, EXAMPLES, record)
    assert first == told == [("fir", MEASURED), ("convolve", MEASURED)]
    ends |= {"fir": "  // another comment", "convolve": "\nmodule more; endmodule"}
    assert measure_all(["fir", "convolve"], told.append, EXAMPLES, record) == first
    assert ran == ["fir", "convolve", "convolve"]


def test_a_row_adds_wrapper_and_kernel() -> None:
    assert command.line(("spmv", MEASURED)) == (
        "| spmv | AXI4 | 67 | 48 | 1 | 100 | 40 | 30 | 0 | - | 27 | 18 | 1 |"
    )
    assert list(command.part_lines(("spmv", MEASURED))) == [
        "| spmv | `loom_axi4_read` | 2 | 10 | 5 |", "| spmv | port and registers | 1 | 7 | 8 |",
    ]  # fmt: skip


def test_a_page_of_some_systems_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    with pytest.raises(SystemExit) as ended:
        command.main(["--only", "fir", "--page", str(page)])
    assert ended.value.code == 2 and not page.exists()


def test_the_page_has_the_figures_of_the_record() -> None:
    record = json.loads(FILE.read_text(encoding="utf-8"))
    assert sorted(record) == sorted(SYSTEMS)
    rows = [(name, measured_of(record[name])) for name in SYSTEMS]
    assert (DOCS / "systems.md").read_text(encoding="utf-8") == command.page(rows)


def test_the_systems_are_those_of_make_systems() -> None:
    target = (ROOT / "Makefile").read_text().partition("\nsystems:")[2].partition("\n\n")[0]
    for name, system in SYSTEMS.items():
        command = "stream_systems" if system.bus == "axis" else f"systems {system.bus}"
        assert f"loom_sim.{command} examples/{system.program} " in target, name
    assert target.count("loom_sim.") == len(SYSTEMS)
