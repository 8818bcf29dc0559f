// A 20 x 20 matrix times a vector: a product a cycle, rows without a gap.
//
// Stages: addresses, RAM, multiplier (3), sum, store. An offered done token stays until it is
// taken, then the next start is.
module matvec (
  input logic clk_i,
  input logic rst_ni,
  input logic start_valid_i,
  output logic start_ready_o,
  output logic done_valid_o,
  input logic done_ready_i,
  output logic m_rd_en_o,
  output logic [8:0] m_rd_addr_o,
  input logic [31:0] m_rd_data_i,
  output logic v_rd_en_o,
  output logic [4:0] v_rd_addr_o,
  input logic [31:0] v_rd_data_i,
  output logic out_wr_en_o,
  output logic [4:0] out_wr_addr_o,
  output logic [31:0] out_wr_data_o,
  output logic [7:0] error_code_o
);
  localparam logic [4:0] SIZE = 5'd20;

  logic reading_q, done_valid_q;
  logic [8:0] element_q;
  logic [4:0] row_q, column_q;
  // Bit 0: the RAMs give operands; bit 3: the multiplier gives a product.
  logic [3:0] valid_q, last_q;
  logic [31:0] product, sum_q;
  logic storing_q;
  logic [4:0] store_q;
  logic start, row_end, finish;

  assign start_ready_o = ~(reading_q | (valid_q != 4'd0) | storing_q | done_valid_q);
  assign start = start_valid_i & start_ready_o;
  assign row_end = column_q == SIZE - 5'd1;
  // Products come without a gap: this is the last row's.
  assign finish = storing_q & ~valid_q[3];

  assign m_rd_en_o = reading_q;
  assign m_rd_addr_o = element_q;
  assign v_rd_en_o = reading_q;
  assign v_rd_addr_o = column_q;

  multiply multiplier (
    .clk_i(clk_i),
    .lhs_i(m_rd_data_i),
    .rhs_i(v_rd_data_i),
    .product_o(product)
  );

  assign out_wr_en_o = storing_q;
  assign out_wr_addr_o = store_q;
  assign out_wr_data_o = sum_q;
  assign done_valid_o = done_valid_q;
  assign error_code_o = 8'd0;

  always_ff @(posedge clk_i) begin : control
    if (!rst_ni) begin : clear
      reading_q <= 1'b0;
      valid_q <= 4'd0;
      storing_q <= 1'b0;
      done_valid_q <= 1'b0;
    end else begin : run
      reading_q <= start | (reading_q & ~(row_end & (row_q == SIZE - 5'd1)));
      valid_q <= {valid_q[2:0], reading_q};
      storing_q <= valid_q[3] & last_q[3];
      done_valid_q <= finish | (done_valid_q & ~done_ready_i);
    end
  end

  always_ff @(posedge clk_i) begin : data
    last_q <= {last_q[2:0], row_end};
    if (start) begin : first
      element_q <= 9'd0;
      row_q <= 5'd0;
      column_q <= 5'd0;
      store_q <= 5'd0;
      sum_q <= 32'd0;
    end else begin : next
      element_q <= element_q + 9'd1;
      column_q <= row_end ? 5'd0 : column_q + 5'd1;
      if (row_end) row_q <= row_q + 5'd1;
      if (storing_q) store_q <= store_q + 5'd1;
      // A row's first product comes in the cycle that stores the row before.
      if (valid_q[3]) sum_q <= (storing_q ? 32'd0 : sum_q) + product;
    end
  end
endmodule
