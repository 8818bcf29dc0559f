// Private functions are inlined; the loop body calls one that branches.
func.func private @clamp(%x: i32, %low: i32, %high: i32) -> i32 {
  %above = arith.maxsi %x, %low : i32
  %both = arith.minsi %above, %high : i32
  return %both : i32
}
func.func private @weigh(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %negative = arith.cmpi slt, %x, %zero : i32
  %y = scf.if %negative -> (i32) {
    %doubled = arith.muli %x, %two : i32
    scf.yield %doubled : i32
  } else {
    scf.yield %x : i32
  }
  return %y : i32
}
func.func @clamp_sum(%a: memref<20xi32>, %low: i32, %high: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %c20 step %c1 iter_args(%acc = %zero) -> (i32) {
    %x = memref.load %a[%i] : memref<20xi32>
    %y = func.call @clamp(%x, %low, %high) : (i32, i32, i32) -> i32
    %z = func.call @weigh(%y) : (i32) -> i32
    %next = arith.addi %acc, %z : i32
    scf.yield %next : i32
  }
  return %sum : i32
}
