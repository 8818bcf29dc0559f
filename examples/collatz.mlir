// Steps until 1: a while loop without memory whose trip count the data decide.
func.func @collatz(%n: i64) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %one64 = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %result:2 = scf.while (%x = %n, %steps = %zero) : (i64, i32) -> (i64, i32) {
    %more = arith.cmpi ugt, %x, %one64 : i64
    scf.condition(%more) %x, %steps : i64, i32
  } do {
  ^bb0(%x: i64, %steps: i32):
    %odd = arith.trunci %x : i64 to i1
    %next = scf.if %odd -> (i64) {
      %triple = arith.muli %x, %three : i64
      %up = arith.addi %triple, %one64 : i64
      scf.yield %up : i64
    } else {
      %half = arith.shrui %x, %one64 : i64
      scf.yield %half : i64
    }
    %counted = arith.addi %steps, %one : i32
    scf.yield %next, %counted : i64, i32
  }
  return %result#1 : i32
}
