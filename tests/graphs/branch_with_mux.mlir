// a + 1 where the condition holds, else 3 a.
module {
  handshake.func @branch_with_mux(%arg0: i1, %arg1: i8, %arg2: none, ...) -> (i8, none)
      attributes {argNames = ["c", "a", "inCtrl"], resNames = ["out0", "outCtrl"]} {
    %0 = merge %arg0 : i1
    %1 = buffer [2] fifo %0 : i1
    %2 = merge %arg1 : i8
    %trueResult, %falseResult = cond_br %0, %2 : i8
    %trueResult_0, %falseResult_1 = cond_br %0, %arg2 : none
    %3 = constant %trueResult_0 {value = 1 : i8} : i8
    %4 = arith.addi %trueResult, %3 : i8
    %5 = br %4 : i8
    %6 = br %trueResult_0 : none
    %7 = constant %falseResult_1 {value = 3 : i8} : i8
    %8 = arith.muli %falseResult, %7 : i8
    %9 = mux %1 [%8, %5] : i1, i8
    %10 = mux %1 [%falseResult_1, %6] : i1, none
    return %9, %10 : i8, none
  }
}
