"""Runs that are killed go on: no case is lost, and none whose row is kept is judged again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from loom.regress.claims import claims_in
from tests.regress.stand_in import LOG, ROWS
from tests.support.folders import ROOT

CASES, JOBS = 1000, 2


def begin(
    folder: Path, *words: str, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    program = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    program += "import sys; from tests.regress.stand_in import main; sys.exit(main())"
    command = [sys.executable, "-c", program, str(folder), *words]
    path = f"{ROOT}:{ROOT / 'sim'}"
    return subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path, **(environment or {})},
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
    )  # fmt: skip


def finish(run: subprocess.Popen[str]) -> list[str]:
    output, _ = run.communicate(timeout=120)
    assert run.returncode == 0
    return output.splitlines()


def judged(folder: Path) -> list[str]:
    return (folder / LOG).read_text().splitlines() if (folder / LOG).exists() else []


def kept(folder: Path) -> set[str]:
    found = (json.loads(file.read_text()) for file in (folder / ROWS).glob("??/*.json"))
    return {row["kernel"] for row in found}


def wait_until_kept(folder: Path, run: subprocess.Popen[str], count: int) -> None:
    deadline = time.monotonic() + 120
    while len([*(folder / ROWS).glob("??/*.json")]) < count:
        assert run.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)


def test_a_thousand_cases_survive_two_kills(tmp_path: Path) -> None:
    before: set[str] = set()
    begun = 0
    for number, most in ((signal.SIGKILL, 250), (signal.SIGINT, 600)):
        run = begin(tmp_path, str(CASES), str(JOBS))
        wait_until_kept(tmp_path, run, most)
        run.send_signal(number)
        run.communicate(timeout=60)
        assert run.returncode == {signal.SIGKILL: -9, signal.SIGINT: 130}[number]
        assert before.isdisjoint(judged(tmp_path)[begun:]), "a kept row is no work"
        before, begun = kept(tmp_path), len(judged(tmp_path))
        assert most <= len(before) < CASES
    rows = finish(begin(tmp_path, str(CASES), str(JOBS)))
    assert rows == [f"k{k} match" for k in range(CASES)]
    assert before.isdisjoint(judged(tmp_path)[begun:])
    assert kept(tmp_path) == {f"k{k}" for k in range(CASES)}
    repeated = Counter(judged(tmp_path)).most_common()
    twice = [name for name, count in repeated if count > 1]
    assert len(twice) <= 2 * JOBS, "but for those that were being judged at a kill"


def test_runs_at_a_time_share_the_work(tmp_path: Path) -> None:
    runs = [begin(tmp_path, "200", "2") for _ in range(2)]
    expected = [f"k{k} match" for k in range(200)]
    assert [finish(run) for run in runs] == [expected, expected]
    assert sorted(judged(tmp_path)) == sorted(f"k{k}" for k in range(200))


def test_jobs_that_outlive_their_run_do_no_work_twice(tmp_path: Path) -> None:
    run = begin(tmp_path, "200", "2", "local")
    wait_until_kept(tmp_path, run, 20)
    run.kill()
    run.communicate(timeout=60)
    assert finish(begin(tmp_path, "200", "2", "local")) == [f"k{k} match" for k in range(200)]
    assert sorted(judged(tmp_path)) == sorted(f"k{k}" for k in range(200))


def test_a_job_that_dies_costs_what_it_has_not_kept(tmp_path: Path) -> None:
    rows = finish(begin(tmp_path, "8", "2", "local", environment={"KILLS_ITS_JOB": "k5"}))
    assert [row.split()[1] for row in rows] == [
        "match", "match", "match", "match", "match", "lost", "match", "lost",
    ]  # fmt: skip
    (log,) = {row.split()[2] for row in rows if "lost" in row}
    assert log.endswith("_log.err:") and Path(log.removesuffix(":")).is_file()
    assert "error[REGRESS_JOB]: found the job " in rows[5]
    assert "that ended without an answer, after " in rows[5]
    rows = finish(begin(tmp_path, "8", "2", "local"))
    assert rows == [f"k{k} match" for k in range(8)]
    assert Counter(judged(tmp_path))["k5"] == 2 and Counter(judged(tmp_path))["k3"] == 1


def test_a_claim_is_that_of_one_process(tmp_path: Path) -> None:
    key, other = "ab" * 32, "cd" * 32
    with claims_in(tmp_path) as claims:
        assert claims.take(key) and not claims.take(key) and claims.take(other)
        program = (
            "import sys; from pathlib import Path; from loom.regress.claims import claims_in\n"
            f"with claims_in(Path({str(tmp_path)!r})) as c: print(c.take({key!r}))"
        )
        command = [sys.executable, "-c", program]
        taken = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        assert taken.stdout == "False\n"
        claims.release(key)
        taken = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        assert taken.stdout == "True\n" and claims.take(key)


@pytest.mark.parametrize("taken", [True, False])
def test_a_folder_without_claims_refuses_none(tmp_path: Path, taken: bool) -> None:
    place = tmp_path / "rows"
    if taken:
        place.write_text("")
    else:
        (place / "claims").mkdir(parents=True)
    with claims_in(place) as claims:
        assert claims.take("ab" * 32)
