// A 3x3 filter with constant weights: two windows in a row, which share columns, in one loop.
memref.global "private" constant @weights : memref<3x3xi32> = dense<[[1, 2, 1], [2, 4, 2], [1, 2, 1]]>
func.func @window(%image: memref<10x12xi32>, %out: memref<8x10xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %weights = memref.get_global @weights : memref<3x3xi32>
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c10 step %c1 {
      %sum = scf.for %di = %c0 to %c3 step %c1 iter_args(%rows = %zero) -> (i32) {
        %row = scf.for %dj = %c0 to %c3 step %c1 iter_args(%acc = %rows) -> (i32) {
          %y = arith.addi %i, %di : index
          %x = arith.addi %j, %dj : index
          %pixel = memref.load %image[%y, %x] : memref<10x12xi32>
          %weight = memref.load %weights[%di, %dj] : memref<3x3xi32>
          %product = arith.muli %pixel, %weight : i32
          %more = arith.addi %acc, %product : i32
          scf.yield %more : i32
        } {loom.unroll = "full"}
        scf.yield %row : i32
      } {loom.unroll = "full"}
      %mean = arith.shrsi %sum, %four : i32
      memref.store %mean, %out[%i, %j] : memref<8x10xi32>
    } {loom.unroll = 2 : i64, loom.ii = 12 : i64}
  } {loom.flatten}
  return
}
