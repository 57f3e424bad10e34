func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %a, %a : tensor<2x3xf32>
  %1 = stablehlo.convert %b : (tensor<2x3xi32>) -> tensor<2x3xf32>
  %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %3 = stablehlo.select %2, %0, %1 : tensor<2x3xi1>, tensor<2x3xf32>
  %4 = chlo.erf %3 : tensor<2x3xf32> -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}
