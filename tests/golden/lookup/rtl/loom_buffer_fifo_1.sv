// loom_buffer_fifo_1: Holds up to `slots` tokens in order, the `initial` ones first; seq is
// registered both ways, fifo passes an empty buffer at once, stage is registers in line that pass
// ready.
// Operator handshake.buffer. Latency: 0 cycles when empty.
// One slot, one token a cycle; cuts ready.
module loom_buffer_fifo_1 #(
  parameter integer T_WIDTH = 32
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [T_WIDTH-1:0] in_data_i,
  input logic in_valid_i,
  output logic in_ready_o,
  output logic [T_WIDTH-1:0] out_data_o,
  output logic out_valid_o,
  input logic out_ready_i
);
  // full_q: a token, data_q, waits for the output.
  logic full_q, full_d;
  logic [T_WIDTH-1:0] data_q;

  assign in_ready_o = ~full_q;
  assign out_valid_o = full_q | in_valid_i;
  assign out_data_o = full_q ? data_q : in_data_i;
  assign full_d = out_valid_o & ~out_ready_i;

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) full_q <= 1'b0;
    else full_q <= full_d;
  end

  always_ff @(posedge clk_i) begin : word
    if (in_valid_i & in_ready_o) data_q <= in_data_i;
  end

`ifdef SIMULATION
  // Channel law 2: an offered token stays, unchanged, until it is taken.
  logic out_waits_q;
  logic [T_WIDTH-1:0] out_waiting_q;

  always @(posedge clk_i) begin : law_2
    out_waits_q <= rst_ni & out_valid_o & ~out_ready_i;
    out_waiting_q <= out_data_o;
    if (rst_ni && out_waits_q) begin : out_stays
      assert (out_valid_o);
      assert (out_data_o === out_waiting_q);
    end
  end
`endif
endmodule
