// loom_ram_lookup_table: a synchronous RAM.
// Synthesis maps it to LUT RAM or block RAM.
// One write and one read port, read latency 1. Nobody reads a word in the cycle that
// writes it: in a circuit done tokens order the two.
// The initial contents are those of the bitstream; reset does not restore them.
module loom_ram_lookup_table #(
  parameter integer T_WIDTH = 32,
  parameter integer DEPTH = 5,
  parameter integer ADDRESS_WIDTH = 3
) (
  input logic clk_i,
  input logic rd_en_i,
  input logic [ADDRESS_WIDTH-1:0] rd_addr_i,
  output logic [T_WIDTH-1:0] rd_data_o
);
  (* ramstyle = "no_rw_check", no_rw_check *)
  logic [T_WIDTH-1:0] word_q[0:DEPTH-1];
  logic [T_WIDTH-1:0] read_q;

  initial begin : contents
    word_q[0] = 24'h1;
    word_q[1] = 24'ha;
    word_q[2] = 24'h64;
    word_q[3] = 24'h3e8;
    word_q[4] = 24'h2710;
  end

  always_ff @(posedge clk_i) begin : read
    if (rd_en_i) read_q <= word_q[rd_addr_i];
  end

  assign rd_data_o = read_q;
endmodule
