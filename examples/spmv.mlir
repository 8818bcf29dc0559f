// Sparse matrix (compressed rows) times vector: loop bounds come from memory, rows may be empty.
func.func @spmv(%rows: memref<11xi32>, %columns: memref<24xi32>, %values: memref<24xi32>,
                %x: memref<10xi32>, %y: memref<10xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c10 step %c1 {
    %next = arith.addi %i, %c1 : index
    %from = memref.load %rows[%i] : memref<11xi32>
    %to = memref.load %rows[%next] : memref<11xi32>
    %first = arith.index_cast %from : i32 to index
    %last = arith.index_cast %to : i32 to index
    %sum = scf.for %k = %first to %last step %c1 iter_args(%acc = %zero) -> (i32) {
      %column = memref.load %columns[%k] : memref<24xi32>
      %value = memref.load %values[%k] : memref<24xi32>
      %at = arith.index_cast %column : i32 to index
      %xk = memref.load %x[%at] : memref<10xi32>
      %product = arith.muli %value, %xk : i32
      %more = arith.addi %acc, %product : i32
      scf.yield %more : i32
    }
    memref.store %sum, %y[%i] : memref<10xi32>
  }
  return
}
