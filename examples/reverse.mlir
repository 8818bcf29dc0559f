// A local array: copy in, write back mirrored.
func.func @reverse(%a: memref<24xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c23 = arith.constant 23 : index
  %c24 = arith.constant 24 : index
  %local = memref.alloca() : memref<24xi16>
  scf.for %i = %c0 to %c24 step %c1 {
    %x = memref.load %a[%i] : memref<24xi16>
    memref.store %x, %local[%i] : memref<24xi16>
  }
  scf.for %i = %c0 to %c24 step %c1 {
    %mirrored = arith.subi %c23, %i : index
    %x = memref.load %local[%mirrored] : memref<24xi16>
    memref.store %x, %a[%i] : memref<24xi16>
  }
  return
}
