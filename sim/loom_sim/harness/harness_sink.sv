// Takes every token that is offered, and counts them.
//
// It is not ready with probability `stall_i` / 65536 a cycle. A shy sink is ready only in a cycle
// after one in which it saw the token: it catches a valid that waits for ready (channel law 3).
module harness_sink (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,   // a new activation: count from 0
  input  logic [16:0] stall_i,
  input  logic        shy_i,
  input  logic [63:0] noise_i,
  input  logic        valid_i,
  output logic        ready_o,
  output logic [31:0] count_o,   // tokens taken in this activation
  output logic        stalled_o  // a token waits here
);
  logic        ready_q, pause;
  logic [31:0] count_q;

  assign pause     = {1'b0, noise_i[63:48]} < stall_i;
  assign ready_o   = ready_q;
  assign count_o   = count_q;
  assign stalled_o = valid_i & ~ready_q;

  always_ff @(posedge clk_i) begin : update
    if (!rst_ni) begin : clear
      ready_q <= 1'b0;
      count_q <= 32'd0;
    end else begin : run
      ready_q <= !pause && (!shy_i || (valid_i && !ready_q));
      if (start_i) count_q <= 32'd0;
      else if (valid_i & ready_q) count_q <= count_q + 32'd1;
    end
  end
endmodule
