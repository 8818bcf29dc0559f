// loom_memory_done: the done tokens of one memory port, one for each access, offered from the next
// cycle on. Holds at most two, so that no path leads from done_ready_i to room_o.
module loom_memory_done (
  input logic clk_i,
  input logic rst_ni,
  input logic grant_i,
  output logic room_o,
  output logic done_valid_o,
  input logic done_ready_i
);
  // held_q: done tokens that wait, 0 to 2; a grant comes only where there was room.
  logic [1:0] held_q, held_d;

  assign room_o = ~held_q[1];
  assign done_valid_o = held_q != 2'd0;
  assign held_d = held_q + {1'b0, grant_i} - {1'b0, done_valid_o & done_ready_i};

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) held_q <= 2'd0;
    else held_q <= held_d;
  end

`ifdef SIMULATION
  always @(posedge clk_i) begin : bound
    if (rst_ni) assert (held_q != 2'd3 && !(held_q[1] && grant_i));
  end
`endif
endmodule
