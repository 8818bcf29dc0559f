// Division and remainder by ten: the decimal digits of a number, lowest first, and how many.
func.func @digits(%number: i32, %out: memref<10xi8>) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %result:2 = scf.while (%x = %number, %count = %zero) : (i32, i32) -> (i32, i32) {
    %digit = arith.remui %x, %ten : i32
    %byte = arith.trunci %digit : i32 to i8
    %at = arith.index_castui %count : i32 to index
    memref.store %byte, %out[%at] : memref<10xi8>
    %rest = arith.divui %x, %ten : i32
    %counted = arith.addi %count, %one : i32
    %more = arith.cmpi ne, %rest, %zero : i32
    scf.condition(%more) %rest, %counted : i32, i32
  } do {
  ^bb0(%x: i32, %count: i32):
    scf.yield %x, %count : i32, i32
  }
  return %result#1 : i32
}
