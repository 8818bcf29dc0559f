"""The fixture `loom_kernel`, in a pytest of its own, and the workflow for repositories of users."""

from __future__ import annotations

import shlex
import tomllib

import pytest
import yaml

from loom.front.cli import parser
from tests.support.folders import EXAMPLES, ROOT

pytest_plugins = ["pytester"]
PLUGIN = "loom.regress.pytest_plugin"
GOOD = "int good(int a) { return a + 1; }\nint main(void) { return good(2) - 3; }\n"
TESTS = """
def test_good(loom_kernel):
    row = loom_kernel("good.c", clock_period=20)
    assert row.predicted == 1 and row.luts > 0 and row.kernel == "good"

def test_a_name_of_loom_toml(loom_kernel):
    assert loom_kernel("wide", widths="keep").file == "good.c"

def test_refused(loom_kernel):
    loom_kernel("odd.c")

def test_refused_as_expected(loom_kernel):
    assert loom_kernel("odd.c", expect="refused:C_SYNTAX").luts is None

def test_no_kernel(loom_kernel):
    loom_kernel("goood.c")

def test_no_option(loom_kernel):
    loom_kernel("good.c", clok_period=3)

def test_no_value(loom_kernel):
    loom_kernel("good.c", clock_period=0)
"""


def test_the_fixture_runs_kernels_beside_the_test(pytester: pytest.Pytester) -> None:
    (pytester.path / "good.c").write_text(GOOD)
    (pytester.path / "odd.c").write_text("int odd(int a) { return *a; }\n")
    (pytester.path / "loom.toml").write_text('[kernels.good]\n[kernels.wide]\nfile = "good.c"\n')
    pytester.makepyfile(test_kernels=TESTS)
    done = pytester.runpytest_inprocess("-p", PLUGIN, "--loom-model-only", "-p", "no:cacheprovider")
    done.assert_outcomes(passed=3, failed=4)
    text = done.stdout.str()
    assert "odd: refused:C_SYNTAX\nodd.c:1:25: error[C_SYNTAX]: found" in text
    assert "loom_kernel: error[REGRESS_KERNEL]: found the kernel 'goood.c'; LOOM accepts" in text
    assert "loom_kernel: error[REGRESS_KEY]: found the option 'clok_period'; LOOM accepts" in text
    assert "loom_kernel: error[CLI_VALUE]: found '0'; LOOM accepts a time above 0 [ns]" in text
    assert "During handling" not in text


def test_the_wheel_registers_the_plugin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {PLUGIN: PLUGIN}


def test_the_commands_of_the_workflow_are_accepted() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    workflow = yaml.safe_load((EXAMPLES / "ci" / "loom.yml").read_text(encoding="utf-8"))
    steps = workflow["jobs"]["regress"]["steps"]
    install, run = (shlex.split(step["run"]) for step in steps if "run" in step)
    name, _, extras = install[2].rstrip("]").partition("[")
    assert install[:2] == ["pip", "install"] and name == project["name"]
    assert {*extras.split(",")} <= {*project["optional-dependencies"]}
    options = parser().parse_args(run[1:])
    assert run[0] == "loom" and options.folders == ["kernels"] and options.junit == "rows.xml"
    written = {options.junit, options.html}
    assert {*steps[-1]["with"]["path"].split()} == written
