// Back substitution of one column: a[k][n] -= a[k][i] * x[i] for i below k.
func.func @triangular(%a: memref<12x12xi32>, %x: memref<12xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    scf.for %i = %c0 to %k step %c1 {
      %factor = memref.load %a[%k, %i] : memref<12x12xi32>
      %known = memref.load %x[%i] : memref<12xi32>
      %product = arith.muli %factor, %known : i32
      %old = memref.load %a[%k, %n] : memref<12x12xi32>
      %new = arith.subi %old, %product : i32
      memref.store %new, %a[%k, %n] : memref<12x12xi32>
    }
  }
  return
}
