"""Co-simulation reports what circuits do, and every fault planted in one, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from loom_sim import Activation, Job, JobResult, SimOptions, cosimulate
from loom_sim.kernel import token_differences

from loom.emit import emit
from loom.model.tokens.token_simulator import run_streams
from tests.support.netlists import NetlistBuilder
from tests.support.planted_faults import (
    CHANGED,
    DOUBLED,
    LEFT,
    LOST,
    RIGHT,
    STRAY,
    STUCK,
    SUMS,
    WAITING,
    WITHDRAWN,
    WRONG,
    adder,
    adder_job,
    reorder_job,
    sum_job,
)

pytestmark = pytest.mark.sim

WITHDRAWN_TEXT = "an offered token was withdrawn (law 2: a token stays until it is taken)"
CHANGED_TEXT = "an offered token changed (law 2: a token stays unchanged until it is taken)"
ALL_HELD = "left_in, right_in, sums, to_keep"
JOBS = {
    "sound": adder_job(activations=3),
    "withdrawn": adder_job(WITHDRAWN),
    "changed": adder_job(CHANGED),
    "lost": adder_job(LOST),
    "doubled": adder_job(DOUBLED),
    "wrong": adder_job(WRONG),
    "waiting": adder_job(WAITING),
    "stuck": adder_job(STUCK, activations=2),
    "two slots": reorder_job(2),
    "one slot": reorder_job(1),
    "sum": sum_job(20),
    "stray": sum_job(5, STRAY),
    "outside": sum_job(25),
    "endless": sum_job(0x7FFFFFFF),
}
PROBLEMS: dict[str, tuple[str, ...]] = {
    "sound": (),
    "withdrawn": (
        "assertion failed: keep_inst.law_2.out_stays: 'assert' failed.",
        f"activation 0: channel kept: {WITHDRAWN_TEXT}",
    ),
    "lost": (
        "activation 0: output total: 6 tokens where 8 are expected",
        "activation 0: output total: too few tokens; blocked: none",
    ),
    "wrong": ("activation 0: output total: token 4 is 0x10 where 0x18 is expected",),
    "stuck": (
        "activation 0: output total: 4 tokens where 8 are expected",
        f"activation 0: output total: too few tokens; blocked: {ALL_HELD}",
    ),
    "two slots": (),
    "one slot": (
        "activation 0: output result: 2 tokens where 6 are expected",
        "activation 0: output result: too few tokens; "
        "blocked: words, to_hold, held, chosen, direct",
    ),
    "sum": (),
    "stray": ("activation 0: channel a: an access past the last word",),
    "outside": ("activation 0: run-time error 2",),
    "endless": (
        "activation 0: still moving after the last cycle allowed",
        "activation 0: output total: too few tokens; blocked: c0, c4, c22",
        "activation 0: run-time error 2",
    ),
}
"""What is reported under stalls, with sinks that are not shy."""


@pytest.fixture(scope="module")
def stalled() -> dict[str, JobResult]:
    options = SimOptions(stalls=0.4, shy=False, max_cycles=2000)
    return dict(zip(JOBS, cosimulate(list(JOBS.values()), options), strict=True))


@pytest.fixture(scope="module")
def shy() -> dict[str, JobResult]:
    options = SimOptions(shy=True, max_cycles=2000, seed=7)
    return dict(zip(JOBS, cosimulate(list(JOBS.values()), options), strict=True))


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_fault_is_reported(stalled: dict[str, JobResult], name: str) -> None:
    assert stalled[name].problems == PROBLEMS[name]


def test_a_token_that_comes_twice_is_reported(stalled: dict[str, JobResult]) -> None:
    (run,) = stalled["doubled"].runs
    count = run.tokens["kept"]
    assert count > len(SUMS) and set(run.outputs["total"]) == set(SUMS)
    assert stalled["doubled"].problems == (
        f"activation 0: output total: {count} tokens where 8 are expected",
        "activation 0: output total: too many tokens",
    )


def test_a_change_of_an_offered_token_is_reported(stalled: dict[str, JobResult]) -> None:
    assert stalled["changed"].assertions == ("keep_inst.law_2.out_stays: 'assert' failed.",)
    assert [(v.channel, v.law) for v in stalled["changed"].runs[0].violations] == [
        ("kept", CHANGED_TEXT)
    ]


def test_only_a_shy_sink_sees_a_valid_that_waits_for_ready(
    stalled: dict[str, JobResult], shy: dict[str, JobResult]
) -> None:
    assert stalled["waiting"].problems == ()
    assert shy["waiting"].problems == (
        "activation 0: output total: 0 tokens where 8 are expected",
        f"activation 0: output total: too few tokens; blocked: {ALL_HELD}",
    )
    assert shy["waiting"].runs[0].deadlocked


def test_outputs_and_counts_of_each_activation(stalled: dict[str, JobResult]) -> None:
    runs = stalled["sound"].runs
    counts = dict.fromkeys(("left_in", "right_in", "sums", "to_keep", "kept", "to_drop"), 8)
    assert [run.outputs for run in runs] == [{"total": SUMS}] * 3
    assert [run.tokens for run in runs] == [counts] * 3
    assert all(not (run.residual or run.deadlocked or run.timed_out) for run in runs)


def test_a_job_ends_where_outputs_are_missing(stalled: dict[str, JobResult]) -> None:
    assert [run.deadlocked for run in stalled["stuck"].runs] == [True]
    assert [run.deadlocked for run in stalled["one slot"].runs] == [True]
    assert [run.timed_out for run in stalled["endless"].runs] == [True]
    assert not stalled["endless"].runs[0].deadlocked


def test_a_run_that_the_limit_ends_is_cut_off_if_nothing_else_is_wrong(
    stalled: dict[str, JobResult],
) -> None:
    (run,) = stalled["endless"].runs
    assert not run.is_cut_off and replace(run, error_code=0).is_cut_off
    assert not replace(run, error_code=0, extra=("total",)).is_cut_off
    assert not stalled["stuck"].runs[0].is_cut_off
    assert run.moving


def test_memories_are_read_and_counted(stalled: dict[str, JobResult]) -> None:
    (run,) = stalled["sum"].runs
    assert run.outputs == {"total": (190,)}
    assert run.accesses == {"a": (20, 0)} and run.memories == {"a": tuple(range(20))}
    assert stalled["outside"].runs[0].accesses == {"a": (20, 0)}


@pytest.mark.usefixtures("deep_on_sources")
def test_the_same_seed_gives_the_same_cycles(stalled: dict[str, JobResult]) -> None:
    def cycles(seed: int) -> list[int]:
        options = SimOptions(stalls=0.4, shy=False, max_cycles=2000, seed=seed)
        found = dict(zip(JOBS, cosimulate(list(JOBS.values()), options), strict=True))
        return [run.cycles for run in found["sound"].runs]

    assert cycles(1) == [run.cycles for run in stalled["sound"].runs] != cycles(2)


def test_cycles_count_from_the_first_offer_to_the_last_output() -> None:
    options = SimOptions(max_cycles=2000)
    found = dict(zip(JOBS, cosimulate(list(JOBS.values()), options), strict=True))
    # Eight sums, one a cycle, each a cycle later out of the buffer.
    assert [run.cycles for run in found["sound"].runs] == [9, 9, 9]


def test_tokens_too_many_on_a_hidden_channel_are_counted() -> None:
    """The outputs are right; only the counters show that the sink got more."""
    it = NetlistBuilder("aside")
    word, same = it.port("input", "word", "i8"), it.port("output", "same", "i8")
    it.unit("split", "handshake.fork")
    it.connect(word, "split.in", "i8", "words")
    it.connect("split.out0", same, "i8", "out")
    it.connect("split.out1", "keep.in", "i8", "aside")
    it.unit("keep", "handshake.buffer", kind="seq", slots=2)
    it.connect("keep.out", "drop.in", "i8", "kept")
    it.unit("drop", "handshake.sink")
    netlist = it.build()
    files = DOUBLED.plant(emit(netlist))
    activation = Activation({"word": LEFT}, expected={"same": LEFT})
    (result,) = cosimulate([Job(netlist, files, (activation,))])
    assert result.problems == ()
    expected = run_streams(netlist, {"word": LEFT})
    seen = result.runs[0].tokens["kept"]
    assert seen > 8
    assert [*token_differences(result.runs[0], expected, expected.tokens)] == [
        f"channel kept carried {seen} tokens, 8 expected"
    ]


@pytest.mark.usefixtures("deep_on_sources")
def test_ports_whose_names_differ_in_case_alone() -> None:
    it = NetlistBuilder("cases")
    for upper, lower, type_ in (("A", "a", "i8"), ("B", "b", "none")):
        for name in (upper, lower):
            end = it.port("input", name, type_ if name.islower() else "i4")
            it.connect(end, it.port("output", f"{name}o", type_ if name.islower() else "i4"),
                       type_ if name.islower() else "i4", f"{name}_channel")  # fmt: skip
    netlist = it.build()
    streams = {"A": (1, 2), "a": (200,), "B": (7, 8, 9), "b": (0, 0)}
    expected = {f"{name}o": tokens for name, tokens in streams.items()}
    (result,) = cosimulate([Job(netlist, emit(netlist), (Activation(streams, expected=expected),))])
    assert result.problems == () and result.runs[0].outputs == expected


def test_no_job_needs_no_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert cosimulate([]) == []


def test_the_model_says_the_same_of_the_sound_circuit(stalled: dict[str, JobResult]) -> None:
    model = run_streams(adder(), {"left": LEFT, "right": RIGHT})
    assert [*token_differences(stalled["sound"].runs[0], model, model.tokens)] == []
    assert model.outputs == stalled["sound"].runs[0].outputs
