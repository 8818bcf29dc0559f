=== while: the header has the test
func.func @f(%n: i8, %a: i32) -> i32 {
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  cf.br ^head(%zero, %a : i8, i32)
^head(%i: i8, %x: i32):
  %more = arith.cmpi ult, %i, %n : i8
  cf.cond_br %more, ^body, ^done
^body:
  %y = arith.addi %x, %a : i32
  %j = arith.addi %i, %one : i8
  cf.br ^head(%j, %y : i8, i32)
^done:
  return %x : i32
}
=== do-while: the latch has the test
func.func @f(%n: i8, %a: i32) -> i32 {
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  cf.br ^body(%zero, %a : i8, i32)
^body(%i: i8, %x: i32):
  %y = arith.muli %x, %a : i32
  %j = arith.addi %i, %one : i8
  %more = arith.cmpi ult, %j, %n : i8
  cf.cond_br %more, ^body(%j, %y : i8, i32), ^done
^done:
  return %y : i32
}
=== search: early return out of a loop
func.func @f(%m: memref<8xi4>, %key: i4) -> (i1, index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 8 : index
  %yes = arith.constant true
  %no = arith.constant false
  cf.br ^head(%zero : index)
^head(%i: index):
  %more = arith.cmpi slt, %i, %end : index
  cf.cond_br %more, ^look, ^absent
^look:
  %x = memref.load %m[%i] : memref<8xi4>
  %same = arith.cmpi eq, %x, %key : i4
  cf.cond_br %same, ^found, ^next
^next:
  %j = arith.addi %i, %one : index
  cf.br ^head(%j : index)
^found:
  return %yes, %i : i1, index
^absent:
  return %no, %end : i1, index
}
=== diamond with stores
func.func @f(%c: i1, %a: i32, %m: memref<4xi32>) -> i32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  cf.cond_br %c, ^left, ^right
^left:
  memref.store %a, %m[%zero] : memref<4xi32>
  cf.br ^meet(%a : i32)
^right:
  %v = memref.load %m[%one] : memref<4xi32>
  %w = arith.addi %v, %a : i32
  memref.store %w, %m[%zero] : memref<4xi32>
  cf.br ^meet(%w : i32)
