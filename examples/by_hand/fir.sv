// Dot product of 100 samples and the reversed coefficients: a product a cycle.
//
// Stages: addresses, RAM, multiplier (3), sum. An offered result stays until it is taken; the next
// start is taken when both outputs have been.
module fir (
  input logic clk_i,
  input logic rst_ni,
  input logic start_valid_i,
  output logic start_ready_o,
  output logic [31:0] out0_data_o,
  output logic out0_valid_o,
  input logic out0_ready_i,
  output logic done_valid_o,
  input logic done_ready_i,
  output logic samples_rd_en_o,
  output logic [6:0] samples_rd_addr_o,
  input logic [31:0] samples_rd_data_i,
  output logic taps_rd_en_o,
  output logic [6:0] taps_rd_addr_o,
  input logic [31:0] taps_rd_data_i,
  output logic [7:0] error_code_o
);
  localparam logic [6:0] LAST = 7'd99;

  logic busy_q, reading_q, out0_valid_q, done_valid_q;
  logic [6:0] sample_q, tap_q;
  // Bit 0: the RAMs give operands; bit 3: the multiplier gives a product.
  logic [3:0] valid_q;
  logic [31:0] product, sum_q;
  logic start, finish;

  assign start_ready_o = ~(busy_q | out0_valid_q | done_valid_q);
  assign start = start_valid_i & start_ready_o;
  // Reads come without a gap: this is the last product.
  assign finish = valid_q == 4'b1000;

  assign samples_rd_en_o = reading_q;
  assign samples_rd_addr_o = sample_q;
  assign taps_rd_en_o = reading_q;
  assign taps_rd_addr_o = tap_q;

  multiply multiplier (
    .clk_i(clk_i),
    .lhs_i(samples_rd_data_i),
    .rhs_i(taps_rd_data_i),
    .product_o(product)
  );

  assign out0_data_o = sum_q;
  assign out0_valid_o = out0_valid_q;
  assign done_valid_o = done_valid_q;
  assign error_code_o = 8'd0;

  always_ff @(posedge clk_i) begin : control
    if (!rst_ni) begin : clear
      busy_q <= 1'b0;
      reading_q <= 1'b0;
      valid_q <= 4'd0;
      out0_valid_q <= 1'b0;
      done_valid_q <= 1'b0;
    end else begin : run
      busy_q <= start | (busy_q & ~finish);
      reading_q <= start | (reading_q & (tap_q != 7'd0));
      valid_q <= {valid_q[2:0], reading_q};
      out0_valid_q <= finish | (out0_valid_q & ~out0_ready_i);
      done_valid_q <= finish | (done_valid_q & ~done_ready_i);
    end
  end

  always_ff @(posedge clk_i) begin : data
    if (start) begin : first
      sample_q <= 7'd0;
      tap_q <= LAST;
      sum_q <= 32'd0;
    end else begin : next
      sample_q <= sample_q + 7'd1;
      tap_q <= tap_q - 7'd1;
      if (valid_q[3]) sum_q <= sum_q + product;
    end
  end
endmodule
