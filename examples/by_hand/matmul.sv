// The product of two 8 x 8 matrices: a product of elements a cycle, sums without a gap.
//
// Stages: addresses, RAM, multiplier (3), sum, store. An offered done token stays until it is
// taken, then the next start is.
module matmul (
  input logic clk_i,
  input logic rst_ni,
  input logic start_valid_i,
  output logic start_ready_o,
  output logic done_valid_o,
  input logic done_ready_i,
  output logic a_rd_en_o,
  output logic [5:0] a_rd_addr_o,
  input logic [31:0] a_rd_data_i,
  output logic b_rd_en_o,
  output logic [5:0] b_rd_addr_o,
  input logic [31:0] b_rd_data_i,
  output logic c_wr_en_o,
  output logic [5:0] c_wr_addr_o,
  output logic [31:0] c_wr_data_o,
  output logic [7:0] error_code_o
);
  logic reading_q, done_valid_q;
  // Row, column and place in the sum, 3 bits each.
  logic [8:0] count_q;
  // Bit 0: the RAMs give operands; bit 3: the multiplier gives a product.
  logic [3:0] valid_q, last_q;
  logic [31:0] product, sum_q;
  logic storing_q;
  logic [5:0] store_q;
  logic start, finish;

  assign start_ready_o = ~(reading_q | (valid_q != 4'd0) | storing_q | done_valid_q);
  assign start = start_valid_i & start_ready_o;
  // Products come without a gap: this is the last sum.
  assign finish = storing_q & ~valid_q[3];

  assign a_rd_en_o = reading_q;
  assign a_rd_addr_o = {count_q[8:6], count_q[2:0]};
  assign b_rd_en_o = reading_q;
  assign b_rd_addr_o = {count_q[2:0], count_q[5:3]};

  multiply multiplier (
    .clk_i(clk_i),
    .lhs_i(a_rd_data_i),
    .rhs_i(b_rd_data_i),
    .product_o(product)
  );

  assign c_wr_en_o = storing_q;
  assign c_wr_addr_o = store_q;
  assign c_wr_data_o = sum_q;
  assign done_valid_o = done_valid_q;
  assign error_code_o = 8'd0;

  always_ff @(posedge clk_i) begin : control
    if (!rst_ni) begin : clear
      reading_q <= 1'b0;
      valid_q <= 4'd0;
      storing_q <= 1'b0;
      done_valid_q <= 1'b0;
    end else begin : run
      reading_q <= start | (reading_q & (count_q != 9'd511));
      valid_q <= {valid_q[2:0], reading_q};
      storing_q <= valid_q[3] & last_q[3];
      done_valid_q <= finish | (done_valid_q & ~done_ready_i);
    end
  end

  always_ff @(posedge clk_i) begin : data
    last_q <= {last_q[2:0], count_q[2:0] == 3'd7};
    if (start) begin : first
      count_q <= 9'd0;
      store_q <= 6'd0;
      sum_q <= 32'd0;
    end else begin : next
      count_q <= count_q + 9'd1;
      if (storing_q) store_q <= store_q + 6'd1;
      // A sum's first product comes in the cycle that stores the sum before.
      if (valid_q[3]) sum_q <= (storing_q ? 32'd0 : sum_q) + product;
    end
  end
endmodule
