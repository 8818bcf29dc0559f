// Dot product in binary32; each sum waits for the one before.
func.func @dot_f32(%a: memref<32xf32>, %b: memref<32xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c32 step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = memref.load %a[%i] : memref<32xf32>
    %y = memref.load %b[%i] : memref<32xf32>
    %product = arith.mulf %x, %y : f32
    %next = arith.addf %acc, %product : f32
    scf.yield %next : f32
  }
  return %sum : f32
}
