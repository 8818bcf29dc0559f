// Matrix times vector, the row sum in a register.
func.func @matvec(%m: memref<20x20xi32>, %v: memref<20xi32>, %out: memref<20xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c20 step %c1 {
    %sum = scf.for %j = %c0 to %c20 step %c1 iter_args(%acc = %zero) -> (i32) {
      %x = memref.load %m[%i, %j] : memref<20x20xi32>
      %y = memref.load %v[%j] : memref<20xi32>
      %product = arith.muli %x, %y : i32
      %next = arith.addi %acc, %product : i32
      scf.yield %next : i32
    }
    memref.store %sum, %out[%i] : memref<20xi32>
  }
  return
}
