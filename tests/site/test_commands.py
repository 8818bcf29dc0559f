"""README.md and the tutorial pages: every `$ loom ...` prints what stands there."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from loom.front.cli import main
from loom.regress import workers
from tests.regress.judged_here import judge_here
from tests.site.commands import commands_of, matches, wrong_commands
from tests.support.folders import DOCS, ROOT

PAGES = {"README.md": ROOT / "README.md"} | {
    name: DOCS / name for name in ("tutorial.md", "how-to.md", "elastic.md", "index.md")
}


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize("name", PAGES)
def test_commands_print_what_the_page_says(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(workers, "judge_all", judge_here)

    def run(words: list[str]) -> str:
        """What a terminal shows: both streams, in the order in which they are written."""
        shown = io.StringIO()
        with redirect_stdout(shown), redirect_stderr(shown):
            main(words)
        return shown.getvalue()

    page = PAGES[name].read_text(encoding="utf-8")
    assert list(wrong_commands(page, tmp_path, run)) == []


def test_the_pages_have_commands() -> None:
    counts = {name: len([*commands_of(page.read_text())]) for name, page in PAGES.items()}
    assert counts["README.md"] >= 4 and counts["tutorial.md"] >= 10 and counts["how-to.md"] >= 7


def test_another_output_is_found(tmp_path: Path) -> None:
    page = 'a\n```c title="k.c"\nint k;\n```\n```\n$ loom x k.c\none\n...\nlast 1... s\n```\n'
    for output, found in (("one\nlast 12 s\n", 0), ("one\ntwo\nthree\nlast 1 s\n", 0),
                          ("one\nlast 2 s\n", 1), ("last 1 s\n", 1), ("", 1)):  # fmt: skip
        assert len([*wrong_commands(page, tmp_path, lambda _, text=output: text)]) == found
    assert (tmp_path / "k.c").read_text() == "int k;\n"
    assert matches("", "") and not matches("x", "") and matches("a.b", "a.b")
    assert not matches("axb", "a.b")
    drawn = "```mermaid\n%% loom y\nflowchart\n```\n"
    assert [*wrong_commands(drawn, tmp_path, lambda _: "flowchart\n")] == []
    assert [*wrong_commands(drawn, tmp_path, lambda _: "other\n")] == ["$ loom y\nother\n"]