^meet(%x: i32):
  %y = memref.load %m[%zero] : memref<4xi32>
  %z = arith.xori %x, %y : i32
  return %z : i32
}
=== triangle and early return
func.func @f(%a: i8, %b: i8) -> i8 {
  %c = arith.cmpi ugt, %a, %b : i8
  cf.cond_br %c, ^early, ^late
^early:
  return %a : i8
^late:
  %d = arith.cmpi eq, %a, %b : i8
  cf.cond_br %d, ^sum, ^end(%b : i8)
^sum:
  %s = arith.addi %a, %b : i8
  cf.br ^end(%s : i8)
^end(%x: i8):
  return %x : i8
}
=== both ways to one block: a select
func.func @f(%c: i1, %a: i8, %b: i8) -> i8 {
  cf.cond_br %c, ^end(%a : i8), ^end(%b : i8)
^end(%x: i8):
  return %x : i8
}
=== and, or: ways that meet at several places
func.func @f(%a: i8, %b: i8, %m: memref<4xi8>) -> i8 {
  %two = arith.constant 2 : i8
  %zero = arith.constant 0 : index
  %p = arith.cmpi ult, %a, %two : i8
  cf.cond_br %p, ^second, ^no
^second:
  %q = arith.cmpi ult, %b, %two : i8
  cf.cond_br %q, ^yes, ^no
^yes:
  memref.store %a, %m[%zero] : memref<4xi8>
  cf.br ^end(%a : i8)
^no:
  memref.store %b, %m[%zero] : memref<4xi8>
  cf.br ^end(%b : i8)
^end(%x: i8):
  %v = memref.load %m[%zero] : memref<4xi8>
  %r = arith.addi %v, %x : i8
  return %r : i8
}
=== switch of all forms
func.func @f(%a: i2, %b: i32) -> i32 {
  %one = arith.constant 1 : i32
  cf.switch %a : i2, [
    default: ^rest,
    1: ^one(%b : i32),
    -2: ^one(%one : i32),
    -1: ^fall
  ]
^one(%x: i32):
  %y = arith.addi %x, %b : i32
  return %y : i32
^fall:
  %z = arith.muli %b, %b : i32
  cf.br ^rest
^rest:
  cf.switch %b : i32, [default: ^last]
^last:
  return %b : i32
}
=== cases that fall through
func.func @f(%a: i8, %b: i32) -> i32 {
  %k = arith.constant 7 : i32
  %mask = arith.constant 3 : i8
  %s = arith.andi %a, %mask : i8
  cf.switch %s : i8, [
    default: ^d(%b : i32),
    0: ^a,
    1: ^b(%b : i32),
    2: ^c(%b : i32)
  ]
^a:
  %0 = arith.addi %b, %k : i32
  cf.br ^b(%0 : i32)
^b(%x: i32):
  %1 = arith.muli %x, %k : i32
  cf.br ^c(%1 : i32)
^c(%y: i32):
  %2 = arith.xori %y, %k : i32
  cf.br ^d(%2 : i32)
^d(%z: i32):
  return %z : i32
}
=== irreducible: two ways into a loop
func.func @f(%c: i1, %n: i8) -> (i8, i8) {
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  %two = arith.constant 2 : i8
  cf.cond_br %c, ^a(%zero, %zero : i8, i8), ^b(%one, %zero : i8, i8)
^a(%i: i8, %x: i8):
  %x1 = arith.addi %x, %two : i8
  %i1 = arith.addi %i, %one : i8
  %p = arith.cmpi ult, %i1, %n : i8
  cf.cond_br %p, ^b(%i1, %x1 : i8, i8), ^done(%x1 : i8)
^b(%j: i8, %y: i8):
  %y1 = arith.xori %y, %j : i8
  %j1 = arith.addi %j, %one : i8
  %q = arith.cmpi ult, %j1, %n : i8
  cf.cond_br %q, ^a(%j1, %y1 : i8, i8), ^done(%y1 : i8)
^done(%r: i8):
  return %r, %n : i8, i8
}
=== continue and break: several ways back and out
func.func @f(%n: i8, %m: memref<8xi32>) -> i32 {
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  %five = arith.constant 5 : i8
  %seven = arith.constant 7 : i8
  %none = arith.constant 0 : i32
  %big = arith.constant 100 : i32
  cf.br ^head(%zero, %none : i8, i32)
^head(%i: i8, %s: i32):
  %more = arith.cmpi ult, %i, %n : i8
  %next = arith.addi %i, %one : i8
  %small = arith.andi %i, %seven : i8
  %at = arith.index_castui %small : i8 to index
  cf.cond_br %more, ^body, ^done(%s : i32)
^body:
  %v = memref.load %m[%at] : memref<8xi32>
  %neg = arith.cmpi slt, %v, %none : i32
  cf.cond_br %neg, ^head(%next, %s : i8, i32), ^positive
^positive:
  %t = arith.addi %s, %v : i32
  memref.store %t, %m[%at] : memref<8xi32>
  %enough = arith.cmpi ugt, %t, %big : i32
  %late = arith.cmpi ugt, %i, %five : i8
  %stop = arith.andi %enough, %late : i1
  cf.cond_br %stop, ^out, ^head(%next, %t : i8, i32)
^out:
  %w = arith.xori %t, %v : i32
  cf.br ^done(%w : i32)
^done(%r: i32):
  return %r : i32
}
=== nested loops, and a way out of both
func.func @f(%n: i8, %key: i4, %m: memref<4x4xi4>) -> (index, index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  cf.br ^outer(%zero : index)
^outer(%i: index):
  %more = arith.cmpi ult, %i, %four : index
  cf.cond_br %more, ^inner(%zero : index), ^absent
^inner(%j: index):
  %again = arith.cmpi ult, %j, %four : index
  cf.cond_br %again, ^look, ^step
^look:
  %v = memref.load %m[%i, %j] : memref<4x4xi4>
  %hit = arith.cmpi eq, %v, %key : i4
  %j1 = arith.addi %j, %one : index
  cf.cond_br %hit, ^found, ^inner(%j1 : index)
^step:
  %i1 = arith.addi %i, %one : index
  cf.br ^outer(%i1 : index)
^found:
  return %i, %j : index, index
^absent:
  return %four, %four : index, index
}
=== values that leave a loop without an argument
func.func @f(%n: i8, %a: i8) -> (i8, i8, i8) {
  %one = arith.constant 1 : i8
  cf.br ^body(%n, %a : i8, i8)
^body(%i: i8, %x: i8):
  %y = arith.muli %x, %a : i8
  %z = arith.xori %y, %i : i8
  %three = arith.constant 3 : i8
  %low = arith.andi %i, %three : i8
  %i1 = arith.subi %i, %one : i8
  %stop = arith.cmpi eq, %low, %one : i8
  cf.cond_br %stop, ^done, ^body(%i1, %z : i8, i8)
^done:
  %w = arith.addi %z, %three : i8
  return %w, %y, %i1 : i8, i8, i8
}
=== arguments that swap, and one that never varies
func.func @f(%n: i8, %a: i32, %b: i32) -> (i32, i32, i32) {
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  cf.br ^head(%n, %a, %b, %a : i8, i32, i32, i32)
^head(%i: i8, %x: i32, %y: i32, %same: i32):
  %more = arith.cmpi ne, %i, %zero : i8
  cf.cond_br %more, ^back, ^done
^back:
  %j = arith.subi %i, %one : i8
  cf.br ^head(%j, %y, %x, %same : i8, i32, i32, i32)
^done:
  return %x, %y, %same : i32, i32, i32
}
=== memories as arguments of blocks, and views in other blocks
func.func @f(%c: i1, %second: i1, %a: i8, %m: memref<4x4xi8>) -> i8 {
  %local = memref.alloca() : memref<2xi8>
  %zero = arith.constant 0 : index
  %i = arith.index_castui %second : i1 to index
  %row = memref.subview %m[%i, 0] [1, 4] [1, 1]
    : memref<4x4xi8> to memref<4xi8, strided<[1], offset: ?>>
  memref.store %a, %local[%zero] : memref<2xi8>
  cf.cond_br %c, ^one(%local, %m : memref<2xi8>, memref<4x4xi8>), ^two
^one(%l: memref<2xi8>, %n: memref<4x4xi8>):
  %part = memref.subview %row[1] [2] [1]
    : memref<4xi8, strided<[1], offset: ?>> to memref<2xi8, strided<[1], offset: ?>>
  cf.br ^loop(%zero, %l : index, memref<2xi8>)
^loop(%j: index, %again: memref<2xi8>):
  %v = memref.load %part[%j] : memref<2xi8, strided<[1], offset: ?>>
  %o = memref.load %again[%zero] : memref<2xi8>
  %s = arith.addi %v, %o : i8
  memref.store %s, %again[%zero] : memref<2xi8>
  memref.store %s, %n[%j, %i] : memref<4x4xi8>
  %one = arith.constant 1 : index
  %j1 = arith.addi %j, %one : index
  %two = arith.constant 2 : index
  %more = arith.cmpi ult, %j1, %two : index
  cf.cond_br %more, ^loop(%j1, %again : index, memref<2xi8>), ^two
^two:
  %x = memref.load %row[%i] : memref<4xi8, strided<[1], offset: ?>>
  %y = memref.load %local[%zero] : memref<2xi8>
  %r = arith.xori %x, %y : i8
  return %r : i8
}
=== regions: one block, several, in a loop and a branch
func.func @f(%turns: i2, %c: i1, %a: i32, %m: memref<4xi32>) -> i32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.index_castui %turns : i2 to index
  %p = scf.execute_region -> i32 {
    %q = arith.addi %a, %a : i32
    scf.yield %q : i32
  }
  %r = scf.for %i = %zero to %end step %one iter_args(%s = %p) -> (i32) {
    %t = scf.execute_region -> i32 no_inline {
      %v = memref.load %m[%i] : memref<4xi32>
      %less = arith.cmpi slt, %v, %s : i32
      cf.cond_br %less, ^early, ^late
    ^early:
      scf.yield %v : i32
    ^late:
      %w = scf.if %c -> (i32) {
        %x = scf.execute_region -> i32 {
          cf.cond_br %less, ^b(%a : i32), ^b(%v : i32)
        ^b(%y: i32):
          memref.store %y, %m[%i] : memref<4xi32>
          scf.yield %y : i32
        }
        scf.yield %x : i32
      } else {
        scf.yield %s : i32
      }
      cf.br ^leave
    ^leave:
      scf.yield %w : i32
    }
    scf.yield %t : i32
  }
  scf.execute_region {
    memref.store %r, %m[%one] : memref<4xi32>
    scf.yield
  }
  return %r : i32
}
=== calls of functions with several blocks
func.func @f(%a: i8, %b: i8, %m: memref<4xi8>) -> i8 {
  %0 = call @pick(%a, %b, %m) : (i8, i8, memref<4xi8>) -> i8
  %1 = call @pick(%0, %a, %m) : (i8, i8, memref<4xi8>) -> i8
  return %1 : i8
}
func.func private @pick(%a: i8, %b: i8, %m: memref<4xi8>) -> i8 {
  %i = arith.constant 1 : index
  %c = arith.cmpi ult, %a, %b : i8
  cf.cond_br %c, ^1, ^2
^1:
  memref.store %a, %m[%i] : memref<4xi8>
  return %b : i8
^2:
  %v = memref.load %m[%i] : memref<4xi8>
  return %v : i8
}
=== nothing is ever there: unreachable ends and blocks, poison, assertions
func.func @f(%a: i8, %c: i1) -> i8 {
  %yes = arith.constant true
  cf.assert %yes, "always"
  %mask = arith.constant 1 : i8
  %two = arith.constant 2 : i8
  %low = arith.andi %a, %mask : i8
  %never = arith.cmpi eq, %low, %two : i8
  cf.cond_br %never, ^never, ^on
^dead(%x: i8):
  %d = arith.addi %x, %u : i8
  cf.br ^on
^on:
  %p = ub.poison : i8
  %q = arith.select %yes, %low, %p : i8
  cf.switch %low : i8, [default: ^other, 0: ^even(%q : i8), 1: ^even(%a : i8)]
^even(%r: i8):
  return %r : i8
^other:
  cf.br ^never
^never:
  %u = arith.addi %a, %a : i8
  cf.cond_br %c, ^never2, ^spin
^spin:
  cf.cond_br %c, ^spin, ^never2
^never2:
  llvm.unreachable
}
=== blocks in an order of their own
func.func @f(%a: i8) -> i8 {
  cf.br ^last
^2:
  %y = arith.addi %x, %a : i8
  cf.br ^end$.-_
^last:
  %x = arith.muli %a, %a : i8
  cf.br ^2
^end$.-_:
  %z = arith.xori %y, %x : i8
  return %z : i8
}
=== a condition that a loop does not change
func.func @f(%c: i1, %n: i8) -> i8 {
  %one = arith.constant 1 : i8
  %zero = arith.constant 0 : i8
  cf.br ^a(%n : i8)
^a(%i: i8):
  %j = arith.subi %i, %one : i8
  %end = arith.cmpi sle, %j, %zero : i8
  cf.cond_br %end, ^done(%j : i8), ^b
^b:
  cf.cond_br %c, ^a(%j : i8), ^done(%i : i8)
^done(%r: i8):
  return %r : i8
}
=== a loop whose condition is only from outside
func.func @f(%n: i8, %a: i8) -> i8 {
  %no = arith.constant false
  cf.br ^a(%a : i8)
^a(%x: i8):
  %y = arith.addi %x, %n : i8
  cf.cond_br %no, ^a(%y : i8), ^done
^done:
  return %y : i8
}
