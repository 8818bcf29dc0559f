"""The token simulator: order does not matter, tokens are counted, deadlocks have names."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from loom.errors import LoomError
from loom.model.bundles.activation import Activation
from loom.model.tokens.token_simulator import run_streams, simulate
from loom.netlist.checks import problems
from loom.netlist.netlist import Netlist
from tests.support.netlists import NetlistBuilder


def sum_of_indices() -> Netlist:
    """0 + 1 + .. below n, as a stream, a carry and branches of the raw condition."""
    b = NetlistBuilder(index_width=32)
    b.port("input", "n", "index")
    b.port("input", "start", "none")
    b.port("output", "sum", "i32")
    b.port("output", "done", "none")
    b.fork("fork_start", "%start", ["zero.ctrl", "one.ctrl", "initial.ctrl", "%done"], "none")
    for name, value in (("zero", 0), ("one", 1), ("initial", 0)):
        b.unit(name, "handshake.constant", value=value)
    b.unit("loop", "dataflow.stream", step_op="+=", cont_cond="<", unsigned=False)
    b.connect("zero.result", "loop.start", "index")
    b.connect("one.result", "loop.step", "index")
    b.connect("%n", "loop.bound", "index")
    b.unit("total", "dataflow.carry")
    b.connect("initial.result", "total.a", "i32")
    b.fork("fork_cont", "loop.cont", ["total.d", "split.condition", "body.condition"], "i1")
    b.unit("split", "handshake.cond_br")
    b.connect("total.o", "split.data", "i32")
    b.unit("body", "handshake.cond_br")
    b.connect("loop.index", "body.data", "index")
    b.unit("last", "handshake.sink")
    b.connect("body.false_result", "last.in", "index")
    b.unit("add", "arith.addi")
    b.connect("split.true_result", "add.lhs", "i32")
    b.connect("body.true_result", "add.rhs", "i32")
    b.unit("slack", "handshake.buffer", kind="seq", slots=2)
    b.connect("add.result", "slack.in", "i32")
    b.connect("slack.out", "total.b", "i32")
    b.connect("split.false_result", "%sum", "i32")
    return b.build()


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_activations_follow_each_other_without_reset(seed: int | None) -> None:
    netlist = sum_of_indices()
    assert problems(netlist) == []
    run = simulate(netlist, [Activation({"n": n}) for n in (0, 5, 0, 1)], seed=seed)
    assert run.clean
    assert [each.results for each in run.activations] == [(0,), (10,), (0,), (0,)]
    assert all(each.done for each in run.activations)
    assert run.activations[0] == run.activations[2]


def test_order_of_processes_changes_nothing() -> None:
    runs = [
        simulate(sum_of_indices(), [Activation({"n": n}) for n in (7, 3)], seed=seed)
        for seed in (None, *range(20))
    ]
    assert all(run == runs[0] for run in runs)


def test_tokens_are_counted_for_each_channel() -> None:
    netlist = sum_of_indices()
    run = simulate(netlist, [Activation({"n": 5})])
    tokens = {str(c.source): run.activations[0].tokens[c.name] for c in netlist.channels}
    assert tokens["%n"] == 1
    assert tokens["loop.cont"] == 6
    assert tokens["split.true_result"] == tokens["slack.out"] == 5
    assert tokens["split.false_result"] == tokens["fork_start.out3"] == 1
    assert run.total == sum(tokens.values())


def test_a_million_tokens_are_counted() -> None:
    run = simulate(sum_of_indices(), [Activation({"n": 100_000})])
    assert run.activations[0].results == (99_999 * 50_000 % 2**32,)
    assert run.total > 1_000_000


def test_a_deadlock_names_its_channels() -> None:
    b = NetlistBuilder()
    for name in ("c", "x", "y"):
        b.port("input", name, "i1" if name == "c" else "i8")
    b.port("output", "r", "i8")
    b.unit("pick", "handshake.cond_br")
    b.connect("%c", "pick.condition", "i1", "condition")
    b.connect("%x", "pick.data", "i8", "x")
    b.unit("drop", "handshake.sink")
    b.connect("pick.false_result", "drop.in", "i8", "dropped")
    b.unit("add", "arith.addi")
    b.connect("pick.true_result", "add.lhs", "i8", "chosen")
    b.connect("%y", "add.rhs", "i8", "y")
    b.connect("add.result", "%r", "i8", "sum")
    netlist = b.build()
    run = simulate(netlist, [Activation({"c": c, "x": 1, "y": 2}) for c in (1, 0, 1)])
    first, second = run.activations  # nothing runs after what is not clean
    assert first.clean and first.results == (3,)
    assert not second.clean and not run.clean
    assert second.missing == ("r",)
    assert second.residual == {"y": 1}
    assert second.blocked == ("chosen", "y")


def test_residual_tokens_and_states_are_seen_though_the_result_is_there() -> None:
    b = NetlistBuilder()
    b.port("input", "d", "i1")
    b.port("input", "a", "i8")
    b.port("output", "o", "i8")
    b.unit("keep", "dataflow.invariant")
    b.connect("%d", "keep.d", "i1", "d")
    b.connect("%a", "keep.a", "i8", "a")
    b.connect("keep.o", "%o", "i8", "o")
    run = run_streams(b.build(), {"d": (), "a": (1, 2)})
    assert run.outputs == {"o": (1,)}
    assert run.residual == {"a": 1}
    assert run.not_at_rest == ("keep",)
    assert not run.clean


def memory_circuit(kind: str) -> Netlist:
    """Reads a word, then writes the datum there."""
    b = NetlistBuilder(index_width=8)
    b.port("input", "address", "index")
    b.port("input", "datum", "i8")
    b.port("output", "old", "i8")
    b.port("output", "done", "none")
    operator = "handshake.memory" if kind == "internal" else "handshake.extmemory"
    b.memory("m", "i8", 3, "internal" if kind == "internal" else "external", (7, 8, 9))
    b.unit("ram", operator, memory="m", stores=1, loads=1)
    b.fork("fork_address", "%address", ["ram.ld_address0", "write.address"], "index")
    b.unit("write", "handshake.store")
    b.connect("%datum", "write.data", "i8")
    b.connect("ram.ld_done0", "write.ctrl", "none")
    b.connect("write.address_out", "ram.st_address0", "index")
    b.connect("write.data_out", "ram.st_data0", "i8")
    b.connect("ram.ld_data0", "%old", "i8")
    b.connect("ram.st_done0", "%done", "none")
    return b.build()


@pytest.mark.parametrize("seed", [None, 5])
def test_internal_memories_keep_their_words(seed: int | None) -> None:
    netlist = memory_circuit("internal")
    assert problems(netlist) == []
    activations = [Activation({"address": 1, "datum": datum}) for datum in (50, 60, 70)]
    run = simulate(netlist, activations, seed=seed)
    assert run.clean
    assert [each.results for each in run.activations] == [(8,), (50,), (60,)]
    again = simulate(netlist, activations)
    assert again.activations == run.activations


def test_external_memories_are_fresh_and_given_by_name() -> None:
    netlist = memory_circuit("external")
    words = [1, 2, 3]
    activations = [Activation({"address": k, "datum": 9, "m": words}) for k in (0, 2)]
    run = simulate(netlist, activations)
    assert [each.results for each in run.activations] == [(1,), (3,)]
    assert [each.memories["m"] for each in run.activations] == [[9, 2, 3], [1, 2, 9]]
    assert words == [1, 2, 3]


def test_run_time_errors_are_reported() -> None:
    netlist = memory_circuit("external")
    run = simulate(netlist, [Activation({"address": 3, "datum": 9, "m": [1, 2, 3]})])
    assert run.activations[0].errors == ("RT_MEMORY_ADDRESS_OUT_OF_RANGE",)
    assert run.activations[0].results == (0,)
    assert not run.clean


@contextmanager
def ending_within(seconds: int) -> Iterator[None]:
    """What is done inside fails if it takes longer, of the processor's time."""

    def fail(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"more than {seconds} s")

    before = signal.signal(signal.SIGPROF, fail)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def test_a_circuit_that_does_not_come_to_rest_is_refused() -> None:
    b = NetlistBuilder(name="endless", index_width=8)
    for name in ("start", "step", "bound"):
        b.port("input", name, "index")
    b.unit("loop", "dataflow.stream", step_op="+=", cont_cond="<", unsigned=False)
    for name in ("start", "step", "bound"):
        b.connect(f"%{name}", f"loop.{name}", "index")
    b.unit("drop", "handshake.sink")
    b.unit("drop_cont", "handshake.sink")
    b.connect("loop.index", "drop.in", "index")
    b.connect("loop.cont", "drop_cont.in", "i1")
    with pytest.raises(LoomError) as caught, ending_within(30):
        simulate(b.build(), [Activation({"start": 0, "step": 0, "bound": 1})], limit=10_000)
    assert str(caught.value) == (
        "endless: error[MODEL_LIMIT]: found more than 10000 tokens, after "
        "RT_DATAFLOW_STREAM_ZERO_STEP, still moving: channel c3, channel c4; "
        "LOOM accepts circuits that come to rest; a larger --max-cycles for long runs"
    )


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"address": 0, "datum": 1}, "MODEL_NAME"),
        ({"datum": 1, "m": [1, 2, 3]}, "MODEL_NAME"),
        ({"address": 0, "datum": 1, "m": [1, 2]}, "MODEL_SHAPE"),
        ({"address": 0, "datum": 1, "m": 5}, "MODEL_NAME"),
    ],
)
def test_activations_that_do_not_fit_are_refused(
    inputs: dict[str, int | list[int]], code: str
) -> None:
    with pytest.raises(LoomError) as caught:
        simulate(memory_circuit("external"), [Activation(inputs)])
    assert caught.value.code == code


def test_a_unit_that_feeds_itself_is_counted() -> None:
    b = NetlistBuilder()
    b.port("input", "d", "i1")
    b.port("input", "a", "i8")
    b.unit("own", "dataflow.carry")
    b.connect("%d", "own.d", "i1")
    b.connect("%a", "own.a", "i8")
    b.connect("own.o", "own.b", "i8", "round")
    run = run_streams(b.build(), {"d": (1, 1, 1), "a": (5,)})
    assert run.tokens["round"] == 4
    assert run.residual == {"round": 1}
