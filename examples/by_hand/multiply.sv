// The lower 32 bits of a product of 32-bit integers; latency 3, a product a cycle.
//
// Three multipliers of at most 18 x 18 bits, with registers before and behind them.
module multiply (
  input logic clk_i,
  input logic [31:0] lhs_i,
  input logic [31:0] rhs_i,
  output logic [31:0] product_o
);
  logic [31:0] lhs_q, rhs_q, low_q, product_q;
  logic [13:0] left_q, right_q;

  assign product_o = product_q;

  always_ff @(posedge clk_i) begin : pipeline
    lhs_q <= lhs_i;
    rhs_q <= rhs_i;
    low_q <= 32'(lhs_q[17:0]) * 32'(rhs_q[17:0]);
    left_q <= lhs_q[31:18] * rhs_q[13:0];
    right_q <= lhs_q[13:0] * rhs_q[31:18];
    product_q <= {low_q[31:18] + left_q + right_q, low_q[17:0]};
  end
endmodule
