"""Wrongs in the templates: tokens lost, doubled, changed, or a valid that waits for ready."""

from __future__ import annotations

from tools.mutation.mutant import in_file

HARDWARE = [
    *in_file(
        "rtl_templates/primitives/buffer.sv.j2",
        (
            "if (in_ready_o) back_q <= in_data_i;",
            "if (in_valid_i) back_q <= in_data_i;",
            "the back slot is overwritten while full",
        ),
        (
            "assign full_d = full_q ? ~out_ready_i : in_valid_i;",
            "assign full_d = in_valid_i;",
            "a word is dropped when nothing follows",
        ),
        (
            "assign full_d = out_valid_o & ~out_ready_i;",
            "assign full_d = in_valid_i & ~out_ready_i;",
            "a waiting word is lost",
        ),
        (
            "(head_q == LastPlace) ? '0 : head_q + 1'b1",
            "head_q + 1'b1",
            "the ring does not close when slots are no power of two",
        ),
        ("& ~(empty & out_ready_i);", ";", "a word that passed straight through is kept too"),
        (
            "assign in_ready_o = count_q != COUNT_WIDTH'(SLOTS);",
            "assign in_ready_o = count_q != COUNT_WIDTH'(SLOTS - 1);",
            "a ring has a slot less",
        ),
        ("if (!rst_ni) full_q <= 1'b0;", "if (!rst_ni) full_q <= 1'b1;", "a buffer begins full"),
    ),
    *in_file(
        "rtl_templates/primitives/carry.sv.j2",
        (
            "assign o_valid_o = initial_stage ? a_valid_i : d_true & b_valid_i;",
            "assign o_valid_o = o_ready_i & (initial_stage ? a_valid_i : d_true & b_valid_i);",
            "valid waits for ready",
        ),
        (
            "assign b_ready_o = block_q & d_true & o_ready_i;",
            "assign b_ready_o = d_true & o_ready_i;",
            "b is taken before a",
        ),
        (
            "assign block_d = a_leaves | (block_q & ~d_false);",
            "assign block_d = a_leaves | block_q;",
            "no second burst begins",
        ),
        (
            "initial_stage ? a_data_i : b_data_i",
            "initial_stage ? b_data_i : a_data_i",
            "a and b are exchanged",
        ),
    ),
    *in_file(
        "rtl_templates/primitives/invariant.sv.j2",
        (
            "if (a_leaves) value_q <= a_data_i;",
            "if (a_valid_i) value_q <= a_data_i;",
            "the next burst's value comes early",
        ),
        (
            "assign d_ready_o = block_q & (d_false | (d_true & o_ready_i));",
            "assign d_ready_o = block_q & (d_false | d_true);",
            "a condition is taken before its value left",
        ),
    ),
    *in_file(
        "rtl_templates/primitives/replicate.sv.j2",
        (
            "assign a_ready_o = d_false;",
            "assign a_ready_o = d_true & o_ready_i;",
            "the value goes with the first true",
        ),
        (
            "assign d_ready_o = a_valid_i & (d_false",
            "assign d_ready_o = (d_false",
            "a condition is taken without a value",
        ),
    ),
    *in_file(
        "rtl_templates/primitives/replicate.sv.j2",
        (
            "assign a_ready_o = d_valid_i & ~d_data_i & o_ready_i;",
            "assign a_ready_o = d_valid_i & ~d_data_i;",
            "the value goes before its last token has",
        ),
    ),
    *in_file(
        "rtl_templates/primitives/gate.sv.j2",
        (
            "assign first_d = taken ? ~before_cond_data_i : first_q;",
            "assign first_d = taken ? 1'b0 : first_q;",
            "only one burst has a first condition",
        ),
        ("& ~value_sent_q;", ";", "a value is offered again"),
        ("first_q <= 1'b1;", "first_q <= 1'b0;", "the first condition of all is kept"),
    ),
    *in_file(
        "rtl_templates/primitives/cond_br.sv.j2",
        (
            "assign false_result_valid_o = offer & ~condition_data_i;",
            "assign false_result_valid_o = offer;",
            "false gets every token",
        ),
        (
            "condition_data_i ? true_result_ready_i : false_result_ready_i",
            "true_result_ready_i",
            "the wrong side's ready is asked",
        ),
        (
            "assign data_ready_o = offer & taken;",
            "assign data_ready_o = data_valid_i & taken;",
            "a datum is taken without its condition",
        ),
    ),
    *in_file(
        "rtl_templates/primitives/mux.sv.j2",
        (
            "assign select_ready_o = out_valid_o & out_ready_i;",
            "assign select_ready_o = out_ready_i;",
            "a selection is taken without its datum",
        ),
    ),
    *in_file(
        "rtl_templates/primitives/stream.sv.j2",
        (
            "assign block_d = taken ? proceeds : block_q;",
            "assign block_d = taken ? 1'b1 : block_q;",
            "a stream does not end",
        ),
        ('"following" if rotated', '"current" if rotated', "rotated streams test as others do"),
        (
            "assign cont_valid_o = offer & ~cont_sent_q;",
            "assign cont_valid_o = offer & ~cont_sent_q & index_ready_i;",
            "valid waits for another's ready",
        ),
        (
            "assign step = block_q ? step_q : step_data_i;",
            "assign step = step_data_i;",
            "the step is the next loop's",
        ),
        ("& (step_data_i == '0);", "& (step_data_i != '0);", "every step but 0 is an error"),
    ),
    *in_file(
        "rtl_templates/primitives/multiply.sv.j2",
        (
            "if (!rst_ni) valid_q <= '0;\n    else if (advance)",
            "if (advance)",
            "no reset of the pipeline",
        ),
        (
            "assign lhs_ready_o = advance & enter;",
            "assign lhs_ready_o = advance;",
            "an operand is taken alone",
        ),
        (
            "assign right = WIDE'(rhs_q);",
            "assign right = WIDE'(rhs_data_i);",
            "the second operand is the next one's",
        ),
    ),
    *in_file(
        "rtl_templates/memory/parts/answer.sv.j2",
        (
            "assign data_data_o = empty ? word_i : first_q;",
            "assign data_data_o = word_i;",
            "a word that waits is replaced",
        ),
        (
            "assign room_o = ~kept_q[1] & ~(kept_q[0] & arrives_q);",
            "assign room_o = ~kept_q[1];",
            "a third word has no place",
        ),
    ),
    *in_file(
        "rtl_templates/memory/parts/done.sv.j2",
        ("assign room_o = ~held_q[1];", "assign room_o = 1'b1;", "a fourth done token is lost"),
    ),
    *in_file(
        "rtl_templates/memory/parts/arbiter.sv.j2",
        (
            "assign grant_o = chosen & -chosen;",
            "assign grant_o = chosen;",
            "two accesses at a time",
        ),
        (
            "? ~(grant_o | (grant_o - 1'b1)) : behind_q",
            "? '0 : behind_q",
            "the last requester starves",
        ),
    ),
    *in_file(
        "rtl_templates/memory/store.sv.j2",
        (
            "assign data_out_data_o = data_data_i;",
            "assign data_out_data_o = ~data_data_i;",
            "words are stored inverted",
        ),
    ),
    *in_file(
        "rtl_templates/circuit/error_latch.sv.j2",
        (
            "(code_q != 8'd0) ? code_q",
            "(code_q == 8'd255) ? code_q",
            "the error code goes away",
        ),
    ),
]
