"""loom.toml: what it says of kernels, and where it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.front.cli import main
from loom.regress.case import Case, key_of
from loom.regress.collect import collect
from loom.regress.judge import judge
from loom.regress.settings import Choices, known_keys, option_parser
from tests.support.folders import EXAMPLES
from tests.support.refusals import refusal

KERNEL = "int f(int a) { return a; }\n"


def choices() -> Choices:
    return Choices(option_parser().parse_args([]))


def folder(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def cases(root: Path, files: dict[str, str]) -> dict[str, Case]:
    return {case.name: case for case in collect([folder(root, files)], choices())}


SAID = """
exclude = ["old", "not*.c"]
[defaults]
clock_period = 8
tags = ["fast"]
unroll = ["3=2"]
[kernels.f4]
file = "f.c"
unroll = ["9=4", "12=full"]
partitions = ["x:cyclic:4"]
inputs = "long.json"
no-run = true
[kernels."g.c"]
top = "g"
expect = "refused:C_SYNTAX"
timeout = 1.5
tags = ["slow"]
depends = ["table.h"]
"""


def test_tables_hold_for_their_kernels_and_the_folders_below(tmp_path: Path) -> None:
    found = cases(tmp_path, {
        "f.c": KERNEL, "g.c": KERNEL, "nothing.c": KERNEL, "h.c": KERNEL, "test_f.py": "",
        "old/o.c": KERNEL, ".git/o.c": KERNEL, "loom.toml": SAID,
        "sub/i.mlir": "", "sub/i.json": "{}", "sub/loom.toml": "defaults.clock-period = 'none'",
    })  # fmt: skip
    assert list(found) == ["f4", "g", "h", "sub/i"]
    f4, g, h, i = found.values()
    assert (f4.options.unroll, f4.options.partition) == ([(9, 4), (12, None)], [("x", "cyclic:4")])
    assert f4.options.no_run is True and f4.options.clock_period == 8.0
    assert f4.options.inputs == str(tmp_path / "long.json") and f4.place == "f.c"
    assert (g.options.top, g.expect, g.timeout) == ("g", "refused:C_SYNTAX", 1.5)
    assert g.tags == {"fast", "slow"} and g.depends == (tmp_path / "table.h",)
    assert h.options.unroll == [(3, 2)] and h.options.no_run is False
    assert i.options.clock_period is None and i.options.unroll == [(3, 2)]
    assert i.options.inputs == str(tmp_path / "sub" / "i.json") and i.place == "sub/i.mlir"


def test_sources_belong_to_a_program_and_are_no_kernels(tmp_path: Path) -> None:
    found = cases(tmp_path, {
        "f.c": "int g(int); int f(int a) { return g(a); }\n",
        "g.c": "int g(int a) { return a + 1; }\n", "h.c": KERNEL,
        "loom.toml": "[kernels.f]\nsources = ['g.c']\ntop = 'f'",
    })  # fmt: skip
    assert list(found) == ["f", "h"]
    f = found["f"]
    assert f.options.files == [str(tmp_path / "g.c")]
    assert judge(f, "model").status == "match"
    before = key_of(f, "model")
    (tmp_path / "g.c").write_text("int g(int a) { return a + 2; }\n")
    assert key_of(f, "model") != before


def test_what_loom_wrote_is_no_kernel(tmp_path: Path) -> None:
    kernel = folder(tmp_path, {"k.c": "int k(int a) { return a + 1; }\n"}) / "k.c"
    for verb in (
        ["compile"], ["compile", "--style", "static"], ["wrap", "axi4lite"],
        ["package", "cocotb"], ["package", "litex", "--wrap", "axi4lite"],
    ):  # fmt: skip
        assert main([*verb, str(kernel), "-o", str(tmp_path / "-".join(verb))]) == 0
    assert main(["compile", str(kernel), "-o", str(tmp_path)]) == 0  # beside the kernel, too
    written = {path.name for path in tmp_path.rglob("*") if path.suffix in (".mlir", ".py")}
    assert {
        "k.dfg.mlir",
        "k.static.mlir",
        "k_axi4lite.py",
        "run.py",
        "k_axi4lite_litex.py",
    } <= written
    assert [case.name for case in collect([tmp_path], choices())] == ["k"]
    graph = collect([tmp_path / "k.dfg.mlir"], choices())  # named by the user it is one
    assert [case.name for case in graph] == ["k.dfg"]
    named = cases(tmp_path, {"loom.toml": "[kernels.g]\nfile = 'k.dfg.mlir'\n"})
    assert list(named) == ["g", "k"]


def test_other_files_of_such_names_are_kernels(tmp_path: Path) -> None:
    found = cases(tmp_path, {"f.dfg.mlir": "", "run.py": "", "g_axi4.py": "", "g.json": "{}"})
    assert list(found) == ["f.dfg", "g_axi4", "run"]


def test_a_graph_with_units_of_ones_own_is_a_kernel_and_their_models_are_not() -> None:
    found = collect([EXAMPLES / "black_box"], choices())
    assert [(case.name, Path(case.options.cores).name) for case in found] == [("gain", "units")]


def test_names_are_relative_to_what_folders_have_in_common(tmp_path: Path) -> None:
    folder(tmp_path, {"a/k.c": KERNEL, "b/k.c": KERNEL, "b/k.mlir": "", "b/l.py": ""})
    both = collect([tmp_path / "a", tmp_path / "b", tmp_path / "b" / "l.py"], choices())
    assert [case.name for case in both] == ["a/k", "b/k.c", "b/k.mlir", "b/l"]
    assert [case.name for case in collect([tmp_path / "b" / "l.py"], choices())] == ["l"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1\nb = [1,\n", "loom.toml:3:1: error[REGRESS_TOML]: found a text that is no TOML ("),
        ("[defaults]\nclock-period == 8\n",
         "loom.toml:2:15: error[REGRESS_TOML]: found a text that is no TOML ("),
        ("[default]\n", "loom.toml:1:1: error[REGRESS_KEY]: found the key 'default'; LOOM accepts "
         "exclude, defaults, kernels; defaults: did you mean that?"),
        ("[defaults]\n  clok-period = 8\n",
         "loom.toml:2:3: error[REGRESS_KEY]: found the key 'clok-period'; LOOM accepts expect, "),
        ("[kernels.g]\n",
         "loom.toml:1:1: error[REGRESS_KERNEL]: found the kernel 'g', of which there is no file; "
         "LOOM accepts kernels of its folder: f.c"),
        ("[kernels.f]\nclock-period = 'x'\n",
         "loom.toml:2:1: error[CLI_VALUE]: found 'x'; LOOM accepts a time above 0 [ns], none or "
         "default"),
        ("[kernels.f]\nno-run = 1\n",
         "loom.toml:2:1: error[CLI_VALUE]: found 1; LOOM accepts true or false"),
        ("[kernels.f]\ntop = ['a']\n",
         "loom.toml:2:1: error[CLI_VALUE]: found ['a']; LOOM accepts the value of --top, a text or "
         "a number"),
        ("[kernels.f]\nexpect = 'refused: C_SYNTAX'\n",
         "loom.toml:2:1: error[CLI_VALUE]: found 'refused: C_SYNTAX'; LOOM accepts match, differs, "
         "refused, refused:CODE, timeout"),
        ("[kernels.f]\ntimeout = 0\n",
         "loom.toml:2:1: error[CLI_VALUE]: found 0; LOOM accepts a time above 0 [s]"),
        ("kernels.f = 3\n", "loom.toml:1:1: error[CLI_VALUE]: found 3; LOOM accepts a table"),
        ("exclude = 'f.c'\n",
         "loom.toml:1:1: error[CLI_VALUE]: found 'f.c'; LOOM accepts a list of texts, such as "
         '["a", "b"]'),
        ("kernels.f.file = 3\n",
         "loom.toml:1:1: error[CLI_VALUE]: found 3; LOOM accepts the name of a file or folder"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_at_its_place(text: str, message: str, tmp_path: Path) -> None:
    folder(tmp_path, {"f.c": KERNEL, "loom.toml": text})
    assert refusal(collect, [tmp_path], choices()).removeprefix(f"{tmp_path}/").startswith(message)


def test_all_options_of_sim_are_keys() -> None:
    assert {"clock-period", "unroll", "style", "top", "seed", "stalls", "timeout"} <= {
        *known_keys()
    }


def test_a_key_changes_with_what_the_row_depends_on_and_nothing_else(tmp_path: Path) -> None:
    files = {"f.c": KERNEL, "f.json": "{}", "f.h": "", "loom.toml": "defaults.depends = ['x']"}
    first = cases(tmp_path / "a", files)["f"]
    key = key_of(first, "model")
    assert key_of(cases(tmp_path / "b", files)["f"], "model") == key
    assert key_of(first, "simulation") != key
    missing = {**files, "loom.toml": "defaults.cores = 'none'\ndefaults.inputs = 'none'"}
    assert key_of(cases(tmp_path / "c", missing)["f"], "model") != key
    changes = ({"f.c": KERNEL + " "}, {"f.json": "[]"}, {"f.h": "1"}, {"x": "1"},
               {"loom.toml": "defaults.seed = 2"})  # fmt: skip
    for number, change in enumerate(changes):
        case = cases(tmp_path / str(number), {**files, **change})["f"]
        assert key_of(case, "model") != key, change
