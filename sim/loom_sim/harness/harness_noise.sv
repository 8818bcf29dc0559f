// A stream of 64 pseudo-random bits a cycle (xorshift), different for every seed.
//
// There is one in a build: sources, sinks and memories make streams of their own of it, each by
// an odd factor, of which the upper bits count.
module harness_noise (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [31:0] seed_i,
  output logic [63:0] noise_o
);
  // State is never 0: it starts odd, and xorshift steps are one to one.
  logic [63:0] state_q;

  function automatic logic [63:0] step(input logic [63:0] value);
    logic [63:0] a, b;
    a = value ^ (value << 13);
    b = a ^ (a >> 7);
    return b ^ (b << 17);
  endfunction

  assign noise_o = state_q;

  always_ff @(posedge clk_i) begin : advance
    if (!rst_ni) state_q <= step({seed_i * 32'h9e3779b1, seed_i ^ 32'h5bd1e995} | 64'd1);
    else state_q <= step(state_q);
  end
endmodule
