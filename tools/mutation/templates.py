"""Mutants of templates and of the co-simulation's harness, each with the test that kills it.

No tool mutates SystemVerilog inside Jinja, so these are written by hand: one or two for each kind
of fault (a lost, doubled, changed or reordered token, a valid that waits for ready,
a check of the harness that is off).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROWS = "tests/sim/test_operator_rows_in_rtl.py::test_all_rows_in_one_build"
FAULTS = "tests/sim/test_cosimulation.py::"
PROMISES = "tests/promises/"
STARTS = f"{PROMISES}test_start_waits_for_done.py::"
BY_HAND = "tests/sim/test_by_hand_in_rtl.py::"
PRIMITIVES = "rtl_templates/primitives/"
MEMORY = "rtl_templates/memory/"
HARNESS = "sim/loom_sim/harness/"


@dataclass(frozen=True)
class Mutant:
    """`old`, which stands once in `file`, becomes `new`: a `fault`, which test `killer` reports."""

    file: str
    old: str
    new: str
    fault: str
    killer: str = ROWS

    def apply(self, tree: Path) -> str:
        """The file in `tree` is mutated; its text before. `old` must stand there once."""
        path = tree / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file} has {text.count(self.old)} times: {self.old}")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")
        return text


MUTANTS = (
    Mutant(
        f"{PRIMITIVES}buffer.sv.j2",
        "assign full_d = out_valid_o & ~out_ready_i;",
        "assign full_d = in_valid_i & ~out_ready_i;",
        "a waiting token is lost",
    ),
    Mutant(
        f"{PRIMITIVES}buffer.sv.j2",
        "if (pop) head_q <= (head_q == LastPlace) ? '0 : head_q + 1'b1;",
        "if (pop) head_q <= head_q + 1'b1;",
        "the ring does not wrap when its slots are no power of two",
    ),
    Mutant(
        f"{PRIMITIVES}buffer.sv.j2",
        "& (some_q | ~out_ready_i);",
        ";",
        "a token that passed straight through is doubled",
    ),
    Mutant(
        f"{PRIMITIVES}carry.sv.j2",
        "assign o_valid_o = initial_stage ? a_valid_i : d_true & b_valid_i;",
        "assign o_valid_o = o_ready_i & (initial_stage ? a_valid_i : d_true & b_valid_i);",
        "valid waits for ready",
    ),
    Mutant(
        f"{PRIMITIVES}carry.sv.j2",
        "assign block_d = a_leaves | (block_q & ~d_false);",
        "assign block_d = a_leaves | block_q;",
        "no second burst begins",
    ),
    Mutant(
        f"{PRIMITIVES}invariant.sv.j2",
        "if (a_leaves) value_q <= a_data_i;",
        "if (a_valid_i) value_q <= a_data_i;",
        "the next burst's value comes early",
    ),
    Mutant(
        f"{PRIMITIVES}replicate.sv.j2",
        "assign a_ready_o = d_valid_i & ~d_data_i & o_ready_i;",
        "assign a_ready_o = d_valid_i & ~d_data_i;",
        "the value leaves before its last token",
    ),
    Mutant(
        f"{PRIMITIVES}accumulate.sv.j2",
        "if (!rst_ni || ends) total_q <= INITIAL;",
        "if (!rst_ni) total_q <= INITIAL;",
        "a burst begins with the total of the one before",
    ),
    Mutant(
        f"{PRIMITIVES}gate.sv.j2",
        "& ~value_sent_q;",
        ";",
        "a value is offered again after it was taken",
    ),
    Mutant(
        f"{PRIMITIVES}cond_br.sv.j2",
        "assign data_ready_o = offer & taken;",
        "assign data_ready_o = data_valid_i & taken;",
        "data is taken without its condition",
    ),
    Mutant(
        f"{PRIMITIVES}mux.sv.j2",
        "assign select_ready_o = out_valid_o & out_ready_i;",
        "assign select_ready_o = out_ready_i;",
        "a selection is taken without its data",
    ),
    Mutant(
        f"{PRIMITIVES}stream.sv.j2",
        "assign step = block_q ? step_q : step_data_i;",
        "assign step = step_data_i;",
        "the step is that of the next loop",
    ),
    Mutant(
        f"{PRIMITIVES}multiply.sv.j2",
        "assign right = wide_t'(rhs_q);",
        "assign right = wide_t'(rhs_data_i);",
        "an operand is that of the next product",
    ),
    Mutant(
        f"{MEMORY}parts/arbiter.sv.j2",
        "some_wait ? waiting & ~after_waiting : request_i & ~after_any;",
        "some_wait ? waiting : request_i;",
        "two accesses have the port at a time",
    ),
    Mutant(
        "rtl_templates/circuit/activation.sv.j2",
        "assign begin_valid_o = start_valid_i & ~started_q;",
        "assign begin_valid_o = start_valid_i;",
        "start enters while an activation runs",
        f"{STARTS}test_three_starts_in_a_row_are_three_activations",
    ),
    Mutant(
        "rtl_templates/circuit/activation.sv.j2",
        "assign ended_d = (ended_q | ends) & ~(started_q | begins);",
        "assign ended_d = 1'b0;",
        "a done that comes before its start is forgotten",
        f"{STARTS}test_three_starts_in_a_row_are_three_activations",
    ),
    Mutant(
        "rtl_templates/circuit/top.sv.j2",
        "assert ({{ port.name }}_valid_i);",
        "assert (1'b1);",
        "a withdrawn token is not reported",
        f"{PROMISES}test_neighbours.py::test_the_top_says_who_and_how",
    ),
    Mutant(
        "rtl_templates/circuit/error_latch.sv.j2",
        "assign kept = kept_q != '0;",
        "assign kept = 1'b0;",
        "the first error code is overwritten",
    ),
    Mutant(
        f"{HARNESS}harness_sink.sv",
        "&& (!shy_i || (valid_i && !ready_q));",
        ";",
        "no sink is shy: a valid that waits for ready is not seen",
        f"{FAULTS}test_only_a_shy_sink_sees_a_valid_that_waits_for_ready",
    ),
    Mutant(
        f"{HARNESS}harness_source.sv",
        "assign sent_d    = start_i ? 32'd0 : taken ? sent_q + 32'd1 : sent_q;",
        "assign sent_d    = start_i ? 32'd0 : offer_q ? sent_q + 32'd1 : sent_q;",
        "a source goes on although its token is not taken",
        f"{FAULTS}test_outputs_and_counts_of_each_activation",
    ),
    Mutant(
        f"{HARNESS}harness_memory.sv",
        "loads_q  <= loads_q + 32'(rd_en_i);",
        "loads_q  <= loads_q;",
        "loads are not counted",
        f"{FAULTS}test_memories_are_read_and_counted",
    ),
    Mutant(
        f"{HARNESS}job.sv.j2",
        "held[k] & valid[k] & data[k] != offered[k]}",
        "1'b0}",
        "a change of an offered token is not reported",
        f"{FAULTS}test_a_change_of_an_offered_token_is_reported",
    ),
    Mutant(
        f"{HARNESS}job.sv.j2",
        "timed_out  <= quiet_q < QUIET;",
        "timed_out  <= 1'b0;",
        "a run that does not end counts as ended",
        f"{FAULTS}test_a_job_ends_where_outputs_are_missing",
    ),
    Mutant(
        f"{HARNESS}job.sv.j2",
        "late <= late + 32'd1;",
        "late <= 32'd0;",
        "a store after the last output is not reported",
        f"{BY_HAND}test_faults_are_seen",
    ),
    Mutant(
        f"{HARNESS}job.sv.j2",
        "moved = !ended | storing;",
        "moved = storing;",
        "a black box is thought to have ended when nothing moves outside",
        f"{BY_HAND}test_other_inputs_match",
    ),
)
