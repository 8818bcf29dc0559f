// a squared; the two copies are joined again at once.
handshake.func @lazy_fork(%a: i16, %start: none, ...) -> (i16, none) {
  %0:2 = lazy_fork [2] %a : i16
  %1 = arith.muli %0#0, %0#1 : i16
  %2:2 = lazy_fork [2] %start : none
  %3 = join %2#0, %2#1 : none, none
  return %1, %3 : i16, none
}
