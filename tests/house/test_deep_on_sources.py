"""A deep test on sources looks at all that its file leads to: what is left out hides a fault."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.support.deep import RECORD
from tests.support.deep_on_sources import WHOLE, choices, digest_looked_at, looked_at
from tests.support.folders import ROOT, TESTS

MARK = '@pytest.mark.usefixtures("deep_on_sources"'
FILES = [
    str(file.relative_to(ROOT))
    for file in sorted(TESTS.rglob("test_*.py"))
    if MARK in file.read_text(encoding="utf-8")
]
OWN = "tests/room/test_one.py"
PROJECT = {
    "loom/a.py": "", "rtl_templates/a.j2": "", "examples/c/a.c": "", "tests/rows/a.txt": "",
    "tests/__init__.py": "", "tests/deep.json": "", "tests/conftest.py": "",
    OWN: """
from tests.grow.programs import grow
from tests.grow import (
    shapes,
)
from tests.support.folders import DOCS, TESTS
GRAPHS = TESTS / "graphs"
COMMAND = ["python", "-m", "tests.other"]
FLAGS = "tests/support/flags.txt"
RECORD = "tests/deep.json"
""",
    "tests/room/__init__.py": "", "tests/room/kernel.c": "", "tests/room/given/a.mlir": "",
    "tests/grow/__init__.py": "", "tests/grow/shapes.py": "", "tests/grow/rates.txt": "",
    "tests/grow/programs.py": "from tools.measure import clock\n", "tests/grow/alone.py": "",
    "tests/support/flags.txt": "", "tests/support/folders.py": "", "tests/support/alone.py": "",
    "tests/other/__init__.py": "", "tests/other/__main__.py": "", "tests/graphs/a.mlir": "",
    "tools/__init__.py": "", "tools/measure/__init__.py": "", "tools/measure/clock.py": "",
    "tools/measure/text.py": "HERE = __file__", "tools/measure/alone.py": "", "docs/a.md": "",
}  # fmt: skip
NOT_LOOKED_AT = {
    "tests/deep.json", "tests/grow/alone.py", "tests/support/alone.py", "tools/measure/text.py",
    "tools/measure/alone.py",
}  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def digest_now(root: Path) -> str:
    looked_at.cache_clear()
    digest_looked_at.cache_clear()
    from tests.support.deep import file_digest

    file_digest.cache_clear()
    return digest_looked_at(root, OWN)


@pytest.mark.parametrize("name", PROJECT)
def test_a_change_of_what_is_looked_at_and_of_nothing_else_is_seen(
    name: str, project: Path
) -> None:
    before = digest_now(project)
    (project / name).write_text(PROJECT[name] + "# changed\n")
    assert (digest_now(project) == before) == (name in NOT_LOOKED_AT)


def test_a_module_that_asks_where_it_stands_has_its_whole_folder(project: Path) -> None:
    (project / "tools/measure/clock.py").write_text("HERE = __file__")
    before = digest_now(project)
    (project / "tools/measure/alone.py").write_text("# changed")
    assert digest_now(project) != before


def test_a_new_file_is_seen(project: Path) -> None:
    before = digest_now(project)
    (project / "examples/c/b.c").write_text("")
    assert digest_now(project) != before


def test_choices_of_the_environment_are_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    before = choices()
    monkeypatch.setenv("LOOM_JUDGED_FIRST", "7")
    assert choices() != before
    monkeypatch.delenv("LOOM_JUDGED_FIRST")
    monkeypatch.setenv("LOOM_CACHE", "/elsewhere")
    assert choices() == before


def imports_of(file: str) -> set[str]:
    """The files of `tests` and `tools` that a file's syntax tree imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: an import by dots is not followed"
            names = [str(node.module), *(f"{node.module}.{each.name}" for each in node.names)]
        for name in names:
            path = Path(*name.split("."))
            found |= {str(path.with_suffix(".py")), str(path / "__init__.py")}
    return {
        name for name in found if name.startswith(("tests", "tools")) and (ROOT / name).is_file()
    }


@pytest.mark.parametrize("file", FILES)
def test_every_import_is_followed(file: str) -> None:
    """By another reading of the files than the one that makes the digest."""
    looked = set(looked_at(ROOT, file))
    assert file in looked and str(RECORD.relative_to(ROOT)) not in looked
    for name in looked:
        if name.endswith(".py") and name != "tests/support/deep_on_sources.py":
            covered = {*looked, *WHOLE, "tests/support/deep.py"}
            missed = imports_of(name) - covered
            assert not {
                each
                for each in missed
                if not each.startswith(tuple(f"{place}/" for place in looked))
            }, name


def test_what_is_always_looked_at_is_there() -> None:
    assert all((ROOT / name).exists() for name in WHOLE)
    assert len(FILES) > 50
