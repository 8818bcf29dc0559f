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
  // full_q[k]: more than k tokens wait.
  logic [SLOTS-1:0] full_q;
  logic push, pop;
  // first_q: the oldest one; later_q: the last words that came, the newest in later_q[0].
  logic [T_WIDTH-1:0] first_q, second;
  logic [SLOTS-2:0][T_WIDTH-1:0] later_q;

  assign in_ready_o = ~full_q[SLOTS-1];
  assign out_valid_o = full_q[0] | in_valid_i;
  assign out_data_o = full_q[0] ? first_q : in_data_i;
  assign push = in_valid_i & ~full_q[SLOTS-1] & (full_q[0] | ~out_ready_i);
  assign pop = full_q[0] & out_ready_i;

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) full_q <= '0;
    else if (push != pop) full_q <= pop ? {1'b0, full_q[SLOTS-1:1]} : {full_q[SLOTS-2:0], 1'b1};
  end

  // choice[k].word: what follows the oldest one of at most k + 1 tokens.
  for (genvar k = 0; k < SLOTS; k++) begin : choice
    logic [T_WIDTH-1:0] word;
    if (k == 0) begin : comes
      assign word = in_data_i;
    end else if (k == 1) begin : waits
      assign word = later_q[0];
    end else begin : one_more
      assign word = full_q[k] ? later_q[k-1] : choice[k-1].word;
    end
  end
  assign second = full_q[1] ? choice[SLOTS-1].word : choice[0].word;

  always_ff @(posedge clk_i) begin : words
    if (pop | ~full_q[0]) first_q <= second;
    if (in_valid_i & in_ready_o) begin : shift
      later_q[0] <= in_data_i;
      for (int k = 1; k < SLOTS - 1; k++) later_q[k] <= later_q[k-1];
    end
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
