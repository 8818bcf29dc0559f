// The shapes of the deadlock search: one program after each line with three equals signs.
// === straight line
func.func @f(%a: i1, %b: i1) -> i1 {
  %c = arith.xori %a, %b : i1
  return %c : i1
}
// === straight line with a multiplier
func.func @f(%a: i2, %b: i2) -> i1 {
  %c = arith.muli %a, %b : i2
  %d = arith.cmpi slt, %c, %a : i2
  return %d : i1
}
// === for
func.func @f(%n: index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %m = memref.alloc() : memref<2xi1>
  %t = arith.constant 1 : i1
  scf.for %i = %0 to %n step %1 {
    memref.store %t, %m[%0] : memref<2xi1>
  }
  return
}
// === for of constant bounds
func.func @f(%a: i1) -> i1 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %3 = arith.constant 3 : index
  %r = scf.for %i = %0 to %3 step %1 iter_args(%x = %a) -> i1 {
    %y = arith.xori %x, %a : i1
    scf.yield %y : i1
  }
  return %r : i1
}
// === for with a carried value
func.func @f(%n: index, %a: i1) -> i1 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %a) -> i1 {
    %y = arith.xori %x, %a : i1
    scf.yield %y : i1
  }
  return %r : i1
}
// === for with a multiplier in its recurrence
func.func @f(%n: index, %a: i2) -> i2 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %a) -> i2 {
    %y = arith.muli %x, %x : i2
    scf.yield %y : i2
  }
  return %r : i2
}
// === for that reads, changes and writes
func.func @f(%n: index, %m: memref<4xi1>) -> i1 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %z = arith.constant 0 : i1
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %z) -> i1 {
    %v = memref.load %m[%i] : memref<4xi1>
    %y = arith.xori %x, %v : i1
    memref.store %y, %m[%i] : memref<4xi1>
    scf.yield %y : i1
  }
  return %s : i1
}
// === for that only reads
func.func @f(%n: index, %m: memref<4xi1>) -> i1 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %z = arith.constant 0 : i1
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %z) -> i1 {
    %v = memref.load %m[%i] : memref<4xi1>
    %y = arith.xori %x, %v : i1
    scf.yield %y : i1
  }
  return %s : i1
}
// === for over two memories
func.func @f(%n: index, %p: memref<4xi1>, %q: memref<4xi1>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    %v = memref.load %p[%i] : memref<4xi1>
    memref.store %v, %q[%i] : memref<4xi1>
  }
  return
}
// === for with a comparator
func.func @f(%n: index, %x: memref<4xi1>, %h: memref<2xi1> {loom.memory_order = "comparators"}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    %a = memref.load %x[%i] : memref<4xi1>
    %j = arith.index_castui %a : i1 to index
    %v = memref.load %h[%j] : memref<2xi1>
    %y = arith.xori %v, %a : i1
    memref.store %y, %h[%j] : memref<2xi1>
  }
  return
}
// === for with a comparator of two addresses
func.func @f(%n: index, %x: memref<4xi1>, %h: memref<2xi1> {loom.memory_order = "comparators"}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    %a = memref.load %x[%i] : memref<4xi1>
    %j = arith.index_castui %a : i1 to index
    %v = memref.load %h[%j] : memref<2xi1>
    %b = arith.andi %i, %1 : index
    memref.store %v, %h[%b] : memref<2xi1>
  }
  return
}
// === for with a load-store queue
func.func @f(%n: index, %x: memref<4xi1>, %h: memref<2xi1> {loom.memory_order = "queue"}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    %a = memref.load %x[%i] : memref<4xi1>
    %j = arith.index_castui %a : i1 to index
    %v = memref.load %h[%j] : memref<2xi1>
    %y = arith.xori %v, %a : i1
    memref.store %y, %h[%j] : memref<2xi1>
  }
  return
}
// === for with comparators of two stores
func.func @f(%n: index, %x: memref<4xi1>, %h: memref<2xi1> {loom.memory_order = "comparators"}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    %a = memref.load %x[%i] : memref<4xi1>
    %j = arith.index_castui %a : i1 to index
    %b = arith.andi %i, %1 : index
    memref.store %a, %h[%b] : memref<2xi1>
    %v = memref.load %h[%j] : memref<2xi1>
    memref.store %v, %h[%j] : memref<2xi1>
  }
  return
}
// === for with a comparator under a branch
func.func @f(%n: index, %x: memref<4xi1>, %h: memref<2xi1> {loom.memory_order = "comparators"}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    %a = memref.load %x[%i] : memref<4xi1>
    %j = arith.index_castui %a : i1 to index
    %v = memref.load %h[%j] : memref<2xi1>
    scf.if %v {
      memref.store %a, %h[%j] : memref<2xi1>
    }
  }
  return
}
// === while with a comparator
func.func @f(%a: index, %x: memref<4xi1>, %h: memref<2xi1> {loom.memory_order = "comparators"}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %r = scf.while (%k = %a) : (index) -> (index) {
    %c = arith.cmpi ne, %k, %0 : index
    scf.condition(%c) %k : index
  } do {
  ^bb0(%k: index):
    %t = memref.load %x[%k] : memref<4xi1>
    %j = arith.index_castui %t : i1 to index
    %v = memref.load %h[%j] : memref<2xi1>
    %y = arith.xori %v, %t : i1
    memref.store %y, %h[%j] : memref<2xi1>
    %n = arith.subi %k, %1 : index
    scf.yield %n : index
  }
  return
}
// === for in for with a comparator
func.func @f(%n: index, %h: memref<4xi1> {loom.memory_order = "comparators"}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  scf.for %k = %0 to %n step %1 {
    scf.for %i = %0 to %2 step %1 {
      %v = memref.load %h[%i] : memref<4xi1>
      memref.store %v, %h[%i] : memref<4xi1>
    }
  }
  return
}
// === if in for with a load-store queue
func.func @f(%n: index, %x: memref<4xi1>, %h: memref<2xi1> {loom.memory_order = "queue"}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    %a = memref.load %x[%i] : memref<4xi1>
    scf.if %a {
      %v = memref.load %h[%1] : memref<2xi1>
      memref.store %v, %h[%0] : memref<2xi1>
    } else {
      memref.store %a, %h[%1] : memref<2xi1>
    }
  }
  return
}
// === static for in while
func.func @f(%a: index, %h: memref<4xi1>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %r = scf.while (%k = %a) : (index) -> (index) {
    %c = arith.cmpi ne, %k, %0 : index
    scf.condition(%c) %k : index
  } do {
  ^bb0(%k: index):
    scf.for %i = %0 to %k step %1 {
      %v = memref.load %h[%i] : memref<4xi1>
      memref.store %v, %h[%k] : memref<4xi1>
    } {loom.style = "static"}
    %n = arith.subi %k, %1 : index
    scf.yield %n : index
  }
  return
}
// === for after for, a local array
func.func @f(%n: index, %a: i1) -> i1 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %m = memref.alloc() : memref<2xi1>
  scf.for %i = %0 to %n step %1 {
    memref.store %a, %m[%0] : memref<2xi1>
  }
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %a) -> i1 {
    %v = memref.load %m[%0] : memref<2xi1>
    %y = arith.xori %x, %v : i1
    scf.yield %y : i1
  }
  return %s : i1
}
// === if with a result
func.func @f(%c: i1, %a: i1, %b: i1) -> i1 {
  %r = scf.if %c -> i1 {
    %x = arith.xori %a, %b : i1
    scf.yield %x : i1
  } else {
    scf.yield %b : i1
  }
  return %r : i1
}
// === if without a result
func.func @f(%c: i1, %a: i1, %m: memref<2xi1>) {
  %0 = arith.constant 0 : index
  scf.if %c {
    memref.store %a, %m[%0] : memref<2xi1>
  }
  return
}
// === if that writes or reads
func.func @f(%c: i1, %a: i1, %m: memref<2xi1>) -> i1 {
  %0 = arith.constant 0 : index
  %r = scf.if %c -> i1 {
    memref.store %a, %m[%0] : memref<2xi1>
    scf.yield %a : i1
  } else {
    %v = memref.load %m[%0] : memref<2xi1>
    scf.yield %v : i1
  }
  return %r : i1
}
// === if in if
func.func @f(%c: i1, %d: i1, %a: i1, %m: memref<2xi1>) {
  %0 = arith.constant 0 : index
  scf.if %c {
    scf.if %d {
      memref.store %a, %m[%0] : memref<2xi1>
    }
  } else {
    memref.store %d, %m[%0] : memref<2xi1>
  }
  return
}
// === if in for
func.func @f(%n: index, %m: memref<4xi1>) -> i1 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %z = arith.constant 0 : i1
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %z) -> i1 {
    %v = memref.load %m[%0] : memref<4xi1>
    %y = scf.if %v -> i1 {
      %w = arith.xori %x, %v : i1
      memref.store %w, %m[%0] : memref<4xi1>
      scf.yield %w : i1
    } else {
      scf.yield %x : i1
    }
    scf.yield %y : i1
  }
  return %s : i1
}
// === for in if
func.func @f(%c: i1, %n: index, %m: memref<4xi1>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.if %c {
    scf.for %i = %0 to %n step %1 {
      memref.store %c, %m[%i] : memref<4xi1>
    }
  }
  return
}
// === for in for
func.func @f(%n: index, %m: memref<4xi1>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %t = arith.constant 1 : i1
  scf.for %i = %0 to %n step %1 {
    scf.for %j = %0 to %i step %1 {
      memref.store %t, %m[%j] : memref<4xi1>
    }
  }
  return
}
// === for in for, a value carried by both
func.func @f(%n: index, %a: i1) -> i1 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %a) -> i1 {
    %s = scf.for %j = %0 to %i step %1 iter_args(%y = %x) -> i1 {
      %z = arith.xori %y, %a : i1
      scf.yield %z : i1
    }
    scf.yield %s : i1
  }
  return %r : i1
}
// === while
func.func @f(%n: i2) -> i2 {
  %z = arith.constant 0 : i2
  %1 = arith.constant 1 : i2
  %r = scf.while (%x = %z) : (i2) -> i2 {
    %c = arith.cmpi ne, %x, %n : i2
    scf.condition(%c) %x : i2
  } do {
  ^bb0(%y: i2):
    %w = arith.addi %y, %1 : i2
    scf.yield %w : i2
  }
  return %r : i2
}
// === while on what it loads
func.func @f(%m: memref<4xi1>) -> i1 {
  %0 = arith.constant 0 : index
  %z = arith.constant 0 : i1
  %r = scf.while (%x = %z) : (i1) -> i1 {
    %c = memref.load %m[%0] : memref<4xi1>
    scf.condition(%c) %x : i1
  } do {
  ^bb0(%y: i1):
    memref.store %y, %m[%0] : memref<4xi1>
    scf.yield %y : i1
  }
  return %r : i1
}
// === while in while
func.func @f(%m: memref<2xi1>, %k: memref<2xi1>) {
  %0 = arith.constant 0 : index
  scf.while : () -> () {
    %c = memref.load %m[%0] : memref<2xi1>
    scf.condition(%c)
  } do {
    scf.while : () -> () {
      %d = memref.load %k[%0] : memref<2xi1>
      scf.condition(%d)
    } do {
      scf.yield
    }
    scf.yield
  }
  return
}
// === while in for
func.func @f(%n: index, %m: memref<2xi1>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    scf.while : () -> () {
      %d = memref.load %m[%0] : memref<2xi1>
      scf.condition(%d)
    } do {
      scf.yield
    }
  }
  return
}
// === for in while
func.func @f(%n: index, %m: memref<2xi1>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.while : () -> () {
    %d = memref.load %m[%0] : memref<2xi1>
    scf.condition(%d)
  } do {
    %t = arith.constant 1 : i1
    scf.for %i = %0 to %n step %1 {
      memref.store %t, %m[%0] : memref<2xi1>
    }
    scf.yield
  }
  return
}
// === if in while
func.func @f(%a: i1, %m: memref<2xi1>) {
  %0 = arith.constant 0 : index
  scf.while : () -> () {
    %d = memref.load %m[%0] : memref<2xi1>
    scf.condition(%d)
  } do {
    scf.if %a {
      memref.store %a, %m[%0] : memref<2xi1>
    }
    scf.yield
  }
  return
}
