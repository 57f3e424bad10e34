// relu float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 1.0000000031710769e-30 0.0 0.30000001192092896 0.0 1.0 0.0 2.0 0.0 3.0 0.0 6.0 12.0 0.0 90.0 0.0 1000.0 0.0 inf 0.0
// 0.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @relu(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @relu(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf32>
    return %1 : tensor<21xf32>
  }
}

// relu6 float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 1.0000000031710769e-30 0.0 0.30000001192092896 0.0 1.0 0.0 2.0 0.0 3.0 0.0 6.0 6.0 0.0 6.0 0.0 6.0 0.0 6.0 0.0
// 0.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @relu6(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @relu6(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.minimum %1, %2 : tensor<21xf32>
    return %3 : tensor<21xf32>
  }
}

// elu float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.5034146904945374 1.0 -0.6321205496788025 2.0 -0.8646647334098816 3.0 -0.9502129554748535 6.0 12.0 -0.9999938607215881 90.0 -1.0 1000.0 -1.0 inf -1.0
// 1.0 1.0 1.0 1.0 1.0 0.49658530950546265 1.0 0.3678794503211975 1.0 0.1353352665901184 1.0 0.049787044525146484 1.0 1.0 6.139278411865234e-06 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @elu(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @elu(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<21xi1>, tensor<f32>, tensor<21xf32>) -> tensor<21xf32>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<21xf32>
    %8 = call @_where_0(%1, %arg0, %7) : (tensor<21xi1>, tensor<21xf32>, tensor<21xf32>) -> tensor<21xf32>
    return %8 : tensor<21xf32>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<f32>, %arg2: tensor<21xf32>) -> tensor<21xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf32>
    return %2 : tensor<21xf32>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<21xf32>, %arg2: tensor<21xf32>) -> tensor<21xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf32>
    return %0 : tensor<21xf32>
  }
}

// celu float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.5034146904945374 1.0 -0.6321205496788025 2.0 -0.8646647334098816 3.0 -0.9502129554748535 6.0 12.0 -0.9999938607215881 90.0 -1.0 1000.0 -1.0 inf -1.0
// 1.0 1.0 1.0 1.0 1.0 0.49658530950546265 1.0 0.3678794503211975 1.0 0.1353352665901184 1.0 0.049787044525146484 1.0 1.0 6.139278411865234e-06 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @celu(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @celu(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.minimum %arg0, %2 : tensor<21xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %5 = stablehlo.divide %3, %4 : tensor<21xf32>
    %6 = stablehlo.exponential_minus_one %5 : tensor<21xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %8 = stablehlo.multiply %7, %6 : tensor<21xf32>
    %9 = stablehlo.add %1, %8 : tensor<21xf32>
    return %9 : tensor<21xf32>
  }
}

// selu float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1.0507010493525515e-30 -1.758099255666098e-30 0.3152103126049042 -0.8850530385971069 1.0507010221481323 -1.1113307476043701 2.1014020442962646 -1.5201665163040161 3.1521029472351074 -1.670568823814392 6.304205894470215 12.60841178894043 -1.7580885887145996 94.56309509277344 -1.7580993175506592 1050.7010498046875 -1.7580993175506592 inf -1.7580993175506592
// 1.7580993175506592 1.7580993175506592 1.0507010221481323 1.7580993175506592 1.0507010221481323 0.8730462789535522 1.0507010221481323 0.6467686295509338 1.0507010221481323 0.23793284595012665 1.0507010221481323 0.08753056824207306 1.0507010221481323 1.0507010221481323 1.079346111509949e-05 1.0507010221481323 0.0 1.0507010221481323 0.0 1.0507010221481323 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @selu(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @selu(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<1.67326319> : tensor<f32>
    %0 = call @elu(%arg0, %cst) : (tensor<21xf32>, tensor<f32>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<1.05070102> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<21xf32>
    return %2 : tensor<21xf32>
  }
  func.func private @elu(%arg0: tensor<21xf32>, %arg1: tensor<f32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<21xi1>, tensor<f32>, tensor<21xf32>) -> tensor<21xf32>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xf32>
    %6 = stablehlo.convert %arg1 : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<21xf32>
    %9 = call @_where_0(%1, %arg0, %8) : (tensor<21xi1>, tensor<21xf32>, tensor<21xf32>) -> tensor<21xf32>
    return %9 : tensor<21xf32>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<f32>, %arg2: tensor<21xf32>) -> tensor<21xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf32>
    return %2 : tensor<21xf32>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<21xf32>, %arg2: tensor<21xf32>) -> tensor<21xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf32>
    return %0 : tensor<21xf32>
  }
}

// hard_sigmoid float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.5 0.5 0.5 0.5 0.550000011920929 0.38333332538604736 0.6666666865348816 0.3333333432674408 0.8333333730697632 0.1666666716337204 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
// 0.1666666716337204 0.1666666716337204 0.1666666716337204 0.1666666716337204 0.1666666716337204 0.1666666716337204 0.1666666716337204 0.1666666716337204 0.1666666716337204 0.1666666716337204 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @hard_sigmoid(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @hard_sigmoid(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<21xf32>
    %2 = call @relu6(%1) : (tensor<21xf32>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %4 = stablehlo.divide %2, %3 : tensor<21xf32>
    return %4 : tensor<21xf32>
  }
  func.func private @relu6(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.minimum %1, %2 : tensor<21xf32>
    return %3 : tensor<21xf32>
  }
}

// hard_silu float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 5.000000015855384e-31 -5.000000015855384e-31 0.16500000655651093 -0.2683333158493042 0.6666666865348816 -0.3333333432674408 1.6666667461395264 -0.3333333432674408 3.0 -0.0 6.0 12.0 -0.0 90.0 -0.0 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.6000000238418579 0.2666666507720947 0.8333333730697632 0.1666666716337204 1.1666667461395264 -0.1666666716337204 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @hard_silu(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @hard_silu(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %0 = call @hard_sigmoid(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<21xf32>
    return %1 : tensor<21xf32>
  }
  func.func private @hard_sigmoid(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<21xf32>
    %2 = call @relu6(%1) : (tensor<21xf32>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %4 = stablehlo.divide %2, %3 : tensor<21xf32>
    return %4 : tensor<21xf32>
  }
  func.func private @relu6(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.minimum %1, %2 : tensor<21xf32>
    return %3 : tensor<21xf32>
  }
}

// hard_tanh float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 1.0 -1.0 1.0 -1.0 1.0 1.0 -1.0 1.0 -1.0 1.0 -1.0 1.0 -1.0
// 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @hard_tanh(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @hard_tanh(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.compare LT, %arg0, %2, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %4 = call @_where(%3, %c, %arg0) : (tensor<21xi1>, tensor<i32>, tensor<21xf32>) -> tensor<21xf32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %5 = call @_where(%1, %c_1, %4) : (tensor<21xi1>, tensor<i32>, tensor<21xf32>) -> tensor<21xf32>
    return %5 : tensor<21xf32>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<i32>, %arg2: tensor<21xf32>) -> tensor<21xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf32>
    return %2 : tensor<21xf32>
  }
}

// leaky_relu float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1.0000000031710769e-30 -9.99999950273831e-33 0.30000001192092896 -0.00699999975040555 1.0 -0.009999999776482582 2.0 -0.019999999552965164 3.0 -0.029999999329447746 6.0 12.0 -0.11999999731779099 90.0 -0.8999999761581421 1000.0 -10.0 inf -inf
// 1.0 1.0 1.0 0.009999999776482582 1.0 0.009999999776482582 1.0 0.009999999776482582 1.0 0.009999999776482582 1.0 0.009999999776482582 1.0 1.0 0.009999999776482582 1.0 0.009999999776482582 1.0 0.009999999776482582 1.0 0.009999999776482582
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @leaky_relu(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @leaky_relu(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.compare GE, %arg0, %0, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.multiply %2, %arg0 : tensor<21xf32>
    %4 = call @_where(%1, %arg0, %3) : (tensor<21xi1>, tensor<21xf32>, tensor<21xf32>) -> tensor<21xf32>
    return %4 : tensor<21xf32>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<21xf32>, %arg2: tensor<21xf32>) -> tensor<21xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf32>
    return %0 : tensor<21xf32>
  }
}

// log_sigmoid float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// -0.6931471824645996 -0.6931471824645996 -0.6931471824645996 -0.6931471824645996 -0.554355263710022 -1.1031861305236816 -0.3132616877555847 -1.3132617473602295 -0.12692800164222717 -2.1269280910491943 -0.04858735203742981 -3.0485873222351074 -0.0024756852071732283 -6.144193321233615e-06 -12.000005722045898 -0.0 -90.0 -0.0 -1000.0 -0.0 -inf
// 0.5 0.5 0.5 0.5 0.4255574643611908 0.6681877374649048 0.26894140243530273 0.7310585379600525 0.11920291185379028 0.8807970285415649 0.04742587357759476 0.9525741338729858 0.0024726230185478926 6.144176950328983e-06 0.9999942779541016 0.0 1.0 0.0 1.0 0.0 1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @log_sigmoid(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @log_sigmoid(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %0 = stablehlo.negate %arg0 : tensor<21xf32>
    %1 = call @softplus(%0) : (tensor<21xf32>) -> tensor<21xf32>
    %2 = stablehlo.negate %1 : tensor<21xf32>
    return %2 : tensor<21xf32>
  }
  func.func private @softplus(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<21xf32>
    %7 = stablehlo.abs %3 : tensor<21xf32>
    %8 = stablehlo.negate %7 : tensor<21xf32>
    %9 = stablehlo.exponential %8 : tensor<21xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<21xf32>
    %11 = stablehlo.add %1, %10 : tensor<21xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xf32>
    return %12 : tensor<21xf32>
  }
}

// sigmoid float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.5 0.5 0.5 0.5 0.5744425058364868 0.3318122327327728 0.7310585975646973 0.2689414322376251 0.8807970285415649 0.11920291930437088 0.9525741338729858 0.04742587357759476 0.9975274205207825 0.9999938011169434 6.144174221844878e-06 1.0 0.0 1.0 0.0 1.0 0.0
// 0.25 0.25 0.25 0.25 0.24445831775665283 0.2217128723859787 0.1966119259595871 0.1966119408607483 0.10499362647533417 0.10499358177185059 0.04517665505409241 0.045176658779382706 0.002466465812176466 6.1988448578631505e-06 6.1441364778147545e-06 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = stablehlo.negate %arg0 : tensor<21xf32>
    %1 = stablehlo.exponential %0 : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.add %2, %1 : tensor<21xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %5 = stablehlo.divide %4, %3 : tensor<21xf32>
    %6 = stablehlo.multiply %5, %cst : tensor<21xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %7, %5 : tensor<f32>, tensor<21xf32>
  }
}

// silu float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 5.000000015855384e-31 -5.000000015855384e-31 0.172332763671875 -0.2322685569524765 0.7310585975646973 -0.2689414322376251 1.7615940570831299 -0.23840583860874176 2.857722282409668 -0.14227762818336487 5.985164642333984 11.99992561340332 -7.373008702415973e-05 90.0 -0.0 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.6477800011634827 0.1766132265329361 0.9276705384254456 0.07232949137687683 1.0907843112945557 -0.09078424423933029 1.0881041288375854 -0.08810410648584366 1.0123262405395508 1.000068187713623 -6.758546078344807e-05 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @silu(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @silu(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %0 = stablehlo.negate %arg0 : tensor<21xf32>
    %1 = stablehlo.exponential %0 : tensor<21xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.add %2, %1 : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %5 = stablehlo.divide %4, %3 : tensor<21xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<21xf32>
    return %6 : tensor<21xf32>
  }
}

// soft_sign float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.23076924681663513 -0.4117646813392639 0.5 -0.5 0.6666666865348816 -0.6666666865348816 0.75 -0.75 0.8571428656578064 0.9230769276618958 -0.9230769276618958 0.9890109896659851 -0.9890109896659851 0.9990010261535645 -0.9990010261535645 nan nan
// 1.0 1.0 1.0 1.0 0.591715931892395 0.34602072834968567 0.25 0.25 0.111111119389534 0.111111119389534 0.0625 0.0625 0.02040816843509674 0.005917161703109741 0.005917161703109741 0.0001207590103149414 0.0001207590103149414 9.980285540223122e-07 9.980285540223122e-07 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @soft_sign(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @soft_sign(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %0 = stablehlo.abs %arg0 : tensor<21xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %2 = stablehlo.add %0, %1 : tensor<21xf32>
    %3 = stablehlo.divide %arg0, %2 : tensor<21xf32>
    return %3 : tensor<21xf32>
  }
}

// softplus float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.6931471824645996 0.6931471824645996 0.6931471824645996 0.6931471824645996 0.8543552756309509 0.4031860828399658 1.3132617473602295 0.3132616877555847 2.1269280910491943 0.12692800164222717 3.0485873222351074 0.04858735203742981 6.002475738525391 12.000005722045898 6.144193321233615e-06 90.0 0.0 1000.0 0.0 inf 0.0
// 0.5 0.5 0.5 0.5 0.5744425058364868 0.33181220293045044 0.7310585379600525 0.26894140243530273 0.8807970285415649 0.11920291185379028 0.9525741338729858 0.04742587357759476 0.9975273013114929 0.9999942779541016 6.144176950328983e-06 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @softplus(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @softplus(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<21xf32>
    %7 = stablehlo.abs %3 : tensor<21xf32>
    %8 = stablehlo.negate %7 : tensor<21xf32>
    %9 = stablehlo.exponential %8 : tensor<21xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<21xf32>
    %11 = stablehlo.add %1, %10 : tensor<21xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xf32>
    return %12 : tensor<21xf32>
  }
}

// sparse_plus float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.25 0.25 0.25 0.25 0.42249995470046997 0.02250000089406967 1.0 0.0 2.0 0.0 3.0 0.0 6.0 12.0 0.0 90.0 0.0 1000.0 0.0 inf 0.0
// 0.5 0.5 0.5 0.5 0.6499999761581421 0.15000000596046448 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @sparse_plus(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @sparse_plus(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.compare LE, %arg0, %0, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.compare GE, %arg0, %2, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %5 = stablehlo.add %arg0, %4 : tensor<21xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<21xf32>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %8 = stablehlo.divide %6, %7 : tensor<21xf32>
    %9 = call @_where(%3, %arg0, %8) : (tensor<21xi1>, tensor<21xf32>, tensor<21xf32>) -> tensor<21xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = call @_where_0(%1, %cst_3, %9) : (tensor<21xi1>, tensor<f32>, tensor<21xf32>) -> tensor<21xf32>
    return %10 : tensor<21xf32>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<21xf32>, %arg2: tensor<21xf32>) -> tensor<21xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf32>
    return %0 : tensor<21xf32>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<f32>, %arg2: tensor<21xf32>) -> tensor<21xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf32>
    return %2 : tensor<21xf32>
  }
}

// sparse_sigmoid float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.5 0.5 0.5 0.5 0.6499999761581421 0.15000000596046448 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
// 0.5 0.5 0.5 0.5 0.5 0.5 0.25 0.25 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @sparse_sigmoid(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @sparse_sigmoid(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = call @clip(%1, %cst_0, %cst_1) : (tensor<21xf32>, tensor<f32>, tensor<f32>) -> tensor<21xf32>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %4 = stablehlo.multiply %3, %2 : tensor<21xf32>
    return %4 : tensor<21xf32>
  }
  func.func private @clip(%arg0: tensor<21xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<21xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<21xf32>
    %3 = stablehlo.convert %arg2 : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<21xf32>
    return %5 : tensor<21xf32>
  }
}

// squareplus float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 1.0 1.0 1.0 1.0 1.1611874103546143 0.7094810009002686 1.6180340051651 0.6180340051651001 2.4142136573791504 0.41421353816986084 3.3027756214141846 0.30277562141418457 6.162277698516846 12.082762718200684 0.0827627182006836 90.0111083984375 0.0111083984375 1000.0009765625 0.001007080078125 inf nan
// 0.5 0.5 0.5 0.5 0.5741702318191528 0.334824800491333 0.7236068248748779 0.27639320492744446 0.8535534143447876 0.1464466154575348 0.9160251617431641 0.08397485315799713 0.974341630935669 0.993196964263916 0.006803050637245178 0.9998766183853149 0.0001234114170074463 0.9999989867210388 1.0239891707897186e-06 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @squareplus(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @squareplus(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %0 = chlo.square %arg0 : tensor<21xf32> -> tensor<21xf32>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %2 = stablehlo.add %0, %1 : tensor<21xf32>
    %3 = stablehlo.sqrt %2 : tensor<21xf32>
    %4 = stablehlo.add %arg0, %3 : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %6 = stablehlo.divide %4, %5 : tensor<21xf32>
    return %6 : tensor<21xf32>
  }
}

// mish float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 6.000000113066009e-31 -6.000000113066009e-31 0.20800136029720306 -0.2678702473640442 0.8650984764099121 -0.3034014403820038 1.9439589977264404 -0.2525014579296112 2.9865355491638184 -0.14564745128154755 5.999927043914795 12.0 -7.373031985480338e-05 90.0 -0.0 1000.0 -0.0 inf nan
// 0.6000000238418579 0.6000000238418579 0.6000000238418579 0.6000000238418579 0.7828272581100464 0.18441611528396606 1.0490361452102661 0.05921675264835358 1.0693178176879883 -0.1083550900220871 1.0211061239242554 -0.09339311718940735 1.0001333951950073 1.0 -6.758593372069299e-05 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @mish(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @mish(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %0 = call @softplus(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.tanh %0 : tensor<21xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<21xf32>
    return %2 : tensor<21xf32>
  }
  func.func private @softplus(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<21xf32>
    %7 = stablehlo.abs %3 : tensor<21xf32>
    %8 = stablehlo.negate %7 : tensor<21xf32>
    %9 = stablehlo.exponential %8 : tensor<21xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<21xf32>
    %11 = stablehlo.add %1, %10 : tensor<21xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xf32>
    return %12 : tensor<21xf32>
  }
}

// identity float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @identity(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @identity(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    return %arg0 : tensor<21xf32>
  }
}

// tanh float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.2913126051425934 -0.6043677926063538 0.7615941762924194 -0.7615941762924194 0.9640275835990906 -0.9640275835990906 0.9950547218322754 -0.9950547218322754 0.9999876022338867 1.0 -1.0 1.0 -1.0 1.0 -1.0 1.0 -1.0
// 1.0 1.0 1.0 1.0 0.915136992931366 0.6347395181655884 0.41997429728507996 0.41997429728507996 0.07065081596374512 0.07065082341432571 0.009866100735962391 0.009866100735962391 2.4795379431452602e-05 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = stablehlo.tanh %arg0 : tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
}

// elu_2 float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1.0000000031710769e-30 -2.0000000063421537e-30 0.30000001192092896 -1.0068293809890747 1.0 -1.264241099357605 2.0 -1.7293294668197632 3.0 -1.900425910949707 6.0 12.0 -1.9999877214431763 90.0 -2.0 1000.0 -2.0 inf -2.0
// 2.0 2.0 1.0 2.0 1.0 0.9931706190109253 1.0 0.735758900642395 1.0 0.2706705331802368 1.0 0.09957408905029297 1.0 1.0 1.2278556823730469e-05 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = call @elu(%arg0, %cst_0) : (tensor<21xf32>, tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @elu(%arg0: tensor<21xf32>, %arg1: tensor<f32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<21xi1>, tensor<f32>, tensor<21xf32>) -> tensor<21xf32>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xf32>
    %6 = stablehlo.convert %arg1 : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<21xf32>
    %9 = call @_where_0(%1, %arg0, %8) : (tensor<21xi1>, tensor<21xf32>, tensor<21xf32>) -> tensor<21xf32>
    return %9 : tensor<21xf32>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<f32>, %arg2: tensor<21xf32>) -> tensor<21xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf32>
    return %2 : tensor<21xf32>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<21xf32>, %arg2: tensor<21xf32>) -> tensor<21xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf32>
    return %0 : tensor<21xf32>
  }
}

// celu_2 float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.5906237959861755 1.0 -0.7869386672973633 2.0 -1.264241099357605 3.0 -1.5537396669387817 6.0 12.0 -1.9950424432754517 90.0 -2.0 1000.0 -2.0 inf -2.0
// 1.0 1.0 1.0 1.0 1.0 0.7046880722045898 1.0 0.6065306663513184 1.0 0.3678794503211975 1.0 0.22313016653060913 1.0 1.0 0.00247877836227417 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = call @celu(%arg0, %cst_0) : (tensor<21xf32>, tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @celu(%arg0: tensor<21xf32>, %arg1: tensor<f32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.minimum %arg0, %2 : tensor<21xf32>
    %4 = stablehlo.convert %arg1 : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %6 = stablehlo.divide %3, %5 : tensor<21xf32>
    %7 = stablehlo.exponential_minus_one %6 : tensor<21xf32>
    %8 = stablehlo.convert %arg1 : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %10 = stablehlo.multiply %9, %7 : tensor<21xf32>
    %11 = stablehlo.add %1, %10 : tensor<21xf32>
    return %11 : tensor<21xf32>
  }
}

// gelu_tanh float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 5.000000015855384e-31 -5.000000015855384e-31 0.18537092208862305 -0.16942983865737915 0.8411920070648193 -0.15880796313285828 1.9545977115631104 -0.045402348041534424 2.9963626861572266 -0.003637343645095825 6.0 12.0 -0.0 90.0 -0.0 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.7322954535484314 0.023642774671316147 1.0829640626907349 -0.08296407014131546 1.08609938621521 -0.08609934151172638 1.011583924293518 -0.011584012769162655 1.0 1.0 0.0 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<21xf32>
    %1 = stablehlo.multiply %0, %arg0 : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<21xf32>
    %4 = stablehlo.add %arg0, %3 : tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %6 = stablehlo.multiply %5, %4 : tensor<21xf32>
    %7 = stablehlo.tanh %6 : tensor<21xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %9 = stablehlo.add %8, %7 : tensor<21xf32>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<21xf32>
    %12 = stablehlo.multiply %arg0, %11 : tensor<21xf32>
    %13 = stablehlo.multiply %12, %cst : tensor<21xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %14, %12 : tensor<f32>, tensor<21xf32>
  }
}

// gelu_erf float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 5.000000015855384e-31 -5.000000015855384e-31 0.1853734254837036 -0.16937457025051117 0.8413447141647339 -0.15865527093410492 1.9544997215270996 -0.045500267297029495 2.995950222015381 -0.0040496960282325745 6.0 12.0 -2.1317951516675062e-32 90.0 -0.0 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.7323277592658997 0.023385927081108093 1.0833154916763306 -0.08331547677516937 1.0852317810058594 -0.08523181825876236 1.0119456052780151 -0.011945651844143867 1.0 1.0 -2.557914968900615e-31 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %arg0 : tensor<21xf32>
    %2 = stablehlo.negate %arg0 : tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %4 = stablehlo.multiply %2, %3 : tensor<21xf32>
    %5 = chlo.erfc %4 : tensor<21xf32> -> tensor<21xf32>
    %6 = stablehlo.multiply %1, %5 : tensor<21xf32>
    %7 = stablehlo.multiply %6, %cst : tensor<21xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %8, %6 : tensor<f32>, tensor<21xf32>
  }
}

