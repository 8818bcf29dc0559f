// A square root by Newton's steps until they stand still, and how many there were.
func.func @newton_f32(%x: f32) -> (f32, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %half = arith.constant 0.5 : f32
  %result:2 = scf.while (%guess = %x, %steps = %zero) : (f32, i32) -> (f32, i32) {
    %quotient = arith.divf %x, %guess : f32
    %total = arith.addf %guess, %quotient : f32
    %better = arith.mulf %total, %half : f32
    %moves = arith.cmpf olt, %better, %guess : f32
    scf.condition(%moves) %better, %steps : f32, i32
  } do {
  ^bb0(%better: f32, %steps: i32):
    %counted = arith.addi %steps, %one : i32
    scf.yield %better, %counted : f32, i32
  }
  return %result#0, %result#1 : f32, i32
}
