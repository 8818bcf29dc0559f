// loom_memory_done: the done tokens of one memory port, one for each access, offered from the next
// cycle on. Holds at most two, so that no path leads from done_ready_i to room_o. Where
// done_ready_i is always 1, synthesis finds that full_q is 0, and that nothing reads some_q.
module loom_memory_done (
  input logic clk_i,
  input logic rst_ni,
  input logic grant_i,
  output logic room_o,
  output logic done_valid_o,
  input logic done_ready_i
);
  // some_q: a done token waits; full_q: two do. A grant comes only where there was room.
  logic some_q, full_q;

  assign room_o = ~full_q;
  assign done_valid_o = some_q;

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) begin : state_reset
      some_q <= 1'b0;
      full_q <= 1'b0;
    end else begin : state_next
      some_q <= grant_i | full_q | (some_q & ~done_ready_i);
      full_q <= some_q & ~done_ready_i & (full_q | grant_i);
    end
  end

`ifdef SIMULATION
  always @(posedge clk_i) begin : bound
    if (rst_ni) assert (!(full_q && !some_q) && !(full_q && grant_i));
  end
`endif
endmodule
