// Three arrays, one store an iteration.
func.func @vecadd(%a: memref<100xi32>, %b: memref<100xi32>, %c: memref<100xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.for %i = %c0 to %c100 step %c1 {
    %x = memref.load %a[%i] : memref<100xi32>
    %y = memref.load %b[%i] : memref<100xi32>
    %sum = arith.addi %x, %y : i32
    memref.store %sum, %c[%i] : memref<100xi32>
  }
  return
}
