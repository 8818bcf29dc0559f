// 2 (a + b) - 1, and whether a is below b; values have several readers, and none.
handshake.func @straight_line(%a: i16, %b: i16, %start: none, ...) -> (i16, i1, none) {
  %sum = arith.addi %a, %b : i16
  %one = constant %start {value = 1 : i16} : i16
  %spare = constant %start {value = 5 : i8} : i8
  %double = arith.shli %sum, %one : i16
  %result = arith.subi %double, %one : i16
  %below = arith.cmpi slt, %a, %b : i16
  return %result, %below, %start : i16, i1, none
}
