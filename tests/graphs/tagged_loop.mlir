// Words with a tag go round a loop of n rounds with each of the dataflow operations; the last word
// of each stream that leaves is the first one again.
!t = !dataflow.tagged<i8, i4>
handshake.func @tagged_loop(%a: !t, %b: !t, %n: index, %start: none, ...) -> (!t, i8, none)
    attributes {argNames = ["a", "b", "n", "start"], resNames = ["out", "count", "done"]} {
  %zero = constant %start {value = 0 : index} : index
  %one = constant %start {value = 1 : index} : index
  %numbers, %go = dataflow.stream %zero, %one, %n {step_op = "+=", cont_cond = "<"}
  sink %numbers : index
  %word = dataflow.carry %go, %a, %round : i1, !t, !t -> !t
  %next, %out = cond_br %go, %word : !t
  %round = buffer [2] seq %next : !t
  %same = dataflow.invariant %go, %b : i1, !t -> !t
  %inside, %inner = dataflow.gate %same, %go : !t, i1 -> !t, i1
  sink %inside : !t
  sink %inner : i1
  %none = constant %start {value = 0 : i8} : i8
  %step = constant %start {value = 2 : i8} : i8
  %total = dataflow.carry %go, %none, %grown : i1, i8, i8 -> i8
  %counted, %count = cond_br %go, %total : i8
  %steps = dataflow.invariant %go, %step : i1, i8 -> i8
  %body, %last = cond_br %go, %steps : i8
  %grown = arith.addi %counted, %body : i8
  return %out, %count, %start : !t, i8, none
}
