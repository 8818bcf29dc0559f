// Euclid by subtraction: a while loop with two carried values and a branch.
func.func @gcd(%a: i32, %b: i32) -> i32 {
  %result:2 = scf.while (%x = %a, %y = %b) : (i32, i32) -> (i32, i32) {
    %differ = arith.cmpi ne, %x, %y : i32
    scf.condition(%differ) %x, %y : i32, i32
  } do {
  ^bb0(%x: i32, %y: i32):
    %greater = arith.cmpi ugt, %x, %y : i32
    %next:2 = scf.if %greater -> (i32, i32) {
      %less = arith.subi %x, %y : i32
      scf.yield %less, %y : i32, i32
    } else {
      %less = arith.subi %y, %x : i32
      scf.yield %x, %less : i32, i32
    }
    scf.yield %next#0, %next#1 : i32, i32
  }
  return %result#0 : i32
}
