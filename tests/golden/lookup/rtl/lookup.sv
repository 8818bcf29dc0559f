// lookup: 3 units, 6 channels.
module lookup (
  input logic clk_i,
  input logic rst_ni,
  input logic [31:0] place_data_i,
  input logic place_valid_i,
  output logic place_ready_o,
  input logic [23:0] factor_data_i,
  input logic factor_valid_i,
  output logic factor_ready_o,
  output logic [23:0] scaled_data_o,
  output logic scaled_valid_o,
  input logic scaled_ready_i,
  output logic done_valid_o,
  input logic done_ready_i,
  output logic [7:0] error_code_o
);
  logic [31:0] c0_data;
  logic c0_valid, c0_ready;
  logic [23:0] c1_data;
  logic c1_valid, c1_ready;
  logic [23:0] c2_data;
  logic c2_valid, c2_ready;
  logic [23:0] c3_data;
  logic c3_valid, c3_ready;
  logic [23:0] c4_data;
  logic c4_valid, c4_ready;
  logic c5_valid, c5_ready;
  logic table_ports_error;
  logic error_1;
  logic error_2;

  assign c0_data = place_data_i;
  assign c0_valid = place_valid_i;
  assign place_ready_o = c0_ready;
  assign c1_data = factor_data_i;
  assign c1_valid = factor_valid_i;
  assign factor_ready_o = c1_ready;
  assign scaled_data_o = c4_data;
  assign scaled_valid_o = c4_valid;
  assign c4_ready = scaled_ready_i;
  assign done_valid_o = c5_valid;
  assign c5_ready = done_ready_i;
  assign error_1 = 1'b0;
  assign error_2 = table_ports_error;

  loom_memory_0_stores_1_loads_lookup_table #(
    .A_WIDTH(32),
    .T_WIDTH(24),
    .DEPTH(5),
    .ADDRESS_WIDTH(3)
  ) table_ports_inst (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .ld_address0_data_i(c0_data),
    .ld_address0_valid_i(c0_valid),
    .ld_address0_ready_o(c0_ready),
    .ld_data0_data_o(c2_data),
    .ld_data0_valid_o(c2_valid),
    .ld_data0_ready_i(c2_ready),
    .ld_done0_valid_o(c5_valid),
    .ld_done0_ready_i(c5_ready),
    .error_o(table_ports_error)
  );

  loom_buffer_fifo_1 #(
    .T_WIDTH(24)
  ) wait_inst (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_data_i(c1_data),
    .in_valid_i(c1_valid),
    .in_ready_o(c1_ready),
    .out_data_o(c3_data),
    .out_valid_o(c3_valid),
    .out_ready_i(c3_ready)
  );

  loom_muli #(
    .T_WIDTH(24),
    .LATENCY(4)
  ) scale_inst (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .lhs_data_i(c2_data),
    .lhs_valid_i(c2_valid),
    .lhs_ready_o(c2_ready),
    .rhs_data_i(c3_data),
    .rhs_valid_i(c3_valid),
    .rhs_ready_o(c3_ready),
    .result_data_o(c4_data),
    .result_valid_o(c4_valid),
    .result_ready_i(c4_ready)
  );

  loom_error_latch error_latch (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .error_1_i(error_1),
    .error_2_i(error_2),
    .error_code_o(error_code_o)
  );

`ifdef SIMULATION
  // What the neighbours keep: valid and ready are known, and an offered token stays, unchanged,
  // until it is taken (channel law 2).
  logic place_waits_q;
  logic [31:0] place_waiting_q;
  logic factor_waits_q;
  logic [23:0] factor_waiting_q;

  always @(posedge clk_i) begin : neighbours
    place_waits_q <= rst_ni & place_valid_i & ~place_ready_o;
    place_waiting_q <= place_data_i;
    if (rst_ni && place_waits_q) begin : place_stays
      assert (place_valid_i);
      if (place_valid_i) begin : unchanged
        assert (place_data_i === place_waiting_q);
      end
    end
    factor_waits_q <= rst_ni & factor_valid_i & ~factor_ready_o;
    factor_waiting_q <= factor_data_i;
    if (rst_ni && factor_waits_q) begin : factor_stays
      assert (factor_valid_i);
      if (factor_valid_i) begin : unchanged
        assert (factor_data_i === factor_waiting_q);
      end
    end
    if (rst_ni) begin : place_valid_is_known
      assert (place_valid_i !== 1'bx);
    end
    if (rst_ni) begin : factor_valid_is_known
      assert (factor_valid_i !== 1'bx);
    end
    if (rst_ni) begin : scaled_ready_is_known
      assert (scaled_ready_i !== 1'bx);
    end
    if (rst_ni) begin : done_ready_is_known
      assert (done_ready_i !== 1'bx);
    end
  end
`endif
endmodule
