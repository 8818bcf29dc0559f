// A graph with a unit of one's own: the sum of two samples, times a factor, with saturation.
handshake.func private @saturating_product(i16, i16, none, ...) -> (i16, none)
    attributes {argNames = ["sample", "factor", "go"], resNames = ["product", "done"]}

handshake.func @gain(%x: i16, %y: i16, %factor: i16, %start: none, ...) -> (i16, none)
    attributes {argNames = ["x", "y", "factor", "start"], resNames = ["out", "done"]} {
  %sum = arith.addi %x, %y : i16
  %out, %done = instance @saturating_product(%sum, %factor, %start)
      : (i16, i16, none) -> (i16, none)
  return %out, %done : i16, none
}
