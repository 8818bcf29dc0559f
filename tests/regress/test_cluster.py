"""Jobs of a cluster behind the standard executor, and jobs as files for another scheduler."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from loom.front.cli import main, parser
from loom.regress.cluster import cluster_executor
from loom.regress.job_files import ARRAY, COLLECT, JOBS, job_files, parted
from loom.regress.row import LOST, REFUSED
from loom.regress.shares import JobLost, longest, lost_row, split
from tests.regress.stand_in import case_of
from tests.support.folders import ROOT
from tests.support.refusals import refusal

GOOD = "int {0}(int a) {{ return a + 1; }}\n"


def fail(text: str) -> None:
    raise ValueError(text)


def test_a_call_is_a_job(tmp_path: Path) -> None:
    executor = cluster_executor("local", tmp_path, 60.0, {})
    good, bad, dead = (
        executor.submit(divmod, 17, 5),
        executor.submit(fail, "no such"),
        executor.submit(os._exit, 3),
    )
    executor.shutdown()
    assert good.result() == (3, 2)
    error = bad.exception()
    assert isinstance(error, JobLost)
    assert str(error).endswith("that ended by an error: ValueError: no such")
    gone = dead.exception()
    assert isinstance(gone, JobLost) and "that ended without an answer" in str(gone)
    assert Path(gone.log).is_file(), "what is lost keeps its log"


def test_jobs_that_end_well_leave_no_file(tmp_path: Path) -> None:
    executor = cluster_executor("local", tmp_path / "jobs", 60.0, {})
    future = executor.submit(divmod, 17, 5)
    executor.shutdown()
    assert future.result() == (3, 2) and [*(tmp_path / "jobs").iterdir()] == []


def test_a_job_that_is_cancelled_is_gone(tmp_path: Path) -> None:
    executor = cluster_executor("local", tmp_path, 60.0, {})
    program = "import time; time.sleep(600)"
    future = executor.submit(subprocess.call, [sys.executable, "-c", program])
    executor.shutdown(wait=True, cancel_futures=True)
    assert isinstance(future.exception(), JobLost)


def test_an_executor_needs_its_extra_and_its_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    text = refusal(cluster_executor, "slurm", tmp_path, 1.0, {})
    assert text == (
        "--executor slurm: error[REGRESS_EXECUTOR]: found no program sbatch; LOOM accepts a "
        "machine from which Slurm takes jobs; or --emit-jobs DIR"
    )
    monkeypatch.setitem(sys.modules, "submitit", None)
    text = refusal(cluster_executor, "local", tmp_path, 1.0, {})
    assert text == (
        "--executor local: error[REGRESS_EXECUTOR]: found no module submitit; LOOM accepts an "
        "installation with the extra `cluster`: pip install 'loom-hls[cluster]'; or --emit-jobs DIR"
    )


def test_what_slurm_does_not_take_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sbatch", "srun", "squeue"):
        (tmp_path / name).write_text(
            "#!/bin/sh\necho sbatch: error: no such partition >&2\nexit 1\n"
        )
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    executor = cluster_executor("slurm", tmp_path / "jobs", 1.0, {"partition": "none"})
    text = refusal(executor.submit, divmod, 1, 1)
    assert text.startswith("--executor slurm: error[REGRESS_EXECUTOR]: found ")
    assert "sbatch: error: no such partition; LOOM accepts jobs that the cluster takes" in text
    (script,) = (tmp_path / "jobs").rglob(".submission_file_*")
    assert "#SBATCH --partition=none\n" in script.read_text()


def test_a_place_without_room_for_jobs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    text = refusal(cluster_executor, "local", tmp_path / "taken", 1.0, {})
    assert "error[EMIT_UNWRITABLE]: found a place where no job can be written" in text


def test_a_case_without_its_job_has_a_row_of_its_own_kind(tmp_path: Path) -> None:
    row = lost_row(case_of(tmp_path, 1), JobLost("the job 7 that ended", "/jobs/7_0_log.err"))
    assert row.status == LOST and not row.is_expected and row.verdict == LOST
    assert row.problems[0].at(row.file) == (
        "/jobs/7_0_log.err: error[REGRESS_JOB]: found the job 7 that ended; LOOM accepts jobs that "
        "end by themselves; the same command goes on with what is left"
    )
    assert lost_row(case_of(tmp_path, 1), OSError("full")).problems[0].place == "--executor"
    assert row.status != REFUSED


def test_a_share_has_its_part_and_its_time(tmp_path: Path) -> None:
    assert split([*range(5)], 2) == [[0, 2, 4], [1, 3]] and split([7], 4) == [[7]]
    cases = [case_of(tmp_path, k) for k in range(3)]
    assert longest(cases, 2) == 2 * cases[0].timeout and longest([], 3) == 0


def test_options_have_their_words() -> None:
    verb = parser().verbs["regress"]
    words = ["k", "-k", "a or b", "--upd", "--base=b.json", "-j4", "--emit-jobs", "d", "--cache",
             "c", "-DN=4", "--unroll", "3=2", "-I", "inc", "--model-only"]  # fmt: skip
    verb.parse_args(words)
    assert [*parted(words, verb)] == [
        ("", ["k"]), ("-k", ["-k", "a or b"]), ("--update", ["--upd"]),
        ("--baseline", ["--base=b.json"]), ("-D", ["-DN=4"]), ("--unroll", ["--unroll", "3=2"]),
        ("-I", ["-I", "inc"]), ("--model-only", ["--model-only"]),
    ]  # fmt: skip
    files = job_files(words, verb, 3, Path("/rows"), Path("/jobs"))
    lines = files[JOBS].splitlines()
    assert [shlex.split(line)[-4:] for line in lines] == [
        ["--shard", f"{k}/3", "-j", "1"] for k in (1, 2, 3)
    ]
    assert "--base" not in files[JOBS] and files[COLLECT].count("--base=b.json") == 1
    assert "qsub -J 1-3 /jobs/array.sh" in files[ARRAY]


def test_jobs_of_an_array_are_collected_by_the_last_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k").mkdir()
    for name in ("one", "two"):
        Path(f"k/{name}.c").write_text(GOOD.format(name))
    command = ["regress", "k", "--model-only", "--cache", "my rows", "--baseline", "b.json"]
    assert main([*command, "--update", "--emit-jobs", "some jobs", "-j", "2"]) == 0
    assert capsys.readouterr().out.startswith("2 kernels in 2 jobs: ")
    assert not Path("b.json").exists()

    def run(name: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        path = f"{ROOT}:{ROOT / 'sim'}"
        return subprocess.run(
            ["sh", f"some jobs/{name}", *words], capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": path, **variables},
        )  # fmt: skip

    assert "[1/1] one: match" in run(ARRAY, "1").stderr
    assert "[1/1] two: match" in run(ARRAY, SGE_TASK_ID="2").stderr
    beyond, without = run(ARRAY, "3"), run(ARRAY)
    assert beyond.returncode == without.returncode == 2
    assert beyond.stderr == "there is no job 3: 1 to 2\n"
    last = run(COLLECT)
    assert last.returncode == 0 and "2 of 2 are as an earlier run left them" in last.stderr
    assert "2 of 2 kernels as expected" in last.stdout and Path("b.json").is_file()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sbatch", "time=5"], "found --sbatch alone; LOOM accepts --sbatch with --executor"),
        (["--emit-jobs", "d", "--executor", "local"], "found --emit-jobs with --executor"),
        (["--emit-jobs", "d", "--shard", "1/2"], "found --emit-jobs with --shard"),
        (["--sbatch", "Time=5"], "found 'Time=5'; LOOM accepts an option of sbatch, such as"),
        (["--sbatch", "time="], "found 'time='"),
        (["--executor", "mine"], "found 'mine'; LOOM accepts local or slurm"),
    ],
)
def test_options_that_say_nothing_together_are_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["regress", "k", "--model-only", *words]) == 2
    assert message in capsys.readouterr().err


def test_the_command_runs_its_kernels_in_jobs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "good.c").write_text(GOOD.format("good"))
    command = ["regress", str(tmp_path), "--model-only", "--executor", "local", "-j", "1"]
    assert main([*command, "--cache", str(tmp_path / "rows")]) == 0
    assert "[1/1] good: match" in capsys.readouterr().err
    assert main([*command, "--cache", str(tmp_path / "rows")]) == 0
    assert "1 of 1 are as an earlier run left them" in capsys.readouterr().err
