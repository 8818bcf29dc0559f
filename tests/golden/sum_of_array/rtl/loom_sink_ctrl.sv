// loom_sink_ctrl: Takes every token.
// Operator handshake.sink. Latency: 0 cycles.
module loom_sink_ctrl (
  input logic in_valid_i,
  output logic in_ready_o
);
  assign in_ready_o = 1'b1;

  (* maybe_unused *) logic unused_token;
  assign unused_token = &{1'b0, in_valid_i};
endmodule
