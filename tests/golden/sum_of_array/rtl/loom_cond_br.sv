// loom_cond_br: Sends each datum to the side its condition names.
// Operator handshake.cond_br. Latency: 0 cycles.
module loom_cond_br #(
  parameter integer T_WIDTH = 32
) (
  input logic condition_data_i,
  input logic condition_valid_i,
  output logic condition_ready_o,
  input logic [T_WIDTH-1:0] data_data_i,
  input logic data_valid_i,
  output logic data_ready_o,
  output logic [T_WIDTH-1:0] true_result_data_o,
  output logic true_result_valid_o,
  input logic true_result_ready_i,
  output logic [T_WIDTH-1:0] false_result_data_o,
  output logic false_result_valid_o,
  input logic false_result_ready_i
);
  logic offer, taken;
  assign offer = condition_valid_i & data_valid_i;
  assign taken = condition_data_i ? true_result_ready_i : false_result_ready_i;

  assign true_result_valid_o = offer & condition_data_i;
  assign false_result_valid_o = offer & ~condition_data_i;
  assign true_result_data_o = data_data_i;
  assign false_result_data_o = data_data_i;
  assign condition_ready_o = offer & taken;
  assign data_ready_o = offer & taken;
endmodule
