func.func @main(%a: tensor<2x3xf32>, %s: tensor<f32>, %i: tensor<i32>) -> tensor<3x2xf32> {
  %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %1 = stablehlo.concatenate %a, %0, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %2 = stablehlo.slice %1 [0:2, 0:6:2] : (tensor<2x6xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.pad %2, %s, low = [0, -1], high = [0, 1], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %4 = stablehlo.dynamic_slice %3, %i, %i, sizes = [2, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  %5 = stablehlo.transpose %3, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %6 = stablehlo.reverse %5, dims = [0] : tensor<3x2xf32>
  %7 = stablehlo.iota dim = 0 : tensor<3x2xi32>
  return %6 : tensor<3x2xf32>
}
