// 3 x + 1, twice.
handshake.func @instances(%x: i16, %start: none, ...) -> (i16, none) {
  %0:2 = instance @step(%x, %start) : (i16, none) -> (i16, none)
  %1:2 = instance @step(%0#0, %0#1) : (i16, none) -> (i16, none)
  return %1#0, %1#1 : i16, none
}
handshake.func private @step(%x: i16, %start: none, ...) -> (i16, none) {
  %three = constant %start {value = 3 : i16} : i16
  %product = arith.muli %x, %three : i16
  %0:2 = instance @increment(%product, %start) : (i16, none) -> (i16, none)
  return %0#0, %0#1 : i16, none
}
handshake.func private @increment(%x: i16, %start: none, ...) -> (i16, none) {
  %one = constant %start {value = 1 : i16} : i16
  %result = arith.addi %x, %one : i16
  return %result, %start : i16, none
}