// log1mexp float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// -inf -inf -69.07755279541016 nan -1.3502256870269775 nan -0.4586751461029053 nan -0.14541345834732056 nan -0.05106917768716812 nan -0.0024818293750286102 -6.14423152001109e-06 nan -0.0 nan -0.0 nan -0.0 nan
// inf -inf 1.0000000150474662e+30 -1.0000000150474662e+30 2.8582961559295654 -1.9864338636398315 0.5819767117500305 -1.5819767713546753 0.1565176397562027 -1.1565176248550415 0.05239569768309593 -1.0523957014083862 0.0024849115870893 6.144249709905125e-06 -1.0000061988830566 0.0 -1.0 0.0 -1.0 0.0 -1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %0 = call @log1mexp(%arg0) : (tensor<21xf32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @log1mexp(%arg0: tensor<21xf32>) -> tensor<21xf32> {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.log %cst : tensor<f32>
    %1 = stablehlo.convert %0 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.compare LT, %arg0, %2, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %4 = stablehlo.negate %arg0 : tensor<21xf32>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xf32>
    %6 = stablehlo.negate %5 : tensor<21xf32>
    %7 = stablehlo.log %6 : tensor<21xf32>
    %8 = stablehlo.negate %arg0 : tensor<21xf32>
    %9 = stablehlo.exponential %8 : tensor<21xf32>
    %10 = stablehlo.negate %9 : tensor<21xf32>
    %11 = stablehlo.log_plus_one %10 : tensor<21xf32>
    %12 = call @_where(%3, %7, %11) : (tensor<21xi1>, tensor<21xf32>, tensor<21xf32>) -> tensor<21xf32>
    return %12 : tensor<21xf32>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<21xf32>, %arg2: tensor<21xf32>) -> tensor<21xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf32>
    return %0 : tensor<21xf32>
  }
}

// erf_inv float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 4.431134100904888e-31 -4.431134100904888e-31 0.13372692465782166 -0.320858359336853 0.4769362807273865 -0.4769362807273865 inf -inf nan nan nan nan nan nan nan nan nan nan nan
// 0.4431134760379791 0.4431134760379791 0.4431134760379791 0.4431134760379791 0.4511089026927948 0.4911629855632782 0.5562924742698669 0.5562924742698669 inf inf nan nan nan nan nan nan nan nan nan nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.divide %arg0, %0 : tensor<21xf32>
    %2 = chlo.erf_inv %1 : tensor<21xf32> -> tensor<21xf32>
    %3 = stablehlo.multiply %2, %cst : tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %4, %2 : tensor<f32>, tensor<21xf32>
  }
}

// logaddexp float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.6931471824645996 0.6931471824645996 0.6931471824645996 0.6931471824645996 1.1543552875518799 -0.2968139052391052 2.3132617473602295 -0.6867383122444153 4.126927852630615 -1.8730720281600952 6.048587322235107 -2.9514126777648926 12.00247573852539 24.0000057220459 -11.999994277954102 180.0 -90.0 2000.0 -1000.0 inf -inf
// 1.5 1.5 1.5 1.5 1.5744425058364868 1.3318121433258057 1.7310584783554077 1.2689414024353027 1.8807973861694336 1.119202971458435 1.9525741338729858 1.0474258661270142 1.9975272417068481 1.9999947547912598 1.0000065565109253 2.0 1.0 2.0 1.0 3.0 nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %arg0 : tensor<21xf32>
    %2 = stablehlo.maximum %arg0, %1 : tensor<21xf32>
    %3 = stablehlo.subtract %arg0, %1 : tensor<21xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %5 = stablehlo.add %arg0, %1 : tensor<21xf32>
    %6 = stablehlo.abs %3 : tensor<21xf32>
    %7 = stablehlo.negate %6 : tensor<21xf32>
    %8 = stablehlo.exponential %7 : tensor<21xf32>
    %9 = stablehlo.log_plus_one %8 : tensor<21xf32>
    %10 = stablehlo.add %2, %9 : tensor<21xf32>
    %11 = stablehlo.select %4, %5, %10 : tensor<21xi1>, tensor<21xf32>
    %12 = stablehlo.multiply %11, %cst : tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %13, %11 : tensor<f32>, tensor<21xf32>
  }
}

// logaddexp_1 float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 1.3132617473602295 1.3132617473602295 1.3132617473602295 1.3132617473602295 1.4031860828399658 1.1677860021591187 1.6931471824645996 1.1269279718399048 2.3132617473602295 1.0485873222351074 3.1269280910491943 1.018149971961975 6.006715297698975 12.000017166137695 1.0000022649765015 90.0 1.0 1000.0 1.0 inf 1.0
// 0.26894140243530273 0.26894140243530273 0.26894140243530273 0.26894140243530273 0.33181220293045044 0.15446528792381287 0.5 0.11920294165611267 0.7310585379600525 0.04742587357759476 0.8807970285415649 0.01798621192574501 0.9933071732521057 0.9999828338623047 2.2603251181863016e-06 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf32>
    %2 = stablehlo.subtract %arg0, %0 : tensor<21xf32>
    %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %4 = stablehlo.add %arg0, %0 : tensor<21xf32>
    %5 = stablehlo.abs %2 : tensor<21xf32>
    %6 = stablehlo.negate %5 : tensor<21xf32>
    %7 = stablehlo.exponential %6 : tensor<21xf32>
    %8 = stablehlo.log_plus_one %7 : tensor<21xf32>
    %9 = stablehlo.add %1, %8 : tensor<21xf32>
    %10 = stablehlo.select %3, %4, %9 : tensor<21xi1>, tensor<21xf32>
    %11 = stablehlo.multiply %10, %cst : tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %12, %10 : tensor<f32>, tensor<21xf32>
  }
}

// logaddexp_behind float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 2.1269280910491943 2.1269280910491943 2.1269280910491943 2.1269280910491943 2.167786121368408 2.0650434494018555 2.3132617473602295 2.0485873222351074 2.6931471824645996 2.0181498527526855 3.3132617473602295 2.0067152976989746 6.0181498527526855 12.000045776367188 2.0000007152557373 90.0 2.0 1000.0 2.0 inf 2.0
// 0.11920291185379028 0.11920291185379028 0.11920291185379028 0.11920291185379028 0.15446524322032928 0.06297335773706436 0.26894140243530273 0.04742587357759476 0.5 0.01798621192574501 0.7310585379600525 0.006692850962281227 0.9820138812065125 0.9999542236328125 8.315279274029308e-07 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<21xf32>
    %7 = stablehlo.abs %3 : tensor<21xf32>
    %8 = stablehlo.negate %7 : tensor<21xf32>
    %9 = stablehlo.exponential %8 : tensor<21xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<21xf32>
    %11 = stablehlo.add %1, %10 : tensor<21xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xf32>
    %13 = stablehlo.multiply %12, %cst : tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %14, %12 : tensor<f32>, tensor<21xf32>
  }
}

// logaddexp_scalar float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.04858735203742981 0.04858735203742981 0.04858735203742981 0.04858735203742981 0.33621928095817566 -0.604454517364502 1.018149971961975 -0.8730720281600952 2.0067152976989746 -1.6867382526397705 3.0024757385253906 -2.3068528175354004 6.000123500823975 12.0 -2.9998764991760254 90.0 -3.0 1000.0 -3.0 inf -3.0
// 0.9525741338729858 0.9525741338729858 0.9525741338729858 0.9525741338729858 0.9644287824630737 0.9088770151138306 0.9820137619972229 0.8807970881462097 0.9933071732521057 0.7310585379600525 0.9975273013114929 0.5 0.9998764991760254 1.0 0.00012339450768195093 1.0 1.6458114537543937e-38 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<-3.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.maximum %0, %arg0 : tensor<21xf32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.subtract %2, %arg0 : tensor<21xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %6 = stablehlo.add %5, %arg0 : tensor<21xf32>
    %7 = stablehlo.abs %3 : tensor<21xf32>
    %8 = stablehlo.negate %7 : tensor<21xf32>
    %9 = stablehlo.exponential %8 : tensor<21xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<21xf32>
    %11 = stablehlo.add %1, %10 : tensor<21xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xf32>
    %13 = stablehlo.multiply %12, %cst : tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %14, %12 : tensor<f32>, tensor<21xf32>
  }
}

// clip float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 1.0000000031710769e-30 0.0 0.30000001192092896 0.0 1.0 0.0 2.0 0.0 3.0 0.0 6.0 12.0 0.0 90.0 0.0 1000.0 0.0 inf 0.0
// 0.5 0.5 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = call @clip(%arg0, %c) : (tensor<21xf32>, tensor<i32>) -> tensor<21xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<21xf32>
  }
  func.func private @clip(%arg0: tensor<21xf32>, %arg1: tensor<i32>) -> tensor<21xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<21xf32>
    return %2 : tensor<21xf32>
  }
}

// guarded_division float32
// 0.0 -0.0 1.0000000031710769e-30 -1.0000000031710769e-30 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 1.0000000150474662e+30 -1.0000000150474662e+30 3.3333332538604736 -1.4285714626312256 1.0 -1.0 0.5 -0.5 0.3333333432674408 -0.3333333432674408 0.1666666716337204 0.0833333358168602 -0.0833333358168602 0.011111111380159855 -0.011111111380159855 0.0010000000474974513 -0.0010000000474974513 0.0 -0.0
// 0.0 0.0 -inf -inf -11.11111068725586 -2.040816307067871 -1.0 -1.0 -0.25 -0.25 -0.1111111119389534 -0.1111111119389534 -0.02777777798473835 -0.0069444444961845875 -0.0069444444961845875 -0.00012345678987912834 -0.00012345678987912834 -9.999999974752427e-07 -9.999999974752427e-07 -0.0 -0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<21xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %1 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %3 = stablehlo.compare EQ, %arg0, %2, FLOAT : (tensor<21xf32>, tensor<21xf32>) -> tensor<21xi1>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %4 = call @_where(%3, %c, %arg0) : (tensor<21xi1>, tensor<i32>, tensor<21xf32>) -> tensor<21xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %6 = stablehlo.divide %5, %4 : tensor<21xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = call @_where(%1, %c_3, %6) : (tensor<21xi1>, tensor<i32>, tensor<21xf32>) -> tensor<21xf32>
    %8 = stablehlo.multiply %7, %cst : tensor<21xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    return %9, %7 : tensor<f32>, tensor<21xf32>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<i32>, %arg2: tensor<21xf32>) -> tensor<21xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<21xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf32>
    return %2 : tensor<21xf32>
  }
}

// softmax float32
// 0.30000001192092896 -0.699999988079071 1.2000000476837158 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 1.0000000031710769e-30 -0.0 0.0 -1.0000000031710769e-30
// 0.07780589908361435 0.0286231879144907 0.1913716346025467 0.7021992802619934 0.25 0.25 0.25 0.25 1.0 0.0 0.0 0.0 0.0 0.0 0.0 1.0 0.49999845027923584 0.49999845027923584 3.0720966606168076e-06 1.8875612878277437e-11 0.23122389614582062 0.0 0.6285316944122314 0.14024437963962555 0.25 0.25 0.25 0.25
// -0.1959124654531479 -0.043448977172374725 -0.09912367165088654 0.33848515152931213 -0.375 -0.125 0.125 0.375 0.0 0.0 0.0 0.0 -0.0 -0.0 -0.0 0.0 -0.25000154972076416 0.24999690055847168 4.608130893757334e-06 4.718894719424327e-11 -0.3879466652870178 -0.0 0.20251503586769104 0.1854315996170044 -0.375 -0.125 0.125 0.375
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<7x4xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00]]> : tensor<7x4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<7xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<7xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<7xf32>) -> tensor<7x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<7x1xf32>) -> tensor<7x4xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<7x4xf32>
    %6 = stablehlo.exponential %5 : tensor<7x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<7xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<7xf32>) -> tensor<7x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<7x1xf32>) -> tensor<7x4xf32>
    %10 = stablehlo.divide %6, %9 : tensor<7x4xf32>
    %11 = stablehlo.multiply %10, %cst : tensor<7x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    return %12, %10 : tensor<f32>, tensor<7x4xf32>
  }
}

// log_softmax float32
// 0.30000001192092896 -0.699999988079071 1.2000000476837158 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 1.0000000031710769e-30 -0.0 0.0 -1.0000000031710769e-30
// -2.5535380840301514 -3.5535380840301514 -1.6535379886627197 -0.35353806614875793 -1.3862943649291992 -1.3862943649291992 -1.3862943649291992 -1.3862943649291992 0.0 -1000.0 -2000.0 -988.0 -180.0 -180.0 -1090.0 0.0 -0.6931502819061279 -0.6931502819061279 -12.693150520324707 -24.69314956665039 -1.4643688201904297 -inf -0.4643687903881073 -1.9643688201904297 -1.3862943649291992 -1.3862943649291992 -1.3862943649291992 -1.3862943649291992
// -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<7x4xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00]]> : tensor<7x4xf32>
    %0 = call @log_softmax(%arg0) : (tensor<7x4xf32>) -> tensor<7x4xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<7x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<7x4xf32>
  }
  func.func private @log_softmax(%arg0: tensor<7x4xf32>) -> tensor<7x4xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<7xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<7xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<7xf32>) -> tensor<7x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<7x1xf32>) -> tensor<7x4xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<7x4xf32>
    %6 = stablehlo.exponential %5 : tensor<7x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<7xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<7xf32>) -> tensor<7x1xf32>
    %9 = stablehlo.log %8 : tensor<7x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<7x1xf32>) -> tensor<7x4xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<7x4xf32>
    return %11 : tensor<7x4xf32>
  }
}

// logsumexp float32
// 0.30000001192092896 -0.699999988079071 1.2000000476837158 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 1.0000000031710769e-30 -0.0 0.0 -1.0000000031710769e-30
// 1000.0
// -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -1.5 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.maximum %cst_0, %0 : tensor<f32>
    %2 = stablehlo.is_finite %1 : (tensor<f32>) -> tensor<i1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.select %2, %1, %cst_1 : tensor<i1>, tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<7x4xf32>
    %6 = stablehlo.subtract %arg0, %5 : tensor<7x4xf32>
    %7 = stablehlo.exponential %6 : tensor<7x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    %9 = stablehlo.abs %8 : tensor<f32>
    %10 = stablehlo.log %9 : tensor<f32>
    %11 = stablehlo.add %10, %3 : tensor<f32>
    %cst_3 = stablehlo.constant dense<-1.500000e+00> : tensor<f32>
    %12 = stablehlo.multiply %11, %cst_3 : tensor<f32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %13, %11 : tensor<f32>, tensor<f32>
  }
}

// standardize float32
// 0.30000001192092896 -0.699999988079071 1.2000000476837158 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 1.0000000031710769e-30 -0.0 0.0 -1.0000000031710769e-30
// -0.44579899311065674 -1.2949398756027222 0.31842783093452454 1.4223109483718872 0.0 0.0 0.0 0.0 1.4099328517913818 -0.004242526367306709 -1.4184179306030273 0.012727578170597553 0.4279997646808624 0.4279997646808624 -1.7061359882354736 0.8501365184783936 0.9045339822769165 0.9045339822769165 -0.30151131749153137 -1.5075565576553345 nan nan nan nan 3.1622775425504623e-28 -0.0 0.0 -3.1622775425504623e-28
// -0.9321823716163635 0.5674898624420166 0.18062114715576172 0.1840713620185852 -474.34161376953125 -158.11387634277344 158.11387634277344 474.34161376953125 -0.0007240950362756848 -0.0007112917955964804 -0.0006984885549172759 0.0021338756196200848 -0.003408934222534299 -0.0010637299856171012 0.000738605041988194 0.0037340589333325624 -0.054820239543914795 0.04568353295326233 0.01827341318130493 -0.009136706590652466 nan nan nan nan -474.34161376953125 -158.11387634277344 158.11387634277344 474.34161376953125
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<7x4xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00]]> : tensor<7x4xf32>
    %0 = call @standardize(%arg0) : (tensor<7x4xf32>) -> tensor<7x4xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<7x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<7x4xf32>
  }
  func.func private @standardize(%arg0: tensor<7x4xf32>) -> tensor<7x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<7xf32>) -> tensor<7x1xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<7x1xf32>
    %4 = chlo.square %arg0 : tensor<7x4xf32> -> tensor<7x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<7xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<7xf32>) -> tensor<7x1xf32>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<7x1xf32>
    %8 = stablehlo.divide %6, %7 : tensor<7x1xf32>
    %9 = chlo.square %3 : tensor<7x1xf32> -> tensor<7x1xf32>
    %10 = stablehlo.subtract %8, %9 : tensor<7x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %11 = call @clip(%10, %c) : (tensor<7x1xf32>, tensor<i32>) -> tensor<7x1xf32>
    %12 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<7x1xf32>) -> tensor<7x4xf32>
    %13 = stablehlo.subtract %arg0, %12 : tensor<7x4xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<7x1xf32>
    %15 = stablehlo.add %11, %14 : tensor<7x1xf32>
    %16 = stablehlo.rsqrt %15 : tensor<7x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<7x1xf32>) -> tensor<7x4xf32>
    %18 = stablehlo.multiply %13, %17 : tensor<7x4xf32>
    return %18 : tensor<7x4xf32>
  }
  func.func private @clip(%arg0: tensor<7x1xf32>, %arg1: tensor<i32>) -> tensor<7x1xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<7x1xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<7x1xf32>
    return %2 : tensor<7x1xf32>
  }
}

// glu float32
// 0.30000001192092896 -0.699999988079071 1.2000000476837158 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 1.0000000031710769e-30 -0.0 0.0 -1.0000000031710769e-30
// 0.23055745661258698 -0.6468992829322815 0.0 0.0 0.0 0.0 -0.0 -90.0 6.0 7.373008702415973e-05 0.8807970285415649 -inf 5.000000015855384e-31 -0.0
// -1.152787208557129 -0.46207091212272644 -0.08005248755216599 0.02453629858791828 0.25 0.75 0.0 0.0 -0.0 -0.4999969005584717 -0.0 -0.0 0.0 1.5 -0.0 -0.0 -0.75 -3.072087110922439e-06 -4.5 -3.6864817957393825e-05 0.44039851427078247 0.9336889982223511 0.052496813237667084 -inf -0.75 -0.25 -3.750000011891538e-31 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<7x2xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01], [5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01], [5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01], [5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01]]> : tensor<7x2xf32>
    %0 = call @glu(%arg0) : (tensor<7x4xf32>) -> tensor<7x2xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<7x2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x2xf32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<7x2xf32>
  }
  func.func private @glu(%arg0: tensor<7x4xf32>) -> tensor<7x2xf32> {
    %0 = stablehlo.slice %arg0 [0:7, 0:2] : (tensor<7x4xf32>) -> tensor<7x2xf32>
    %1 = stablehlo.slice %arg0 [0:7, 2:4] : (tensor<7x4xf32>) -> tensor<7x2xf32>
    %2 = stablehlo.negate %1 : tensor<7x2xf32>
    %3 = stablehlo.exponential %2 : tensor<7x2xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7x2xf32>
    %5 = stablehlo.add %4, %3 : tensor<7x2xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7x2xf32>
    %7 = stablehlo.divide %6, %5 : tensor<7x2xf32>
    %8 = stablehlo.multiply %0, %7 : tensor<7x2xf32>
    return %8 : tensor<7x2xf32>
  }
}

// logmeanexp float32
// 0.30000001192092896 -0.699999988079071 1.2000000476837158 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 1.0000000031710769e-30 -0.0 0.0 -1.0000000031710769e-30
// 996.6677856445312
// -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -1.5 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = call @logmeanexp(%arg0) : (tensor<7x4xf32>) -> tensor<f32>
    %cst = stablehlo.constant dense<-1.500000e+00> : tensor<f32>
    %1 = stablehlo.multiply %0, %cst : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %2, %0 : tensor<f32>, tensor<f32>
  }
  func.func private @logmeanexp(%arg0: tensor<7x4xf32>) -> tensor<f32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.maximum %cst_0, %0 : tensor<f32>
    %2 = stablehlo.is_finite %1 : (tensor<f32>) -> tensor<i1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.select %2, %1, %cst_1 : tensor<i1>, tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<7x4xf32>
    %6 = stablehlo.subtract %arg0, %5 : tensor<7x4xf32>
    %7 = stablehlo.exponential %6 : tensor<7x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    %9 = stablehlo.abs %8 : tensor<f32>
    %10 = stablehlo.log %9 : tensor<f32>
    %11 = stablehlo.add %10, %3 : tensor<f32>
    %cst_3 = stablehlo.constant dense<2.800000e+01> : tensor<f32>
    %12 = stablehlo.log %cst_3 : tensor<f32>
    %13 = stablehlo.subtract %11, %12 : tensor<f32>
    return %13 : tensor<f32>
  }
}

// relu float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 0.0 0.0 0.300048828125 0.0 1.0 0.0 2.0 0.0 3.0 0.0 6.0 12.0 0.0 90.0 0.0 1000.0 0.0 inf 0.0
// 0.0 0.0 0.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @relu(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @relu(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf16>
    return %1 : tensor<21xf16>
  }
}

// relu6 float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 0.0 0.0 0.300048828125 0.0 1.0 0.0 2.0 0.0 3.0 0.0 6.0 6.0 0.0 6.0 0.0 6.0 0.0 6.0 0.0
// 0.0 0.0 0.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @relu6(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @relu6(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.minimum %1, %2 : tensor<21xf16>
    return %3 : tensor<21xf16>
  }
}

// elu float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.50341796875 1.0 -0.6318359375 2.0 -0.86474609375 3.0 -0.9501953125 6.0 12.0 -1.0 90.0 -1.0 1000.0 -1.0 inf -1.0
// 1.0 1.0 1.0 1.0 1.0 0.49658203125 1.0 0.3681640625 1.0 0.13525390625 1.0 0.0498046875 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @elu(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @elu(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<21xi1>, tensor<f32>, tensor<21xf16>) -> tensor<21xf16>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xf16>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %7 = stablehlo.multiply %6, %5 : tensor<21xf16>
    %8 = call @_where_0(%1, %arg0, %7) : (tensor<21xi1>, tensor<21xf16>, tensor<21xf16>) -> tensor<21xf16>
    return %8 : tensor<21xf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<f32>, %arg2: tensor<21xf16>) -> tensor<21xf16> {
    %0 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf16>
    return %2 : tensor<21xf16>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<21xf16>, %arg2: tensor<21xf16>) -> tensor<21xf16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf16>
    return %0 : tensor<21xf16>
  }
}

// celu float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 0.0 0.0 0.300048828125 -0.50341796875 1.0 -0.6318359375 2.0 -0.86474609375 3.0 -0.9501953125 6.0 12.0 -1.0 90.0 -1.0 1000.0 -1.0 inf -1.0
// 1.0 1.0 1.0 1.0 1.0 0.49658203125 1.0 0.3681640625 1.0 0.13525390625 1.0 0.0498046875 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @celu(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @celu(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.minimum %arg0, %2 : tensor<21xf16>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %5 = stablehlo.divide %3, %4 : tensor<21xf16>
    %6 = stablehlo.exponential_minus_one %5 : tensor<21xf16>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %8 = stablehlo.multiply %7, %6 : tensor<21xf16>
    %9 = stablehlo.add %1, %8 : tensor<21xf16>
    return %9 : tensor<21xf16>
  }
}

