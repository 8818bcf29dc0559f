// loom_replicate_ctrl: Emits a once for each true of d, rotated for the false too; a false takes
// the next a.
// Operator dataflow.replicate. Latency: 0 cycles.
// Without state: the value waits on its own channel until the false takes it.
module loom_replicate_ctrl (
  input logic d_data_i,
  input logic d_valid_i,
  output logic d_ready_o,
  input logic a_valid_i,
  output logic a_ready_o,
  output logic o_valid_o,
  input logic o_ready_i
);
  logic d_true, d_false;
  assign d_true = d_valid_i & d_data_i;
  assign d_false = d_valid_i & ~d_data_i;

  assign o_valid_o = a_valid_i & d_true;
  assign a_ready_o = d_false;
  assign d_ready_o = a_valid_i & (d_false | (d_true & o_ready_i));
endmodule
