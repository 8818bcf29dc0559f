// loom_memory_answer: the data tokens of one load port. The word comes the cycle after the
// grant and is offered at once; it is kept if nobody takes it. At most two words are on their way
// or kept, so that no path leads from data_ready_i to room_o.
module loom_memory_answer #(
  parameter integer T_WIDTH = 32
) (
  input logic clk_i,
  input logic rst_ni,
  input logic grant_i,
  output logic room_o,
  input logic [T_WIDTH-1:0] word_i,
  output logic [T_WIDTH-1:0] data_data_o,
  output logic data_valid_o,
  input logic data_ready_i
);
  // arrives_q: word_i is this port's. kept_q: words kept, 0 to 2, the older one in first_q.
  logic arrives_q;
  logic [1:0] kept_q, kept_d;
  logic [T_WIDTH-1:0] first_q, second_q;
  logic empty, taken;

  assign empty = kept_q == 2'd0;
  assign room_o = ~kept_q[1] & ~(kept_q[0] & arrives_q);
  assign data_valid_o = ~empty | arrives_q;
  assign data_data_o = empty ? word_i : first_q;
  assign taken = data_valid_o & data_ready_i;
  assign kept_d = kept_q + {1'b0, arrives_q} - {1'b0, taken};

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) begin : state_reset
      arrives_q <= 1'b0;
      kept_q <= 2'd0;
    end else begin : state_next
      arrives_q <= grant_i;
      kept_q <= kept_d;
    end
  end

  always_ff @(posedge clk_i) begin : words
    if (taken | empty) first_q <= kept_q[1] ? second_q : word_i;
    if (arrives_q) second_q <= word_i;
  end

`ifdef SIMULATION
  always @(posedge clk_i) begin : bound
    if (rst_ni) assert (kept_q != 2'd3 && !(kept_q[1] && arrives_q));
  end
`endif
endmodule
