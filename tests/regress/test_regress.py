"""The verb: rows as expected or not, what is kept, workers that die, and tables that agree."""

from __future__ import annotations

import json
import os
import time
from argparse import Namespace
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from loom.front.cli import main
from loom.regress import workers
from loom.regress.baseline import DEFAULT, compare
from loom.regress.case import Case
from loom.regress.page import page
from loom.regress.row import (
    CRASHED,
    DIFFERS,
    MATCH,
    REFUSED,
    TIMEOUT,
    Problem,
    Row,
    from_text,
    to_json,
)
from loom.regress.row_store import RowStore, place_of
from loom.regress.sarif import sarif
from loom.regress.tables import json_object, junit, text_table
from loom.regress.workers import judge_all
from tests.regress.judged_here import judge_here

GOOD = "int good(int a) { return a + 1; }\nint main(void) { return good(2) - 3; }\n"
ODD = "int odd(int a) { return *a; }\n"
SYNTAX = Problem("found &; LOOM accepts x", "C_SYNTAX", 3, 7)
ROWS = [
    Row("dot", "c/dot.c", MATCH, MATCH, 38, 5, 113, 113, 81, 3460, 300, 400, 6.25, 0.25, 1.0),
    Row("gcd", "c/gcd.c", DIFFERS, MATCH, 18, 4, 213, None, 0, 220, 5, 6, 3.0, 0.5, 1.5,
        (Problem("activation 0: <2> is 3"), Problem("again"))),
    Row("odd", "c/odd 1.c", REFUSED, MATCH, problems=(SYNTAX,)),
    Row("bad", "c/bad.c", REFUSED, "refused:C_SYNTAX", problems=(SYNTAX,)),
]  # fmt: skip


def test_the_table_has_a_line_a_kernel() -> None:
    assert text_table(ROWS) == (
        "kernel  cycles  predicted  bound  LUT4   FF  period  compile  run  status\n"
        "dot        113        113     81   300  400     6.2      0.2  1.0  match\n"
        "gcd        213          -      0     5    6     3.0      0.5  1.5  differs\n"
        "odd          -          -      -     -    -       -      0.0  0.0  refused:C_SYNTAX\n"
        "bad          -          -      -     -    -       -      0.0  0.0  refused:C_SYNTAX, as "
        "expected\n"
        "2 of 4 kernels as expected"
    )


@pytest.mark.parametrize(
    ("status", "expect", "is_expected"),
    [
        (REFUSED, "refused", True), (REFUSED, "refused:C_SYNTAX", True),
        (REFUSED, "refused:C_TYPE", False), (REFUSED, MATCH, False), (MATCH, REFUSED, False),
        (TIMEOUT, "timeout", True), (DIFFERS, "differs", True),
    ],
)  # fmt: skip
def test_what_is_expected(status: str, expect: str, is_expected: bool) -> None:
    assert Row("k", "k.c", status, expect, problems=(SYNTAX,)).is_expected is is_expected


def test_all_tables_say_the_same() -> None:
    assert [from_text(json.dumps(to_json(row))) for row in ROWS] == ROWS
    growth = compare({"dot": {"cycles": 100}, "lost": {"cycles": 1}}, ROWS, DEFAULT, whole=True)
    found = json_object(ROWS, growth)
    assert [row["expected"] for row in found["kernels"]] == [True, False, False, True]
    assert found["passed"] is False and json_object(ROWS[:1], None)["passed"] is True
    assert json_object(ROWS[:1], growth)["passed"] is False
    suite = ElementTree.fromstring(junit(ROWS, growth))
    assert suite.attrib == {
        "name": "loom regress", "tests": "5", "time": "3.25", "failures": "3", "errors": "1",
    }  # fmt: skip
    cases = {case.attrib["name"]: [each.tag for each in case] for case in suite}
    kinds = {"dot": ["failure"], "gcd": ["failure"], "odd": ["error"], "bad": []}
    assert cases == {**kinds, "lost": ["failure"]}
    grew = "dot: cycles 100 -> 113 (+13, +13.0 %; tolerance 0)"
    assert suite[0][0].attrib["message"] == grew
    assert suite[1][0].text == "differs\nactivation 0: <2> is 3\nagain"
    (run,) = json.loads(sarif(ROWS, growth))["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [
        "C_SYNTAX",
        "differs",
        "grew",
    ]
    assert [result["ruleId"] for result in run["results"]] == [
        "grew", "differs", "differs", "C_SYNTAX",
    ]  # fmt: skip
    told = run["results"][0]["message"]["text"]
    assert told == grew, "the name of the kernel stands once"
    assert run["results"][3]["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "c/odd%201.c"},
                              "region": {"startLine": 3, "startColumn": 7}}}
    ]  # fmt: skip
    text = page(ROWS, growth, "b.json")
    assert "activation 0: &lt;2&gt; is 3" in text and grew.replace(">", "&gt;") in text
    assert text.count('class="bad"') == 3


def case(name: str, timeout: float = 100.0) -> Case:
    return Case(name, f"{name}.c", Namespace(file=f"{name}.c"), timeout=timeout)


@dataclass(frozen=True)
class Planted:
    """A judge whose process ends, or does not, by the name of the case."""

    def __call__(self, case: Case) -> Row:
        if case.name == "dies":
            os._exit(3)
        if case.name == "hangs":
            time.sleep(300)
        return Row(case.name, case.place, MATCH)


