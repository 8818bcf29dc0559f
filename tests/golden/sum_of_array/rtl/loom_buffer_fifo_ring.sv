// loom_buffer_fifo_ring: Holds up to `slots` tokens in order, the `initial` ones first; seq is
// registered both ways, fifo passes an empty buffer at once.
// Operator handshake.buffer. Latency: 0 cycles when empty.
// A ring of SLOTS >= 2 words, one token a cycle; cuts ready.
module loom_buffer_fifo_ring #(
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
  localparam integer COUNT_WIDTH = $clog2(SLOTS + 1);
  localparam integer PLACE_WIDTH = $clog2(SLOTS);
  localparam logic [PLACE_WIDTH-1:0] LastPlace = PLACE_WIDTH'(SLOTS - 1);

  // count_q: tokens held, the oldest in word_q[head_q], the next one goes to word_q[tail_q].
  logic [COUNT_WIDTH-1:0] count_q, count_d;
  logic [PLACE_WIDTH-1:0] head_q, tail_q;
  logic [T_WIDTH-1:0] word_q[0:SLOTS-1];
  logic empty, push, pop;

  assign empty = count_q == '0;
  assign in_ready_o = count_q != SLOTS[COUNT_WIDTH-1:0];
  assign out_valid_o = ~empty | in_valid_i;
  assign out_data_o = empty ? in_data_i : word_q[head_q];
  assign push = in_valid_i & in_ready_o & ~(empty & out_ready_i);
  assign pop = ~empty & out_ready_i;
  assign count_d = count_q + COUNT_WIDTH'(push) - COUNT_WIDTH'(pop);

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) begin : state_reset
      count_q <= '0;
      head_q <= '0;
      tail_q <= '0;
    end else begin : state_next
      count_q <= count_d;
      if (pop) head_q <= (head_q == LastPlace) ? '0 : head_q + 1'b1;
      if (push) tail_q <= (tail_q == LastPlace) ? '0 : tail_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin : words
    if (push) word_q[tail_q] <= in_data_i;
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
