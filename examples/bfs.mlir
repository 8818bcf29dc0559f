// Breadth-first search with a queue in a local array: loads, stores and bounds all depend on data.
func.func @bfs(%first: memref<9xi32>, %edges: memref<16xi32>, %root: i32, %level: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %unseen = arith.constant -1 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %queue = memref.alloc() : memref<8xi32>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %unseen, %level[%i] : memref<8xi32>
  }
  %start = arith.index_cast %root : i32 to index
  memref.store %zero, %level[%start] : memref<8xi32>
  memref.store %root, %queue[%c0] : memref<8xi32>
  %end:2 = scf.while (%head = %c0, %tail = %c1) : (index, index) -> (index, index) {
    %more = arith.cmpi ult, %head, %tail : index
    scf.condition(%more) %head, %tail : index, index
  } do {
  ^bb0(%head: index, %tail: index):
    %node = memref.load %queue[%head] : memref<8xi32>
    %at = arith.index_cast %node : i32 to index
    %after = arith.addi %at, %c1 : index
    %depth = memref.load %level[%at] : memref<8xi32>
    %deeper = arith.addi %depth, %one : i32
    %from = memref.load %first[%at] : memref<9xi32>
    %to = memref.load %first[%after] : memref<9xi32>
    %low = arith.index_cast %from : i32 to index
    %high = arith.index_cast %to : i32 to index
    %newtail = scf.for %e = %low to %high step %c1 iter_args(%t = %tail) -> (index) {
      %next = memref.load %edges[%e] : memref<16xi32>
      %where = arith.index_cast %next : i32 to index
      %known = memref.load %level[%where] : memref<8xi32>
      %fresh = arith.cmpi eq, %known, %unseen : i32
      %pushed = scf.if %fresh -> (index) {
        memref.store %deeper, %level[%where] : memref<8xi32>
        memref.store %next, %queue[%t] : memref<8xi32>
        %grown = arith.addi %t, %c1 : index
        scf.yield %grown : index
      } else {
        scf.yield %t : index
      }
      scf.yield %pushed : index
    }
    %newhead = arith.addi %head, %c1 : index
    scf.yield %newhead, %newtail : index, index
  }
  memref.dealloc %queue : memref<8xi32>
  return
}
