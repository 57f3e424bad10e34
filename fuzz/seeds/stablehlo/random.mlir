func.func @main(%k: tensor<2xui64>, %a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0, %1 = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %2 = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
  %3 = "stablehlo.triangular_solve"(%2, %a) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %4 = stablehlo.fft %a, type = RFFT, length = [3] : (tensor<3x3xf32>) -> tensor<3x2xcomplex<f32>>
  %5 = stablehlo.reduce_precision %3, format = e5m10 : tensor<3x3xf32>
  return %5 : tensor<3x3xf32>
}
