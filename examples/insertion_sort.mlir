// Sort in place: the while loop reads memory in its condition and writes it in its body.
func.func @insertion_sort(%a: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %false = arith.constant false
  scf.for %i = %c1 to %c16 step %c1 {
    %key = memref.load %a[%i] : memref<16xi32>
    %place = scf.while (%j = %i) : (index) -> index {
      %inside = arith.cmpi ugt, %j, %c0 : index
      %again = scf.if %inside -> (i1) {
        %left = arith.subi %j, %c1 : index
        %x = memref.load %a[%left] : memref<16xi32>
        %greater = arith.cmpi sgt, %x, %key : i32
        scf.yield %greater : i1
      } else {
        scf.yield %false : i1
      }
      scf.condition(%again) %j : index
    } do {
    ^bb0(%j: index):
      %left = arith.subi %j, %c1 : index
      %x = memref.load %a[%left] : memref<16xi32>
      memref.store %x, %a[%j] : memref<16xi32>
      scf.yield %left : index
    }
    memref.store %key, %a[%place] : memref<16xi32>
  }
  return
}
