// The sum of 0 up to but not including n; the first select is the initial value of a buffer, and
// the last condition puts it there again.
handshake.func @loop_with_initial_value(%n: i32, %start: none, ...) -> (i32, none) {
  %sel = buffer [1] seq %back {initValues = [0]} : i1
  %ctrl = mux %sel [%start, %again] : i1, none
  %zero = constant %start {value = 0 : i32} : i32
  %i = mux %sel [%zero, %next] : i1, i32
  %s = mux %sel [%zero, %sum] : i1, i32
  %limit = mux %sel [%n, %keep] : i1, i32
  %go = arith.cmpi slt, %i, %limit : i32
  %back = merge %go : i1
  %again, %end = cond_br %go, %ctrl : none
  %body, %unused = cond_br %go, %i : i32
  %total, %result = cond_br %go, %s : i32
  %keep, %dropped = cond_br %go, %limit : i32
  %one = constant %again {value = 1 : i32} : i32
  %next = arith.addi %body, %one : i32
  %sum = arith.addi %total, %body : i32
  return %result, %end : i32, none
}
