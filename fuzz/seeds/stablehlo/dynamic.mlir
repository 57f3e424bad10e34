#m = affine_map<(d0) -> (d0)>
!t = tensor<?x3xf32>
func.func @main(%x: !t, %s: tensor<2xi32>) -> !t attributes {a = #m} {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (!t) -> tensor<i32>
  %1 = stablehlo.dynamic_broadcast_in_dim %0, %s, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<?x3xi32>
  %2 = stablehlo.convert %1 : (tensor<?x3xi32>) -> !t
  %3 = stablehlo.dynamic_reshape %2, %s : (!t, tensor<2xi32>) -> !t
  %4 = stablehlo.add %x, %3 : !t
  return %4 : !t
}
