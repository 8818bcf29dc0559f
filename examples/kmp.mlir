// Knuth-Morris-Pratt: a counted loop with a while inside that follows a failure table.
func.func @kmp(%pattern: memref<4xi8>, %failure: memref<4xi32>, %text: memref<96xi8>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %three = arith.constant 3 : i32
  %result:2 = scf.for %i = %c0 to %c96 step %c1
      iter_args(%matched = %zero, %count = %zero) -> (i32, i32) {
    %char = memref.load %text[%i] : memref<96xi8>
    %kept = scf.while (%q = %matched) : (i32) -> i32 {
      %positive = arith.cmpi sgt, %q, %zero : i32
      %at = arith.index_cast %q : i32 to index
      %p = memref.load %pattern[%at] : memref<4xi8>
      %differs = arith.cmpi ne, %p, %char : i8
      %again = arith.andi %positive, %differs : i1
      scf.condition(%again) %q : i32
    } do {
    ^bb0(%q: i32):
      %before = arith.subi %q, %one : i32
      %at = arith.index_cast %before : i32 to index
      %next = memref.load %failure[%at] : memref<4xi32>
      scf.yield %next : i32
    }
    %at = arith.index_cast %kept : i32 to index
    %p = memref.load %pattern[%at] : memref<4xi8>
    %equal = arith.cmpi eq, %p, %char : i8
    %step = arith.extui %equal : i1 to i32
    %longer = arith.addi %kept, %step : i32
    %whole = arith.cmpi eq, %longer, %four : i32
    %next:2 = scf.if %whole -> (i32, i32) {
      %at3 = arith.index_cast %three : i32 to index
      %shorter = memref.load %failure[%at3] : memref<4xi32>
      %more = arith.addi %count, %one : i32
      scf.yield %shorter, %more : i32, i32
    } else {
      scf.yield %longer, %count : i32, i32
    }
    scf.yield %next#0, %next#1 : i32, i32
  }
  return %result#1 : i32
}
