// Offers `total_i` tokens an activation, by number; the job looks up their data.
//
// Before each token it may stall, with probability `stall_i` / 65536 a cycle. An offered token
// stays offered until it is taken (channel law 2).
module harness_source (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,    // a new activation: forget what is left, begin with token 0
  input  logic [31:0] total_i,
  input  logic [16:0] stall_i,
  input  logic [63:0] noise_i,
  output logic [31:0] index_o,    // number of the offered token
  output logic        valid_o,
  input  logic        ready_i,
  output logic        stalled_o   // tokens are left, but none is offered
);
  // sent_q tokens were taken in this activation; token number sent_q is on offer if offer_q.
  logic [31:0] sent_q, sent_d;
  logic        offer_q;
  // Of the activation that runs: total_i already counts the next one's before it starts.
  logic [31:0] total_q, total_d;
  logic        taken, pause;

  assign pause     = {1'b0, noise_i[63:48]} < stall_i;
  assign taken     = offer_q & ready_i;
  assign total_d   = start_i ? total_i : total_q;
  assign sent_d    = start_i ? 32'd0 : taken ? sent_q + 32'd1 : sent_q;
  assign index_o   = sent_q;
  assign valid_o   = offer_q;
  assign stalled_o = !offer_q && sent_q < total_q;

  always_ff @(posedge clk_i) begin : update
    if (!rst_ni) begin : clear
      sent_q  <= 32'd0;
      offer_q <= 1'b0;
      total_q <= 32'd0;
    end else begin : run
      sent_q  <= sent_d;
      total_q <= total_d;
      offer_q <= (offer_q && !taken && !start_i)
          || (sent_d < total_d && !pause);
    end
  end
endmodule
