=== calls
func.func @f(%a: i32, %m: memref<4x4xi32>) -> i32 {
  %c1 = arith.constant 1 : index
  %row = memref.subview %m[2, 0] [1, 4] [1, 1]
    : memref<4x4xi32> to memref<4xi32, strided<[1], offset: 8>>
  %0 = call @g(%a, %row) : (i32, memref<4xi32, strided<[1], offset: 8>>) -> i32
  %1 = call @g(%0, %row) : (i32, memref<4xi32, strided<[1], offset: 8>>) -> i32
  return %1 : i32
}
func.func private @g(%a: i32, %m: memref<4xi32, strided<[1], offset: 8>>) -> i32 {
  %c3 = arith.constant 3 : index
  %0 = memref.load %m[%c3] : memref<4xi32, strided<[1], offset: 8>>
  %1 = call @h(%0) : (i32) -> i32
  %2 = arith.addi %1, %a : i32
  memref.store %2, %m[%c3] : memref<4xi32, strided<[1], offset: 8>>
  return %2 : i32
}
func.func @h(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}
=== affine maps
func.func @f(%a: index, %b: index) -> (index, index, index, index, index, index, index, index) {
  %0 = affine.apply affine_map<(d0) -> (d0 floordiv 3)>(%a)
  %1 = affine.apply affine_map<(d0) -> (d0 ceildiv 3)>(%a)
  %2 = affine.apply affine_map<(d0) -> (d0 mod 3)>(%a)
  %3 = affine.apply affine_map<(d0) -> (d0 floordiv 8)>(%a)
  %4 = affine.apply affine_map<(d0) -> (d0 ceildiv 8)>(%a)
  %5 = affine.apply affine_map<(d0) -> (d0 mod 8)>(%a)
  %6 = affine.apply affine_map<(d0, d1)[s0] -> (d0 * -7 - d1 * 3 + s0 * 59 - 4)>(%a, %b)[%a]
  %7 = affine.min affine_map<(d0, d1) -> (d0 + 1, d1 mod 1, -d0)>(%a, %b)
  return %0, %1, %2, %3, %4, %5, %6, %7
    : index, index, index, index, index, index, index, index
}
=== affine loops
#set = affine_set<(d0, d1) : (d0 - d1 - 2 >= 0, d0 mod 2 == 0)>
func.func @f(%m: memref<6x6xi32>, %n: i3) -> i32 {
  %z = arith.constant 0 : i32
  %u = arith.index_castui %n : i3 to index
  %s = affine.for %i = max affine_map<(d0) -> (0, d0 - 4)>(%u)
                 to min affine_map<(d0) -> (d0, 6)>(%u) iter_args(%t = %z) -> (i32) {
    affine.for %j = 1 to affine_map<(d0) -> (d0 + 1)>(%i) step 2 {
      affine.if #set(%i, %j) {
        affine.store %t, %m[%i, %j - 1] : memref<6x6xi32>
      } else {
        affine.store %z, %m[%j, symbol(%i)] : memref<6x6xi32>
      }
    }
    %v = affine.load %m[%i, 5 - %i] : memref<6x6xi32>
    %w = arith.addi %v, %t : i32
    affine.yield %w : i32
  }
  return %s : i32
}
=== index
func.func @f(%a: index, %b: index) -> (i1, i32, index, index, i1, index) {
  %0 = index.constant -3
  %1 = index.floordivs %a, %0
  %2 = index.cmp ult(%1, %b)
  %3 = index.casts %a : index to i32
  %4 = index.castu %3 : i32 to index
  %5 = index.maxs %4, %b
  %6 = index.bool.constant true
  %7 = index.sub %5, %1
  return %2, %3, %4, %5, %6, %7 : i1, i32, index, index, i1, index
}
=== powers
func.func @f(%a: i8, %b: i4, %e: i4) -> (i8, i8, i4, i8) {
  %0 = math.ipowi %a, %a : i8
  %c5 = arith.constant 5 : i8
  %c0 = arith.constant 0 : i8
  %1 = math.ipowi %a, %c5 : i8
  %2 = math.ipowi %b, %e : i4
  %3 = math.ipowi %a, %c0 : i8
  return %0, %1, %2, %3 : i8, i8, i4, i8
}
=== copies
func.func @f(%m: memref<3x4xi16>, %n: memref<4x3xi16, strided<[1, 5], offset: 2>>, %i: i1) {
  %a = memref.alloc() : memref<3x4xi16>
  %b = memref.alloca() : memref<2x2xi16>
  memref.copy %m, %a : memref<3x4xi16> to memref<3x4xi16>
  %j = arith.index_castui %i : i1 to index
  %v = memref.subview %a[%j, 1] [2, 2] [1, 2]
    : memref<3x4xi16> to memref<2x2xi16, strided<[4, 2], offset: ?>>
  memref.copy %v, %b : memref<2x2xi16, strided<[4, 2], offset: ?>> to memref<2x2xi16>
  %w = memref.subview %n[1, 1] [2, 2] [2, 1]
    : memref<4x3xi16, strided<[1, 5], offset: 2>> to memref<2x2xi16, strided<[2, 5], offset: 8>>
  memref.copy %b, %w : memref<2x2xi16> to memref<2x2xi16, strided<[2, 5], offset: 8>>
  %c = memref.alloc() : memref<3x2xi16>
  %x = memref.subview %a[0, 1] [3, 2] [1, 2]
    : memref<3x4xi16> to memref<3x2xi16, strided<[4, 2], offset: 1>>
  memref.copy %x, %c : memref<3x2xi16, strided<[4, 2], offset: 1>> to memref<3x2xi16>
  %y = memref.subview %n[1, 0] [3, 2] [1, 1]
    : memref<4x3xi16, strided<[1, 5], offset: 2>> to memref<3x2xi16, strided<[1, 5], offset: 3>>
  memref.copy %c, %y : memref<3x2xi16> to memref<3x2xi16, strided<[1, 5], offset: 3>>
  memref.dealloc %a : memref<3x4xi16>
  return
}
=== views
func.func @f(%m: memref<4x6xi32>, %k: i2) -> (i32, i32, i32, i32, index) {
  %i = arith.index_castui %k : i2 to index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = memref.collapse_shape %m [[0, 1]] : memref<4x6xi32> into memref<24xi32>
  %1 = memref.expand_shape %0 [[0, 1, 2]] output_shape [2, 3, 4]
    : memref<24xi32> into memref<2x3x4xi32>
  %2 = memref.load %1[%c1, %c2, %i] : memref<2x3x4xi32>
  %3 = memref.subview %1[0, %c1, 0] [2, 1, 4] [1, 1, 1]
    : memref<2x3x4xi32> to memref<2x4xi32, strided<[12, 1], offset: ?>>
  %4 = memref.load %3[%c1, %i] : memref<2x4xi32, strided<[12, 1], offset: ?>>
  %5 = memref.reinterpret_cast %m to offset: [%i], sizes: [3, 2], strides: [%i, 5]
    : memref<4x6xi32> to memref<3x2xi32, strided<[?, 5], offset: ?>>
  %6 = memref.load %5[%c2, %c1] : memref<3x2xi32, strided<[?, 5], offset: ?>>
  %7 = memref.cast %m : memref<4x6xi32> to memref<4x6xi32, strided<[?, ?], offset: ?>>
  %8 = memref.load %7[%i, %i] : memref<4x6xi32, strided<[?, ?], offset: ?>>
  %9 = memref.dim %5, %c1 : memref<3x2xi32, strided<[?, 5], offset: ?>>
  return %2, %4, %6, %8, %9 : i32, i32, i32, i32, index
}
=== globals
memref.global "private" constant @t : memref<2x3xi8> = dense<[[1, 2, 3], [4, 5, -6]]>
memref.global "private" @s : memref<2x2xi8> = dense<[[7, 8], [9, 1]]>
memref.global "private" @unused : memref<2xi8> = dense<0>
func.func @f(%a: i1, %b: i1) -> (i8, i8, i8) {
  %i = arith.index_castui %a : i1 to index
  %j = arith.index_castui %b : i1 to index
  %0 = memref.get_global @t : memref<2x3xi8>
  %1 = memref.load %0[%i, %j] : memref<2x3xi8>
  %2 = memref.get_global @s : memref<2x2xi8>
  %3 = memref.load %2[%i, %j] : memref<2x2xi8>
  %4 = memref.get_global @t : memref<2x3xi8>
  %5 = memref.load %4[%j, %i] : memref<2x3xi8>
  return %1, %3, %5 : i8, i8, i8
}
=== powers of two
func.func @f(%a: i8, %i: index) -> (i8, i8, i8, i8, i8, i8, index, i8, i8, i8) {
  %c4 = arith.constant 4 : i8
  %m = arith.constant -128 : i8
  %c16 = arith.constant 16 : index
  %0 = arith.divsi %a, %c4 : i8
  %1 = arith.remsi %a, %c4 : i8
  %2 = arith.divui %a, %c4 : i8
  %3 = arith.remui %a, %m : i8
  %4 = arith.muli %m, %a : i8
  %5 = arith.floordivsi %a, %c4 : i8
  %6 = arith.remsi %i, %c16 : index
  %7 = arith.divsi %a, %m : i8
  %8 = arith.divui %a, %m : i8
  %9 = arith.floordivsi %a, %m : i8
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9
    : i8, i8, i8, i8, i8, i8, index, i8, i8, i8
}
=== branch without else
func.func @f(%a: i8, %c: i1, %m: memref<2xi8>) {
  %c0 = arith.constant 0 : index
  scf.if %c {
    memref.store %a, %m[%c0] : memref<2xi8>
  }
  return
}
=== memories of one word
func.func @f(%m: memref<i32>, %n: memref<1xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %0 = memref.load %m[] : memref<i32>
  memref.store %0, %n[%c0] : memref<1xi32>
  %1 = memref.expand_shape %m [] output_shape [1, 1] : memref<i32> into memref<1x1xi32>
  %2 = memref.load %1[%c0, %c0] : memref<1x1xi32>
  return %2 : i32
}
=== constant branches
func.func @f(%a: i32, %c: i1) -> (i32, i32) {
  %true = arith.constant true
  %0 = arith.constant 7 : i32
  %x:2 = scf.if %true -> (i32, i32) {
    %1 = scf.if %c -> i32 {
      %2 = arith.muli %a, %0 : i32
      scf.yield %2 : i32
    } else {
      scf.yield %a : i32
    }
    %3 = arith.divsi %0, %a : i32
    scf.yield %1, %a : i32, i32
  } else {
    scf.yield %a, %a : i32, i32
  }
  return %x#0, %x#1 : i32, i32
}
=== identities
func.func @f(%a: i8, %c: i1) -> (i8, i8, i8, i8, i8, i8, i1, i1) {
  %0 = arith.constant 0 : i8
  %1 = arith.constant 1 : i8
  %m = arith.constant -1 : i8
  %t = arith.constant true
  %2 = arith.addi %0, %a overflow<nsw> : i8
  %3 = arith.muli %1, %2 : i8
  %4 = arith.andi %m, %3 : i8
  %5 = arith.subi %4, %a : i8
  %6 = arith.select %t, %a, %5 : i8
  %7 = arith.remsi %a, %1 : i8
  %8 = arith.muli %c, %t : i1
  %9 = arith.cmpi sle, %a, %2 : i8
  %x = arith.maxsi %a, %6 : i8
  return %3, %4, %5, %6, %7, %x, %8, %9 : i8, i8, i8, i8, i8, i8, i1, i1
}
=== affine maps of constants
func.func @f(%a: index) -> (index, index, index, index, index) {
  %c7 = arith.constant 7 : index
  %c40000 = arith.constant 40000 : index
  %0 = affine.apply affine_map<(d0, d1) -> (d1 + d0 ceildiv 3)>(%c7, %a)
  %1 = affine.apply affine_map<(d0, d1) -> (d1 + (d0 - 15) ceildiv 3)>(%c7, %a)
  %2 = affine.apply affine_map<(d0, d1) -> (d1 + (d0 * 65536) floordiv 3)>(%c40000, %a)
  %3 = affine.apply affine_map<(d0, d1) -> (d1 + (d0 * 65536) mod 7)>(%c40000, %a)
  %4 = affine.apply affine_map<(d0, d1) -> (d1 + d0 ceildiv 1)>(%c7, %a)
  return %0, %1, %2, %3, %4 : index, index, index, index, index
}
=== affine sets of both directions
func.func @f(%a: index) -> (index, index) {
  %0 = affine.if affine_set<(d0) : (d0 <= 3)>(%a) -> index {
    affine.yield %a : index
  } else {
    %1 = arith.addi %a, %a : index
    affine.yield %1 : index
  }
  %2 = affine.if affine_set<(d0) : (d0 + 2 >= 0)>(%a) -> index {
    affine.yield %a : index
  } else {
    %3 = arith.addi %a, %a : index
    affine.yield %3 : index
  }
  return %0, %2 : index, index
}
=== one value in several widths
func.func @f(%a: i8) -> (i16, i32, i16, i32, i4, i2) {
  %0 = arith.extsi %a : i8 to i16
  %1 = arith.extsi %a : i8 to i32
  %2 = arith.extui %a : i8 to i16
  %3 = arith.extui %a : i8 to i32
  %4 = arith.trunci %a : i8 to i4
  %5 = arith.trunci %a : i8 to i2
  return %0, %1, %2, %3, %4, %5 : i16, i32, i16, i32, i4, i2
}
