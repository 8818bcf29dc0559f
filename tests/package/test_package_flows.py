"""`loom package`: the files of every flow, the same each time, and what is refused."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from loom.emit.boundary import Boundary
from loom.errors import LoomError
from loom.front.cli import main
from loom.package.flows import FLOWS
from loom.package.package import package_circuit
from tests.package.packaged import PROGRAMS, TOOLS, compiled, environment, needs_tcl, run, write
from tests.support.deep import Deep
from tests.support.folders import TESTS

WRAPPED = [flow for flow in FLOWS if "axi4lite" in FLOWS[flow].buses]


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize(
    ("flow", "wrap"), [*((flow, []) for flow in FLOWS),
                       *((flow, ["--wrap", "axi4lite"]) for flow in WRAPPED)],
)  # fmt: skip
def test_two_runs_write_the_same_bytes(flow: str, wrap: list[str], tmp_path: Path) -> None:
    for folder in ("one", "two"):
        command = ["package", flow, str(PROGRAMS["fir"]), *wrap, "-o", str(tmp_path / folder)]
        assert main(command) == 0
    one, two = ({str(path.relative_to(tmp_path / folder)): path.read_bytes()
                 for path in (tmp_path / folder).rglob("*") if path.is_file()}
                for folder in ("one", "two"))  # fmt: skip
    assert one == two
    manifest = json.loads(one["manifest.json"])
    hashes = {path: hashlib.sha256(text).hexdigest() for path, text in one.items()}
    del hashes["manifest.json"]
    assert manifest["sha256"] == hashes
    assert manifest["flow"] == flow and manifest["versions"]["loom-hls"]
    assert manifest["bus"] == (wrap[1] if wrap else None)
    assert manifest["top"] == ("fir_axi4lite" if wrap else "fir")
    assert f"{manifest['top']}_instance.sv" in one
    assert str(tmp_path).encode() not in b"".join(one.values())


def test_the_manifest_has_the_options(tmp_path: Path) -> None:
    """Each choice of the command line stands there."""
    options = ["--clock-period", "12.5", "--unroll-below", "3", "--reset", "async,high", "--flat"]
    assert main(["package", "yosys", str(PROGRAMS["gcd"]), *options, "-o", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "manifest.json").read_text())
    assert found["options"]["clock_period"] == 12.5 and found["options"]["unroll_below"] == 3
    assert found["reset"] == {"name": "rst_i", "kind": "asynchronous", "active": "high"}
    assert found["sources"] == ["rtl/gcd.sv"]
    assert "-period 12.5 " in (tmp_path / "gcd.sdc").read_text()
    assert "{0.000 6.25}" in (tmp_path / "gcd.xdc").read_text()
    assert "set_false_path -from [get_ports { rst_i }]" in (tmp_path / "gcd.sdc").read_text()


def test_the_output_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["package", "yosys", str(PROGRAMS["gcd"]), "-o", str(tmp_path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["kernel"] == "gcd" and said["flow"] == "yosys"
    files = [p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()]
    assert said["files"] == sorted(files)


def test_a_circuit_of_any_period_has_no_constraints() -> None:
    circuit = compiled("gcd")
    netlist = replace(circuit.netlist, clock_period=None)
    files = package_circuit(netlist, "fusesoc", vectors="{}")
    assert not [path for path in files if path.endswith((".sdc", ".xdc"))]
    assert ".sdc" not in files["gcd.core"]


def test_an_unknown_flow_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["package", "ise", str(PROGRAMS["gcd"]), "-o", str(out)]) == 2
    listed = ", ".join(FLOWS)
    assert capsys.readouterr().err.strip() == (
        f"loom package: error[PACKAGE_FLOW]: found the flow 'ise'; LOOM accepts a flow: {listed}"
    )
    assert not out.exists()


def test_a_folder_that_is_a_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    out.write_text("mine")
    assert main(["package", "yosys", str(PROGRAMS["gcd"]), "-o", str(out)]) == 2
    assert "error[EMIT_UNWRITABLE]" in capsys.readouterr().err
    assert out.read_text() == "mine" and list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("flow", [flow for flow in FLOWS if not FLOWS[flow].replays])
def test_a_name_that_tools_do_not_take_is_refused(flow: str) -> None:
    netlist = compiled("gcd").netlist
    cases = (
        (replace(netlist, name="_gcd"), Boundary(), "_gcd: error[PACKAGE_NAME]: found a circuit "
         "called _gcd; LOOM accepts letters, digits and _, a letter first"),
        (netlist, Boundary(clock="_c"), "_c: error[PACKAGE_NAME]: found a port called _c; LOOM "
         "accepts letters, digits and _, a letter first"),
    )  # fmt: skip
    for each, boundary, message in cases:
        with pytest.raises(LoomError) as caught:
            package_circuit(each, flow, boundary=boundary)
        assert str(caught.value) == message


REFUSED = {
    "a flow of channels": (
        "cocotb", [], "--wrap axi4lite for cocotb; LOOM accepts it for " + ", ".join(WRAPPED)),
    "ports of the circuit": (
        "yosys", ["--reset", "async,high"], "--wrap with choices about the ports; LOOM accepts "
        "--wrap without them: clock and reset are those of the bus"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_wrapper_where_it_does_not_fit_is_refused(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flow, options, said = REFUSED[case]
    command = ["package", flow, str(PROGRAMS["gcd"]), "--wrap", "axi4lite", *options]
    assert main([*command, "-o", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.strip() == f"--wrap: error[PACKAGE_WRAP]: found {said}"
    assert not (tmp_path / "out").exists()


def test_streams_of_a_package_are_those_of_a_wrapper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In pins and manifest; PACKAGE_WRAP without a wrapper, CLI_VALUE between streams."""
    gain, pack = TESTS / "bus" / "gain.c", tmp_path / "pack"
    command = ["package", "ipxact", str(gain), "--stream", "x"]
    assert main([*command, "--wrap", "avalon", "--stream", "y", "-o", str(pack)]) == 0
    component = (pack / "gain_avalon.xml").read_text()
    assert ">s_axis_x_tlast<" in component and ">m_axis_y_tlast<" in component
    manifest = json.loads((pack / "manifest.json").read_text())
    assert manifest["options"]["streams"] == ["x", "y"] and manifest["bus"] == "avalon"
    assert main(["package", "ipxact", str(TESTS / "bus" / "scale.c"), "--wrap", "axis",
                 "-o", str(tmp_path / "between")]) == 0  # fmt: skip
    manifest = json.loads((tmp_path / "between" / "manifest.json").read_text())
    assert (manifest["options"]["streams"], manifest["bus"]) == ("all", "axis")
    capsys.readouterr()
    for also, said in {
        "": "--stream: error[PACKAGE_WRAP]: found --stream without --wrap; LOOM accepts it with "
            "--wrap",
        "--wrap=axis": "--stream: error[CLI_VALUE]: found it for axis, where every array is a "
                       "stream; LOOM accepts it for a bus",
    }.items():  # fmt: skip
        assert main([*command, *also.split(), "-o", str(tmp_path / "out")]) == 2
        assert capsys.readouterr().err.strip() == said
        assert not (tmp_path / "out").exists()


