"""The command as a user runs it: exit status, what it prints, what it leaves on disk."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from loom.front.api import catalogue_rows
from loom.front.cli import main
from tests.support.folders import EXAMPLES, ROOT

ADD = str(EXAMPLES / "add.mlir")
GCD = str(EXAMPLES / "gcd.mlir")
AT_10 = "--clock-period", "10"  # without a note that another period is faster
TWO = "func.func @f() {\n  return\n}\nfunc.func @g(%a: i8) -> i8 {\n  return %a : i8\n}\n"


class Shell:
    """Runs the command in a folder of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return name

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Exit status, standard output, standard error."""
        try:
            status = main(arguments)
        except SystemExit as stop:
            assert isinstance(stop.code, int)
            status = stop.code
        captured = self.capsys.readouterr()
        return status, captured.out, captured.err

    def files(self) -> list[str]:
        found = self.folder.rglob("*")
        return sorted(str(path.relative_to(self.folder)) for path in found if path.is_file())


@pytest.fixture
def shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)


def test_compile_writes_a_circuit(shell: Shell) -> None:
    status, text, errors = shell.run("compile", "--style", "dynamic", ADD, "-o", "out")
    first, estimate = text.splitlines()
    assert (status, first, errors) == (0, "add: 1 units, 4 channels in out", "")
    assert re.fullmatch(
        r"estimate for an ECP5: \d+ LUT4, 0 FF, 0 MULT18, 0 DP16K, clock period [\d.]+ ns "
        r"\(Fmax \d+ MHz\) through addi_sum", estimate
    ), estimate  # fmt: skip
    assert shell.files() == [
        "out/add.dfg.mlir", "out/add.f", "out/add.netlist.json", "out/add.ports.json",
        "out/add.ports.md", "out/rtl/add.sv", "out/rtl/loom_addi.sv", "out/rtl/loom_error_latch.sv",
    ]  # fmt: skip
    listed = (shell.folder / "out/add.f").read_text().split()
    assert sorted(listed) == sorted(
        name.removeprefix("out/") for name in shell.files() if name.endswith(".sv")
    )
    assert listed[-1] == "rtl/add.sv"


def test_every_stage_is_entered_from_the_text_of_the_one_before(shell: Shell) -> None:
    status, told, _ = shell.run("compile", "--style", "dynamic", GCD, "-o", "a", *AT_10)
    assert status == 0
    units = told.split()[1]
    status, text, errors = shell.run("lower", GCD, *AT_10)
    assert (status, errors) == (0, "")
    assert text == (shell.folder / "a/gcd.dfg.mlir").read_text()
    assert shell.run("lower", GCD, "-o", "b/gcd.mlir", *AT_10) == (0, "", "")
    assert (shell.folder / "b/gcd.mlir").read_text() == text
    status, told, errors = shell.run("emit", "a/gcd.netlist.json", "-o", "c")
    assert (status, told.endswith(" files in c\n"), errors) == (0, True, "")
    for path in (shell.folder / "c").rglob("*.sv"):
        twin = shell.folder / "a" / path.relative_to(shell.folder / "c")
        assert path.read_text() == twin.read_text()
    for name, what in (
        (GCD, "program"), ("a/gcd.dfg.mlir", "graph"), ("a/gcd.netlist.json", "netlist"),
    ):  # fmt: skip
        period = AT_10 if name == GCD else ()
        verdict = f"{what} gcd: {units} units, balanced: proved, no problem\n"
        assert shell.run("check", name, *period) == (0, verdict, "")
        status, printed, _ = shell.run("check", name, "--json", *period)
        report = json.loads(printed)
        assert (status, report["file"], report["problems"]) == (0, name, [])
        assert [row["held"] for row in report["invariants"]] == [True] * 10
        assert report["cost"]["lut4"] > 300 and report["cost"]["clock_period"] > 5


def test_model_prints_a_verdict(shell: Shell) -> None:
    bundle = str(EXAMPLES / "gcd.json")
    status, text, errors = shell.run("model", GCD, "--inputs", bundle, *AT_10)
    assert (status, errors) == (0, "")
    assert text.splitlines()[-1] == "gcd: source and token model agree"
    status, text, _ = shell.run("model", GCD, "--inputs", bundle, "--json", "--activations", "5")
    report = json.loads(text)
    assert (status, report["match"], report["residual_tokens"]) == (0, True, 0)
    assert [run["results"] for run in report["runs"]] == [[21], [7], [1], [21], [7]]


def test_model_says_where_an_expectation_is_not_met(shell: Shell) -> None:
    name = shell.write("w.json", '{"inputs": {"a": 4, "b": 6}, "expected": {"results": [3]}}')
    status, text, errors = shell.run("model", GCD, "--inputs", name, *AT_10)
    assert (status, errors) == (1, "")
    assert text.splitlines()[1:] == [
        "gcd: the models differ",
        "  activation 0: result 0 is 2, the bundle expects 3",
    ]
    status, text, _ = shell.run("model", GCD, "--inputs", name, "--json")
    assert (status, json.loads(text)["match"]) == (1, False)


def test_random_inputs_follow_the_seed(shell: Shell) -> None:
    first = shell.run("model", ADD, "--seed", "7", "--json")
    assert first[0] == 0
    assert shell.run("model", ADD, "--seed", "7", "--json") == first
    assert shell.run("model", ADD, "--seed", "8", "--json") != first


def test_ops_lists_the_catalogue(shell: Shell) -> None:
    status, text, _ = shell.run("ops")
    assert (status, len(text.splitlines())) == (0, len(catalogue_rows()))
    rows = json.loads(shell.run("ops", "--json")[1])
    assert [(row["name"], row["ports"], row["summary"]) for row in rows] == list(catalogue_rows())


def test_a_graph_needs_no_program(shell: Shell) -> None:
    """What is told of a graph, and of the netlist that it becomes."""
    folder = ROOT / "tests" / "graphs"
    graph, bundle = str(folder / "loop_with_merges.mlir"), str(folder / "loop_with_merges.json")
    status, text, note = shell.run("emit", graph, "-o", "o")
    assert (status, text.endswith(" files in o\n")) == (0, True)
    kept = "--graph-buffers=keep takes the graph as it is"
    assert re.fullmatch(rf"loop_with_merges: note: \d+ buffers placed; {kept}\n", note)
    status, text, errors = shell.run("model", graph, "--inputs", bundle)
    assert (status, errors) == (0, note)
    counts = r"loop_with_merges activation 0: results 10; \d+ tokens, \d+ cycles predicted"
    assert re.match(counts, text)
    assert text.splitlines()[-1] == "loop_with_merges: the token model ends clean"
    netlist = "o/loop_with_merges.netlist.json"
    assert shell.run("model", netlist, "--inputs", bundle) == (0, text, "")
    status, text, _ = shell.run("model", netlist, "--json", "--activations", "2")
    report = json.loads(text)
    assert (status, report["match"], report["bound"], len(report["runs"])) == (0, True, None, 2)
    shell.write("wrong.json", '{"inputs": {"n": 3}, "expected": {"results": [4]}}')
    status, text, _ = shell.run("model", netlist, "--inputs", "wrong.json")
    assert status == 1
    assert text.splitlines()[1:] == [
        "loop_with_merges: the run is not as expected",
        "  activation 0: result 0 is 3, the bundle expects 4",
    ]
    status, text, errors = shell.run("emit", graph, "-o", "p", "--graph-buffers", "keep")
    assert (status, text) == (2, "") and "error[NETLIST_CYCLE]" in errors


def test_options_reach_the_lowering(shell: Shell) -> None:
    loop = str(EXAMPLES / "triangle.mlir")
    raw, guard = shell.run("lower", loop)[1], shell.run("lower", loop, "--zero-trip", "guard")[1]
    assert ("cmpi slt" in guard, "cmpi slt" in raw) == (True, False)
    shell.run("compile", "--style", "dynamic", loop, "-o", "narrow", "--index-width", "9")
    netlist = json.loads((shell.folder / "narrow/triangle.netlist.json").read_text())
    assert netlist["index_width"] == 9


def test_top_names_the_function(shell: Shell) -> None:
    name = shell.write("two.mlir", TWO)
    assert shell.run("compile", "--style", "dynamic", name, "-o", "o", "--top", "g")[0] == 0
    assert "o/rtl/g.sv" in shell.files()
    status, _, errors = shell.run("check", name)
    assert (status, errors) == (
        2,
        "two.mlir:4:1: error[MLIR_SEVERAL_TOPS]: found several functions: @f, @g; LOOM accepts one "
        "that is not private, or the name of the top function\n",
    )


def test_standard_input(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(Path(ADD).read_text()))
    assert shell.run("check", "-") == (
        0,
        "program add: 1 units, balanced: proved, no problem\n",
        "",
    )


C_TEXT = """int twice(int a) {
  return 2 * a;
}
int main(void) {
  return twice(21) != 42;
}
"""
PYTHON_TEXT = """import loom
import numpy as np

