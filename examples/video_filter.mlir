// Three planes of an image, each pixel less an offset and times a scale, in place.
func.func @video_filter(%r: memref<16x16xi32>, %g: memref<16x16xi32>, %b: memref<16x16xi32>,
                        %offset: i32, %scale: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c4 = arith.constant 4 : i32
  scf.for %row = %c0 to %c16 step %c1 {
    scf.for %column = %c0 to %c16 step %c1 {
      %red = memref.load %r[%row, %column] : memref<16x16xi32>
      %r0 = arith.subi %red, %offset : i32
      %r1 = arith.muli %r0, %scale : i32
      %r2 = arith.shrsi %r1, %c4 : i32
      memref.store %r2, %r[%row, %column] : memref<16x16xi32>
      %green = memref.load %g[%row, %column] : memref<16x16xi32>
      %g0 = arith.subi %green, %offset : i32
      %g1 = arith.muli %g0, %scale : i32
      %g2 = arith.shrsi %g1, %c4 : i32
      memref.store %g2, %g[%row, %column] : memref<16x16xi32>
      %blue = memref.load %b[%row, %column] : memref<16x16xi32>
      %b0 = arith.subi %blue, %offset : i32
      %b1 = arith.muli %b0, %scale : i32
      %b2 = arith.shrsi %b1, %c4 : i32
      memref.store %b2, %b[%row, %column] : memref<16x16xi32>
    }
  }
  return
}
