// A filter of three taps over samples in binary16, summed in binary32 and clamped.
func.func @smooth_f16(%samples: memref<34xf16>, %smooth: memref<32xf16>, %limit: f16) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %quarter = arith.constant 0.25 : f32
  %half = arith.constant 0.5 : f32
  %lower = arith.negf %limit : f16
  scf.for %i = %c0 to %c32 step %c1 {
    %next = arith.addi %i, %c1 : index
    %last = arith.addi %i, %c2 : index
    %a = memref.load %samples[%i] : memref<34xf16>
    %b = memref.load %samples[%next] : memref<34xf16>
    %c = memref.load %samples[%last] : memref<34xf16>
    %a32 = arith.extf %a : f16 to f32
    %b32 = arith.extf %b : f16 to f32
    %c32f = arith.extf %c : f16 to f32
    %sides = arith.addf %a32, %c32f : f32
    %outer = arith.mulf %sides, %quarter : f32
    %middle = arith.mulf %b32, %half : f32
    %sum = arith.addf %outer, %middle : f32
    %narrow = arith.truncf %sum : f32 to f16
    %below = arith.minimumf %narrow, %limit : f16
    %clamped = arith.maximumf %below, %lower : f16
    memref.store %clamped, %smooth[%i] : memref<32xf16>
  }
  return
}
