// Two carried values that swap places; n = 0 gives 0.
func.func @fibonacci(%n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %f:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %one) -> (i64, i64) {
    %sum = arith.addi %a, %b : i64
    scf.yield %b, %sum : i64, i64
  }
  return %f#0 : i64
}
