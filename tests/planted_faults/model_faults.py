"""Faults in the models, in what counts and in the simulator's Python, with a sound circuit.

The judge compares the circuit with two models and the models with each other: each of these is
reported too.
"""

from __future__ import annotations

from tests.planted_faults import circuits as it
from tests.planted_faults.change import Change
from tests.planted_faults.table import Fault, in_activation

BENCH = "sim/loom_sim/bench.py"
TOKENS = "loom/model/tokens/token_simulator.py"
OPERATORS = "loom/dialects/operators/handshake_operators.py"
REFERENCE = "loom/model/reference/reference.py"
MEMORY = "loom/model/reference/generate_memory.py"
TIMED = "loom/model/timed/memory.py"
NO_STORES = "memory m gives 1 done tokens (stores) and 1 (loads), the program stores 0 and loads 1"

MODEL_FAULTS = (
    Fault(
        "the simulator stops after the first activation",
        it.ADD,
        "free",
        Change(BENCH, "all(c >= wanted[n] for n, c in", "all(c > wanted[n] for n, c in"),
        ("the RTL ran 1 of 3 activations",),
        at="simulator",
    ),
    Fault(
        "the token model stops after the first activation",
        it.ADD,
        "free",
        Change(TOKENS, "if not runs[-1].clean:", "if runs:"),
        ("the token model ran 1 of 3 activations",),
        at="model",
    ),
    Fault(
        "the token model of a graph stops after the first activation",
        it.GRAPH_OF_SUMS,
        "free",
        Change(TOKENS, "if not runs[-1].clean:", "if runs:"),
        ("the token model ran 1 of 2 activations",),
        at="model",
    ),
    Fault(
        "the token model loses a token that lies at rest",
        it.GRAPH_OF_TOTALS,
        "free",
        Change(OPERATORS, "for queue in outputs:", "for queue in outputs[: 1 + (token != 6)]:"),
        in_activation(
            2,
            "the token model leaves 1 tokens fewer than before on channel before",
            "invariant 9: channel kept carries 0 tokens, not 1",
            "channel before carried 1 tokens, 0 expected",
            "channel kept carried 1 tokens, 0 expected",
        ),
        at="model",
    ),
    Fault(
        "the program loads another element",
        it.LOAD_AND_RETURN,
        "free",
        Change(MEMORY, '{view.words}[{view.address(indices)}]"', '{view.words}[3]"'),
        (
            *in_activation(0, "the token model's results are 3, the program's 4"),
            *in_activation(1, "the token model's results are 7, the program's 8"),
            *in_activation(0, "the RTL's results are 3, the program's 4"),
            *in_activation(1, "the RTL's results are 7, the program's 8"),
        ),
        at="model",
    ),
    Fault(
        "the program stores another number",
        it.STORE,
        "free",
        Change(
            MEMORY, "{view.words}[{view.address(indices)}] = {text}", "{view.words}[0] = {text}"
        ),
        (
            *in_activation(0, "the token model leaves other words in memory m than the program"),
            *in_activation(1, "the token model leaves other words in memory m than the program"),
            *in_activation(
                0, "the RTL leaves 2 other words in memory m than the program, first at 0: 1, not 9"
            ),
            *in_activation(
                1,
                "the RTL leaves 2 other words in memory m than the program, first at 0: 5, not 10",
            ),
        ),
        at="model",
    ),
    Fault(
        "the program counts no stores",
        it.DOUBLE,
        "free",
        Change(MEMORY, "writer.scope.count, 0, 1))", "writer.scope.count, 0, 0))"),
        (
            *in_activation(
                0,
                f"invariant 6: {NO_STORES}",
            ),
            *in_activation(
                1,
                f"invariant 6: {NO_STORES}",
            ),
        ),
        at="model",
    ),
    Fault(
        "the program counts an iteration too many",
        it.LOOP,
        "free",
        Change(
            REFERENCE,
            "{k: n for k, n in self._iterations",
            "{k: n + 1 for k, n in self._iterations",
        ),
        in_activation(0, "invariant 1: the loop at k.mlir:5:3 has 3 iterations, the program's 4"),
        at="model",
    ),
    Fault(
        "the token model counts every condition as true",
        it.LOOP_NOT_RUN,
        "free",
        Change("loom/model/tokens/token_process.py", "self.ones += token == 1", "self.ones += 1"),
        in_activation(
            0,
            "invariant 1: channel test carries 1 tokens, not T(test) + 1 = 2",
            "invariant 4: channel test1 carries 1 tokens, not T(test) + 1 = 2",
            "invariant 4: channel test2 carries 1 tokens, not T(test) + 1 = 2",
            "invariant 4: channel test3 carries 1 tokens, not T(test) + 1 = 2",
            "invariant 4: and 2 more",
        ),
        at="model",
    ),
    Fault(
        "the program gives another result",
        it.HALF,
        "free",
        Change(REFERENCE, "results=results or (),", "results=tuple(each ^ 1 for each in results),"),
        in_activation(
            0,
            "result 0 is 3.002, the bundle expects 3.0",
            "the token model's results are 3.0, the program's 3.002",
            "the RTL's results are 3.0, the program's 3.002",
        ),
        at="model",
    ),
    Fault(
        "the timed model serves by fixed priority",
        it.THREE_LOADS,
        "free",
        Change(TIMED, "if n > self.last)", "if n > 2)"),
        in_activation(
            0,
            "channel ld_address0: tokens wait 14 cycles, 0 predicted",
            "channel ld_address1: tokens wait 15 cycles, 8 predicted",
        ),
        at="model",
    ),
    Fault(
        "the timed model waits for a datum that is taken",
        it.LOAD_AFTER_LOAD,
        "free",
        Change(TIMED, "self.word is None or self.data.ready", "self.word is None"),
        in_activation(
            0, "9 cycles, 16 predicted", "channel ld_address0: tokens wait 0 cycles, 7 predicted"
        ),
        at="model",
    ),
    Fault(
        "the timed model takes a load before its datum has left",
        it.SLOW_DATA,
        "free",
        Change(TIMED, "self.word is None or self.data.ready", "True"),
        in_activation(
            0,
            "17 cycles, 11 predicted",
            "channel places0: tokens wait 6 cycles, 0 predicted",
            "channel data_in0: tokens wait 7 cycles, 4 predicted",
        ),
        at="model",
    ),
    Fault(
        "the timed model has room for one more datum",
        it.SLOW_SHARED,
        "free",
        Change(
            TIMED,
            "len(self.kept) + coming < len(self.on_way) + 1",
            "len(self.kept) + coming <= len(self.on_way) + 1",
        ),
        in_activation(0, "channel places0: tokens wait 5 cycles, 3 predicted"),
        at="model",
    ),
    Fault(
        "the timed model has room for one more done token",
        it.SLOW_DONE,
        "free",
        Change(TIMED, "self.owed < MOST_HELD", "self.owed <= MOST_HELD"),
        in_activation(0, "channel places0: tokens wait 5 cycles, 3 predicted"),
        at="model",
    ),
)
