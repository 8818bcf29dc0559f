=== switch with results, negative cases, gaps and memory
func.func @f(%n: index, %m: memref<4xi32>, %a: i32, %b: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %k = arith.subi %n, %c3 : index
  %s:2 = scf.index_switch %k -> i32, i32
  case -3 {
    scf.yield %a, %b : i32, i32
  }
  case 2 {
    memref.store %a, %m[%c0] : memref<4xi32>
    scf.yield %b, %b : i32, i32
  }
  case -1 {
    %v = memref.load %m[%c3] : memref<4xi32>
    scf.yield %v, %a : i32, i32
  }
  default {
    %v = arith.addi %a, %b : i32
    scf.yield %v, %a : i32, i32
  }
  return %s#0, %s#1 : i32, i32
}
=== switch of many cases without gaps, nested, an empty default
func.func @f(%n: index, %k: index, %m: memref<4xi32>, %a: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.index_switch %i
    case 0 {
      memref.store %a, %m[%c0] : memref<4xi32>
      scf.yield
    }
    case 1 {
      scf.index_switch %k
      case 1 {
        memref.store %a, %m[%c1] : memref<4xi32>
        scf.yield
      }
      default {
        memref.store %a, %m[%c2] : memref<4xi32>
        scf.yield
      }
      scf.yield
    }
    case 2 {
      scf.yield
    }
    case 3 {
      %v = memref.load %m[%c0] : memref<4xi32>
      %w = arith.addi %v, %a : i32
      memref.store %w, %m[%c0] : memref<4xi32>
      scf.yield
    }
    default {
      scf.yield
    }
  }
  return
}
=== switch without cases
func.func @f(%n: index, %a: i32) -> i32 {
  %r = scf.index_switch %n -> i32
  default {
    %v = arith.addi %a, %a : i32
    scf.yield %v : i32
  }
  return %r : i32
}
=== parallel loop with two reductions, which use values of the body
func.func @f(%n: index, %k: index, %m: memref<8x4xi32>, %a: i32, %b: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %k) step (%c2, %c1) init (%a, %b) -> (i32, i32) {
    %v = memref.load %m[%i, %j] : memref<8x4xi32>
    scf.reduce(%v, %v : i32, i32) {
    ^bb0(%x: i32, %y: i32):
      %z = arith.subi %x, %y : i32
      scf.reduce.return %z : i32
    }, {
    ^bb0(%x: i32, %y: i32):
      %z = arith.muli %x, %v : i32
      %w = arith.addi %z, %y : i32
      scf.reduce.return %w : i32
    }
  }
  return %r#0, %r#1 : i32, i32
}
=== parallel loops without results, one in another
func.func @f(%n: index, %k: index, %m: memref<8x4xi32>, %a: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%k) to (%n) step (%c1) {
      %l = arith.minui %j, %k : index
      memref.store %a, %m[%i, %l] : memref<8x4xi32>
    }
  }
  return
}
=== forall with bounds of both kinds, steps, and none
func.func @f(%n: index, %k: index, %m: memref<8x4xi32>, %a: i32, %b: i32) {
  %c1 = arith.constant 1 : index
  scf.forall (%i, %j) in (%n, 4) {
    memref.store %a, %m[%i, %j] : memref<8x4xi32>
  }
  scf.forall (%i, %j) = (1, %k) to (8, 4) step (3, %c1) {
    memref.store %b, %m[%i, %j] : memref<8x4xi32>
    scf.forall.in_parallel {
    }
  }
  return
}
=== forall without a dimension (no judge)
func.func @f(%m: memref<4xi32>, %a: i32) {
  %c1 = arith.constant 1 : index
  scf.forall () in () {
    memref.store %a, %m[%c1] : memref<4xi32>
  }
  return
}
=== affine parallel loop with bounds in groups and integer reductions
func.func @f(%n: index, %k: index, %m: memref<8x4xi32>) -> (i32, i32, i32, i32) {
  %r:4 = affine.parallel (%i, %j) = (0, max(0, %k - 2)) to (min(%n, 6), min(4, symbol(%k) + 1)) step (2, 1) reduce ("addi", "muli", "ori", "andi") -> (i32, i32, i32, i32) {
    %v = affine.load %m[%i + 1, %j] : memref<8x4xi32>
    affine.yield %v, %v, %v, %v : i32, i32, i32, i32
  }
  affine.parallel (%i) = (0) to (%n) {
    affine.store %r#0, %m[%i, 0] : memref<8x4xi32>
  }
  return %r#0, %r#1, %r#2, %r#3 : i32, i32, i32, i32
}
=== affine reductions of other kinds, and without a dimension (no judge)
func.func @f(%n: index, %m: memref<8xi8>, %a: i8) -> (i8, i8, i8, i8, i8, i8) {
  %r:5 = affine.parallel (%i) = (0) to (%n) reduce ("maxs", "maxu", "mins", "minu", "xori") -> (i8, i8, i8, i8, i8) {
    %v = affine.load %m[%i] : memref<8xi8>
    affine.yield %v, %v, %v, %v, %v : i8, i8, i8, i8, i8
  }
  %q = affine.parallel () = () to () reduce ("addi") -> i8 {
    affine.yield %a : i8
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4, %q : i8, i8, i8, i8, i8, i8
}
=== index arithmetic of affine
func.func @f(%n: index, %k: index) -> (index, index, index, index, index, index, index, index) {
  %c1 = arith.constant 1 : index
  %p = arith.addi %k, %c1 : index
  %x = affine.max affine_map<(d0)[s0] -> (d0 * 7 - 9, s0, d0 - s0)>(%n)[%k]
  %y = affine.min affine_map<(d0)[s0] -> (d0 * 7 - 9, s0 + 1)>(%n)[%k]
  %d:3 = affine.delinearize_index %x into (2, 3, 4) : index, index, index
  %e:2 = affine.delinearize_index %y into (%p) : index, index
  %l = affine.linearize_index [%d#0, %d#2, %k] by (%p, 5) : index
  %o = affine.linearize_index disjoint [%d#1, %k] by (3, %p) : index
  return %x, %y, %d#0, %d#1, %d#2, %e#0, %e#1, %l : index, index, index, index, index, index, index, index
}
=== atomic accesses of every integer kind
func.func @f(%n: index, %m: memref<10xi16>, %a: i16) -> (i16, i16, i16) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.atomic_rmw addi %a, %m[%c0] : (i16, memref<10xi16>) -> i16
    %1 = memref.atomic_rmw andi %0, %m[%c1] : (i16, memref<10xi16>) -> i16
    %2 = memref.atomic_rmw maxs %a, %m[%c3] : (i16, memref<10xi16>) -> i16
    %3 = memref.atomic_rmw maxu %a, %m[%c4] : (i16, memref<10xi16>) -> i16
    %4 = memref.atomic_rmw mins %a, %m[%c5] : (i16, memref<10xi16>) -> i16
    %5 = memref.atomic_rmw minu %a, %m[%c6] : (i16, memref<10xi16>) -> i16
    %6 = memref.atomic_rmw ori %5, %m[%c8] : (i16, memref<10xi16>) -> i16
  }
  %r = memref.atomic_rmw assign %a, %m[%c2] : (i16, memref<10xi16>) -> i16
  %s = memref.generic_atomic_rmw %m[%c7] : memref<10xi16> {
  ^bb0(%old: i16):
    %t = arith.muli %old, %a : i16
    memref.atomic_yield %t : i16
  }
  %u = memref.load %m[%c7] : memref<10xi16>
  return %r, %s, %u : i16, i16, i16
}
=== atomic products and exclusive ors (no judge)
func.func @f(%n: index, %m: memref<2xi16>, %a: i16) -> (i16, i16) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = memref.atomic_rmw muli %a, %m[%c0] : (i16, memref<2xi16>) -> i16
  %1 = memref.atomic_rmw xori %a, %m[%c1] : (i16, memref<2xi16>) -> i16
  return %0, %1 : i16, i16
}
=== scope of a local array in a loop
func.func @f(%n: index, %a: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (i32) {
    %y = memref.alloca_scope -> (i32) {
      %l = memref.alloca() : memref<i32>
      memref.store %x, %l[] : memref<i32>
      %v = memref.load %l[] : memref<i32>
      %w = arith.addi %v, %a : i32
      memref.alloca_scope.return %w : i32
    }
    memref.alloca_scope {
    }
    scf.yield %y : i32
  }
  return %r : i32
}
=== views that turn, promise and take apart
func.func @f(%m: memref<3x4xi32>, %b: memref<24xi8>, %k: index) -> (i32, i32, i8, index, index, index, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.transpose %m (i, j) -> (j, i) : memref<3x4xi32> to memref<4x3xi32, strided<[1, 4]>>
  %0 = memref.load %t[%k, %c1] : memref<4x3xi32, strided<[1, 4]>>
  %s = memref.subview %m[1, %k] [2, 1] [1, 1] : memref<3x4xi32> to memref<2x1xi32, strided<[4, 1], offset: ?>>
  %u = memref.transpose %s (a, b) -> (b, a) : memref<2x1xi32, strided<[4, 1], offset: ?>> to memref<1x2xi32, strided<[1, 4], offset: ?>>
  %1 = memref.load %u[%c0, %c1] : memref<1x2xi32, strided<[1, 4], offset: ?>>
  %v = memref.view %b[%k][] : memref<24xi8> to memref<4x5xi8>
  %2 = memref.load %v[%c1, %k] : memref<4x5xi8>
  %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %u : memref<1x2xi32, strided<[1, 4], offset: ?>> -> memref<i32>, index, index, index, index, index
  %r = memref.rank %u : memref<1x2xi32, strided<[1, 4], offset: ?>>
  %p = memref.reinterpret_cast %base to offset: [%offset], sizes: [1, 2], strides: [%strides#0, %strides#1] : memref<i32> to memref<1x2xi32, strided<[?, ?], offset: ?>>
  %q = memref.assume_alignment %p, 1 : memref<1x2xi32, strided<[?, ?], offset: ?>>
  %3 = memref.load %q[%c0, %c0] : memref<1x2xi32, strided<[?, ?], offset: ?>>
  memref.prefetch %m[%c0, %k], read, locality<3>, data : memref<3x4xi32>
  affine.prefetch %m[%c0, 2], write, locality<0>, instr : memref<3x4xi32>
  return %0, %1, %2, %offset, %strides#1, %r, %3 : i32, i32, i8, index, index, index, i32
}
=== memories in other spaces and promises about two (no judge)
func.func @f(%m: memref<4xi32>, %o: memref<4xi32, 2>, %k: index) -> i32 {
  %a, %b = memref.distinct_objects %m, %o : memref<4xi32>, memref<4xi32, 2>
  %c = memref.memory_space_cast %a : memref<4xi32> to memref<4xi32, 1>
  %0 = memref.load %c[%k] : memref<4xi32, 1>
  memref.store %0, %b[%k] : memref<4xi32, 2>
  return %0 : i32
}
=== intrinsics on i8
func.func @f(%a: i8, %b: i8, %c: i8) -> (i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8) {
  %0 = llvm.intr.ctpop(%a) : (i8) -> i8
  %1 = "llvm.intr.ctlz"(%a) <{is_zero_poison = false}> : (i8) -> i8
  %2 = llvm.intr.bitreverse(%b) : (i8) -> i8
  %3 = "llvm.intr.abs"(%a) <{is_int_min_poison = false}> : (i8) -> i8
  %4 = llvm.intr.smax(%a, %b) : (i8, i8) -> i8
  %5 = llvm.intr.umin(%a, %b) : (i8, i8) -> i8
  %6 = llvm.intr.fshl(%a, %b, %c) : (i8, i8, i8) -> i8
  %7 = llvm.intr.fshr(%a, %b, %c) : (i8, i8, i8) -> i8
  %8 = llvm.intr.sadd.sat(%a, %b) : (i8, i8) -> i8
  %9 = llvm.intr.uadd.sat(%a, %b) : (i8, i8) -> i8
  %10 = llvm.intr.ssub.sat(%a, %b) : (i8, i8) -> i8
  %11 = llvm.intr.usub.sat(%a, %b) : (i8, i8) -> i8
  %12 = "llvm.intr.scmp"(%a, %b) : (i8, i8) -> i8
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12 : i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8
}
=== intrinsics on i32, shifts by constants and saturating shifts
func.func @f(%a: i32, %b: i32) -> (i32, i32, i32, i32, i32, i32, i32, i32, i16) {
  %c31 = arith.constant 31 : i32
  %c37 = arith.constant 37 : i32
  %s = arith.andi %b, %c31 : i32
  %0 = llvm.intr.bswap(%a) : (i32) -> i32
  %1 = "llvm.intr.cttz"(%a) <{is_zero_poison = false}> : (i32) -> i32
  %2 = llvm.intr.smin(%a, %b) : (i32, i32) -> i32
  %3 = llvm.intr.umax(%a, %b) : (i32, i32) -> i32
  %4 = llvm.intr.fshl(%a, %a, %c37) : (i32, i32, i32) -> i32
  %5 = llvm.intr.fshr(%a, %b, %c37) : (i32, i32, i32) -> i32
  %6 = llvm.intr.sshl.sat(%a, %s) : (i32, i32) -> i32
  %7 = llvm.intr.ushl.sat(%a, %s) : (i32, i32) -> i32
  %8 = "llvm.intr.ucmp"(%a, %b) : (i32, i32) -> i16
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : i32, i32, i32, i32, i32, i32, i32, i32, i16
}
=== intrinsics at odd widths
func.func @f(%a: i7, %b: i7, %c: i7, %d: i1, %e: i1) -> (i7, i7, i7, i7, i1, i1, i1) {
  %0 = llvm.intr.fshl(%a, %b, %c) : (i7, i7, i7) -> i7
  %1 = llvm.intr.fshr(%a, %b, %c) : (i7, i7, i7) -> i7
  %2 = llvm.intr.sadd.sat(%a, %b) : (i7, i7) -> i7
  %3 = llvm.intr.ssub.sat(%a, %b) : (i7, i7) -> i7
  %4 = llvm.intr.sadd.sat(%d, %e) : (i1, i1) -> i1
  %5 = llvm.intr.fshr(%d, %e, %d) : (i1, i1, i1) -> i1
  %6 = llvm.intr.fshl(%d, %e, %e) : (i1, i1, i1) -> i1
  return %0, %1, %2, %3, %4, %5, %6 : i7, i7, i7, i7, i1, i1, i1
}
=== the width of an index and promises about values
func.func @f(%a: i32) -> (index, i32) {
  %t = arith.constant true
  %0 = index.sizeof
  %1 = llvm.intr.expect %a, %a : i32
  llvm.intr.assume %t : i1
  return %0, %1 : index, i32
}
=== copies between views of one memory that overlap (no judge)
memref.global @g : memref<5xi8> = dense<[1, 2, 3, 4, 5]>
func.func @f(%m: memref<6xi8>, %o: memref<3x3xi8>, %k: index, %x: i8) {
  %c0 = arith.constant 0 : index
  %low = memref.subview %m[0] [4] [1] : memref<6xi8> to memref<4xi8, strided<[1]>>
  %high = memref.subview %m[2] [4] [1] : memref<6xi8> to memref<4xi8, strided<[1], offset: 2>>
  memref.copy %low, %high : memref<4xi8, strided<[1]>> to memref<4xi8, strided<[1], offset: 2>>
  memref.copy %high, %low : memref<4xi8, strided<[1], offset: 2>> to memref<4xi8, strided<[1]>>
  %turned = memref.transpose %o (i, j) -> (j, i) : memref<3x3xi8> to memref<3x3xi8, strided<[1, 3]>>
  memref.copy %o, %turned : memref<3x3xi8> to memref<3x3xi8, strided<[1, 3]>>
  %there = memref.subview %m[%k] [3] [1] : memref<6xi8> to memref<3xi8, strided<[1], offset: ?>>
  %here = memref.subview %m[1] [3] [1] : memref<6xi8> to memref<3xi8, strided<[1], offset: 1>>
  memref.copy %there, %here : memref<3xi8, strided<[1], offset: ?>> to memref<3xi8, strided<[1], offset: 1>>
  %g = memref.get_global @g : memref<5xi8>
  %again = memref.get_global @g : memref<5xi8>
  memref.store %x, %g[%c0] : memref<5xi8>
  %first = memref.subview %g[0] [4] [1] : memref<5xi8> to memref<4xi8, strided<[1]>>
  %last = memref.subview %again[1] [4] [1] : memref<5xi8> to memref<4xi8, strided<[1], offset: 1>>
  memref.copy %first, %last : memref<4xi8, strided<[1]>> to memref<4xi8, strided<[1], offset: 1>>
  memref.copy %last, %high : memref<4xi8, strided<[1], offset: 1>> to memref<4xi8, strided<[1], offset: 2>>
  return
}
=== factors and divisors that are symbols
#set = affine_set<(d0)[s0] : (d0 mod (s0 + 2) == 0, s0 * d0 - 3 >= 0)>
func.func @f(%m: memref<16xi8>, %n: index, %k: index) -> (index, index, index, i8, index, i8) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %q = affine.apply affine_map<(d0)[s0] -> (d0 floordiv (s0 + 1) - s0 * d0)>(%n)[%k]
  %r = affine.apply affine_map<(d0)[s0] -> ((d0 - 7) ceildiv (2 * s0 + 1))>(%n)[%k]
  %s = affine.apply affine_map<(d0)[s0] -> (-(d0 mod (s0 + 1)) + s0 * 3 * s0)>(%n)[%k]
  %v = affine.load %m[(symbol(%k) * symbol(%c3) + symbol(%n)) mod (symbol(%k) + 1)] : memref<16xi8>
  %z = arith.constant 0 : i8
  %x = affine.if #set(%n)[%k] -> i8 { affine.yield %v : i8 } else { affine.yield %z : i8 }
  %w = affine.for %i = 0 to min affine_map<()[s0] -> (s0 * s0, 5)>()[%k] iter_args(%a = %c0) -> index {
    %b = affine.max affine_map<(d0)[s0] -> (d0 * s0, 5 floordiv (s0 + 1))>(%i)[%k]
    %t = arith.addi %a, %b : index
    affine.yield %t : index
  }
  return %q, %r, %s, %v, %w, %x : index, index, index, i8, index, i8
}
=== reshapes to one dimension, and from it to two (no judge)
func.func @f(%m: memref<2x6xi32>, %s: memref<2xindex>, %q: memref<1xindex>, %a: i32) -> i32 {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %f = memref.reshape %m(%q) : (memref<2x6xi32>, memref<1xindex>) -> memref<12xi32>
  %t = memref.reshape %f(%s) : (memref<12xi32>, memref<2xindex>) -> memref<3x4xi32>
  memref.store %a, %t[%c2, %c1] : memref<3x4xi32>
  %v = memref.load %m[%c1, %c2] : memref<2x6xi32>
  %w = memref.load %f[%c2] : memref<12xi32>
  %r = arith.subi %v, %w : i32
  return %r : i32
}
=== a memory chosen by a condition: load, store, count
func.func @f(%c: i1, %a: memref<4xi32>, %b: memref<4xi32>, %n: i32) -> (i32, index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %m = arith.select %c, %a, %b : memref<4xi32>
  %v = memref.load %m[%c2] : memref<4xi32>
  %w = memref.load %b[%c2] : memref<4xi32>
  memref.store %n, %m[%c2] : memref<4xi32>
  %x = memref.load %a[%c2] : memref<4xi32>
  %y = memref.load %b[%c2] : memref<4xi32>
  %s = arith.addi %v, %w : i32
  %t = arith.muli %x, %y : i32
  %r = arith.subi %s, %t : i32
  %d = memref.dim %m, %c0 : memref<4xi32>
  return %r, %d : i32, index
}
=== views of a memory chosen by a condition
func.func @f(%c: i1, %a: memref<8xi32>, %b: memref<8xi32>, %k: index, %n: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bits = arith.constant 3 : index
  %l = arith.andi %k, %bits : index
  %m = arith.select %c, %a, %b : memref<8xi32>
  %s = memref.subview %m[%l] [4] [1] : memref<8xi32> to memref<4xi32, strided<[1], offset: ?>>
  %t = memref.subview %s[1] [2] [1]
    : memref<4xi32, strided<[1], offset: ?>> to memref<2xi32, strided<[1], offset: ?>>
  memref.store %n, %t[%c1] : memref<2xi32, strided<[1], offset: ?>>
  %e = memref.expand_shape %m [[0, 1]] output_shape [2, 4] : memref<8xi32> into memref<2x4xi32>
  %v = memref.load %e[%c1, %c0] : memref<2x4xi32>
  %u = memref.load %s[%c0] : memref<4xi32, strided<[1], offset: ?>>
  %w = memref.load %a[%l] : memref<8xi32>
  %x = arith.muli %v, %u : i32
  %y = arith.subi %x, %w : i32
  return %y : i32
}
=== rows of buffers that change their roles
func.func @f(%a: memref<3x4xi32>, %n: index, %b: memref<3x4xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %few = arith.andi %n, %c3 : index
  %p, %q = scf.for %t = %c0 to %few step %c1 iter_args(%x = %a, %y = %b) -> (memref<3x4xi32>, memref<3x4xi32>) {
    scf.for %i = %c0 to %c2 step %c1 {
      %from = memref.subview %x[%i, 0] [1, 4] [1, 1] : memref<3x4xi32> to memref<4xi32, strided<[1], offset: ?>>
      %to = memref.subview %y[%i, 0] [2, 4] [1, 1] : memref<3x4xi32> to memref<2x4xi32, strided<[4, 1], offset: ?>>
      %u = memref.load %from[%i] : memref<4xi32, strided<[1], offset: ?>>
      %w = arith.addi %u, %u : i32
      memref.store %w, %to[%c1, %i] : memref<2x4xi32, strided<[4, 1], offset: ?>>
    }
    scf.yield %y, %x : memref<3x4xi32>, memref<3x4xi32>
  }
  %r = memref.load %p[%c2, %c1] : memref<3x4xi32>
  return %r : i32
}
=== buffers that change their roles in each iteration of a loop
func.func @f(%a: memref<6xi32>, %n: index, %b: memref<6xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %k = arith.constant 7 : i32
  %bits = arith.constant 7 : index
  %few = arith.andi %n, %bits : index
  %p, %q = scf.for %t = %c0 to %few step %c1 iter_args(%x = %a, %y = %b) -> (memref<6xi32>, memref<6xi32>) {
    scf.for %i = %c1 to %c5 step %c1 {
      %l = arith.subi %i, %c1 : index
      %u = memref.load %x[%l] : memref<6xi32>
      %v = memref.load %x[%i] : memref<6xi32>
      %w = arith.addi %u, %v : i32
      %z = arith.xori %w, %k : i32
      memref.store %z, %y[%i] : memref<6xi32>
    }
    scf.yield %y, %x : memref<6xi32>, memref<6xi32>
  }
  %r = memref.load %p[%c5] : memref<6xi32>
  %s = memref.load %q[%c1] : memref<6xi32>
  %o = arith.subi %r, %s : i32
  return %o : i32
}
=== one of three memories by nested ifs, a switch and a region, copied and stored to
func.func @f(%c: i1, %n: i32, %a: memref<3xi16>, %b: memref<3xi16>, %v: i16) -> i16 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %t = memref.alloc() : memref<3xi16>
  memref.copy %b, %t : memref<3xi16> to memref<3xi16>
  %zero = arith.constant 0 : i32
  %neg = arith.cmpi slt, %n, %zero : i32
  %m = scf.if %c -> memref<3xi16> {
    %o = scf.if %neg -> memref<3xi16> {
      scf.yield %a : memref<3xi16>
    } else {
      scf.yield %t : memref<3xi16>
    }
    scf.yield %o : memref<3xi16>
  } else {
    %e = scf.execute_region -> memref<3xi16> {
      scf.yield %b : memref<3xi16>
    }
    scf.yield %e : memref<3xi16>
  }
  %one = arith.constant 1 : i32
  %bit = arith.andi %n, %one : i32
  %which = arith.index_cast %bit : i32 to index
  %s = scf.index_switch %which -> memref<3xi16>
  case 0 {
    scf.yield %m : memref<3xi16>
  }
  default {
    scf.yield %t : memref<3xi16>
  }
  memref.store %v, %s[%c1] : memref<3xi16>
  memref.copy %s, %a : memref<3xi16> to memref<3xi16>
  %x = memref.load %m[%c1] : memref<3xi16>
  %y = memref.load %t[%c1] : memref<3xi16>
  %r = arith.addi %x, %y : i16
  memref.dealloc %t : memref<3xi16>
  return %r : i16
}
=== a memory that a while carries, and a call with a chosen one
func.func @f(%a: memref<4xi32>, %b: memref<4xi32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.andi %n, %seven : i32
  %l:3 = scf.while (%x = %a, %y = %b, %k = %start) : (memref<4xi32>, memref<4xi32>, i32) -> (memref<4xi32>, memref<4xi32>, i32) {
    %v = memref.load %x[%c0] : memref<4xi32>
    %w = arith.addi %v, %k : i32
    memref.store %w, %x[%c0] : memref<4xi32>
    %more = arith.cmpi sgt, %k, %zero : i32
    scf.condition(%more) %y, %x, %k : memref<4xi32>, memref<4xi32>, i32
  } do {
  ^bb0(%x: memref<4xi32>, %y: memref<4xi32>, %k: i32):
    %j = arith.subi %k, %one : i32
    scf.yield %x, %y, %j : memref<4xi32>, memref<4xi32>, i32
  }
  %r = func.call @g(%l#0, %l#1) : (memref<4xi32>, memref<4xi32>) -> i32
  return %r : i32
}
func.func private @g(%p: memref<4xi32>, %q: memref<4xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %v = memref.load %p[%c0] : memref<4xi32>
  memref.store %v, %q[%c3] : memref<4xi32>
  %w = memref.load %q[%c0] : memref<4xi32>
  %r = arith.subi %v, %w : i32
  return %r : i32
}
