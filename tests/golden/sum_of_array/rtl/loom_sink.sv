// loom_sink: Takes every token.
// Operator handshake.sink. Latency: 0 cycles.
module loom_sink #(
  parameter integer T_WIDTH = 32
) (
  input logic [T_WIDTH-1:0] in_data_i,
  input logic in_valid_i,
  output logic in_ready_o
);
  assign in_ready_o = 1'b1;

  (* maybe_unused *) logic unused_token;
  assign unused_token = &{1'b0, in_valid_i, in_data_i};
endmodule
