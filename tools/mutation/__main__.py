"""``python -m tools.mutation``: each mutant of the list must be killed by the test it names.

With ``--file loom/ROOM/MODULE.py`` mutmut mutates that module instead, and runs of the tests under
``--tests`` those that reach the mutated function. Work is done in a copy of the tree. Status 1 if a
mutant survives.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tools.mutation.copied_tree import copied_tree, environment, passes
from tools.mutation.templates import MUTANTS, Mutant

CONFIGURATION = """
[tool.mutmut]
source_paths = ["loom", "sim", "tools"]
only_mutate = ["{file}"]
also_copy = ["rtl_templates", "examples", "docs", "README.md", "CHANGELOG.md", "Makefile"]
pytest_add_cli_args_test_selection = [{tests}, "-m", "not sim and not judge", "-k", "not golden"]
track_dependencies = false
use_git_change_detection = false
"""
LIMIT = 1800.0
"""Of the test of one mutant [s]; a build of all rows takes a minute on a quiet machine."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="tools.mutation", description=__doc__)
    parser.add_argument("--file", default="", help="a Python module, as loom/errors.py")
    parser.add_argument("--tests", default="", help="files or folders; else those of the room")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="of the list, mutants of files named so")
    chosen = parser.parse_args(arguments)
    with copied_tree() as tree:
        if chosen.file:
            tests = chosen.tests.split() or tests_of(Path(chosen.file))
            return mutate_module(tree, chosen.file, tests, chosen.jobs)
        return kill_listed(tree, [each for each in MUTANTS if chosen.only in each.file])


def tests_of(file: Path) -> list[str]:
    """The folder of tests that mirrors the file's room, or all tests."""
    room = file.parts[1] if file.parts[0] == "loom" else file.parts[0]
    return [f"tests/{room}" if Path("tests", room).is_dir() else "tests"]


def mutate_module(tree: Path, file: str, tests: Sequence[str], jobs: int) -> int:
    """mutmut has mutated every function of `file`; status 1 if a mutant is not killed."""
    listed = ", ".join(f'"{each}"' for each in tests)
    with (tree / "pyproject.toml").open("a", encoding="utf-8") as settings:
        settings.write(CONFIGURATION.format(file=file, tests=listed))
    # On the path of Python before mutmut writes them: a folder that is missing then stays unknown.
    (tree / "mutants" / "sim").mkdir(parents=True)
    variables = environment(tree / "mutants")
    command = [sys.executable, "-m", "mutmut"]
    done = subprocess.run([*command, "run", "--max-children", str(jobs)], cwd=tree, env=variables)
    if done.returncode:
        return done.returncode
    found = subprocess.run(
        [*command, "results"], cwd=tree, env=variables, capture_output=True, text=True, check=True
    ).stdout
    for line in found.splitlines():
        print(line.strip())
        name = line.strip().split(":")[0]
        if name:
            subprocess.run([*command, "show", name], cwd=tree, env=variables)
    return 1 if found.strip() else 0


def kill_listed(tree: Path, mutants: Sequence[Mutant]) -> int:
    """Each mutant's own test fails with it, and passes without; status 1 if not so."""
    for killer in dict.fromkeys(each.killer for each in mutants):
        if not passes(tree, [killer], LIMIT):
            raise SystemExit(f"fails without a mutant: {killer}")
    alive = [each for each in mutants if not is_killed(tree, each)]
    print(f"{len(mutants) - len(alive)} of {len(mutants)} mutants are killed")
    return 1 if alive else 0


def is_killed(tree: Path, mutant: Mutant) -> bool:
    """True if the mutant's test fails with it; `tree` is as before."""
    began = time.monotonic()
    before = mutant.apply(tree)
    killed = not passes(tree, [mutant.killer], LIMIT)
    (tree / mutant.file).write_text(before, encoding="utf-8")
    verdict = "killed" if killed else "SURVIVED"
    seconds = time.monotonic() - began
    print(f"{mutant.file}: {mutant.fault}: {verdict} ({seconds:.0f} s)", flush=True)
    return killed


if __name__ == "__main__":
    sys.exit(main())
