// The elements change places; the first element of a tuple has the high bits.
handshake.func @tuples(%pair: tuple<i8, i4>, %start: none, ...)
    -> (tuple<i4, i8>, tuple<none, i8>, none) {
  %first, %second = unpack %pair : tuple<i8, i4>
  %swapped = pack %second, %first : tuple<i4, i8>
  %marked = pack %start, %first : tuple<none, i8>
  return %swapped, %marked, %start : tuple<i4, i8>, tuple<none, i8>, none
}
