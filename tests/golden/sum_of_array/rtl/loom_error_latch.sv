// loom_error_latch: the first run-time error stays until reset, as its number.
//   1  RT_DATAFLOW_STREAM_ZERO_STEP
//   2  RT_MEMORY_ADDRESS_OUT_OF_RANGE
// Of several in one cycle the lowest number stays; 0 is none.
module loom_error_latch (
  input logic clk_i,
  input logic rst_ni,
  input logic error_1_i,
  input logic error_2_i,
  output logic [7:0] error_code_o
);
  // error_n_q: error n came a cycle ago. kept_q: the number of the first one before that.
  logic error_1_q, error_2_q, kept;
  logic [1:0] kept_q, code;

  assign kept = kept_q != '0;
  assign code = kept ? kept_q : error_1_q ? 2'd1 : error_2_q ? 2'd2 : '0;
  assign error_code_o = {6'd0, code};

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) begin : state_reset
      error_1_q <= 1'b0;
      error_2_q <= 1'b0;
      kept_q <= '0;
    end else begin : state_next
      error_1_q <= error_1_i;
      error_2_q <= error_2_i;
      kept_q <= code;
    end
  end
endmodule
