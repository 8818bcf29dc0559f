"""Emitted circuits: names, ports, files, and what they do under stalls."""

from __future__ import annotations

import os
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.memories import KINDS
from loom.dialects.operators.operator import Operator, Shape
from loom.dialects.operators.runtime_errors import RUNTIME_ERRORS
from loom.elements import encode_elements
from loom.emit import emit, write_files
from loom.emit.circuit import render_unit
from loom.emit.instance import memory_of
from loom.emit.modules import module_of
from loom.emit.render import template_folder
from loom.errors import LoomError, Place
from loom.front.api import compile_text
from loom.netlist.netlist import Memory, Netlist
from tests.golden.bench import SECOND_HALF, Traffic, simulate
from tests.golden.designs import DESIGNS, FOLDER, lookup, sum_of_array
from tests.golden.every_unit import Case, cases, circuit, every_unit, memory_case
from tests.golden.expectation import expected, random_tokens
from tests.support.deep import UNIT_INPUTS, Deep
from tests.support.refusals import refusal

TIED_TO_OTHERS = ("handshake.share", "dataflow.broadcast", "dataflow.island",
                  "dataflow.load_store_queue", "dataflow.forward_store",
                  "dataflow.forward_queue")  # fmt: skip
"""Callers of a shared circuit come in the order in which tokens arrive, and it must answer; the
readers of a broadcast take its copies in the same cycles; a memory's datum is what was stored."""


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_golden_text_is_current(design: Netlist) -> None:
    folder = FOLDER / design.name
    kept = {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*.*") if p.is_file()}
    assert emit(design) == kept, "run `make golden` and read the difference"


def test_file_list_puts_parts_first_and_the_top_last() -> None:
    files = emit(lookup())
    listed = files["lookup.f"].split()
    assert sorted(listed) == sorted(path for path in files if path != "lookup.f")
    assert listed[-1] == "rtl/lookup.sv"
    owner = next(path for path in listed if path.startswith("rtl/loom_memory_0_stores"))
    assert listed.index("rtl/loom_memory_held.sv") < listed.index(owner)


def test_top_ports_stand_in_the_agreed_order() -> None:
    head = emit(sum_of_array())["rtl/sum_of_array.sv"].partition(");")[0]
    names = [line.rstrip(",").split()[-1] for line in head.splitlines()[2:]]
    assert (
        names
        == (
            "clk_i rst_ni start_valid_i start_ready_o n_data_i n_valid_i n_ready_o "
            "total_data_o total_valid_o total_ready_i a_rd_en_o a_rd_addr_o a_rd_data_i "
            "error_code_o"
        ).split()
    )


def test_equal_module_names_mean_equal_texts() -> None:
    netlist = every_unit((0, 1, 8, 64))
    texts: dict[str, str] = {}
    for unit in netlist.units:
        shape = netlist.shape_by_unit[unit.name]
        module = module_of(unit.operator, shape, memory_of(netlist, unit), netlist.name)
        rendered = render_unit(module)
        for made in (*rendered.needs, rendered):
            assert texts.setdefault(made.name, made.text) == made.text


def test_no_line_of_a_module_is_too_long() -> None:
    for path, text in emit(every_unit((0, 8), (2, 12))).items():
        if path.startswith("rtl/loom_"):
            assert [line for line in text.splitlines() if len(line) > 100] == [], path
            assert text.startswith("// loom_") and text.endswith("endmodule\n"), path
            assert "\n\n\n" not in text and " \n" not in text, path


CAST_BEHIND_AN_OPERATOR = re.compile(r"[(=?:|&^,{<>+*-]\s*[~!-]\s*\w+'\(")
"""Yosys takes the operator as part of the cast's width: `~W'(x)` is a cast to `~W` bits there."""


def test_no_operator_stands_before_a_cast() -> None:
    for path, text in emit(every_unit((0, 8), (2, 12))).items():
        assert not CAST_BEHIND_AN_OPERATOR.search(text), path


@pytest.mark.parametrize("text", ["a & ~W'(b)", "a = -W'(b)", "(~W'(1'b1) | b)"])
def test_an_operator_before_a_cast_is_found(text: str) -> None:
    assert CAST_BEHIND_AN_OPERATOR.search(text)


@pytest.mark.parametrize("text", ["a & ~(W'(b))", "a - W'(b)", "{a - W'(1)}"])
def test_other_casts_are_not(text: str) -> None:
    assert not CAST_BEHIND_AN_OPERATOR.search(text)


def test_every_operator_has_a_template_and_every_template_an_operator() -> None:
    folder = template_folder()
    found = {
        str(path.relative_to(folder)).removesuffix(".sv.j2")
        for room in ("primitives", "memory", "static")
        for path in (folder / room).glob("*.sv.j2")
    }
    assert {text for row in CATALOGUE.values() for text in row.hardware.templates} == found


def test_emission_is_repeatable() -> None:
    netlist = circuit("large", [case for width in (8, 64) for case in cases(width)] * 4)
    assert len(netlist.units) > 1_000
    assert emit(netlist) == emit(netlist)


def test_circuit_with_a_module_name_is_refused() -> None:
    netlist = circuit("loom_fork_2", [case for case in cases(8) if "fork" in case.operator.name])
    assert refusal(emit, netlist) == (
        "loom_fork_2: error[EMIT_NAME_TAKEN]: found a circuit called loom_fork_2, which is also "
        "one of its modules; LOOM accepts names that do not begin with loom_"
    )


TABLES = """
memref.global constant @t : memref<4xi7> = dense<[1, 2, 3, 4]> {{loom.partition = "cyclic:2"}}
memref.global constant @other : memref<2xi7> = dense<[50, 60]>
func.func @k(%i: i1) -> (i7, i7) {{
  %t = memref.get_global @t : memref<4xi7>
  %{0} = memref.get_global @other : memref<2xi7>
  %x = arith.index_castui %i : i1 to index
  %0 = memref.load %t[%x] : memref<4xi7>
  %1 = memref.load %{0}[%x] : memref<2xi7>
  return %0, %1 : i7, i7
}}
"""
"""Two tables, the first one in banks of which bank 1 holds 2 and 4; a name for the second one."""


def test_a_bank_and_an_array_have_a_module_each() -> None:
    files = compile_text(TABLES.format("t_1"), "k.mlir").files()
    words = {
        name: re.findall(r"word_q\[\d\] = 7'h(\w+)", files[f"rtl/loom_rom_k_{name}.sv"])
        for name in ("t_bank0", "t_bank1", "t_1")
    }
    assert words == {"t_bank0": ["1", "3"], "t_bank1": ["2", "4"], "t_1": ["32", "3c"]}


def test_an_array_called_like_the_module_of_a_bank_is_refused() -> None:
    with pytest.raises(LoomError) as caught:
        compile_text(TABLES.format("t_bank1"), "k.mlir").files()
    assert str(caught.value) == (
        "k: error[EMIT_NAME_TAKEN]: found two modules called loom_rom_k_t_bank1, of the bank of an "
        "array and of another array; LOOM accepts another name for one"
    )


def without_template(operator: Operator) -> Operator:
    """The operator as it is without hardware."""
    return replace(operator, hardware=replace(operator.hardware, template=""))


def test_operators_without_hardware_are_refused() -> None:
    made = circuit("k", [Case(CATALOGUE["arith.addf"], Shape((32, 32), (32,), {"format": "f32"}))])
    bare = [
        replace(unit, operator=without_template(unit.operator), place=Place("k.mlir", 2, 3))
        for unit in made.units
    ]
    assert refusal(emit, replace(made, units=tuple(bare))) == (
        "k.mlir:2:3: error[EMIT_NO_HARDWARE]: found arith.addf of f32, which has no hardware; "
        "LOOM accepts a core of yours for it: --cores DIR with arith.addf.sv.j2 in it; "
        "`loom model` and `loom lower` take it as it is"
    )


def test_files_are_written_all_or_none(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/x.sv": "one\n", "y.f": "two\n"})
    assert (tmp_path / "a/x.sv").read_text() == "one\n"
    (tmp_path / "taken").write_text("a file, no folder")
    with pytest.raises(LoomError) as caught:
        write_files(tmp_path, {"a/x.sv": "changed\n", "taken/z.sv": "three\n"})
    assert caught.value.code == "EMIT_UNWRITABLE"
    assert (tmp_path / "a/x.sv").read_text() == "one\n"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "taken", "x.sv", "y.f"]


def test_a_folder_in_a_files_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.sv").mkdir()
    with pytest.raises(LoomError) as caught:
        write_files(tmp_path, {"y.f": "two\n", "x.sv": "one\n"})
    assert caught.value.code == "EMIT_UNWRITABLE"
    assert [path.name for path in tmp_path.iterdir()] == ["x.sv"]


def test_what_is_no_file_is_written_into_and_stays(tmp_path: Path) -> None:
    """Renaming a file over a pipe or a device would take it away from everyone."""
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_files(tmp_path, {"pipe": "text\n"})
    assert os.read(reader, 100) == b"text\n"
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_a_link_stays_and_its_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "here").symlink_to("there/file")
    write_files(tmp_path, {"here": "text\n"})
    assert (tmp_path / "here").is_symlink()
    assert (tmp_path / "there/file").read_text() == "text\n"


