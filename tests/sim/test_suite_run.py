"""A large suite: its rows are kept, its tables say the same, what is wrong does not stop it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from loom_sim import suite_run
from loom_sim.suite_rows import (
    DIFFERS,
    MATCH,
    REFUSED,
    Row,
    from_json,
    json_table,
    junit,
    text_table,
    to_json,
)

ROWS = [
    Row("dot", "k1", MATCH, 38, 5, 113, 81, 3460, 1.25),
    Row("gcd", "k2", DIFFERS, 18, 4, 213, 0, 220, 2.0, ("activation 0: <2> is 3", "again")),
    Row("odd", "k3", REFUSED, problems=("odd.c:1:1: error[C_SYNTAX]: found &",)),
]


def test_the_table_has_a_line_a_kernel() -> None:
    assert text_table(ROWS) == (
        "kernel  units  runs  cycles  bound  ratio  tokens  status\n"
        "dot        38     5     113     81   1.40    3460  match\n"
        "gcd        18     4     213      0      -     220  differs: activation 0: <2> is 3\n"
        "odd         0     0       0      0      -       0  refused: odd.c:1:1: error[C_SYNTAX]: "
        "found &\n"
        "1 of 3 kernels match\n"
    )


def test_json_and_xml_say_the_same() -> None:
    assert [from_json(to_json(row)) for row in ROWS] == ROWS
    listed = json.loads(json_table(ROWS))
    assert [row["status"] for row in listed] == ["match", "differs", "refused"]
    assert listed[0]["ratio"] == 113 / 81 and listed[1]["ratio"] is None
    suite = ElementTree.fromstring(junit(ROWS, "c"))
    assert suite.attrib == {
        "name": "c", "tests": "3", "time": "3.25", "failures": "1", "errors": "1",
    }  # fmt: skip
    cases = {case.attrib["name"]: [each.tag for each in case] for case in suite}
    assert cases == {"dot": [], "gcd": ["failure"], "odd": ["error"]}
    assert suite[1][0].attrib["message"] == "activation 0: <2> is 3"
    assert suite[1][0].text == "activation 0: <2> is 3\nagain"


def test_without_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert suite_run.main([str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "error[SUITE_EMPTY]: found no kernel" in capsys.readouterr().err


@pytest.mark.sim
def test_a_suite_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = tmp_path / "kernels", tmp_path / "out"
    folder.mkdir()
    (folder / "odd.c").write_text("int odd(int a) { return *a; }\n")
    command = [str(folder), "--out", str(out), "--jobs", "1"]
    assert suite_run.main(command) == 1
    first = capsys.readouterr()
    assert "[1/1] odd: refused" in first.err and "0 of 1 kernels match\n" in first.out
    (folder / "good.c").write_text(
        "int good(int a) { return a + 1; }\nint main(void) { return good(2) - 3; }\n"
    )
    assert suite_run.main(command) == 1
    second = capsys.readouterr()
    assert "1 kernels are as an earlier run left them\n[1/1] good: match" in second.err
    assert "1 of 2 kernels match\n" in second.out
    assert (out / "suite.txt").read_text() == second.out
    assert ElementTree.parse(out / "suite.xml").getroot().attrib["errors"] == "1"
