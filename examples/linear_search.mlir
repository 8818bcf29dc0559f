// A while loop whose before region reads memory; the position is -1 if the key is not there.
func.func @linear_search(%a: memref<32xi32>, %key: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c31 = arith.constant 31 : index
  %absent = arith.constant -1 : i32
  %found:2 = scf.while (%i = %c0) : (index) -> (index, i1) {
    %last = arith.minui %i, %c31 : index
    %x = memref.load %a[%last] : memref<32xi32>
    %differs = arith.cmpi ne, %x, %key : i32
    %inside = arith.cmpi ult, %i, %c32 : index
    %again = arith.andi %differs, %inside : i1
    scf.condition(%again) %i, %inside : index, i1
  } do {
  ^bb0(%i: index, %inside: i1):
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  %position = arith.index_cast %found#0 : index to i32
  %result = arith.select %found#1, %position, %absent : i32
  return %result : i32
}
