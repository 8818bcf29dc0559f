"""Every listed mutant applies and names a test; one that changes nothing is reported."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.folders import ROOT
from tools.mutation import __main__ as main
from tools.mutation.templates import MUTANTS, Mutant


def test_every_mutant_applies_once_and_names_a_test(tmp_path: Path) -> None:
    for mutant in MUTANTS:
        target = tmp_path / mutant.file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / mutant.file, target)
        assert mutant.apply(tmp_path) != target.read_text(encoding="utf-8"), mutant.fault
        file, _, test = mutant.killer.partition("::")
        assert re.search(rf"^def {test}\(", (ROOT / file).read_text(encoding="utf-8"), re.M)
    with pytest.raises(ValueError, match="0 times"):
        replace(MUTANTS[0], old="nowhere").apply(tmp_path)


@pytest.mark.usefixtures("deep_on_sources")
def test_a_mutant_that_survives_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text.txt").write_text("one two")
    (tmp_path / "test_text.py").write_text(
        "def test_text(): assert open('text.txt').read().startswith('one')"
    )
    killed = Mutant("text.txt", "one", "no", "first word", "test_text.py")
    alive = replace(killed, old="two", new="no", fault="second word")
    assert main.kill_listed(tmp_path, [killed]) == 0
    assert main.kill_listed(tmp_path, [killed, alive]) == 1
    printed = capsys.readouterr().out
    assert "first word: killed" in printed and "second word: SURVIVED" in printed
    assert "1 of 2 mutants are killed" in printed
    (tmp_path / "text.txt").write_text("no")
    with pytest.raises(SystemExit, match="fails without a mutant"):
        main.kill_listed(tmp_path, [killed])


def test_a_module_has_the_tests_of_its_room() -> None:
    assert main.tests_of(Path("loom/analysis/balance/token_clocks.py")) == ["tests/analysis"]
    assert main.tests_of(Path("tools/library/rates.py")) == ["tests/tools"]
    assert main.tests_of(Path("loom/errors.py")) == ["tests"]
