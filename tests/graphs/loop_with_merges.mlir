// The sum of 0 up to but not including n; the graph has no buffers yet.
handshake.func @loop_with_merges(%n: i32, %start: none, ...) -> (i32, none)
    attributes {argNames = ["n", "start"], resNames = ["sum", "done"]} {
  %zero = constant %start {value = 0 : i32} : i32
  %ctrl, %which = control_merge %start, %again : none, index
  %i = mux %which [%zero, %next] : index, i32
  %s = mux %which [%zero, %sum] : index, i32
  %limit = mux %which [%n, %keep] : index, i32
  %go = arith.cmpi slt, %i, %limit : i32
  %again, %end = cond_br %go, %ctrl : none
  %body, %unused = cond_br %go, %i : i32
  %total, %result = cond_br %go, %s : i32
  %keep, %dropped = cond_br %go, %limit : i32
  %one = constant %again {value = 1 : i32} : i32
  %next = arith.addi %body, %one : i32
  %sum = arith.addi %total, %body : i32
  return %result, %end : i32, none
}