def test_a_worker_that_dies_or_hangs_costs_its_own_row() -> None:
    cases = [case("dies"), case("one"), case("hangs", 0.1), case("two")]
    rows = dict(judge_all(cases, 1, Planted(), lambda number: True))
    assert [rows[k].status for k in range(4)] == [CRASHED, MATCH, TIMEOUT, MATCH]
    assert rows[0].problems == (Problem("its process ended with status 3"),)
    assert rows[2].problems == (Problem("no end after 0.1 s"),)


def test_a_row_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    store, key, kept = RowStore(tmp_path / "rows"), "ab" * 32, ROWS[0]
    store.write(key, kept)
    other = replace(case("other"), expect="differs")
    assert store.read(key, other) == kept.named("other", "other.c", "differs")
    place = tmp_path / "rows" / place_of(key)
    assert [path for path in (tmp_path / "rows").rglob("*") if path.is_file()] == [place]
    place.write_text(place.read_text()[:-20])
    assert store.read(key, other) is None
    store.write("cd" * 32, ROWS[2])
    assert store.read("cd" * 32, other) is None, "a refusal may be that of this machine"


def test_a_regression_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(workers, "judge_all", judge_here)
    for name, text in (("good.c", GOOD), ("sub/odd.c", ODD)):
        (tmp_path / "k" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "k" / name).write_text(text)
    command = ["regress", "k", "--model-only", "-j", "1", "--cache", "rows", "--baseline", "b.json"]
    assert main([*command, "--update"]) == 1
    first = capsys.readouterr()
    assert "[1/2] good: match" in first.err and "[2/2] sub/odd: refused:C_" in first.err
    assert "sub/odd: k/sub/odd.c:1:25: error[C_" in first.err
    assert "1 of 2 kernels as expected\n" in first.out
    assert list(json.loads(Path("b.json").read_text())["kernels"]) == ["good"]
    Path("k/sub/loom.toml").write_text('kernels.odd.expect = "refused"\n')
    files = {"--junit": "j.xml", "--html": "new/h.html", "--sarif": "s.sarif"}
    assert main([*command, "--json", *(each for pair in files.items() for each in pair)]) == 0
    second = capsys.readouterr()
    assert "1 of 2 are as an earlier run left them\n[1/1] sub/odd" in second.err
    assert json.loads(second.out)["baseline"] == {"changes": [], "missing": [], "new": []}
    assert all(Path(file).is_file() for file in files.values())
    grown = json.loads(Path("b.json").read_text())
    grown["kernels"]["good"]["lut4"] -= 10
    Path("b.json").write_text(json.dumps(grown))
    assert main([*command, "-k", "good"]) == 1
    assert "grew: good: lut4 " in capsys.readouterr().out
    Path("k/good.c").write_text(GOOD + "\n")
    assert main([*command, "-k", "good"]) == 1
    assert "[1/1] good: match" in capsys.readouterr().err


def test_a_static_schedule_has_its_own_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "judge_all", judge_here)
    (tmp_path / "good.c").write_text(GOOD)
    command = ["regress", str(tmp_path), "--model-only", "--cache", str(tmp_path / "rows")]
    assert main([*command, "--style", "static", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["kernels"]
    assert row["predicted"] > 0 and row["tokens"] is None and row["flip_flops"] > 0


def test_a_place_that_takes_no_row_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "judge_all", judge_here)
    (tmp_path / "good.c").write_text(GOOD)
    command = ["regress", str(tmp_path), "--model-only", "-j", "1", "--cache"]
    assert main([*command, str(tmp_path / "good.c")]) == 2
    assert "good.c/" in (text := capsys.readouterr().err) and "error[EMIT_UNWRITABLE]" in text


def test_an_interrupt_says_that_the_command_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(workers, "judge_all", interrupted)
    (tmp_path / "good.c").write_text(GOOD)
    command = ["regress", str(tmp_path), "--model-only", "--cache", str(tmp_path / "rows")]
    assert main(command) == 130
    assert "interrupted; the same command goes on from here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["k", "--update"], "loom regress: error[CLI_USAGE]: found --update alone; LOOM accepts "
         "--update with --baseline F"),
        (["."], ".: error[SUITE_EMPTY]: found no kernel; LOOM accepts a folder with .mlir, .c or "
         ".py files, or one of these"),
        (["none"], "none: error[SUITE_EMPTY]"),
        (["k", "--shard", "3/2"], "--shard: error[CLI_VALUE]: found '3/2'; LOOM accepts I/N, such "
         "as 2/8: the second of eight parts"),
        (["k", "--tolerance", "x=1"], "--tolerance: error[CLI_VALUE]: found 'x=1'"),
    ],
)  # fmt: skip
def test_a_wrong_command_is_refused(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["regress", "--model-only", *words]) == 2
    assert capsys.readouterr().err.startswith(message)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_cycles_are_those_of_the_simulation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "good.c").write_text(GOOD)
    assert (
        main(["regress", str(tmp_path), "-j", "1", "--cache", str(tmp_path / "rows"), "--json"])
        == 0
    )
    rows = json.loads(capsys.readouterr().out)["kernels"]
    assert [row["kernel"] for row in rows] == ["good"]
    assert rows[0]["cycles"] == rows[0]["predicted"] > 0 and rows[0]["tokens"] > 0
