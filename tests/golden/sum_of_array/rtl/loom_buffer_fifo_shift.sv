// loom_buffer_fifo_shift: Holds up to `slots` tokens in order, the `initial` ones first; seq is
// registered both ways, fifo passes an empty buffer at once, stage is registers in line that pass
// ready.
// Operator handshake.buffer. Latency: 0 cycles when empty.
// A shift register of SLOTS >= 2 slots, one token a cycle; cuts ready.
module loom_buffer_fifo_shift #(
  parameter integer T_WIDTH = 32,
  parameter integer SLOTS = 4
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [T_WIDTH-1:0] in_data_i,
  input logic in_valid_i,
  output logic in_ready_o,
  output logic [T_WIDTH-1:0] out_data_o,
  output logic out_valid_o,
  input logic out_ready_i
);
  // full_q[k]: slot k has a token; those before it have one too, and slot 0 leaves next.
  logic [SLOTS-1:0] full_q;
  logic [SLOTS-1:0][T_WIDTH-1:0] word_q;
  logic push, pop;

  assign in_ready_o = ~full_q[SLOTS-1];
  assign out_valid_o = full_q[0] | in_valid_i;
  assign out_data_o = full_q[0] ? word_q[0] : in_data_i;
  assign push = in_valid_i & ~full_q[SLOTS-1] & (full_q[0] | ~out_ready_i);
  assign pop = full_q[0] & out_ready_i;

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) full_q <= '0;
    else if (push != pop) full_q <= push ? {full_q[SLOTS-2:0], 1'b1} : {1'b0, full_q[SLOTS-1:1]};
  end

  // A slot takes what is behind it, the last token what comes in.
  always_ff @(posedge clk_i) begin : words
    for (int k = 0; k < SLOTS - 1; k++) begin : slots
      if (pop | ~full_q[k]) word_q[k] <= full_q[k+1] ? word_q[k+1] : in_data_i;
    end
    if (pop | ~full_q[SLOTS-1]) word_q[SLOTS-1] <= in_data_i;
  end

`ifdef SIMULATION
  // Channel law 2: an offered token stays, unchanged, until it is taken.
  logic out_waits_q;
  logic [T_WIDTH-1:0] out_waiting_q;

  always @(posedge clk_i) begin : law_2
    out_waits_q <= rst_ni & out_valid_o & ~out_ready_i;
    out_waiting_q <= out_data_o;
    if (rst_ni && out_waits_q) begin : out_stays
      assert (out_valid_o);
      assert (out_data_o === out_waiting_q);
    end
  end
`endif
endmodule
