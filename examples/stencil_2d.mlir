// A 3x3 filter over an image: products and sums of nine pixels for each result.
func.func @stencil_2d(%image: memref<12x12xi32>, %filter: memref<3x3xi32>,
                      %out: memref<10x10xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c10 step %c1 {
    scf.for %j = %c0 to %c10 step %c1 {
      memref.store %zero, %out[%i, %j] : memref<10x10xi32>
      scf.for %di = %c0 to %c3 step %c1 {
        %y = arith.addi %i, %di : index
        scf.for %dj = %c0 to %c3 step %c1 {
          %x = arith.addi %j, %dj : index
          %pixel = memref.load %image[%y, %x] : memref<12x12xi32>
          %weight = memref.load %filter[%di, %dj] : memref<3x3xi32>
          %product = arith.muli %pixel, %weight : i32
          %sum = memref.load %out[%i, %j] : memref<10x10xi32>
          %more = arith.addi %sum, %product : i32
          memref.store %more, %out[%i, %j] : memref<10x10xi32>
        }
      }
    }
  }
  return
}
