// A sparse matrix (compressed rows) of 10 rows and up to 24 elements times a vector.
//
// An element a cycle; an empty row takes a cycle too. The pointer of the row after the next one is
// read ahead. Stages: addresses, RAM, column and value, RAM, multiplier (3), sum, store. Pointers
// are 0 to 24 and columns 0 to 9: their upper bits are not read. An offered done token stays until
// it is taken, then the next start is.
module spmv (
  input logic clk_i,
  input logic rst_ni,
  input logic start_valid_i,
  output logic start_ready_o,
  output logic done_valid_o,
  input logic done_ready_i,
  output logic rows_rd_en_o,
  output logic [3:0] rows_rd_addr_o,
  input logic [31:0] rows_rd_data_i,
  output logic columns_rd_en_o,
  output logic [4:0] columns_rd_addr_o,
  input logic [31:0] columns_rd_data_i,
  output logic values_rd_en_o,
  output logic [4:0] values_rd_addr_o,
  input logic [31:0] values_rd_data_i,
  output logic x_rd_en_o,
  output logic [3:0] x_rd_addr_o,
  input logic [31:0] x_rd_data_i,
  output logic y_wr_en_o,
  output logic [3:0] y_wr_addr_o,
  output logic [31:0] y_wr_data_o,
  output logic [7:0] error_code_o
);
  localparam logic [3:0] ROWS = 4'd10;

  logic done_valid_q;
  // The pointers of the first row: they are read, then they arrive.
  logic [2:0] begin_q;
  logic [3:0] pointer_q;
  // A row that runs from `element_q` to `end_q`; `next_q` is the end of the row after it.
  logic running_q;
  logic [3:0] row_q;
  logic [4:0] element_q, end_q, next_q;
  logic fresh_q;
  logic [4:0] next, after;
  logic is_element, row_end;
  // Bit 0: the RAMs give column and value; bit 1: x is read; bit 2: the RAM gives x; bit 5: the
  // multiplier gives a product. Of each stage: is it in use, is it an element, does it end a row.
  logic [5:0] used_q, valid_q, last_q;
  logic [3:0] column_q;
  logic [31:0] value_q, factor_q, product, sum_q;
  logic storing_q;
  logic [3:0] store_q;
  logic start, finish;
  (* unused *) logic unused_bits;

  assign start_ready_o = ~((begin_q != 3'd0) | running_q | (used_q != 6'd0) | storing_q
      | done_valid_q);
  assign start = start_valid_i & start_ready_o;
  assign finish = storing_q & (store_q == ROWS - 4'd1);

  assign rows_rd_en_o = begin_q[0] | begin_q[1] | begin_q[2] | (running_q & row_end);
  assign rows_rd_addr_o = pointer_q;
  assign unused_bits = &{1'b0, rows_rd_data_i[31:5], columns_rd_data_i[31:4]};

  // A pointer stays at the RAM for one cycle.
  assign next = fresh_q ? rows_rd_data_i[4:0] : next_q;
  assign after = element_q + 5'd1;
  assign is_element = element_q < end_q;
  assign row_end = after >= end_q;

  assign columns_rd_en_o = running_q & is_element;
  assign columns_rd_addr_o = element_q;
  assign values_rd_en_o = running_q & is_element;
  assign values_rd_addr_o = element_q;
  assign x_rd_en_o = valid_q[1];
  assign x_rd_addr_o = column_q;

  multiply multiplier (
    .clk_i(clk_i),
    .lhs_i(factor_q),
    .rhs_i(x_rd_data_i),
    .product_o(product)
  );

  assign y_wr_en_o = storing_q;
  assign y_wr_addr_o = store_q;
  assign y_wr_data_o = sum_q;
  assign done_valid_o = done_valid_q;
  assign error_code_o = 8'd0;

  always_ff @(posedge clk_i) begin : control
    if (!rst_ni) begin : clear
      begin_q <= 3'd0;
      running_q <= 1'b0;
      used_q <= 6'd0;
      storing_q <= 1'b0;
      done_valid_q <= 1'b0;
    end else begin : run
      begin_q <= {begin_q[1:0], start};
      running_q <= begin_q[2] | (running_q & ~(row_end & (row_q == ROWS - 4'd1)));
      used_q <= {used_q[4:0], running_q};
      storing_q <= used_q[5] & last_q[5];
      done_valid_q <= finish | (done_valid_q & ~done_ready_i);
    end
  end

  always_ff @(posedge clk_i) begin : rows
    fresh_q <= rows_rd_en_o;
    next_q <= next;
    if (start) begin : first
      pointer_q <= 4'd0;
      row_q <= 4'd0;
    end else begin : ahead
      // Past the last pointer the same one is read again: nobody needs it.
      if (rows_rd_en_o && pointer_q != ROWS) pointer_q <= pointer_q + 4'd1;
      if (running_q && row_end) row_q <= row_q + 4'd1;
    end
    if (begin_q[2] || (running_q && row_end)) begin : turn
      end_q <= next;
    end
    if (begin_q[1]) begin : origin
      element_q <= rows_rd_data_i[4:0];
    end else if (running_q) begin : step
      element_q <= row_end ? end_q : after;
    end
  end

  always_ff @(posedge clk_i) begin : data
    valid_q <= {valid_q[4:0], running_q & is_element};
    last_q <= {last_q[4:0], row_end};
    column_q <= columns_rd_data_i[3:0];
    value_q <= values_rd_data_i;
    factor_q <= value_q;
    if (start) begin : first
      store_q <= 4'd0;
      sum_q <= 32'd0;
    end else begin : add
      if (storing_q) store_q <= store_q + 4'd1;
      // A row's first product comes in or after the cycle that stores the row before.
      if (valid_q[5]) sum_q <= (storing_q ? 32'd0 : sum_q) + product;
      else if (storing_q) sum_q <= 32'd0;
    end
  end
endmodule
