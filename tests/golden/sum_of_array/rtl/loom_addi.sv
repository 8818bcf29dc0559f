// loom_addi: Sum modulo 2^width.
// Operator arith.addi. Latency: 0 cycles.
// Joins its inputs, computes in the same cycle.
module loom_addi #(
  parameter integer T_WIDTH = 32
) (
  input logic [T_WIDTH-1:0] lhs_data_i,
  input logic lhs_valid_i,
  output logic lhs_ready_o,
  input logic [T_WIDTH-1:0] rhs_data_i,
  input logic rhs_valid_i,
  output logic rhs_ready_o,
  output logic [T_WIDTH-1:0] result_data_o,
  output logic result_valid_o,
  input logic result_ready_i
);
  logic offer;
  assign offer = lhs_valid_i & rhs_valid_i;

  assign result_data_o = lhs_data_i + rhs_data_i;

  assign result_valid_o = offer;
  assign lhs_ready_o = offer & result_ready_i;
  assign rhs_ready_o = offer & result_ready_i;
endmodule
