"""Packages of Verilog-2005: each flow is told the language, and its tools take the text."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from loom.emit.boundary import Boundary
from loom.front.cli import main
from loom.front.wrap_verb import read_streams
from loom.package.flows import FLOWS
from loom.package.package import package_circuit
from tests.package.packaged import PROGRAMS, compiled, environment, needs_tcl, run, write
from tests.package.test_ipxact_by_tools import against_schema
from tests.package.test_litex_runs import soc_of
from tests.support.deep import Deep

PLAIN = Boundary(verilog_2005=True)
TOPS = (("gcd", None, "gcd"), ("dot_banks", None, "dot_banks"), ("fir", "axi4lite", "fir_axi4lite"),
        ("gcd", "wishbone", "gcd_wishbone"), ("gcd", "avalon", "gcd_avalon"),
        ("scale", "axis", "scale_axis"))  # fmt: skip
LANGUAGE = {"fusesoc": "file_type: verilogSource-2005", "ipxact": ">verilogSource<",
            "litex": 'language="verilog"', "quartus": " VERILOG PATH ",
            "yosys": "read_verilog rtl/"}  # fmt: skip
"""Words of a flow's files that say it."""


def plain(name: str, flow: str, bus: str | None, folder: Path) -> Path:
    """The folder, with the package."""
    made = compiled(name, bus)
    vectors = "{}" if FLOWS[flow].replays and bus is None else None
    files = package_circuit(made.netlist, flow, made.signs, PLAIN, bus=bus, vectors=vectors,
                            streams=read_streams(bus or "", ()))  # fmt: skip
    return write(files, folder)


@pytest.mark.parametrize("flow", FLOWS)
def test_no_file_names_the_other_language(flow: str, tmp_path: Path) -> None:
    for name, bus, _ in TOPS:
        if bus is not None and bus not in FLOWS[flow].buses:
            continue
        pack = plain(name, flow, bus, tmp_path / f"{name}_{bus}")
        texts = {file: file.read_text() for file in pack.rglob("*") if file.is_file()}
        assert not [file for file in texts if file.suffix == ".sv"]
        own = [text for file, text in texts.items() if file.suffix in (".core", ".xml", ".tcl")
               or file.suffix in (".py", ".qip", ".ys")]  # fmt: skip
        assert not [text for text in own if "systemverilog" in text.lower() or ".sv" in text]
        assert not [text for text in own if "SYSTEM_VERILOG" in text or "-sv" in text]
        assert LANGUAGE.get(flow, "") in "".join(own)
        listed = json.loads((pack / "manifest.json").read_text())["sources"]
        assert listed and all((pack / path).suffix == ".v" for path in listed)


@pytest.mark.sim
@pytest.mark.skipif(
    shutil.which("iverilog") is None,
    reason="Icarus is no Python package and is not installed on this machine",
)
@pytest.mark.parametrize(("name", "bus", "top"), TOPS)
def test_icarus_takes_it_as_verilog_2005(
    name: str, bus: str | None, top: str, tmp_path: Path
) -> None:
    """By the file list, with its instantiation; SystemVerilog in a module is reported."""
    pack = plain(name, "yosys", bus, tmp_path / "pack")
    text = (pack / f"{top}_instance.v").read_text()
    (pack / "above.v").write_text(f"module above;\n{text}endmodule\n")
    known = environment(tmp_path / "bin", **{f"{top.upper()}_ROOT": str(pack)})
    listed = ["-f", str(pack / f"{top}_root.f"), str(pack / "above.v")]
    command = ["iverilog", "-g2005", "-s", "above", "-o", "image", *listed]
    assert run(command, tmp_path, known) == (0, "")
    file = pack / "rtl" / f"{top}.v"
    file.write_text(file.read_text().replace("endmodule", "  wire planted = 1'(0);\nendmodule"))
    assert run(command, tmp_path, known)[0] != 0