// selu float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 0.0 -0.0 0.315185546875 -0.88525390625 1.05078125 -1.1103515625 2.1015625 -1.51953125 3.15234375 -1.6708984375 6.3046875 12.609375 -1.7578125 94.5625 -1.7578125 1051.0 -1.7578125 inf -1.7578125
// 1.7578125 1.7578125 1.7578125 1.7578125 1.05078125 0.873046875 1.05078125 0.64697265625 1.05078125 0.23779296875 1.05078125 0.0875244140625 1.05078125 1.05078125 0.0 1.05078125 0.0 1.05078125 0.0 1.05078125 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @selu(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @selu(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<1.67326319> : tensor<f32>
    %0 = call @elu(%arg0, %cst) : (tensor<21xf16>, tensor<f32>) -> tensor<21xf16>
    %cst_0 = stablehlo.constant dense<1.050780e+00> : tensor<f16>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %2 = stablehlo.multiply %1, %0 : tensor<21xf16>
    return %2 : tensor<21xf16>
  }
  func.func private @elu(%arg0: tensor<21xf16>, %arg1: tensor<f32>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<21xi1>, tensor<f32>, tensor<21xf16>) -> tensor<21xf16>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xf16>
    %6 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<f16>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %8 = stablehlo.multiply %7, %5 : tensor<21xf16>
    %9 = call @_where_0(%1, %arg0, %8) : (tensor<21xi1>, tensor<21xf16>, tensor<21xf16>) -> tensor<21xf16>
    return %9 : tensor<21xf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<f32>, %arg2: tensor<21xf16>) -> tensor<21xf16> {
    %0 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf16>
    return %2 : tensor<21xf16>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<21xf16>, %arg2: tensor<21xf16>) -> tensor<21xf16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf16>
    return %0 : tensor<21xf16>
  }
}

// hard_sigmoid float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.5 0.5 0.5 0.5 0.5498046875 0.38330078125 0.66650390625 0.333251953125 0.8330078125 0.1666259765625 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
// 0.1666259765625 0.1666259765625 0.1666259765625 0.1666259765625 0.1666259765625 0.1666259765625 0.1666259765625 0.1666259765625 0.1666259765625 0.1666259765625 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @hard_sigmoid(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @hard_sigmoid(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.add %arg0, %0 : tensor<21xf16>
    %2 = call @relu6(%1) : (tensor<21xf16>) -> tensor<21xf16>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %4 = stablehlo.divide %2, %3 : tensor<21xf16>
    return %4 : tensor<21xf16>
  }
  func.func private @relu6(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.minimum %1, %2 : tensor<21xf16>
    return %3 : tensor<21xf16>
  }
}

// hard_silu float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 0.0 -0.0 0.1649169921875 -0.268310546875 0.66650390625 -0.333251953125 1.666015625 -0.333251953125 3.0 -0.0 6.0 12.0 -0.0 90.0 -0.0 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.599609375 0.2666015625 0.8330078125 0.1666259765625 1.166015625 -0.1666259765625 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @hard_silu(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @hard_silu(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %0 = call @hard_sigmoid(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %arg0, %0 : tensor<21xf16>
    return %1 : tensor<21xf16>
  }
  func.func private @hard_sigmoid(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.add %arg0, %0 : tensor<21xf16>
    %2 = call @relu6(%1) : (tensor<21xf16>) -> tensor<21xf16>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %4 = stablehlo.divide %2, %3 : tensor<21xf16>
    return %4 : tensor<21xf16>
  }
  func.func private @relu6(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.minimum %1, %2 : tensor<21xf16>
    return %3 : tensor<21xf16>
  }
}

// hard_tanh float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 1.0 -1.0 1.0 -1.0 1.0 1.0 -1.0 1.0 -1.0 1.0 -1.0 1.0 -1.0
// 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @hard_tanh(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @hard_tanh(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.compare LT, %arg0, %2, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %4 = call @_where(%3, %c, %arg0) : (tensor<21xi1>, tensor<i32>, tensor<21xf16>) -> tensor<21xf16>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %5 = call @_where(%1, %c_1, %4) : (tensor<21xi1>, tensor<i32>, tensor<21xf16>) -> tensor<21xf16>
    return %5 : tensor<21xf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<i32>, %arg2: tensor<21xf16>) -> tensor<21xf16> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf16>
    return %2 : tensor<21xf16>
  }
}

// leaky_relu float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.0070037841796875 1.0 -0.01000213623046875 2.0 -0.0200042724609375 3.0 -0.029998779296875 6.0 12.0 -0.1199951171875 90.0 -0.900390625 1000.0 -10.0 inf -inf
// 1.0 1.0 1.0 1.0 1.0 0.01000213623046875 1.0 0.01000213623046875 1.0 0.01000213623046875 1.0 0.01000213623046875 1.0 1.0 0.01000213623046875 1.0 0.01000213623046875 1.0 0.01000213623046875 1.0 0.01000213623046875
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @leaky_relu(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @leaky_relu(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.compare GE, %arg0, %0, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<1.000210e-02> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.multiply %2, %arg0 : tensor<21xf16>
    %4 = call @_where(%1, %arg0, %3) : (tensor<21xi1>, tensor<21xf16>, tensor<21xf16>) -> tensor<21xf16>
    return %4 : tensor<21xf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<21xf16>, %arg2: tensor<21xf16>) -> tensor<21xf16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf16>
    return %0 : tensor<21xf16>
  }
}

// log_sigmoid float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// -0.693359375 -0.693359375 -0.693359375 -0.693359375 -0.55419921875 -1.103515625 -0.313232421875 -1.3134765625 -0.126953125 -2.126953125 -0.048583984375 -3.048828125 -0.002475738525390625 -6.139278411865234e-06 -12.0 -0.0 -90.0 -0.0 -1000.0 -0.0 -inf
// 0.5 0.5 0.5 0.5 0.425537109375 0.66796875 0.268798828125 0.73095703125 0.11920166015625 0.880859375 0.04742431640625 0.9521484375 0.0024700164794921875 6.139278411865234e-06 1.0 0.0 1.0 0.0 1.0 0.0 1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @log_sigmoid(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @log_sigmoid(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %0 = stablehlo.negate %arg0 : tensor<21xf16>
    %1 = call @softplus(%0) : (tensor<21xf16>) -> tensor<21xf16>
    %2 = stablehlo.negate %1 : tensor<21xf16>
    return %2 : tensor<21xf16>
  }
  func.func private @softplus(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xf16>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %6 = stablehlo.add %arg0, %5 : tensor<21xf16>
    %7 = stablehlo.abs %3 : tensor<21xf16>
    %8 = stablehlo.negate %7 : tensor<21xf16>
    %9 = stablehlo.exponential %8 : tensor<21xf16>
    %10 = stablehlo.log_plus_one %9 : tensor<21xf16>
    %11 = stablehlo.add %1, %10 : tensor<21xf16>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xf16>
    return %12 : tensor<21xf16>
  }
}

// sigmoid float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.5 0.5 0.5 0.5 0.57470703125 0.331787109375 0.73095703125 0.268798828125 0.88037109375 0.11920166015625 0.95263671875 0.047454833984375 0.9970703125 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
// 0.25 0.25 0.25 0.25 0.244384765625 0.2216796875 0.1966552734375 0.1966552734375 0.1053466796875 0.10498046875 0.04510498046875 0.045196533203125 0.00292205810546875 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = stablehlo.negate %arg0 : tensor<21xf16>
    %1 = stablehlo.exponential %0 : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.add %2, %1 : tensor<21xf16>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %5 = stablehlo.divide %4, %3 : tensor<21xf16>
    %6 = stablehlo.multiply %5, %cst : tensor<21xf16>
    %7 = stablehlo.convert %6 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %9 = stablehlo.convert %8 : (tensor<f32>) -> tensor<f16>
    return %9, %5 : tensor<f16>, tensor<21xf16>
  }
}

// silu float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 0.0 -0.0 0.1724853515625 -0.2322998046875 0.73095703125 -0.268798828125 1.7607421875 -0.2384033203125 2.857421875 -0.142333984375 5.984375 12.0 -0.0 90.0 -0.0 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.64794921875 0.176513671875 0.927734375 0.0721435546875 1.0908203125 -0.09075927734375 1.087890625 -0.088134765625 1.0146484375 1.0 0.0 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @silu(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @silu(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %0 = stablehlo.negate %arg0 : tensor<21xf16>
    %1 = stablehlo.exponential %0 : tensor<21xf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.add %2, %1 : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %5 = stablehlo.divide %4, %3 : tensor<21xf16>
    %6 = stablehlo.multiply %arg0, %5 : tensor<21xf16>
    return %6 : tensor<21xf16>
  }
}

// soft_sign float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 0.0 -0.0 0.2308349609375 -0.411865234375 0.5 -0.5 0.66650390625 -0.66650390625 0.75 -0.75 0.85693359375 0.9228515625 -0.9228515625 0.98876953125 -0.98876953125 0.9990234375 -0.9990234375 nan nan
// 1.0 1.0 1.0 1.0 0.591796875 0.34619140625 0.25 0.25 0.111083984375 0.111083984375 0.0625 0.0625 0.0203857421875 0.00592041015625 0.00592041015625 0.00011444091796875 0.00011444091796875 0.00099945068359375 0.00099945068359375 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @soft_sign(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @soft_sign(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %0 = stablehlo.abs %arg0 : tensor<21xf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %2 = stablehlo.add %0, %1 : tensor<21xf16>
    %3 = stablehlo.divide %arg0, %2 : tensor<21xf16>
    return %3 : tensor<21xf16>
  }
}

// softplus float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.693359375 0.693359375 0.693359375 0.693359375 0.8544921875 0.403076171875 1.3134765625 0.313232421875 2.126953125 0.126953125 3.048828125 0.048583984375 6.00390625 12.0 6.139278411865234e-06 90.0 0.0 1000.0 0.0 inf 0.0
// 0.5 0.5 0.5 0.5 0.57421875 0.331787109375 0.73095703125 0.268798828125 0.880859375 0.11920166015625 0.9521484375 0.04742431640625 0.99609375 1.0 6.139278411865234e-06 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @softplus(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @softplus(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xf16>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %6 = stablehlo.add %arg0, %5 : tensor<21xf16>
    %7 = stablehlo.abs %3 : tensor<21xf16>
    %8 = stablehlo.negate %7 : tensor<21xf16>
    %9 = stablehlo.exponential %8 : tensor<21xf16>
    %10 = stablehlo.log_plus_one %9 : tensor<21xf16>
    %11 = stablehlo.add %1, %10 : tensor<21xf16>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xf16>
    return %12 : tensor<21xf16>
  }
}

// sparse_plus float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.25 0.25 0.25 0.25 0.42236328125 0.0224761962890625 1.0 0.0 2.0 0.0 3.0 0.0 6.0 12.0 0.0 90.0 0.0 1000.0 0.0 inf 0.0
// 0.5 0.5 0.5 0.5 0.64990234375 0.14990234375 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @sparse_plus(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @sparse_plus(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.compare LE, %arg0, %0, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.compare GE, %arg0, %2, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %5 = stablehlo.add %arg0, %4 : tensor<21xf16>
    %6 = stablehlo.multiply %5, %5 : tensor<21xf16>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<f16>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %8 = stablehlo.divide %6, %7 : tensor<21xf16>
    %9 = call @_where(%3, %arg0, %8) : (tensor<21xi1>, tensor<21xf16>, tensor<21xf16>) -> tensor<21xf16>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = call @_where_0(%1, %cst_3, %9) : (tensor<21xi1>, tensor<f32>, tensor<21xf16>) -> tensor<21xf16>
    return %10 : tensor<21xf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<21xf16>, %arg2: tensor<21xf16>) -> tensor<21xf16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf16>
    return %0 : tensor<21xf16>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<f32>, %arg2: tensor<21xf16>) -> tensor<21xf16> {
    %0 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf16>
    return %2 : tensor<21xf16>
  }
}

// sparse_sigmoid float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.5 0.5 0.5 0.5 0.64990234375 0.14990234375 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
// 0.5 0.5 0.5 0.5 0.5 0.5 0.25 0.25 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @sparse_sigmoid(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @sparse_sigmoid(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.add %arg0, %0 : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = call @clip(%1, %cst_0, %cst_1) : (tensor<21xf16>, tensor<f32>, tensor<f32>) -> tensor<21xf16>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f16>
    %3 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %4 = stablehlo.multiply %3, %2 : tensor<21xf16>
    return %4 : tensor<21xf16>
  }
  func.func private @clip(%arg0: tensor<21xf16>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<21xf16> {
    %0 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %2 = stablehlo.maximum %1, %arg0 : tensor<21xf16>
    %3 = stablehlo.convert %arg2 : (tensor<f32>) -> tensor<f16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %5 = stablehlo.minimum %4, %2 : tensor<21xf16>
    return %5 : tensor<21xf16>
  }
}

// squareplus float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 1.0 1.0 1.0 1.0 1.1611328125 0.70947265625 1.6181640625 0.6181640625 2.4140625 0.4140625 3.302734375 0.302734375 6.1640625 12.078125 0.08203125 90.0 0.0 inf inf inf nan
// 0.5 0.5 0.5 0.5 0.57421875 0.3349609375 0.7236328125 0.2763671875 0.853515625 0.146484375 0.916015625 0.083984375 0.97412109375 0.9931640625 0.0068359375 1.0 0.0 0.5 0.5 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @squareplus(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @squareplus(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %0 = chlo.square %arg0 : tensor<21xf16> -> tensor<21xf16>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %2 = stablehlo.add %0, %1 : tensor<21xf16>
    %3 = stablehlo.sqrt %2 : tensor<21xf16>
    %4 = stablehlo.add %arg0, %3 : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f16>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %6 = stablehlo.divide %4, %5 : tensor<21xf16>
    return %6 : tensor<21xf16>
  }
}

// mish float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 0.0 -0.0 0.2080078125 -0.267822265625 0.865234375 -0.303466796875 1.9443359375 -0.25244140625 2.986328125 -0.1456298828125 6.0 12.0 -7.367134094238281e-05 90.0 -0.0 1000.0 -0.0 inf nan
// 0.60009765625 0.60009765625 0.60009765625 0.60009765625 0.78271484375 0.184326171875 1.048828125 0.0594482421875 1.068359375 -0.1083984375 1.0205078125 -0.0933837890625 1.0 1.0 -6.753206253051758e-05 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @mish(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @mish(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %0 = call @softplus(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.tanh %0 : tensor<21xf16>
    %2 = stablehlo.multiply %arg0, %1 : tensor<21xf16>
    return %2 : tensor<21xf16>
  }
  func.func private @softplus(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xf16>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %6 = stablehlo.add %arg0, %5 : tensor<21xf16>
    %7 = stablehlo.abs %3 : tensor<21xf16>
    %8 = stablehlo.negate %7 : tensor<21xf16>
    %9 = stablehlo.exponential %8 : tensor<21xf16>
    %10 = stablehlo.log_plus_one %9 : tensor<21xf16>
    %11 = stablehlo.add %1, %10 : tensor<21xf16>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xf16>
    return %12 : tensor<21xf16>
  }
}

// identity float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @identity(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @identity(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    return %arg0 : tensor<21xf16>
  }
}

// tanh float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 0.0 -0.0 0.291259765625 -0.6044921875 0.76171875 -0.76171875 0.9638671875 -0.9638671875 0.9951171875 -0.9951171875 1.0 1.0 -1.0 1.0 -1.0 1.0 -1.0 1.0 -1.0
// 1.0 1.0 1.0 1.0 0.91552734375 0.634765625 0.419921875 0.419921875 0.0709228515625 0.0712890625 0.00974273681640625 0.009765625 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = stablehlo.tanh %arg0 : tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
}

// elu_2 float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 0.0 -0.0 0.300048828125 -1.0068359375 1.0 -1.263671875 2.0 -1.7294921875 3.0 -1.900390625 6.0 12.0 -2.0 90.0 -2.0 1000.0 -2.0 inf -2.0
// 2.0 2.0 2.0 2.0 1.0 0.9931640625 1.0 0.736328125 1.0 0.2705078125 1.0 0.099609375 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = call @elu(%arg0, %cst_0) : (tensor<21xf16>, tensor<f32>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @elu(%arg0: tensor<21xf16>, %arg1: tensor<f32>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<21xi1>, tensor<f32>, tensor<21xf16>) -> tensor<21xf16>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xf16>
    %6 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<f16>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %8 = stablehlo.multiply %7, %5 : tensor<21xf16>
    %9 = call @_where_0(%1, %arg0, %8) : (tensor<21xi1>, tensor<21xf16>, tensor<21xf16>) -> tensor<21xf16>
    return %9 : tensor<21xf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<f32>, %arg2: tensor<21xf16>) -> tensor<21xf16> {
    %0 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf16>
    return %2 : tensor<21xf16>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<21xf16>, %arg2: tensor<21xf16>) -> tensor<21xf16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf16>
    return %0 : tensor<21xf16>
  }
}

// celu_2 float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 0.0 0.0 0.300048828125 -0.59130859375 1.0 -0.78662109375 2.0 -1.263671875 3.0 -1.5537109375 6.0 12.0 -1.9951171875 90.0 -2.0 1000.0 -2.0 inf -2.0
// 1.0 1.0 1.0 1.0 1.0 0.7041015625 1.0 0.6064453125 1.0 0.3681640625 1.0 0.22314453125 1.0 1.0 0.00244140625 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = call @celu(%arg0, %cst_0) : (tensor<21xf16>, tensor<f32>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @celu(%arg0: tensor<21xf16>, %arg1: tensor<f32>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.minimum %arg0, %2 : tensor<21xf16>
    %4 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<f16>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %6 = stablehlo.divide %3, %5 : tensor<21xf16>
    %7 = stablehlo.exponential_minus_one %6 : tensor<21xf16>
    %8 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<f16>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %10 = stablehlo.multiply %9, %7 : tensor<21xf16>
    %11 = stablehlo.add %1, %10 : tensor<21xf16>
    return %11 : tensor<21xf16>
  }
}

// gelu_tanh float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 0.0 -0.0 0.1854248046875 -0.16943359375 0.8408203125 -0.158935546875 1.955078125 -0.04541015625 2.99609375 -0.003662109375 6.0 12.0 -0.0 90.0 -0.0 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.732421875 0.0235137939453125 1.08203125 -0.082763671875 1.0869140625 -0.08624267578125 1.01171875 -0.012542724609375 1.0 1.0 0.0 1.0 0.0 nan nan nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<21xf16>
    %1 = stablehlo.multiply %0, %arg0 : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<4.470830e-02> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.multiply %2, %1 : tensor<21xf16>
    %4 = stablehlo.add %arg0, %3 : tensor<21xf16>
    %cst_1 = stablehlo.constant dense<7.978520e-01> : tensor<f16>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %6 = stablehlo.multiply %5, %4 : tensor<21xf16>
    %7 = stablehlo.tanh %6 : tensor<21xf16>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %9 = stablehlo.add %8, %7 : tensor<21xf16>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f16>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %11 = stablehlo.multiply %10, %9 : tensor<21xf16>
    %12 = stablehlo.multiply %arg0, %11 : tensor<21xf16>
    %13 = stablehlo.multiply %12, %cst : tensor<21xf16>
    %14 = stablehlo.convert %13 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %16 = stablehlo.convert %15 : (tensor<f32>) -> tensor<f16>
    return %16, %12 : tensor<f16>, tensor<21xf16>
  }
}

// gelu_erf float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 0.0 -0.0 0.1854248046875 -0.16943359375 0.84130859375 -0.15869140625 1.9541015625 -0.0455322265625 2.99609375 -0.004055023193359375 6.0 12.0 -0.0 90.0 -0.0 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.732421875 0.0234375 1.0830078125 -0.0831298828125 1.0849609375 -0.085205078125 1.01171875 -0.011932373046875 1.0 1.0 0.0 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %arg0 : tensor<21xf16>
    %2 = stablehlo.negate %arg0 : tensor<21xf16>
    %cst_1 = stablehlo.constant dense<7.070310e-01> : tensor<f16>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %4 = stablehlo.multiply %2, %3 : tensor<21xf16>
    %5 = chlo.erfc %4 : tensor<21xf16> -> tensor<21xf16>
    %6 = stablehlo.multiply %1, %5 : tensor<21xf16>
    %7 = stablehlo.multiply %6, %cst : tensor<21xf16>
    %8 = stablehlo.convert %7 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %10 = stablehlo.convert %9 : (tensor<f32>) -> tensor<f16>
    return %10, %6 : tensor<f16>, tensor<21xf16>
  }
}

// log1mexp float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// -inf -inf -inf -inf -1.349609375 nan -0.458740234375 nan -0.1455078125 nan -0.051055908203125 nan -0.002483367919921875 -6.139278411865234e-06 nan -0.0 nan -0.0 nan -0.0 nan
// inf -inf inf -inf 2.857421875 -1.986328125 0.58203125 -1.5830078125 0.156494140625 -1.15625 0.05242919921875 -1.052734375 0.0024852752685546875 0.0 -1.0 0.0 -1.0 0.0 -1.0 0.0 -1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %0 = call @log1mexp(%arg0) : (tensor<21xf16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @log1mexp(%arg0: tensor<21xf16>) -> tensor<21xf16> {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.log %cst : tensor<f32>
    %1 = stablehlo.convert %0 : (tensor<f32>) -> tensor<f16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.compare LT, %arg0, %2, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %4 = stablehlo.negate %arg0 : tensor<21xf16>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xf16>
    %6 = stablehlo.negate %5 : tensor<21xf16>
    %7 = stablehlo.log %6 : tensor<21xf16>
    %8 = stablehlo.negate %arg0 : tensor<21xf16>
    %9 = stablehlo.exponential %8 : tensor<21xf16>
    %10 = stablehlo.negate %9 : tensor<21xf16>
    %11 = stablehlo.log_plus_one %10 : tensor<21xf16>
    %12 = call @_where(%3, %7, %11) : (tensor<21xi1>, tensor<21xf16>, tensor<21xf16>) -> tensor<21xf16>
    return %12 : tensor<21xf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<21xf16>, %arg2: tensor<21xf16>) -> tensor<21xf16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf16>
    return %0 : tensor<21xf16>
  }
}

// erf_inv float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 0.0 -0.0 0.1337890625 -0.321044921875 0.47705078125 -0.47705078125 inf -inf nan nan nan nan nan nan nan nan nan nan nan
// 0.443115234375 0.443115234375 0.443115234375 0.443115234375 0.450927734375 0.4912109375 0.556640625 0.556640625 inf inf nan nan nan nan nan nan nan nan nan nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.divide %arg0, %0 : tensor<21xf16>
    %2 = chlo.erf_inv %1 : tensor<21xf16> -> tensor<21xf16>
    %3 = stablehlo.multiply %2, %cst : tensor<21xf16>
    %4 = stablehlo.convert %3 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %6 = stablehlo.convert %5 : (tensor<f32>) -> tensor<f16>
    return %6, %2 : tensor<f16>, tensor<21xf16>
  }
}

