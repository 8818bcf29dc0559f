// 3 a and b, which leave once both are there; done joins data and control.
handshake.func @fork_join_sync(%a: i8, %b: i4, %start: none, ...) -> (i8, i4, none) {
  %copies:3 = fork [3] %a : i8
  %twice = arith.addi %copies#0, %copies#1 : i8
  %thrice = arith.addi %twice, %copies#2 : i8
  %synced:3 = sync %thrice, %b, %start : i8, i4, none
  %outs:2 = fork [2] %synced#0 : i8
  %done = join %outs#0, %synced#2 : i8, none
  return %outs#1, %synced#1, %done : i8, i4, none
}
