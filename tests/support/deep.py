"""Deep tests: each runs when what it looks at changed since it passed, and always by `--deep all`.

A test that takes the fixture `deep` calls it with its inputs: files, folders and texts, all that
its outcome depends on. Their digest stands in `tests/deep.json` beside the test's name if it passed
with them; then the test is skipped, and says so. `--record` writes the digests of what passed.

A test with the marker `from_sources` makes its inputs from files of the project, which takes long:
behind its digest stands that of all those files, and while none changed nothing is made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.support.folders import ROOT, TESTS

RECORD = TESTS / "deep.json"
DIGITS = 16
"""Of a digest, so many stand in the record [hexadecimal digits]."""
PROPERTY = "deep digest"
"""What a test's report calls its digest."""
ALWAYS = ("constraints.txt", "tests/support/deep.py")
"""Inputs of every deep test: the versions of all tools, and what decides."""
UNIT_INPUTS = (
    "rtl_templates/circuit", "rtl_templates/memory", "rtl_templates/parts",
    "rtl_templates/primitives", "loom/errors.py", "loom/nesting.py", "loom/emit", "loom/netlist",
    "loom/dialects/operators", "loom/dialects/floats", "loom/model/tokens", "loom/model/timed",
    "tests/golden", "tests/rows/*.py", "tests/support/netlists.py",
    "tests/support/streams_in_rtl.py", "tests/support/timed_streams.py",
)  # fmt: skip
"""What the SystemVerilog of a unit, and what is expected of it, depends on."""
SIMULATION_INPUTS = (
    "loom/processes", "sim/loom_sim/bench.py", "sim/loom_sim/build.py",
    "sim/loom_sim/check_jobs.py", "sim/loom_sim/cosimulate.py", "sim/loom_sim/design.py",
    "sim/loom_sim/harness", "sim/loom_sim/harness.py", "sim/loom_sim/jobs.py",
    "sim/loom_sim/ports.py", "sim/loom_sim/programs.py", "sim/loom_sim/results.py",
)  # fmt: skip
"""What a simulation depends on beside the circuit, its inputs and what is expected."""


SOURCES = (
    "constraints.txt", "examples", "loom", "pyproject.toml", "rtl_templates", "sim", "tests",
    "tools",
)  # fmt: skip
"""What the inputs of a test with the marker `from_sources` are made from."""


class Deep(Protocol):
    """The fixture: names of files and folders of the project, and `texts`."""

    def __call__(self, *names: str, texts: Iterable[str] = ()) -> None:
        """The test is skipped if it passed with these inputs."""


@cache
def file_digest(file: Path) -> str:
    """The digest of a file's bytes."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def files_of(root: Path, name: str) -> Iterator[Path]:
    """The file of that name in the project, or all files of the folder or pattern in their order.

    Refused: a name that nothing has, for its digest would never change.
    """
    place = root / name
    if place.is_file():
        yield place
        return
    found = sorted(
        file
        for file in (root.glob(name) if "*" in name else place.rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    )
    if not found:
        raise ValueError(f"a deep test depends on {name}, which is neither a file nor a folder")
    yield from found


def digest_inputs(names: Iterable[str], texts: Iterable[str] = (), root: Path = ROOT) -> str:
    """A digest that differs whenever a file's name or content differs, or a text."""
    digest = hashlib.sha256()
    for name in sorted(set(names)):
        for file in files_of(root, name):
            digest.update(f"{file.relative_to(root)} {file_digest(file)}\n".encode())
    for text in texts:
        data = text.encode()
        digest.update(f"{len(data)}:".encode() + data)
    return digest.hexdigest()[:DIGITS]


@cache
def digest_sources(root: Path) -> str:
    """A digest of all files of `SOURCES` but the record."""
    digest = hashlib.sha256()
    for name in (name for name in SOURCES if (root / name).exists()):
        for file in files_of(root, name):
            if file.name != RECORD.name:
                digest.update(f"{file.relative_to(root)} {file_digest(file)}\n".encode())
    return digest.hexdigest()[:DIGITS]


def read_record(file: Path) -> dict[str, str]:
    """The digest at which each deep test passed, by the test's name."""
    if not file.is_file():
        return {}
    record: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return record


