// m[i] += v, and the word that was there before; addresses are as wide as they need to be.
handshake.func @external_memory(%m: memref<4xi16>, %v: i16, %i: i2, %start: none, ...)
    -> (i16, none) {
  %0:3 = extmemory[ld = 1, st = 1] (%m : memref<4xi16>) (%data, %to, %from) {id = 0 : i32}
      : (i16, i2, i2) -> (i16, none, none)
  %old, %from = load [%i] %0#0, %start : i2, i16
  %new = arith.addi %old, %v : i16
  %data, %to = store [%i] %new, %0#2 : i2, i16
  return %old, %0#1 : i16, none
}