def test_a_graph_has_the_memories_that_it_says(tmp_path: Path) -> None:
    """Behind axi4 too, whose default is one of programs."""
    graph = tmp_path / "fir.mlir"
    kind = ["--memory", "*:channel,latency=4"]
    assert main(["lower", str(PROGRAMS["fir"]), *kind, "-o", str(graph)]) == 0
    command = ["package", "yosys", str(graph), "--wrap", "axi4", "-o", str(tmp_path / "pack")]
    assert main(command) == 0
    assert "m_axi_x_araddr" in (tmp_path / "pack" / "fir_axi4_instance.sv").read_text()


def test_a_wrapper_has_the_addresses_that_were_chosen(tmp_path: Path) -> None:
    command = ["package", "yosys", str(PROGRAMS["gcd"]), "--wrap", "axi4lite"]
    assert main([*command, "--address-width", "12", "-o", str(tmp_path)]) == 0
    assert "logic [11:0] s_axi_awaddr;" in (tmp_path / "gcd_axi4lite_instance.sv").read_text()


def test_inputs_are_refused_where_nothing_is_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    bundle = PROGRAMS["gcd"].with_suffix(".json")
    command = ["package", "yosys", str(PROGRAMS["gcd"]), "--inputs", str(bundle), "-o", str(out)]
    assert main(command) == 2
    assert capsys.readouterr().err.strip() == (
        "--inputs: error[PACKAGE_INPUTS]: found --inputs for yosys; LOOM accepts it for fusesoc "
        "and cocotb, which replay them"
    )
    assert not out.exists()


