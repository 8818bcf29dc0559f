// Random program 327, which stopped under --zero-trip=guard: a turn waited for the test of the next.
func.func @f(%a0: i33, %m0: memref<4x2xi1>, %m1: memref<16xi1>) -> (index) {
  %1 = arith.trunci %a0 : i33 to i32
  %2 = arith.constant 7 : i32
  %3 = arith.andi %1, %2 : i32
  %4 = arith.constant 0 : i32
  %5 = arith.constant 1 : i32
  %8:2 = scf.while (%7 = %4, %6 = %a0) : (i32, i33) -> (i32, i1) {
    %9 = arith.cmpi ult, %7, %3 : i32
    %10 = arith.trunci %6 : i33 to i1
    scf.condition(%9) %7, %10 : i32, i1
  } do {
    ^bb0(%11: i32, %12: i1):
    %13 = arith.index_castui %12 : i1 to index
    %14 = arith.constant 1 : index
    %15 = arith.andi %13, %14 : index
    %16 = arith.constant 1 : index
    %17 = arith.constant 1 : index
    scf.for %18 = %15 to %16 step %17 {
      %19 = arith.index_castui %a0 : i33 to index
      scf.if %12 {
        %20 = arith.index_cast %18 : index to i1
        %21 = scf.if %20 -> (i33) {
          %22 = arith.constant 0 : i32
          %23 = arith.trunci %a0 : i33 to i32
          %24 = arith.constant 1 : i32
          %25 = arith.andi %23, %24 : i32
          %26 = arith.constant 2 : i32
          scf.for unsigned %27 = %22 to %25 step %26 : i32 {
            %28 = arith.index_castui %a0 : i33 to index
            %29 = index.mul %19, %28
            %30 = arith.addi %19, %18 : index
            %31 = arith.index_castui %12 : i1 to index
            %32 = arith.constant -2 : index
            %33 = arith.andi %31, %32 : index
            %34 = arith.constant 2 : index
            %35 = arith.ori %33, %34 : index
            %36 = arith.ceildivui %19, %35 : index
          }
          %37 = arith.extui %12 : i1 to i17
          %38 = arith.constant 1 : i17
          %39 = arith.andi %37, %38 : i17
          %40 = arith.extui %12 : i1 to i17
          %41 = arith.constant 1 : i17
          %42 = arith.andi %40, %41 : i17
          %43 = arith.constant 1 : i17
          %44 = arith.extui %12 : i1 to i17
          %45 = arith.constant 1 : i17
          %46 = arith.andi %44, %45 : i17
          %47 = arith.addi %46, %43 : i17
          %48 = arith.index_cast %19 : index to i1
          %49 = arith.constant false
          %50 = arith.cmpi ugt, %48, %49 : i1
          %53 = scf.for %52 = %39 to %42 step %47 iter_args(%51 = %50) -> (i1) : i17 {
            %54 = arith.extui %52 : i17 to i33
            %55 = arith.index_cast %54 : i33 to index
            %56 = arith.trunci %52 : i17 to i1
            %57 = arith.cmpi eq, %12, %56 : i1
            %58 = arith.constant 6 : index
            %59 = memref.load %m1[%58] : memref<16xi1>
            scf.yield %59 : i1
          }
          %60 = arith.extui %12 : i1 to i33
          scf.yield %60 : i33
        } else {
          scf.yield %a0 : i33
        }
      }
    }
    %61 = arith.addi %11, %5 : i32
    %62 = arith.index_castui %a0 : i33 to index
    %63 = arith.constant 2 : index
    %64 = index.remu %62, %63
    %65 = arith.index_cast %64 : index to i33
    scf.yield %61, %65 : i32, i33
  }
  %66 = arith.index_castui %8#1 : i1 to index
  func.return %66 : index
}