@loom.kernel
def twice(a: np.int32) -> np.int32:
    return a + a

if __name__ == "__main__":
    twice(np.int32(21))
"""


@pytest.mark.parametrize(("language", "text"), [("c", C_TEXT), ("python", PYTHON_TEXT)])
def test_every_language_on_standard_input(
    language: str, text: str, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program compiles, and the calls that it makes are run: the text is read once."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    words = ["compile", "-", "--language", language, "--style", "dynamic", "-o", "o"]
    status, printed, errors = shell.run(*words)
    assert (status, errors) == (0, "") and printed.startswith("twice: ")
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    status, printed, errors = shell.run("model", "-", "--language", language, "--json")
    assert [status, errors, *(run["results"] for run in json.loads(printed)["runs"])] == [
        0,
        "",
        [42],
    ]


def test_a_language_overrules_the_name_of_the_file(shell: Shell) -> None:
    shell.write("twice.txt", C_TEXT)
    assert shell.run("check", "twice.txt", "--language", "c")[0] == 0
    shell.write("twice.c", Path(ADD).read_text())
    assert shell.run("check", "twice.c", "--language", "mlir")[0] == 0
    assert shell.run("check", "twice.c")[0] == 2


@pytest.mark.parametrize(
    ("language", "text", "message"),
    [
        (
            "c",
            "int f(int a) {\n  return a +;\n}\n",
            "<stdin>:2:13: error[C_SYNTAX]: found expected expression; "
            "LOOM accepts C that compiles\n    2 |   return a +;\n      |             ^\n",
        ),
        (
            "python",
            "def f(a):\n    return a\n",
            "<stdin>:1:1: error[PY_NO_KERNEL]: found no kernel; "
            "LOOM accepts a file with a function under @loom.kernel\n"
            "    1 | def f(a):\n      | ^\n",
        ),
        (
            "mlir",
            "int f(int a);\n",
            "<stdin>:1:1: error[MLIR_UNKNOWN_OP]: found the operation int; LOOM accepts "
            "operations of the dialects func, scf, arith, math, index, memref, affine and cf\n",
        ),
    ],
)
def test_problems_of_standard_input_show_their_line(
    language: str, text: str, message: str, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    assert shell.run("check", "-", "--language", language) == (2, "", message)


REFUSALS: dict[str, tuple[list[str], str]] = {
    "no file": (
        ["compile", "nope.mlir", "-o", "o"],
        "nope.mlir: error[INPUT_UNREADABLE]: found No such file or directory; "
        "LOOM accepts a readable file",
    ),
    "a folder": (
        ["check", "."],
        ".: error[INPUT_UNREADABLE]: found a directory; LOOM accepts a regular file, or -; "
        "loom regress takes a folder of kernels",
    ),
    "no text": (
        ["lower", "bytes"],
        "bytes: error[INPUT_KIND]: found UTF-16 text; LOOM accepts UTF-8 text",
    ),
    "a file without end": (
        ["check", "--max-input", "1", "/dev/zero"],
        "/dev/zero: error[INPUT_UNREADABLE]: found a device; LOOM accepts a regular file, or -",
    ),
    "a bundle without end": (
        ["model", ADD, "--max-input", "1", "--inputs", "/dev/zero"],
        "/dev/zero: error[INPUT_UNREADABLE]: found a device; LOOM accepts a regular file, or -",
    ),
    "a name that no file has": (
        ["check", "a\0b"],
        "a\\x00b: error[INPUT_UNREADABLE]: found embedded null byte; LOOM accepts a file name",
    ),
    "no such function": (
        ["compile", GCD, "-o", "o", "--top", "nope"],
        f"{GCD}:2:1: error[MLIR_NO_TOP]: found no function @nope with a body; "
        "LOOM accepts a name out of: @gcd",
    ),
    "no bundle": (
        ["model", ADD, "--inputs", "nope.json"],
        "nope.json: error[INPUT_UNREADABLE]: found No such file or directory; "
        "LOOM accepts a readable file",
    ),
    "a bundle of another kernel": (
        ["model", ADD, "--inputs", str(EXAMPLES / "fibonacci.json")],
        f"{EXAMPLES / 'fibonacci.json'}:2:15: error[BUNDLE_NAME]: found 'n' among the inputs "
        "in activation 0; LOOM accepts the names a, b",
    ),
    "a bundle that is no JSON": (
        ["model", ADD, "--inputs", ADD],
        f"{ADD}:1:1: error[BUNDLE_SYNTAX]: found expecting value; LOOM accepts JSON",
    ),
    "no netlist": (
        ["emit", ADD, "-o", "o"],
        f"{ADD}: error[DFG_FUNCTIONS]: found no handshake.func; "
        "LOOM accepts a graph or a netlist; `loom compile` takes programs",
    ),
    "a folder that is a file": (
        ["compile", ADD, "-o", "file"],
        "file/rtl: error[EMIT_UNWRITABLE]: found a place where no file can be written "
        "(Not a directory); LOOM accepts an output folder that can be written",
    ),
    "a file that is a folder": (
        ["lower", ADD, "-o", "."],
        ".: error[EMIT_UNWRITABLE]: found a place where no file can be written "
        "(a folder stands there); LOOM accepts an output folder that can be written",
    ),
    "a file system that takes no file": (
        ["lower", ADD, "-o", "/proc/x"],
        "/proc/x: error[EMIT_UNWRITABLE]: found a place where no file can be written "
        "(No such file or directory); LOOM accepts an output folder that can be written",
    ),
    "endless": (
        ["model", "endless.mlir", "--max-cycles", "10", "--inputs", "c.json"],
        "endless.mlir:2:3: error[REF_BUDGET]: found a run of more than 200 operations, "
        "the last in scf.while; "
        "LOOM accepts programs that end; a larger --max-cycles for long ones",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusal(name: str, shell: Shell) -> None:
    arguments, message = REFUSALS[name]
    (shell.folder / "bytes").write_bytes(b"\xff\xfe")
    shell.write("file", "mine")
    shell.write("c.json", '{"inputs": {"c": true}}')
    shell.write(
        "endless.mlir",
        "func.func @f(%c: i1) {\n  scf.while : () -> () {\n    %t = arith.constant true\n"
        "    scf.condition(%t)\n  } do {\n    scf.yield\n  }\n  return\n}\n",
    )
    before = shell.files()
    assert shell.run(*arguments) == (2, "", f"{message}\n")
    assert shell.files() == before
    assert (shell.folder / "file").read_text() == "mine"


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="the machine has no /dev/full")
def test_a_device_that_takes_no_text(shell: Shell) -> None:
    assert shell.run("lower", ADD, "-o", "/dev/full") == (
        2,
        "",
        "/dev/full: error[EMIT_UNWRITABLE]: found a place where no file can be written "
        "(No space left on device); LOOM accepts an output folder that can be written\n",
    )
    assert Path("/dev/full").is_char_device()


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="the machine has no /dev/full")
@pytest.mark.parametrize("words", [["--help"], ["sim", "--help"], ["ops"]])
def test_help_for_a_device_that_takes_no_text(words: list[str]) -> None:
    """argparse forgets that it could not write."""
    command = [sys.executable, "-m", "loom.front.cli", *words]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr.decode()) == (
        2,
        "<stdout>: error[EMIT_UNWRITABLE]: found a place where nothing can be written "
        "(No space left on device); LOOM accepts an output that takes all that is written\n",
    )


def test_standard_input_is_read_once() -> None:
    command = [sys.executable, "-m", "loom.front.cli", "model", "-", "--inputs", "-"]
    done = subprocess.run(
        command, input=Path(ADD).read_bytes(), capture_output=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stderr.decode()) == (
        2,
        "<stdin>: error[INPUT_UNREADABLE]: found standard input a second time; "
        "LOOM accepts - for one file\n",
    )


def test_a_failed_write_touches_no_file(shell: Shell) -> None:
    """The last file cannot be put in its place: none is, and what was there stays."""
    (shell.folder / "o/add.dfg.mlir").mkdir(parents=True)
    shell.write("o/add.f", "old")
    status, _, errors = shell.run("compile", ADD, "-o", "o")
    assert status == 2
    assert errors.startswith("o/add.dfg.mlir: error[EMIT_UNWRITABLE]")
    assert shell.files() == ["o/add.f"]
    assert (shell.folder / "o/add.f").read_text() == "old"


def test_problems_as_json(shell: Shell) -> None:
    name = shell.write("bad.mlir", "func.func @f(%a: f80) {\n  return\n}")
    status, text, errors = shell.run("check", name, "--json")
    assert (status, errors) == (2, "")
    assert json.loads(text) == {
        "file": name,
        "problems": [
            {"code": "MLIR_UNSUPPORTED_TYPE", "file": name, "line": 1, "column": 14,
             "found": "the type f80",
             "accepted": "integers of 1 to 64 bits, index, f16, bf16, f32 and f64"},
        ],
        "invariants": [],
        "cost": None,
        "notes": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "loom: error[CLI_USAGE]: found no VERB; LOOM accepts the arguments of `loom --help`"),
        (
            ["complie", ADD],
            "loom: error[CLI_VERB]: found the verb 'complie'; "
            "LOOM accepts compile: did you mean that?",
        ),
        (
            ["frobnicate"],
            "loom: error[CLI_VERB]: found the verb 'frobnicate'; LOOM accepts a verb: "
            "compile, lower, graph, emit, wrap, package, check, model, sim, report, regress, "
            "explore, new, doctor, completion, help, ops",
        ),
        (
            ["compile", ADD, "--bufers", "fast"],
            "loom compile: error[CLI_OPTION]: found the option --bufers; "
            "LOOM accepts --buffers: did you mean that?",
        ),
        (
            ["sim", ADD, "--stals=0.3"],
            "loom sim: error[CLI_OPTION]: found the option --stals; "
            "LOOM accepts --stalls: did you mean that?",
        ),
        (
            ["--verion"],
            "loom: error[CLI_OPTION]: found the option --verion; "
            "LOOM accepts --version: did you mean that?",
        ),
        (
            ["ops", "--xyzzy"],
            "loom ops: error[CLI_OPTION]: found the option --xyzzy; "
            "LOOM accepts the options of `loom ops --help`",
        ),
        (
            ["compile", ADD],
            "loom compile: error[CLI_USAGE]: found no -o/--output; "
            "LOOM accepts the arguments of `loom compile --help`",
        ),
        (
            ["check", ADD, GCD],
            f"{ADD}: error[C_BUILD]: found options of C, or several files, with a file that is no "
            "C; LOOM accepts C, or --language c",
        ),
        (
            ["check", ADD, "--top"],
            "loom check: error[CLI_USAGE]: found argument --top: expected one argument; "
            "LOOM accepts the arguments of `loom check --help`",
        ),
        (
            ["compile", ADD, "-o", ""],
            "-o/--output: error[CLI_VALUE]: found ''; LOOM accepts the name of a file or folder",
        ),
        (
            ["lower", ADD, "--index-width", "65"],
            "--index-width: error[CLI_VALUE]: found '65'; LOOM accepts a whole number, 1 to 64",
        ),
        (
            ["lower", ADD, "--index-width", "x"],
            "--index-width: error[CLI_VALUE]: found 'x'; LOOM accepts a whole number, 1 to 64",
        ),
        (
            ["lower", ADD, "--zero-trip", "no"],
            "--zero-trip: error[CLI_VALUE]: found 'no'; LOOM accepts raw or guard",
        ),
        (
            ["lower", ADD, "--language", "rust"],
            "--language: error[CLI_VALUE]: found 'rust'; LOOM accepts mlir, c or python",
        ),
        (
            ["emit", ADD, "-o", "o", "--buffers", "keep"],
            "--buffers: error[CLI_VALUE]: found 'keep'; LOOM accepts fast or optimal; "
            "for a graph given as input: --graph-buffers=keep",
        ),
        (
            ["check", ADD, "--buffers", "place"],
            "--buffers: error[CLI_VALUE]: found 'place'; LOOM accepts fast or optimal; "
            "for a graph given as input: --graph-buffers=place",
        ),
        (
            ["check", ADD, "--graph-buffers", "fast"],
            "--graph-buffers: error[CLI_VALUE]: found 'fast'; LOOM accepts auto, keep or place",
        ),
        (
            ["lower", ADD, "--latency", "muli"],
            "--latency: error[CLI_VALUE]: found 'muli'; "
            "LOOM accepts OPERATOR=CYCLES, such as muli=3",
        ),
        (
            ["lower", ADD, "--unroll", "3=0"],
            "--unroll: error[CLI_VALUE]: found '3=0'; "
            "LOOM accepts LINE=N, N of 1 and more, or LINE=full",
        ),
        (
            ["lower", ADD, "--partition", "a"],
            "--partition: error[CLI_VALUE]: found 'a'; "
            "LOOM accepts ARRAY:PARTITION, such as a:cyclic:4",
        ),
        (
            ["lower", ADD, "--ports", "a=2"],
            "--ports: error[CLI_VALUE]: found 'a=2'; LOOM accepts ARRAY:PORTS, such as a:2",
        ),
        (
            ["lower", ADD, "--clock-period", "nan"],
            "--clock-period: error[CLI_VALUE]: found 'nan'; LOOM accepts a time above 0 [ns], "
            "none or default",
        ),
        (
            ["lower", ADD, "--unroll-below", "0"],
            "--unroll-below: error[CLI_VALUE]: found '0'; LOOM accepts a whole number, 1 and more",
        ),
        (
            ["model", ADD, "--activations", "0"],
            "--activations: error[CLI_VALUE]: found '0'; LOOM accepts a whole number, 1 to 1000000",
        ),
        (
            ["model", ADD, "--seed", "one"],
            "--seed: error[CLI_VALUE]: found 'one'; LOOM accepts a whole number",
        ),
        (
            ["sim", ADD, "--stalls", "1"],
            "--stalls: error[CLI_VALUE]: found '1'; "
            "LOOM accepts a probability, 0 and more and below 1",
        ),
    ],
)
def test_a_wrong_command_line_is_refused_in_one_line(
    arguments: list[str], message: str, shell: Shell
) -> None:
    assert shell.run(*arguments) == (2, "", f"{message}\n")
    assert shell.files() == []


def test_sim_without_its_extra(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("loom_sim")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "loom_sim", None)
    status, text, errors = shell.run("sim", ADD)
    assert (status, text) == (2, "")
    assert errors.startswith("loom: error[SIM_NOT_INSTALLED]: found no module loom_sim")
    assert errors.endswith("the extra `sim`: pip install 'loom-hls[sim]'\n")


def test_nests_of_hundreds_pass_every_stage(shell: Shell) -> None:
    opened = "".join(f"  %r{k} = scf.if %c -> i8 {{\n" for k in range(180))
    inner = "  scf.yield %a : i8\n  } else {\n  scf.yield %a : i8\n  }\n"
    closed = "".join(
        f"  scf.yield %r{k} : i8\n  }} else {{\n  scf.yield %a : i8\n  }}\n"
        for k in reversed(range(1, 180))
    )
    text = f"func.func @f(%c: i1, %a: i8) -> i8 {{\n{opened}{inner}{closed}  return %r0 : i8\n}}\n"
    shell.write("deep.mlir", text)
    frames = sys.getrecursionlimit()
    assert shell.run("compile", "--style", "dynamic", "deep.mlir", "-o", "out")[0::2] == (0, "")
    assert shell.run("check", "out/f.dfg.mlir")[0::2] == (0, "")
    assert shell.run("model", "deep.mlir", "--activations", "2")[0::2] == (0, "")
    assert sys.getrecursionlimit() == frames
