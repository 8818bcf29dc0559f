// loom_muli: Product modulo 2^width.
// Operator arith.muli. Latency: LATENCY cycles.
// Products of digits that a DSP block takes, then an adder tree. Of LATENCY registers the last one
// holds the product; a second one stands behind the products of digits, a third one in front of
// them, the others behind levels of the tree, as evenly as they can; those that are left follow the
// product. All stages move together, and stand while a result waits at the end.
module loom_muli #(
  parameter integer T_WIDTH = 32,
  parameter integer DIGIT = 16,
  parameter integer LATENCY = 4
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [T_WIDTH-1:0] lhs_data_i,
  input logic lhs_valid_i,
  output logic lhs_ready_o,
  input logic [T_WIDTH-1:0] rhs_data_i,
  input logic rhs_valid_i,
  output logic rhs_ready_o,
  output logic [T_WIDTH-1:0] result_data_o,
  output logic result_valid_o,
  input logic result_ready_i
);
  localparam integer DIGITS = (T_WIDTH + DIGIT - 1) / DIGIT;
  localparam integer WIDE = DIGITS * DIGIT;
  localparam integer SUM = T_WIDTH;
  // Addends: for each digit of rhs the even and the odd digits of lhs.
  localparam integer ADDENDS = ((DIGITS == 1) ? 1 : 2 * DIGITS);
  localparam integer LEVELS = $clog2(ADDENDS);
  // Registers of the operands, of the products, of the tree's levels, behind the tree.
  localparam integer OPERANDS = (LATENCY > ((LEVELS == 0) ? 1 : 2)) ? 1 : 0;
  localparam integer PRODUCTS = (LEVELS == 0 || LATENCY > 1) ? 1 : 0;
  localparam integer SUMS = (LATENCY - OPERANDS - PRODUCTS < LEVELS)
      ? LATENCY - OPERANDS - PRODUCTS : LEVELS;
  localparam integer SPARE = LATENCY - OPERANDS - PRODUCTS - SUMS;

  typedef logic [WIDE-1:0] wide_t;
  typedef logic [2*DIGIT-1:0] product_t;
  typedef logic [SUM-1:0] sum_t;

  // valid_q[k]: stage k holds a token.
  logic [LATENCY-1:0] valid_q;
  logic [WIDE-1:0] left, right;
  logic advance, enter;

  assign enter = lhs_valid_i & rhs_valid_i;
  assign lhs_ready_o = advance & enter;
  assign rhs_ready_o = advance & enter;

  always_ff @(posedge clk_i) begin : valid
    if (!rst_ni) valid_q <= '0;
    else if (advance) valid_q <= LATENCY'({valid_q, enter});
  end

  if (OPERANDS == 1) begin : operands
    logic [T_WIDTH-1:0] lhs_q, rhs_q;
    always_ff @(posedge clk_i) begin : step
      if (advance) begin : both
        lhs_q <= lhs_data_i;
        rhs_q <= rhs_data_i;
      end
    end
    assign left = wide_t'(lhs_q);
    assign right = wide_t'(rhs_q);
  end else begin : no_operands
    assign left = wide_t'(lhs_data_i);
    assign right = wide_t'(rhs_data_i);
  end

  // level[k].sums: the addends after k levels; what is left at the end is the product.
  for (genvar k = 0; k <= LEVELS; k++) begin : level
    localparam integer LEFT = (ADDENDS + (1 << k) - 1) >> k;
    logic [LEFT*SUM-1:0] sums;

    if (k == 0) begin : products
      for (genvar j = 0; j < DIGITS; j++) begin : row
        for (genvar parity = 0; parity < ((DIGITS == 1) ? 1 : 2); parity++) begin : side
          localparam integer COUNT = (DIGITS - parity + 1) / 2;
          // The odd digits of a row begin where the even ones of the next row do: they are a pair.
          localparam integer ADDEND = (parity == 0) ? 2 * j : 2 * ((j + 1) % DIGITS) + 1;
          // Products of every second digit do not overlap: part[i] holds the first i of them.
          for (genvar i = 0; i <= COUNT; i++) begin : part
            localparam integer FROM = 2 * i - 2 + parity;
            localparam integer PLACE = DIGIT * (FROM + j);
            logic [SUM-1:0] word;
            if (i == 0) begin : none
              assign word = '0;
            end else if (PLACE >= SUM) begin : beyond
              assign word = part[i-1].word;
            end else begin : digit
              assign word = part[i-1].word | sum_t'({
                product_t'(left[DIGIT*FROM+:DIGIT]) * product_t'(right[DIGIT*j+:DIGIT])
              }) << PLACE;
            end
          end
          if (PRODUCTS == 1) begin : kept
            logic [SUM-1:0] addend_q;
            always_ff @(posedge clk_i) begin : multiply
              if (advance) addend_q <= part[COUNT].word;
            end
            assign sums[SUM*ADDEND+:SUM] = addend_q;
          end else begin : passed
            assign sums[SUM*ADDEND+:SUM] = part[COUNT].word;
          end
        end
      end
    end else begin : add
      localparam integer BEFORE = (ADDENDS + (1 << (k - 1)) - 1) >> (k - 1);
      // SUMS of the LEVELS levels end with a register, the last one among them.
      localparam integer KEPT = (k * SUMS) / LEVELS - ((k - 1) * SUMS) / LEVELS;
      for (genvar m = 0; m < LEFT; m++) begin : pair
        logic [SUM-1:0] sum;
        if (2 * m + 1 < BEFORE) begin : two
          // Both are 0 below LOW.
          localparam integer LOW = DIGIT * (m << (k - 1));
          sum_t first, second;
          assign first = level[k-1].sums[SUM*2*m+:SUM];
          assign second = level[k-1].sums[SUM*(2*m+1)+:SUM];
          assign sum[SUM-1:LOW] = first[SUM-1:LOW] + second[SUM-1:LOW];
          if (LOW > 0) begin : below
            assign sum[LOW-1:0] = first[LOW-1:0] | second[LOW-1:0];
          end
        end else begin : one
          assign sum = level[k-1].sums[SUM*2*m+:SUM];
        end
        if (KEPT == 1) begin : kept
          logic [SUM-1:0] sum_q;
          always_ff @(posedge clk_i) begin : step
            if (advance) sum_q <= sum;
          end
          assign sums[SUM*m+:SUM] = sum_q;
        end else begin : passed
          assign sums[SUM*m+:SUM] = sum;
        end
      end
    end
  end

  // waits[k]: the product, k stages behind the tree.
  for (genvar k = 0; k <= SPARE; k++) begin : wait_stage
    logic [SUM-1:0] word_q;
    if (k == 0) begin : first
      assign word_q = level[LEVELS].sums;
    end else begin : later
      always_ff @(posedge clk_i) begin : step
        if (advance) word_q <= wait_stage[k-1].word_q;
      end
    end
  end

  assign result_data_o = wait_stage[SPARE].word_q;
  assign result_valid_o = valid_q[LATENCY-1];
  assign advance = ~valid_q[LATENCY-1] | result_ready_i;

`ifdef SIMULATION
  // Channel law 2: an offered token stays, unchanged, until it is taken.
  logic result_waits_q;
  logic [T_WIDTH-1:0] result_waiting_q;

  always @(posedge clk_i) begin : law_2
    result_waits_q <= rst_ni & result_valid_o & ~result_ready_i;
    result_waiting_q <= result_data_o;
    if (rst_ni && result_waits_q) begin : result_stays
      assert (result_valid_o);
      assert (result_data_o === result_waiting_q);
    end
  end
`endif
endmodule
