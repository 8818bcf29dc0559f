// Every element of an array times a factor, in place: no iteration waits for another.
func.func @vector_rescale(%a: memref<128xi32>, %c: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c1 {
    %x = memref.load %a[%i] : memref<128xi32>
    %y = arith.muli %x, %c : i32
    memref.store %y, %a[%i] : memref<128xi32>
  }
  return
}
