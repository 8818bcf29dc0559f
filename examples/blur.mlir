// 3x3 mean of an image through a subview: the window's offset and strides take part.
func.func @blur(%image: memref<10x12xi32>, %out: memref<6x8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %nine = arith.constant 9 : i32
  %window = memref.subview %image[1, 2] [8, 10] [1, 1]
      : memref<10x12xi32> to memref<8x10xi32, strided<[12, 1], offset: 14>>
  scf.for %i = %c0 to %c6 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %sum = scf.for %di = %c0 to %c3 step %c1 iter_args(%rows = %zero) -> (i32) {
        %row = scf.for %dj = %c0 to %c3 step %c1 iter_args(%acc = %rows) -> (i32) {
          %y = arith.addi %i, %di : index
          %x = arith.addi %j, %dj : index
          %pixel = memref.load %window[%y, %x]
              : memref<8x10xi32, strided<[12, 1], offset: 14>>
          %more = arith.addi %acc, %pixel : i32
          scf.yield %more : i32
        }
        scf.yield %row : i32
      }
      %mean = arith.divsi %sum, %nine : i32
      memref.store %mean, %out[%i, %j] : memref<6x8xi32>
    }
  }
  return
}
