// A branch whose sides compute different values.
func.func @absolute_difference(%a: i32, %b: i32) -> i32 {
  %less = arith.cmpi slt, %a, %b : i32
  %difference = scf.if %less -> (i32) {
    %up = arith.subi %b, %a : i32
    scf.yield %up : i32
  } else {
    %down = arith.subi %a, %b : i32
    scf.yield %down : i32
  }
  return %difference : i32
}
