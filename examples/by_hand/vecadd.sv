// c[i] = a[i] + b[i] for 100 elements: one a cycle.
//
// Stages: addresses, RAM, sum. An offered done token stays until it is taken, then the next start
// is.
module vecadd (
  input logic clk_i,
  input logic rst_ni,
  input logic start_valid_i,
  output logic start_ready_o,
  output logic done_valid_o,
  input logic done_ready_i,
  output logic a_rd_en_o,
  output logic [6:0] a_rd_addr_o,
  input logic [31:0] a_rd_data_i,
  output logic b_rd_en_o,
  output logic [6:0] b_rd_addr_o,
  input logic [31:0] b_rd_data_i,
  output logic c_wr_en_o,
  output logic [6:0] c_wr_addr_o,
  output logic [31:0] c_wr_data_o,
  output logic [7:0] error_code_o
);
  localparam logic [6:0] LAST = 7'd99;

  logic reading_q, valid_q, writing_q, done_valid_q;
  logic [6:0] read_q, loaded_q, write_q;
  logic [31:0] sum_q;
  logic start, finish;

  assign start_ready_o = ~(reading_q | valid_q | writing_q | done_valid_q);
  assign start = start_valid_i & start_ready_o;
  // Elements come without a gap: this is the last one.
  assign finish = writing_q & ~valid_q;

  assign a_rd_en_o = reading_q;
  assign a_rd_addr_o = read_q;
  assign b_rd_en_o = reading_q;
  assign b_rd_addr_o = read_q;
  assign c_wr_en_o = writing_q;
  assign c_wr_addr_o = write_q;
  assign c_wr_data_o = sum_q;
  assign done_valid_o = done_valid_q;
  assign error_code_o = 8'd0;

  always_ff @(posedge clk_i) begin : control
    if (!rst_ni) begin : clear
      reading_q <= 1'b0;
      valid_q <= 1'b0;
      writing_q <= 1'b0;
      done_valid_q <= 1'b0;
    end else begin : run
      reading_q <= start | (reading_q & (read_q != LAST));
      valid_q <= reading_q;
      writing_q <= valid_q;
      done_valid_q <= finish | (done_valid_q & ~done_ready_i);
    end
  end

  always_ff @(posedge clk_i) begin : data
    read_q <= start ? 7'd0 : read_q + 7'd1;
    loaded_q <= read_q;
    write_q <= loaded_q;
    sum_q <= a_rd_data_i + b_rd_data_i;
  end
endmodule
