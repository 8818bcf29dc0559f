// Stores v at i, then loads from j; the memory keeps its words between activations.
handshake.func @memory(%i: index, %v: i32, %j: index, %start: none, ...) -> (i32, none) {
  %0:3 = memory[ld = 1, st = 1] (%dataResult, %addressResult, %addressResults)
      {id = 0 : i32, lsq = false} : memref<4xi32>, (i32, index, index) -> (i32, none, none)
  %dataResult, %addressResult = store [%i] %v, %start : index, i32
  %stored = join %start, %0#1 : none, none
  %word, %addressResults = load [%j] %0#0, %stored : index, i32
  %done = join %stored, %0#2 : none, none
  return %word, %done : i32, none
}
