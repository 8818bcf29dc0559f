"""Faults in circuits: what is planted in their SystemVerilog, and exactly what is reported.

Most are planted in the emitted text, those of a template in the template. A number that comes of
noise, as what a RAM gives when it was not read, is that of the harness's noise for the way's seed.
"""

from __future__ import annotations

from tests.planted_faults import circuits as it
from tests.planted_faults.change import HARNESS, Change
from tests.planted_faults.table import Fault, in_activation

ADDI = "rtl/loom_addi.sv"
BUFFER = "rtl/loom_buffer_seq_2.sv"
STORE = "rtl/loom_extmemory_1_stores_0_loads.sv"
DONE = "rtl/loom_memory_done.sv"
ANSWER = "rtl/loom_memory_answer.sv"
HELD = "rtl_templates/memory/parts/held.sv.j2"
RAM = f"{HARNESS}harness_memory.sv"
LATCH = "rtl/loom_error_latch.sv"
OFFERED = "  assign done_valid_o = some_q;\n"
EARLY = (
    "  assign done_valid_o = some_q | grant_i;\n"
    "  logic leaves;\n"
    "  assign leaves = done_ready_i & ~some_q;\n"
)
COUNTED = (
    "\n  always_ff @(posedge clk_i) begin : state\n"
    "    if (!rst_ni) begin : state_reset\n"
    "      some_q <= 1'b0;\n"
    "      full_q <= 1'b0;\n"
    "    end else begin : state_next\n"
    "      some_q <= "
)
CHANGED = "an offered token changed (law 2: a token stays unchanged until it is taken)"
WITHDRAWN = "an offered token was withdrawn (law 2: a token stays until it is taken)"

