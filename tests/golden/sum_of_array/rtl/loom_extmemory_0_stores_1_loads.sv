// loom_extmemory_0_stores_1_loads: A memory outside the circuit, a synchronous RAM with a read and
// a write port.
// Operator handshake.extmemory. Latency: 1 cycle.
// Each port sustains one access a cycle alone; ready waits for that of the datum.
module loom_extmemory_0_stores_1_loads #(
  parameter integer A_WIDTH = 32,
  parameter integer T_WIDTH = 32,
  parameter integer DEPTH = 1024,
  parameter integer ADDRESS_WIDTH = 10
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [A_WIDTH-1:0] ld_address0_data_i,
  input logic ld_address0_valid_i,
  output logic ld_address0_ready_o,
  output logic [T_WIDTH-1:0] ld_data0_data_o,
  output logic ld_data0_valid_o,
  input logic ld_data0_ready_i,
  output logic ld_done0_valid_o,
  input logic ld_done0_ready_i,
  output logic error_o,
  output logic rd_en_o,
  output logic [ADDRESS_WIDTH-1:0] rd_addr_o,
  input logic [T_WIDTH-1:0] rd_data_i
);
  typedef logic [A_WIDTH-1:0] address_t;

  // Loads: accepted in turn where the port has room for one more datum and one more done token.
  logic [0:0] ld_request, ld_grant, ld_room;
  logic [A_WIDTH-1:0] ld_address;
  logic ld_outside;
  logic [0:0] ld_place;
  logic [T_WIDTH-1:0] ld_word;

  assign ld_request[0] = ld_address0_valid_i & ld_room[0] & ld_place[0];
  assign ld_address0_ready_o = ld_grant[0];
  assign ld_grant = ld_request;
  assign ld_address = ld_address0_data_i;
  assign ld_outside = ld_address >= address_t'(DEPTH);
  assign rd_en_o = (|ld_grant) & ~ld_outside;
  assign rd_addr_o = ld_address[ADDRESS_WIDTH-1:0];

  loom_memory_done ld_done0 (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .grant_i(ld_grant[0]),
    .room_o(ld_room[0]),
    .done_valid_o(ld_done0_valid_o),
    .done_ready_i(ld_done0_ready_i)
  );

  loom_memory_held #(
    .T_WIDTH(T_WIDTH)
  ) ld_answer0 (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .grant_i(ld_grant[0]),
    .room_o(ld_place[0]),
    .word_i(ld_word),
    .data_data_o(ld_data0_data_o),
    .data_valid_o(ld_data0_valid_o),
    .data_ready_i(ld_data0_ready_i)
  );

  // outside_q: the word that requested last has an address outside.
  logic outside_q;
  always_ff @(posedge clk_i) begin : outside
    if (!rst_ni) outside_q <= 1'b0;
    else if (|ld_grant) outside_q <= ld_outside;
  end
  assign ld_word = outside_q ? '0 : rd_data_i;

  assign error_o = ((|ld_grant) & ld_outside);

`ifdef SIMULATION
  // A word comes in the cycle after its rd_en_o, and stays in the next one, or another comes.
  logic rd_comes_q;
  logic rd_came_q;
  logic [T_WIDTH-1:0] rd_before_q;
  always @(posedge clk_i) begin : rd_answers_in_time
    rd_comes_q <= rst_ni & rd_en_o;
    rd_came_q <= rst_ni & rd_comes_q;
    rd_before_q <= rd_data_i;
    if (rst_ni && rd_came_q && !rd_comes_q) begin : stays
      assert (rd_data_i === rd_before_q);
    end
  end
`endif

`ifdef SIMULATION
  // Channel law 2: an offered token stays, unchanged, until it is taken.
  logic ld_data0_waits_q;
  logic [T_WIDTH-1:0] ld_data0_waiting_q;
  logic ld_done0_waits_q;

  always @(posedge clk_i) begin : law_2
    ld_data0_waits_q <= rst_ni & ld_data0_valid_o & ~ld_data0_ready_i;
    ld_data0_waiting_q <= ld_data0_data_o;
    if (rst_ni && ld_data0_waits_q) begin : ld_data0_stays
      assert (ld_data0_valid_o);
      assert (ld_data0_data_o === ld_data0_waiting_q);
    end
    ld_done0_waits_q <= rst_ni & ld_done0_valid_o & ~ld_done0_ready_i;
    if (rst_ni && ld_done0_waits_q) begin : ld_done0_stays
      assert (ld_done0_valid_o);
    end
  end
`endif
endmodule