def write_record(file: Path, outcomes: dict[str, str | None], root: Path, whole: bool) -> None:
    """The record has the digests of what passed, and no line of what failed or is no more.

    A test is no more if others of its file had an outcome and it had none in a `whole` run, or its
    file is not below `root`.
    """
    seen = {name.partition("::")[0] for name in outcomes} if whole else set()
    record = {
        name: digest
        for name, digest in read_record(file).items()
        if name.partition("::")[0] not in seen and (root / name.partition("::")[0]).is_file()
    }
    for name, digest in outcomes.items():
        record.pop(name, None)
        if digest is not None:
            record[name] = digest
    file.write_text(json.dumps(record, indent=0, sort_keys=True) + "\n", encoding="utf-8")


class Recorder:
    """Collects what became of each deep test, also of those in other processes."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.outcomes: dict[str, str | None] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A digest is kept if no phase of the test failed, or it was skipped for its digest."""
        digest = dict(report.user_properties).get(PROPERTY)
        if digest is None:
            return
        unchanged = report.skipped and str(digest).split()[0] in str(report.longrepr)
        if report.failed or (report.skipped and not unchanged):
            self.outcomes[report.nodeid] = None
        else:
            self.outcomes.setdefault(report.nodeid, str(digest))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """The record is written once all tests have run, or those before an interruption."""
        if self.outcomes:
            whole = ran_all_of_its_files(session, exitstatus)
            write_record(self.file, self.outcomes, session.config.rootpath, whole)


def ran_all_of_its_files(session: pytest.Session, exitstatus: int) -> bool:
    """False if the run ended early, or some tests of a file were not meant."""
    option = session.config.option
    is_part = bool(option.keyword) or any("::" in word for word in session.config.args)
    is_part |= option.markexpr not in ("", "deep")
    ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    return ended and not is_part and not session.shouldstop and not session.shouldfail


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of deep tests."""
    group = parser.getgroup("deep tests")
    group.addoption(
        "--deep", choices=("changed", "all", "none"), default="changed",
        help="deep tests: those whose inputs changed since they passed, all, or none (each says "
        "whether it would run)",
    )  # fmt: skip
    group.addoption("--record", action="store_true", help="write tests/deep.json: what passed")
    group.addoption("--record-file", default=str(RECORD), help="in place of tests/deep.json")


def pytest_configure(config: pytest.Config) -> None:
    """The recorder listens in the process that hears of all tests."""
    config.addinivalue_line("markers", "deep: runs when its inputs changed since it passed")
    config.addinivalue_line(
        "markers", "from_sources: unchanged, without a look at its inputs, while no source changed"
    )
    if config.getoption("--record") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(config.getoption("--record-file"))))


def pytest_itemcollected(item: pytest.Item) -> None:
    """Who takes the fixture has the marker: `-m deep` finds it.

    Refused: another fixture of that name, which would say nothing of the test's inputs.
    """
    if "deep" not in getattr(item, "fixturenames", ()):
        return
    known: Any = item
    if known._fixtureinfo.name2fixturedefs["deep"][-1].func.__module__ != __name__:
        raise pytest.UsageError(f"{item.nodeid}: a fixture of its own is called deep")
    item.add_marker("deep")


@pytest.fixture
def deep(request: pytest.FixtureRequest) -> Deep:
    """Call it with the test's inputs: the test goes on if they are not those it passed with."""
    node: Any = request.node
    own = str(Path(node.path).relative_to(ROOT)) if Path(node.path).is_relative_to(ROOT) else ""
    config: pytest.Config = request.config
    chosen = config.getoption("--deep")
    record = read_record(Path(config.getoption("--record-file")))
    known, _, known_sources = record.get(node.nodeid, "").partition(" ")
    is_made = node.get_closest_marker("from_sources") is not None
    sources = digest_sources(config.rootpath) if is_made else ""

    def skip_unchanged(*names: str, texts: Iterable[str] = ()) -> None:
        source = [] if own else [Path(node.path).read_text(encoding="utf-8")]
        digest = digest_inputs((*ALWAYS, *names, *([own] if own else [])), (*source, *texts))
        node.user_properties.append((PROPERTY, f"{digest} {sources}".strip()))
        if known == digest and chosen != "all":
            pytest.skip(f"unchanged since it passed: {digest}; make nightly runs it")
        if chosen == "none":
            pytest.skip("would run: its inputs are not those at which it passed")

    if is_made and known_sources == sources and chosen != "all":
        node.user_properties.append((PROPERTY, f"{known} {sources}"))
        pytest.skip(f"unchanged since it passed, as all sources: {known}; make nightly runs it")
    return skip_unchanged