// logaddexp float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.693359375 0.693359375 0.693359375 0.693359375 1.154296875 -0.297119140625 2.3125 -0.6865234375 4.125 -1.873046875 6.046875 -2.951171875 12.0 24.0 -12.0 180.0 -90.0 2000.0 -1000.0 inf -inf
// 1.5 1.5 1.5 1.5 1.5751953125 1.33203125 1.732421875 1.2685546875 1.8837890625 1.119140625 1.9560546875 1.046875 2.001953125 2.0 1.0 2.0 1.0 2.0 1.0 3.0 nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %arg0 : tensor<21xf16>
    %2 = stablehlo.maximum %arg0, %1 : tensor<21xf16>
    %3 = stablehlo.subtract %arg0, %1 : tensor<21xf16>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %5 = stablehlo.add %arg0, %1 : tensor<21xf16>
    %6 = stablehlo.abs %3 : tensor<21xf16>
    %7 = stablehlo.negate %6 : tensor<21xf16>
    %8 = stablehlo.exponential %7 : tensor<21xf16>
    %9 = stablehlo.log_plus_one %8 : tensor<21xf16>
    %10 = stablehlo.add %2, %9 : tensor<21xf16>
    %11 = stablehlo.select %4, %5, %10 : tensor<21xi1>, tensor<21xf16>
    %12 = stablehlo.multiply %11, %cst : tensor<21xf16>
    %13 = stablehlo.convert %12 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %15 = stablehlo.convert %14 : (tensor<f32>) -> tensor<f16>
    return %15, %11 : tensor<f16>, tensor<21xf16>
  }
}

// logaddexp_1 float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 1.3134765625 1.3134765625 1.3134765625 1.3134765625 1.4033203125 1.16796875 1.693359375 1.126953125 2.3125 1.048828125 3.126953125 1.0185546875 6.0078125 12.0 1.0 90.0 1.0 1000.0 1.0 inf 1.0
// 0.268798828125 0.268798828125 0.268798828125 0.268798828125 0.331787109375 0.1544189453125 0.5 0.11920166015625 0.7314453125 0.04742431640625 0.880859375 0.0179595947265625 0.9921875 1.0 2.2649765014648438e-06 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf16>
    %2 = stablehlo.subtract %arg0, %0 : tensor<21xf16>
    %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %4 = stablehlo.add %arg0, %0 : tensor<21xf16>
    %5 = stablehlo.abs %2 : tensor<21xf16>
    %6 = stablehlo.negate %5 : tensor<21xf16>
    %7 = stablehlo.exponential %6 : tensor<21xf16>
    %8 = stablehlo.log_plus_one %7 : tensor<21xf16>
    %9 = stablehlo.add %1, %8 : tensor<21xf16>
    %10 = stablehlo.select %3, %4, %9 : tensor<21xi1>, tensor<21xf16>
    %11 = stablehlo.multiply %10, %cst : tensor<21xf16>
    %12 = stablehlo.convert %11 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %14 = stablehlo.convert %13 : (tensor<f32>) -> tensor<f16>
    return %14, %10 : tensor<f16>, tensor<21xf16>
  }
}

// logaddexp_behind float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 2.126953125 2.126953125 2.126953125 2.126953125 2.16796875 2.064453125 2.3125 2.048828125 2.693359375 2.017578125 3.3125 2.005859375 6.01953125 12.0 2.0 90.0 2.0 1000.0 2.0 inf 2.0
// 0.11920166015625 0.11920166015625 0.11920166015625 0.11920166015625 0.1544189453125 0.06292724609375 0.26904296875 0.04742431640625 0.5 0.018035888671875 0.7314453125 0.006687164306640625 0.98046875 1.0 8.344650268554688e-07 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xf16>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %6 = stablehlo.add %arg0, %5 : tensor<21xf16>
    %7 = stablehlo.abs %3 : tensor<21xf16>
    %8 = stablehlo.negate %7 : tensor<21xf16>
    %9 = stablehlo.exponential %8 : tensor<21xf16>
    %10 = stablehlo.log_plus_one %9 : tensor<21xf16>
    %11 = stablehlo.add %1, %10 : tensor<21xf16>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xf16>
    %13 = stablehlo.multiply %12, %cst : tensor<21xf16>
    %14 = stablehlo.convert %13 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %16 = stablehlo.convert %15 : (tensor<f32>) -> tensor<f16>
    return %16, %12 : tensor<f16>, tensor<21xf16>
  }
}

// logaddexp_scalar float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.048583984375 0.048583984375 0.048583984375 0.048583984375 0.336181640625 -0.6044921875 1.0185546875 -0.873046875 2.005859375 -1.6865234375 3.001953125 -2.306640625 6.0 12.0 -3.0 90.0 -3.0 1000.0 -3.0 inf -3.0
// 0.95263671875 0.95263671875 0.95263671875 0.95263671875 0.96435546875 0.90869140625 0.9814453125 0.880859375 0.994140625 0.73095703125 0.998046875 0.5 1.0 1.0 0.0001233816146850586 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<-3.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.maximum %0, %arg0 : tensor<21xf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.subtract %2, %arg0 : tensor<21xf16>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %6 = stablehlo.add %5, %arg0 : tensor<21xf16>
    %7 = stablehlo.abs %3 : tensor<21xf16>
    %8 = stablehlo.negate %7 : tensor<21xf16>
    %9 = stablehlo.exponential %8 : tensor<21xf16>
    %10 = stablehlo.log_plus_one %9 : tensor<21xf16>
    %11 = stablehlo.add %1, %10 : tensor<21xf16>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xf16>
    %13 = stablehlo.multiply %12, %cst : tensor<21xf16>
    %14 = stablehlo.convert %13 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %16 = stablehlo.convert %15 : (tensor<f32>) -> tensor<f16>
    return %16, %12 : tensor<f16>, tensor<21xf16>
  }
}

// clip float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 0.0 0.0 0.300048828125 0.0 1.0 0.0 2.0 0.0 3.0 0.0 6.0 12.0 0.0 90.0 0.0 1000.0 0.0 inf 0.0
// 0.5 0.5 0.5 0.5 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = call @clip(%arg0, %c) : (tensor<21xf16>, tensor<i32>) -> tensor<21xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf16>
    %2 = stablehlo.convert %1 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<21xf16>
  }
  func.func private @clip(%arg0: tensor<21xf16>, %arg1: tensor<i32>) -> tensor<21xf16> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %2 = stablehlo.maximum %1, %arg0 : tensor<21xf16>
    return %2 : tensor<21xf16>
  }
}

// guarded_division float16
// 0.0 -0.0 0.0 -0.0 0.300048828125 -0.7001953125 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 0.0 0.0 3.33203125 -1.427734375 1.0 -1.0 0.5 -0.5 0.333251953125 -0.333251953125 0.1666259765625 0.08331298828125 -0.08331298828125 0.0111083984375 -0.0111083984375 0.0010004043579101562 -0.0010004043579101562 0.0 -0.0
// 0.0 0.0 0.0 0.0 -11.109375 -2.0390625 -1.0 -1.0 -0.25 -0.25 -0.111083984375 -0.111083984375 -0.02777099609375 -0.0069427490234375 -0.0069427490234375 -0.00012350082397460938 -0.00012350082397460938 -0.0 -0.0 -0.0 -0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<21xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %1 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %3 = stablehlo.compare EQ, %arg0, %2, FLOAT : (tensor<21xf16>, tensor<21xf16>) -> tensor<21xi1>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %4 = call @_where(%3, %c, %arg0) : (tensor<21xi1>, tensor<i32>, tensor<21xf16>) -> tensor<21xf16>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %6 = stablehlo.divide %5, %4 : tensor<21xf16>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = call @_where(%1, %c_3, %6) : (tensor<21xi1>, tensor<i32>, tensor<21xf16>) -> tensor<21xf16>
    %8 = stablehlo.multiply %7, %cst : tensor<21xf16>
    %9 = stablehlo.convert %8 : (tensor<21xf16>) -> tensor<21xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %11 = stablehlo.convert %10 : (tensor<f32>) -> tensor<f16>
    return %11, %7 : tensor<f16>, tensor<21xf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<i32>, %arg2: tensor<21xf16>) -> tensor<21xf16> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<21xf16>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf16>
    return %2 : tensor<21xf16>
  }
}

// softmax float16
// 0.300048828125 -0.7001953125 1.2001953125 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 0.0 -0.0 0.0 -0.0
// 0.07781982421875 0.02862548828125 0.19140625 0.70166015625 0.25 0.25 0.25 0.25 1.0 0.0 0.0 0.0 0.0 0.0 0.0 1.0 0.5 0.5 3.0994415283203125e-06 0.0 0.231201171875 0.0 0.62841796875 0.1402587890625 0.25 0.25 0.25 0.25
// -0.196044921875 -0.04345703125 -0.09912109375 0.33837890625 -0.375 -0.125 0.125 0.375 0.0 0.0 0.0 0.0 -0.0 -0.0 -0.0 0.0 -0.25 0.25 4.589557647705078e-06 0.0 -0.3876953125 -0.0 0.2025146484375 0.185302734375 -0.375 -0.125 0.125 0.375
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<7x4xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00]]> : tensor<7x4xf16>
    %cst_0 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %0 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<7x4xf16>, tensor<f16>) -> tensor<7xf16>
    %cst_1 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %1 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f16>) -> tensor<7xf16>
    %2 = stablehlo.maximum %1, %0 : tensor<7xf16>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<7xf16>) -> tensor<7x1xf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<7x1xf16>) -> tensor<7x4xf16>
    %5 = stablehlo.subtract %arg0, %4 : tensor<7x4xf16>
    %6 = stablehlo.exponential %5 : tensor<7x4xf16>
    %7 = stablehlo.convert %6 : (tensor<7x4xf16>) -> tensor<7x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<7xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<7xf32>) -> tensor<7x1xf32>
    %10 = stablehlo.convert %9 : (tensor<7x1xf32>) -> tensor<7x1xf16>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<7x1xf16>) -> tensor<7x4xf16>
    %12 = stablehlo.divide %6, %11 : tensor<7x4xf16>
    %13 = stablehlo.multiply %12, %cst : tensor<7x4xf16>
    %14 = stablehlo.convert %13 : (tensor<7x4xf16>) -> tensor<7x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    %16 = stablehlo.convert %15 : (tensor<f32>) -> tensor<f16>
    return %16, %12 : tensor<f16>, tensor<7x4xf16>
  }
}

// log_softmax float16
// 0.300048828125 -0.7001953125 1.2001953125 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 0.0 -0.0 0.0 -0.0
// -2.552734375 -3.552734375 -1.654296875 -0.35400390625 -1.38671875 -1.38671875 -1.38671875 -1.38671875 0.0 -1000.0 -2000.0 -988.0 -180.0 -180.0 -1090.0 0.0 -0.693359375 -0.693359375 -12.6953125 -24.6875 -1.46484375 -inf -0.46435546875 -1.96484375 -1.38671875 -1.38671875 -1.38671875 -1.38671875
// -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<7x4xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00]]> : tensor<7x4xf16>
    %0 = call @log_softmax(%arg0) : (tensor<7x4xf16>) -> tensor<7x4xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<7x4xf16>
    %2 = stablehlo.convert %1 : (tensor<7x4xf16>) -> tensor<7x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<7x4xf16>
  }
  func.func private @log_softmax(%arg0: tensor<7x4xf16>) -> tensor<7x4xf16> {
    %cst = stablehlo.constant dense<0xFC00> : tensor<f16>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<7x4xf16>, tensor<f16>) -> tensor<7xf16>
    %cst_0 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<7xf16>
    %2 = stablehlo.maximum %1, %0 : tensor<7xf16>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<7xf16>) -> tensor<7x1xf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<7x1xf16>) -> tensor<7x4xf16>
    %5 = stablehlo.subtract %arg0, %4 : tensor<7x4xf16>
    %6 = stablehlo.exponential %5 : tensor<7x4xf16>
    %7 = stablehlo.convert %6 : (tensor<7x4xf16>) -> tensor<7x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<7xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<7xf32>) -> tensor<7x1xf32>
    %10 = stablehlo.convert %9 : (tensor<7x1xf32>) -> tensor<7x1xf16>
    %11 = stablehlo.log %10 : tensor<7x1xf16>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<7x1xf16>) -> tensor<7x4xf16>
    %13 = stablehlo.subtract %5, %12 : tensor<7x4xf16>
    return %13 : tensor<7x4xf16>
  }
}

// logsumexp float16
// 0.300048828125 -0.7001953125 1.2001953125 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 0.0 -0.0 0.0 -0.0
// 1000.0
// -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -1.5 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<f16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0xFC00> : tensor<f16>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<7x4xf16>, tensor<f16>) -> tensor<f16>
    %cst_0 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %1 = stablehlo.maximum %cst_0, %0 : tensor<f16>
    %2 = stablehlo.is_finite %1 : (tensor<f16>) -> tensor<i1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %3 = stablehlo.select %2, %1, %cst_1 : tensor<i1>, tensor<f16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f16>) -> tensor<1x1xf16>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x1xf16>) -> tensor<7x4xf16>
    %6 = stablehlo.subtract %arg0, %5 : tensor<7x4xf16>
    %7 = stablehlo.exponential %6 : tensor<7x4xf16>
    %8 = stablehlo.convert %7 : (tensor<7x4xf16>) -> tensor<7x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    %10 = stablehlo.convert %9 : (tensor<f32>) -> tensor<f16>
    %11 = stablehlo.abs %10 : tensor<f16>
    %12 = stablehlo.log %11 : tensor<f16>
    %13 = stablehlo.add %12, %3 : tensor<f16>
    %cst_3 = stablehlo.constant dense<-1.500000e+00> : tensor<f16>
    %14 = stablehlo.multiply %13, %cst_3 : tensor<f16>
    %15 = stablehlo.convert %14 : (tensor<f16>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%15 init: %cst_4) applies stablehlo.add across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %17 = stablehlo.convert %16 : (tensor<f32>) -> tensor<f16>
    return %17, %13 : tensor<f16>, tensor<f16>
  }
}

// standardize float16
// 0.300048828125 -0.7001953125 1.2001953125 2.5 0.0 0.0 0.0 0.0 12.0 12.0 0.0 -12.0 0.0 -0.0 0.0 -0.0
// -0.446044921875 -1.294921875 0.318359375 1.421875 0.0 0.0 0.0 0.0 0.90478515625 0.90478515625 -0.301513671875 -1.5078125 0.0 -0.0 0.0 -0.0
// -0.93212890625 0.5673828125 0.180419921875 0.18408203125 nan nan nan nan -0.0548095703125 0.045654296875 0.018280029296875 -0.0091552734375 nan nan nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<4x4xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<4x4xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00]]> : tensor<4x4xf16>
    %0 = call @standardize(%arg0) : (tensor<4x4xf16>) -> tensor<4x4xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<4x4xf16>
    %2 = stablehlo.convert %1 : (tensor<4x4xf16>) -> tensor<4x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<4x4xf16>
  }
  func.func private @standardize(%arg0: tensor<4x4xf16>) -> tensor<4x4xf16> {
    %0 = stablehlo.convert %arg0 : (tensor<4x4xf16>) -> tensor<4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<4x1xf32>
    %5 = stablehlo.convert %4 : (tensor<4x1xf32>) -> tensor<4x1xf16>
    %6 = chlo.square %arg0 : tensor<4x4xf16> -> tensor<4x4xf16>
    %7 = stablehlo.convert %6 : (tensor<4x4xf16>) -> tensor<4x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<4x1xf32>
    %12 = stablehlo.convert %11 : (tensor<4x1xf32>) -> tensor<4x1xf16>
    %13 = chlo.square %5 : tensor<4x1xf16> -> tensor<4x1xf16>
    %14 = stablehlo.subtract %12, %13 : tensor<4x1xf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %15 = call @clip(%14, %c) : (tensor<4x1xf16>, tensor<i32>) -> tensor<4x1xf16>
    %16 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<4x1xf16>) -> tensor<4x4xf16>
    %17 = stablehlo.subtract %arg0, %16 : tensor<4x4xf16>
    %cst_3 = stablehlo.constant dense<1.001360e-05> : tensor<f16>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f16>) -> tensor<4x1xf16>
    %19 = stablehlo.add %15, %18 : tensor<4x1xf16>
    %20 = stablehlo.rsqrt %19 : tensor<4x1xf16>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<4x1xf16>) -> tensor<4x4xf16>
    %22 = stablehlo.multiply %17, %21 : tensor<4x4xf16>
    return %22 : tensor<4x4xf16>
  }
  func.func private @clip(%arg0: tensor<4x1xf16>, %arg1: tensor<i32>) -> tensor<4x1xf16> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<4x1xf16>
    %2 = stablehlo.maximum %1, %arg0 : tensor<4x1xf16>
    return %2 : tensor<4x1xf16>
  }
}

// glu float16
// 0.300048828125 -0.7001953125 1.2001953125 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 0.0 -0.0 0.0 -0.0
// 0.2305908203125 -0.64697265625 0.0 0.0 0.0 0.0 -0.0 -90.0 6.0 0.0 0.88037109375 -inf 0.0 -0.0
// -1.15234375 -0.462158203125 -0.080078125 0.0244903564453125 0.25 0.75 0.0 0.0 -0.0 -0.5 -0.0 -0.0 0.0 1.5 -0.0 -0.0 -0.75 -0.0 -4.5 -0.0 0.440185546875 0.93359375 0.05267333984375 -inf -0.75 -0.25 -0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<7x2xf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01], [5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01], [5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01], [5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01]]> : tensor<7x2xf16>
    %0 = call @glu(%arg0) : (tensor<7x4xf16>) -> tensor<7x2xf16>
    %1 = stablehlo.multiply %0, %cst : tensor<7x2xf16>
    %2 = stablehlo.convert %1 : (tensor<7x2xf16>) -> tensor<7x2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x2xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<7x2xf16>
  }
  func.func private @glu(%arg0: tensor<7x4xf16>) -> tensor<7x2xf16> {
    %0 = stablehlo.slice %arg0 [0:7, 0:2] : (tensor<7x4xf16>) -> tensor<7x2xf16>
    %1 = stablehlo.slice %arg0 [0:7, 2:4] : (tensor<7x4xf16>) -> tensor<7x2xf16>
    %2 = stablehlo.negate %1 : tensor<7x2xf16>
    %3 = stablehlo.exponential %2 : tensor<7x2xf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<7x2xf16>
    %5 = stablehlo.add %4, %3 : tensor<7x2xf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<7x2xf16>
    %7 = stablehlo.divide %6, %5 : tensor<7x2xf16>
    %8 = stablehlo.multiply %0, %7 : tensor<7x2xf16>
    return %8 : tensor<7x2xf16>
  }
}

// logmeanexp float16
// 0.300048828125 -0.7001953125 1.2001953125 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 0.0 -0.0 0.0 -0.0
// 996.5
// -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -1.5 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf16>) -> (tensor<f16> {jax.result_info = "result[0]"}, tensor<f16> {jax.result_info = "result[1]"}) {
    %0 = call @logmeanexp(%arg0) : (tensor<7x4xf16>) -> tensor<f16>
    %cst = stablehlo.constant dense<-1.500000e+00> : tensor<f16>
    %1 = stablehlo.multiply %0, %cst : tensor<f16>
    %2 = stablehlo.convert %1 : (tensor<f16>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<f16>
    return %4, %0 : tensor<f16>, tensor<f16>
  }
  func.func private @logmeanexp(%arg0: tensor<7x4xf16>) -> tensor<f16> {
    %cst = stablehlo.constant dense<0xFC00> : tensor<f16>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<7x4xf16>, tensor<f16>) -> tensor<f16>
    %cst_0 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %1 = stablehlo.maximum %cst_0, %0 : tensor<f16>
    %2 = stablehlo.is_finite %1 : (tensor<f16>) -> tensor<i1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %3 = stablehlo.select %2, %1, %cst_1 : tensor<i1>, tensor<f16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f16>) -> tensor<1x1xf16>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x1xf16>) -> tensor<7x4xf16>
    %6 = stablehlo.subtract %arg0, %5 : tensor<7x4xf16>
    %7 = stablehlo.exponential %6 : tensor<7x4xf16>
    %8 = stablehlo.convert %7 : (tensor<7x4xf16>) -> tensor<7x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    %10 = stablehlo.convert %9 : (tensor<f32>) -> tensor<f16>
    %11 = stablehlo.abs %10 : tensor<f16>
    %12 = stablehlo.log %11 : tensor<f16>
    %13 = stablehlo.add %12, %3 : tensor<f16>
    %cst_3 = stablehlo.constant dense<2.800000e+01> : tensor<f16>
    %14 = stablehlo.log %cst_3 : tensor<f16>
    %15 = stablehlo.subtract %13, %14 : tensor<f16>
    return %15 : tensor<f16>
  }
}

// relu bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 9.98402083170343e-31 0.0 0.30078125 0.0 1.0 0.0 2.0 0.0 3.0 0.0 6.0 12.0 0.0 90.0 0.0 1000.0 0.0 inf 0.0
// 0.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @relu(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @relu(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xbf16>
    return %1 : tensor<21xbf16>
  }
}

// relu6 bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 9.98402083170343e-31 0.0 0.30078125 0.0 1.0 0.0 2.0 0.0 3.0 0.0 6.0 6.0 0.0 6.0 0.0 6.0 0.0 6.0 0.0
// 0.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @relu6(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @relu6(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.minimum %1, %2 : tensor<21xbf16>
    return %3 : tensor<21xbf16>
  }
}

// elu bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.50390625 1.0 -0.6328125 2.0 -0.86328125 3.0 -0.94921875 6.0 12.0 -1.0 90.0 -1.0 1000.0 -1.0 inf -1.0
// 1.0 1.0 1.0 1.0 1.0 0.49609375 1.0 0.3671875 1.0 0.13671875 1.0 0.05078125 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @elu(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @elu(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<21xi1>, tensor<f32>, tensor<21xbf16>) -> tensor<21xbf16>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xbf16>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %7 = stablehlo.multiply %6, %5 : tensor<21xbf16>
    %8 = call @_where_0(%1, %arg0, %7) : (tensor<21xi1>, tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xbf16>
    return %8 : tensor<21xbf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<f32>, %arg2: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xbf16>
    return %2 : tensor<21xbf16>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<21xbf16>, %arg2: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xbf16>
    return %0 : tensor<21xbf16>
  }
}

// celu bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.50390625 1.0 -0.6328125 2.0 -0.86328125 3.0 -0.94921875 6.0 12.0 -1.0 90.0 -1.0 1000.0 -1.0 inf -1.0
// 1.0 1.0 1.0 1.0 1.0 0.49609375 1.0 0.3671875 1.0 0.13671875 1.0 0.05078125 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @celu(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @celu(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.minimum %arg0, %2 : tensor<21xbf16>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %5 = stablehlo.divide %3, %4 : tensor<21xbf16>
    %6 = stablehlo.exponential_minus_one %5 : tensor<21xbf16>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %8 = stablehlo.multiply %7, %6 : tensor<21xbf16>
    %9 = stablehlo.add %1, %8 : tensor<21xbf16>
    return %9 : tensor<21xbf16>
  }
}

