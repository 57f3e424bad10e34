func.func @main(%n: tensor<i32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %c = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %z = func.call @twice(%y) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %j, %z : tensor<i32>, tensor<2xf32>
  }
  %1 = "stablehlo.case"(%0#0) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    stablehlo.return %0#1 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  %2 = stablehlo.tuple %1, %n : tuple<tensor<2xf32>, tensor<i32>>
  %3 = stablehlo.get_tuple_element %2[0] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
  %4 = stablehlo.optimization_barrier %3 : tensor<2xf32>
  return %4 : tensor<2xf32>
}
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
