// loom_buffer_seq_2: Holds up to `slots` tokens in order, the `initial` ones first; seq is
// registered both ways, fifo passes an empty buffer at once, stage is registers in line that pass
// ready.
// Operator handshake.buffer. Latency: 1 cycle.
// Two slots, one token a cycle; cuts data, valid and ready.
module loom_buffer_seq_2 #(
  parameter integer T_WIDTH = 32
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
  // front_full_q: a token waits for the output; back_full_q: one more behind it.
  logic front_full_q, front_full_d, back_full_q, back_full_d;
  logic front_moves;
  logic [T_WIDTH-1:0] front_q, back_q;

  assign in_ready_o = ~back_full_q;
  assign out_valid_o = front_full_q;
  assign out_data_o = front_q;
  assign front_moves = ~front_full_q | out_ready_i;
  assign front_full_d = ~front_moves | back_full_q | in_valid_i;
  assign back_full_d = ~front_moves & (back_full_q | in_valid_i);

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) begin : state_reset
      front_full_q <= 1'b0;
      back_full_q <= 1'b0;
    end else begin : state_next
      front_full_q <= front_full_d;
      back_full_q <= back_full_d;
    end
  end

  always_ff @(posedge clk_i) begin : words
    if (front_moves) front_q <= back_full_q ? back_q : in_data_i;
    if (in_ready_o) back_q <= in_data_i;
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
