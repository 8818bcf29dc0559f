"""Entry points: found by name, refused by name; the module that a pass leaves is checked."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.universe import Universe

from loom.entry_points import CORES, DIALECTS, PASSES, list_additions
from loom.errors import LoomError
from loom.front.api import compile_text
from loom.front.cli import main
from loom.front.passes import Progress, find_passes, watch_passes
from loom.frontend.mlir.read import read_mlir
from loom.lower import pipeline
from loom.lower.options import AddedPass, Options, PassRun, Watch
from loom.lower.run_passes import insert_passes
from tests.extend.installed import groups_of, installed
from tests.support.folders import ROOT

KERNEL = "func.func @f(%a: i8) -> i8 {\n  %b = arith.muli %a, %a : i8\n  return %b : i8\n}\n"
CODE = """
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.ir import Dialect
from loom import AddedDialect

def nothing(module, options):
    pass

def fails(module, options):
    raise ValueError("no luck")

def one(module):
    pass

class Xdsl(ModulePass):
    name = "xdsl"
    def apply(self, ctx, op):
        op.attributes["loom.seen"] = op.ops.first.sym_name

number = 3
wrong_name = AddedDialect(Dialect("other"), lambda module: None)
"""
GROUPS = {
    PASSES: {
        "nothing": "planted_additions:nothing", "fails": "planted_additions:fails",
        "one": "planted_additions:one", "xdsl": "planted_additions:Xdsl",
        "missing": "planted_additions:none", "no-module": "no_such_module:f",
    },
    CORES: {"three": "planted_additions:number"},
    DIALECTS: {"planted": "planted_additions:wrong_name"},
}  # fmt: skip


@pytest.fixture
def additions(tmp_path: Path) -> object:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "planted_additions.py").write_text(CODE)
    with installed(tmp_path / "site", "planted", "1.5", GROUPS, tmp_path / "code"):
        yield None
    sys.modules.pop("planted_additions", None)


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(LoomError) as caught:
        call()
    return str(caught.value)


def compiled(*passes: AddedPass, watch: Watch | None = None) -> None:
    compile_text(KERNEL, "k.mlir", options=Options(passes=passes, watch=watch))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("missing", "loom.passes: error[EXTEND_BROKEN]: found the pass missing of planted 1.5 "
         "(planted_additions:none): AttributeError: module 'planted_additions' has no attribute "
         "'none'; LOOM accepts an object that is there"),
        ("no-module", "loom.passes: error[EXTEND_BROKEN]: found the pass no-module of planted 1.5 "
         "(no_such_module:f): ModuleNotFoundError: No module named 'no_such_module'; LOOM accepts "
         "an object that is there"),
        ("nothin", "--pass: error[EXTEND_UNKNOWN]: found the pass 'nothin'; LOOM accepts nothing: "
         "did you mean that?"),
        ("unroll-lops", "--pass: error[EXTEND_UNKNOWN]: found the pass 'unroll-lops'; LOOM accepts "
         "unroll-loops: did you mean that?"),
    ],
)  # fmt: skip
def test_a_pass_that_is_not_there_is_named(given: str, message: str, additions: object) -> None:
    assert refusal(lambda: find_passes([(given, "normalize")])) == message


def test_a_pass_that_no_package_has_is_refused() -> None:
    found = refusal(lambda: find_passes([("no such pass", "normalize")]))
    assert found.startswith("--pass: error[EXTEND_UNKNOWN]: found the pass 'no such pass'; LOOM ")
    assert find_passes([("simplify", "normalize")])[0].name == "simplify"


def test_what_is_no_pass_is_named(additions: object) -> None:
    found = refusal(lambda: find_passes([("one", "normalize")]))
    assert found.startswith("loom.passes: error[EXTEND_BROKEN]: found the pass one of planted 1.5")
    assert found.endswith("LOOM accepts a function of a module and loom.Options, or a class of "
                          "xdsl.passes.ModulePass")  # fmt: skip


def test_a_place_that_is_none_is_named(additions: object) -> None:
    assert refusal(lambda: find_passes([("nothing", "simplfy")])) == (
        "--pass: error[LOWER_PASS_PLACE]: found the place 'simplfy' of the pass nothing; LOOM "
        "accepts simplify: did you mean that?"
    )
    assert refusal(lambda: watch_passes(["foldconstants"], False, ())) == (
        "--print-after: error[LOWER_PASS_PLACE]: found the pass 'foldconstants'; LOOM accepts "
        "fold-constants: did you mean that?"
    )


def test_cores_that_are_no_folder_are_named(
    additions: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.mlir").write_text(KERNEL)
    assert main(["lower", str(tmp_path / "k.mlir"), "--cores", "three"]) == 2
    assert capsys.readouterr().err == (
        "loom.cores: error[EXTEND_BROKEN]: found the folder of cores three of planted 1.5 "
        "(planted_additions:number): it is 3; LOOM accepts a pathlib.Path of a folder of "
        "templates\n"
    )


def test_a_dialect_of_another_name_is_named(additions: object) -> None:
    text = KERNEL.replace("arith.muli", "planted.square")
    found = refusal(lambda: compile_text(text, "k.mlir"))
    assert found.startswith("loom.dialects: error[EXTEND_BROKEN]: found the dialect planted of "
                            "planted 1.5 (planted_additions:wrong_name): it is ")  # fmt: skip
    assert found.endswith("LOOM accepts a loom.AddedDialect whose dialect is called planted")


def test_the_doctor_says_which_is_broken(
    additions: object, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["doctor"])
    text = capsys.readouterr().out
    assert "ok      pass nothing of planted 1.5 (planted_additions:nothing)\n" in text
    assert "broken  the pass missing of planted 1.5 (planted_additions:none): Attribute" in text


def test_a_pass_of_xdsl_runs(additions: object) -> None:
    options = Options(passes=find_passes([("xdsl", "check")]))
    circuit = compile_text(KERNEL, "k.mlir", options=options)
    assert "loom.seen" in circuit.graph.attributes


def test_a_pass_that_fails_is_refused_at_its_line(additions: object, tmp_path: Path) -> None:
    line = CODE.split("\n").index('    raise ValueError("no luck")') + 1
    assert refusal(lambda: compiled(*find_passes([("fails", "simplify")]))) == (
        f"{tmp_path / 'code' / 'planted_additions.py'}:{line}:1: error[LOWER_PASS]: found the pass "
        "fails, which fails: ValueError: no luck; LOOM accepts passes that rewrite the module, or "
        "raise LoomError"
    )


def widen(module: ModuleOp, options: Options) -> None:
    """Planted: the result of an operation has another type than its operands."""
    for op in module.walk():
        if isinstance(op, arith.MuliOp):
            constant = arith.ConstantOp(IntegerAttr(1, 16))
            assert op.parent is not None
            op.parent.insert_op_before(constant, op)
            op.operands[1] = constant.result


def forget(module: ModuleOp, options: Options) -> None:
    """Planted: the function is gone, which no later pass takes."""
    for op in list(module.ops):
        op.detach()


def keep(module: ModuleOp, options: Options) -> None:
    pass


def test_an_invalid_module_is_refused_behind_its_pass() -> None:
    found = refusal(lambda: compiled(AddedPass("widen", "simplify", widen)))
    assert found.startswith("--pass: error[LOWER_PASS]: found the pass widen, after which the "
                            "module breaks a rule: ")  # fmt: skip


def test_a_module_that_no_later_pass_takes_is_refused() -> None:
    found = refusal(lambda: compiled(AddedPass("forget", "hoist-invariants", forget)))
    assert "which fails on what the pass forget has left" in found


def test_passes_of_loom_are_verified_where_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    table = insert_passes(pipeline.PASSES, [AddedPass("widen", "simplify", widen)])
    planted = [*table]
    at = next(n for n, step in enumerate(planted) if step.is_added)
    planted[at] = replace(planted[at], after="")
    monkeypatch.setattr(pipeline, "PASSES", tuple(planted))
    runs: list[PassRun] = []
    watch = Watch(lambda run, module: runs.append(run), verify=True)
    assert "the pass widen, after which" in refusal(lambda: compiled(watch=watch))
    assert runs[-1].name == "simplify"


def test_added_passes_stand_in_their_order() -> None:
    given = [AddedPass("a", "simplify", keep), AddedPass("b", "simplify", keep),
             AddedPass("c", "a", keep), AddedPass("d", "check", keep),
             AddedPass("e", "fold-constants", keep)]  # fmt: skip
    steps = insert_passes(pipeline.PASSES, given)
    names = [step.name for step in steps]
    at = names.index("simplify")
    assert names[at : at + 5] == ["simplify", "a", "c", "b", "hoist-invariants"]
    assert names[names.index("d") + 1] == "partition-arrays"
    assert names[names.index("e") - 1] == "fold-constants"
    assert [step for step in steps if not step.is_added] == [*pipeline.PASSES]
    assert [step.stage for step in steps if step.is_added] == [
        "check", "normalize", "normalize", "normalize", "dataflow"
    ]  # fmt: skip


def test_a_pass_behind_a_lean_one_runs_without_it() -> None:
    ran: list[str] = []

    def note(module: ModuleOp, options: Options) -> None:
        ran.append(options.lean)

    given = (AddedPass("note", "fold-constants", note),)
    compile_text(KERNEL, "k.mlir", options=Options(passes=given, lean="off"))
    assert ran == ["off"]


def test_a_static_schedule_refuses_passes_of_the_graph(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.mlir").write_text(KERNEL)
    command = ["lower", str(tmp_path / "k.mlir"), "--style", "static", "--pass"]
    assert main([*command, "simplify@reassociate"]) == 0
    capsys.readouterr()
    assert main([*command, "fold-constants@merge-equal-units"]) == 2
    assert capsys.readouterr().err == (
        "--pass: error[STATIC_OPTION]: found --pass fold-constants@merge-equal-units with a static "
        "schedule; LOOM accepts passes of the stages check and normalize\n"
    )


def test_a_graph_has_no_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "k.mlir").write_text(KERNEL)
    assert main(["lower", str(tmp_path / "k.mlir"), "-o", str(tmp_path / "g.mlir")]) == 0
    assert main(["check", str(tmp_path / "g.mlir"), "--pass", "simplify@simplify"]) == 2
    assert capsys.readouterr().err == (
        "--pass: error[LOWER_PASS_PLACE]: found --pass for a graph or a netlist; LOOM accepts it "
        "for a program\n"
    )


def test_the_module_is_printed_after_a_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.mlir").write_text(KERNEL)
    command = ["lower", str(tmp_path / "k.mlir"), "--print-after", "scf-to-dataflow", "--trace",
               "--print-after", "fold-constants", "--lean", "off"]  # fmt: skip
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert err.startswith("// after scf-to-dataflow\nbuiltin.module {\n  handshake.func @f(")
    assert "// after fold-constants" not in err
    assert "note: the pass fold-constants did not run\n" in err
    lines = [line for line in err.split("\n") if " operations " in line]
    assert len(lines) == len([step for step in pipeline.PASSES if not step.is_lean])
    assert out.startswith("builtin.module")


def test_xdsl_opt_sees_dialects_and_passes(tmp_path: Path) -> None:
    name, version, groups = "loom-hls", "0.1.0", groups_of_loom()
    with installed(tmp_path / "site", f"{name}-planted", version, groups, ROOT):
        found = Universe.get_multiverse()
    assert {"dataflow", "handshake", "staticlogic"} <= {*found.all_dialects}
    assert found.all_dialects["dataflow"]().name == "dataflow"
    rewrite = found.all_passes["loom-reduce-strength"]()
    assert rewrite.name == "loom-reduce-strength"
    assert len([each for each in found.all_passes if each.startswith("loom-")]) == 1 + len(
        {step.name for step in pipeline.PASSES}
    )
    module = read_mlir(KERNEL.replace("%a, %a", "%a, %c").replace(
        "  %b", "  %c = arith.constant 4 : i8\n  %b"))  # fmt: skip
    rewrite().apply(Context(), module)
    assert "arith.shli" in str(module) and "arith.muli" not in str(module)


def groups_of_loom() -> dict[str, dict[str, str]]:
    """LOOM's own entry point for xDSL, as pyproject.toml has it, unless it is installed already."""
    given = {"xdsl.universe": dict(groups_of(ROOT)[2]["xdsl.universe"])}
    there = {entry.name for entry in entry_points(group="xdsl.universe")}
    return {} if "loom" in there else given


def test_nothing_is_imported_that_nobody_names(additions: object) -> None:
    compile_text(KERNEL, "k.mlir")
    assert {each.package for each in list_additions(PASSES).values()} >= {"planted"}
    assert "planted_additions" not in sys.modules


def test_progress_is_shown_once_it_takes_long() -> None:
    stream = io.StringIO()
    compiled(watch=Watch(begin=Progress(stream, patience=60.0).begin))
    assert stream.getvalue() == ""
    compiled(watch=Watch(begin=Progress(stream, patience=0.0).begin))
    shown = [text.rstrip() for text in stream.getvalue().split("\r")]
    count = len(pipeline.PASSES)
    names = [f"pass {n} of {count}: {step.name}" for n, step in enumerate(pipeline.PASSES, 1)]
    assert shown == ["", *names, "", ""]
    assert stream.getvalue().endswith(" \r")
