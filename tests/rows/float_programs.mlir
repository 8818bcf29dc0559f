=== dot product of f32, fused and not
func.func @dot(%a: memref<8xf32>, %b: memref<8xf32>, %n: index) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant -0.0 : f32
  %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%f = %zero, %g = %zero) -> (f32, f32) {
    %x = memref.load %a[%i] : memref<8xf32>
    %y = memref.load %b[%i] : memref<8xf32>
    %p = arith.mulf %x, %y fastmath<contract> : f32
    %h = arith.addf %p, %f fastmath<contract> : f32
    %k = math.fma %x, %y, %g : f32
    scf.yield %h, %k : f32, f32
  }
  return %s#0, %s#1 : f32, f32
}
=== polynomial of f64 with its coefficients in a global
memref.global "private" constant @c : memref<5xf64> = dense<[1.0, -0.5, 4.1666666666666664e-02, 0x3F11DF46A2529D39, -0.0]>
func.func @horner(%x: f64, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %c = memref.get_global @c : memref<5xf64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f64 {
    %k = memref.load %c[%i] : memref<5xf64>
    %t = arith.mulf %s, %x : f64
    %u = arith.addf %t, %k : f64
    scf.yield %u : f64
  }
  return %r : f64
}
=== filter of f16 that sums in f32
func.func @filter(%x: memref<8xf16>, %w: memref<3xf16>, %y: memref<8xf16>, %n: index) {
  affine.for %i = 0 to 6 {
    %zero = arith.constant 0.0 : f32
    %s = affine.for %k = 0 to 3 iter_args(%acc = %zero) -> f32 {
      %a = affine.load %x[%i + %k] : memref<8xf16>
      %b = affine.load %w[%k] : memref<3xf16>
      %wa = arith.extf %a : f16 to f32
      %wb = arith.extf %b : f16 to f32
      %p = arith.mulf %wa, %wb : f32
      %t = arith.addf %acc, %p : f32
      affine.yield %t : f32
    }
    %r = arith.truncf %s to_nearest_even fastmath<fast> : f32 to f16
    affine.store %r, %y[%i] : memref<8xf16>
  }
  return
}
=== root by Newton's steps until they change nothing
func.func @newton(%a: f32, %n: index) -> (f32, i8) {
  %half = arith.constant 0.5 : f32
  %one8 = arith.constant 1 : i8
  %most = arith.constant 12 : i8
  %zero8 = arith.constant 0 : i8
  %x0 = math.absf %a : f32
  %r:2 = scf.while (%x = %x0, %k = %zero8) : (f32, i8) -> (f32, i8) {
    %q = arith.divf %x0, %x : f32
    %s = arith.addf %x, %q : f32
    %next = arith.mulf %s, %half : f32
    %moves = arith.cmpf one, %next, %x : f32
    %left = arith.cmpi ult, %k, %most : i8
    %go = arith.andi %moves, %left : i1
    scf.condition(%go) %next, %k : f32, i8
  } do {
  ^bb0(%x: f32, %k: i8):
    %next = arith.addi %k, %one8 : i8
    scf.yield %x, %next : f32, i8
  }
  %exact = math.sqrt %x0 : f32
  %off = arith.subf %exact, %r#0 : f32
  return %off, %r#1 : f32, i8
}
=== branches, choices and bits of floats
func.func @bits(%a: f32, %b: f32, %h: f16, %z: bf16, %n: index) -> (f32, i32, i16, f16, bf16, f32) {
  %nan = arith.constant 0x7F800001 : f32
  %tiny = arith.constant 1.0e-45 : f32
  %less = arith.cmpf ult, %a, %b : f32
  %r = scf.if %less -> f32 {
    %d = arith.divf %a, %b : f32
    scf.yield %d : f32
  } else {
    %m = arith.remf %a, %b : f32
    scf.yield %m : f32
  }
  %sel = arith.select %less, %nan, %tiny : f32
  %word = arith.bitcast %sel : f32 to i32
  %bits = arith.bitcast %h : f16 to i16
  %as16 = arith.bitcast %z : bf16 to f16
  %neg = arith.negf %z : bf16
  %back = arith.bitcast %word : i32 to f32
  %minus = arith.negf %back : f32
  return %r, %word, %bits, %as16, %neg, %minus : f32, i32, i16, f16, bf16, f32
}
=== integers from floats and back
func.func @casts(%a: f32, %d: f64, %i: i64, %j: i8, %n: index) -> (i16, i8, f32, f16, bf16, f64, index) {
  %low = arith.constant -300.0 : f32
  %high = arith.constant 300.0 : f32
  %x = arith.maxnumf %a, %low : f32
  %y = arith.minnumf %x, %high : f32
  %s = arith.fptosi %y : f32 to i16
  %zero = arith.constant 0.0 : f64
  %most = arith.constant 2.559e+02 : f64
  %u = arith.maxnumf %d, %zero : f64
  %v = arith.minnumf %u, %most : f64
  %w = arith.fptoui %v : f64 to i8
  %e = arith.sitofp %i : i64 to f32
  %f = arith.uitofp %j : i8 to f16
  %g = arith.uitofp %i : i64 to bf16
  %h = arith.sitofp %s : i16 to f64
  %t = arith.fptosi %h : f64 to i64
  %ix = arith.index_cast %t : i64 to index
  return %s, %w, %e, %f, %g, %h, %ix : i16, i8, f32, f16, bf16, f64, index
}
=== copies and extremes of a two-dimensional array
func.func @extremes(%m: memref<2x3xf64>, %o: memref<2x3xf64>, %n: index) -> (f64, f64, f64, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %t = memref.alloc() : memref<2x3xf64>
  memref.copy %m, %t : memref<2x3xf64> to memref<2x3xf64>
  %minf = arith.constant 0xFFF0000000000000 : f64
  %pinf = arith.constant 0x7FF0000000000000 : f64
  %r:4 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %minf, %b = %pinf, %c = %minf, %d = %pinf) -> (f64, f64, f64, f64) {
    %q:4 = scf.for %j = %c0 to %c3 step %c1 iter_args(%e = %a, %f = %b, %g = %c, %h = %d) -> (f64, f64, f64, f64) {
      %x = memref.load %t[%i, %j] : memref<2x3xf64>
      %k = arith.maximumf %e, %x : f64
      %l = arith.minimumf %f, %x : f64
      %p = arith.maxnumf %g, %x : f64
      %s = arith.minnumf %h, %x : f64
      scf.yield %k, %l, %p, %s : f64, f64, f64, f64
    }
    scf.yield %q#0, %q#1, %q#2, %q#3 : f64, f64, f64, f64
  }
  memref.copy %t, %o : memref<2x3xf64> to memref<2x3xf64>
  return %r#0, %r#1, %r#2, %r#3 : f64, f64, f64, f64
}
=== roundings and questions in a called function
func.func private @kinds(%x: f32) -> (f32, i1, i1, i1, i1) {
  %f = math.floor %x : f32
  %c = math.ceil %f : f32
  %t = math.trunc %x : f32
  %r = math.round %t : f32
  %e = math.roundeven %x fastmath<fast> : f32
  %s = math.copysign %e, %r : f32
  %y = arith.addf %s, %c : f32
  %0 = math.isnan %x : f32
  %1 = math.isinf %x : f32
  %2 = math.isfinite %x : f32
  %3 = math.isnormal %x : f32
  return %y, %0, %1, %2, %3 : f32, i1, i1, i1, i1
}
func.func @ask(%x: f32, %m: memref<4xi8>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %y, %a, %b, %c, %d = func.call @kinds(%x) : (f32) -> (f32, i1, i1, i1, i1)
  %wa = arith.extui %a : i1 to i8
  %wb = arith.extui %b : i1 to i8
  %wc = arith.extui %c : i1 to i8
  %wd = arith.extui %d : i1 to i8
  memref.store %wa, %m[%c0] : memref<4xi8>
  memref.store %wb, %m[%c1] : memref<4xi8>
  memref.store %wc, %m[%c2] : memref<4xi8>
  memref.store %wd, %m[%c3] : memref<4xi8>
  return %y : f32
}
=== floats are no integers to the rewrites
func.func @kept(%x: f32, %n: index) -> (f32, f32, f32, f32, i1, i1, i1, f32) {
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %one = arith.constant 1.0 : f32
  %a = arith.addf %x, %zero : f32
  %b = arith.subf %x, %x : f32
  %c = arith.mulf %x, %zero : f32
  %d = arith.divf %x, %x : f32
  %e = arith.cmpf oeq, %x, %x : f32
  %f = arith.cmpf une, %x, %x : f32
  %g = arith.cmpf uge, %x, %x : f32
  %h = arith.mulf %minus, %one : f32
  %i = arith.addf %h, %minus : f32
  return %a, %b, %c, %d, %e, %f, %g, %i : f32, f32, f32, f32, i1, i1, i1, f32
}
=== a constant for each bit pattern
func.func @constants(%c: i1, %n: index) -> (f32, f32, f16, f16, bf16, f64, i32) {
  %0 = arith.constant 0.0 : f32
  %1 = arith.constant -0.0 : f32
  %2 = arith.constant 0x7E01 : f16
  %3 = arith.constant 0xFE00 : f16
  %4 = arith.constant 0x7F81 : bf16
  %5 = arith.constant 0xFFF0000000000001 : f64
  %6 = arith.constant 1.0e+300 : f32
  %7 = arith.bitcast %6 : f32 to i32
  %8 = arith.select %c, %0, %1 : f32
  return %8, %1, %2, %3, %4, %5, %7 : f32, f32, f16, f16, bf16, f64, i32
}
=== atomic accesses, reductions and switches of floats
func.func @more(%m: memref<8xf32>, %x: f32, %k: index, %n: index) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %a = memref.atomic_rmw addf %x, %m[%c0] : (f32, memref<8xf32>) -> f32
  %b = memref.atomic_rmw mulf %x, %m[%c1] : (f32, memref<8xf32>) -> f32
  %c = memref.atomic_rmw maximumf %x, %m[%c2] : (f32, memref<8xf32>) -> f32
  %d = memref.atomic_rmw minimumf %x, %m[%c3] : (f32, memref<8xf32>) -> f32
  %e = memref.atomic_rmw maxnumf %x, %m[%c4] : (f32, memref<8xf32>) -> f32
  %f = memref.atomic_rmw minnumf %x, %m[%c5] : (f32, memref<8xf32>) -> f32
  %g = memref.atomic_rmw assign %x, %m[%c5] : (f32, memref<8xf32>) -> f32
  %z = arith.constant -0.0 : f32
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%z) -> f32 {
    %v = memref.load %m[%i] : memref<8xf32>
    scf.reduce(%v : f32) {
    ^bb0(%l: f32, %s: f32):
      %t = arith.addf %l, %s : f32
      scf.reduce.return %t : f32
    }
  }
  %w = scf.index_switch %k -> f32
  case 0 {
    scf.yield %a : f32
  }
  case 1 {
    %p = arith.mulf %b, %x : f32
    scf.yield %p : f32
  }
  default {
    scf.yield %g : f32
  }
  %h = arith.subf %c, %d : f32
  %q = arith.addf %e, %h : f32
  return %r, %w, %q : f32, f32, f32
}