@pytest.mark.sim
@pytest.mark.parametrize(("name", "bus", "top"), TOPS)
def test_verilator_has_no_warning(name: str, bus: str | None, top: str, tmp_path: Path) -> None:
    """With -Wall and no waiver; an operand of another width is reported."""
    pack = plain(name, "yosys", bus, tmp_path / "pack")
    command = ["verilator", "--quiet", "--lint-only", "-Wall", "--language", "1364-2005",
               "--top-module", top]  # fmt: skip
    known = environment(tmp_path / "bin", **{f"{top.upper()}_ROOT": str(pack)})
    assert run([*command, "-f", f"{top}_root.f"], pack, known) == (0, "")
    file = pack / "rtl" / f"{top}.v"
    file.write_text(
        file.read_text().replace("endmodule", "  wire [3:0] planted = 5'd0;\nendmodule")
    )
    assert "WIDTHTRUNC" in run([*command, "-f", f"{top}_root.f"], pack, known)[1]


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@needs_tcl
@pytest.mark.parametrize(("name", "bus", "top"), TOPS[1:3])
def test_the_yosys_script_runs(name: str, bus: str | None, top: str, tmp_path: Path) -> None:
    pack = plain(name, "yosys", bus, tmp_path / "pack")
    known = environment(tmp_path / "bin")
    assert run(["yosys", "-q", f"{top}.ys"], pack, known) == (0, "")
    assert "LUT4" in (pack / f"{top}.area.txt").read_text()
    file = pack / "rtl" / f"{top}.v"
    file.write_text(file.read_text().replace("endmodule", "  logic planted;\nendmodule"))
    assert run(["yosys", "-q", f"{top}.ys"], pack, known)[0] != 0


@pytest.mark.sim
def test_fusesoc_lints_it(tmp_path: Path) -> None:
    pack, build = tmp_path / "pack", tmp_path / "build"
    command = ["package", "fusesoc", str(PROGRAMS["gcd"]), "--verilog-2005", "-o", str(pack)]
    assert main(command) == 0
    build.mkdir()
    known = environment(build / "bin")
    fusesoc = [str(Path(sys.executable).parent / "fusesoc"), "--cores-root", str(pack), "run",
               "--clean", "--target=lint", "loom::gcd"]  # fmt: skip
    status, said = run(fusesoc, build, known)
    assert status == 0, said[-2000:]
    file = pack / "rtl" / "gcd.v"
    file.write_text(file.read_text().replace("endmodule", "  wire planted\nendmodule"))
    assert run(fusesoc, build, known)[0] != 0


def test_ipxact_and_litex_take_it(tmp_path: Path) -> None:
    pack = plain("gcd", "ipxact", None, tmp_path / "one")
    assert against_schema(pack / "gcd.xml") == []
    pack = plain("gcd", "litex", None, tmp_path / "two")
    status, said = soc_of(pack, "gcd", tmp_path / "out")
    assert status == 0, said
    assert all(
        path.endswith(".v") for path in json.loads((tmp_path / "out/sources.json").read_text())
    )


@pytest.mark.sim
def test_the_testbench_runs_it(tmp_path: Path, deep: Deep) -> None:
    """As Verilog-2005, which has no `logic`; a result that is wrong is told."""
    pack = tmp_path / "pack"
    command = ["package", "cocotb", str(PROGRAMS["gcd"]), "--verilog-2005", "--max-cycles", "3000"]
    command += ["--style", "dynamic"]
    assert main([*command, "--reset", "async,high", "-o", str(pack)]) == 0
    texts = [file.read_text() for file in sorted(pack.rglob("*")) if file.is_file()]
    deep("tests/package", "sim/loom_sim/programs.py", texts=texts)
    known = environment(tmp_path / "bin")
    command = [sys.executable, str(pack / "run.py")]
    status, said = run(command, tmp_path, known)
    vectors = json.loads((pack / "vectors.json").read_text())
    assert status == 0 and said.count("as expected") == len(vectors["activations"]), said[-2000:]
    file = pack / "rtl" / "loom_subi.v"
    before = file.read_text()
    file.write_text(before.replace(" - ", " + "))
    assert file.read_text() != before
    status, said = run([*command, str(tmp_path / "build")], tmp_path, known)
    assert status == 1 and "after 3000 cycles" in said, said[-2000:]


def test_language_and_files_are_all_that_a_wrapper_leaves_to_choose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """PACKAGE_WRAP."""
    command = ["package", "yosys", str(PROGRAMS["gcd"]), "--wrap", "axi4lite", "--verilog-2005"]
    assert main([*command, "--flat", "-o", str(tmp_path / "pack")]) == 0
    assert [path.name for path in (tmp_path / "pack" / "rtl").iterdir()] == ["gcd_axi4lite.v"]
    assert main([*command, "--error-clear", "-o", str(tmp_path / "other")]) == 2
    assert "error[PACKAGE_WRAP]: found --wrap with choices" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()
