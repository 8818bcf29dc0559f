// loom_muli: Product modulo 2^width.
// Operator arith.muli. Latency: LATENCY cycles, at least 2.
// Registers at the inputs and LATENCY - 1 behind the function, for DSP blocks to absorb. All move
// together, and stand while a result waits at the end.
module loom_muli #(
  parameter integer T_WIDTH = 32,
  parameter integer LATENCY = 2
) (
  input logic clk_i,
  input logic rst_ni,
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
  // valid_q[k]: stage k holds a token; the registers of each result hold the youngest one lowest.
  logic [LATENCY-1:0] valid_q;
  logic [T_WIDTH-1:0] lhs_q;
  logic [T_WIDTH-1:0] rhs_q;
  logic [(LATENCY-1)*T_WIDTH-1:0] result_q;
  logic [T_WIDTH-1:0] result;
  logic advance, enter;

  assign result = lhs_q * rhs_q;

  assign enter = lhs_valid_i & rhs_valid_i;
  assign lhs_ready_o = advance & enter;
  assign rhs_ready_o = advance & enter;
  assign result_data_o = result_q[(LATENCY-2)*T_WIDTH+:T_WIDTH];

  assign result_valid_o = valid_q[LATENCY-1];
  assign advance = ~valid_q[LATENCY-1] | result_ready_i;

  always_ff @(posedge clk_i) begin : valid
    if (!rst_ni) valid_q <= '0;
    else if (advance) valid_q <= {valid_q[LATENCY-2:0], enter};
  end

  always_ff @(posedge clk_i) begin : pipeline
    if (advance) begin : pipeline_step
      lhs_q <= lhs_data_i;
      rhs_q <= rhs_data_i;
      result_q <= ((LATENCY-1)*T_WIDTH)'({result_q, result});
    end
  end

`ifdef SIMULATION
  // Channel law 2: an offered token stays, unchanged, until it is taken.
  logic result_waits_q;
  logic [T_WIDTH-1:0] result_waiting_q;

  always @(posedge clk_i) begin : law_2
    result_waits_q <= rst_ni & result_valid_o & ~result_ready_i;
    result_waiting_q <= result_data_o;
    if (rst_ni && result_waits_q) begin : result_stays
      assert (result_valid_o);
      assert (result_data_o === result_waiting_q);
    end
  end
`endif
endmodule
