// loom_memory_held: the data tokens of a load that is alone at its port of a RAM, which holds the
// word until the next grant. A word is granted where none waits, or the one that waits is taken:
// ready passes from data_ready_i to room_o, and the word from the RAM to its reader.
module loom_memory_held #(
  parameter integer T_WIDTH = 32
) (
  input logic clk_i,
  input logic rst_ni,
  input logic grant_i,
  output logic room_o,
  input logic [T_WIDTH-1:0] word_i,
  output logic [T_WIDTH-1:0] data_data_o,
  output logic data_valid_o,
  input logic data_ready_i
);
  // held_q: word_i is a datum that was not taken yet.
  logic held_q;

  assign room_o = ~held_q | data_ready_i;
  assign data_valid_o = held_q;
  assign data_data_o = word_i;

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) held_q <= 1'b0;
    else held_q <= grant_i | (held_q & ~data_ready_i);
  end

`ifdef SIMULATION
  // The RAM holds the word while it is not enabled.
  logic waits_q;
  logic [T_WIDTH-1:0] waiting_q;
  always @(posedge clk_i) begin : ram_holds
    waits_q <= rst_ni & held_q & ~data_ready_i;
    waiting_q <= word_i;
    if (rst_ni && waits_q) assert (word_i === waiting_q);
  end
`endif
endmodule
