=== zero trips at each level, with memory
func.func @f(%n: index, %k: index, %m: memref<8xi32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  scf.for %i = %0 to %n step %1 {
    scf.for %j = %0 to %k step %1 {
      scf.for %l = %j to %n step %1 {
        %v = memref.load %m[%j] : memref<8xi32>
        %w = arith.addi %v, %one : i32
        memref.store %w, %m[%l] : memref<8xi32>
      }
    }
  }
  return
}
=== sum after a loop that may not run (D1)
func.func @f(%n: index, %a: i32) -> i32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %zero) -> i32 {
    %y = arith.addi %x, %a : i32
    scf.yield %y : i32
  }
  return %s : i32
}
=== while with loads before and stores after (D2)
func.func @f(%n: i32, %m: memref<8xi32>) -> i32 {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  memref.store %zero, %m[%0] : memref<8xi32>
  %r = scf.while (%x = %zero) : (i32) -> i32 {
    %v = memref.load %m[%0] : memref<8xi32>
    %c = arith.cmpi slt, %v, %n : i32
    scf.condition(%c) %v : i32
  } do {
  ^bb0(%y: i32):
    %z = arith.addi %y, %one : i32
    memref.store %z, %m[%0] : memref<8xi32>
    scf.yield %z : i32
  }
  return %r : i32
}
=== while without carried values, stores before
func.func @f(%n: i32, %m: memref<2xi32>) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  memref.store %zero, %m[%0] : memref<2xi32>
  scf.while : () -> () {
    %v = memref.load %m[%0] : memref<2xi32>
    %w = arith.addi %v, %one : i32
    memref.store %w, %m[%0] : memref<2xi32>
    %c = arith.cmpi slt, %v, %n : i32
    scf.condition(%c)
  } do {
    scf.yield
  }
  return
}
=== while that only reads, outside values in both regions
func.func @f(%n: i8, %a: i8, %b: i8, %m: memref<4xi8>) -> (i8, i8) {
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  %0 = arith.constant 0 : index
  %r:2 = scf.while (%x = %zero, %s = %a) : (i8, i8) -> (i8, i8) {
    %c = arith.cmpi slt, %x, %n : i8
    %t = arith.addi %s, %b : i8
    scf.condition(%c) %x, %t : i8, i8
  } do {
  ^bb0(%y: i8, %t: i8):
    %v = memref.load %m[%0] : memref<4xi8>
    %w = arith.addi %t, %v : i8
    %u = arith.xori %w, %b : i8
    %z = arith.addi %y, %one : i8
    scf.yield %z, %u : i8, i8
  }
  return %r#0, %r#1 : i8, i8
}
=== while that passes on other values than it carries, and drops one
func.func @f(%n: i8) -> (i1, i64) {
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  %r:3 = scf.while (%x = %zero) : (i8) -> (i1, i8, i64) {
    %c = arith.cmpi ult, %x, %n : i8
    %wide = arith.extsi %x : i8 to i64
    scf.condition(%c) %c, %x, %wide : i1, i8, i64
  } do {
  ^bb0(%d: i1, %y: i8, %wide: i64):
    %z = arith.addi %y, %one : i8
    scf.yield %z : i8
  }
  return %r#0, %r#2 : i1, i64
}
=== while whose condition is false at once, under a loop
func.func @f(%n: index, %c: i1, %a: i32) -> i32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %false = arith.constant false
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %a) -> i32 {
    %w:2 = scf.while (%d = %c, %y = %x) : (i1, i32) -> (i1, i32) {
      scf.condition(%d) %false, %y : i1, i32
    } do {
    ^bb0(%e: i1, %z: i32):
      %q = arith.addi %z, %z : i32
      scf.yield %e, %q : i1, i32
    }
    scf.yield %w#1 : i32
  }
  return %r : i32
}
=== store under a branch without else (D3)
func.func @f(%n: index, %t: index, %m: memref<8xi32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %v = arith.constant 77 : i32
  scf.for %i = %0 to %n step %1 {
    %c = arith.cmpi ult, %i, %t : index
    scf.if %c {
      memref.store %v, %m[%i] : memref<8xi32>
    }
  }
  return
}
=== branches that yield outside values, arguments and constants
func.func @f(%c: i1, %d: i1, %a: i32, %b: i32) -> (i32, i32, i1) {
  %k = arith.constant 9 : i32
  %r:3 = scf.if %c -> (i32, i32, i1) {
    scf.yield %a, %k, %d : i32, i32, i1
  } else {
    %s = scf.if %d -> i32 {
      scf.yield %b : i32
    } else {
      scf.yield %a : i32
    }
    scf.yield %s, %a, %c : i32, i32, i1
  }
  return %r#0, %r#1, %r#2 : i32, i32, i1
}
=== a value crosses three levels (D4)
func.func @f(%n: index, %c: i1, %a: i32, %m: memref<4xi32>) -> i32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %zero) -> i32 {
    %s = scf.for %j = %i to %n step %1 iter_args(%y = %x) -> i32 {
      %t = scf.if %c -> i32 {
        %u = arith.addi %y, %a : i32
        memref.store %a, %m[%0] : memref<4xi32>
        scf.yield %u : i32
      } else {
        %v = memref.load %m[%1] : memref<4xi32>
        %u = arith.subi %y, %v : i32
        scf.yield %u : i32
      }
      scf.yield %t : i32
    }
    scf.yield %s : i32
  }
  return %r : i32
}
=== swapped carried values and a constant yielded
func.func @f(%n: index, %a: i8, %b: i8) -> (i8, i8, i8) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %k = arith.constant -3 : i8
  %r:3 = scf.for %i = %0 to %n step %1 iter_args(%x = %a, %y = %b, %z = %a) -> (i8, i8, i8) {
    scf.yield %y, %x, %k : i8, i8, i8
  }
  return %r#0, %r#1, %r#2 : i8, i8, i8
}
=== the index yielded, an unused result, an outside value yielded
func.func @f(%n: index, %b: i32) -> (index, i32) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %r:3 = scf.for %i = %0 to %n step %1 iter_args(%x = %n, %y = %b, %z = %b) -> (index, i32, i32) {
    %w = arith.muli %y, %b : i32
    scf.yield %i, %w, %b : index, i32, i32
  }
  return %r#0, %r#2 : index, i32
}
=== results of a loop with memory are not used
func.func @f(%n: index, %b: i32, %m: memref<8xi32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %b) -> i32 {
    memref.store %x, %m[%i] : memref<8xi32>
    %y = memref.load %m[%0] : memref<8xi32>
    %z = arith.addi %x, %y : i32
    scf.yield %z : i32
  }
  return
}
=== several memories, each with its own order
func.func @f(%n: index, %c: i1, %p: memref<8xi16>, %q: memref<8xi16>, %r: memref<8xi16>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    %a = memref.load %p[%i] : memref<8xi16>
    memref.store %a, %q[%i] : memref<8xi16>
    scf.if %c {
      %b = memref.load %q[%0] : memref<8xi16>
      memref.store %b, %r[%i] : memref<8xi16>
    } else {
      memref.store %a, %p[%0] : memref<8xi16>
    }
  }
  %d = memref.load %r[%1] : memref<8xi16>
  memref.store %d, %p[%1] : memref<8xi16>
  return
}
=== a memory under nested branches only
func.func @f(%c: i1, %d: i1, %e: i1, %m: memref<2xi8>) -> i8 {
  %0 = arith.constant 0 : index
  %k = arith.constant 5 : i8
  scf.if %c {
    scf.if %d {
      scf.if %e {
        memref.store %k, %m[%0] : memref<2xi8>
      }
    } else {
      %v = memref.load %m[%0] : memref<2xi8>
      %w = arith.addi %v, %v : i8
      memref.store %w, %m[%0] : memref<2xi8>
    }
  }
  return %k : i8
}
=== a local array, filled and summed by loops
func.func @f(%n: index, %a: i64) -> i64 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %l = memref.alloca() : memref<8xi64>
  scf.for %i = %0 to %n step %1 {
    memref.store %a, %l[%i] : memref<8xi64>
  }
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %zero) -> i64 {
    %v = memref.load %l[%i] : memref<8xi64>
    %y = arith.addi %x, %v : i64
    scf.yield %y : i64
  }
  return %s : i64
}
=== a global that is read, a memory of bits
memref.global "private" constant @g : memref<8xi8> = dense<[1, -2, 3, -4, 5, -6, 7, -8]>
func.func @f(%n: index, %b: memref<8xi1>) -> i8 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %zero = arith.constant 0 : i8
  %g = memref.get_global @g : memref<8xi8>
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %zero) -> i8 {
    %c = memref.load %b[%i] : memref<8xi1>
    %y = scf.if %c -> i8 {
      %v = memref.load %g[%i] : memref<8xi8>
      %w = arith.addi %x, %v : i8
      scf.yield %w : i8
    } else {
      scf.yield %x : i8
    }
    scf.yield %y : i8
  }
  return %s : i8
}
=== an unsigned loop whose bound is negative as a signed number
func.func @f(%n: i8, %m: memref<8xi8>) -> i8 {
  %top = arith.constant -4 : i8
  %step = arith.constant 60 : i8
  %zero = arith.constant 0 : i8
  %r = scf.for unsigned %i = %n to %top step %step iter_args(%x = %zero) -> i8 : i8 {
    %y = arith.addi %x, %i : i8
    scf.yield %y : i8
  }
  return %r : i8
}
=== a signed loop from a negative number
func.func @f(%n: i8) -> i8 {
  %low = arith.constant -5 : i8
  %step = arith.constant 3 : i8
  %r = scf.for %i = %low to %n step %step iter_args(%x = %n) -> i8 : i8 {
    %y = arith.muli %x, %i : i8
    scf.yield %y : i8
  }
  return %r : i8
}
=== results are an argument twice and a constant twice
func.func @f(%a: i32, %b: i1) -> (i32, i32, i1, i64, i64) {
  %k = arith.constant -1 : i64
  return %a, %a, %b, %k, %k : i32, i32, i1, i64, i64
}
=== nothing at all
func.func @f() {
  return
}
=== an argument and a memory that nobody uses
func.func @f(%a: i32, %m: memref<4xi32>) -> i1 {
  %k = arith.constant true
  return %k : i1
}
=== bounds and steps that are carried values
func.func @f(%n: index, %m: memref<8xi8>) -> index {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %v = arith.constant 3 : i8
  %r = scf.for %i = %0 to %n step %1 iter_args(%k = %1) -> index {
    scf.for %j = %i to %k step %k {
      memref.store %v, %m[%j] : memref<8xi8>
    }
    %l = arith.addi %k, %1 : index
    scf.yield %l : index
  }
  return %r : index
}
=== loads between two loops that only read, then a store
func.func @f(%n: index, %m: memref<8xi32>) -> i32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %a = scf.for %i = %0 to %n step %1 iter_args(%x = %zero) -> i32 {
    %v = memref.load %m[%i] : memref<8xi32>
    %y = arith.addi %x, %v : i32
    scf.yield %y : i32
  }
  %p = memref.load %m[%0] : memref<8xi32>
  %b = scf.for %i = %0 to %n step %1 iter_args(%x = %p) -> i32 {
    %v = memref.load %m[%i] : memref<8xi32>
    %y = arith.xori %x, %v : i32
    scf.yield %y : i32
  }
  memref.store %a, %m[%0] : memref<8xi32>
  memref.store %b, %m[%1] : memref<8xi32>
  %q = memref.load %m[%0] : memref<8xi32>
  return %q : i32
}
=== while in while, memory in each region
func.func @f(%n: i32, %m: memref<4xi32>) -> i32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.while (%x = %zero) : (i32) -> i32 {
    memref.store %x, %m[%0] : memref<4xi32>
    %e = scf.while (%y = %zero) : (i32) -> i32 {
      %v = memref.load %m[%0] : memref<4xi32>
      %c = arith.cmpi slt, %y, %v : i32
      scf.condition(%c) %y : i32
    } do {
    ^bb0(%y: i32):
      memref.store %y, %m[%1] : memref<4xi32>
      %z = arith.addi %y, %one : i32
      scf.yield %z : i32
    }
    %c = arith.cmpi slt, %e, %n : i32
    scf.condition(%c) %e : i32
  } do {
  ^bb0(%e: i32):
    %z = arith.addi %e, %one : i32
    memref.store %z, %m[%1] : memref<4xi32>
    scf.yield %z : i32
  }
  return %r : i32
}
=== the test of a while chooses in its first region, too
func.func @f(%n: i8, %a: i8) -> (i8, i8) {
  %one = arith.constant 1 : i8
  %z = arith.constant 0 : i8
  %r:2 = scf.while (%x = %z, %p = %a) : (i8, i8) -> (i8, i8) {
    %b = arith.cmpi ult, %x, %n : i8
    %w = scf.if %b -> i8 {
      %v = arith.muli %p, %p : i8
      scf.yield %v : i8
    } else {
      %v = arith.addi %p, %p : i8
      scf.yield %v : i8
    }
    scf.condition(%b) %x, %w : i8, i8
  } do {
  ^bb0(%x: i8, %p: i8):
    %y = arith.addi %x, %one : i8
    scf.yield %y, %p : i8, i8
  }
  return %r#0, %r#1 : i8, i8
}
=== the test of a while chooses between memory orders, too
func.func @f(%m: memref<4xi8>, %n: i8) -> i8 {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i8
  %z = arith.constant 0 : i8
  %r = scf.while (%x = %z) : (i8) -> i8 {
    %b = arith.cmpi ult, %x, %n : i8
    %w = scf.if %b -> i8 {
      %v = memref.load %m[%c0] : memref<4xi8>
      scf.yield %v : i8
    } else {
      scf.yield %x : i8
    }
    memref.store %w, %m[%c0] : memref<4xi8>
    scf.condition(%b) %x : i8
  } do {
  ^bb0(%x: i8):
    %y = arith.addi %x, %one : i8
    scf.yield %y : i8
  }
  return %r : i8
}
=== tests of a loop and of the loop in it choose, in both
func.func @f(%n: i8, %a: i8) -> (i8, i8) {
  %one = arith.constant 1 : i8
  %z = arith.constant 0 : i8
  %r:2 = scf.while (%x = %z, %p = %a) : (i8, i8) -> (i8, i8) {
    %k = arith.constant 4 : i8
    %b1 = arith.cmpi ult, %x, %n : i8
    %b2 = arith.cmpi ult, %x, %k : i8
    %b = arith.andi %b1, %b2 : i1
    %in:2 = scf.while (%y = %x, %g = %p) : (i8, i8) -> (i8, i8) {
      %c = arith.cmpi ult, %y, %k : i8
      %h = scf.if %c -> i8 { %v = arith.addi %g, %y : i8 scf.yield %v : i8 } else { scf.yield %g : i8 }
      %h2 = scf.if %b -> i8 { %v = arith.xori %h, %y : i8 scf.yield %v : i8 } else { scf.yield %h : i8 }
      scf.condition(%c) %y, %h2 : i8, i8
    } do {
    ^bb0(%y: i8, %g: i8):
      %y1 = arith.addi %y, %one : i8
      scf.yield %y1, %g : i8, i8
    }
    %w = scf.if %b -> i8 {
      %v = arith.muli %in#1, %p : i8
      scf.yield %v : i8
    } else {
      %v = arith.addi %p, %in#1 : i8
      scf.yield %v : i8
    }
    scf.condition(%b) %x, %w : i8, i8
  } do {
  ^bb0(%x: i8, %p: i8):
    %y = arith.addi %x, %one : i8
    scf.yield %y, %p : i8, i8
  }
  return %r#0, %r#1 : i8, i8
}
=== a test chooses twice, and so does its opposite
func.func @f(%m: memref<4xi8>, %n: i8) -> i8 {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i8
  %z = arith.constant 0 : i8
  %r = scf.while (%x = %z) : (i8) -> i8 {
    %y = arith.addi %x, %one : i8
    %b = arith.cmpi ult, %y, %n : i8
    scf.if %b {
      %v = memref.load %m[%c0] : memref<4xi8>
      %w = arith.addi %v, %y : i8
      memref.store %w, %m[%c0] : memref<4xi8>
    } else {
      memref.store %y, %m[%c0] : memref<4xi8>
    }
    %g = scf.if %b -> i8 { %v = memref.load %m[%c0] : memref<4xi8> scf.yield %v : i8 } else { scf.yield %y : i8 }
    %true = arith.constant true
    %nb = arith.xori %b, %true : i1
    scf.if %nb { memref.store %g, %m[%c0] : memref<4xi8> }
    scf.condition(%b) %y : i8
  } do {
  ^bb0(%x: i8):
    scf.yield %x : i8
  }
  return %r : i8
}
