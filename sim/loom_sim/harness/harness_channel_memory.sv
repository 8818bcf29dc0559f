// An external memory behind channels of requests and of responses, in order.
//
// A write is done with its response; a read finds the element as it is when it is taken or when it
// is answered, by chance: no circuit can rely on what memories leave open. The words come from FILE
// at the start of an activation and go back to it at the end. A word of the pins has LANES of them.
module harness_channel_memory #(
  parameter integer WIDTH = 32,
  parameter integer DEPTH = 16,
  parameter integer ADDRESS_WIDTH = 4,
  parameter integer LANES = 1,
  parameter FILE = ""
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     start_i,
  input  logic                     finish_i,
  input  logic [16:0]              stall_i,
  input  logic [31:0]              least_i,
  input  logic [31:0]              most_i,
  input  logic [31:0]              refuse_i,
  input  logic [63:0]              noise_i,
  input  logic                     ar_valid_i,
  output logic                     ar_ready_o,
  input  logic [ADDRESS_WIDTH-1:0] ar_addr_i,
  output logic                     r_valid_o,
  input  logic                     r_ready_i,
  output logic [LANES*WIDTH-1:0]   r_data_o,
  output logic                     r_error_o,
  input  logic                     aw_valid_i,
  output logic                     aw_ready_o,
  input  logic [ADDRESS_WIDTH-1:0] aw_addr_i,
  input  logic [LANES*WIDTH-1:0]   aw_data_i,
  input  logic [(LANES*WIDTH+7)/8-1:0] aw_strb_i,
  output logic                     b_valid_o,
  input  logic                     b_ready_i,
  output logic                     b_error_o,
  output logic                     busy_o,
  output logic [31:0]              loads_o,
  output logic [31:0]              stores_o,
  output logic [31:0]              strays_o  // accesses past the last word, or with a byte left out
);
  localparam integer WHOLE = LANES * WIDTH;
  localparam integer PIECES = (WHOLE + 63) / 64;
  localparam logic [31:0] LAST = (DEPTH - 1) / LANES;
  localparam integer STROBES = (WHOLE + 7) / 8;
  localparam integer BYTES = (WIDTH + 7) / 8;  // of an element

  logic [WIDTH-1:0]     words [0:DEPTH-1];
  logic [31:0]          loads_q, stores_q, strays_q;
  logic [64*PIECES-1:0] wide_noise;
  logic                 read_busy, write_busy;
  logic                 read_taken, keeps_answer;
  logic [10:0]          tail, next;
  logic [ADDRESS_WIDTH-1:0] next_address, write_address;
  logic [WHOLE-1:0]     write_data, data_q;
  logic [STROBES-1:0]   write_strobes;
  // By the number of a read: whether it finds what lies there when it is taken, and that.
  logic                 early_q [0:2047];
  logic [WHOLE-1:0]     word_q [0:2047];

  assign wide_noise = {PIECES{noise_i}};
  assign busy_o     = read_busy | write_busy;
  assign loads_o    = loads_q;
  assign stores_o   = stores_q;
  assign strays_o   = strays_q;
  assign keeps_answer = r_valid_o & ~r_ready_i;

  function automatic logic is_stray(input logic [ADDRESS_WIDTH-1:0] address);
    return 32'(address) > LAST;
  endfunction

  // The elements of a word; past the last one there is noise.
  function automatic logic [WHOLE-1:0] word_at(input logic [ADDRESS_WIDTH-1:0] address);
    for (int k = 0; k < LANES; k++) begin : each_lane
      word_at[k*WIDTH +: WIDTH] = LANES * 32'(address) + k < DEPTH
          ? words[LANES * 32'(address) + k] : wide_noise[k*WIDTH +: WIDTH];
    end
  endfunction

  // One element of a word is written, as a whole: every other choice of bytes is a stray.
  function automatic logic one_element(input logic [STROBES-1:0] strobes, input logic [31:0] first);
    one_element = 1'b0;
    for (int k = 0; k < LANES; k++) begin : each_lane
      if (first + k < DEPTH && strobes == STROBES'({BYTES{1'b1}}) << k * BYTES) one_element = 1'b1;
    end
  endfunction

  harness_channel #(.WIDTH(ADDRESS_WIDTH)) reads (
    .clk_i(clk_i), .rst_ni(rst_ni), .start_i(start_i), .stall_i(stall_i), .least_i(least_i),
    .most_i(most_i), .refuse_i(refuse_i), .noise_i(noise_i),
    .request_valid_i(ar_valid_i), .request_ready_o(ar_ready_o), .request_i(ar_addr_i),
    .answer_valid_o(r_valid_o), .answer_ready_i(r_ready_i), .answer_o(),
    .taken_o(read_taken), .tail_o(tail), .next_o(next), .next_request_o(next_address),
    .error_o(r_error_o), .busy_o(read_busy)
  );
  harness_channel #(.WIDTH(ADDRESS_WIDTH + WHOLE + STROBES)) writes (
    .clk_i(clk_i), .rst_ni(rst_ni), .start_i(start_i), .stall_i(stall_i), .least_i(least_i),
    .most_i(most_i), .refuse_i(refuse_i), .noise_i({noise_i[31:0], noise_i[63:32]}),
    .request_valid_i(aw_valid_i), .request_ready_o(aw_ready_o),
    .request_i({aw_strb_i, aw_data_i, aw_addr_i}),
    .answer_valid_o(b_valid_o), .answer_ready_i(b_ready_i),
    .answer_o({write_strobes, write_data, write_address}),
    .taken_o(), .tail_o(), .next_o(), .next_request_o(),
    .error_o(b_error_o), .busy_o(write_busy)
  );

  assign r_data_o = r_valid_o ? data_q : wide_noise[WHOLE-1:0];

  always @(posedge clk_i) begin : serve
    if (start_i) begin : load
      $readmemh(FILE, words);
      loads_q  <= 32'd0;
      stores_q <= 32'd0;
      strays_q <= 32'd0;
    end else if (rst_ni) begin : run
      loads_q  <= loads_q + 32'(ar_valid_i && ar_ready_o);
      stores_q <= stores_q + 32'(aw_valid_i && aw_ready_o);
      strays_q <= strays_q + 32'(ar_valid_i && ar_ready_o && is_stray(ar_addr_i))
          + 32'(aw_valid_i && aw_ready_o && (is_stray(aw_addr_i)
                                                || !one_element(aw_strb_i, LANES * 32'(aw_addr_i))));
    end
    if (read_taken) begin : take
      early_q[tail] <= noise_i[60];
      word_q[tail] <= is_stray(ar_addr_i) ? '0 : word_at(ar_addr_i);
    end
    if (!keeps_answer) begin : answer
      if (next != tail && early_q[next]) data_q <= word_q[next];
      else data_q <= is_stray(next_address) ? '0 : word_at(next_address);
    end
    // Blocking, after the reads: this block alone touches the words.
    if (b_valid_o && b_ready_i && !is_stray(write_address)) begin : write
      for (int k = 0; k < LANES; k++) begin : each_lane
        if (LANES == 1 || write_strobes[k*BYTES]) begin : written
          if (LANES * 32'(write_address) + k < DEPTH) begin : held
            words[LANES * 32'(write_address) + k] = write_data[k*WIDTH +: WIDTH];
          end
        end
      end
    end
    if (finish_i) $writememh(FILE, words);
  end
endmodule
