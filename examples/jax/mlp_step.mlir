module @jit_mlp_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x48xf32>, %arg1: tensor<48xf32>, %arg2: tensor<48x32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32x10xf32>, %arg5: tensor<10xf32>, %arg6: tensor<64x48xf32>, %arg7: tensor<48xf32>, %arg8: tensor<48x32xf32>, %arg9: tensor<32xf32>, %arg10: tensor<32x10xf32>, %arg11: tensor<10xf32>, %arg12: tensor<32x64xf32>, %arg13: tensor<32xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<64x48xf32> {jax.result_info = "result[1][0][0]"}, tensor<48xf32> {jax.result_info = "result[1][0][1]"}, tensor<48x32xf32> {jax.result_info = "result[1][1][0]"}, tensor<32xf32> {jax.result_info = "result[1][1][1]"}, tensor<32x10xf32> {jax.result_info = "result[1][2][0]"}, tensor<10xf32> {jax.result_info = "result[1][2][1]"}, tensor<64x48xf32> {jax.result_info = "result[2][0][0]"}, tensor<48xf32> {jax.result_info = "result[2][0][1]"}, tensor<48x32xf32> {jax.result_info = "result[2][1][0]"}, tensor<32xf32> {jax.result_info = "result[2][1][1]"}, tensor<32x10xf32> {jax.result_info = "result[2][2][0]"}, tensor<10xf32> {jax.result_info = "result[2][2][1]"}) {
    %0 = stablehlo.dot_general %arg12, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x64xf32>, tensor<64x48xf32>) -> tensor<32x48xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<48xf32>) -> tensor<1x48xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x48xf32>) -> tensor<32x48xf32>
    %3 = stablehlo.add %0, %2 : tensor<32x48xf32>
    %4:3 = call @silu(%3) : (tensor<32x48xf32>) -> (tensor<32x48xf32>, tensor<32x48xf32>, tensor<32x48xf32>)
    %5 = stablehlo.dot_general %4#0, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x48xf32>, tensor<48x32xf32>) -> tensor<32x32xf32>
    %6 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<32x32xf32>
    %8 = stablehlo.add %5, %7 : tensor<32x32xf32>
    %9:3 = call @silu_0(%8) : (tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>)
    %10 = stablehlo.dot_general %9#0, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %11 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<32x10xf32>
    %13 = stablehlo.add %10, %12 : tensor<32x10xf32>
    %14:3 = call @log_softmax(%13) : (tensor<32x10xf32>) -> (tensor<32x10xf32>, tensor<32x10xf32>, tensor<32x1xf32>)
    %15 = stablehlo.multiply %arg0, %arg0 : tensor<64x48xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %17 = stablehlo.multiply %16, %arg0 : tensor<64x48xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%15 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x48xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.add %cst_1, %18 : tensor<f32>
    %20 = stablehlo.multiply %arg2, %arg2 : tensor<48x32xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<48x32xf32>
    %22 = stablehlo.multiply %21, %arg2 : tensor<48x32xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%20 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<48x32xf32>, tensor<f32>) -> tensor<f32>
    %24 = stablehlo.add %19, %23 : tensor<f32>
    %25 = stablehlo.multiply %arg4, %arg4 : tensor<32x10xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %27 = stablehlo.multiply %26, %arg4 : tensor<32x10xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%25 init: %cst_5) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x10xf32>, tensor<f32>) -> tensor<f32>
    %29 = stablehlo.add %24, %28 : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %arg13, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %31:2 = call @take_along_axis(%14#0, %30) : (tensor<32x10xf32>, tensor<32x1xi32>) -> (tensor<32x1xf32>, tensor<32x1x1xi32>)
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%31#0 init: %cst_6) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %33 = stablehlo.divide %32, %cst_7 : tensor<f32>
    %34 = stablehlo.negate %33 : tensor<f32>
    %cst_8 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %35 = stablehlo.multiply %cst_8, %29 : tensor<f32>
    %36 = stablehlo.add %34, %35 : tensor<f32>
    %cst_9 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.multiply %cst_9, %cst_10 : tensor<f32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.negate %cst_11 : tensor<f32>
    %cst_12 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %39 = stablehlo.divide %38, %cst_12 : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %41 = call @take_along_axis_1(%31#1, %40) : (tensor<32x1x1xi32>, tensor<32x1xf32>) -> tensor<32x10xf32>
    %42 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %43 = stablehlo.multiply %42, %27 : tensor<32x10xf32>
    %44 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<f32>) -> tensor<48x32xf32>
    %45 = stablehlo.multiply %44, %22 : tensor<48x32xf32>
    %46 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %47 = stablehlo.multiply %46, %17 : tensor<64x48xf32>
    %48 = call @log_softmax_2(%14#1, %14#2, %41) : (tensor<32x10xf32>, tensor<32x1xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%48 init: %cst_13) applies stablehlo.add across dimensions = [0] : (tensor<32x10xf32>, tensor<f32>) -> tensor<10xf32>
    %50 = stablehlo.reshape %49 : (tensor<10xf32>) -> tensor<1x10xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.reduce(%50 init: %cst_14) applies stablehlo.add across dimensions = [0] : (tensor<1x10xf32>, tensor<f32>) -> tensor<10xf32>
    %52 = stablehlo.dot_general %48, %9#0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x10xf32>, tensor<32x32xf32>) -> tensor<10x32xf32>
    %53 = stablehlo.transpose %52, dims = [1, 0] : (tensor<10x32xf32>) -> tensor<32x10xf32>
    %54 = stablehlo.add %43, %53 : tensor<32x10xf32>
    %55 = stablehlo.dot_general %48, %arg4, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x32xf32>
    %56 = call @silu_3(%9#1, %9#2, %8, %55) : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.reduce(%56 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
    %58 = stablehlo.reshape %57 : (tensor<32xf32>) -> tensor<1x32xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.reduce(%58 init: %cst_16) applies stablehlo.add across dimensions = [0] : (tensor<1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %60 = stablehlo.dot_general %56, %4#0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<32x48xf32>) -> tensor<32x48xf32>
    %61 = stablehlo.transpose %60, dims = [1, 0] : (tensor<32x48xf32>) -> tensor<48x32xf32>
    %62 = stablehlo.add %45, %61 : tensor<48x32xf32>
    %63 = stablehlo.dot_general %56, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf32>, tensor<48x32xf32>) -> tensor<32x48xf32>
    %64 = call @silu_4(%4#1, %4#2, %3, %63) : (tensor<32x48xf32>, tensor<32x48xf32>, tensor<32x48xf32>, tensor<32x48xf32>) -> tensor<32x48xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.reduce(%64 init: %cst_17) applies stablehlo.add across dimensions = [0] : (tensor<32x48xf32>, tensor<f32>) -> tensor<48xf32>
    %66 = stablehlo.reshape %65 : (tensor<48xf32>) -> tensor<1x48xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.reduce(%66 init: %cst_18) applies stablehlo.add across dimensions = [0] : (tensor<1x48xf32>, tensor<f32>) -> tensor<48xf32>
    %68 = stablehlo.dot_general %64, %arg12, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x48xf32>, tensor<32x64xf32>) -> tensor<48x64xf32>
    %69 = stablehlo.transpose %68, dims = [1, 0] : (tensor<48x64xf32>) -> tensor<64x48xf32>
    %70 = stablehlo.add %47, %69 : tensor<64x48xf32>
    %cst_19 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %72 = stablehlo.multiply %71, %arg6 : tensor<64x48xf32>
    %73 = stablehlo.add %72, %70 : tensor<64x48xf32>
    %cst_20 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<48xf32>
    %75 = stablehlo.multiply %74, %arg7 : tensor<48xf32>
    %76 = stablehlo.add %75, %67 : tensor<48xf32>
    %cst_21 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<48x32xf32>
    %78 = stablehlo.multiply %77, %arg8 : tensor<48x32xf32>
    %79 = stablehlo.add %78, %62 : tensor<48x32xf32>
    %cst_22 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %81 = stablehlo.multiply %80, %arg9 : tensor<32xf32>
    %82 = stablehlo.add %81, %59 : tensor<32xf32>
    %cst_23 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %84 = stablehlo.multiply %83, %arg10 : tensor<32x10xf32>
    %85 = stablehlo.add %84, %54 : tensor<32x10xf32>
    %cst_24 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %87 = stablehlo.multiply %86, %arg11 : tensor<10xf32>
    %88 = stablehlo.add %87, %51 : tensor<10xf32>
    %cst_25 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %90 = stablehlo.multiply %89, %73 : tensor<64x48xf32>
    %91 = stablehlo.subtract %arg0, %90 : tensor<64x48xf32>
    %cst_26 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<48xf32>
    %93 = stablehlo.multiply %92, %76 : tensor<48xf32>
    %94 = stablehlo.subtract %arg1, %93 : tensor<48xf32>
    %cst_27 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<48x32xf32>
    %96 = stablehlo.multiply %95, %79 : tensor<48x32xf32>
    %97 = stablehlo.subtract %arg2, %96 : tensor<48x32xf32>
    %cst_28 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %99 = stablehlo.multiply %98, %82 : tensor<32xf32>
    %100 = stablehlo.subtract %arg3, %99 : tensor<32xf32>
    %cst_29 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %102 = stablehlo.multiply %101, %85 : tensor<32x10xf32>
    %103 = stablehlo.subtract %arg4, %102 : tensor<32x10xf32>
    %cst_30 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %105 = stablehlo.multiply %104, %88 : tensor<10xf32>
    %106 = stablehlo.subtract %arg5, %105 : tensor<10xf32>
    return %36, %91, %94, %97, %100, %103, %106, %73, %76, %79, %82, %85, %88 : tensor<f32>, tensor<64x48xf32>, tensor<48xf32>, tensor<48x32xf32>, tensor<32xf32>, tensor<32x10xf32>, tensor<10xf32>, tensor<64x48xf32>, tensor<48xf32>, tensor<48x32xf32>, tensor<32xf32>, tensor<32x10xf32>, tensor<10xf32>
  }
  func.func private @silu(%arg0: tensor<32x48xf32>) -> (tensor<32x48xf32>, tensor<32x48xf32>, tensor<32x48xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<32x48xf32>
    %1 = stablehlo.exponential %0 : tensor<32x48xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x48xf32>
    %3 = stablehlo.add %2, %1 : tensor<32x48xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x48xf32>
    %5 = stablehlo.divide %4, %3 : tensor<32x48xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x48xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<32x48xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<32x48xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<32x48xf32>
    return %9, %8, %5 : tensor<32x48xf32>, tensor<32x48xf32>, tensor<32x48xf32>
  }
  func.func private @silu_0(%arg0: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<32x32xf32>
    %1 = stablehlo.exponential %0 : tensor<32x32xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %3 = stablehlo.add %2, %1 : tensor<32x32xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %5 = stablehlo.divide %4, %3 : tensor<32x32xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<32x32xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<32x32xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<32x32xf32>
    return %9, %8, %5 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  }
  func.func private @log_softmax(%arg0: tensor<32x10xf32>) -> (tensor<32x10xf32>, tensor<32x10xf32>, tensor<32x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<32x10xf32>, tensor<f32>) -> tensor<32xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<32xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<32x10xf32>
    %6 = stablehlo.exponential %5 : tensor<32x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<32x10xf32>, tensor<f32>) -> tensor<32xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %9 = stablehlo.log %8 : tensor<32x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x10xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<32x10xf32>
    return %11, %6, %8 : tensor<32x10xf32>, tensor<32x10xf32>, tensor<32x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<32x10xf32>, %arg1: tensor<32x1xi32>) -> (tensor<32x1xf32>, tensor<32x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<32x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<32x1xi32>, tensor<32x1xi32>) -> tensor<32x1xi1>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<32x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<32x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<32x1xi1>, tensor<32x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<32x1xi32>) -> tensor<32x1x1xi32>
    %c_1 = stablehlo.constant dense<9> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<32x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<32x1x1xi32>, tensor<32x1x1xi32>) -> tensor<32x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<32x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<32x1x1xi32>, tensor<32x1x1xi32>) -> tensor<32x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<32x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<32x1x1xi1>, tensor<i1>) -> tensor<32x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<32x10xf32>, tensor<32x1x1xi32>) -> tensor<32x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<32x1xi1>, tensor<32x1xf32>
    return %15, %5 : tensor<32x1xf32>, tensor<32x1x1xi32>
  }
  func.func private @take_along_axis_1(%arg0: tensor<32x1x1xi32>, %arg1: tensor<32x1xf32>) -> tensor<32x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<32x10xf32>, tensor<32x1x1xi32>, tensor<32x1xf32>) -> tensor<32x10xf32>
    return %1 : tensor<32x10xf32>
  }
  func.func private @log_softmax_2(%arg0: tensor<32x10xf32>, %arg1: tensor<32x1xf32>, %arg2: tensor<32x10xf32>) -> tensor<32x10xf32> {
    %0 = stablehlo.negate %arg2 : tensor<32x10xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<32x10xf32>, tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.reshape %1 : (tensor<32xf32>) -> tensor<32x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<32x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<32x1xf32>, tensor<f32>) -> tensor<32xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<32xf32>) -> tensor<32x10xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<32x10xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<32x10xf32>
    return %7 : tensor<32x10xf32>
  }
  func.func private @silu_3(%arg0: tensor<32x32xf32>, %arg1: tensor<32x32xf32>, %arg2: tensor<32x32xf32>, %arg3: tensor<32x32xf32>) -> tensor<32x32xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<32x32xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<32x32xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<32x32xf32>
    %3 = stablehlo.add %1, %2 : tensor<32x32xf32>
    return %3 : tensor<32x32xf32>
  }
  func.func private @silu_4(%arg0: tensor<32x48xf32>, %arg1: tensor<32x48xf32>, %arg2: tensor<32x48xf32>, %arg3: tensor<32x48xf32>) -> tensor<32x48xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<32x48xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<32x48xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<32x48xf32>
    %3 = stablehlo.add %1, %2 : tensor<32x48xf32>
    return %3 : tensor<32x48xf32>
  }
}
