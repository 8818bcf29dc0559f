"""The fixture `loom_kernel` of pytest: a kernel beside the test, compiled, run and compared.

The wheel registers this module as a plugin; it is imported by pytest alone.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import pytest

from loom.errors import LoomError, LoomErrors, Place, nearest
from loom.regress.case import Case, Mode
from loom.regress.collect import collect
from loom.regress.judge import judge
from loom.regress.row import Row
from loom.regress.settings import (
    Choices,
    option_name,
    option_parser,
    options_by_name,
    set_option,
)

PLACE = Place("loom_kernel")


class RunKernel(Protocol):
    """What the fixture gives."""

    def __call__(self, kernel: str, *, expect: str | None = None, **options: Any) -> Row:
        """The row of a kernel; a test whose kernel ends otherwise than expected fails."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--loom-model-only`` is an option of pytest."""
    help_ = "loom_kernel: source program and token model alone, without a simulator"
    parser.getgroup("loom").addoption("--loom-model-only", action="store_true", help=help_)


@pytest.fixture
def loom_kernel(request: pytest.FixtureRequest) -> RunKernel:
    """Runs a kernel of the test's folder, by its file or its name in loom.toml.

    Options are those of `loom.Options` and `loom sim`: ``loom_kernel("fir.c", clock_period=8)``.
    The row has cycles, predicted cycles, bound, area and period.
    """
    folder = request.path.parent
    mode: Mode = "model" if request.config.getoption("--loom-model-only") else "simulation"

    def run(kernel: str, *, expect: str | None = None, **options: Any) -> Row:
        try:
            case, refusal = with_options(find_case(folder, kernel), options, folder), ""
        except (LoomError, LoomErrors) as error:
            case, refusal = None, str(error)
        if case is None:
            pytest.fail(refusal, pytrace=False)
        row = judge(replace(case, expect=expect or case.expect), mode)
        if not row.is_expected:
            problems = [problem.at(row.file) for problem in row.problems]
            pytest.fail("\n".join([f"{row.kernel}: {row.verdict}", *problems]), pytrace=False)
        return row

    return run


def find_case(folder: Path, kernel: str) -> Case:
    """The case of a name in loom.toml, else of a file. Refused (REGRESS_KERNEL): no such one."""
    cases = collect([folder], Choices(option_parser().parse_args([])))
    for case in cases:
        if case.name == kernel:
            return case
    for case in cases:
        if case.place == kernel:
            return case
    known = sorted({case.place for case in cases})
    near = nearest(kernel, known)
    accepted = f"kernels of {folder.name}: {', '.join(known)}" + (f"; {near}" if near else "")
    raise LoomError("REGRESS_KERNEL", PLACE, f"the kernel {kernel!r}", accepted)


def with_options(case: Case, options: dict[str, Any], folder: Path) -> Case:
    """The case with some options. Refused (REGRESS_KEY, CLI_VALUE): what loom.toml refuses too."""
    chosen = copy(case.options)
    known = list(options_by_name())
    for key, value in options.items():
        if option_name(key) not in known:
            near = nearest(option_name(key), known)
            accepted = f"{', '.join(known)}" + (f"; {near}" if near else "")
            raise LoomError("REGRESS_KEY", PLACE, f"the option {key!r}", accepted)
        set_option(chosen, key, value, PLACE, folder)
    return replace(case, options=chosen)
