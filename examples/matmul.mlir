// 8x8 matrix product written with the affine dialect.
func.func @matmul(%a: memref<8x8xi32>, %b: memref<8x8xi32>, %c: memref<8x8xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %sum = affine.for %k = 0 to 8 iter_args(%acc = %zero) -> (i32) {
        %x = affine.load %a[%i, %k] : memref<8x8xi32>
        %y = affine.load %b[%k, %j] : memref<8x8xi32>
        %product = arith.muli %x, %y : i32
        %next = arith.addi %acc, %product : i32
        affine.yield %next : i32
      }
      affine.store %sum, %c[%i, %j] : memref<8x8xi32>
    }
  }
  return
}