CIRCUIT_FAULTS = (
    Fault(
        "a wrong result",
        it.ADD,
        "free",
        Change(ADDI, "lhs_data_i + rhs_data_i", "lhs_data_i - rhs_data_i"),
        (
            *in_activation(0, "the RTL's results are -1, the program's 3"),
            *in_activation(1, "the RTL's results are 100, the program's 44"),
            *in_activation(2, "the RTL's results are -7, the program's 7"),
        ),
    ),
    Fault(
        "a wrong element is stored",
        it.DOUBLE,
        "free",
        Change(ADDI, "lhs_data_i + rhs_data_i", "lhs_data_i | rhs_data_i"),
        (
            *in_activation(
                0, "the RTL leaves 1 other words in memory m than the program, first at 1: 2, not 4"
            ),
            *in_activation(
                1,
                "the RTL leaves 1 other words in memory m than the program, first at 3: 8, not 16",
            ),
        ),
    ),
    Fault(
        "an element is stored at another place",
        it.STORE,
        "free",
        Change(STORE, "wr_addr_o = st_address[", "wr_addr_o = ~st_address["),
        (
            *in_activation(
                0, "the RTL leaves 2 other words in memory m than the program, first at 1: 2, not 9"
            ),
            *in_activation(
                1,
                "the RTL leaves 2 other words in memory m than the program, first at 0: 10, not 5",
            ),
        ),
    ),
    Fault(
        "a store is lost",
        it.STORE,
        "free",
        Change(STORE, "& rst_ni & ~st_outside", "& rst_ni & ~st_outside & wr_addr_o != 3"),
        in_activation(
            1, "the RTL leaves 1 other words in memory m than the program, first at 3: 8, not 10"
        ),
    ),
    Fault(
        "an error where there is none",
        it.STORE,
        "free",
        Change(STORE, "st_outside = st_address >=", "st_outside = st_address + 1'b1 >="),
        in_activation(
            1,
            "run-time error 2",
            "the RTL leaves 1 other words in memory m than the program, first at 3: 8, not 10",
            "the RTL raises RT_MEMORY_ADDRESS_OUT_OF_RANGE",
        ),
    ),
    Fault(
        "no done token",
        it.STORE,
        "free",
        Change(DONE, "done_valid_o = some_q", "done_valid_o = full_q"),
        in_activation(
            0,
            "output done: too few tokens; blocked: none",
            "channel extmemory_m carried 0 tokens, 1 expected",
        ),
    ),
    Fault(
        "a done token comes a cycle early",
        it.EXCHANGE,
        "free",
        Change(DONE, f"{OFFERED}{COUNTED}grant_i |", f"{EARLY}{COUNTED}(grant_i & ~leaves) |"),
        (
            *in_activation(0, "the RTL's results are -12, the program's 3"),
            *in_activation(1, "the RTL's results are 56, the program's 6"),
        ),
    ),
    Fault(
        "a RAM does not hold its data until the next read",
        it.LOAD,
        "stalled",
        Change(RAM, "else if (rd_en_i || start_i) begin : garbage", "else begin : garbage"),
        (
            "assertion failed: ports_inst.ld_answer0.ram_holds: 'assert' failed.",
            "assertion failed: ports_inst.law_2.ld_data0_stays: 'assert' failed.",
            "assertion failed: ports_inst.rd_answers_in_time.stays: 'assert' failed.",
            *in_activation(
                0,
                f"channel data_out: {CHANGED}",
                "the RTL's results are 11, the token model's 12",
            ),
        ),
    ),
    Fault(
        "the data of a shared port are not kept",
        it.WAITING,
        "stalled",
        Change(ANSWER, "data_data_o = empty ? word_i : first_q", "data_data_o = word_i"),
        (
            *(
                f"assertion failed: ports_inst.law_2.ld_data{k}_stays: 'assert' failed."
                for k in (0, 2, 1)
            ),
            *in_activation(
                0,
                *(f"channel ld_data{k}: {CHANGED}" for k in range(3)),
                "output ld_data0: token 0 is 0xe where 0xd is expected",
                "output ld_data1: token 1 is 0xb where 0xe is expected",
                "output ld_data2: token 0 is 0xb where 0xe is expected",
            ),
        ),
    ),
    Fault(
        "a done token for which there is no room",
        it.STORING,
        "stalled and shy",
        Change("rtl_templates/memory/parts/done.sv.j2", "room_o = ~full_q", "room_o = 1'b1"),
        (
            "assertion failed: ports_inst.st_done0.bound: 'assert' failed.",
            *in_activation(
                0,
                "output st_done0: 7 tokens where 8 are expected",
                "output st_done0: too few tokens; blocked: none",
                "channel st_done0 carried 7 tokens, 8 expected",
            ),
        ),
    ),
    Fault(
        "data for which there is no room",
        it.LOADING,
        "stalled",
        Change(HELD, "room_o = ~held_q | data_ready_i", "room_o = 1'b1"),
        (
            "assertion failed: ports_inst.ld_answer0.ram_holds: 'assert' failed.",
            "assertion failed: ports_inst.law_2.ld_data0_stays: 'assert' failed.",
            *in_activation(
                0,
                f"channel ld_data0: {CHANGED}",
                "output ld_data0: 21 tokens where 32 are expected",
                "output ld_data0: too few tokens; blocked: none",
                "channel ld_data0 carried 21 tokens, 32 expected",
            ),
        ),
    ),
    Fault(
        "data for which there is no room at a shared port",
        it.ONE_OF_TWO,
        "stalled",
        Change("rtl_templates/memory/parts/answer.sv.j2", " & ~(kept_q[0] & arrives_q)", ""),
        ("assertion failed: ports_inst.ld_answer0.bound: 'assert' failed.",),
    ),
    Fault(
        "the last requester starves",
        it.THREE_LOADS,
        "free",
        Change(
            "rtl_templates/memory/parts/arbiter.sv.j2",
            "behind_q <= some_wait ? after_waiting : after_any",
            "behind_q <= '0",
        ),
        in_activation(
            0,
            "channel ld_address0: tokens wait 0 cycles, 14 predicted",
            "channel ld_address1: tokens wait 8 cycles, 15 predicted",
        ),
    ),
    Fault(
        "an access past the last element",
        it.TWO_ERRORS,
        "free",
        Change(STORE, "& rst_ni & ~st_outside", "& rst_ni"),
        in_activation(0, "channel m: an access past the last word", "run-time error 1"),
    ),
    Fault(
        "the later of two errors stays",
        it.TWO_ERRORS,
        "free",
        Change(LATCH, "error_1_q ? 2'd1", "(error_1_q & ~error_2_q) ? 2'd1"),
        in_activation(0, "run-time error 2"),
    ),
    Fault(
        "an error is forgotten",
        it.TWO_ERRORS,
        "free",
        Change(LATCH, "{6'd0, code}", "{6'd0, code & ~code}"),
        (),
    ),
    Fault(
        "a token is doubled",
        it.KEPT_SUMS,
        "free",
        Change(
            BUFFER,
            "back_full_d = ~front_moves &",
            "back_full_d = (~front_moves | (in_valid_i & in_data_i == 24)) &",
        ),
        in_activation(
            0,
            "output total: 9 tokens where 8 are expected",
            "output total: too many tokens",
            "channel kept carried 9 tokens, 8 expected",
        ),
    ),
    Fault(
        "a token is doubled on a hidden channel",
        it.KEPT_SUMS,
        "shy",
        Change(
            "rtl/loom_fork_2.sv",
            "out1_valid_o = in_valid_i & ~sent_q[1]",
            "out1_valid_o = in_valid_i",
        ),
        in_activation(0, "channel to_drop carried 14 tokens, 8 expected"),
    ),
    Fault(
        "a token is lost",
        it.KEPT_SUMS,
        "free",
        Change(
            BUFFER, "back_full_q | in_valid_i;", "back_full_q | (in_valid_i & in_data_i != 24);"
        ),
        in_activation(
            0,
            "output total: 7 tokens where 8 are expected",
            "output total: too few tokens; blocked: none",
            "channel kept carried 7 tokens, 8 expected",
        ),
    ),
    Fault(
        "a token is changed",
        it.KEPT_SUMS,
        "free",
        Change(BUFFER, "out_data_o = front_q", "out_data_o = front_q & ~T_WIDTH'(8)"),
        in_activation(0, "output total: token 4 is 0x10 where 0x18 is expected"),
    ),
    Fault(
        "a token never leaves",
        it.KEPT_SUMS,
        "free",
        Change(
            BUFFER, "~front_full_q | out_ready_i;", "~front_full_q | (out_ready_i & front_q != 24);"
        ),
        in_activation(
            0,
            "output total: 2001 tokens where 8 are expected",
            "still moving after the last cycle allowed",
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
    Fault(
        "a token is withdrawn",
        it.MERGED,
        "stalled",
        Change(
            "rtl_templates/parts/arbiter.j2",
            "(held_q != '0) ? held_q : there & -there",
            "(held_q != '0) ? '0 : there & -there",
        ),
        (
            "assertion failed: either_inst.law_2.out_stays: 'assert' failed.",
            *in_activation(0, f"channel some_out: {WITHDRAWN}"),
        ),
    ),
    Fault(
        "valid waits for ready",
        it.KEPT_SUMS,
        "shy",
        Change(BUFFER, "out_valid_o = front_full_q;", "out_valid_o = front_full_q & out_ready_i;"),
        in_activation(
            0,
            "output total: 0 tokens where 8 are expected",
            "output total: too few tokens; blocked: left_in, right_in, sums, to_keep",
            "channel left_in carried 2 tokens, 8 expected",
            "channel right_in carried 2 tokens, 8 expected",
            "channel sums carried 2 tokens, 8 expected",
            "channel to_keep carried 2 tokens, 8 expected",
            "channel kept carried 0 tokens, 8 expected",
            "channel to_drop carried 3 tokens, 8 expected",
        ),
    ),
    Fault(
        "an operand leaves without the other",
        it.SUMS_ALONE,
        "stalled",
        Change(ADDI, "lhs_ready_o = offer & result_ready_i", "lhs_ready_o = result_ready_i"),
        in_activation(
            0,
            "output total: 7 tokens where 8 are expected",
            "output total: too few tokens; blocked: right_in, left_in",
            "channel right_in carried 7 tokens, 8 expected",
            "channel sum carried 7 tokens, 8 expected",
        ),
    ),
    Fault(
        "a choice is not held",
        it.MERGED,
        "stalled",
        Change(
            "rtl_templates/parts/arbiter.j2",
            "(held_q != '0) ? held_q : there & -there",
            "there & -there",
        ),
        (
            "assertion failed: either_inst.law_2.out_stays: 'assert' failed.",
            *in_activation(0, f"channel some_out: {CHANGED}"),
        ),
    ),
    Fault(
        "a token that lay at rest is gone",
        it.RUNNING_TOTAL,
        "free",
        Change(
            "rtl/loom_fork_2.sv",
            "out1_valid_o = in_valid_i",
            "out1_valid_o = in_valid_i & in_data_i != 6",
        ),
        in_activation(0, "channel before: the token that lies there at rest is gone"),
    ),
    Fault(
        "a buffer is full after reset",
        it.MEETING,
        "free",
        Change(
            "rtl_templates/primitives/buffer.sv.j2",
            "if (!rst_ni) full_q <= 1'b0;",
            "if (!rst_ni) full_q <= 1'b1;",
        ),
        in_activation(0, "channel held: a token is left"),
    ),
    Fault(
        "a buffer gives a token before the first activation",
        it.ONE_SLOT,
        "free",
        Change(
            "rtl_templates/primitives/buffer.sv.j2",
            "if (!rst_ni) full_q <= 1'b0;",
            "if (!rst_ni) full_q <= 1'b1;",
        ),
        in_activation(0, "channel held: a token moved before the activation began"),
    ),
    Fault(
        "a register is relied on at reset",
        it.MEETING,
        "free",
        Change(
            "rtl/loom_buffer_seq_1_ctrl.sv",
            "  always_ff @(posedge clk_i) begin : state\n    if (!rst_ni) full_q <= 1'b0;",
            "  logic [63:0] unset_q;  // all zeros with a chance of 1 to 2^64\n"
            "  always_ff @(posedge clk_i) begin : state\n    unset_q <= unset_q;\n"
            "    if (!rst_ni) full_q <= |unset_q;",
        ),
        in_activation(0, "channel held: a token is left"),
    ),
    Fault(
        "a load waits for the one before",
        it.LOAD_AFTER_LOAD,
        "free",
        Change(HELD, "room_o = ~held_q | data_ready_i", "room_o = ~held_q"),
        in_activation(
            0, "16 cycles, 9 predicted", "channel ld_address0: tokens wait 7 cycles, 0 predicted"
        ),
    ),
    Fault(
        "an error code that is none",
        it.ADD,
        "free",
        Change(LATCH, "{6'd0, code}", "{6'd1, ~code}"),
        (
            *in_activation(0, "run-time error 7"),
            *in_activation(1, "run-time error 7"),
            *in_activation(2, "run-time error 7"),
            *in_activation(0, "the RTL raises an error that no circuit has"),
            *in_activation(1, "the RTL raises an error that no circuit has"),
            *in_activation(2, "the RTL raises an error that no circuit has"),
        ),
    ),
    Fault(
        "a store after the done token",
        it.BLACK_BOX,
        "free",
        Change(
            "rtl/loom_join_3.sv",
            "out_valid_o = in0_valid_i & in1_valid_i & in2_valid_i",
            "out_valid_o = in0_valid_i",
        ),
        in_activation(0, "channel f: a store after the last output was taken"),
    ),
)
