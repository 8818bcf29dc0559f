// loom_stream_add_lt_signed: The indices of a loop with true, then one more index with false;
// rotated, of a loop that runs, each index with whether there is another. With lanes each index
// comes so often, and a burst takes so many tokens of each input.
// Operator dataflow.stream. Latency: 0 cycles.
// Stands for: for (index = start; index < bound; index += step), signed.
// A zero step raises the error.
module loom_stream_add_lt_signed #(
  parameter integer INDEX_WIDTH = 32
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [INDEX_WIDTH-1:0] start_data_i,
  input logic start_valid_i,
  output logic start_ready_o,
  input logic [INDEX_WIDTH-1:0] step_data_i,
  input logic step_valid_i,
  output logic step_ready_o,
  input logic [INDEX_WIDTH-1:0] bound_data_i,
  input logic bound_valid_i,
  output logic bound_ready_o,
  output logic [INDEX_WIDTH-1:0] index_data_o,
  output logic index_valid_o,
  input logic index_ready_i,
  output logic cont_data_o,
  output logic cont_valid_o,
  input logic cont_ready_i,
  output logic error_o
);
  // block_q: a burst is under way, the registers hold its next index, its step and its bound.
  // index_sent_q, cont_sent_q: that output has its half of the token that waits.
  logic block_q, block_d;
  logic index_sent_q, index_sent_d, cont_sent_q, cont_sent_d;
  logic [INDEX_WIDTH-1:0] index_q, step_q, bound_q;
  logic [INDEX_WIDTH-1:0] current, step, bound, following;
  logic offer, taken, proceeds;

  assign current = block_q ? index_q : start_data_i;
  assign step = block_q ? step_q : step_data_i;
  assign bound = block_q ? bound_q : bound_data_i;
  // Signed numbers whose sign bits change places compare as unsigned ones: the result is the end
  // of one carry chain.
  typedef logic [INDEX_WIDTH-1:0] index_t;
  localparam index_t Sign = index_t'(1) << (INDEX_WIDTH - 1);
  index_t left, right;
  assign left = (current & ~Sign) | (bound & Sign);
  assign right = (bound & ~Sign) | (current & Sign);
  assign proceeds = left < right;
  assign following = current + step;

  assign offer = block_q | (start_valid_i & step_valid_i & bound_valid_i);
  assign index_valid_o = offer & ~index_sent_q;
  assign cont_valid_o = offer & ~cont_sent_q;
  assign index_data_o = current;
  assign cont_data_o = proceeds;
  assign taken = offer & (index_sent_q | index_ready_i) & (cont_sent_q | cont_ready_i);

  assign start_ready_o = taken & ~block_q;
  assign step_ready_o = taken & ~block_q;
  assign bound_ready_o = taken & ~block_q;
  assign error_o = taken & ~block_q & (step_data_i == '0);

  assign block_d = taken ? proceeds : block_q;
  assign index_sent_d = ~taken & (index_sent_q | (index_valid_o & index_ready_i));
  assign cont_sent_d = ~taken & (cont_sent_q | (cont_valid_o & cont_ready_i));

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) begin : state_reset
      block_q <= 1'b0;
      index_sent_q <= 1'b0;
      cont_sent_q <= 1'b0;
    end else begin : state_next
      block_q <= block_d;
      index_sent_q <= index_sent_d;
      cont_sent_q <= cont_sent_d;
    end
  end

  always_ff @(posedge clk_i) begin : burst
    if (taken) begin : burst_next
      index_q <= following;
      step_q <= step;
      bound_q <= bound;
    end
  end

`ifdef SIMULATION
  // Channel law 2: an offered token stays, unchanged, until it is taken.
  logic index_waits_q;
  logic [INDEX_WIDTH-1:0] index_waiting_q;
  logic cont_waits_q;
  logic cont_waiting_q;

  always @(posedge clk_i) begin : law_2
    index_waits_q <= rst_ni & index_valid_o & ~index_ready_i;
    index_waiting_q <= index_data_o;
    if (rst_ni && index_waits_q) begin : index_stays
      assert (index_valid_o);
      assert (index_data_o === index_waiting_q);
    end
    cont_waits_q <= rst_ni & cont_valid_o & ~cont_ready_i;
    cont_waiting_q <= cont_data_o;
    if (rst_ni && cont_waits_q) begin : cont_stays
      assert (cont_valid_o);
      assert (cont_data_o === cont_waiting_q);
    end
  end
`endif
endmodule
