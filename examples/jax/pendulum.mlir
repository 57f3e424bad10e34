module @jit_pendulum attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.sine %arg0 : tensor<f32>
    %cst = stablehlo.constant dense<2.000000e-01> : tensor<f32>
    %1 = stablehlo.multiply %arg1, %cst : tensor<f32>
    %2 = stablehlo.add %0, %1 : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %3 = stablehlo.multiply %cst_0, %2 : tensor<f32>
    %cst_1 = stablehlo.constant dense<2.000000e-01> : tensor<f32>
    %4 = stablehlo.subtract %cst_1, %3 : tensor<f32>
    %5 = stablehlo.tanh %4 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %6 = stablehlo.multiply %cst_2, %5 : tensor<f32>
    %7 = stablehlo.negate %arg1 : tensor<f32>
    %8 = stablehlo.exponential %7 : tensor<f32>
    %9 = stablehlo.multiply %6, %8 : tensor<f32>
    %10 = stablehlo.add %arg0, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %11 = stablehlo.multiply %cst_3, %4 : tensor<f32>
    %12 = stablehlo.multiply %11, %4 : tensor<f32>
    %13 = stablehlo.cosine %10 : tensor<f32>
    %14 = stablehlo.subtract %12, %13 : tensor<f32>
    return %14 : tensor<f32>
  }
}
