// loom_fork_4_ctrl: Puts each token on every output; each output takes it when it likes.
// Operator handshake.fork. Latency: 0 cycles.
// Eager: an output that has its token does not wait for the others.
module loom_fork_4_ctrl (
  input logic clk_i,
  input logic rst_ni,
  input logic in_valid_i,
  output logic in_ready_o,
  output logic out0_valid_o,
  input logic out0_ready_i,
  output logic out1_valid_o,
  input logic out1_ready_i,
  output logic out2_valid_o,
  input logic out2_ready_i,
  output logic out3_valid_o,
  input logic out3_ready_i
);
  // sent_q[k]: output k has taken its token, the others have not all.
  logic [3:0] sent_q, sent_d, ready;
  logic all_taken;

  assign out0_valid_o = in_valid_i & ~sent_q[0];
  assign out1_valid_o = in_valid_i & ~sent_q[1];
  assign out2_valid_o = in_valid_i & ~sent_q[2];
  assign out3_valid_o = in_valid_i & ~sent_q[3];
  assign ready = {out3_ready_i, out2_ready_i, out1_ready_i, out0_ready_i};
  assign sent_d = sent_q | ready;
  assign all_taken = &sent_d;

  always_ff @(posedge clk_i) begin : sent
    if (!rst_ni || all_taken) sent_q <= '0;
    else sent_q <= sent_d & {4{in_valid_i}};
  end

  assign in_ready_o = all_taken;

`ifdef SIMULATION
  // Channel law 2: an offered token stays, unchanged, until it is taken.
  logic out0_waits_q;
  logic out1_waits_q;
  logic out2_waits_q;
  logic out3_waits_q;

  always @(posedge clk_i) begin : law_2
    out0_waits_q <= rst_ni & out0_valid_o & ~out0_ready_i;
    if (rst_ni && out0_waits_q) begin : out0_stays
      assert (out0_valid_o);
    end
    out1_waits_q <= rst_ni & out1_valid_o & ~out1_ready_i;
    if (rst_ni && out1_waits_q) begin : out1_stays
      assert (out1_valid_o);
    end
    out2_waits_q <= rst_ni & out2_valid_o & ~out2_ready_i;
    if (rst_ni && out2_waits_q) begin : out2_stays
      assert (out2_valid_o);
    end
    out3_waits_q <= rst_ni & out3_valid_o & ~out3_ready_i;
    if (rst_ni && out3_waits_q) begin : out3_stays
      assert (out3_valid_o);
    end
  end
`endif
endmodule
