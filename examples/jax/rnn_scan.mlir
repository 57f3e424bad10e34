module @jit_rnn_scan attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<20x4x16xf32>, %arg1: tensor<4x24xf32>, %arg2: tensor<16x72xf32>, %arg3: tensor<24x72xf32>, %arg4: tensor<72xf32>) -> (tensor<4x24xf32> {jax.result_info = "result[0]"}, tensor<20x4x24xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<20x4x24xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:7 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg2, %iterArg_1 = %arg4, %iterArg_2 = %arg3, %iterArg_3 = %c, %iterArg_4 = %arg1, %iterArg_5 = %0) : tensor<20x4x16xf32>, tensor<16x72xf32>, tensor<72xf32>, tensor<24x72xf32>, tensor<i32>, tensor<4x24xf32>, tensor<20x4x24xf32>
    cond {
      %c_6 = stablehlo.constant dense<20> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_6 = stablehlo.constant dense<20> : tensor<i32>
      %2 = stablehlo.subtract %c_6, %iterArg_3 : tensor<i32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.subtract %2, %c_7 : tensor<i32>
      %4 = func.call @dynamic_index_in_dim(%iterArg, %3) : (tensor<20x4x16xf32>, tensor<i32>) -> tensor<4x16xf32>
      %5:2 = func.call @closed_call(%iterArg_0, %iterArg_1, %iterArg_2, %iterArg_4, %4) : (tensor<16x72xf32>, tensor<72xf32>, tensor<24x72xf32>, tensor<4x24xf32>, tensor<4x16xf32>) -> (tensor<4x24xf32>, tensor<4x24xf32>)
      %6 = func.call @dynamic_update_index_in_dim(%iterArg_5, %5#1, %3) : (tensor<20x4x24xf32>, tensor<4x24xf32>, tensor<i32>) -> tensor<20x4x24xf32>
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %7 = stablehlo.add %iterArg_3, %c_8 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1, %iterArg_2, %7, %5#0, %6 : tensor<20x4x16xf32>, tensor<16x72xf32>, tensor<72xf32>, tensor<24x72xf32>, tensor<i32>, tensor<4x24xf32>, tensor<20x4x24xf32>
    }
    return %1#5, %1#6 : tensor<4x24xf32>, tensor<20x4x24xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<20x4x16xf32>, %arg1: tensor<i32>) -> tensor<4x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 4, 16] : (tensor<20x4x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4x16xf32>) -> tensor<4x16xf32>
    return %1 : tensor<4x16xf32>
  }
  func.func private @closed_call(%arg0: tensor<16x72xf32>, %arg1: tensor<72xf32>, %arg2: tensor<24x72xf32>, %arg3: tensor<4x24xf32>, %arg4: tensor<4x16xf32>) -> (tensor<4x24xf32>, tensor<4x24xf32>) {
    %0 = stablehlo.dot_general %arg4, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x72xf32>) -> tensor<4x72xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<72xf32>) -> tensor<1x72xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x72xf32>) -> tensor<4x72xf32>
    %3 = stablehlo.add %0, %2 : tensor<4x72xf32>
    %4 = stablehlo.slice %3 [0:4, 0:24] : (tensor<4x72xf32>) -> tensor<4x24xf32>
    %5 = stablehlo.slice %3 [0:4, 24:48] : (tensor<4x72xf32>) -> tensor<4x24xf32>
    %6 = stablehlo.slice %3 [0:4, 48:72] : (tensor<4x72xf32>) -> tensor<4x24xf32>
    %7 = stablehlo.dot_general %arg3, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x24xf32>, tensor<24x72xf32>) -> tensor<4x72xf32>
    %8 = stablehlo.slice %7 [0:4, 0:24] : (tensor<4x72xf32>) -> tensor<4x24xf32>
    %9 = stablehlo.slice %7 [0:4, 24:48] : (tensor<4x72xf32>) -> tensor<4x24xf32>
    %10 = stablehlo.slice %7 [0:4, 48:72] : (tensor<4x72xf32>) -> tensor<4x24xf32>
    %11 = stablehlo.add %5, %9 : tensor<4x24xf32>
    %12 = stablehlo.negate %11 : tensor<4x24xf32>
    %13 = stablehlo.exponential %12 : tensor<4x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x24xf32>
    %15 = stablehlo.add %14, %13 : tensor<4x24xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x24xf32>
    %17 = stablehlo.divide %16, %15 : tensor<4x24xf32>
    %18 = stablehlo.multiply %17, %arg3 : tensor<4x24xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x24xf32>
    %20 = stablehlo.subtract %19, %17 : tensor<4x24xf32>
    %21 = stablehlo.add %4, %8 : tensor<4x24xf32>
    %22 = stablehlo.negate %21 : tensor<4x24xf32>
    %23 = stablehlo.exponential %22 : tensor<4x24xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x24xf32>
    %25 = stablehlo.add %24, %23 : tensor<4x24xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x24xf32>
    %27 = stablehlo.divide %26, %25 : tensor<4x24xf32>
    %28 = stablehlo.multiply %27, %10 : tensor<4x24xf32>
    %29 = stablehlo.add %6, %28 : tensor<4x24xf32>
    %30 = stablehlo.tanh %29 : tensor<4x24xf32>
    %31 = stablehlo.multiply %20, %30 : tensor<4x24xf32>
    %32 = stablehlo.add %18, %31 : tensor<4x24xf32>
    return %32, %32 : tensor<4x24xf32>, tensor<4x24xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<20x4x24xf32>, %arg1: tensor<4x24xf32>, %arg2: tensor<i32>) -> tensor<20x4x24xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<4x24xf32>) -> tensor<1x4x24xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<20x4x24xf32>, tensor<1x4x24xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<20x4x24xf32>
    return %1 : tensor<20x4x24xf32>
  }
}
