// Takes every token that is offered, and counts them.
//
// It is not ready with probability `stall_i` / 65536 a cycle. A shy sink is ready only in a cycle
// after one in which it saw the token: it catches a valid that waits for ready (channel law 3).
// It takes no more than `limit_i` tokens in an activation.
module harness_sink (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,   // a new activation: count from 0
  input  logic [16:0] stall_i,
  input  logic        shy_i,
  input  logic [31:0] limit_i,
  input  logic [63:0] noise_i,
  input  logic        valid_i,
  output logic        ready_o,
  output logic [31:0] count_o,   // tokens taken in this activation
  output logic        stalled_o  // a token waits here
);
  logic        ready_q, pause, room;
  logic [31:0] count_q, count_d;

  assign pause     = {1'b0, noise_i[63:48]} < stall_i;
  assign ready_o   = ready_q;
  assign count_o   = count_q;
  assign count_d   = start_i ? 32'd0 : count_q + 32'(valid_i & ready_q);
  assign room      = count_d < limit_i;
  assign stalled_o = valid_i & ~ready_q & (count_q < limit_i);

  always_ff @(posedge clk_i) begin : update
    if (!rst_ni) begin : clear
      ready_q <= 1'b0;
      count_q <= 32'd0;
    end else begin : run
      ready_q <= room && !pause && (!shy_i || (valid_i && !ready_q));
      count_q <= count_d;
    end
  end
endmodule
