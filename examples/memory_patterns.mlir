// Small loops whose iterations alias in memory at a distance: ahead, behind, two behind, by condition.
func.func @memory_patterns(%a: memref<64xi32>, %b: memref<64xi32>, %c: memref<64xi32>,
                           %d: memref<64xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c63 step %c1 {
    %next = arith.addi %i, %c1 : index
    %x = memref.load %a[%next] : memref<64xi32>
    %y = arith.addi %x, %n : i32
    memref.store %y, %a[%i] : memref<64xi32>
  }
  scf.for %i = %c1 to %c64 step %c1 {
    %before = arith.subi %i, %c1 : index
    %x = memref.load %b[%before] : memref<64xi32>
    %z = memref.load %b[%i] : memref<64xi32>
    %y = arith.addi %x, %z : i32
    memref.store %y, %b[%i] : memref<64xi32>
  }
  scf.for %i = %c2 to %c64 step %c1 {
    %before = arith.subi %i, %c2 : index
    %x = memref.load %c[%before] : memref<64xi32>
    %y = arith.xori %x, %n : i32
    memref.store %y, %c[%i] : memref<64xi32>
  }
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %d[%i] : memref<64xi32>
    %same = arith.cmpi eq, %x, %n : i32
    scf.if %same {
      memref.store %zero, %d[%i] : memref<64xi32>
    }
  }
  return
}
