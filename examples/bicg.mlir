// Two products of a matrix in one pass: s = r a in memory, q = a p in memory.
func.func @bicg(%a: memref<16x16xi32>, %s: memref<16xi32>, %q: memref<16xi32>,
                %p: memref<16xi32>, %r: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c16 step %c1 {
      %x = memref.load %a[%i, %j] : memref<16x16xi32>
      %ri = memref.load %r[%i] : memref<16xi32>
      %sj = memref.load %s[%j] : memref<16xi32>
      %xr = arith.muli %x, %ri : i32
      %s1 = arith.addi %sj, %xr : i32
      memref.store %s1, %s[%j] : memref<16xi32>
      %pj = memref.load %p[%j] : memref<16xi32>
      %qi = memref.load %q[%i] : memref<16xi32>
      %xp = arith.muli %x, %pj : i32
      %q1 = arith.addi %qi, %xp : i32
      memref.store %q1, %q[%i] : memref<16xi32>
    }
  }
  return
}
