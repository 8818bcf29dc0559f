// Euclid by subtraction: one a cycle.
//
// The three inputs are taken together, once both outputs have been; an offered result stays until
// it is taken.
module gcd (
  input logic clk_i,
  input logic rst_ni,
  input logic [31:0] a_data_i,
  input logic a_valid_i,
  output logic a_ready_o,
  input logic [31:0] b_data_i,
  input logic b_valid_i,
  output logic b_ready_o,
  input logic start_valid_i,
  output logic start_ready_o,
  output logic [31:0] out0_data_o,
  output logic out0_valid_o,
  input logic out0_ready_i,
  output logic done_valid_o,
  input logic done_ready_i,
  output logic [7:0] error_code_o
);
  logic busy_q, out0_valid_q, done_valid_q;
  logic [31:0] x_q, y_q;
  // Bit 32: the subtrahend is greater.
  logic [32:0] x_less_y;
  logic [31:0] y_less_x;
  logic start, equal, finish;

  assign start = a_valid_i & b_valid_i & start_valid_i & ~(busy_q | out0_valid_q | done_valid_q);
  assign a_ready_o = start;
  assign b_ready_o = start;
  assign start_ready_o = start;

  assign x_less_y = {1'b0, x_q} - {1'b0, y_q};
  assign y_less_x = y_q - x_q;
  assign equal = x_q == y_q;
  assign finish = busy_q & equal;

  assign out0_data_o = x_q;
  assign out0_valid_o = out0_valid_q;
  assign done_valid_o = done_valid_q;
  assign error_code_o = 8'd0;

  always_ff @(posedge clk_i) begin : control
    if (!rst_ni) begin : clear
      busy_q <= 1'b0;
      out0_valid_q <= 1'b0;
      done_valid_q <= 1'b0;
    end else begin : run
      busy_q <= start | (busy_q & ~equal);
      out0_valid_q <= finish | (out0_valid_q & ~out0_ready_i);
      done_valid_q <= finish | (done_valid_q & ~done_ready_i);
    end
  end

  always_ff @(posedge clk_i) begin : data
    if (start) begin : load
      x_q <= a_data_i;
      y_q <= b_data_i;
    end else if (busy_q && !equal) begin : subtract
      if (x_less_y[32]) y_q <= y_less_x;
      else x_q <= x_less_y[31:0];
    end
  end
endmodule
