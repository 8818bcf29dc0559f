// loom_constant: Its value, once for each control token.
// Operator handshake.constant. Latency: 0 cycles.
module loom_constant #(
  parameter integer T_WIDTH = 32,
  parameter logic [T_WIDTH-1:0] VALUE = '0
) (
  input logic ctrl_valid_i,
  output logic ctrl_ready_o,
  output logic [T_WIDTH-1:0] result_data_o,
  output logic result_valid_o,
  input logic result_ready_i
);
  assign result_data_o = VALUE;
  assign result_valid_o = ctrl_valid_i;
  assign ctrl_ready_o = result_ready_i;
endmodule
