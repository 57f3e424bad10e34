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
// -0.44579899311065674 -1.2949398756027222 0.31842783093452454 1.4223109483718872 0.0 0.0 0.0 0.0 1.4099328517913818 -0.004242526367306709 -1.4184179306030273 0.012727578170597553 0.4279997944831848 0.4279997944831848 -1.7061362266540527 0.8501365780830383 0.9045340418815613 0.9045340418815613 -0.30151134729385376 -1.507556676864624 nan nan nan nan 3.1622777832917053e-28 -0.0 0.0 -3.1622777832917053e-28
// -0.9321823716163635 0.5674898624420166 0.18062114715576172 0.1840713620185852 -474.3416748046875 -158.1138916015625 158.1138916015625 474.3416748046875 -0.0007240950362756848 -0.0007112917955964804 -0.0006984885549172759 0.0021338756196200848 -0.0034089344553649426 -0.001063730102032423 0.0007386051584035158 0.003734059166163206 -0.05482025071978569 0.04568353295326233 0.01827341690659523 -0.00913669541478157 nan nan nan nan -474.3416748046875 -158.1138916015625 158.1138916015625 474.3416748046875
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
// 0.5 0.5 0.5 0.5 0.57421875 0.334716796875 0.7236328125 0.2763671875 0.853515625 0.146484375 0.916015625 0.083984375 0.97412109375 0.9931640625 0.0067138671875 1.0 0.0001220703125 0.5 0.5 nan nan
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
// 0.60009765625 0.60009765625 0.60009765625 0.60009765625 0.78271484375 0.184326171875 1.048828125 0.0594482421875 1.0693359375 -0.1083984375 1.0205078125 -0.0933837890625 1.0 1.0 -6.753206253051758e-05 1.0 0.0 1.0 0.0 nan nan
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
// 1.0 1.0 1.0 1.0 0.91552734375 0.634765625 0.419677734375 0.419677734375 0.07098388671875 0.07098388671875 0.00974273681640625 0.00974273681640625 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
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
// 0.5 0.5 0.5 0.5 0.732421875 0.0235137939453125 1.08203125 -0.08294677734375 1.0869140625 -0.086181640625 1.01171875 -0.01166534423828125 1.0 1.0 0.0 1.0 0.0 nan nan nan nan
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
// -0.1959228515625 -0.04345703125 -0.09912109375 0.338134765625 -0.375 -0.125 0.125 0.375 0.0 0.0 0.0 0.0 -0.0 -0.0 -0.0 0.0 -0.25 0.25 4.589557647705078e-06 0.0 -0.387939453125 -0.0 0.20263671875 0.1854248046875 -0.375 -0.125 0.125 0.375
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
