// A nest whose inner loop runs 0, 1, 2, ... times, with a store in the outer body.
func.func @triangle(%n: index, %a: memref<12xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%all = %zero) -> (i32) {
    %row = scf.for %j = %c0 to %i step %c1 iter_args(%acc = %zero) -> (i32) {
      %x = memref.load %a[%j] : memref<12xi32>
      %next = arith.addi %acc, %x : i32
      scf.yield %next : i32
    }
    memref.store %row, %a[%i] : memref<12xi32>
    %more = arith.addi %all, %row : i32
    scf.yield %more : i32
  }
  return %total : i32
}
