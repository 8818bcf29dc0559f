// A sum of differences of squares that ends at 65535: for the pass and the dialect of this package.
func.func @distance(%x: memref<16xi16>, %y: memref<16xi16>) -> i16 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %16 = arith.constant 16 : index
  %nothing = arith.constant 0 : i16
  %sum = scf.for %i = %0 to %16 step %1 iter_args(%total = %nothing) -> (i16) {
    %left = memref.load %x[%i] : memref<16xi16>
    %right = memref.load %y[%i] : memref<16xi16>
    %square = arith.muli %left, %left : i16
    %other = arith.muli %right, %right : i16
    %difference = arith.subi %square, %other : i16
    %next = sat.addui %total, %difference : i16
    scf.yield %next : i16
  }
  return %sum : i16
}