def test_vectors_that_the_program_contradicts_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = json.loads(PROGRAMS["gcd"].with_suffix(".json").read_text())
    first = bundle[0]["expected"]
    first["results"] = [first["results"][0] + 1]
    (tmp_path / "wrong.json").write_text(json.dumps(bundle))
    out = tmp_path / "out"
    command = ["package", "cocotb", str(PROGRAMS["gcd"]), "--inputs", str(tmp_path / "wrong.json")]
    assert main([*command, "-o", str(out)]) == 2
    said = capsys.readouterr().err
    assert "error[PACKAGE_INPUTS]: found activations whose outcome is not as expected: " in said
    assert "the bundle expects" in said and not out.exists()


@pytest.mark.sim
def test_the_file_lists_work_from_anywhere(tmp_path: Path) -> None:
    """`-F` with the relative one, `-f` in its folder, `-f` of the other one anywhere."""
    pack = write(package_circuit(compiled("gcd").netlist, "yosys"), tmp_path / "pack")
    (elsewhere := tmp_path / "elsewhere").mkdir()
    known = environment(tmp_path / "bin", GCD_ROOT=str(pack))
    lint = ["verilator", "--quiet", "--lint-only", "-Wall", "--top-module", "gcd"]
    assert run([*lint, "-F", "../pack/gcd.f"], elsewhere, known) == (0, "")
    assert run([*lint, "-f", "gcd.f"], pack, known) == (0, "")
    assert run([*lint, "-f", "../pack/gcd_root.f"], elsewhere, known) == (0, "")
    status, said = run([*lint, "-f", "../pack/gcd.f"], elsewhere, known)
    assert status and "Cannot find file" in said  # what the other two are for


@pytest.mark.sim
@pytest.mark.skipif(shutil.which("iverilog") is None, reason="no iverilog on this machine")
def test_icarus_takes_the_file_list(tmp_path: Path) -> None:
    pack = write(package_circuit(compiled("gcd").netlist, "yosys"), tmp_path / "pack")
    known = environment(tmp_path / "bin", GCD_ROOT=str(pack))
    command = ["iverilog", "-g2012", "-s", "gcd", "-o", "image", "-f", str(pack / "gcd_root.f")]
    assert run(command, tmp_path, known) == (0, "")


@pytest.mark.sim
@pytest.mark.parametrize(
    ("circuit", "bus", "name"),
    [("gcd", None, "gcd"), ("dot_banks", None, "dot_banks"), ("gcd", "axi4lite", "gcd_axi4lite"),
     ("gcd", "wishbone", "gcd_wishbone")],
)  # fmt: skip
def test_the_instantiation_template_fits(
    circuit: str, bus: str | None, name: str, tmp_path: Path
) -> None:
    """In a module of its own, Verilator finds every port with its width; one more is told."""
    files = package_circuit(compiled(circuit).netlist, "yosys", bus=bus)
    text = files[f"{name}_instance.sv"]
    known = environment(tmp_path / "bin")
    pack = write({**files, "above.sv": f"module above;\n{text}endmodule\n"}, tmp_path / "pack")
    lint = ["verilator", "--quiet", "--lint-only", "-Wall", "-Wno-UNUSEDSIGNAL", "-Wno-UNDRIVEN",
            "-Wno-DECLFILENAME", "--top-module", "above", "-f", f"{name}.f",
            "above.sv"]  # fmt: skip
    assert run(lint, pack, known) == (0, "")
    faulty = text.replace("(\n", "(\n  .missing(1'b0),\n", 1)
    (pack / "above.sv").write_text(f"module above;\n{faulty}endmodule\n")
    assert "PINNOTFOUND" in run(lint, pack, known)[1]


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@needs_tcl
@pytest.mark.parametrize(
    ("bus", "name", "driven"), [(None, "gcd", "done_valid_o"), ("axi4lite", "gcd_axi4lite", "irq")]
)
def test_the_yosys_script_runs(bus: str | None, name: str, driven: str, tmp_path: Path) -> None:
    pack = write(package_circuit(compiled("gcd").netlist, "yosys", bus=bus), tmp_path / "pack")
    known = environment(tmp_path / "bin")
    assert run(["yosys", "-q", f"{name}.ys"], pack, known) == (0, "")
    assert "LUT4" in (pack / f"{name}.area.txt").read_text()
    assert (pack / f"{name}.synthesized.json").is_file()
    top = pack / "rtl" / f"{name}.sv"
    top.write_text(top.read_text().replace("endmodule", f"  assign {driven} = 1'b0;\nendmodule"))
    assert run(["yosys", f"{name}.ys"], pack, known)[0] != 0


