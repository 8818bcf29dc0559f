// A polynomial of degree 5 at many points, by Horner's rule with fused steps, in binary64.
func.func @polynomial_f64(%coefficients: memref<6xf64>, %points: memref<16xf64>,
                          %values: memref<16xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f64
  scf.for %i = %c0 to %c16 step %c1 {
    %x = memref.load %points[%i] : memref<16xf64>
    %value = scf.for %k = %c0 to %c6 step %c1 iter_args(%acc = %zero) -> (f64) {
      %c = memref.load %coefficients[%k] : memref<6xf64>
      %next = math.fma %acc, %x, %c : f64
      scf.yield %next : f64
    }
    memref.store %value, %values[%i] : memref<16xf64>
  }
  return
}