@pytest.mark.sim
@pytest.mark.parametrize("iterative, cycles", [(False, 900), (True, 5_000)])
@pytest.mark.parametrize("stall, shy", [(110, False), (0, True), (0, False)])
def test_every_unit_does_what_its_meaning_says(
    stall: int, shy: bool, iterative: bool, cycles: int, tmp_path: Path, deep: Deep
) -> None:
    deep(*UNIT_INPUTS)
    # Units without inputs have no tokens to be driven by; hand rows, programs and proofs cover them
    # and those that are tied to others.
    all_cases = [
        case
        for width in (0, 1, 7, 64)
        for case in cases(width)
        if case.operator.signature.inputs and case.operator.name not in TIED_TO_OTHERS
    ]
    slow = [case.operator.hardware.interval_of(case.shape) > 2 for case in all_cases]
    chosen = [case for case, own in zip(all_cases, slow, strict=True) if own == iterative]
    netlist = circuit("alone", chosen)
    tokens = random_tokens(netlist, 40, seed=stall + shy)
    wanted = expected(netlist, tokens)
    found = simulate(netlist, Traffic(tokens, stall, shy), tmp_path, cycles)
    assert {p: t for p, t in wanted.items() if found.tokens[p] != t} == {}
    assert found.error == 0
    if stall or shy:
        return
    for unit in netlist.units:
        inputs, outputs = netlist.ports_of(unit)
        names = [f"{unit.name}_{port.name}" for port in (*inputs, *outputs)]
        count = max(len(tokens.get(name, wanted.get(name, ()))) for name in names)
        shape = netlist.shape_by_unit[unit.name]
        last = max((found.cycles[name][-1] for name in names if found.cycles[name]), default=0)
        allowed = (count - 1) * unit.operator.hardware.interval_of(shape) + 1
        assert last <= allowed + unit.operator.hardware.latency_of(shape), unit


