"""Wheel and source distribution: built, installed elsewhere, and used as a user would."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import jinja2
import pytest

from tests.support.folders import EXAMPLES, ROOT

pytest.importorskip("hatchling", reason="hatchling is not installed: the extra `dev`")


def run(*command: str, folder: Path, path: str = "") -> str:
    environment = {**os.environ, "PYTHONPATH": path or os.environ.get("PYTHONPATH", "")}
    done = subprocess.run([sys.executable, *command], cwd=folder, env=environment,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def build(source: Path, target: Path, kind: str) -> Path:
    """The wheel or the source distribution of a project."""
    run("-m", "hatchling", "build", "-t", kind, "-d", str(target), folder=source)
    (found,) = target.iterdir()
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("wheel"), "wheel")


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the wheel is installed, without what it depends on."""
    found = tmp_path_factory.mktemp("installed")
    run("-m", "pip", "install", "-q", "--no-deps", "--no-index", "--disable-pip-version-check",
        "--target", str(found), str(wheel), folder=found)  # fmt: skip
    return found


def test_the_wheel_holds_what_runs_and_no_test(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    roots = {name.partition("/")[0] for name in names}
    assert roots == {"loom", "loom_sim", "loom_hls-0.1.0.dist-info"}
    templates = {name for name in names if name.startswith("loom/rtl_templates/")}
    there = {f"loom/{file.relative_to(ROOT)}" for file in (ROOT / "rtl_templates").rglob("*.j2")}
    assert there and there <= templates
    modules = {str(file.relative_to(ROOT)) for file in (ROOT / "loom").rglob("*.py")}
    assert modules <= {*names}
    assert wheel.stat().st_size < 2 << 20


def test_an_installed_wheel_compiles(site: Path, tmp_path: Path) -> None:
    where = run("-P", "-c", "import loom; print(loom.__file__)", folder=tmp_path, path=str(site))
    assert Path(where.strip()).is_relative_to(site)
    kernel = str(EXAMPLES / "fir.mlir")
    command = ["-P", "-m", "loom", "compile", "--style", "dynamic", kernel, "-o",
               str(tmp_path / "out")]  # fmt: skip
    assert run(*command, folder=tmp_path, path=str(site)).startswith(
        "fir: 16 units, 20 channels in "
    )
    assert (tmp_path / "out" / "rtl" / "fir.sv").is_file()
    text = run("-P", "-m", "loom", "model", kernel, folder=tmp_path, path=str(site))
    assert "source and token model agree" in text


@pytest.mark.parametrize("minor", [12, 13, 14])
def test_an_installed_wheel_compiles_in_later_pythons(
    minor: int, site: Path, tmp_path: Path
) -> None:
    """With the packages of this Python, whose compiled parts have a form in Python too."""
    folders = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python"))
    named = shutil.which(f"python3.{minor}")
    candidates = [*map(str, folders), *([named] if named else [])]
    there = (p for p in candidates if subprocess.run([p, "-c", ""], check=False).returncode == 0)
    python = next(there, None)
    if python is None:
        pytest.skip(f"no Python 3.{minor} on this machine")
    packages = Path(jinja2.__file__).parent.parent
    environment = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{packages}"}
    kernel = str(EXAMPLES / "fir.mlir")
    for verb, said in (
        (
            ["compile", "--style", "dynamic", kernel, "-o", str(tmp_path)],
            "fir: 16 units, 20 channels in ",
        ),
        (["model", kernel], "source and token model agree"),
        (["report", "--style", "static", kernel], "105 cycles predicted"),
    ):
        done = subprocess.run(
            [python, "-P", "-W", "error::SyntaxWarning", "-m", "loom", *verb],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert said in done.stdout


def test_the_classifiers_are_versions_that_are_accepted() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    least = int(project["requires-python"].removeprefix(">=3."))
    named = re.findall(
        r"Programming Language :: Python :: 3\.(\d+)", "\n".join(project["classifiers"])
    )
    assert [int(each) for each in named] == list(range(least, least + len(named)))
    assert f"LOOM needs Python 3.{least} or newer" in (ROOT / "README.md").read_text()


def test_an_installed_wheel_has_its_entry_points(site: Path, tmp_path: Path) -> None:
    program = (
        "from importlib.metadata import entry_points\n"
        "for group in ('xdsl.universe', 'pytest11', 'console_scripts'):\n"
        "    for each in entry_points(group=group):\n"
        "        if each.dist.name == 'loom-hls' and 'installed' in str(each.dist._path):\n"
        "            each.load()\n"
        "            print(group, each.name)\n"
    )
    text = run("-P", "-c", program, folder=tmp_path, path=str(site))
    assert text.split("\n")[:-1] == [
        "xdsl.universe loom", "pytest11 loom.regress.pytest_plugin", "console_scripts loom"
    ]  # fmt: skip


def test_the_source_distribution_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    archive = build(ROOT, tmp_path / "sdist", "sdist")
    with tarfile.open(archive) as found:
        names = found.getnames()
        found.extractall(tmp_path, filter="data")
    (source,) = tmp_path.glob("loom_hls-*")
    assert {"README.md", "mkdocs.yml", "Makefile", "tests", "docs", "examples"} <= {
        path.name for path in source.iterdir()
    }
    assert not [name for name in names if "/build/" in name or "__pycache__" in name]
    again = build(source, tmp_path / "again", "wheel")
    ours, theirs = (zipfile.ZipFile(file) for file in (wheel, again))
    assert sorted(ours.namelist()) == sorted(theirs.namelist())
    assert all(ours.read(name) == theirs.read(name) for name in ours.namelist())
