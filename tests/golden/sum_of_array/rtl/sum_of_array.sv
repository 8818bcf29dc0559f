// sum_of_array: 18 units, 29 channels.
module sum_of_array (
  input logic clk_i,
  input logic rst_ni,
  input logic start_valid_i,
  output logic start_ready_o,
  input logic [31:0] n_data_i,
  input logic n_valid_i,
  output logic n_ready_o,
  output logic [31:0] total_data_o,
  output logic total_valid_o,
  input logic total_ready_i,
  output logic a_rd_en_o,
  output logic [4:0] a_rd_addr_o,
  input logic [31:0] a_rd_data_i,
  output logic [7:0] error_code_o
);
  logic c0_valid, c0_ready;
  logic c1_valid, c1_ready;
  logic c2_valid, c2_ready;
  logic c3_valid, c3_ready;
  logic c4_valid, c4_ready;
  logic [31:0] c5_data;
  logic c5_valid, c5_ready;
  logic [31:0] c6_data;
  logic c6_valid, c6_ready;
  logic [31:0] c7_data;
  logic c7_valid, c7_ready;
  logic c8_data;
  logic c8_valid, c8_ready;
  logic c9_data;
  logic c9_valid, c9_ready;
  logic c10_data;
  logic c10_valid, c10_ready;
  logic c11_data;
  logic c11_valid, c11_ready;
  logic c12_data;
  logic c12_valid, c12_ready;
  logic c13_data;
  logic c13_valid, c13_ready;
  logic c14_data;
  logic c14_valid, c14_ready;
  logic [31:0] c15_data;
  logic c15_valid, c15_ready;
  logic [31:0] c16_data;
  logic c16_valid, c16_ready;
  logic [31:0] c17_data;
  logic c17_valid, c17_ready;
  logic c18_valid, c18_ready;
  logic [31:0] c19_data;
  logic c19_valid, c19_ready;
  logic [31:0] c20_data;
  logic c20_valid, c20_ready;
  logic c21_valid, c21_ready;
  logic [31:0] c22_data;
  logic c22_valid, c22_ready;
  logic [31:0] c23_data;
  logic c23_valid, c23_ready;
  logic [31:0] c24_data;
  logic c24_valid, c24_ready;
  logic [31:0] c25_data;
  logic c25_valid, c25_ready;
  logic [31:0] c26_data;
  logic c26_valid, c26_ready;
  logic [31:0] c27_data;
  logic c27_valid, c27_ready;
  logic [31:0] c28_data;
  logic c28_valid, c28_ready;
  logic loop_error;
  logic a_ports_error;
  logic error_1;
  logic error_2;

  assign c0_valid = start_valid_i;
  assign start_ready_o = c0_ready;
  assign c7_data = n_data_i;
  assign c7_valid = n_valid_i;
  assign n_ready_o = c7_ready;
  assign total_data_o = c24_data;
  assign total_valid_o = c24_valid;
  assign c24_ready = total_ready_i;
  assign error_1 = loop_error;
  assign error_2 = a_ports_error;

  loom_constant #(
    .T_WIDTH(32),
    .VALUE(32'd0)
  ) zero_inst (
    .ctrl_valid_i(c1_valid),
    .ctrl_ready_o(c1_ready),
    .result_data_o(c5_data),
    .result_valid_o(c5_valid),
    .result_ready_i(c5_ready)
  );

  loom_constant #(
    .T_WIDTH(32),
    .VALUE(32'd1)
  ) one_inst (
    .ctrl_valid_i(c2_valid),
    .ctrl_ready_o(c2_ready),
    .result_data_o(c6_data),
    .result_valid_o(c6_valid),
    .result_ready_i(c6_ready)
  );

  loom_constant #(
    .T_WIDTH(32),
    .VALUE(32'd0)
  ) nothing_inst (
    .ctrl_valid_i(c3_valid),
    .ctrl_ready_o(c3_ready),
    .result_data_o(c22_data),
    .result_valid_o(c22_valid),
    .result_ready_i(c22_ready)
  );

  loom_fork_4_ctrl fork_start_inst (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_valid_i(c0_valid),
    .in_ready_o(c0_ready),
    .out0_valid_o(c1_valid),
    .out0_ready_i(c1_ready),
    .out1_valid_o(c2_valid),
    .out1_ready_i(c2_ready),
    .out2_valid_o(c3_valid),
    .out2_ready_i(c3_ready),
    .out3_valid_o(c4_valid),
    .out3_ready_i(c4_ready)
  );

  loom_stream_add_lt_signed #(
    .INDEX_WIDTH(32)
  ) loop_inst (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_data_i(c5_data),
    .start_valid_i(c5_valid),
    .start_ready_o(c5_ready),
    .step_data_i(c6_data),
    .step_valid_i(c6_valid),
    .step_ready_o(c6_ready),
    .bound_data_i(c7_data),
    .bound_valid_i(c7_valid),
    .bound_ready_o(c7_ready),
    .index_data_o(c15_data),
    .index_valid_o(c15_valid),
    .index_ready_i(c15_ready),
    .cont_data_o(c8_data),
    .cont_valid_o(c8_valid),
    .cont_ready_i(c8_ready),
    .error_o(loop_error)
  );

  loom_replicate_ctrl access_inst (
    .d_data_i(c9_data),
    .d_valid_i(c9_valid),
    .d_ready_o(c9_ready),
    .a_valid_i(c4_valid),
    .a_ready_o(c4_ready),
    .o_valid_o(c18_valid),
    .o_ready_i(c18_ready)
  );

  loom_carry #(
    .T_WIDTH(32)
  ) sum_inst (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .d_data_i(c13_data),
    .d_valid_i(c13_valid),
    .d_ready_o(c13_ready),
    .a_data_i(c22_data),
    .a_valid_i(c22_valid),
    .a_ready_o(c22_ready),
    .b_data_i(c28_data),
    .b_valid_i(c28_valid),
    .b_ready_o(c28_ready),
    .o_data_o(c23_data),
    .o_valid_o(c23_valid),
    .o_ready_i(c23_ready)
  );

  loom_cond_br #(
    .T_WIDTH(32)
  ) place_inst (
    .condition_data_i(c11_data),
    .condition_valid_i(c11_valid),
    .condition_ready_o(c11_ready),
    .data_data_i(c15_data),
    .data_valid_i(c15_valid),
    .data_ready_o(c15_ready),
    .true_result_data_o(c17_data),
    .true_result_valid_o(c17_valid),
    .true_result_ready_i(c17_ready),
    .false_result_data_o(c16_data),
    .false_result_valid_o(c16_valid),
    .false_result_ready_i(c16_ready)
  );

  loom_cond_br #(
    .T_WIDTH(32)
  ) leave_inst (
    .condition_data_i(c14_data),
    .condition_valid_i(c14_valid),
    .condition_ready_o(c14_ready),
    .data_data_i(c23_data),
    .data_valid_i(c23_valid),
    .data_ready_o(c23_ready),
    .true_result_data_o(c25_data),
    .true_result_valid_o(c25_valid),
    .true_result_ready_i(c25_ready),
    .false_result_data_o(c24_data),
    .false_result_valid_o(c24_valid),
    .false_result_ready_i(c24_ready)
  );

  loom_fork_4 #(
    .T_WIDTH(1)
  ) fork_cont_inst (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_data_i(c8_data),
    .in_valid_i(c8_valid),
    .in_ready_o(c8_ready),
    .out0_data_o(c9_data),
    .out0_valid_o(c9_valid),
    .out0_ready_i(c9_ready),
    .out1_data_o(c10_data),
    .out1_valid_o(c10_valid),
    .out1_ready_i(c10_ready),
    .out2_data_o(c11_data),
    .out2_valid_o(c11_valid),
    .out2_ready_i(c11_ready),
    .out3_data_o(c12_data),
    .out3_valid_o(c12_valid),
    .out3_ready_i(c12_ready)
  );

  loom_buffer_fifo_shift #(
    .T_WIDTH(1),
    .SLOTS(3)
  ) shift_inst (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_data_i(c10_data),
    .in_valid_i(c10_valid),
    .in_ready_o(c10_ready),
    .out_data_o(c13_data),
    .out_valid_o(c13_valid),
    .out_ready_i(c13_ready)
  );

  loom_buffer_fifo_shift #(
    .T_WIDTH(1),
    .SLOTS(2)
  ) wait_inst (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_data_i(c12_data),
    .in_valid_i(c12_valid),
    .in_ready_o(c12_ready),
    .out_data_o(c14_data),
    .out_valid_o(c14_valid),
    .out_ready_i(c14_ready)
  );

  loom_sink #(
    .T_WIDTH(32)
  ) end_inst (
    .in_data_i(c16_data),
    .in_valid_i(c16_valid),
    .in_ready_o(c16_ready)
  );

  loom_load #(
    .A_WIDTH(32),
    .T_WIDTH(32)
  ) read_inst (
    .address_data_i(c17_data),
    .address_valid_i(c17_valid),
    .address_ready_o(c17_ready),
    .data_in_data_i(c20_data),
    .data_in_valid_i(c20_valid),
    .data_in_ready_o(c20_ready),
    .ctrl_valid_i(c18_valid),
    .ctrl_ready_o(c18_ready),
    .data_data_o(c26_data),
    .data_valid_o(c26_valid),
    .data_ready_i(c26_ready),
    .address_out_data_o(c19_data),
    .address_out_valid_o(c19_valid),
    .address_out_ready_i(c19_ready)
  );

  loom_extmemory_0_stores_1_loads #(
    .A_WIDTH(32),
    .T_WIDTH(32),
    .DEPTH(20),
    .ADDRESS_WIDTH(5)
  ) a_ports_inst (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .ld_address0_data_i(c19_data),
    .ld_address0_valid_i(c19_valid),
    .ld_address0_ready_o(c19_ready),
    .ld_data0_data_o(c20_data),
    .ld_data0_valid_o(c20_valid),
    .ld_data0_ready_i(c20_ready),
    .ld_done0_valid_o(c21_valid),
    .ld_done0_ready_i(c21_ready),
    .error_o(a_ports_error),
    .rd_en_o(a_rd_en_o),
    .rd_addr_o(a_rd_addr_o),
    .rd_data_i(a_rd_data_i)
  );

  loom_sink_ctrl done_inst (
    .in_valid_i(c21_valid),
    .in_ready_o(c21_ready)
  );

  loom_addi #(
    .T_WIDTH(32)
  ) add_inst (
    .lhs_data_i(c25_data),
    .lhs_valid_i(c25_valid),
    .lhs_ready_o(c25_ready),
    .rhs_data_i(c26_data),
    .rhs_valid_i(c26_valid),
    .rhs_ready_o(c26_ready),
    .result_data_o(c27_data),
    .result_valid_o(c27_valid),
    .result_ready_i(c27_ready)
  );

  loom_buffer_seq_2 #(
    .T_WIDTH(32)
  ) back_inst (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_data_i(c27_data),
    .in_valid_i(c27_valid),
    .in_ready_o(c27_ready),
    .out_data_o(c28_data),
    .out_valid_o(c28_valid),
    .out_ready_i(c28_ready)
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
  logic start_waits_q;
  logic n_waits_q;
  logic [31:0] n_waiting_q;

  always @(posedge clk_i) begin : neighbours
    start_waits_q <= rst_ni & start_valid_i & ~start_ready_o;
    if (rst_ni && start_waits_q) begin : start_stays
      assert (start_valid_i);
    end
    n_waits_q <= rst_ni & n_valid_i & ~n_ready_o;
    n_waiting_q <= n_data_i;
    if (rst_ni && n_waits_q) begin : n_stays
      assert (n_valid_i);
      if (n_valid_i) begin : unchanged
        assert (n_data_i === n_waiting_q);
      end
    end
    if (rst_ni) begin : start_valid_is_known
      assert (start_valid_i !== 1'bx);
    end
    if (rst_ni) begin : n_valid_is_known
      assert (n_valid_i !== 1'bx);
    end
    if (rst_ni) begin : total_ready_is_known
      assert (total_ready_i !== 1'bx);
    end
  end
`endif
endmodule
