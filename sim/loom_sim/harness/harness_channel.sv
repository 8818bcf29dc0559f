// One side of an external memory behind channels: takes requests, and answers each in order.
//
// A request is answered `least_i` to `most_i` cycles after it was taken, later where an answer
// before it is late. With probability `stall_i` / 65536 a cycle no request is taken, or the next
// answer waits one more; an offered answer stays (channel law 2). Answer number `refuse_i` of an
// activation, from 1, is an error.
module harness_channel #(
  parameter integer WIDTH = 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             start_i,
  input  logic [16:0]      stall_i,
  input  logic [31:0]      least_i,
  input  logic [31:0]      most_i,
  input  logic [31:0]      refuse_i,
  input  logic [63:0]      noise_i,
  input  logic             request_valid_i,
  output logic             request_ready_o,
  input  logic [WIDTH-1:0] request_i,
  output logic             answer_valid_o,
  input  logic             answer_ready_i,
  output logic [WIDTH-1:0] answer_o,  // the request that is answered
  output logic             taken_o,   // a request is taken, as number tail_o
  output logic [10:0]      tail_o,
  output logic [10:0]      next_o,    // the number of the answer of the next cycle, if there is one
  output logic [WIDTH-1:0] next_request_o,
  output logic             error_o,
  output logic             busy_o     // something will happen by itself
);
  localparam integer SLOTS = 2048;

  logic [WIDTH-1:0] request_q [0:SLOTS-1];
  logic [31:0]      due_q [0:SLOTS-1];
  logic [10:0]      head_q, tail_q;
  logic [31:0]      now_q, count_q, latency;
  logic             ready_q, offer_q, pause_request, pause_answer, taken, answered;
  logic             some, full, due;

  assign pause_request   = {1'b0, noise_i[63:48]} < stall_i;
  assign pause_answer    = {1'b0, noise_i[47:32]} < stall_i;
  assign latency         = least_i + noise_i[47:16] % (most_i - least_i + 32'd1);
  assign some            = head_q != tail_q;
  assign full            = tail_q + 11'd1 == head_q;
  assign request_ready_o = ready_q & ~full;
  assign answer_valid_o  = offer_q;
  assign answer_o        = request_q[head_q];
  assign error_o         = offer_q & (count_q + 32'd1 == refuse_i);
  assign taken           = request_valid_i & request_ready_o;
  assign answered        = offer_q & answer_ready_i;
  assign busy_o          = some | offer_q | (request_valid_i & ~request_ready_o);

  // The answer that may be offered in the next cycle: the one behind that which leaves now.
  logic [10:0] next;
  assign next = answered ? head_q + 11'd1 : head_q;
  assign due  = (next != tail_q && due_q[next] <= now_q + 32'd1)
      || (next == tail_q && taken && latency == 32'd1);
  assign taken_o = taken;
  assign tail_o  = tail_q;
  assign next_o  = next;
  assign next_request_o = (next == tail_q) ? request_i : request_q[next];

  always @(posedge clk_i) begin : serve
    now_q   <= now_q + 32'd1;
    ready_q <= !pause_request;
    if (!rst_ni) begin : clear
      head_q  <= 11'd0;
      tail_q  <= 11'd0;
      now_q   <= 32'd0;
      count_q <= 32'd0;
      offer_q <= 1'b0;
    end else begin : run
      if (taken) begin : take
        request_q[tail_q] <= request_i;
        due_q[tail_q] <= now_q + latency;
        tail_q <= tail_q + 11'd1;
      end
      if (answered) head_q <= head_q + 11'd1;
      offer_q <= (offer_q && !answered) || (due && !pause_answer);
      count_q <= start_i ? 32'd0 : count_q + 32'(answered);
    end
  end
endmodule
