// Dot product of samples and reversed coefficients.
func.func @fir(%samples: memref<100xi32>, %taps: memref<100xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c99 = arith.constant 99 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %c100 step %c1 iter_args(%acc = %zero) -> (i32) {
    %mirrored = arith.subi %c99, %i : index
    %sample = memref.load %samples[%i] : memref<100xi32>
    %tap = memref.load %taps[%mirrored] : memref<100xi32>
    %product = arith.muli %sample, %tap : i32
    %next = arith.addi %acc, %product : i32
    scf.yield %next : i32
  }
  return %sum : i32
}
