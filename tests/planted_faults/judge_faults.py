"""Faults in the judge: with each of them a wrong circuit, its witness, is not reported any more.

So the named test of the witness fails when the judge has the fault.
"""

from __future__ import annotations

from tests.planted_faults.change import HARNESS, Change
from tests.planted_faults.table import JudgeFault, in_activation

KERNEL = "sim/loom_sim/kernel.py"
JOBS = "sim/loom_sim/jobs.py"
RESULTS = "sim/loom_sim/results.py"
COSIMULATE = "sim/loom_sim/cosimulate.py"
PORTS = "sim/loom_sim/ports.py"
BUILD = "sim/loom_sim/build.py"
COMPARISON = "loom/model/comparison.py"
COUNTS = "loom/model/tokens/check_counts.py"
TIMED_STREAMS = "tests/support/timed_streams.py"

LOST_DONE = in_activation(
    0,
    "output st_done0: 7 tokens where 8 are expected",
    "output st_done0: too few tokens; blocked: none",
    "channel st_done0 carried 7 tokens, 8 expected",
)
"""What is left of the report on a done token without room, without its assertion."""

COMPARED = (
    JudgeFault(
        "memories are not compared",
        Change(KERNEL, "if list(words) != memories[name]:", "if name not in memories:"),
        "a store is lost",
    ),
    JudgeFault(
        "results are not compared",
        Change(
            KERNEL,
            "if not run.missing and results != outcome.results:",
            "if run.missing and results != outcome.results:",
        ),
        "a wrong result",
    ),
    JudgeFault(
        "tokens are not counted",
        Change(KERNEL, "if seen != count:", "if seen is None:"),
        "a token is doubled on a hidden channel",
    ),
    JudgeFault(
        "what is wrong with a run by itself does not count",
        Change(KERNEL, "yield from rtl.problems", "yield from rtl.assertions"),
        "no done token",
        left=in_activation(0, "channel extmemory_m carried 0 tokens, 1 expected"),
    ),
    JudgeFault(
        "an error of the circuit is not the program's",
        Change(KERNEL, "if run.error_code:", "if run.error_code > 2:"),
        "an error where there is none",
        left=in_activation(
            1,
            "run-time error 2",
            "the RTL leaves 1 other words in memory m than the program, first at 3: 8, not 10",
        ),
    ),
    JudgeFault(
        "tokens that are left are no problem",
        Change(JOBS, "for c in self.residual]", "for c in self.residual if self.missing]"),
        "a buffer is full after reset",
    ),
    JudgeFault(
        "tokens that are gone are no problem",
        Change(JOBS, "for c in self.lost]", "for c in self.lost if self.missing]"),
        "a token that lay at rest is gone",
    ),
    JudgeFault(
        "broken laws are no problem",
        Change(JOBS, "for v in self.violations]", "for v in self.violations[:0]]"),
        "an access past the last element",
        left=in_activation(0, "run-time error 1"),
    ),
    JudgeFault(
        "the scoreboard is not read",
        Change(JOBS, "found += self.mismatches", "found += self.mismatches[:0]"),
        "a token is changed",
    ),
    JudgeFault(
        "a run that does not end is no problem",
        Change(JOBS, "if self.timed_out:", "if self.timed_out and self.missing:"),
        "a token never leaves",
        left=in_activation(
            0,
            "output total: 2001 tokens where 8 are expected",
            "output total: too many tokens",
            "channel left_in: a token is left",
            "channel right_in: a token is left",
            "channel sums: a token is left",
            "channel to_keep: a token is left",
            "channel kept: a token is left",
            "channel left_in carried 6 tokens, 8 expected",
            "channel right_in carried 6 tokens, 8 expected",
            "channel sums carried 6 tokens, 8 expected",
            "channel to_keep carried 6 tokens, 8 expected",
            "channel kept carried 2001 tokens, 8 expected",
            "channel to_drop carried 7 tokens, 8 expected",
        ),
    ),
    JudgeFault(
        "outputs that are missing are no problem",
        Change(JOBS, "for p in self.missing]", "for p in self.missing[:0]]"),
        "no done token",
        left=(
            *in_activation(0, "channel extmemory_m carried 0 tokens, 1 expected"),
            "the RTL ran 1 of 2 activations",
        ),
    ),
    JudgeFault(
        "tokens too many are no problem",
        Change(JOBS, "for p in self.extra]", "for p in self.extra[:0]]"),
        "a token is doubled",
        left=in_activation(
            0,
            "output total: 9 tokens where 8 are expected",
            "channel kept carried 9 tokens, 8 expected",
        ),
    ),
    JudgeFault(
        "run-time errors are no problem",
        Change(JOBS, "if self.error_code:", "if self.error_code > 2:"),
        "the later of two errors stays",
    ),
    JudgeFault(
        "assertions are no problem",
        Change(JOBS, "for text in self.assertions]", "for text in self.assertions[:0]]"),
        "a done token for which there is no room",
        left=LOST_DONE,
    ),
    JudgeFault(
        "what assertions print is not read",
        Change(COSIMULATE, "ASSERTION.finditer(output)", 'ASSERTION.finditer("")'),
        "a done token for which there is no room",
        left=LOST_DONE,
    ),
    JudgeFault(
        "withdrawn tokens are not looked for",
        Change(RESULTS, "if w >> 35 & 1]", "if w >> 35 & 2]"),
        "a token is withdrawn",
        left=("assertion failed: either_inst.law_2.out_stays: 'assert' failed.",),
    ),
    JudgeFault(
        "changed tokens are not looked for",
        Change(RESULTS, "if w >> 34 & 1]", "if w >> 34 & 4]"),
        "a choice is not held",
        left=("assertion failed: either_inst.law_2.out_stays: 'assert' failed.",),
    ),
    JudgeFault(
        "accesses past the last element are not looked for",
        Change(RESULTS, 'in raw["accesses"].items() if s]', 'in raw["accesses"].items() if s < 0]'),
        "an access past the last element",
        left=in_activation(0, "run-time error 1"),
    ),
    JudgeFault(
        "tokens before an activation are not looked for",
        Change(RESULTS, "if w >> 36 & 1]", "if w >> 36 & 2]"),
        "a buffer gives a token before the first activation",
    ),
    JudgeFault(
        "stores after the last output are not looked for",
        Change(RESULTS, 'if raw["late"] else []', 'if raw["late"] < 0 else []'),
        "a store after the done token",
    ),
    JudgeFault(
        "where tokens lie at rest is not known",
        Change(RESULTS, "if not valid and name in resting", "if valid and name in resting"),
        "a token that lay at rest is gone",
    ),
    JudgeFault(
        "activations that the RTL does not run are no problem",
        Change(KERNEL, "and not rtl.problems:", "and rtl.problems:"),
        "the simulator stops after the first activation",
    ),
    JudgeFault(
        "activations that the token model does not run are no problem",
        Change(
            COMPARISON, "if len(run.activations) < len(activations) and not", "if False and not"
        ),
        "the token model stops after the first activation",
    ),
    JudgeFault(
        "activations that the token model of a graph does not run are no problem",
        Change(
            "loom/model/graph_run.py",
            "if len(outcomes) < len(activations) and not",
            "if False and not",
        ),
        "the token model of a graph stops after the first activation",
    ),
    JudgeFault(
        "results of the models are not compared",
        Change(COMPARISON, "run.results != outcome.results:", "run.results == outcome.results:"),
        "the program loads another element",
        left=(
            *in_activation(0, "the RTL's results are 3, the program's 4"),
            *in_activation(1, "the RTL's results are 7, the program's 8"),
        ),
    ),
    JudgeFault(
        "memories of the models are not compared",
        Change(COMPARISON, "if words != memories[name]:", "if name not in memories:"),
        "the program stores another number",
        left=(
            *in_activation(
                0, "the RTL leaves 2 other words in memory m than the program, first at 0: 1, not 9"
            ),
            *in_activation(
                1,
                "the RTL leaves 2 other words in memory m than the program, first at 0: 5, not 10",
            ),
        ),
    ),
    JudgeFault(
        "results are not held against the bundle",
        Change(COMPARISON, "if want == got:", "if want or got:"),
        "the program gives another result",
        left=in_activation(
            0,
            "the token model's results are 3.0, the program's 3.002",
            "the RTL's results are 3.0, the program's 3.002",
        ),
    ),
    JudgeFault(
        "tokens that the token model lost are no problem",
        Change(COMPARISON, "for name, count in run.residual.items():", "for name, count in ():"),
        "the token model loses a token that lies at rest",
        left=in_activation(
            2,
            "invariant 9: channel kept carries 0 tokens, not 1",
            "channel before carried 1 tokens, 0 expected",
            "channel kept carried 1 tokens, 0 expected",
        ),
    ),
    JudgeFault(
        "trip counts are not compared",
        Change(COUNTS, "if trips != wanted:", "if trips < 0:"),
        "the program counts an iteration too many",
    ),
    JudgeFault(
        "counts of tokens are not held against the conditions",
        Change(COUNTS, "if run.tokens[name] != wanted:", "if run.tokens[name] < 0:"),
        "the token model counts every condition as true",
    ),
    JudgeFault(
        "accesses are not compared",
        Change(COUNTS, 'if given["st"] > stores or', 'if given["st"] < 0 and'),
        "the program counts no stores",
    ),
    JudgeFault(
        "waits are not held against the timed model",
        Change(TIMED_STREAMS, "if waits != cycles:", "if waits < 0:"),
        "the timed model serves by fixed priority",
    ),
    JudgeFault(
        "cycles are not held against the timed model",
        Change(TIMED_STREAMS, "if run.cycles != expected.cycles:", "if run.cycles < 0:"),
        "a load waits for the one before",
        left=in_activation(0, "channel ld_address0: tokens wait 7 cycles, 0 predicted"),
    ),
)
IN_HARNESS = (
    JudgeFault(
        "sources never pause",
        Change(
            f"{HARNESS}harness_source.sv", "noise_i[63:48]} < stall_i", "noise_i[63:48]} < 17'd0"
        ),
        "an operand leaves without the other",
        at="harness",
    ),
    JudgeFault(
        "sinks never pause",
        Change(f"{HARNESS}harness_sink.sv", "noise_i[63:48]} < stall_i", "noise_i[63:48]} < 17'd0"),
        "data for which there is no room",
        at="harness",
    ),
    JudgeFault(
        "sinks are never shy",
        Change(f"{HARNESS}harness_sink.sv", "(!shy_i || (valid_i && !ready_q))", "1'b1"),
        "valid waits for ready",
        at="harness",
    ),
    JudgeFault(
        "a read in the cycle of a write gives the old element",
        Change(f"{HARNESS}harness_memory.sv", " && !(wr_en_i && wr_addr_i == rd_addr_i)", ""),
        "a done token comes a cycle early",
        at="harness",
    ),
    JudgeFault(
        "accesses past the last element are not counted",
        Change(f"{HARNESS}harness_memory.sv", "32'(wr_en_i && is_stray(wr_addr_i))", "32'd0"),
        "an access past the last element",
        left=in_activation(0, "run-time error 1"),
        at="harness",
    ),
    JudgeFault(
        "withdrawn tokens are not seen",
        Change(f"{HARNESS}job.sv.j2", "{held[k] & ~valid[k],", "{1'b0,"),
        "a token is withdrawn",
        left=("assertion failed: either_inst.law_2.out_stays: 'assert' failed.",),
        at="harness",
    ),
    JudgeFault(
        "changed tokens are not seen",
        Change(f"{HARNESS}job.sv.j2", "held[k] & valid[k] & data[k] != offered[k]}", "1'b0}"),
        "a choice is not held",
        left=("assertion failed: either_inst.law_2.out_stays: 'assert' failed.",),
        at="harness",
    ),
    JudgeFault(
        "tokens before an activation are not seen",
        Change(f"{HARNESS}job.sv.j2", "line[36] = early[k];", "line[36] = 1'b0;"),
        "a buffer gives a token before the first activation",
        at="harness",
    ),
    JudgeFault(
        "a run that does not end counts as ended",
        Change(f"{HARNESS}job.sv.j2", "timed_out  <= quiet_q < QUIET;", "timed_out  <= 1'b0;"),
        "a token never leaves",
        left=in_activation(
            0,
            "output total: 2001 tokens where 8 are expected",
            "output total: too many tokens",
            "channel left_in: a token is left",
            "channel right_in: a token is left",
            "channel sums: a token is left",
            "channel to_keep: a token is left",
            "channel kept: a token is left",
            "channel left_in carried 6 tokens, 8 expected",
            "channel right_in carried 6 tokens, 8 expected",
            "channel sums carried 6 tokens, 8 expected",
            "channel to_keep carried 6 tokens, 8 expected",
            "channel kept carried 2001 tokens, 8 expected",
            "channel to_drop carried 7 tokens, 8 expected",
        ),
        at="harness",
    ),
    JudgeFault(
        "stores after the last output are not counted",
        Change(f"{HARNESS}job.sv.j2", "(running_q && ended && storing)", "(1'b0)"),
        "a store after the done token",
        at="harness",
    ),
    JudgeFault(
        "the error code is not read",
        Change(f"{HARNESS}job.sv.j2", "error_code <= kernel_error;", "error_code <= 8'd0;"),
        "the later of two errors stays",
        at="harness",
    ),
)
IN_RUN = (
    JudgeFault(
        "registers start at 0",
        Change(COSIMULATE, '"+verilator+rand+reset+2"', '"+verilator+rand+reset+0"'),
        "a register is relied on at reset",
        at="run",
    ),
    JudgeFault(
        "the probability of stalls is not passed on",
        Change(COSIMULATE, '"stall": round(options.stalls * 65536)', '"stall": 0'),
        "an operand leaves without the other",
        at="run",
    ),
    JudgeFault(
        "the scoreboard compares lengths alone",
        Change(PORTS, "if got == tokens:", "if len(got) == len(tokens):"),
        "a token is changed",
        at="simulator",
    ),
)
IN_BUILD = (
    JudgeFault(
        "a simulator is taken from the cache by the names of its modules",
        Change(BUILD, "parts += [name, text]", "parts += [name]"),
        "a wrong result",
        at="cache",
    ),
    JudgeFault(
        "assertions are left out",
        Change(
            BUILD,
            "flags = [*VERILATOR_FLAGS, ",
            'flags = [*VERILATOR_FLAGS, "--no-assert", ',
        ),
        "a done token for which there is no room",
        left=LOST_DONE,
        at="builds",
    ),
    JudgeFault(
        "registers are built to start at 0",
        Change(
            BUILD,
            "flags = [*VERILATOR_FLAGS, ",
            'flags = [*(each.replace("unique", "0") for each in VERILATOR_FLAGS), ',
        ),
        "a register is relied on at reset",
        at="builds",
    ),
)
JUDGE_FAULTS = (*COMPARED, *IN_HARNESS, *IN_RUN, *IN_BUILD)
