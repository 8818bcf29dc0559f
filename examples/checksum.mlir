// i8 and i1 in, i16 and i64 out: Fletcher's checksum over the bytes that a mask selects.
func.func @checksum(%bytes: memref<40xi8>, %mask: memref<40xi1>) -> (i16, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %zero16 = arith.constant 0 : i16
  %zero64 = arith.constant 0 : i64
  %eight = arith.constant 8 : i16
  %modulus = arith.constant 255 : i16
  %three = arith.constant 3 : i64
  %sums:3 = scf.for %i = %c0 to %c40 step %c1
      iter_args(%low = %zero16, %high = %zero16, %wide = %zero64) -> (i16, i16, i64) {
    %selected = memref.load %mask[%i] : memref<40xi1>
    %byte = memref.load %bytes[%i] : memref<40xi8>
    %next:3 = scf.if %selected -> (i16, i16, i64) {
      %x = arith.extui %byte : i8 to i16
      %l = arith.addi %low, %x : i16
      %over = arith.cmpi uge, %l, %modulus : i16
      %less = arith.subi %l, %modulus : i16
      %newlow = arith.select %over, %less, %l : i16
      %h = arith.addi %high, %newlow : i16
      %hover = arith.cmpi uge, %h, %modulus : i16
      %hless = arith.subi %h, %modulus : i16
      %newhigh = arith.select %hover, %hless, %h : i16
      %signed = arith.extsi %byte : i8 to i64
      %triple = arith.muli %wide, %three : i64
      %newwide = arith.addi %triple, %signed : i64
      scf.yield %newlow, %newhigh, %newwide : i16, i16, i64
    } else {
      scf.yield %low, %high, %wide : i16, i16, i64
    }
    scf.yield %next#0, %next#1, %next#2 : i16, i16, i64
  }
  %shifted = arith.shli %sums#1, %eight : i16
  %sum = arith.ori %shifted, %sums#0 : i16
  return %sum, %sums#2 : i16, i64
}