// selu bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1.0477058897466563e-30 -1.7379591818150416e-30 0.314453125 -0.8828125 1.046875 -1.1015625 2.09375 -1.515625 3.140625 -1.6640625 6.28125 12.5625 -1.75 94.0 -1.75 1048.0 -1.75 inf -1.75
// 1.75 1.75 1.046875 1.75 1.046875 0.8671875 1.046875 0.640625 1.046875 0.2392578125 1.046875 0.0888671875 1.046875 1.046875 0.0 1.046875 0.0 1.046875 0.0 1.046875 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @selu(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @selu(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<1.67326319> : tensor<f32>
    %0 = call @elu(%arg0, %cst) : (tensor<21xbf16>, tensor<f32>) -> tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<1.046880e+00> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %2 = stablehlo.multiply %1, %0 : tensor<21xbf16>
    return %2 : tensor<21xbf16>
  }
  func.func private @elu(%arg0: tensor<21xbf16>, %arg1: tensor<f32>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<21xi1>, tensor<f32>, tensor<21xbf16>) -> tensor<21xbf16>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xbf16>
    %6 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<bf16>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %8 = stablehlo.multiply %7, %5 : tensor<21xbf16>
    %9 = call @_where_0(%1, %arg0, %8) : (tensor<21xi1>, tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xbf16>
    return %9 : tensor<21xbf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<f32>, %arg2: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xbf16>
    return %2 : tensor<21xbf16>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<21xbf16>, %arg2: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xbf16>
    return %0 : tensor<21xbf16>
  }
}

// hard_sigmoid bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.5 0.5 0.5 0.5 0.55078125 0.3828125 0.66796875 0.333984375 0.83203125 0.1669921875 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
// 0.1669921875 0.1669921875 0.1669921875 0.1669921875 0.1669921875 0.1669921875 0.1669921875 0.1669921875 0.1669921875 0.1669921875 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @hard_sigmoid(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @hard_sigmoid(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.add %arg0, %0 : tensor<21xbf16>
    %2 = call @relu6(%1) : (tensor<21xbf16>) -> tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<bf16>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %4 = stablehlo.divide %2, %3 : tensor<21xbf16>
    return %4 : tensor<21xbf16>
  }
  func.func private @relu6(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.minimum %1, %2 : tensor<21xbf16>
    return %3 : tensor<21xbf16>
  }
}

// hard_silu bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 4.992010415851715e-31 -4.992010415851715e-31 0.166015625 -0.267578125 0.66796875 -0.333984375 1.6640625 -0.333984375 3.0 -0.0 6.0 12.0 -0.0 90.0 -0.0 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.6015625 0.265625 0.8359375 0.1669921875 1.1640625 -0.1669921875 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @hard_silu(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @hard_silu(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = call @hard_sigmoid(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %arg0, %0 : tensor<21xbf16>
    return %1 : tensor<21xbf16>
  }
  func.func private @hard_sigmoid(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.add %arg0, %0 : tensor<21xbf16>
    %2 = call @relu6(%1) : (tensor<21xbf16>) -> tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<bf16>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %4 = stablehlo.divide %2, %3 : tensor<21xbf16>
    return %4 : tensor<21xbf16>
  }
  func.func private @relu6(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.minimum %1, %2 : tensor<21xbf16>
    return %3 : tensor<21xbf16>
  }
}

// hard_tanh bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 1.0 -1.0 1.0 -1.0 1.0 1.0 -1.0 1.0 -1.0 1.0 -1.0 1.0 -1.0
// 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @hard_tanh(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @hard_tanh(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.compare LT, %arg0, %2, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %4 = call @_where(%3, %c, %arg0) : (tensor<21xi1>, tensor<i32>, tensor<21xbf16>) -> tensor<21xbf16>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %5 = call @_where(%1, %c_1, %4) : (tensor<21xi1>, tensor<i32>, tensor<21xbf16>) -> tensor<21xbf16>
    return %5 : tensor<21xbf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<i32>, %arg2: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xbf16>
    return %2 : tensor<21xbf16>
  }
}

// leaky_relu bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 9.98402083170343e-31 -1.0014835710813626e-32 0.30078125 -0.006988525390625 1.0 -0.010009765625 2.0 -0.02001953125 3.0 -0.030029296875 6.0 12.0 -0.1201171875 90.0 -0.90234375 1000.0 -10.0 inf -inf
// 1.0 1.0 1.0 0.010009765625 1.0 0.010009765625 1.0 0.010009765625 1.0 0.010009765625 1.0 0.010009765625 1.0 1.0 0.010009765625 1.0 0.010009765625 1.0 0.010009765625 1.0 0.010009765625
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @leaky_relu(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @leaky_relu(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.compare GE, %arg0, %0, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<1.000980e-02> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.multiply %2, %arg0 : tensor<21xbf16>
    %4 = call @_where(%1, %arg0, %3) : (tensor<21xi1>, tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xbf16>
    return %4 : tensor<21xbf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<21xbf16>, %arg2: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xbf16>
    return %0 : tensor<21xbf16>
  }
}

// log_sigmoid bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// -0.69140625 -0.69140625 -0.69140625 -0.69140625 -0.5546875 -1.1015625 -0.3125 -1.3125 -0.126953125 -2.125 -0.048583984375 -3.046875 -0.002471923828125 -6.139278411865234e-06 -12.0 -0.0 -90.0 -0.0 -1000.0 -0.0 -inf
// 0.5 0.5 0.5 0.5 0.42578125 0.66796875 0.26953125 0.73046875 0.11962890625 0.8828125 0.047607421875 0.953125 0.002471923828125 6.139278411865234e-06 1.0 0.0 1.0 0.0 1.0 0.0 1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @log_sigmoid(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @log_sigmoid(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = stablehlo.negate %arg0 : tensor<21xbf16>
    %1 = call @softplus(%0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %2 = stablehlo.negate %1 : tensor<21xbf16>
    return %2 : tensor<21xbf16>
  }
  func.func private @softplus(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xbf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xbf16>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %6 = stablehlo.add %arg0, %5 : tensor<21xbf16>
    %7 = stablehlo.abs %3 : tensor<21xbf16>
    %8 = stablehlo.negate %7 : tensor<21xbf16>
    %9 = stablehlo.exponential %8 : tensor<21xbf16>
    %10 = stablehlo.log_plus_one %9 : tensor<21xbf16>
    %11 = stablehlo.add %1, %10 : tensor<21xbf16>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xbf16>
    return %12 : tensor<21xbf16>
  }
}

// sigmoid bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.5 0.5 0.5 0.5 0.57421875 0.33203125 0.73046875 0.26953125 0.8828125 0.11962890625 0.95703125 0.04736328125 1.0 1.0 6.139278411865234e-06 1.0 0.0 1.0 0.0 1.0 0.0
// 0.25 0.25 0.25 0.25 0.244140625 0.2216796875 0.197265625 0.197265625 0.103515625 0.10498046875 0.041015625 0.045166015625 0.0 0.0 6.139278411865234e-06 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = stablehlo.negate %arg0 : tensor<21xbf16>
    %1 = stablehlo.exponential %0 : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.add %2, %1 : tensor<21xbf16>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %5 = stablehlo.divide %4, %3 : tensor<21xbf16>
    %6 = stablehlo.multiply %5, %cst : tensor<21xbf16>
    %7 = stablehlo.convert %6 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %9 = stablehlo.convert %8 : (tensor<f32>) -> tensor<bf16>
    return %9, %5 : tensor<bf16>, tensor<21xbf16>
  }
}

// silu bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 4.992010415851715e-31 -4.992010415851715e-31 0.1728515625 -0.232421875 0.73046875 -0.26953125 1.765625 -0.2392578125 2.875 -0.142578125 6.0 12.0 -7.343292236328125e-05 90.0 -0.0 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.6484375 0.1767578125 0.9296875 0.072265625 1.09375 -0.09033203125 1.078125 -0.08837890625 1.0 1.0 -6.723403930664062e-05 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @silu(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @silu(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = stablehlo.negate %arg0 : tensor<21xbf16>
    %1 = stablehlo.exponential %0 : tensor<21xbf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.add %2, %1 : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %5 = stablehlo.divide %4, %3 : tensor<21xbf16>
    %6 = stablehlo.multiply %arg0, %5 : tensor<21xbf16>
    return %6 : tensor<21xbf16>
  }
}

// soft_sign bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.2314453125 -0.41015625 0.5 -0.5 0.66796875 -0.66796875 0.75 -0.75 0.85546875 0.921875 -0.921875 0.98828125 -0.98828125 1.0 -1.0 nan nan
// 1.0 1.0 1.0 1.0 0.58984375 0.345703125 0.25 0.25 0.111328125 0.111328125 0.0625 0.0625 0.0205078125 0.005859375 0.005859375 6.103515625e-05 6.103515625e-05 0.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @soft_sign(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @soft_sign(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = stablehlo.abs %arg0 : tensor<21xbf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %2 = stablehlo.add %0, %1 : tensor<21xbf16>
    %3 = stablehlo.divide %arg0, %2 : tensor<21xbf16>
    return %3 : tensor<21xbf16>
  }
}

// softplus bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.69140625 0.69140625 0.69140625 0.69140625 0.85546875 0.40234375 1.3125 0.3125 2.125 0.126953125 3.046875 0.048583984375 6.0 12.0 6.139278411865234e-06 90.0 0.0 1000.0 0.0 inf 0.0
// 0.5 0.5 0.5 0.5 0.57421875 0.33203125 0.73046875 0.26953125 0.8828125 0.11962890625 0.953125 0.047607421875 1.0 1.0 6.139278411865234e-06 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @softplus(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @softplus(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xbf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xbf16>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %6 = stablehlo.add %arg0, %5 : tensor<21xbf16>
    %7 = stablehlo.abs %3 : tensor<21xbf16>
    %8 = stablehlo.negate %7 : tensor<21xbf16>
    %9 = stablehlo.exponential %8 : tensor<21xbf16>
    %10 = stablehlo.log_plus_one %9 : tensor<21xbf16>
    %11 = stablehlo.add %1, %10 : tensor<21xbf16>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xbf16>
    return %12 : tensor<21xbf16>
  }
}

// sparse_plus bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.25 0.25 0.25 0.25 0.419921875 0.0225830078125 1.0 0.0 2.0 0.0 3.0 0.0 6.0 12.0 0.0 90.0 0.0 1000.0 0.0 inf 0.0
// 0.5 0.5 0.5 0.5 0.6484375 0.150390625 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @sparse_plus(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @sparse_plus(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.compare LE, %arg0, %0, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.compare GE, %arg0, %2, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %5 = stablehlo.add %arg0, %4 : tensor<21xbf16>
    %6 = stablehlo.multiply %5, %5 : tensor<21xbf16>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<bf16>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %8 = stablehlo.divide %6, %7 : tensor<21xbf16>
    %9 = call @_where(%3, %arg0, %8) : (tensor<21xi1>, tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xbf16>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = call @_where_0(%1, %cst_3, %9) : (tensor<21xi1>, tensor<f32>, tensor<21xbf16>) -> tensor<21xbf16>
    return %10 : tensor<21xbf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<21xbf16>, %arg2: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xbf16>
    return %0 : tensor<21xbf16>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<f32>, %arg2: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xbf16>
    return %2 : tensor<21xbf16>
  }
}

// sparse_sigmoid bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.5 0.5 0.5 0.5 0.6484375 0.150390625 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
// 0.5 0.5 0.5 0.5 0.5 0.5 0.25 0.25 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @sparse_sigmoid(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @sparse_sigmoid(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.add %arg0, %0 : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = call @clip(%1, %cst_0, %cst_1) : (tensor<21xbf16>, tensor<f32>, tensor<f32>) -> tensor<21xbf16>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %3 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %4 = stablehlo.multiply %3, %2 : tensor<21xbf16>
    return %4 : tensor<21xbf16>
  }
  func.func private @clip(%arg0: tensor<21xbf16>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<21xbf16> {
    %0 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %2 = stablehlo.maximum %1, %arg0 : tensor<21xbf16>
    %3 = stablehlo.convert %arg2 : (tensor<f32>) -> tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %5 = stablehlo.minimum %4, %2 : tensor<21xbf16>
    return %5 : tensor<21xbf16>
  }
}

// squareplus bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 1.0 1.0 1.0 1.0 1.15625 0.7109375 1.6171875 0.6171875 2.40625 0.4140625 3.3125 0.3046875 6.15625 12.125 0.09375 90.0 0.0 1000.0 0.0 inf nan
// 0.5 0.5 0.5 0.5 0.57421875 0.3359375 0.72265625 0.27734375 0.8515625 0.146484375 0.9140625 0.083984375 0.9765625 0.9921875 0.0078125 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @squareplus(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @squareplus(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = chlo.square %arg0 : tensor<21xbf16> -> tensor<21xbf16>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %2 = stablehlo.add %0, %1 : tensor<21xbf16>
    %3 = stablehlo.sqrt %2 : tensor<21xbf16>
    %4 = stablehlo.add %arg0, %3 : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<bf16>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %6 = stablehlo.divide %4, %5 : tensor<21xbf16>
    return %6 : tensor<21xbf16>
  }
}

// mish bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 5.97808654737798e-31 -5.97808654737798e-31 0.208984375 -0.267578125 0.86328125 -0.302734375 1.9453125 -0.251953125 2.984375 -0.1455078125 6.0 12.0 -7.343292236328125e-05 90.0 -0.0 1000.0 -0.0 inf nan
// 0.59765625 0.59765625 0.59765625 0.59765625 0.78515625 0.1845703125 1.046875 0.05859375 1.0703125 -0.109375 1.015625 -0.09375 1.0 1.0 -6.723403930664062e-05 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @mish(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @mish(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = call @softplus(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.tanh %0 : tensor<21xbf16>
    %2 = stablehlo.multiply %arg0, %1 : tensor<21xbf16>
    return %2 : tensor<21xbf16>
  }
  func.func private @softplus(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xbf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xbf16>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %6 = stablehlo.add %arg0, %5 : tensor<21xbf16>
    %7 = stablehlo.abs %3 : tensor<21xbf16>
    %8 = stablehlo.negate %7 : tensor<21xbf16>
    %9 = stablehlo.exponential %8 : tensor<21xbf16>
    %10 = stablehlo.log_plus_one %9 : tensor<21xbf16>
    %11 = stablehlo.add %1, %10 : tensor<21xbf16>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xbf16>
    return %12 : tensor<21xbf16>
  }
}

// identity bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @identity(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @identity(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    return %arg0 : tensor<21xbf16>
  }
}

// tanh bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.29296875 -0.60546875 0.76171875 -0.76171875 0.96484375 -0.96484375 0.99609375 -0.99609375 1.0 1.0 -1.0 1.0 -1.0 1.0 -1.0 1.0 -1.0
// 1.0 1.0 1.0 1.0 0.9140625 0.63671875 0.419921875 0.421875 0.0693359375 0.0703125 0.0078125 0.0078125 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = stablehlo.tanh %arg0 : tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
}

// elu_2 bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 9.98402083170343e-31 -1.996804166340686e-30 0.30078125 -1.0078125 1.0 -1.265625 2.0 -1.7265625 3.0 -1.8984375 6.0 12.0 -2.0 90.0 -2.0 1000.0 -2.0 inf -2.0
// 2.0 2.0 1.0 2.0 1.0 0.9921875 1.0 0.734375 1.0 0.2734375 1.0 0.1015625 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = call @elu(%arg0, %cst_0) : (tensor<21xbf16>, tensor<f32>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @elu(%arg0: tensor<21xbf16>, %arg1: tensor<f32>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<21xi1>, tensor<f32>, tensor<21xbf16>) -> tensor<21xbf16>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xbf16>
    %6 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<bf16>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %8 = stablehlo.multiply %7, %5 : tensor<21xbf16>
    %9 = call @_where_0(%1, %arg0, %8) : (tensor<21xi1>, tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xbf16>
    return %9 : tensor<21xbf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<f32>, %arg2: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xbf16>
    return %2 : tensor<21xbf16>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<21xbf16>, %arg2: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xbf16>
    return %0 : tensor<21xbf16>
  }
}

// celu_2 bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.58984375 1.0 -0.78515625 2.0 -1.265625 3.0 -1.5546875 6.0 12.0 -1.9921875 90.0 -2.0 1000.0 -2.0 inf -2.0
// 1.0 1.0 1.0 1.0 1.0 0.703125 1.0 0.609375 1.0 0.3671875 1.0 0.22265625 1.0 1.0 0.00390625 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = call @celu(%arg0, %cst_0) : (tensor<21xbf16>, tensor<f32>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @celu(%arg0: tensor<21xbf16>, %arg1: tensor<f32>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.minimum %arg0, %2 : tensor<21xbf16>
    %4 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<bf16>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %6 = stablehlo.divide %3, %5 : tensor<21xbf16>
    %7 = stablehlo.exponential_minus_one %6 : tensor<21xbf16>
    %8 = stablehlo.convert %arg1 : (tensor<f32>) -> tensor<bf16>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %10 = stablehlo.multiply %9, %7 : tensor<21xbf16>
    %11 = stablehlo.add %1, %10 : tensor<21xbf16>
    return %11 : tensor<21xbf16>
  }
}

// gelu_tanh bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 4.992010415851715e-31 -4.992010415851715e-31 0.185546875 -0.1689453125 0.84375 -0.158203125 1.953125 -0.046875 3.0 -0.005859375 6.0 12.0 -0.0 90.0 -0.0 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.73046875 0.023681640625 1.0859375 -0.08203125 1.0859375 -0.09130859375 1.015625 -0.0255126953125 1.0 1.0 0.0 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<21xbf16>
    %1 = stablehlo.multiply %0, %arg0 : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.multiply %2, %1 : tensor<21xbf16>
    %4 = stablehlo.add %arg0, %3 : tensor<21xbf16>
    %cst_1 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %6 = stablehlo.multiply %5, %4 : tensor<21xbf16>
    %7 = stablehlo.tanh %6 : tensor<21xbf16>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %9 = stablehlo.add %8, %7 : tensor<21xbf16>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %11 = stablehlo.multiply %10, %9 : tensor<21xbf16>
    %12 = stablehlo.multiply %arg0, %11 : tensor<21xbf16>
    %13 = stablehlo.multiply %12, %cst : tensor<21xbf16>
    %14 = stablehlo.convert %13 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %16 = stablehlo.convert %15 : (tensor<f32>) -> tensor<bf16>
    return %16, %12 : tensor<bf16>, tensor<21xbf16>
  }
}

// gelu_erf bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 4.992010415851715e-31 -4.992010415851715e-31 0.185546875 -0.1689453125 0.83984375 -0.158203125 1.953125 -0.04541015625 3.0 -0.004058837890625 6.0 12.0 -2.1666711874356403e-32 90.0 -0.0 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.73046875 0.0244140625 1.078125 -0.08203125 1.0859375 -0.0849609375 1.015625 -0.011962890625 1.0 1.0 -2.557634966146249e-31 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %arg0 : tensor<21xbf16>
    %2 = stablehlo.negate %arg0 : tensor<21xbf16>
    %cst_1 = stablehlo.constant dense<7.070310e-01> : tensor<bf16>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %4 = stablehlo.multiply %2, %3 : tensor<21xbf16>
    %5 = chlo.erfc %4 : tensor<21xbf16> -> tensor<21xbf16>
    %6 = stablehlo.multiply %1, %5 : tensor<21xbf16>
    %7 = stablehlo.multiply %6, %cst : tensor<21xbf16>
    %8 = stablehlo.convert %7 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %10 = stablehlo.convert %9 : (tensor<f32>) -> tensor<bf16>
    return %10, %6 : tensor<bf16>, tensor<21xbf16>
  }
}

// log1mexp bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// -inf -inf -69.0 nan -1.3515625 nan -0.45703125 nan -0.1455078125 nan -0.051025390625 nan -0.002471923828125 -6.139278411865234e-06 nan -0.0 nan -0.0 nan -0.0 nan
// inf -inf 1.0002555517425873e+30 -1.0002555517425873e+30 2.84375 -1.984375 0.58203125 -1.578125 0.1572265625 -1.15625 0.05224609375 -1.0546875 0.0024871826171875 6.139278411865234e-06 -1.0 0.0 -1.0 0.0 -1.0 0.0 -1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %0 = call @log1mexp(%arg0) : (tensor<21xbf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @log1mexp(%arg0: tensor<21xbf16>) -> tensor<21xbf16> {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.log %cst : tensor<f32>
    %1 = stablehlo.convert %0 : (tensor<f32>) -> tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.compare LT, %arg0, %2, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %4 = stablehlo.negate %arg0 : tensor<21xbf16>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xbf16>
    %6 = stablehlo.negate %5 : tensor<21xbf16>
    %7 = stablehlo.log %6 : tensor<21xbf16>
    %8 = stablehlo.negate %arg0 : tensor<21xbf16>
    %9 = stablehlo.exponential %8 : tensor<21xbf16>
    %10 = stablehlo.negate %9 : tensor<21xbf16>
    %11 = stablehlo.log_plus_one %10 : tensor<21xbf16>
    %12 = call @_where(%3, %7, %11) : (tensor<21xi1>, tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xbf16>
    return %12 : tensor<21xbf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<21xbf16>, %arg2: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xbf16>
    return %0 : tensor<21xbf16>
  }
}

// erf_inv bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 4.437342591868191e-31 -4.437342591868191e-31 0.1337890625 -0.3203125 0.4765625 -0.4765625 inf -inf nan nan nan nan nan nan nan nan nan nan nan
// 0.443359375 0.443359375 0.443359375 0.443359375 0.451171875 0.4921875 0.55859375 0.55859375 inf inf nan nan nan nan nan nan nan nan nan nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.divide %arg0, %0 : tensor<21xbf16>
    %2 = chlo.erf_inv %1 : tensor<21xbf16> -> tensor<21xbf16>
    %3 = stablehlo.multiply %2, %cst : tensor<21xbf16>
    %4 = stablehlo.convert %3 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %6 = stablehlo.convert %5 : (tensor<f32>) -> tensor<bf16>
    return %6, %2 : tensor<bf16>, tensor<21xbf16>
  }
}

// logaddexp bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.69140625 0.69140625 0.69140625 0.69140625 1.15625 -0.296875 2.3125 -0.6875 4.125 -1.875 6.0625 -2.953125 12.0 24.0 -12.0 180.0 -90.0 2000.0 -1000.0 inf -inf
// 1.5 1.5 1.5 1.5 1.578125 1.328125 1.734375 1.265625 1.8828125 1.125 1.921875 1.046875 2.0 2.0 1.0 2.0 1.0 2.0 1.0 3.0 nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %arg0 : tensor<21xbf16>
    %2 = stablehlo.maximum %arg0, %1 : tensor<21xbf16>
    %3 = stablehlo.subtract %arg0, %1 : tensor<21xbf16>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %5 = stablehlo.add %arg0, %1 : tensor<21xbf16>
    %6 = stablehlo.abs %3 : tensor<21xbf16>
    %7 = stablehlo.negate %6 : tensor<21xbf16>
    %8 = stablehlo.exponential %7 : tensor<21xbf16>
    %9 = stablehlo.log_plus_one %8 : tensor<21xbf16>
    %10 = stablehlo.add %2, %9 : tensor<21xbf16>
    %11 = stablehlo.select %4, %5, %10 : tensor<21xi1>, tensor<21xbf16>
    %12 = stablehlo.multiply %11, %cst : tensor<21xbf16>
    %13 = stablehlo.convert %12 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %15 = stablehlo.convert %14 : (tensor<f32>) -> tensor<bf16>
    return %15, %11 : tensor<bf16>, tensor<21xbf16>
  }
}

