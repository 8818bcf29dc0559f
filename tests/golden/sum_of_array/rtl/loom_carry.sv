// loom_carry: Emits a, then a b for each true of d; a false starts the next burst. With lanes so
// many a begin a burst and so many falses end it: a b comes back so many tokens later.
// Operator dataflow.carry. Latency: 0 cycles.
// The false that ends a burst is taken at once, and the next a leaves in that same cycle.
module loom_carry #(
  parameter integer T_WIDTH = 32
) (
  input logic clk_i,
  input logic rst_ni,
  input logic d_data_i,
  input logic d_valid_i,
  output logic d_ready_o,
  input logic [T_WIDTH-1:0] a_data_i,
  input logic a_valid_i,
  output logic a_ready_o,
  input logic [T_WIDTH-1:0] b_data_i,
  input logic b_valid_i,
  output logic b_ready_o,
  output logic [T_WIDTH-1:0] o_data_o,
  output logic o_valid_o,
  input logic o_ready_i
);
  // block_q: the initial value of the burst has left, d decides about the next token.
  logic block_q, block_d;
  logic d_true, d_false, initial_stage, a_leaves;

  assign d_true = d_valid_i & d_data_i;
  assign d_false = d_valid_i & ~d_data_i;
  assign initial_stage = ~block_q | d_false;
  assign a_leaves = initial_stage & a_valid_i & o_ready_i;

  assign o_valid_o = initial_stage ? a_valid_i : d_true & b_valid_i;
  // Where d is not there, nothing leaves and no datum counts.
  assign o_data_o = block_q & d_data_i ? b_data_i : a_data_i;
  assign a_ready_o = initial_stage & o_ready_i;
  assign b_ready_o = block_q & d_true & o_ready_i;
  assign d_ready_o = block_q & (d_false | (d_true & b_valid_i & o_ready_i));
  assign block_d = a_leaves | (block_q & ~d_false);

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) block_q <= 1'b0;
    else block_q <= block_d;
  end

`ifdef SIMULATION
  // Channel law 2: an offered token stays, unchanged, until it is taken.
  logic o_waits_q;
  logic [T_WIDTH-1:0] o_waiting_q;

  always @(posedge clk_i) begin : law_2
    o_waits_q <= rst_ni & o_valid_o & ~o_ready_i;
    o_waiting_q <= o_data_o;
    if (rst_ni && o_waits_q) begin : o_stays
      assert (o_valid_o);
      assert (o_data_o === o_waiting_q);
    end
  end
`endif
endmodule