@pytest.mark.sim
@pytest.mark.parametrize("stall, shy", [(90, False), (0, True), (0, False)])
@pytest.mark.parametrize("kind", ["internal", "external"])
def test_memories_lose_nothing_and_keep_order(
    kind: str, stall: int, shy: bool, tmp_path: Path, deep: Deep
) -> None:
    """Stores fill 16 to 39; loads read the words below, then the new ones; some go outside."""
    deep(*UNIT_INPUTS)
    contents = encode_elements((k * 7 + 3) % 256 for k in range(40))
    dice = random.Random(stall)
    names = [(f"m{s}{n}", s, n) for s in (0, 1, 3) for n in (1, 3)]
    memories = [
        Memory(name, "i8", 8, 40, KINDS[kind], contents if kind == "internal" else None)
        for name, _, _ in names
    ]
    units = [memory_case(kind, s, n, 8, 64, name) for name, s, n in names]
    netlist = circuit("memories", units, memories)
    tokens: dict[str, list[int]] = {}
    wanted: dict[str, list[int]] = {}
    for unit, (_, stores, loads) in zip(netlist.units, names, strict=True):
        words = list(contents)
        for k in range(stores):
            places = [16 + 8 * k + j for j in range(8)] + [(1 << 63) + k]
            data = [dice.randrange(256) for _ in places]
            for place, word in zip(places[:-1], data, strict=False):
                words[place] = word
            tokens[f"{unit.name}_st_address{k}"], tokens[f"{unit.name}_st_data{k}"] = places, data
            wanted[f"{unit.name}_st_done{k}"] = [0] * len(places)
        for k in range(loads):
            early = [dice.choice([*range(16), 40, 1 << 40]) for _ in range(30)]
            late = [dice.randrange(41) for _ in range(30)]
            tokens[f"{unit.name}_ld_address{k}"] = early + late
            answer = [contents[a] if a < 40 else 0 for a in early]
            wanted[f"{unit.name}_ld_data{k}"] = answer + [words[a] if a < 40 else 0 for a in late]
            wanted[f"{unit.name}_ld_done{k}"] = [0] * 60
    waiting = frozenset(name for name in tokens if "ld_address" in name)
    traffic = Traffic(tokens, stall, shy, waiting)
    found = simulate(netlist, traffic, tmp_path, SECOND_HALF + 600)
    assert found.tokens == wanted | {name: [] for name in tokens}
    assert RUNTIME_ERRORS[found.error] == "RT_MEMORY_ADDRESS_OUT_OF_RANGE"
    if not stall and not shy:
        alone = netlist.units[0].name
        cycles = found.cycles[f"{alone}_ld_data0"]
        assert cycles[29] - cycles[0] == 29, "one load a cycle"
        early_stores = found.cycles[f"{netlist.units[2].name}_st_done0"]
        assert early_stores[-1] - early_stores[0] == len(early_stores) - 1, "one store a cycle"


