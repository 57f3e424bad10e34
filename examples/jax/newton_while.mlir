module @jit_newton_while attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12xf32>) -> (tensor<12xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %2:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %0, %iterArg_1 = %1) : tensor<12xf32>, tensor<12xf32>, tensor<12xi32>
    cond {
      %3 = stablehlo.abs %iterArg_0 : tensor<12xf32>
      %cst_2 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %5 = stablehlo.compare GT, %3, %4, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
      %c_3 = stablehlo.constant dense<60> : tensor<i32>
      %6 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<12xi32>
      %7 = stablehlo.compare LT, %iterArg_1, %6, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
      %c_4 = stablehlo.constant dense<false> : tensor<i1>
      %8 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i1>) -> tensor<12xi1>
      %9 = stablehlo.compare NE, %7, %8, UNSIGNED : (tensor<12xi1>, tensor<12xi1>) -> tensor<12xi1>
      %10 = stablehlo.convert %9 : tensor<12xi1>
      %11 = stablehlo.and %5, %10 : tensor<12xi1>
      %c_5 = stablehlo.constant dense<false> : tensor<i1>
      %12 = stablehlo.reduce(%11 init: %c_5) applies stablehlo.or across dimensions = [0] : (tensor<12xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %12 : tensor<i1>
    } do {
      %3 = stablehlo.multiply %iterArg, %iterArg : tensor<12xf32>
      %4 = stablehlo.multiply %3, %iterArg : tensor<12xf32>
      %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %6 = stablehlo.multiply %5, %iterArg : tensor<12xf32>
      %7 = stablehlo.subtract %4, %6 : tensor<12xf32>
      %cst_3 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %9 = stablehlo.subtract %7, %8 : tensor<12xf32>
      %10 = stablehlo.sine %iterArg : tensor<12xf32>
      %11 = stablehlo.add %9, %10 : tensor<12xf32>
      %12 = stablehlo.multiply %iterArg, %iterArg : tensor<12xf32>
      %13 = stablehlo.multiply %12, %iterArg : tensor<12xf32>
      %14 = stablehlo.multiply %iterArg, %iterArg : tensor<12xf32>
      %cst_4 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %16 = stablehlo.multiply %15, %14 : tensor<12xf32>
      %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %17 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %18 = stablehlo.multiply %17, %iterArg : tensor<12xf32>
      %19 = stablehlo.subtract %13, %18 : tensor<12xf32>
      %cst_6 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
      %20 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %21 = stablehlo.subtract %19, %20 : tensor<12xf32>
      %22 = stablehlo.sine %iterArg : tensor<12xf32>
      %23 = stablehlo.cosine %iterArg : tensor<12xf32>
      %24 = stablehlo.add %21, %22 : tensor<12xf32>
      %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %25 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %26 = stablehlo.multiply %25, %23 : tensor<12xf32>
      %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %27 = stablehlo.negate %cst_8 : tensor<f32>
      %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %28 = stablehlo.multiply %cst_9, %27 : tensor<f32>
      %29 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %30 = stablehlo.add %26, %29 : tensor<12xf32>
      %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %31 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %32 = stablehlo.multiply %31, %16 : tensor<12xf32>
      %33 = stablehlo.add %30, %32 : tensor<12xf32>
      %34 = stablehlo.divide %11, %33 : tensor<12xf32>
      %cst_11 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
      %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %35 = func.call @clip(%34, %cst_11, %cst_12) : (tensor<12xf32>, tensor<f32>, tensor<f32>) -> tensor<12xf32>
      %36 = stablehlo.subtract %iterArg, %35 : tensor<12xf32>
      %c_13 = stablehlo.constant dense<1> : tensor<i32>
      %37 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<12xi32>
      %38 = stablehlo.add %iterArg_1, %37 : tensor<12xi32>
      %39 = stablehlo.abs %iterArg_0 : tensor<12xf32>
      %cst_14 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
      %40 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<12xf32>
      %41 = stablehlo.compare GT, %39, %40, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
      %c_15 = stablehlo.constant dense<60> : tensor<i32>
      %42 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<12xi32>
      %43 = stablehlo.compare LT, %iterArg_1, %42, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
      %c_16 = stablehlo.constant dense<false> : tensor<i1>
      %44 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i1>) -> tensor<12xi1>
      %45 = stablehlo.compare NE, %43, %44, UNSIGNED : (tensor<12xi1>, tensor<12xi1>) -> tensor<12xi1>
      %46 = stablehlo.convert %45 : tensor<12xi1>
      %47 = stablehlo.and %41, %46 : tensor<12xi1>
      %48 = stablehlo.broadcast_in_dim %47, dims = [0] : (tensor<12xi1>) -> tensor<12xi1>
      %49 = stablehlo.select %48, %36, %iterArg : tensor<12xi1>, tensor<12xf32>
      %50 = stablehlo.broadcast_in_dim %47, dims = [0] : (tensor<12xi1>) -> tensor<12xi1>
      %51 = stablehlo.select %50, %35, %iterArg_0 : tensor<12xi1>, tensor<12xf32>
      %52 = stablehlo.broadcast_in_dim %47, dims = [0] : (tensor<12xi1>) -> tensor<12xi1>
      %53 = stablehlo.select %52, %38, %iterArg_1 : tensor<12xi1>, tensor<12xi32>
      stablehlo.return %49, %51, %53 : tensor<12xf32>, tensor<12xf32>, tensor<12xi32>
    }
    return %2#0 : tensor<12xf32>
  }
  func.func private @clip(%arg0: tensor<12xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<12xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<12xf32>
    %3 = stablehlo.convert %arg2 : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<12xf32>
    return %5 : tensor<12xf32>
  }
}
