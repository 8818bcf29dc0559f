// 10, 20 or 30 for 0, 1 and more; the way that control takes names the datum.
handshake.func @three_ways(%c: i8, %start: none, ...) -> (i8, f32, none) {
  %zero = constant %start {value = 0 : i8} : i8
  %is_zero = arith.cmpi eq, %c, %zero : i8
  %first, %rest = cond_br %is_zero, %start : none
  %unused, %other = cond_br %is_zero, %c : i8
  %one = constant %rest {value = 1 : i8} : i8
  %is_one = arith.cmpi eq, %other, %one : i8
  %second, %third = cond_br %is_one, %rest : none
  %a = constant %first {value = 10 : i8} : i8
  %b = constant %second {value = 20 : i8} : i8
  %d = constant %third {value = 30 : i8} : i8
  %x = constant %first {value = 1.5 : f32} : f32
  %y = constant %rest {value = -2.0 : f32} : f32
  %done, %way = control_merge %first, %second, %third : none, i2
  %number = mux %way [%a, %b, %d] : i2, i8
  %real = merge %x, %y : f32
  return %number, %real, %done : i8, f32, none
}