@pytest.mark.sim
def test_a_zero_step_is_reported_and_stays(tmp_path: Path, deep: Deep) -> None:
    deep(*UNIT_INPUTS)
    streams = [c for c in cases(8) if c.shape.attributes.get("cont_cond") == "<"]
    netlist = circuit("zero_step", streams[:1])
    name = netlist.units[0].name
    tokens = {f"{name}_start": [9, 0], f"{name}_step": [0, 1], f"{name}_bound": [9, 3]}
    found = simulate(netlist, Traffic(tokens), tmp_path, 100)
    assert found.tokens[f"{name}_index"] == [9, 0, 1, 2, 3]
    assert RUNTIME_ERRORS[found.error] == "RT_DATAFLOW_STREAM_ZERO_STEP"


@pytest.mark.sim
def test_golden_circuits_compute(tmp_path: Path, deep: Deep) -> None:
    deep(*UNIT_INPUTS)
    sums = simulate(
        sum_of_array(), Traffic({"start": [0] * 4, "n": [0, 20, 0, 3]}), tmp_path / "sum", 200
    )
    assert sums.tokens["total"] == [0, sum(k * 7 + 3 for k in range(20)), 0, 30]
    assert sums.cycles["total"][-1] <= 20 + 3 + 4 + 8, "one iteration a cycle"
    places, factors = [4, 0, 7, 1], [3, 5, 9, 1 << 20]
    found = simulate(
        lookup(), Traffic({"place": places, "factor": factors}, 80), tmp_path / "lookup", 200
    )
    assert found.tokens["scaled"] == [30000, 5, 0, (10 << 20) & 0xFFFFFF]
    assert RUNTIME_ERRORS[found.error] == "RT_MEMORY_ADDRESS_OUT_OF_RANGE"


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(LoomError, match="EMIT_UNWRITABLE"):
        write_files(tmp_path, {"new/deep/a.sv": "a", "taken": "b"})
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["taken"]
