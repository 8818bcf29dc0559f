// loom_load: Sends its address once the control token is there; passes the memory's data on.
// Operator handshake.load. Latency: 0 cycles each way.
module loom_load #(
  parameter integer A_WIDTH = 32,
  parameter integer T_WIDTH = 32
) (
  input logic [A_WIDTH-1:0] address_data_i,
  input logic address_valid_i,
  output logic address_ready_o,
  input logic [T_WIDTH-1:0] data_in_data_i,
  input logic data_in_valid_i,
  output logic data_in_ready_o,
  input logic ctrl_valid_i,
  output logic ctrl_ready_o,
  output logic [T_WIDTH-1:0] data_data_o,
  output logic data_valid_o,
  input logic data_ready_i,
  output logic [A_WIDTH-1:0] address_out_data_o,
  output logic address_out_valid_o,
  input logic address_out_ready_i
);
  assign address_out_valid_o = address_valid_i & ctrl_valid_i;
  assign address_out_data_o = address_data_i;
  assign address_ready_o = address_out_valid_o & address_out_ready_i;
  assign ctrl_ready_o = address_out_valid_o & address_out_ready_i;

  assign data_valid_o = data_in_valid_i;
  assign data_data_o = data_in_data_i;
  assign data_in_ready_o = data_ready_i;
endmodule
