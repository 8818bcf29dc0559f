// Bit tricks of the math dialect over a loop with an unsigned i8 counter.
func.func @bits(%n: i8, %seed: i32) -> (i32, i32) {
  %from = arith.constant 0 : i8
  %step = arith.constant 3 : i8
  %zero = arith.constant 0 : i32
  %golden = arith.constant 0x9E3779B9 : i32
  %sums:2 = scf.for unsigned %i = %from to %n step %step
      iter_args(%ones = %zero, %x = %seed) -> (i32, i32) : i8 {
    %wide = arith.extui %i : i8 to i32
    %mixed = arith.muli %x, %golden : i32
    %next = arith.xori %mixed, %wide : i32
    %count = math.ctpop %next : i32
    %leading = math.ctlz %next : i32
    %both = arith.addi %count, %leading : i32
    %more = arith.addi %ones, %both : i32
    scf.yield %more, %next : i32, i32
  }
  return %sums#0, %sums#1 : i32, i32
}
