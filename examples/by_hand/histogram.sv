// bins[feature[i]] += weight[i] for 64 elements: one a cycle.
//
// Stages: addresses, RAM, feature and weight, bin, sum, store. A sum that is stored too late for
// the next two reads of its bin is forwarded. A feature is a bin's number: its upper bits are not
// read. An offered done token stays until it is taken, then the next start is.
module histogram (
  input logic clk_i,
  input logic rst_ni,
  input logic start_valid_i,
  output logic start_ready_o,
  output logic done_valid_o,
  input logic done_ready_i,
  output logic feature_rd_en_o,
  output logic [5:0] feature_rd_addr_o,
  input logic [31:0] feature_rd_data_i,
  output logic weight_rd_en_o,
  output logic [5:0] weight_rd_addr_o,
  input logic [31:0] weight_rd_data_i,
  output logic bins_rd_en_o,
  output logic [3:0] bins_rd_addr_o,
  input logic [31:0] bins_rd_data_i,
  output logic bins_wr_en_o,
  output logic [3:0] bins_wr_addr_o,
  output logic [31:0] bins_wr_data_o,
  output logic [7:0] error_code_o
);
  logic reading_q, done_valid_q;
  logic [5:0] element_q;
  // Bit 0: the RAMs give feature and weight; bit 1: the bin is read; bit 2: the RAM gives the bin;
  // bit 3: the sum is stored.
  logic [3:0] valid_q;
  logic [3:0] feature_q, bin_q, store_q;
  logic [31:0] weight_q, addend_q, sum_q, stored_q;
  // The bin's word is the sum that is stored now, or was in the cycle before.
  logic is_sum_q, is_stored_q;
  logic [31:0] word;
  logic start, finish;
  (* unused *) logic unused_bits;

  assign start_ready_o = ~(reading_q | (valid_q != 4'd0) | done_valid_q);
  assign start = start_valid_i & start_ready_o;
  // Elements come without a gap: this is the last one.
  assign finish = valid_q[3] & ~valid_q[2];

  assign feature_rd_en_o = reading_q;
  assign feature_rd_addr_o = element_q;
  assign weight_rd_en_o = reading_q;
  assign weight_rd_addr_o = element_q;
  assign bins_rd_en_o = valid_q[1];
  assign bins_rd_addr_o = feature_q;
  assign unused_bits = &{1'b0, feature_rd_data_i[31:4]};

  assign word = is_sum_q ? sum_q : is_stored_q ? stored_q : bins_rd_data_i;

  assign bins_wr_en_o = valid_q[3];
  assign bins_wr_addr_o = store_q;
  assign bins_wr_data_o = sum_q;
  assign done_valid_o = done_valid_q;
  assign error_code_o = 8'd0;

  always_ff @(posedge clk_i) begin : control
    if (!rst_ni) begin : clear
      reading_q <= 1'b0;
      valid_q <= 4'd0;
      done_valid_q <= 1'b0;
    end else begin : run
      reading_q <= start | (reading_q & (element_q != 6'd63));
      valid_q <= {valid_q[2:0], reading_q};
      done_valid_q <= finish | (done_valid_q & ~done_ready_i);
    end
  end

  always_ff @(posedge clk_i) begin : data
    element_q <= start ? 6'd0 : element_q + 6'd1;
    feature_q <= feature_rd_data_i[3:0];
    weight_q <= weight_rd_data_i;
    bin_q <= feature_q;
    addend_q <= weight_q;
    // The element before is one stage ahead, the one before that two.
    is_sum_q <= valid_q[2] & (bin_q == feature_q);
    is_stored_q <= valid_q[3] & (store_q == feature_q);
    store_q <= bin_q;
    sum_q <= word + addend_q;
    stored_q <= sum_q;
  end
endmodule
