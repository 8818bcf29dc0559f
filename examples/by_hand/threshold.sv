// Dark pixels, of a sum at or below the limit, become black; the others are counted: one a cycle.
//
// Stages: addresses, RAM, sum, store. Start and limit are taken together, once both outputs have
// been; an offered result stays until it is taken.
module threshold (
  input logic clk_i,
  input logic rst_ni,
  input logic [15:0] limit_data_i,
  input logic limit_valid_i,
  output logic limit_ready_o,
  input logic start_valid_i,
  output logic start_ready_o,
  output logic [31:0] out0_data_o,
  output logic out0_valid_o,
  input logic out0_ready_i,
  output logic done_valid_o,
  input logic done_ready_i,
  output logic r_rd_en_o,
  output logic [5:0] r_rd_addr_o,
  input logic [7:0] r_rd_data_i,
  output logic r_wr_en_o,
  output logic [5:0] r_wr_addr_o,
  output logic [7:0] r_wr_data_o,
  output logic g_rd_en_o,
  output logic [5:0] g_rd_addr_o,
  input logic [7:0] g_rd_data_i,
  output logic g_wr_en_o,
  output logic [5:0] g_wr_addr_o,
  output logic [7:0] g_wr_data_o,
  output logic b_rd_en_o,
  output logic [5:0] b_rd_addr_o,
  input logic [7:0] b_rd_data_i,
  output logic b_wr_en_o,
  output logic [5:0] b_wr_addr_o,
  output logic [7:0] b_wr_data_o,
  output logic [7:0] error_code_o
);
  logic reading_q, valid_q, summed_q, dark_q, out0_valid_q, done_valid_q;
  logic [5:0] read_q, loaded_q, pixel_q, store_q;
  logic [15:0] limit_q;
  logic [9:0] sum_q;
  logic [6:0] count_q;
  logic start, dark, finish_q;

  assign start = start_valid_i & limit_valid_i
      & ~(reading_q | valid_q | summed_q | finish_q | out0_valid_q | done_valid_q);
  assign start_ready_o = start;
  assign limit_ready_o = start;

  assign r_rd_en_o = reading_q;
  assign r_rd_addr_o = read_q;
  assign g_rd_en_o = reading_q;
  assign g_rd_addr_o = read_q;
  assign b_rd_en_o = reading_q;
  assign b_rd_addr_o = read_q;

  assign dark = {6'd0, sum_q} <= limit_q;

  assign r_wr_en_o = dark_q;
  assign r_wr_addr_o = store_q;
  assign r_wr_data_o = 8'd0;
  assign g_wr_en_o = dark_q;
  assign g_wr_addr_o = store_q;
  assign g_wr_data_o = 8'd0;
  assign b_wr_en_o = dark_q;
  assign b_wr_addr_o = store_q;
  assign b_wr_data_o = 8'd0;
  assign out0_data_o = {25'd0, count_q};
  assign out0_valid_o = out0_valid_q;
  assign done_valid_o = done_valid_q;
  assign error_code_o = 8'd0;

  always_ff @(posedge clk_i) begin : control
    if (!rst_ni) begin : clear
      reading_q <= 1'b0;
      valid_q <= 1'b0;
      summed_q <= 1'b0;
      dark_q <= 1'b0;
      finish_q <= 1'b0;
      out0_valid_q <= 1'b0;
      done_valid_q <= 1'b0;
    end else begin : run
      reading_q <= start | (reading_q & (read_q != 6'd63));
      valid_q <= reading_q;
      summed_q <= valid_q;
      dark_q <= summed_q & dark;
      // Pixels come without a gap: this is the last one.
      finish_q <= summed_q & ~valid_q;
      out0_valid_q <= finish_q | (out0_valid_q & ~out0_ready_i);
      done_valid_q <= finish_q | (done_valid_q & ~done_ready_i);
    end
  end

  always_ff @(posedge clk_i) begin : data
    read_q <= start ? 6'd0 : read_q + 6'd1;
    loaded_q <= read_q;
    pixel_q <= loaded_q;
    store_q <= pixel_q;
    sum_q <= {2'd0, r_rd_data_i} + {2'd0, g_rd_data_i} + {2'd0, b_rd_data_i};
    if (start) begin : first
      limit_q <= limit_data_i;
      count_q <= 7'd0;
    end else if (summed_q && !dark) begin : bright
      count_q <= count_q + 7'd1;
    end
  end
endmodule
