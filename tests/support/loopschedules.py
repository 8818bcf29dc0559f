"""Pipelined loops in CIRCT's loopschedule: one of each form that LOOM reads."""

from __future__ import annotations

ACCUMULATE = """func.func @accumulate(%m: memref<?xi32>) -> i32 {
  %low = arith.constant 0 : index
  %one = arith.constant 1 : index
  %high = arith.constant 16 : index
  %first = arith.constant 5 : i32
  %sum = loopschedule.pipeline II = 1 iter_args(%i = %low, %acc = %first) : (index, i32) -> i32 {
    %more = arith.cmpi ult, %i, %high : index
    loopschedule.register %more : i1
  } do {
    %a:2 = loopschedule.pipeline.stage start = 0 {
      %n = arith.addi %i, %one : index
      %v = memref.load %m[%i] : memref<?xi32>
      loopschedule.register %n, %v : index, i32
    } : index, i32
    %s = loopschedule.pipeline.stage start = 1 {
      %t = arith.subi %acc, %a#1 : i32
      loopschedule.register %t : i32
    } : i32
    loopschedule.terminator iter_args(%a#0, %s), results(%s) : (index, i32) -> i32
  }
  return %sum : i32
}
"""
"""A result that is carried."""

PREDICATED = """func.func @predicated(%m: memref<?xi32>, %o: memref<?xi32>) {
  %low = arith.constant 2 : index
  %one = arith.constant 1 : index
  %high = arith.constant 9 : index
  loopschedule.pipeline II = 2 iter_args(%i = %low) : (index) -> () {
    %more = arith.cmpi ult, %i, %high : index
    loopschedule.register %more : i1
  } do {
    %a:3 = loopschedule.pipeline.stage start = 0 {
      %n = arith.addi %i, %one : index
      %odd = arith.cmpi ne, %n, %high : index
      loopschedule.register %i, %n, %odd : index, index, i1
    } : index, index, i1
    %b:3 = loopschedule.pipeline.stage start = 1 when %a#2 {
      %v = memref.load %m[%a#0] : memref<?xi32>
      loopschedule.register %a#0, %a#2, %v : index, i1, i32
    } : index, i1, i32
    loopschedule.pipeline.stage start = 4 when %b#1 {
      memref.store %b#2, %o[%b#0] : memref<?xi32>
      loopschedule.register
    }
    loopschedule.terminator iter_args(%a#1), results() : (index) -> ()
  }
  return
}
"""
"""Stages under a predicate, a gap between start times, registers that pass values on."""

SCRATCH = """func.func @scratch(%m: memref<?xi32>) {
  %low = arith.constant 0 : index
  %one = arith.constant 1 : index
  %high = arith.constant 7 : index
  %old = memref.alloca() : memref<1xi32>
  %new = memref.alloca() : memref<1xi32>
  loopschedule.pipeline II = 3 iter_args(%i = %low) : (index) -> () {
    %more = arith.cmpi ult, %i, %high : index
    loopschedule.register %more : i1
  } do {
    %a:3 = loopschedule.pipeline.stage start = 0 {
      %n = arith.addi %i, %one : index
      %v = memref.load %m[%i] : memref<?xi32>
      %w = memref.load %old[%low] : memref<1xi32>
      loopschedule.register %n, %v, %w : index, i32, i32
    } : index, i32, i32
    %s = loopschedule.pipeline.stage start = 1 {
      memref.store %a#1, %new[%low] : memref<1xi32>
      %t = arith.addi %a#1, %a#2 : i32
      loopschedule.register %t : i32
    } : i32
    loopschedule.pipeline.stage start = 2 {
      memref.store %s, %old[%low] : memref<1xi32>
      loopschedule.register
    }
    loopschedule.terminator iter_args(%a#0), results() : (index) -> ()
  }
  return
}
"""
"""Several memories, some of them of the function's own."""

INDIRECT = """func.func @indirect(%m: memref<?xi32>, %p: memref<?xi32>) {
  %low = arith.constant 0 : index
  %one = arith.constant 1 : index
  %high = arith.constant 12 : index
  loopschedule.pipeline II = 1 iter_args(%i = %low) : (index) -> () {
    %more = arith.cmpi ult, %i, %high : index
    loopschedule.register %more : i1
  } do {
    %a:2 = loopschedule.pipeline.stage start = 0 {
      %n = arith.addi %i, %one : index
      %v = memref.load %p[%i] : memref<?xi32>
      %at = arith.index_cast %v : i32 to index
      loopschedule.register %n, %at : index, index
    } : index, index
    %b = loopschedule.pipeline.stage start = 1 {
      %w = memref.load %m[%a#1] : memref<?xi32>
      loopschedule.register %w : i32
    } : i32
    loopschedule.pipeline.stage start = 3 {
      memref.store %b, %m[%a#1] : memref<?xi32>
      loopschedule.register
    }
    loopschedule.terminator iter_args(%a#0), results() : (index) -> ()
  }
  return
}
"""
"""A load whose value is used in its own stage."""

LATE = """func.func @late(%m: memref<?xi32>, %o: memref<?xi32>) {
  %one = arith.constant 1 : index
  %low = arith.constant 4 : index
  %high = arith.constant 10 : index
  loopschedule.pipeline II = 1 iter_args(%i = %low) : (index) -> () {
    %more = arith.cmpi ult, %i, %high : index
    loopschedule.register %more : i1
  } do {
    %a = loopschedule.pipeline.stage start = 0 {
      %p = arith.subi %i, %one : index
      %v = memref.load %m[%p] : memref<?xi32>
      loopschedule.register %v : i32
    } : i32
    %b = loopschedule.pipeline.stage start = 1 {
      %d = arith.shli %one, %one : index
      %h = arith.subi %d, %one : index
      %n = arith.addi %i, %h : index
      loopschedule.register %n : index
    } : index
    loopschedule.pipeline.stage start = 2 {
      memref.store %a, %o[%i] : memref<?xi32>
      loopschedule.register
    }
    loopschedule.terminator iter_args(%b), results() : (index) -> ()
  }
  return
}
"""
"""The next value of an iter_arg that is registered a cycle later than II allows."""

COUNTED = """func.func @counted(%go: i1) {
  loopschedule.pipeline II = 1 trip_count = 3 iter_args(%again = %go) : (i1) -> () {
    loopschedule.register %again : i1
  } do {
    %a = loopschedule.pipeline.stage start = 0 {
      loopschedule.register %again : i1
    } : i1
    loopschedule.terminator iter_args(%a), results() : (i1) -> ()
  }
  return
}
"""
"""A trip count, and a condition that is an iter_arg itself."""

LOOPSCHEDULES = {
    "accumulate": ACCUMULATE,
    "predicated": PREDICATED,
    "scratch": SCRATCH,
    "indirect": INDIRECT,
    "late": LATE,
    "counted": COUNTED,
}
UNCARRIED = ACCUMULATE.replace("results(%s)", "results(%a#1)")
"""A result that no iter_arg carries."""
