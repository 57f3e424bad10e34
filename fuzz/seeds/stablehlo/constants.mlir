module @m attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main() -> (tensor<2x2xf32> {jax.result_info = ""}, tensor<9xi1>) {
    %0 = stablehlo.constant dense<[[1.0, -2.5], [0x7FC00000, 1.0e-3]]> : tensor<2x2xf32>
    %1 = stablehlo.constant dense<"0xFF01"> : tensor<9xi1>
    %2 = stablehlo.constant dense<(1.0, 2.0)> : tensor<3xcomplex<f32>>
    %3 = stablehlo.constant dense<> : tensor<0xi8>
    return %0, %1 : tensor<2x2xf32>, tensor<9xi1>
  }
}
