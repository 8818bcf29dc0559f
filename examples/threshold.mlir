// Predicated stores: dark pixels become black, and the number of the others is the result.
func.func @threshold(%r: memref<64xi8>, %g: memref<64xi8>, %b: memref<64xi8>, %limit: i16) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %black = arith.constant 0 : i8
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %bright = scf.for %i = %c0 to %c64 step %c1 iter_args(%count = %zero) -> (i32) {
    %red = memref.load %r[%i] : memref<64xi8>
    %green = memref.load %g[%i] : memref<64xi8>
    %blue = memref.load %b[%i] : memref<64xi8>
    %x = arith.extui %red : i8 to i16
    %y = arith.extui %green : i8 to i16
    %z = arith.extui %blue : i8 to i16
    %xy = arith.addi %x, %y : i16
    %sum = arith.addi %xy, %z : i16
    %dark = arith.cmpi ule, %sum, %limit : i16
    %next = scf.if %dark -> (i32) {
      memref.store %black, %r[%i] : memref<64xi8>
      memref.store %black, %g[%i] : memref<64xi8>
      memref.store %black, %b[%i] : memref<64xi8>
      scf.yield %count : i32
    } else {
      %more = arith.addi %count, %one : i32
      scf.yield %more : i32
    }
    scf.yield %next : i32
  }
  return %bright : i32
}