// logaddexp_1 bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 1.3125 1.3125 1.3125 1.3125 1.40625 1.1640625 1.6875 1.125 2.3125 1.046875 3.125 1.015625 6.0 12.0 1.0 90.0 1.0 1000.0 1.0 inf 1.0
// 0.26953125 0.26953125 0.26953125 0.26953125 0.330078125 0.15625 0.50390625 0.11962890625 0.73046875 0.047607421875 0.8828125 0.018310546875 1.0 1.0 2.2649765014648438e-06 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xbf16>
    %2 = stablehlo.subtract %arg0, %0 : tensor<21xbf16>
    %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %4 = stablehlo.add %arg0, %0 : tensor<21xbf16>
    %5 = stablehlo.abs %2 : tensor<21xbf16>
    %6 = stablehlo.negate %5 : tensor<21xbf16>
    %7 = stablehlo.exponential %6 : tensor<21xbf16>
    %8 = stablehlo.log_plus_one %7 : tensor<21xbf16>
    %9 = stablehlo.add %1, %8 : tensor<21xbf16>
    %10 = stablehlo.select %3, %4, %9 : tensor<21xi1>, tensor<21xbf16>
    %11 = stablehlo.multiply %10, %cst : tensor<21xbf16>
    %12 = stablehlo.convert %11 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %14 = stablehlo.convert %13 : (tensor<f32>) -> tensor<bf16>
    return %14, %10 : tensor<bf16>, tensor<21xbf16>
  }
}

// logaddexp_behind bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 2.125 2.125 2.125 2.125 2.171875 2.0625 2.3125 2.046875 2.6875 2.015625 3.3125 2.0 6.03125 12.0 2.0 90.0 2.0 1000.0 2.0 inf 2.0
// 0.11962890625 0.11962890625 0.11962890625 0.11962890625 0.1533203125 0.06298828125 0.26953125 0.047607421875 0.50390625 0.018310546875 0.73046875 0.006744384765625 0.96875 1.0 8.307397365570068e-07 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xbf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xbf16>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %6 = stablehlo.add %arg0, %5 : tensor<21xbf16>
    %7 = stablehlo.abs %3 : tensor<21xbf16>
    %8 = stablehlo.negate %7 : tensor<21xbf16>
    %9 = stablehlo.exponential %8 : tensor<21xbf16>
    %10 = stablehlo.log_plus_one %9 : tensor<21xbf16>
    %11 = stablehlo.add %1, %10 : tensor<21xbf16>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xbf16>
    %13 = stablehlo.multiply %12, %cst : tensor<21xbf16>
    %14 = stablehlo.convert %13 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %16 = stablehlo.convert %15 : (tensor<f32>) -> tensor<bf16>
    return %16, %12 : tensor<bf16>, tensor<21xbf16>
  }
}

// logaddexp_scalar bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.048583984375 0.048583984375 0.048583984375 0.048583984375 0.337890625 -0.6015625 1.015625 -0.875 2.0 -1.6875 3.0 -2.3125 6.0 12.0 -3.0 90.0 -3.0 1000.0 -3.0 inf -3.0
// 0.953125 0.953125 0.953125 0.953125 0.96484375 0.90625 0.984375 0.8828125 1.0 0.73046875 1.0 0.50390625 1.0 1.0 0.00012302398681640625 1.0 1.6438553812280427e-38 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<-3.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.maximum %0, %arg0 : tensor<21xbf16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.subtract %2, %arg0 : tensor<21xbf16>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %6 = stablehlo.add %5, %arg0 : tensor<21xbf16>
    %7 = stablehlo.abs %3 : tensor<21xbf16>
    %8 = stablehlo.negate %7 : tensor<21xbf16>
    %9 = stablehlo.exponential %8 : tensor<21xbf16>
    %10 = stablehlo.log_plus_one %9 : tensor<21xbf16>
    %11 = stablehlo.add %1, %10 : tensor<21xbf16>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xbf16>
    %13 = stablehlo.multiply %12, %cst : tensor<21xbf16>
    %14 = stablehlo.convert %13 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %16 = stablehlo.convert %15 : (tensor<f32>) -> tensor<bf16>
    return %16, %12 : tensor<bf16>, tensor<21xbf16>
  }
}

// clip bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 9.98402083170343e-31 0.0 0.30078125 0.0 1.0 0.0 2.0 0.0 3.0 0.0 6.0 12.0 0.0 90.0 0.0 1000.0 0.0 inf 0.0
// 0.5 0.5 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = call @clip(%arg0, %c) : (tensor<21xbf16>, tensor<i32>) -> tensor<21xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<21xbf16>
    %2 = stablehlo.convert %1 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @clip(%arg0: tensor<21xbf16>, %arg1: tensor<i32>) -> tensor<21xbf16> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %2 = stablehlo.maximum %1, %arg0 : tensor<21xbf16>
    return %2 : tensor<21xbf16>
  }
}

// guarded_division bfloat16
// 0.0 -0.0 9.98402083170343e-31 -9.98402083170343e-31 0.30078125 -0.69921875 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 1.0002555517425873e+30 -1.0002555517425873e+30 3.328125 -1.4296875 1.0 -1.0 0.5 -0.5 0.333984375 -0.333984375 0.1669921875 0.08349609375 -0.08349609375 0.0111083984375 -0.0111083984375 0.00099945068359375 -0.00099945068359375 0.0 -0.0
// 0.0 0.0 -inf -inf -11.0625 -2.046875 -1.0 -1.0 -0.25 -0.25 -0.111328125 -0.111328125 -0.02783203125 -0.0069580078125 -0.0069580078125 -0.0001239776611328125 -0.0001239776611328125 -9.98377799987793e-07 -9.98377799987793e-07 -0.0 -0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<21xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xbf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %1 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %3 = stablehlo.compare EQ, %arg0, %2, FLOAT : (tensor<21xbf16>, tensor<21xbf16>) -> tensor<21xi1>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %4 = call @_where(%3, %c, %arg0) : (tensor<21xi1>, tensor<i32>, tensor<21xbf16>) -> tensor<21xbf16>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %6 = stablehlo.divide %5, %4 : tensor<21xbf16>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = call @_where(%1, %c_3, %6) : (tensor<21xi1>, tensor<i32>, tensor<21xbf16>) -> tensor<21xbf16>
    %8 = stablehlo.multiply %7, %cst : tensor<21xbf16>
    %9 = stablehlo.convert %8 : (tensor<21xbf16>) -> tensor<21xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<21xf32>, tensor<f32>) -> tensor<f32>
    %11 = stablehlo.convert %10 : (tensor<f32>) -> tensor<bf16>
    return %11, %7 : tensor<bf16>, tensor<21xbf16>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<i32>, %arg2: tensor<21xbf16>) -> tensor<21xbf16> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<21xbf16>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xbf16>
    return %2 : tensor<21xbf16>
  }
}

// softmax bfloat16
// 0.30078125 -0.69921875 1.203125 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 9.98402083170343e-31 -0.0 0.0 -9.98402083170343e-31
// 0.07763671875 0.0284423828125 0.1923828125 0.703125 0.25 0.25 0.25 0.25 1.0 0.0 0.0 0.0 0.0 0.0 0.0 1.0 0.5 0.5 3.069639205932617e-06 1.887201506178826e-11 0.23046875 0.0 0.62890625 0.1396484375 0.25 0.25 0.25 0.25
// -0.1953125 -0.04345703125 -0.1005859375 0.3359375 -0.375 -0.125 0.125 0.375 0.0 0.0 0.0 0.0 -0.0 -0.0 -0.0 0.0 -0.25 0.25 4.589557647705078e-06 4.729372449219227e-11 -0.38671875 -0.0 0.2041015625 0.185546875 -0.375 -0.125 0.125 0.375
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<7x4xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00]]> : tensor<7x4xbf16>
    %cst_0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %0 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<7x4xbf16>, tensor<bf16>) -> tensor<7xbf16>
    %cst_1 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<7xbf16>
    %2 = stablehlo.maximum %1, %0 : tensor<7xbf16>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<7xbf16>) -> tensor<7x1xbf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<7x1xbf16>) -> tensor<7x4xbf16>
    %5 = stablehlo.subtract %arg0, %4 : tensor<7x4xbf16>
    %6 = stablehlo.exponential %5 : tensor<7x4xbf16>
    %7 = stablehlo.convert %6 : (tensor<7x4xbf16>) -> tensor<7x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<7xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<7xf32>) -> tensor<7x1xf32>
    %10 = stablehlo.convert %9 : (tensor<7x1xf32>) -> tensor<7x1xbf16>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<7x1xbf16>) -> tensor<7x4xbf16>
    %12 = stablehlo.divide %6, %11 : tensor<7x4xbf16>
    %13 = stablehlo.multiply %12, %cst : tensor<7x4xbf16>
    %14 = stablehlo.convert %13 : (tensor<7x4xbf16>) -> tensor<7x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    %16 = stablehlo.convert %15 : (tensor<f32>) -> tensor<bf16>
    return %16, %12 : tensor<bf16>, tensor<7x4xbf16>
  }
}

// log_softmax bfloat16
// 0.30078125 -0.69921875 1.203125 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 9.98402083170343e-31 -0.0 0.0 -9.98402083170343e-31
// -2.5625 -3.5625 -1.6484375 -0.3515625 -1.3828125 -1.3828125 -1.3828125 -1.3828125 0.0 -1000.0 -2000.0 -988.0 -180.0 -180.0 -1088.0 0.0 -0.69140625 -0.69140625 -12.6875 -24.75 -1.46875 -inf -0.466796875 -1.96875 -1.3828125 -1.3828125 -1.3828125 -1.3828125
// -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<7x4xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00]]> : tensor<7x4xbf16>
    %0 = call @log_softmax(%arg0) : (tensor<7x4xbf16>) -> tensor<7x4xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<7x4xbf16>
    %2 = stablehlo.convert %1 : (tensor<7x4xbf16>) -> tensor<7x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<7x4xbf16>
  }
  func.func private @log_softmax(%arg0: tensor<7x4xbf16>) -> tensor<7x4xbf16> {
    %cst = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<7x4xbf16>, tensor<bf16>) -> tensor<7xbf16>
    %cst_0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<7xbf16>
    %2 = stablehlo.maximum %1, %0 : tensor<7xbf16>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<7xbf16>) -> tensor<7x1xbf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<7x1xbf16>) -> tensor<7x4xbf16>
    %5 = stablehlo.subtract %arg0, %4 : tensor<7x4xbf16>
    %6 = stablehlo.exponential %5 : tensor<7x4xbf16>
    %7 = stablehlo.convert %6 : (tensor<7x4xbf16>) -> tensor<7x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<7xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<7xf32>) -> tensor<7x1xf32>
    %10 = stablehlo.convert %9 : (tensor<7x1xf32>) -> tensor<7x1xbf16>
    %11 = stablehlo.log %10 : tensor<7x1xbf16>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<7x1xbf16>) -> tensor<7x4xbf16>
    %13 = stablehlo.subtract %5, %12 : tensor<7x4xbf16>
    return %13 : tensor<7x4xbf16>
  }
}

// logsumexp bfloat16
// 0.30078125 -0.69921875 1.203125 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 9.98402083170343e-31 -0.0 0.0 -9.98402083170343e-31
// 1000.0
// -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -1.5 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<bf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<7x4xbf16>, tensor<bf16>) -> tensor<bf16>
    %cst_0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %1 = stablehlo.maximum %cst_0, %0 : tensor<bf16>
    %2 = stablehlo.is_finite %1 : (tensor<bf16>) -> tensor<i1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %3 = stablehlo.select %2, %1, %cst_1 : tensor<i1>, tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<bf16>) -> tensor<1x1xbf16>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x1xbf16>) -> tensor<7x4xbf16>
    %6 = stablehlo.subtract %arg0, %5 : tensor<7x4xbf16>
    %7 = stablehlo.exponential %6 : tensor<7x4xbf16>
    %8 = stablehlo.convert %7 : (tensor<7x4xbf16>) -> tensor<7x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    %10 = stablehlo.convert %9 : (tensor<f32>) -> tensor<bf16>
    %11 = stablehlo.abs %10 : tensor<bf16>
    %12 = stablehlo.log %11 : tensor<bf16>
    %13 = stablehlo.add %12, %3 : tensor<bf16>
    %cst_3 = stablehlo.constant dense<-1.500000e+00> : tensor<bf16>
    %14 = stablehlo.multiply %13, %cst_3 : tensor<bf16>
    %15 = stablehlo.convert %14 : (tensor<bf16>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%15 init: %cst_4) applies stablehlo.add across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %17 = stablehlo.convert %16 : (tensor<f32>) -> tensor<bf16>
    return %17, %13 : tensor<bf16>, tensor<bf16>
  }
}

// standardize bfloat16
// 0.30078125 -0.69921875 1.203125 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 9.98402083170343e-31 -0.0 0.0 -9.98402083170343e-31
// -0.44921875 -1.3046875 0.3203125 1.421875 0.0 0.0 0.0 0.0 1.40625 -0.004241943359375 -1.4140625 0.0126953125 0.427734375 0.427734375 -1.7109375 0.8515625 0.90625 0.90625 -0.30078125 -1.5078125 nan nan nan nan 3.155443620884047e-28 -0.0 0.0 -3.155443620884047e-28
// -0.9296875 0.58203125 0.1796875 0.1796875 -474.0 -158.0 158.0 474.0 -0.000720977783203125 -0.00070953369140625 -0.000701904296875 0.00213623046875 -0.0034027099609375 -0.001068115234375 0.000743865966796875 0.0037384033203125 -0.054443359375 0.045654296875 0.018310546875 -0.009521484375 nan nan nan nan -474.0 -158.0 158.0 474.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<7x4xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00]]> : tensor<7x4xbf16>
    %0 = call @standardize(%arg0) : (tensor<7x4xbf16>) -> tensor<7x4xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<7x4xbf16>
    %2 = stablehlo.convert %1 : (tensor<7x4xbf16>) -> tensor<7x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<7x4xbf16>
  }
  func.func private @standardize(%arg0: tensor<7x4xbf16>) -> tensor<7x4xbf16> {
    %0 = stablehlo.convert %arg0 : (tensor<7x4xbf16>) -> tensor<7x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<7xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<7xf32>) -> tensor<7x1xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<7x1xf32>
    %5 = stablehlo.convert %4 : (tensor<7x1xf32>) -> tensor<7x1xbf16>
    %6 = chlo.square %arg0 : tensor<7x4xbf16> -> tensor<7x4xbf16>
    %7 = stablehlo.convert %6 : (tensor<7x4xbf16>) -> tensor<7x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<7xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<7xf32>) -> tensor<7x1xf32>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<7x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<7x1xf32>
    %12 = stablehlo.convert %11 : (tensor<7x1xf32>) -> tensor<7x1xbf16>
    %13 = chlo.square %5 : tensor<7x1xbf16> -> tensor<7x1xbf16>
    %14 = stablehlo.subtract %12, %13 : tensor<7x1xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %15 = call @clip(%14, %c) : (tensor<7x1xbf16>, tensor<i32>) -> tensor<7x1xbf16>
    %16 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<7x1xbf16>) -> tensor<7x4xbf16>
    %17 = stablehlo.subtract %arg0, %16 : tensor<7x4xbf16>
    %cst_3 = stablehlo.constant dense<1.001360e-05> : tensor<bf16>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<7x1xbf16>
    %19 = stablehlo.add %15, %18 : tensor<7x1xbf16>
    %20 = stablehlo.rsqrt %19 : tensor<7x1xbf16>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<7x1xbf16>) -> tensor<7x4xbf16>
    %22 = stablehlo.multiply %17, %21 : tensor<7x4xbf16>
    return %22 : tensor<7x4xbf16>
  }
  func.func private @clip(%arg0: tensor<7x1xbf16>, %arg1: tensor<i32>) -> tensor<7x1xbf16> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<7x1xbf16>
    %2 = stablehlo.maximum %1, %arg0 : tensor<7x1xbf16>
    return %2 : tensor<7x1xbf16>
  }
}

// glu bfloat16
// 0.30078125 -0.69921875 1.203125 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 9.98402083170343e-31 -0.0 0.0 -9.98402083170343e-31
// 0.2314453125 -0.6484375 0.0 0.0 0.0 0.0 -0.0 -90.0 6.0 7.343292236328125e-05 0.8828125 -inf 4.992010415851715e-31 -0.0
// -1.15625 -0.462890625 -0.080078125 0.0240478515625 0.25 0.75 0.0 0.0 -0.0 -0.5 -0.0 -0.0 0.0 1.5 -0.0 -0.0 -0.75 -3.069639205932617e-06 -4.5 -3.6716461181640625e-05 0.44140625 0.9296875 0.0517578125 -inf -0.75 -0.25 -3.7440078118887865e-31 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<7x2xbf16> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01], [5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01], [5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01], [5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01]]> : tensor<7x2xbf16>
    %0 = call @glu(%arg0) : (tensor<7x4xbf16>) -> tensor<7x2xbf16>
    %1 = stablehlo.multiply %0, %cst : tensor<7x2xbf16>
    %2 = stablehlo.convert %1 : (tensor<7x2xbf16>) -> tensor<7x2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x2xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<7x2xbf16>
  }
  func.func private @glu(%arg0: tensor<7x4xbf16>) -> tensor<7x2xbf16> {
    %0 = stablehlo.slice %arg0 [0:7, 0:2] : (tensor<7x4xbf16>) -> tensor<7x2xbf16>
    %1 = stablehlo.slice %arg0 [0:7, 2:4] : (tensor<7x4xbf16>) -> tensor<7x2xbf16>
    %2 = stablehlo.negate %1 : tensor<7x2xbf16>
    %3 = stablehlo.exponential %2 : tensor<7x2xbf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<7x2xbf16>
    %5 = stablehlo.add %4, %3 : tensor<7x2xbf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<7x2xbf16>
    %7 = stablehlo.divide %6, %5 : tensor<7x2xbf16>
    %8 = stablehlo.multiply %0, %7 : tensor<7x2xbf16>
    return %8 : tensor<7x2xbf16>
  }
}

// logmeanexp bfloat16
// 0.30078125 -0.69921875 1.203125 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 9.98402083170343e-31 -0.0 0.0 -9.98402083170343e-31
// 996.0
// -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -1.5 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xbf16>) -> (tensor<bf16> {jax.result_info = "result[0]"}, tensor<bf16> {jax.result_info = "result[1]"}) {
    %0 = call @logmeanexp(%arg0) : (tensor<7x4xbf16>) -> tensor<bf16>
    %cst = stablehlo.constant dense<-1.500000e+00> : tensor<bf16>
    %1 = stablehlo.multiply %0, %cst : tensor<bf16>
    %2 = stablehlo.convert %1 : (tensor<bf16>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<bf16>
    return %4, %0 : tensor<bf16>, tensor<bf16>
  }
  func.func private @logmeanexp(%arg0: tensor<7x4xbf16>) -> tensor<bf16> {
    %cst = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<7x4xbf16>, tensor<bf16>) -> tensor<bf16>
    %cst_0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %1 = stablehlo.maximum %cst_0, %0 : tensor<bf16>
    %2 = stablehlo.is_finite %1 : (tensor<bf16>) -> tensor<i1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %3 = stablehlo.select %2, %1, %cst_1 : tensor<i1>, tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<bf16>) -> tensor<1x1xbf16>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x1xbf16>) -> tensor<7x4xbf16>
    %6 = stablehlo.subtract %arg0, %5 : tensor<7x4xbf16>
    %7 = stablehlo.exponential %6 : tensor<7x4xbf16>
    %8 = stablehlo.convert %7 : (tensor<7x4xbf16>) -> tensor<7x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf32>, tensor<f32>) -> tensor<f32>
    %10 = stablehlo.convert %9 : (tensor<f32>) -> tensor<bf16>
    %11 = stablehlo.abs %10 : tensor<bf16>
    %12 = stablehlo.log %11 : tensor<bf16>
    %13 = stablehlo.add %12, %3 : tensor<bf16>
    %cst_3 = stablehlo.constant dense<2.800000e+01> : tensor<bf16>
    %14 = stablehlo.log %cst_3 : tensor<bf16>
    %15 = stablehlo.subtract %13, %14 : tensor<bf16>
    return %15 : tensor<bf16>
  }
}

// relu float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 1e-30 0.0 0.3 0.0 1.0 0.0 2.0 0.0 3.0 0.0 6.0 12.0 0.0 90.0 0.0 1000.0 0.0 inf 0.0
// 0.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @relu(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @relu(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf64>
    return %1 : tensor<21xf64>
  }
}

// relu6 float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 1e-30 0.0 0.3 0.0 1.0 0.0 2.0 0.0 3.0 0.0 6.0 6.0 0.0 6.0 0.0 6.0 0.0 6.0 0.0
// 0.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @relu6(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @relu6(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.minimum %1, %2 : tensor<21xf64>
    return %3 : tensor<21xf64>
  }
}

// elu float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.5034146962085905 1.0 -0.6321205588285577 2.0 -0.8646647167633873 3.0 -0.950212931632136 6.0 12.0 -0.9999938557876467 90.0 -1.0 1000.0 -1.0 inf -1.0
// 1.0 1.0 1.0 1.0 1.0 0.4965853037914095 1.0 0.36787944117144233 1.0 0.1353352832366127 1.0 0.04978706836786395 1.0 1.0 6.144212353342837e-06 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @elu(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @elu(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<21xi1>, tensor<f64>, tensor<21xf64>) -> tensor<21xf64>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %7 = stablehlo.multiply %6, %5 : tensor<21xf64>
    %8 = call @_where_0(%1, %arg0, %7) : (tensor<21xi1>, tensor<21xf64>, tensor<21xf64>) -> tensor<21xf64>
    return %8 : tensor<21xf64>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<f64>, %arg2: tensor<21xf64>) -> tensor<21xf64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf64>
    return %2 : tensor<21xf64>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<21xf64>, %arg2: tensor<21xf64>) -> tensor<21xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf64>
    return %0 : tensor<21xf64>
  }
}

// celu float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 1e-30 -1e-30 0.3 -0.5034146962085905 1.0 -0.6321205588285577 2.0 -0.8646647167633873 3.0 -0.950212931632136 6.0 12.0 -0.9999938557876467 90.0 -1.0 1000.0 -1.0 inf -1.0
// 1.0 1.0 1.0 1.0 1.0 0.4965853037914095 1.0 0.36787944117144233 1.0 0.1353352832366127 1.0 0.04978706836786395 1.0 1.0 6.144212353342837e-06 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @celu(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @celu(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.minimum %arg0, %2 : tensor<21xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %5 = stablehlo.divide %3, %4 : tensor<21xf64>
    %6 = stablehlo.exponential_minus_one %5 : tensor<21xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %8 = stablehlo.multiply %7, %6 : tensor<21xf64>
    %9 = stablehlo.add %1, %8 : tensor<21xf64>
    return %9 : tensor<21xf64>
  }
}

