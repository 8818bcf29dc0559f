// Read, add, write back at an address that the data decide.
func.func @histogram(%feature: memref<64xi32>, %weight: memref<64xi32>, %bins: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %f = memref.load %feature[%i] : memref<64xi32>
    %w = memref.load %weight[%i] : memref<64xi32>
    %bin = arith.index_cast %f : i32 to index
    %old = memref.load %bins[%bin] : memref<16xi32>
    %new = arith.addi %old, %w : i32
    memref.store %new, %bins[%bin] : memref<16xi32>
  }
  return
}
