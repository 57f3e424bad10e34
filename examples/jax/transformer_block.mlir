module @jit_transformer_block attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x12x64xf32>, %arg1: tensor<64x192xf32>, %arg2: tensor<64x64xf32>, %arg3: tensor<64x256xf32>, %arg4: tensor<256x64xf32>, %arg5: tensor<2x64xf32>, %arg6: tensor<2x64xf32>) -> (tensor<2x12x64xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x12x64xf32>, tensor<f32>) -> tensor<2x12xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x12xf32>) -> tensor<2x12x1xf32>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x12x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<2x12x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x12x1xf32>) -> tensor<2x12x64xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x12x64xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %6 = call @_var(%arg0, %c) : (tensor<2x12x64xf32>, tensor<i32>) -> tensor<2x12x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x12x1xf32>
    %8 = stablehlo.add %6, %7 : tensor<2x12x1xf32>
    %9 = stablehlo.rsqrt %8 : tensor<2x12x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<2x12x1xf32>) -> tensor<2x12x64xf32>
    %11 = stablehlo.multiply %5, %10 : tensor<2x12x64xf32>
    %12 = stablehlo.slice %arg5 [0:1, 0:64] : (tensor<2x64xf32>) -> tensor<1x64xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x64xf32>) -> tensor<64xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x12x64xf32>
    %16 = stablehlo.multiply %11, %15 : tensor<2x12x64xf32>
    %17 = stablehlo.slice %arg6 [0:1, 0:64] : (tensor<2x64xf32>) -> tensor<1x64xf32>
    %18 = stablehlo.reshape %17 : (tensor<1x64xf32>) -> tensor<64xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x12x64xf32>
    %21 = stablehlo.add %16, %20 : tensor<2x12x64xf32>
    %22 = stablehlo.dot_general %21, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x64xf32>, tensor<64x192xf32>) -> tensor<2x12x192xf32>
    %23 = stablehlo.slice %22 [0:2, 0:12, 0:64] : (tensor<2x12x192xf32>) -> tensor<2x12x64xf32>
    %24 = stablehlo.slice %22 [0:2, 0:12, 64:128] : (tensor<2x12x192xf32>) -> tensor<2x12x64xf32>
    %25 = stablehlo.slice %22 [0:2, 0:12, 128:192] : (tensor<2x12x192xf32>) -> tensor<2x12x64xf32>
    %26 = stablehlo.reshape %23 : (tensor<2x12x64xf32>) -> tensor<2x12x4x16xf32>
    %27 = stablehlo.reshape %24 : (tensor<2x12x64xf32>) -> tensor<2x12x4x16xf32>
    %28 = stablehlo.reshape %25 : (tensor<2x12x64xf32>) -> tensor<2x12x4x16xf32>
    %29 = stablehlo.dot_general %26, %27, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x4x16xf32>, tensor<2x12x4x16xf32>) -> tensor<2x4x12x12xf32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %30 = stablehlo.sqrt %cst_2 : tensor<f32>
    %31 = stablehlo.convert %30 : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [] : (tensor<f32>) -> tensor<2x4x12x12xf32>
    %33 = stablehlo.divide %29, %32 : tensor<2x4x12x12xf32>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %34 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %35 = call @tril(%34) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %36 = call @_where_0(%35, %33, %cst_4) : (tensor<12x12xi1>, tensor<2x4x12x12xf32>, tensor<f32>) -> tensor<2x4x12x12xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %37 = stablehlo.reduce(%36 init: %cst_5) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x12x12xf32>, tensor<f32>) -> tensor<2x4x12xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x4x12xf32>
    %39 = stablehlo.maximum %38, %37 : tensor<2x4x12xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2] : (tensor<2x4x12xf32>) -> tensor<2x4x12x1xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2, 3] : (tensor<2x4x12x1xf32>) -> tensor<2x4x12x12xf32>
    %42 = stablehlo.subtract %36, %41 : tensor<2x4x12x12xf32>
    %43 = stablehlo.exponential %42 : tensor<2x4x12x12xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.reduce(%43 init: %cst_7) applies stablehlo.add across dimensions = [3] : (tensor<2x4x12x12xf32>, tensor<f32>) -> tensor<2x4x12xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<2x4x12xf32>) -> tensor<2x4x12x1xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<2x4x12x1xf32>) -> tensor<2x4x12x12xf32>
    %47 = stablehlo.divide %43, %46 : tensor<2x4x12x12xf32>
    %48 = stablehlo.dot_general %28, %47, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x12x4x16xf32>, tensor<2x4x12x12xf32>) -> tensor<2x4x16x12xf32>
    %49 = stablehlo.transpose %48, dims = [0, 3, 1, 2] : (tensor<2x4x16x12xf32>) -> tensor<2x12x4x16xf32>
    %50 = stablehlo.reshape %49 : (tensor<2x12x4x16xf32>) -> tensor<2x12x64xf32>
    %51 = stablehlo.dot_general %50, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x64xf32>, tensor<64x64xf32>) -> tensor<2x12x64xf32>
    %52 = stablehlo.add %arg0, %51 : tensor<2x12x64xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.reduce(%52 init: %cst_8) applies stablehlo.add across dimensions = [2] : (tensor<2x12x64xf32>, tensor<f32>) -> tensor<2x12xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1] : (tensor<2x12xf32>) -> tensor<2x12x1xf32>
    %cst_9 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x12x1xf32>
    %56 = stablehlo.divide %54, %55 : tensor<2x12x1xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2] : (tensor<2x12x1xf32>) -> tensor<2x12x64xf32>
    %58 = stablehlo.subtract %52, %57 : tensor<2x12x64xf32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %59 = call @_var(%52, %c_10) : (tensor<2x12x64xf32>, tensor<i32>) -> tensor<2x12x1xf32>
    %cst_11 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x12x1xf32>
    %61 = stablehlo.add %59, %60 : tensor<2x12x1xf32>
    %62 = stablehlo.rsqrt %61 : tensor<2x12x1xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2] : (tensor<2x12x1xf32>) -> tensor<2x12x64xf32>
    %64 = stablehlo.multiply %58, %63 : tensor<2x12x64xf32>
    %65 = stablehlo.slice %arg5 [1:2, 0:64] : (tensor<2x64xf32>) -> tensor<1x64xf32>
    %66 = stablehlo.reshape %65 : (tensor<1x64xf32>) -> tensor<64xf32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x12x64xf32>
    %69 = stablehlo.multiply %64, %68 : tensor<2x12x64xf32>
    %70 = stablehlo.slice %arg6 [1:2, 0:64] : (tensor<2x64xf32>) -> tensor<1x64xf32>
    %71 = stablehlo.reshape %70 : (tensor<1x64xf32>) -> tensor<64xf32>
    %72 = stablehlo.broadcast_in_dim %71, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x12x64xf32>
    %74 = stablehlo.add %69, %73 : tensor<2x12x64xf32>
    %75 = stablehlo.dot_general %74, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x64xf32>, tensor<64x256xf32>) -> tensor<2x12x256xf32>
    %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x12x256xf32>
    %77 = stablehlo.multiply %76, %75 : tensor<2x12x256xf32>
    %78 = stablehlo.negate %75 : tensor<2x12x256xf32>
    %cst_13 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x12x256xf32>
    %80 = stablehlo.multiply %78, %79 : tensor<2x12x256xf32>
    %81 = chlo.erfc %80 : tensor<2x12x256xf32> -> tensor<2x12x256xf32>
    %82 = stablehlo.multiply %77, %81 : tensor<2x12x256xf32>
    %83 = stablehlo.dot_general %82, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12x256xf32>, tensor<256x64xf32>) -> tensor<2x12x64xf32>
    %84 = stablehlo.add %52, %83 : tensor<2x12x64xf32>
    return %84 : tensor<2x12x64xf32>
  }
  func.func private @_var(%arg0: tensor<2x12x64xf32>, %arg1: tensor<i32>) -> tensor<2x12x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x12x64xf32>, tensor<f32>) -> tensor<2x12xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x12xf32>) -> tensor<2x12x1xf32>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x12x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<2x12x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x12x1xf32>) -> tensor<2x12x64xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x12x64xf32>
    %6 = chlo.square %5 : tensor<2x12x64xf32> -> tensor<2x12x64xf32>
    %7 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<2x12x64xf32>, tensor<f32>) -> tensor<2x12xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<2x12xf32>) -> tensor<2x12x1xf32>
    %11 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<2x12x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<2x12x1xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = call @_where(%13, %12, %cst_4) : (tensor<i1>, tensor<2x12x1xf32>, tensor<f32>) -> tensor<2x12x1xf32>
    return %14 : tensor<2x12x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<2x12x1xf32>, %arg2: tensor<f32>) -> tensor<2x12x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x12x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<2x12x1xf32>
    return %2 : tensor<2x12x1xf32>
  }
  func.func private @tril(%arg0: tensor<12x12xi1>) -> tensor<12x12xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %2 = stablehlo.add %0, %1 : tensor<12x12xi32>
    %3 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<12x12xi1>, tensor<12x12xi1>
    return %6 : tensor<12x12xi1>
  }
  func.func private @_where_0(%arg0: tensor<12x12xi1>, %arg1: tensor<2x4x12x12xf32>, %arg2: tensor<f32>) -> tensor<2x4x12x12xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<2x4x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x4x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x4x12x12xi1>, tensor<2x4x12x12xf32>
    return %3 : tensor<2x4x12x12xf32>
  }
}