// selu float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1.0507009873554805e-30 -1.758099340847377e-30 0.31521029620664415 -0.8850530455772052 1.0507009873554805 -1.1113307378125625 2.101401974710961 -1.520166468595695 3.1521029620664414 -1.6705687287671118 6.304205924132883 12.608411848265765 -1.7580885387116882 94.56308886199324 -1.7580993408473766 1050.7009873554805 -1.7580993408473766 inf -1.7580993408473766
// 1.7580993408473766 1.7580993408473766 1.0507009873554805 1.7580993408473766 1.0507009873554805 0.8730462952701714 1.0507009873554805 0.646768603034814 1.0507009873554805 0.2379328722516818 1.0507009873554805 0.08753061208026489 1.0507009873554805 1.0507009873554805 1.080213568843835e-05 1.0507009873554805 0.0 1.0507009873554805 0.0 1.0507009873554805 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @selu(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @selu(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<1.6732632423543772> : tensor<f64>
    %0 = call @elu(%arg0, %cst) : (tensor<21xf64>, tensor<f64>) -> tensor<21xf64>
    %cst_0 = stablehlo.constant dense<1.0507009873554805> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %2 = stablehlo.multiply %1, %0 : tensor<21xf64>
    return %2 : tensor<21xf64>
  }
  func.func private @elu(%arg0: tensor<21xf64>, %arg1: tensor<f64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<21xi1>, tensor<f64>, tensor<21xf64>) -> tensor<21xf64>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xf64>
    %6 = stablehlo.convert %arg1 : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %8 = stablehlo.multiply %7, %5 : tensor<21xf64>
    %9 = call @_where_0(%1, %arg0, %8) : (tensor<21xi1>, tensor<21xf64>, tensor<21xf64>) -> tensor<21xf64>
    return %9 : tensor<21xf64>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<f64>, %arg2: tensor<21xf64>) -> tensor<21xf64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf64>
    return %2 : tensor<21xf64>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<21xf64>, %arg2: tensor<21xf64>) -> tensor<21xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf64>
    return %0 : tensor<21xf64>
  }
}

// hard_sigmoid float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.5 0.5 0.5 0.5 0.5499999999999999 0.3833333333333333 0.6666666666666666 0.3333333333333333 0.8333333333333333 0.16666666666666666 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
// 0.16666666666666666 0.16666666666666666 0.16666666666666666 0.16666666666666666 0.16666666666666666 0.16666666666666666 0.16666666666666666 0.16666666666666666 0.16666666666666666 0.16666666666666666 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @hard_sigmoid(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @hard_sigmoid(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.add %arg0, %0 : tensor<21xf64>
    %2 = call @relu6(%1) : (tensor<21xf64>) -> tensor<21xf64>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %4 = stablehlo.divide %2, %3 : tensor<21xf64>
    return %4 : tensor<21xf64>
  }
  func.func private @relu6(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.minimum %1, %2 : tensor<21xf64>
    return %3 : tensor<21xf64>
  }
}

// hard_silu float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 5e-31 -5e-31 0.16499999999999998 -0.2683333333333333 0.6666666666666666 -0.3333333333333333 1.6666666666666665 -0.3333333333333333 3.0 -0.0 6.0 12.0 -0.0 90.0 -0.0 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.6 0.26666666666666666 0.8333333333333333 0.16666666666666666 1.1666666666666665 -0.16666666666666666 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @hard_silu(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @hard_silu(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %0 = call @hard_sigmoid(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %arg0, %0 : tensor<21xf64>
    return %1 : tensor<21xf64>
  }
  func.func private @hard_sigmoid(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.add %arg0, %0 : tensor<21xf64>
    %2 = call @relu6(%1) : (tensor<21xf64>) -> tensor<21xf64>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %4 = stablehlo.divide %2, %3 : tensor<21xf64>
    return %4 : tensor<21xf64>
  }
  func.func private @relu6(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.minimum %1, %2 : tensor<21xf64>
    return %3 : tensor<21xf64>
  }
}

// hard_tanh float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 1.0 -1.0 1.0 -1.0 1.0 1.0 -1.0 1.0 -1.0 1.0 -1.0 1.0 -1.0
// 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @hard_tanh(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @hard_tanh(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.compare LT, %arg0, %2, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = call @_where(%3, %c, %arg0) : (tensor<21xi1>, tensor<i64>, tensor<21xf64>) -> tensor<21xf64>
    %c_1 = stablehlo.constant dense<1> : tensor<i64>
    %5 = call @_where(%1, %c_1, %4) : (tensor<21xi1>, tensor<i64>, tensor<21xf64>) -> tensor<21xf64>
    return %5 : tensor<21xf64>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<i64>, %arg2: tensor<21xf64>) -> tensor<21xf64> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf64>
    return %2 : tensor<21xf64>
  }
}

// leaky_relu float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1e-30 -1e-32 0.3 -0.006999999999999999 1.0 -0.01 2.0 -0.02 3.0 -0.03 6.0 12.0 -0.12 90.0 -0.9 1000.0 -10.0 inf -inf
// 1.0 1.0 1.0 0.01 1.0 0.01 1.0 0.01 1.0 0.01 1.0 0.01 1.0 1.0 0.01 1.0 0.01 1.0 0.01 1.0 0.01
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @leaky_relu(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @leaky_relu(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.compare GE, %arg0, %0, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.multiply %2, %arg0 : tensor<21xf64>
    %4 = call @_where(%1, %arg0, %3) : (tensor<21xi1>, tensor<21xf64>, tensor<21xf64>) -> tensor<21xf64>
    return %4 : tensor<21xf64>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<21xf64>, %arg2: tensor<21xf64>) -> tensor<21xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf64>
    return %0 : tensor<21xf64>
  }
}

// log_sigmoid float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// -0.6931471805599453 -0.6931471805599453 -0.6931471805599453 -0.6931471805599453 -0.554355244468527 -1.103186048885458 -0.3132616875182228 -1.3132616875182228 -0.1269280110429725 -2.1269280110429727 -0.04858735157374206 -3.048587351573742 -0.0024756851377304495 -6.144193477732806e-06 -12.000006144193478 -8.194012623990515e-40 -90.0 -0.0 -1000.0 -0.0 -inf
// 0.5 0.5 0.5 0.5 0.4255574831883411 0.668187772168166 0.2689414213699951 0.731058578630005 0.11920292202211753 0.8807970779778823 0.04742587317756678 0.9525741268224333 0.002472623156634775 6.144174602214719e-06 0.999993855825398 8.194012623990515e-40 1.0 0.0 1.0 0.0 1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @log_sigmoid(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @log_sigmoid(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %0 = stablehlo.negate %arg0 : tensor<21xf64>
    %1 = call @softplus(%0) : (tensor<21xf64>) -> tensor<21xf64>
    %2 = stablehlo.negate %1 : tensor<21xf64>
    return %2 : tensor<21xf64>
  }
  func.func private @softplus(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xf64>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %6 = stablehlo.add %arg0, %5 : tensor<21xf64>
    %7 = stablehlo.abs %3 : tensor<21xf64>
    %8 = stablehlo.negate %7 : tensor<21xf64>
    %9 = stablehlo.exponential %8 : tensor<21xf64>
    %10 = stablehlo.log_plus_one %9 : tensor<21xf64>
    %11 = stablehlo.add %1, %10 : tensor<21xf64>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xf64>
    return %12 : tensor<21xf64>
  }
}

// sigmoid float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.5 0.5 0.5 0.5 0.574442516811659 0.3318122278318339 0.7310585786300049 0.2689414213699951 0.8807970779778823 0.11920292202211755 0.9525741268224334 0.04742587317756678 0.9975273768433653 0.9999938558253978 6.144174602214718e-06 1.0 8.194012623990515e-40 1.0 0.0 1.0 0.0
// 0.25 0.25 0.25 0.25 0.24445831169074586 0.22171287329310907 0.19661193324148185 0.19661193324148185 0.10499358540350662 0.1049935854035065 0.045176659730912 0.04517665973091214 0.002466509291359931 6.144136851325744e-06 6.1441368513331755e-06 0.0 8.194012623990515e-40 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = stablehlo.negate %arg0 : tensor<21xf64>
    %1 = stablehlo.exponential %0 : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.add %2, %1 : tensor<21xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %5 = stablehlo.divide %4, %3 : tensor<21xf64>
    %6 = stablehlo.multiply %5, %cst : tensor<21xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %7, %5 : tensor<f64>, tensor<21xf64>
  }
}

// silu float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 5e-31 -5e-31 0.1723327550434977 -0.2322685594822837 0.7310585786300049 -0.2689414213699951 1.7615941559557646 -0.2384058440442351 2.8577223804673 -0.14227761953270035 5.985164261060192 11.999926269904773 -7.373009522657661e-05 90.0 -7.374611361591463e-38 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.6477800103188828 0.17661321652665757 0.9276705118714867 0.07232948812851325 1.0907842487848955 -0.09078424878489547 1.0881041060151693 -0.08810410601516963 1.0123264325915249 1.0000675854676138 -6.758546761378339e-05 1.0 -7.292671235351558e-38 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @silu(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @silu(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %0 = stablehlo.negate %arg0 : tensor<21xf64>
    %1 = stablehlo.exponential %0 : tensor<21xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.add %2, %1 : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %5 = stablehlo.divide %4, %3 : tensor<21xf64>
    %6 = stablehlo.multiply %arg0, %5 : tensor<21xf64>
    return %6 : tensor<21xf64>
  }
}

// soft_sign float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1e-30 -1e-30 0.23076923076923075 -0.4117647058823529 0.5 -0.5 0.6666666666666666 -0.6666666666666666 0.75 -0.75 0.8571428571428571 0.9230769230769231 -0.9230769230769231 0.989010989010989 -0.989010989010989 0.999000999000999 -0.999000999000999 nan nan
// 1.0 1.0 1.0 1.0 0.5917159763313609 0.34602076124567477 0.25 0.25 0.1111111111111111 0.1111111111111111 0.0625 0.0625 0.020408163265306117 0.005917159763313612 0.005917159763313612 0.0001207583625166056 0.0001207583625166056 9.98002996005021e-07 9.98002996005021e-07 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @soft_sign(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @soft_sign(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %0 = stablehlo.abs %arg0 : tensor<21xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %2 = stablehlo.add %0, %1 : tensor<21xf64>
    %3 = stablehlo.divide %arg0, %2 : tensor<21xf64>
    return %3 : tensor<21xf64>
  }
}

// softplus float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.6931471805599453 0.6931471805599453 0.6931471805599453 0.6931471805599453 0.854355244468527 0.40318604888545784 1.3132616875182228 0.3132616875182228 2.1269280110429727 0.1269280110429725 3.048587351573742 0.04858735157374206 6.00247568513773 12.000006144193478 6.144193477732806e-06 90.0 8.194012623990515e-40 1000.0 0.0 inf 0.0
// 0.5 0.5 0.5 0.5 0.5744425168116591 0.3318122278318339 0.731058578630005 0.2689414213699951 0.8807970779778823 0.11920292202211753 0.9525741268224333 0.04742587317756678 0.9975273768433656 0.999993855825398 6.144174602214719e-06 1.0 8.194012623990515e-40 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @softplus(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @softplus(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xf64>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %6 = stablehlo.add %arg0, %5 : tensor<21xf64>
    %7 = stablehlo.abs %3 : tensor<21xf64>
    %8 = stablehlo.negate %7 : tensor<21xf64>
    %9 = stablehlo.exponential %8 : tensor<21xf64>
    %10 = stablehlo.log_plus_one %9 : tensor<21xf64>
    %11 = stablehlo.add %1, %10 : tensor<21xf64>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xf64>
    return %12 : tensor<21xf64>
  }
}

// sparse_plus float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.25 0.25 0.25 0.25 0.42250000000000004 0.022500000000000006 1.0 0.0 2.0 0.0 3.0 0.0 6.0 12.0 0.0 90.0 0.0 1000.0 0.0 inf 0.0
// 0.5 0.5 0.5 0.5 0.65 0.15000000000000002 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @sparse_plus(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @sparse_plus(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.compare LE, %arg0, %0, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.compare GE, %arg0, %2, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %5 = stablehlo.add %arg0, %4 : tensor<21xf64>
    %6 = stablehlo.multiply %5, %5 : tensor<21xf64>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %8 = stablehlo.divide %6, %7 : tensor<21xf64>
    %9 = call @_where(%3, %arg0, %8) : (tensor<21xi1>, tensor<21xf64>, tensor<21xf64>) -> tensor<21xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %10 = call @_where_0(%1, %cst_3, %9) : (tensor<21xi1>, tensor<f64>, tensor<21xf64>) -> tensor<21xf64>
    return %10 : tensor<21xf64>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<21xf64>, %arg2: tensor<21xf64>) -> tensor<21xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf64>
    return %0 : tensor<21xf64>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<f64>, %arg2: tensor<21xf64>) -> tensor<21xf64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf64>
    return %2 : tensor<21xf64>
  }
}

// sparse_sigmoid float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.5 0.5 0.5 0.5 0.65 0.15000000000000002 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
// 0.5 0.5 0.5 0.5 0.5 0.5 0.25 0.25 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @sparse_sigmoid(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @sparse_sigmoid(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.add %arg0, %0 : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %2 = call @clip(%1, %cst_0, %cst_1) : (tensor<21xf64>, tensor<f64>, tensor<f64>) -> tensor<21xf64>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %4 = stablehlo.multiply %3, %2 : tensor<21xf64>
    return %4 : tensor<21xf64>
  }
  func.func private @clip(%arg0: tensor<21xf64>, %arg1: tensor<f64>, %arg2: tensor<f64>) -> tensor<21xf64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %2 = stablehlo.maximum %1, %arg0 : tensor<21xf64>
    %3 = stablehlo.convert %arg2 : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %5 = stablehlo.minimum %4, %2 : tensor<21xf64>
    return %5 : tensor<21xf64>
  }
}

// squareplus float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 1.0 1.0 1.0 1.0 1.161187420807834 0.7094810050208545 1.618033988749895 0.6180339887498949 2.414213562373095 0.41421356237309515 3.302775637731995 0.30277563773199456 6.16227766016838 12.082762530298218 0.08276253029821934 90.01110973970759 0.01110973970759943 1000.000999999 0.0009999989999869285 inf nan
// 0.5 0.5 0.5 0.5 0.5741702264651223 0.334824787635947 0.7236067977499789 0.27639320225002106 0.8535533905932737 0.14644660940672627 0.9160251471689218 0.08397485283107814 0.9743416490252569 0.9931969619160719 0.006803038083928126 0.9998765889158049 0.00012341108419507488 0.999999000003 9.999970000179256e-07 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @squareplus(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @squareplus(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %0 = chlo.square %arg0 : tensor<21xf64> -> tensor<21xf64>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %2 = stablehlo.add %0, %1 : tensor<21xf64>
    %3 = stablehlo.sqrt %2 : tensor<21xf64>
    %4 = stablehlo.add %arg0, %3 : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %6 = stablehlo.divide %4, %5 : tensor<21xf64>
    return %6 : tensor<21xf64>
  }
}

// mish float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 6.000000000000001e-31 -6.000000000000001e-31 0.20800137234811503 -0.2678702347955009 0.8650983882673103 -0.30340146137410895 1.9439589595339946 -0.2525014826957088 2.9865350049679567 -0.1456474612756246 5.999926634065253 11.999999999093983 -7.373032173186588e-05 90.0 -7.374611361591463e-38 1000.0 -0.0 inf nan
// 0.6000000000000001 0.6000000000000001 0.6000000000000001 0.6000000000000001 0.7828272995511304 0.1844160732567819 1.0490362200997922 0.059216755877395 1.0693179342794896 -0.10835509242039393 1.0211069109294446 -0.0933931145323208 1.0001341405062087 1.0000000017365207 -6.758590174613775e-05 1.0 -7.292671235351558e-38 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @mish(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @mish(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %0 = call @softplus(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.tanh %0 : tensor<21xf64>
    %2 = stablehlo.multiply %arg0, %1 : tensor<21xf64>
    return %2 : tensor<21xf64>
  }
  func.func private @softplus(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xf64>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %6 = stablehlo.add %arg0, %5 : tensor<21xf64>
    %7 = stablehlo.abs %3 : tensor<21xf64>
    %8 = stablehlo.negate %7 : tensor<21xf64>
    %9 = stablehlo.exponential %8 : tensor<21xf64>
    %10 = stablehlo.log_plus_one %9 : tensor<21xf64>
    %11 = stablehlo.add %1, %10 : tensor<21xf64>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xf64>
    return %12 : tensor<21xf64>
  }
}

// identity float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @identity(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @identity(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    return %arg0 : tensor<21xf64>
  }
}

// tanh float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1e-30 -1e-30 0.29131261245159085 -0.6043677771171635 0.7615941559557649 -0.7615941559557649 0.9640275800758169 -0.9640275800758169 0.9950547536867305 -0.9950547536867305 0.9999877116507957 0.9999999999244973 -0.9999999999244973 1.0 -1.0 1.0 -1.0 1.0 -1.0
// 1.0 1.0 1.0 1.0 0.9151369618266293 0.6347395899824585 0.41997434161402614 0.41997434161402614 0.07065082485316443 0.07065082485316443 0.009866037165440166 0.009866037165440166 2.4576547405080933e-05 1.5100543037645552e-10 1.5100543037645552e-10 0.0 0.0 0.0 0.0 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = stablehlo.tanh %arg0 : tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
}

// elu_2 float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 1e-30 -2e-30 0.3 -1.006829392417181 1.0 -1.2642411176571153 2.0 -1.7293294335267746 3.0 -1.900425863264272 6.0 12.0 -1.9999877115752933 90.0 -2.0 1000.0 -2.0 inf -2.0
// 2.0 2.0 1.0 2.0 1.0 0.993170607582819 1.0 0.7357588823428847 1.0 0.2706705664732254 1.0 0.0995741367357279 1.0 1.0 1.2288424706685674e-05 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %0 = call @elu(%arg0, %cst_0) : (tensor<21xf64>, tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @elu(%arg0: tensor<21xf64>, %arg1: tensor<f64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<21xi1>, tensor<f64>, tensor<21xf64>) -> tensor<21xf64>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xf64>
    %6 = stablehlo.convert %arg1 : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %8 = stablehlo.multiply %7, %5 : tensor<21xf64>
    %9 = call @_where_0(%1, %arg0, %8) : (tensor<21xi1>, tensor<21xf64>, tensor<21xf64>) -> tensor<21xf64>
    return %9 : tensor<21xf64>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<f64>, %arg2: tensor<21xf64>) -> tensor<21xf64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf64>
    return %2 : tensor<21xf64>
  }
  func.func private @_where_0(%arg0: tensor<21xi1>, %arg1: tensor<21xf64>, %arg2: tensor<21xf64>) -> tensor<21xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf64>
    return %0 : tensor<21xf64>
  }
}

// celu_2 float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 1e-30 -1e-30 0.3 -0.5906238205625731 1.0 -0.786938680574733 2.0 -1.2642411176571153 3.0 -1.5537396797031404 6.0 12.0 -1.9950424956466672 90.0 -2.0 1000.0 -2.0 inf -2.0
// 1.0 1.0 1.0 1.0 1.0 0.7046880897187134 1.0 0.6065306597126334 1.0 0.36787944117144233 1.0 0.2231301601484298 1.0 1.0 0.0024787521766663767 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %0 = call @celu(%arg0, %cst_0) : (tensor<21xf64>, tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @celu(%arg0: tensor<21xf64>, %arg1: tensor<f64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.minimum %arg0, %2 : tensor<21xf64>
    %4 = stablehlo.convert %arg1 : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %6 = stablehlo.divide %3, %5 : tensor<21xf64>
    %7 = stablehlo.exponential_minus_one %6 : tensor<21xf64>
    %8 = stablehlo.convert %arg1 : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %10 = stablehlo.multiply %9, %7 : tensor<21xf64>
    %11 = stablehlo.add %1, %10 : tensor<21xf64>
    return %11 : tensor<21xf64>
  }
}

// gelu_tanh float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 5e-31 -5e-31 0.18537092354275922 -0.1694298652948832 0.8411919906082768 -0.1588080093917233 1.954597694087775 -0.04540230591222494 2.996362607918227 -0.003637392081773161 5.9999999999156035 12.0 -0.0 90.0 -0.0 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.7322954516388018 0.023642781343896017 1.0829640838457828 -0.08296408384578258 1.0860992566236183 -0.08609925662361831 1.0115841666309702 -0.011584166630970179 1.0000000007710006 1.0 0.0 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<21xf64>
    %1 = stablehlo.multiply %0, %arg0 : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<4.471500e-02> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.multiply %2, %1 : tensor<21xf64>
    %4 = stablehlo.add %arg0, %3 : tensor<21xf64>
    %cst_1 = stablehlo.constant dense<0.79788456080286541> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %6 = stablehlo.multiply %5, %4 : tensor<21xf64>
    %7 = stablehlo.tanh %6 : tensor<21xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %9 = stablehlo.add %8, %7 : tensor<21xf64>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %11 = stablehlo.multiply %10, %9 : tensor<21xf64>
    %12 = stablehlo.multiply %arg0, %11 : tensor<21xf64>
    %13 = stablehlo.multiply %12, %cst : tensor<21xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %14 = stablehlo.reduce(%13 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %14, %12 : tensor<f64>, tensor<21xf64>
  }
}

// gelu_erf float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 5e-31 -5e-31 0.18537342665668577 -0.1693745565561511 0.8413447460685429 -0.15865525393145707 1.9544997361036416 -0.04550026389635841 2.99595030590511 -0.004049694094890279 5.999999994080474 12.0 -2.131778534493185e-32 90.0 -0.0 1000.0 -0.0 inf nan
// 0.5 0.5 0.5 0.5 0.7323277668271098 0.023385898866340127 1.0833154705876862 -0.08331547058768624 1.085231801078197 -0.08523180107819688 1.011945647204184 -0.01194564720418392 1.0000000354687093 1.0 -2.5578956616748593e-31 1.0 0.0 1.0 0.0 nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %arg0 : tensor<21xf64>
    %2 = stablehlo.negate %arg0 : tensor<21xf64>
    %cst_1 = stablehlo.constant dense<0.70710678118654757> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %4 = stablehlo.multiply %2, %3 : tensor<21xf64>
    %5 = chlo.erfc %4 : tensor<21xf64> -> tensor<21xf64>
    %6 = stablehlo.multiply %1, %5 : tensor<21xf64>
    %7 = stablehlo.multiply %6, %cst : tensor<21xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %8 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %8, %6 : tensor<f64>, tensor<21xf64>
  }
}

