// a or 10; the constants come from endless sources, and one of them is a result.
handshake.func @source_never_select(%c: i1, %a: i8, %start: none, ...) -> (i8, i8, none) {
  %0 = source
  %ten = constant %0 {value = 10 : i8} : i8
  %nothing = never : i8
  %same = merge %nothing, %a : i8
  %chosen = select %c, %same, %ten : i8
  %1 = source
  %seven = constant %1 {value = 7 : i8} : i8
  %2 = source
  sink %2 : none
  return %chosen, %seven, %start : i8, i8, none
}