def fusesoc(pack: Path, build: Path, target: str) -> tuple[int, str]:
    """Status and output of a target of gcd, the core in a folder elsewhere."""
    build.mkdir(exist_ok=True)
    command = [str(TOOLS / "fusesoc"), "--cores-root", str(pack), "run", "--clean",
               f"--target={target}", "loom::gcd"]  # fmt: skip
    return run(command, build, environment(build / "bin"))


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize("target", ["lint", pytest.param("synth", marks=needs_tcl)])
def test_fusesoc_runs_the_target(target: str, tmp_path: Path) -> None:
    """By name; a planted fault stops it."""
    pack, build = tmp_path / "pack", tmp_path / "build"
    assert main(["package", "fusesoc", str(PROGRAMS["gcd"]), "-o", str(pack)]) == 0
    status, said = fusesoc(pack, build, target)
    assert status == 0, said[-2000:]
    if target == "synth":
        (netlist,) = build.rglob("*.json")
        assert "LUT4" in netlist.read_text()
    top = pack / "rtl" / "gcd.sv"
    top.write_text(top.read_text().replace("endmodule", "  logic planted\nendmodule"))
    status, said = fusesoc(pack, build, target)
    assert status != 0, said[-2000:]


@pytest.mark.sim
def test_fusesoc_simulates(tmp_path: Path, deep: Deep) -> None:
    """The testbench runs in cocotb; a result that is wrong stops the target."""
    pack, build = tmp_path / "pack", tmp_path / "build"
    assert main(["package", "fusesoc", str(PROGRAMS["gcd"]), "-o", str(pack)]) == 0
    texts = [file.read_text() for file in sorted(pack.rglob("*")) if file.is_file()]
    deep("tests/package", "sim/loom_sim/programs.py", texts=texts)
    status, said = fusesoc(pack, build, "sim")
    vectors = json.loads((pack / "vectors.json").read_text())
    assert status == 0 and said.count("as expected") == len(vectors["activations"]), said[-3000:]
    outputs = vectors["activations"][0]["outputs"]
    name, right = next((n, v) for n, v in outputs.items() if v is not None)
    outputs[name] = right ^ 1
    (pack / "vectors.json").write_text(json.dumps(vectors))
    status, said = fusesoc(pack, build, "sim")
    assert status != 0 and f"output {name} is [{right}]" in said, said[-3000:]


@pytest.mark.sim
def test_fusesoc_lints_a_wrapper(tmp_path: Path) -> None:
    """It has no testbench, and so no target for it."""
    pack, build = tmp_path / "pack", tmp_path / "build"
    command = ["package", "fusesoc", str(PROGRAMS["gcd"]), "--wrap", "axi4lite", "-o", str(pack)]
    assert main(command) == 0
    assert "sim:" not in (pack / "gcd_axi4lite.core").read_text()
    build.mkdir()
    command = [str(TOOLS / "fusesoc"), "--cores-root", str(pack), "run", "--target=lint",
               "loom::gcd_axi4lite"]  # fmt: skip
    status, said = run(command, build, environment(build / "bin"))
    assert status == 0, said[-2000:]