// log1mexp float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// -inf -inf -69.07755278982137 nan -1.3502256128148467 nan -0.4586751453870813 nan -0.14541345786885906 nan -0.05106918094270159 nan -0.002481829368959528 -6.144231229078249e-06 nan -8.194012623990515e-40 nan -0.0 nan -0.0 nan
// inf -inf 9.999999999999999e+29 -9.999999999999999e+29 2.8582959135100823 -1.9864338636344634 0.5819767068693263 -1.5819767068693265 0.15651764274966565 -1.1565176427496657 0.05239569649125595 -1.052395696491256 0.0024849116568445855 6.144250104905606e-06 -1.000006144250105 8.194012623990515e-40 -1.0 0.0 -1.0 0.0 -1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %0 = call @log1mexp(%arg0) : (tensor<21xf64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @log1mexp(%arg0: tensor<21xf64>) -> tensor<21xf64> {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %0 = stablehlo.log %cst : tensor<f64>
    %1 = stablehlo.convert %0 : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.compare LT, %arg0, %2, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %4 = stablehlo.negate %arg0 : tensor<21xf64>
    %5 = stablehlo.exponential_minus_one %4 : tensor<21xf64>
    %6 = stablehlo.negate %5 : tensor<21xf64>
    %7 = stablehlo.log %6 : tensor<21xf64>
    %8 = stablehlo.negate %arg0 : tensor<21xf64>
    %9 = stablehlo.exponential %8 : tensor<21xf64>
    %10 = stablehlo.negate %9 : tensor<21xf64>
    %11 = stablehlo.log_plus_one %10 : tensor<21xf64>
    %12 = call @_where(%3, %7, %11) : (tensor<21xi1>, tensor<21xf64>, tensor<21xf64>) -> tensor<21xf64>
    return %12 : tensor<21xf64>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<21xf64>, %arg2: tensor<21xf64>) -> tensor<21xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<21xi1>, tensor<21xf64>
    return %0 : tensor<21xf64>
  }
}

// erf_inv float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 -0.0 4.431134627263791e-31 -4.431134627263791e-31 0.13372692166481967 -0.32085832171518147 0.47693627620446977 -0.47693627620446977 inf -inf nan nan nan nan nan nan nan nan nan nan nan
// 0.44311346272637897 0.44311346272637897 0.44311346272637897 0.44311346272637897 0.451108889441878 0.4911629386723706 0.5562924094859748 0.5562924094859748 inf inf nan nan nan nan nan nan nan nan nan nan nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.divide %arg0, %0 : tensor<21xf64>
    %2 = chlo.erf_inv %1 : tensor<21xf64> -> tensor<21xf64>
    %3 = stablehlo.multiply %2, %cst : tensor<21xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %4, %2 : tensor<f64>, tensor<21xf64>
  }
}

// logaddexp float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.6931471805599453 0.6931471805599453 0.6931471805599453 0.6931471805599453 1.154355244468527 -0.2968139511145421 2.3132616875182226 -0.6867383124817772 4.126928011042972 -1.8730719889570275 6.048587351573742 -2.951412648426258 12.00247568513773 24.000006144193478 -11.999993855806522 180.0 -90.0 2000.0 -1000.0 inf -inf
// 1.5 1.5 1.5 1.5 1.5744425168116591 1.331812227831834 1.7310585786300052 1.2689414213699952 1.8807970779778829 1.1192029220221178 1.9525741268224333 1.0474258731775667 1.997527376843366 1.9999938558253982 1.0000061441746024 2.0 1.0 2.0 1.0 3.0 nan
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %arg0 : tensor<21xf64>
    %2 = stablehlo.maximum %arg0, %1 : tensor<21xf64>
    %3 = stablehlo.subtract %arg0, %1 : tensor<21xf64>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %5 = stablehlo.add %arg0, %1 : tensor<21xf64>
    %6 = stablehlo.abs %3 : tensor<21xf64>
    %7 = stablehlo.negate %6 : tensor<21xf64>
    %8 = stablehlo.exponential %7 : tensor<21xf64>
    %9 = stablehlo.log_plus_one %8 : tensor<21xf64>
    %10 = stablehlo.add %2, %9 : tensor<21xf64>
    %11 = stablehlo.select %4, %5, %10 : tensor<21xi1>, tensor<21xf64>
    %12 = stablehlo.multiply %11, %cst : tensor<21xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %13 = stablehlo.reduce(%12 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %13, %11 : tensor<f64>, tensor<21xf64>
  }
}

// logaddexp_1 float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 1.3132616875182228 1.3132616875182228 1.3132616875182228 1.3132616875182228 1.4031860488854577 1.1677860293862659 1.6931471805599454 1.1269280110429725 2.3132616875182226 1.048587351573742 3.1269280110429727 1.0181499279178097 6.006715348489118 12.000016701561318 1.0000022603268524 90.0 1.0 1000.0 1.0 inf 1.0
// 0.2689414213699951 0.2689414213699951 0.2689414213699951 0.2689414213699951 0.33181222783183395 0.15446526508353473 0.49999999999999994 0.11920292202211759 0.731058578630005 0.04742587317756678 0.8807970779778823 0.017986209962091562 0.9933071490757149 0.9999832985781524 2.2603242979035755e-06 1.0 3.0144087850653746e-40 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf64>
    %2 = stablehlo.subtract %arg0, %0 : tensor<21xf64>
    %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %4 = stablehlo.add %arg0, %0 : tensor<21xf64>
    %5 = stablehlo.abs %2 : tensor<21xf64>
    %6 = stablehlo.negate %5 : tensor<21xf64>
    %7 = stablehlo.exponential %6 : tensor<21xf64>
    %8 = stablehlo.log_plus_one %7 : tensor<21xf64>
    %9 = stablehlo.add %1, %8 : tensor<21xf64>
    %10 = stablehlo.select %3, %4, %9 : tensor<21xi1>, tensor<21xf64>
    %11 = stablehlo.multiply %10, %cst : tensor<21xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %12 = stablehlo.reduce(%11 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %12, %10 : tensor<f64>, tensor<21xf64>
  }
}

// logaddexp_behind float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 2.1269280110429727 2.1269280110429727 2.1269280110429727 2.1269280110429727 2.167786029386266 2.0650435617765908 2.3132616875182226 2.048587351573742 2.6931471805599454 2.01814992791781 3.3132616875182226 2.0067153484891183 6.0181499279178094 12.000045398899218 2.0000008315283733 90.0 2.0 1000.0 2.0 inf 2.0
// 0.11920292202211753 0.11920292202211753 0.11920292202211753 0.11920292202211753 0.15446526508353473 0.06297335605699647 0.2689414213699952 0.04742587317756678 0.49999999999999994 0.017986209962091562 0.731058578630005 0.006692850924284855 0.9820137900379087 0.9999546021312967 8.315280276641322e-07 1.0 1.1089390193121365e-40 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<21xf64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.subtract %arg0, %2 : tensor<21xf64>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %6 = stablehlo.add %arg0, %5 : tensor<21xf64>
    %7 = stablehlo.abs %3 : tensor<21xf64>
    %8 = stablehlo.negate %7 : tensor<21xf64>
    %9 = stablehlo.exponential %8 : tensor<21xf64>
    %10 = stablehlo.log_plus_one %9 : tensor<21xf64>
    %11 = stablehlo.add %1, %10 : tensor<21xf64>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xf64>
    %13 = stablehlo.multiply %12, %cst : tensor<21xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %14 = stablehlo.reduce(%13 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %14, %12 : tensor<f64>, tensor<21xf64>
  }
}

// logaddexp_scalar float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.04858735157374206 0.04858735157374206 0.04858735157374206 0.04858735157374206 0.3362192588706593 -0.604454535402037 1.0181499279178097 -0.8730719889570275 2.0067153484891183 -1.6867383124817772 3.0024756851377306 -2.3068528194400546 6.000123402189724 12.000000305902274 -2.999876597810277 90.0 -3.0 1000.0 -3.0 inf -3.0
// 0.9525741268224333 0.9525741268224333 0.9525741268224333 0.9525741268224333 0.9644288107273639 0.9088770389851438 0.9820137900379085 0.8807970779778825 0.9933071490757149 0.731058578630005 0.9975273768433651 0.49999999999999994 0.9998766054240134 0.9999996940977726 0.0001233945759862317 1.0 1.6458114310822734e-38 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<-3.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.maximum %0, %arg0 : tensor<21xf64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.subtract %2, %arg0 : tensor<21xf64>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %6 = stablehlo.add %5, %arg0 : tensor<21xf64>
    %7 = stablehlo.abs %3 : tensor<21xf64>
    %8 = stablehlo.negate %7 : tensor<21xf64>
    %9 = stablehlo.exponential %8 : tensor<21xf64>
    %10 = stablehlo.log_plus_one %9 : tensor<21xf64>
    %11 = stablehlo.add %1, %10 : tensor<21xf64>
    %12 = stablehlo.select %4, %6, %11 : tensor<21xi1>, tensor<21xf64>
    %13 = stablehlo.multiply %12, %cst : tensor<21xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %14 = stablehlo.reduce(%13 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %14, %12 : tensor<f64>, tensor<21xf64>
  }
}

// clip float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 1e-30 0.0 0.3 0.0 1.0 0.0 2.0 0.0 3.0 0.0 6.0 12.0 0.0 90.0 0.0 1000.0 0.0 inf 0.0
// 0.5 0.5 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 1.0 0.0 1.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = call @clip(%arg0, %c) : (tensor<21xf64>, tensor<i64>) -> tensor<21xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<21xf64>
  }
  func.func private @clip(%arg0: tensor<21xf64>, %arg1: tensor<i64>) -> tensor<21xf64> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %2 = stablehlo.maximum %1, %arg0 : tensor<21xf64>
    return %2 : tensor<21xf64>
  }
}

// guarded_division float64
// 0.0 -0.0 1e-30 -1e-30 0.3 -0.7 1.0 -1.0 2.0 -2.0 3.0 -3.0 6.0 12.0 -12.0 90.0 -90.0 1000.0 -1000.0 inf -inf
// 0.0 0.0 9.999999999999999e+29 -9.999999999999999e+29 3.3333333333333335 -1.4285714285714286 1.0 -1.0 0.5 -0.5 0.3333333333333333 -0.3333333333333333 0.16666666666666666 0.08333333333333333 -0.08333333333333333 0.011111111111111112 -0.011111111111111112 0.001 -0.001 0.0 -0.0
// 0.0 0.0 -1e+60 -1e+60 -11.11111111111111 -2.0408163265306127 -1.0 -1.0 -0.25 -0.25 -0.1111111111111111 -0.1111111111111111 -0.027777777777777776 -0.006944444444444444 -0.006944444444444444 -0.0001234567901234568 -0.0001234567901234568 -1e-06 -1e-06 -0.0 -0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<21xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<21xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<21xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %1 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %3 = stablehlo.compare EQ, %arg0, %2, FLOAT : (tensor<21xf64>, tensor<21xf64>) -> tensor<21xi1>
    %c = stablehlo.constant dense<1> : tensor<i64>
    %4 = call @_where(%3, %c, %arg0) : (tensor<21xi1>, tensor<i64>, tensor<21xf64>) -> tensor<21xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %6 = stablehlo.divide %5, %4 : tensor<21xf64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %7 = call @_where(%1, %c_3, %6) : (tensor<21xi1>, tensor<i64>, tensor<21xf64>) -> tensor<21xf64>
    %8 = stablehlo.multiply %7, %cst : tensor<21xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.reduce(%8 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<21xf64>, tensor<f64>) -> tensor<f64>
    return %9, %7 : tensor<f64>, tensor<21xf64>
  }
  func.func private @_where(%arg0: tensor<21xi1>, %arg1: tensor<i64>, %arg2: tensor<21xf64>) -> tensor<21xf64> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<21xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<21xi1>, tensor<21xf64>
    return %2 : tensor<21xf64>
  }
}

// softmax float64
// 0.3 -0.7 1.2 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 1e-30 -0.0 0.0 -1e-30
// 0.07780589824517907 0.02862319036627858 0.19137162939020352 0.7021992819983388 0.25 0.25 0.25 0.25 1.0 0.0 0.0 0.0 6.714184288211592e-79 6.714184288211592e-79 0.0 1.0 0.4999984639421929 0.4999984639421929 3.072096738798751e-06 1.8875614733146593e-11 0.23122389762214904 0.0 0.6285317192117624 0.14024438316608848 0.25 0.25 0.25 0.25
// -0.19591247373278933 -0.04344898098905483 -0.09912367112721585 0.3384851258490598 -0.375 -0.125 0.125 0.375 0.0 0.0 0.0 0.0 -2.0142552864634777e-78 -1.3428368576423185e-78 -0.0 0.0 -0.2500015360601665 0.24999692788202635 4.608130951385599e-06 4.7188949850404065e-11 -0.387946666476419 -0.0 0.20251506452941304 0.185431601947006 -0.375 -0.125 0.125 0.375
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<7x4xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00]]> : tensor<7x4xf64>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<7x4xf64>, tensor<f64>) -> tensor<7xf64>
    %cst_1 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %2 = stablehlo.maximum %1, %0 : tensor<7xf64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<7xf64>) -> tensor<7x1xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<7x1xf64>) -> tensor<7x4xf64>
    %5 = stablehlo.subtract %arg0, %4 : tensor<7x4xf64>
    %6 = stablehlo.exponential %5 : tensor<7x4xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<7x4xf64>, tensor<f64>) -> tensor<7xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<7xf64>) -> tensor<7x1xf64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<7x1xf64>) -> tensor<7x4xf64>
    %10 = stablehlo.divide %6, %9 : tensor<7x4xf64>
    %11 = stablehlo.multiply %10, %cst : tensor<7x4xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %12 = stablehlo.reduce(%11 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf64>, tensor<f64>) -> tensor<f64>
    return %12, %10 : tensor<f64>, tensor<7x4xf64>
  }
}

// log_softmax float64
// 0.3 -0.7 1.2 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 1e-30 -0.0 0.0 -1e-30
// -2.5535380377514056 -3.5535380377514056 -1.6535380377514057 -0.35353803775140563 -1.3862943611198906 -1.3862943611198906 -1.3862943611198906 -1.3862943611198906 0.0 -1000.0 -2000.0 -988.0 -180.0 -180.0 -1090.0 0.0 -0.6931502526802785 -0.6931502526802785 -12.693150252680278 -24.69315025268028 -1.464368784107945 -inf -0.4643687841079449 -1.964368784107945 -1.3862943611198906 -1.3862943611198906 -1.3862943611198906 -1.3862943611198906
// -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5 -1.5 -0.5 0.5 1.5
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<7x4xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00]]> : tensor<7x4xf64>
    %0 = call @log_softmax(%arg0) : (tensor<7x4xf64>) -> tensor<7x4xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<7x4xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<7x4xf64>
  }
  func.func private @log_softmax(%arg0: tensor<7x4xf64>) -> tensor<7x4xf64> {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<7x4xf64>, tensor<f64>) -> tensor<7xf64>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<7xf64>
    %2 = stablehlo.maximum %1, %0 : tensor<7xf64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<7xf64>) -> tensor<7x1xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<7x1xf64>) -> tensor<7x4xf64>
    %5 = stablehlo.subtract %arg0, %4 : tensor<7x4xf64>
    %6 = stablehlo.exponential %5 : tensor<7x4xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<7x4xf64>, tensor<f64>) -> tensor<7xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<7xf64>) -> tensor<7x1xf64>
    %9 = stablehlo.log %8 : tensor<7x1xf64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<7x1xf64>) -> tensor<7x4xf64>
    %11 = stablehlo.subtract %5, %10 : tensor<7x4xf64>
    return %11 : tensor<7x4xf64>
  }
}

// logsumexp float64
// 0.3 -0.7 1.2 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 1e-30 -0.0 0.0 -1e-30
// 1000.0
// -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -1.5 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<f64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<7x4xf64>, tensor<f64>) -> tensor<f64>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %1 = stablehlo.maximum %cst_0, %0 : tensor<f64>
    %2 = stablehlo.is_finite %1 : (tensor<f64>) -> tensor<i1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.select %2, %1, %cst_1 : tensor<i1>, tensor<f64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f64>) -> tensor<1x1xf64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<7x4xf64>
    %6 = stablehlo.subtract %arg0, %5 : tensor<7x4xf64>
    %7 = stablehlo.exponential %6 : tensor<7x4xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %8 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf64>, tensor<f64>) -> tensor<f64>
    %9 = stablehlo.abs %8 : tensor<f64>
    %10 = stablehlo.log %9 : tensor<f64>
    %11 = stablehlo.add %10, %3 : tensor<f64>
    %cst_3 = stablehlo.constant dense<-1.500000e+00> : tensor<f64>
    %12 = stablehlo.multiply %11, %cst_3 : tensor<f64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [] : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %13, %11 : tensor<f64>, tensor<f64>
  }
}

// standardize float64
// 0.3 -0.7 1.2 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 1e-30 -0.0 0.0 -1e-30
// -0.4457989876218537 -1.2949399164253848 0.3184278483013241 1.4223110557459144 0.0 0.0 0.0 0.0 1.4099328539987255 -0.004242526140417429 -1.4184179062795603 0.012727578421252286 0.42799976932300093 0.42799976932300093 -1.7061360667533323 0.8501365281073305 0.9045339880497572 0.9045339880497572 -0.3015113293499191 -1.5075566467495953 nan nan nan nan 3.1622776601683794e-28 -0.0 0.0 -3.1622776601683794e-28
// -0.9321824096571151 0.5674899163810474 0.18062119043877878 0.1840713028372889 -474.34164902525686 -158.11388300841895 158.11388300841895 474.34164902525686 -0.0007240950589965262 -0.0007112918064523564 -0.0006984885539081865 0.0021338754193570694 -0.0034089342221125126 -0.0010637300066440145 0.0007386051020183828 0.0037340591267381444 -0.054820251390431084 0.045683525059541936 0.018273417130143695 -0.009136690799254547 nan nan nan nan -474.34164902525686 -158.11388300841895 158.11388300841895 474.34164902525686
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<7x4xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01, 5.000000e-01, 1.500000e+00]]> : tensor<7x4xf64>
    %0 = call @standardize(%arg0) : (tensor<7x4xf64>) -> tensor<7x4xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<7x4xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<7x4xf64>
  }
  func.func private @standardize(%arg0: tensor<7x4xf64>) -> tensor<7x4xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<7x4xf64>, tensor<f64>) -> tensor<7xf64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<7xf64>) -> tensor<7x1xf64>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<7x1xf64>
    %3 = stablehlo.divide %1, %2 : tensor<7x1xf64>
    %4 = chlo.square %arg0 : tensor<7x4xf64> -> tensor<7x4xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<7x4xf64>, tensor<f64>) -> tensor<7xf64>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<7xf64>) -> tensor<7x1xf64>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<7x1xf64>
    %8 = stablehlo.divide %6, %7 : tensor<7x1xf64>
    %9 = chlo.square %3 : tensor<7x1xf64> -> tensor<7x1xf64>
    %10 = stablehlo.subtract %8, %9 : tensor<7x1xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %11 = call @clip(%10, %c) : (tensor<7x1xf64>, tensor<i64>) -> tensor<7x1xf64>
    %12 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<7x1xf64>) -> tensor<7x4xf64>
    %13 = stablehlo.subtract %arg0, %12 : tensor<7x4xf64>
    %cst_3 = stablehlo.constant dense<1.000000e-05> : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<7x1xf64>
    %15 = stablehlo.add %11, %14 : tensor<7x1xf64>
    %16 = stablehlo.rsqrt %15 : tensor<7x1xf64>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<7x1xf64>) -> tensor<7x4xf64>
    %18 = stablehlo.multiply %13, %17 : tensor<7x4xf64>
    return %18 : tensor<7x4xf64>
  }
  func.func private @clip(%arg0: tensor<7x1xf64>, %arg1: tensor<i64>) -> tensor<7x1xf64> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<7x1xf64>
    %2 = stablehlo.maximum %1, %arg0 : tensor<7x1xf64>
    return %2 : tensor<7x1xf64>
  }
}

// glu float64
// 0.3 -0.7 1.2 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 1e-30 -0.0 0.0 -1e-30
// 0.23055743504970524 -0.6468992739851296 0.0 0.0 0.0 0.0 -0.0 -90.0 6.0 7.373009522657661e-05 0.8807970779778823 -inf 5e-31 -0.0
// -1.1527871752485264 -0.4620709099893783 -0.08005249829106259 0.02453630079078782 0.25 0.75 0.0 0.0 -0.0 -0.4999969279126989 -0.0 -0.0 0.0 1.5 -0.0 -0.0 -0.75 -3.072087301107359e-06 -4.5 -3.686482110799905e-05 0.44039853898894116 0.933688996802782 0.05249679270175331 -inf -0.75 -0.25 -3.7500000000000003e-31 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<7x2xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[-1.500000e+00, -5.000000e-01], [5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01], [5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01], [5.000000e-01, 1.500000e+00], [-1.500000e+00, -5.000000e-01]]> : tensor<7x2xf64>
    %0 = call @glu(%arg0) : (tensor<7x4xf64>) -> tensor<7x2xf64>
    %1 = stablehlo.multiply %0, %cst : tensor<7x2xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x2xf64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<7x2xf64>
  }
  func.func private @glu(%arg0: tensor<7x4xf64>) -> tensor<7x2xf64> {
    %0 = stablehlo.slice %arg0 [0:7, 0:2] : (tensor<7x4xf64>) -> tensor<7x2xf64>
    %1 = stablehlo.slice %arg0 [0:7, 2:4] : (tensor<7x4xf64>) -> tensor<7x2xf64>
    %2 = stablehlo.negate %1 : tensor<7x2xf64>
    %3 = stablehlo.exponential %2 : tensor<7x2xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<7x2xf64>
    %5 = stablehlo.add %4, %3 : tensor<7x2xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<7x2xf64>
    %7 = stablehlo.divide %6, %5 : tensor<7x2xf64>
    %8 = stablehlo.multiply %0, %7 : tensor<7x2xf64>
    return %8 : tensor<7x2xf64>
  }
}

// logmeanexp float64
// 0.3 -0.7 1.2 2.5 0.0 0.0 0.0 0.0 1000.0 0.0 -1000.0 12.0 -90.0 -90.0 -1000.0 90.0 12.0 12.0 0.0 -12.0 1.0 -inf 2.0 0.5 1e-30 -0.0 0.0 -1e-30
// 996.6677954898248
// -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -1.5 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0 -0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7x4xf64>) -> (tensor<f64> {jax.result_info = "result[0]"}, tensor<f64> {jax.result_info = "result[1]"}) {
    %0 = call @logmeanexp(%arg0) : (tensor<7x4xf64>) -> tensor<f64>
    %cst = stablehlo.constant dense<-1.500000e+00> : tensor<f64>
    %1 = stablehlo.multiply %0, %cst : tensor<f64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [] : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %2, %0 : tensor<f64>, tensor<f64>
  }
  func.func private @logmeanexp(%arg0: tensor<7x4xf64>) -> tensor<f64> {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<7x4xf64>, tensor<f64>) -> tensor<f64>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %1 = stablehlo.maximum %cst_0, %0 : tensor<f64>
    %2 = stablehlo.is_finite %1 : (tensor<f64>) -> tensor<i1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.select %2, %1, %cst_1 : tensor<i1>, tensor<f64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f64>) -> tensor<1x1xf64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<7x4xf64>
    %6 = stablehlo.subtract %arg0, %5 : tensor<7x4xf64>
    %7 = stablehlo.exponential %6 : tensor<7x4xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %8 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x4xf64>, tensor<f64>) -> tensor<f64>
    %9 = stablehlo.abs %8 : tensor<f64>
    %10 = stablehlo.log %9 : tensor<f64>
    %11 = stablehlo.add %10, %3 : tensor<f64>
    %cst_3 = stablehlo.constant dense<2.800000e+01> : tensor<f64>
    %12 = stablehlo.log %cst_3 : tensor<f64>
    %13 = stablehlo.subtract %11, %12 : tensor<f64>
    return %13 : tensor<f64>
  }
}
