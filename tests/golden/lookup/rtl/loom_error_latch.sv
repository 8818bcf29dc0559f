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
  // code_q: the number of the first error since reset.
  logic [7:0] code_q, code_d;
  assign code_d = (code_q != 8'd0) ? code_q : error_1_i ? 8'd1 : error_2_i ? 8'd2 : 8'd0;
  assign error_code_o = code_q;

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) code_q <= 8'd0;
    else code_q <= code_d;
  end
endmodule
