// What came in two activations ago, at first 10 and 20; and the sum of all that came in so far.
handshake.func @initial_values(%a: i8, %start: none, ...) -> (i8, i8, none)
    attributes {argNames = ["a", "inCtrl"], resNames = ["late", "total", "outCtrl"]} {
  %late = buffer [2] seq %a {initValues = [20, 10]} : i8
  %before = buffer [1] seq %total {initValues = [100]} : i8
  %total = arith.addi %before, %a : i8
  return %late, %total, %start : i8, i8, none
}
