// An external memory: a synchronous RAM with a read and a write port, of LATENCY from a read to its
// data, 1 and more.
//
// Read data stay until the next read, and are noise before the first one and when the word was
// written in the cycle of the read, so that no circuit can rely on what real RAMs leave open.
// The words come from FILE at the start of an activation and go back to it at the end.
module harness_memory #(
  parameter integer WIDTH = 32,
  parameter integer DEPTH = 16,
  parameter integer ADDRESS_WIDTH = 4,
  parameter integer LATENCY = 1,
  parameter FILE = ""
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     start_i,
  input  logic                     finish_i,
  input  logic [63:0]              noise_i,
  input  logic                     rd_en_i,
  input  logic [ADDRESS_WIDTH-1:0] rd_addr_i,
  output logic [WIDTH-1:0]         rd_data_o,
  input  logic                     wr_en_i,
  input  logic [ADDRESS_WIDTH-1:0] wr_addr_i,
  input  logic [WIDTH-1:0]         wr_data_i,
  output logic [31:0]              loads_o,
  output logic [31:0]              stores_o,
  output logic [31:0]              strays_o  // accesses past the last word
);
  localparam integer PIECES = (WIDTH + 63) / 64;
  localparam logic [31:0] LAST = DEPTH - 1;

  logic [WIDTH-1:0]     words [0:DEPTH-1];
  logic [WIDTH-1:0]     data_q;
  logic [31:0]          loads_q, stores_q, strays_q;
  logic [64*PIECES-1:0] wide_noise;

  assign wide_noise = {PIECES{noise_i}};
  // Behind registers read data come late, and the start of an activation is not seen.
  logic [WIDTH-1:0]     late_q [1:LATENCY];
  logic                 read_q [1:LATENCY];
  assign rd_data_o  = LATENCY == 1 ? data_q : late_q[LATENCY-1];
  assign loads_o    = loads_q;
  assign stores_o   = stores_q;
  assign strays_o   = strays_q;

  function automatic logic is_stray(input logic [ADDRESS_WIDTH-1:0] address);
    return 32'(address) > LAST;
  endfunction

  always @(posedge clk_i) begin : serve
    if (start_i) begin : load
      $readmemh(FILE, words);
      loads_q  <= 32'd0;
      stores_q <= 32'd0;
      strays_q <= 32'd0;
    end else if (rst_ni) begin : run
      loads_q  <= loads_q + 32'(rd_en_i);
      stores_q <= stores_q + 32'(wr_en_i);
      strays_q <= strays_q + 32'(rd_en_i && is_stray(rd_addr_i))
                           + 32'(wr_en_i && is_stray(wr_addr_i));
    end
    if (rd_en_i && !is_stray(rd_addr_i) && !(wr_en_i && wr_addr_i == rd_addr_i)) begin : read
      data_q <= words[rd_addr_i];
    end else if (rd_en_i || start_i) begin : garbage
      data_q <= wide_noise[WIDTH-1:0];
    end
    for (int k = 1; k < LATENCY; k++) begin : late
      read_q[k] <= k == 1 ? rd_en_i : read_q[k-1];
      if (read_q[k]) late_q[k] <= k == 1 ? data_q : late_q[k-1];
    end
    // Blocking, after the read: this block alone touches the words.
    if (wr_en_i && !is_stray(wr_addr_i)) words[wr_addr_i] = wr_data_i;
    if (finish_i) $writememh(FILE, words);
  end
endmodule
