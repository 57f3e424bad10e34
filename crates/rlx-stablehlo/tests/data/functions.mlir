// xlogy/x float32
// 0.30000001192092896 1.0 2.5 7.0 30.0 0.5 0.0
// -0.20794416964054108 -0.6931471824645996 -1.732867956161499 -4.852030277252197 -20.794414520263672 -0.3465735912322998 0.0
// -0.6931471824645996 -0.6931471824645996 -0.6931471824645996 -0.6931471824645996 -0.6931471824645996 -0.6931471824645996 -0.6931471824645996
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<7xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %2 = stablehlo.compare NE, %arg0, %1, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %3 = stablehlo.compare NE, %0, %0, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %4 = stablehlo.or %2, %3 : tensor<7xi1>
    %5 = stablehlo.log %0 : tensor<7xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<7xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %8 = call @_where(%4, %6, %7) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    return %9, %8 : tensor<f32>, tensor<7xf32>
  }
  func.func private @_where(%arg0: tensor<7xi1>, %arg1: tensor<7xf32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<7xi1>, tensor<7xf32>
    return %0 : tensor<7xf32>
  }
}

// xlogy/y float32
// 0.30000001192092896 1.0 2.5 7.0 30.0 0.5
// -0.6019864082336426 0.0 0.4581453800201416 0.972955048084259 1.7005987167358398 -0.3465735912322998
// 1.6666666269302368 0.5 0.20000000298023224 0.0714285746216774 0.01666666753590107 1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.compare NE, %0, %1, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %3 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %4 = stablehlo.or %2, %3 : tensor<6xi1>
    %5 = stablehlo.log %arg0 : tensor<6xf32>
    %6 = stablehlo.multiply %0, %5 : tensor<6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %8 = call @_where(%4, %6, %7) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    return %9, %8 : tensor<f32>, tensor<6xf32>
  }
  func.func private @_where(%arg0: tensor<6xi1>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}

// xlogy/number float32
// 0.30000001192092896 1.0 2.5 7.0 30.0 0.5 0.0
// -0.20794416964054108 -0.6931471824645996 -1.732867956161499 -4.852030277252197 -20.794414520263672 -0.3465735912322998 0.0
// -0.6931471824645996 -0.6931471824645996 -0.6931471824645996 -0.6931471824645996 -0.6931471824645996 -0.6931471824645996 -0.6931471824645996
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<7xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.compare NE, %arg0, %0, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %2 = stablehlo.compare NE, %cst, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<7xi1>
    %4 = stablehlo.or %1, %3 : tensor<7xi1>
    %5 = stablehlo.log %cst : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %7 = stablehlo.multiply %arg0, %6 : tensor<7xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %9 = call @_where(%4, %7, %8) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    return %10, %9 : tensor<f32>, tensor<7xf32>
  }
  func.func private @_where(%arg0: tensor<7xi1>, %arg1: tensor<7xf32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<7xi1>, tensor<7xf32>
    return %0 : tensor<7xf32>
  }
}

// xlog1py/x float32
// 0.30000001192092896 1.0 2.5 7.0 30.0 0.5 0.0
// 0.12163953483104706 0.40546509623527527 1.0136626958847046 2.8382556438446045 12.163952827453613 0.20273254811763763 0.0
// 0.40546509623527527 0.40546509623527527 0.40546509623527527 0.40546509623527527 0.40546509623527527 0.40546509623527527 0.40546509623527527
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<7xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %2 = stablehlo.compare NE, %arg0, %1, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %3 = stablehlo.compare NE, %0, %0, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %4 = stablehlo.or %2, %3 : tensor<7xi1>
    %5 = stablehlo.log_plus_one %0 : tensor<7xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<7xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %8 = call @_where(%4, %6, %7) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    return %9, %8 : tensor<f32>, tensor<7xf32>
  }
  func.func private @_where(%arg0: tensor<7xi1>, %arg1: tensor<7xf32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<7xi1>, tensor<7xf32>
    return %0 : tensor<7xf32>
  }
}

// entr float32
// 0.30000001192092896 1.0 2.5 7.0 30.0 0.5 0.0
// 0.36119186878204346 -0.0 -2.290726900100708 -13.621370315551758 -102.03591918945312 0.3465735912322998 -0.0
// 0.20397281646728516 -1.0 -1.9162907600402832 -2.9459099769592285 -4.40119743347168 -0.3068528175354004 inf
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<7xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<7xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %1 = stablehlo.compare LT, %arg0, %0, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %4 = stablehlo.compare NE, %arg0, %3, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %5 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
    %6 = stablehlo.or %4, %5 : tensor<7xi1>
    %7 = stablehlo.log %arg0 : tensor<7xf32>
    %8 = stablehlo.multiply %arg0, %7 : tensor<7xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %10 = call @_where(%6, %8, %9) : (tensor<7xi1>, tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %11 = stablehlo.negate %10 : tensor<7xf32>
    %12 = stablehlo.select %1, %2, %11 : tensor<7xi1>, tensor<7xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    return %13, %12 : tensor<f32>, tensor<7xf32>
  }
  func.func private @_where(%arg0: tensor<7xi1>, %arg1: tensor<7xf32>, %arg2: tensor<7xf32>) -> tensor<7xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<7xi1>, tensor<7xf32>
    return %0 : tensor<7xf32>
  }
}

// kl_div float32
// 0.30000001192092896 1.0 2.5 7.0 30.0 0.5
// 0.04675230383872986 0.1931471824645996 2.023594856262207 11.973400115966797 93.33033752441406 0.0
// -0.5108256340026855 0.6931471824645996 1.6094379425048828 2.639057159423828 4.094344615936279 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.compare GT, %arg0, %1, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %4 = stablehlo.compare GT, %0, %3, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %5 = stablehlo.and %2, %4 : tensor<6xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %7 = stablehlo.compare EQ, %arg0, %6, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %9 = stablehlo.compare GE, %0, %8, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %10 = stablehlo.and %7, %9 : tensor<6xi1>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %11 = call @_where(%5, %arg0, %c) : (tensor<6xi1>, tensor<6xf32>, tensor<i32>) -> tensor<6xf32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %12 = call @_where(%5, %0, %c_4) : (tensor<6xi1>, tensor<6xf32>, tensor<i32>) -> tensor<6xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %14 = stablehlo.compare NE, %11, %13, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %15 = stablehlo.compare NE, %11, %11, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %16 = stablehlo.or %14, %15 : tensor<6xi1>
    %17 = stablehlo.log %11 : tensor<6xf32>
    %18 = stablehlo.multiply %11, %17 : tensor<6xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %20 = call @_where_0(%16, %18, %19) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %22 = stablehlo.compare NE, %11, %21, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %23 = stablehlo.compare NE, %12, %12, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %24 = stablehlo.or %22, %23 : tensor<6xi1>
    %25 = stablehlo.log %12 : tensor<6xf32>
    %26 = stablehlo.multiply %11, %25 : tensor<6xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %28 = call @_where_0(%24, %26, %27) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %29 = stablehlo.subtract %20, %28 : tensor<6xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_10 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %30 = call @_where_1(%10, %cst_9, %cst_10) : (tensor<6xi1>, tensor<f32>, tensor<f32>) -> tensor<6xf32>
    %31 = call @_where_0(%5, %29, %30) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %32 = stablehlo.subtract %31, %arg0 : tensor<6xf32>
    %33 = stablehlo.add %32, %0 : tensor<6xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    return %34, %33 : tensor<f32>, tensor<6xf32>
  }
  func.func private @_where(%arg0: tensor<6xi1>, %arg1: tensor<6xf32>, %arg2: tensor<i32>) -> tensor<6xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<6xi1>, tensor<6xf32>
    return %2 : tensor<6xf32>
  }
  func.func private @_where_0(%arg0: tensor<6xi1>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func private @_where_1(%arg0: tensor<6xi1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<6xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.select %arg0, %1, %2 : tensor<6xi1>, tensor<6xf32>
    return %3 : tensor<6xf32>
  }
}

// logit float32
// 0.30000001192092896 0.0 1.0 0.5 0.9990000128746033
// -0.8472977876663208 -inf inf 0.0 6.906767845153809
// 4.761904716491699 inf inf 4.0 1001.013916015625
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<5xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<5xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %1 = stablehlo.subtract %0, %arg0 : tensor<5xf32>
    %2 = stablehlo.divide %arg0, %1 : tensor<5xf32>
    %3 = stablehlo.log %2 : tensor<5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    return %4, %3 : tensor<f32>, tensor<5xf32>
  }
}

// log_ndtr float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0 20.0 -20.0 -300.0 300.0
// -0.4814102053642273 -1.4189677238464355 -0.17275381088256836 -1.8410215377807617 -0.006229031831026077 -0.6931471824645996 -0.6931471824645996 -9.865895878036213e-10 -20.736766815185547 -0.0 -203.9171600341797 -45006.62109375 -0.0
// 0.6172208468639648 1.2904993303739534 0.28759997093917844 1.5251352761609813 0.017637825486916742 0.7978845608028654 0.7978845608028654 6.075882855817698e-09 6.158482604544597 5.520948362159921e-88 20.049753068527853 300.00333325926334 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<13xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<13xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
    %2 = stablehlo.negate %arg0 : tensor<13xf32>
    %cst_0 = stablehlo.constant dense<-1.000000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %4 = stablehlo.maximum %arg0, %3 : tensor<13xf32>
    %5 = call @_where(%1, %2, %4) : (tensor<13xi1>, tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
    %cst_1 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<13xf32>
    %8 = stablehlo.abs %7 : tensor<13xf32>
    %cst_2 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %10 = stablehlo.compare LT, %8, %9, FLOAT : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
    %11 = chlo.erf %7 : tensor<13xf32> -> tensor<13xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %13 = stablehlo.add %12, %11 : tensor<13xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %15 = stablehlo.compare GT, %7, %14, FLOAT : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
    %16 = chlo.erfc %8 : tensor<13xf32> -> tensor<13xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %18 = stablehlo.subtract %17, %16 : tensor<13xf32>
    %19 = chlo.erfc %8 : tensor<13xf32> -> tensor<13xf32>
    %20 = stablehlo.select %15, %18, %19 : tensor<13xi1>, tensor<13xf32>
    %21 = stablehlo.select %10, %13, %20 : tensor<13xi1>, tensor<13xf32>
    %cst_6 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<13xf32>
    %24 = stablehlo.negate %23 : tensor<13xf32>
    %cst_7 = stablehlo.constant dense<-1.000000e+01> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %26 = stablehlo.compare GT, %arg0, %25, FLOAT : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
    %27 = stablehlo.log %23 : tensor<13xf32>
    %cst_8 = stablehlo.constant dense<-1.000000e+01> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %29 = stablehlo.minimum %arg0, %28 : tensor<13xf32>
    %30 = chlo.square %29 : tensor<13xf32> -> tensor<13xf32>
    %cst_9 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %32 = stablehlo.multiply %31, %30 : tensor<13xf32>
    %33 = stablehlo.negate %29 : tensor<13xf32>
    %34 = stablehlo.log %33 : tensor<13xf32>
    %35 = stablehlo.subtract %32, %34 : tensor<13xf32>
    %cst_10 = stablehlo.constant dense<0.918938517> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %37 = stablehlo.subtract %35, %36 : tensor<13xf32>
    %38 = chlo.square %29 : tensor<13xf32> -> tensor<13xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %42 = stablehlo.divide %41, %38 : tensor<13xf32>
    %43 = stablehlo.add %40, %42 : tensor<13xf32>
    %44 = stablehlo.multiply %38, %38 : tensor<13xf32>
    %cst_14 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %46 = stablehlo.divide %45, %44 : tensor<13xf32>
    %47 = stablehlo.add %39, %46 : tensor<13xf32>
    %48 = stablehlo.multiply %44, %38 : tensor<13xf32>
    %cst_15 = stablehlo.constant dense<1.500000e+01> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %50 = stablehlo.divide %49, %48 : tensor<13xf32>
    %51 = stablehlo.add %43, %50 : tensor<13xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<13xf32>
    %53 = stablehlo.add %52, %47 : tensor<13xf32>
    %54 = stablehlo.subtract %53, %51 : tensor<13xf32>
    %55 = stablehlo.log %54 : tensor<13xf32>
    %56 = stablehlo.add %37, %55 : tensor<13xf32>
    %57 = call @_where(%26, %27, %56) : (tensor<13xi1>, tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
    %58 = call @_where(%1, %24, %57) : (tensor<13xi1>, tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.reduce(%58 init: %cst_17) applies stablehlo.add across dimensions = [0] : (tensor<13xf32>, tensor<f32>) -> tensor<f32>
    return %59, %58 : tensor<f32>, tensor<13xf32>
  }
  func.func private @_where(%arg0: tensor<13xi1>, %arg1: tensor<13xf32>, %arg2: tensor<13xf32>) -> tensor<13xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<13xi1>, tensor<13xf32>
    return %0 : tensor<13xf32>
  }
}

// logaddexp2 float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0 20.0 -20.0
// 1.6920452117919922 1.3871265649795532 2.0 1.3219281435012817 2.9367518424987793 1.5849624872207642 1.5849624872207642 6.044394016265869 1.0112272500991821 20.000001907348633 1.0000007152557373
// 0.38102424144744873 0.23534899950027466 0.5 0.20000001788139343 0.7387961149215698 0.3333333134651184 0.3333333134651184 0.9696970582008362 0.007751938886940479 0.9999986886978149 4.768369024077401e-07
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<11xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<11xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<11xf32>
    %2 = stablehlo.subtract %arg0, %0 : tensor<11xf32>
    %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %4 = stablehlo.add %arg0, %0 : tensor<11xf32>
    %5 = stablehlo.abs %2 : tensor<11xf32>
    %6 = stablehlo.negate %5 : tensor<11xf32>
    %cst_0 = stablehlo.constant dense<0.693147182> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %8 = stablehlo.multiply %7, %6 : tensor<11xf32>
    %9 = stablehlo.exponential %8 : tensor<11xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<11xf32>
    %cst_1 = stablehlo.constant dense<1.44269502> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %12 = stablehlo.multiply %11, %10 : tensor<11xf32>
    %13 = stablehlo.add %1, %12 : tensor<11xf32>
    %14 = stablehlo.select %3, %4, %13 : tensor<11xi1>, tensor<11xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<f32>
    return %15, %14 : tensor<f32>, tensor<11xf32>
  }
}

// frexp float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0 20.0 -20.0
// 0.6000000238418579 -0.699999988079071 0.5 -0.5 0.625 0.0 -0.0 0.75 -0.75 0.625 -0.625
// 2.0 1.0 0.5 0.5 0.25 1.0 1.0 0.125 0.125 0.03125 0.03125
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<11xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<11xf32> {jax.result_info = "result[1]"}) {
    %0 = call @frexp(%arg0) : (tensor<11xf32>) -> tensor<11xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<f32>
    return %1, %0 : tensor<f32>, tensor<11xf32>
  }
  func.func private @frexp(%arg0: tensor<11xf32>) -> tensor<11xf32> {
    %0 = stablehlo.abs %arg0 : tensor<11xf32>
    %cst = stablehlo.constant dense<1.17549435E-38> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %cst_0 = stablehlo.constant dense<0x4B000000> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %4 = stablehlo.multiply %arg0, %3 : tensor<11xf32>
    %5 = call @_where(%2, %4, %arg0) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %6 = stablehlo.bitcast_convert %5 : (tensor<11xf32>) -> tensor<11xi32>
    %c = stablehlo.constant dense<-2139095041> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %8 = stablehlo.and %6, %7 : tensor<11xi32>
    %c_1 = stablehlo.constant dense<1056964608> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %10 = stablehlo.or %8, %9 : tensor<11xi32>
    %11 = stablehlo.bitcast_convert %10 : (tensor<11xi32>) -> tensor<11xf32>
    %12 = call @isinf(%arg0) : (tensor<11xf32>) -> tensor<11xi1>
    %13 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %14 = stablehlo.or %12, %13 : tensor<11xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %16 = stablehlo.compare EQ, %arg0, %15, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %17 = stablehlo.or %14, %16 : tensor<11xi1>
    %18 = call @_where(%17, %arg0, %11) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    return %18 : tensor<11xf32>
  }
  func.func private @_where(%arg0: tensor<11xi1>, %arg1: tensor<11xf32>, %arg2: tensor<11xf32>) -> tensor<11xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<11xi1>, tensor<11xf32>
    return %0 : tensor<11xf32>
  }
  func.func private @isinf(%arg0: tensor<11xf32>) -> tensor<11xi1> {
    %0 = stablehlo.abs %arg0 : tensor<11xf32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    return %2 : tensor<11xi1>
  }
}

// ldexp float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0 20.0 -20.0
// 2.4000000953674316 -5.599999904632568 8.0 -8.0 20.0 0.0 -0.0 48.0 -48.0 160.0 -160.0
// 8.0 8.0 8.0 8.0 8.0 1.0 1.0 8.0 8.0 8.0 8.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<11xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<11xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %0 = call @ldexp(%arg0, %c) : (tensor<11xf32>, tensor<i32>) -> tensor<11xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<f32>
    return %1, %0 : tensor<f32>, tensor<11xf32>
  }
  func.func private @ldexp(%arg0: tensor<11xf32>, %arg1: tensor<i32>) -> tensor<11xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1:2 = call @frexp(%arg0) : (tensor<11xf32>) -> (tensor<11xf32>, tensor<11xi32>)
    %2 = stablehlo.convert %1#1 : (tensor<11xi32>) -> tensor<11xf32>
    %3 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %4 = stablehlo.add %2, %3 : tensor<11xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %6 = stablehlo.compare GT, %4, %5, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %8 = stablehlo.multiply %1#0, %7 : tensor<11xf32>
    %9 = call @_where(%6, %8, %1#0) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %11 = stablehlo.compare GT, %4, %10, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %13 = stablehlo.subtract %4, %12 : tensor<11xf32>
    %14 = call @_where(%11, %13, %4) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %16 = stablehlo.power %15, %14 : tensor<11xf32>
    %17 = stablehlo.multiply %9, %16 : tensor<11xf32>
    %18 = call @isinf(%arg0) : (tensor<11xf32>) -> tensor<11xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %20 = stablehlo.compare EQ, %arg0, %19, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %21 = stablehlo.or %18, %20 : tensor<11xi1>
    %22 = call @_where(%21, %arg0, %17) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    return %22 : tensor<11xf32>
  }
  func.func private @frexp(%arg0: tensor<11xf32>) -> (tensor<11xf32>, tensor<11xi32>) {
    %0 = stablehlo.abs %arg0 : tensor<11xf32>
    %cst = stablehlo.constant dense<1.17549435E-38> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %cst_0 = stablehlo.constant dense<0x4B000000> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %4 = stablehlo.multiply %arg0, %3 : tensor<11xf32>
    %5 = call @_where(%2, %4, %arg0) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %c = stablehlo.constant dense<-23> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %6 = call @_where_0(%2, %c, %c_1) : (tensor<11xi1>, tensor<i32>, tensor<i32>) -> tensor<11xi32>
    %7 = stablehlo.bitcast_convert %5 : (tensor<11xf32>) -> tensor<11xi32>
    %c_2 = stablehlo.constant dense<23> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %9 = stablehlo.shift_right_arithmetic %7, %8 : tensor<11xi32>
    %c_3 = stablehlo.constant dense<255> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %11 = stablehlo.and %9, %10 : tensor<11xi32>
    %c_4 = stablehlo.constant dense<127> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %13 = stablehlo.subtract %11, %12 : tensor<11xi32>
    %c_5 = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %15 = stablehlo.add %13, %14 : tensor<11xi32>
    %16 = stablehlo.add %6, %15 : tensor<11xi32>
    %c_6 = stablehlo.constant dense<-2139095041> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %18 = stablehlo.and %7, %17 : tensor<11xi32>
    %c_7 = stablehlo.constant dense<1056964608> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %20 = stablehlo.or %18, %19 : tensor<11xi32>
    %21 = stablehlo.bitcast_convert %20 : (tensor<11xi32>) -> tensor<11xf32>
    %22 = call @isinf(%arg0) : (tensor<11xf32>) -> tensor<11xi1>
    %23 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %24 = stablehlo.or %22, %23 : tensor<11xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %26 = stablehlo.compare EQ, %arg0, %25, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %27 = stablehlo.or %24, %26 : tensor<11xi1>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %29 = call @_where_1(%27, %28, %16) : (tensor<11xi1>, tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
    %30 = call @_where(%27, %arg0, %21) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    return %30, %29 : tensor<11xf32>, tensor<11xi32>
  }
  func.func private @_where(%arg0: tensor<11xi1>, %arg1: tensor<11xf32>, %arg2: tensor<11xf32>) -> tensor<11xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<11xi1>, tensor<11xf32>
    return %0 : tensor<11xf32>
  }
  func.func private @_where_0(%arg0: tensor<11xi1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<11xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<11xi1>, tensor<11xi32>
    return %2 : tensor<11xi32>
  }
  func.func private @isinf(%arg0: tensor<11xf32>) -> tensor<11xi1> {
    %0 = stablehlo.abs %arg0 : tensor<11xf32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    return %2 : tensor<11xi1>
  }
  func.func private @_where_1(%arg0: tensor<11xi1>, %arg1: tensor<11xi32>, %arg2: tensor<11xi32>) -> tensor<11xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<11xi1>, tensor<11xi32>
    return %0 : tensor<11xi32>
  }
}

// i0e float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0 20.0 -20.0
// 0.757580578327179 0.5593055486679077 0.46575963497161865 0.46575963497161865 0.2700464725494385 1.0000001192092896 1.0000001192092896 0.1666574478149414 0.1666574478149414 0.0897803008556366 0.0897803008556366
// -0.6452029943466187 0.37463557720184326 -0.25784921646118164 0.25784921646118164 -0.06346184015274048 0.0 0.0 -0.014605939388275146 0.014605939388275146 -0.0022740811109542847 0.0022740811109542847
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<11xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<11xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.abs %arg0 : tensor<11xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %4 = stablehlo.multiply %1, %0 : tensor<11xf32>
    %5 = stablehlo.subtract %4, %2 : tensor<11xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %9 = stablehlo.multiply %5, %6 : tensor<11xf32>
    %10 = stablehlo.subtract %9, %7 : tensor<11xf32>
    %cst_5 = stablehlo.constant dense<-1.30002498E-8> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %12 = stablehlo.add %10, %11 : tensor<11xf32>
    %13 = stablehlo.multiply %5, %12 : tensor<11xf32>
    %14 = stablehlo.subtract %13, %6 : tensor<11xf32>
    %cst_6 = stablehlo.constant dense<6.04699508E-8> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %16 = stablehlo.add %14, %15 : tensor<11xf32>
    %17 = stablehlo.multiply %5, %16 : tensor<11xf32>
    %18 = stablehlo.subtract %17, %12 : tensor<11xf32>
    %cst_7 = stablehlo.constant dense<-2.67079372E-7> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %20 = stablehlo.add %18, %19 : tensor<11xf32>
    %21 = stablehlo.multiply %5, %20 : tensor<11xf32>
    %22 = stablehlo.subtract %21, %16 : tensor<11xf32>
    %cst_8 = stablehlo.constant dense<1.11738757E-6> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %24 = stablehlo.add %22, %23 : tensor<11xf32>
    %25 = stablehlo.multiply %5, %24 : tensor<11xf32>
    %26 = stablehlo.subtract %25, %20 : tensor<11xf32>
    %cst_9 = stablehlo.constant dense<-4.41673819E-6> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %28 = stablehlo.add %26, %27 : tensor<11xf32>
    %29 = stablehlo.multiply %5, %28 : tensor<11xf32>
    %30 = stablehlo.subtract %29, %24 : tensor<11xf32>
    %cst_10 = stablehlo.constant dense<1.64484482E-5> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %32 = stablehlo.add %30, %31 : tensor<11xf32>
    %33 = stablehlo.multiply %5, %32 : tensor<11xf32>
    %34 = stablehlo.subtract %33, %28 : tensor<11xf32>
    %cst_11 = stablehlo.constant dense<-5.75419508E-5> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %36 = stablehlo.add %34, %35 : tensor<11xf32>
    %37 = stablehlo.multiply %5, %36 : tensor<11xf32>
    %38 = stablehlo.subtract %37, %32 : tensor<11xf32>
    %cst_12 = stablehlo.constant dense<1.88502891E-4> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %40 = stablehlo.add %38, %39 : tensor<11xf32>
    %41 = stablehlo.multiply %5, %40 : tensor<11xf32>
    %42 = stablehlo.subtract %41, %36 : tensor<11xf32>
    %cst_13 = stablehlo.constant dense<-5.76375576E-4> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %44 = stablehlo.add %42, %43 : tensor<11xf32>
    %45 = stablehlo.multiply %5, %44 : tensor<11xf32>
    %46 = stablehlo.subtract %45, %40 : tensor<11xf32>
    %cst_14 = stablehlo.constant dense<0.00163947558> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %48 = stablehlo.add %46, %47 : tensor<11xf32>
    %49 = stablehlo.multiply %5, %48 : tensor<11xf32>
    %50 = stablehlo.subtract %49, %44 : tensor<11xf32>
    %cst_15 = stablehlo.constant dense<-4.324310e-03> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %52 = stablehlo.add %50, %51 : tensor<11xf32>
    %53 = stablehlo.multiply %5, %52 : tensor<11xf32>
    %54 = stablehlo.subtract %53, %48 : tensor<11xf32>
    %cst_16 = stablehlo.constant dense<0.0105464607> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %56 = stablehlo.add %54, %55 : tensor<11xf32>
    %57 = stablehlo.multiply %5, %56 : tensor<11xf32>
    %58 = stablehlo.subtract %57, %52 : tensor<11xf32>
    %cst_17 = stablehlo.constant dense<-0.0237374157> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %60 = stablehlo.add %58, %59 : tensor<11xf32>
    %61 = stablehlo.multiply %5, %60 : tensor<11xf32>
    %62 = stablehlo.subtract %61, %56 : tensor<11xf32>
    %cst_18 = stablehlo.constant dense<0.0493052825> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %64 = stablehlo.add %62, %63 : tensor<11xf32>
    %65 = stablehlo.multiply %5, %64 : tensor<11xf32>
    %66 = stablehlo.subtract %65, %60 : tensor<11xf32>
    %cst_19 = stablehlo.constant dense<-9.490110e-02> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %68 = stablehlo.add %66, %67 : tensor<11xf32>
    %69 = stablehlo.multiply %5, %68 : tensor<11xf32>
    %70 = stablehlo.subtract %69, %64 : tensor<11xf32>
    %cst_20 = stablehlo.constant dense<0.171620905> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %72 = stablehlo.add %70, %71 : tensor<11xf32>
    %73 = stablehlo.multiply %5, %72 : tensor<11xf32>
    %74 = stablehlo.subtract %73, %68 : tensor<11xf32>
    %cst_21 = stablehlo.constant dense<-0.304682672> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %76 = stablehlo.add %74, %75 : tensor<11xf32>
    %77 = stablehlo.multiply %5, %76 : tensor<11xf32>
    %78 = stablehlo.subtract %77, %72 : tensor<11xf32>
    %cst_22 = stablehlo.constant dense<0.676795303> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %80 = stablehlo.add %78, %79 : tensor<11xf32>
    %81 = stablehlo.subtract %80, %72 : tensor<11xf32>
    %cst_23 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %83 = stablehlo.multiply %82, %81 : tensor<11xf32>
    %84 = stablehlo.divide %3, %0 : tensor<11xf32>
    %85 = stablehlo.subtract %84, %2 : tensor<11xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %89 = stablehlo.multiply %85, %86 : tensor<11xf32>
    %90 = stablehlo.subtract %89, %87 : tensor<11xf32>
    %cst_27 = stablehlo.constant dense<3.39623196E-9> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %92 = stablehlo.add %90, %91 : tensor<11xf32>
    %93 = stablehlo.multiply %85, %92 : tensor<11xf32>
    %94 = stablehlo.subtract %93, %86 : tensor<11xf32>
    %cst_28 = stablehlo.constant dense<2.26666899E-8> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %96 = stablehlo.add %94, %95 : tensor<11xf32>
    %97 = stablehlo.multiply %85, %96 : tensor<11xf32>
    %98 = stablehlo.subtract %97, %92 : tensor<11xf32>
    %cst_29 = stablehlo.constant dense<2.04891862E-7> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %100 = stablehlo.add %98, %99 : tensor<11xf32>
    %101 = stablehlo.multiply %85, %100 : tensor<11xf32>
    %102 = stablehlo.subtract %101, %96 : tensor<11xf32>
    %cst_30 = stablehlo.constant dense<2.89137051E-6> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %104 = stablehlo.add %102, %103 : tensor<11xf32>
    %105 = stablehlo.multiply %85, %104 : tensor<11xf32>
    %106 = stablehlo.subtract %105, %100 : tensor<11xf32>
    %cst_31 = stablehlo.constant dense<6.88975852E-5> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %108 = stablehlo.add %106, %107 : tensor<11xf32>
    %109 = stablehlo.multiply %85, %108 : tensor<11xf32>
    %110 = stablehlo.subtract %109, %104 : tensor<11xf32>
    %cst_32 = stablehlo.constant dense<0.00336911646> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %112 = stablehlo.add %110, %111 : tensor<11xf32>
    %113 = stablehlo.multiply %85, %112 : tensor<11xf32>
    %114 = stablehlo.subtract %113, %108 : tensor<11xf32>
    %cst_33 = stablehlo.constant dense<0.804490387> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %116 = stablehlo.add %114, %115 : tensor<11xf32>
    %117 = stablehlo.subtract %116, %108 : tensor<11xf32>
    %cst_34 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %119 = stablehlo.multiply %118, %117 : tensor<11xf32>
    %120 = stablehlo.sqrt %0 : tensor<11xf32>
    %121 = stablehlo.divide %119, %120 : tensor<11xf32>
    %cst_35 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %123 = stablehlo.compare LE, %0, %122, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %124 = stablehlo.select %123, %83, %121 : tensor<11xi1>, tensor<11xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.reduce(%124 init: %cst_36) applies stablehlo.add across dimensions = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<f32>
    return %125, %124 : tensor<f32>, tensor<11xf32>
  }
}

// i1e float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0 20.0 -20.0
// 0.11237756907939911 -0.18466998636722565 0.207910418510437 -0.207910418510437 0.206584632396698 0.0 -0.0 0.15205150842666626 -0.15205150842666626 0.08750621974468231 -0.08750621974468231
// 0.27061113715171814 0.11082129180431366 0.04993879795074463 0.04993879795074463 -0.019172007218003273 0.5 0.5 -0.010735972784459591 -0.010735972784459591 -0.0021012257784605026 -0.0021012257784605026
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<11xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<11xf32> {jax.result_info = "result[1]"}) {
    %0 = chlo.bessel_i1e %arg0 : tensor<11xf32> -> tensor<11xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<f32>
    return %1, %0 : tensor<f32>, tensor<11xf32>
  }
}

// i0 float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0 20.0 -20.0
// 1.0226267576217651 1.1263030767440796 1.2660659551620483 1.2660659551620483 3.289839506149292 1.0000001192092896 1.0000001192092896 67.23441314697266 67.23441314697266 43558276.0 43558276.0
// 0.15169383585453033 -0.3718796670436859 0.5651591420173645 -0.5651591420173645 2.5167160034179688 0.0 0.0 61.341957092285156 -61.341957092285156 42454972.0 -42454972.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<11xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<11xf32> {jax.result_info = "result[1]"}) {
    %0 = call @i0(%arg0) : (tensor<11xf32>) -> tensor<11xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<f32>
    return %1, %0 : tensor<f32>, tensor<11xf32>
  }
  func.func private @i0(%arg0: tensor<11xf32>) -> tensor<11xf32> {
    %0 = stablehlo.abs %arg0 : tensor<11xf32>
    %1 = stablehlo.exponential %0 : tensor<11xf32>
    %2 = stablehlo.abs %0 : tensor<11xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %6 = stablehlo.multiply %3, %2 : tensor<11xf32>
    %7 = stablehlo.subtract %6, %4 : tensor<11xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %11 = stablehlo.multiply %7, %8 : tensor<11xf32>
    %12 = stablehlo.subtract %11, %9 : tensor<11xf32>
    %cst_5 = stablehlo.constant dense<-1.30002498E-8> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %14 = stablehlo.add %12, %13 : tensor<11xf32>
    %15 = stablehlo.multiply %7, %14 : tensor<11xf32>
    %16 = stablehlo.subtract %15, %8 : tensor<11xf32>
    %cst_6 = stablehlo.constant dense<6.04699508E-8> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %18 = stablehlo.add %16, %17 : tensor<11xf32>
    %19 = stablehlo.multiply %7, %18 : tensor<11xf32>
    %20 = stablehlo.subtract %19, %14 : tensor<11xf32>
    %cst_7 = stablehlo.constant dense<-2.67079372E-7> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %22 = stablehlo.add %20, %21 : tensor<11xf32>
    %23 = stablehlo.multiply %7, %22 : tensor<11xf32>
    %24 = stablehlo.subtract %23, %18 : tensor<11xf32>
    %cst_8 = stablehlo.constant dense<1.11738757E-6> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %26 = stablehlo.add %24, %25 : tensor<11xf32>
    %27 = stablehlo.multiply %7, %26 : tensor<11xf32>
    %28 = stablehlo.subtract %27, %22 : tensor<11xf32>
    %cst_9 = stablehlo.constant dense<-4.41673819E-6> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %30 = stablehlo.add %28, %29 : tensor<11xf32>
    %31 = stablehlo.multiply %7, %30 : tensor<11xf32>
    %32 = stablehlo.subtract %31, %26 : tensor<11xf32>
    %cst_10 = stablehlo.constant dense<1.64484482E-5> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %34 = stablehlo.add %32, %33 : tensor<11xf32>
    %35 = stablehlo.multiply %7, %34 : tensor<11xf32>
    %36 = stablehlo.subtract %35, %30 : tensor<11xf32>
    %cst_11 = stablehlo.constant dense<-5.75419508E-5> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %38 = stablehlo.add %36, %37 : tensor<11xf32>
    %39 = stablehlo.multiply %7, %38 : tensor<11xf32>
    %40 = stablehlo.subtract %39, %34 : tensor<11xf32>
    %cst_12 = stablehlo.constant dense<1.88502891E-4> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %42 = stablehlo.add %40, %41 : tensor<11xf32>
    %43 = stablehlo.multiply %7, %42 : tensor<11xf32>
    %44 = stablehlo.subtract %43, %38 : tensor<11xf32>
    %cst_13 = stablehlo.constant dense<-5.76375576E-4> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %46 = stablehlo.add %44, %45 : tensor<11xf32>
    %47 = stablehlo.multiply %7, %46 : tensor<11xf32>
    %48 = stablehlo.subtract %47, %42 : tensor<11xf32>
    %cst_14 = stablehlo.constant dense<0.00163947558> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %50 = stablehlo.add %48, %49 : tensor<11xf32>
    %51 = stablehlo.multiply %7, %50 : tensor<11xf32>
    %52 = stablehlo.subtract %51, %46 : tensor<11xf32>
    %cst_15 = stablehlo.constant dense<-4.324310e-03> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %54 = stablehlo.add %52, %53 : tensor<11xf32>
    %55 = stablehlo.multiply %7, %54 : tensor<11xf32>
    %56 = stablehlo.subtract %55, %50 : tensor<11xf32>
    %cst_16 = stablehlo.constant dense<0.0105464607> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %58 = stablehlo.add %56, %57 : tensor<11xf32>
    %59 = stablehlo.multiply %7, %58 : tensor<11xf32>
    %60 = stablehlo.subtract %59, %54 : tensor<11xf32>
    %cst_17 = stablehlo.constant dense<-0.0237374157> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %62 = stablehlo.add %60, %61 : tensor<11xf32>
    %63 = stablehlo.multiply %7, %62 : tensor<11xf32>
    %64 = stablehlo.subtract %63, %58 : tensor<11xf32>
    %cst_18 = stablehlo.constant dense<0.0493052825> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %66 = stablehlo.add %64, %65 : tensor<11xf32>
    %67 = stablehlo.multiply %7, %66 : tensor<11xf32>
    %68 = stablehlo.subtract %67, %62 : tensor<11xf32>
    %cst_19 = stablehlo.constant dense<-9.490110e-02> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %70 = stablehlo.add %68, %69 : tensor<11xf32>
    %71 = stablehlo.multiply %7, %70 : tensor<11xf32>
    %72 = stablehlo.subtract %71, %66 : tensor<11xf32>
    %cst_20 = stablehlo.constant dense<0.171620905> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %74 = stablehlo.add %72, %73 : tensor<11xf32>
    %75 = stablehlo.multiply %7, %74 : tensor<11xf32>
    %76 = stablehlo.subtract %75, %70 : tensor<11xf32>
    %cst_21 = stablehlo.constant dense<-0.304682672> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %78 = stablehlo.add %76, %77 : tensor<11xf32>
    %79 = stablehlo.multiply %7, %78 : tensor<11xf32>
    %80 = stablehlo.subtract %79, %74 : tensor<11xf32>
    %cst_22 = stablehlo.constant dense<0.676795303> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %82 = stablehlo.add %80, %81 : tensor<11xf32>
    %83 = stablehlo.subtract %82, %74 : tensor<11xf32>
    %cst_23 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %85 = stablehlo.multiply %84, %83 : tensor<11xf32>
    %86 = stablehlo.divide %5, %2 : tensor<11xf32>
    %87 = stablehlo.subtract %86, %4 : tensor<11xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %91 = stablehlo.multiply %87, %88 : tensor<11xf32>
    %92 = stablehlo.subtract %91, %89 : tensor<11xf32>
    %cst_27 = stablehlo.constant dense<3.39623196E-9> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %94 = stablehlo.add %92, %93 : tensor<11xf32>
    %95 = stablehlo.multiply %87, %94 : tensor<11xf32>
    %96 = stablehlo.subtract %95, %88 : tensor<11xf32>
    %cst_28 = stablehlo.constant dense<2.26666899E-8> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %98 = stablehlo.add %96, %97 : tensor<11xf32>
    %99 = stablehlo.multiply %87, %98 : tensor<11xf32>
    %100 = stablehlo.subtract %99, %94 : tensor<11xf32>
    %cst_29 = stablehlo.constant dense<2.04891862E-7> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %102 = stablehlo.add %100, %101 : tensor<11xf32>
    %103 = stablehlo.multiply %87, %102 : tensor<11xf32>
    %104 = stablehlo.subtract %103, %98 : tensor<11xf32>
    %cst_30 = stablehlo.constant dense<2.89137051E-6> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %106 = stablehlo.add %104, %105 : tensor<11xf32>
    %107 = stablehlo.multiply %87, %106 : tensor<11xf32>
    %108 = stablehlo.subtract %107, %102 : tensor<11xf32>
    %cst_31 = stablehlo.constant dense<6.88975852E-5> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %110 = stablehlo.add %108, %109 : tensor<11xf32>
    %111 = stablehlo.multiply %87, %110 : tensor<11xf32>
    %112 = stablehlo.subtract %111, %106 : tensor<11xf32>
    %cst_32 = stablehlo.constant dense<0.00336911646> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %114 = stablehlo.add %112, %113 : tensor<11xf32>
    %115 = stablehlo.multiply %87, %114 : tensor<11xf32>
    %116 = stablehlo.subtract %115, %110 : tensor<11xf32>
    %cst_33 = stablehlo.constant dense<0.804490387> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %118 = stablehlo.add %116, %117 : tensor<11xf32>
    %119 = stablehlo.subtract %118, %110 : tensor<11xf32>
    %cst_34 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %121 = stablehlo.multiply %120, %119 : tensor<11xf32>
    %122 = stablehlo.sqrt %2 : tensor<11xf32>
    %123 = stablehlo.divide %121, %122 : tensor<11xf32>
    %cst_35 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %125 = stablehlo.compare LE, %2, %124, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %126 = stablehlo.select %125, %85, %123 : tensor<11xi1>, tensor<11xf32>
    %127 = stablehlo.multiply %1, %126 : tensor<11xf32>
    return %127 : tensor<11xf32>
  }
}

// dawsn float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0 20.0 -20.0
// 0.28263166546821594 -0.5105040669441223 0.5380795001983643 -0.5380795001983643 0.2230837345123291 0.0 -0.0 0.08454269170761108 -0.08454269170761108 0.02503136731684208 -0.02503136731684208
// 0.830420970916748 0.2852943241596222 -0.07615900039672852 -0.07615900039672852 -0.11541867256164551 1.0 1.0 -0.014512300491333008 -0.014512300491333008 -0.0012546926736831665 -0.0012546926736831665
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<11xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<11xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[1.13681495E-11, 8.49262271E-10, 1.94434211E-8, 9.53151754E-7, 3.07828304E-6, 3.52513365E-4, -8.50149838E-4, 0.042261824, -0.0917480364, 1.000000e+00]> : tensor<10xf32>
    %cst_0 = stablehlo.constant dense<[2.4037208E-11, 1.48864676E-9, 5.21265271E-8, 1.27258477E-6, 2.32490256E-5, 3.25524743E-4, 0.00348805822, 0.0279448535, 0.158874243, 0.574918628, 1.000000e+00]> : tensor<11xf32>
    %cst_1 = stablehlo.constant dense<[0.508955181, -0.244754419, 0.0941512361, -0.0218711253, 0.00366207608, -4.23209101E-4, 3.59641308E-5, -2.14640363E-6, 9.10010768E-8, -2.40274511E-9, 3.59233372E-11]> : tensor<11xf32>
    %cst_2 = stablehlo.constant dense<[1.000000e+00, -0.631839871, 0.236706793, -0.053180635, 0.00848041754, -9.47996741E-4, 7.81025592E-5, -4.5587517E-6, 1.89100362E-7, -4.9132467E-9, 7.18466397E-11]> : tensor<11xf32>
    %cst_3 = stablehlo.constant dense<[-0.590592861, 0.629235268, -0.172858968, 0.0164837055, -4.86827601E-4]> : tensor<5xf32>
    %cst_4 = stablehlo.constant dense<[1.000000e+00, -2.69820046, 1.73270798, -0.393708587, 0.0344278924, -9.73655202E-4]> : tensor<6xf32>
    %0 = stablehlo.sign %arg0 : tensor<11xf32>
    %1 = stablehlo.abs %arg0 : tensor<11xf32>
    %2 = chlo.square %1 : tensor<11xf32> -> tensor<11xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %4 = stablehlo.divide %3, %2 : tensor<11xf32>
    %cst_6 = stablehlo.constant dense<3.250000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %6 = stablehlo.compare LT, %1, %5, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %8 = stablehlo.select %6, %1, %7 : tensor<11xi1>, tensor<11xf32>
    %9 = chlo.square %8 : tensor<11xf32> -> tensor<11xf32>
    %10 = call @polyval(%cst, %9) : (tensor<10xf32>, tensor<11xf32>) -> tensor<11xf32>
    %11 = stablehlo.multiply %8, %10 : tensor<11xf32>
    %12 = call @polyval_0(%cst_0, %9) : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %13 = stablehlo.divide %11, %12 : tensor<11xf32>
    %cst_8 = stablehlo.constant dense<3.250000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %15 = stablehlo.compare GE, %1, %14, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %cst_9 = stablehlo.constant dense<6.250000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %17 = stablehlo.compare LT, %1, %16, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %18 = stablehlo.and %15, %17 : tensor<11xi1>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %20 = stablehlo.select %18, %4, %19 : tensor<11xi1>, tensor<11xf32>
    %cst_11 = stablehlo.constant dense<3.250000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %22 = stablehlo.compare GE, %1, %21, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %cst_12 = stablehlo.constant dense<6.250000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %24 = stablehlo.compare LT, %1, %23, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %25 = stablehlo.and %22, %24 : tensor<11xi1>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %27 = stablehlo.select %25, %1, %26 : tensor<11xi1>, tensor<11xf32>
    %cst_14 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %29 = stablehlo.divide %28, %27 : tensor<11xf32>
    %30 = call @polyval_0(%cst_1, %20) : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %31 = stablehlo.multiply %20, %30 : tensor<11xf32>
    %32 = call @polyval_0(%cst_2, %20) : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %33 = stablehlo.divide %31, %32 : tensor<11xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %35 = stablehlo.add %34, %33 : tensor<11xf32>
    %36 = stablehlo.multiply %29, %35 : tensor<11xf32>
    %cst_16 = stablehlo.constant dense<6.250000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %38 = stablehlo.compare GE, %1, %37, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %40 = stablehlo.select %38, %4, %39 : tensor<11xi1>, tensor<11xf32>
    %cst_18 = stablehlo.constant dense<6.250000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %42 = stablehlo.compare GE, %1, %41, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %44 = stablehlo.select %42, %1, %43 : tensor<11xi1>, tensor<11xf32>
    %cst_20 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %46 = stablehlo.divide %45, %44 : tensor<11xf32>
    %47 = call @polyval_2(%cst_3, %40) : (tensor<5xf32>, tensor<11xf32>) -> tensor<11xf32>
    %48 = stablehlo.multiply %40, %47 : tensor<11xf32>
    %49 = call @polyval_4(%cst_4, %40) : (tensor<6xf32>, tensor<11xf32>) -> tensor<11xf32>
    %50 = stablehlo.divide %48, %49 : tensor<11xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %52 = stablehlo.add %51, %50 : tensor<11xf32>
    %53 = stablehlo.multiply %46, %52 : tensor<11xf32>
    %cst_22 = stablehlo.constant dense<3.250000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %55 = stablehlo.compare LT, %1, %54, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %cst_23 = stablehlo.constant dense<6.250000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %57 = stablehlo.compare LT, %1, %56, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %58 = stablehlo.select %57, %36, %53 : tensor<11xi1>, tensor<11xf32>
    %59 = stablehlo.select %55, %13, %58 : tensor<11xi1>, tensor<11xf32>
    %60 = stablehlo.multiply %0, %59 : tensor<11xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %61 = stablehlo.reduce(%60 init: %cst_24) applies stablehlo.add across dimensions = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<f32>
    return %61, %60 : tensor<f32>, tensor<11xf32>
  }
  func.func private @polyval(%arg0: tensor<10xf32>, %arg1: tensor<11xf32>) -> tensor<11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %1 = stablehlo.slice %arg0 [0:0] : (tensor<10xf32>) -> tensor<0xf32>
    %2 = stablehlo.slice %arg0 [0:10] : (tensor<10xf32>) -> tensor<10xf32>
    %3 = stablehlo.slice %2 [0:1] : (tensor<10xf32>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = call @closed_call(%arg1, %0, %4) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %6 = stablehlo.slice %2 [1:2] : (tensor<10xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = call @closed_call(%arg1, %5, %7) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %9 = stablehlo.slice %2 [2:3] : (tensor<10xf32>) -> tensor<1xf32>
    %10 = stablehlo.reshape %9 : (tensor<1xf32>) -> tensor<f32>
    %11 = call @closed_call(%arg1, %8, %10) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %12 = stablehlo.slice %2 [3:4] : (tensor<10xf32>) -> tensor<1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
    %14 = call @closed_call(%arg1, %11, %13) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %15 = stablehlo.slice %2 [4:5] : (tensor<10xf32>) -> tensor<1xf32>
    %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
    %17 = call @closed_call(%arg1, %14, %16) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %18 = stablehlo.slice %2 [5:6] : (tensor<10xf32>) -> tensor<1xf32>
    %19 = stablehlo.reshape %18 : (tensor<1xf32>) -> tensor<f32>
    %20 = call @closed_call(%arg1, %17, %19) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %21 = stablehlo.slice %2 [6:7] : (tensor<10xf32>) -> tensor<1xf32>
    %22 = stablehlo.reshape %21 : (tensor<1xf32>) -> tensor<f32>
    %23 = call @closed_call(%arg1, %20, %22) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %24 = stablehlo.slice %2 [7:8] : (tensor<10xf32>) -> tensor<1xf32>
    %25 = stablehlo.reshape %24 : (tensor<1xf32>) -> tensor<f32>
    %26 = call @closed_call(%arg1, %23, %25) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %27 = stablehlo.slice %2 [8:9] : (tensor<10xf32>) -> tensor<1xf32>
    %28 = stablehlo.reshape %27 : (tensor<1xf32>) -> tensor<f32>
    %29 = call @closed_call(%arg1, %26, %28) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %30 = stablehlo.slice %2 [9:10] : (tensor<10xf32>) -> tensor<1xf32>
    %31 = stablehlo.reshape %30 : (tensor<1xf32>) -> tensor<f32>
    %32 = call @closed_call(%arg1, %29, %31) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    return %32 : tensor<11xf32>
  }
  func.func private @closed_call(%arg0: tensor<11xf32>, %arg1: tensor<11xf32>, %arg2: tensor<f32>) -> tensor<11xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<11xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.add %0, %1 : tensor<11xf32>
    return %2 : tensor<11xf32>
  }
  func.func private @polyval_0(%arg0: tensor<11xf32>, %arg1: tensor<11xf32>) -> tensor<11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %1 = stablehlo.slice %arg0 [0:0] : (tensor<11xf32>) -> tensor<0xf32>
    %2 = stablehlo.slice %arg0 [0:11] : (tensor<11xf32>) -> tensor<11xf32>
    %3 = stablehlo.slice %2 [0:1] : (tensor<11xf32>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = call @closed_call_1(%arg1, %0, %4) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %6 = stablehlo.slice %2 [1:2] : (tensor<11xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = call @closed_call_1(%arg1, %5, %7) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %9 = stablehlo.slice %2 [2:3] : (tensor<11xf32>) -> tensor<1xf32>
    %10 = stablehlo.reshape %9 : (tensor<1xf32>) -> tensor<f32>
    %11 = call @closed_call_1(%arg1, %8, %10) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %12 = stablehlo.slice %2 [3:4] : (tensor<11xf32>) -> tensor<1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
    %14 = call @closed_call_1(%arg1, %11, %13) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %15 = stablehlo.slice %2 [4:5] : (tensor<11xf32>) -> tensor<1xf32>
    %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
    %17 = call @closed_call_1(%arg1, %14, %16) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %18 = stablehlo.slice %2 [5:6] : (tensor<11xf32>) -> tensor<1xf32>
    %19 = stablehlo.reshape %18 : (tensor<1xf32>) -> tensor<f32>
    %20 = call @closed_call_1(%arg1, %17, %19) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %21 = stablehlo.slice %2 [6:7] : (tensor<11xf32>) -> tensor<1xf32>
    %22 = stablehlo.reshape %21 : (tensor<1xf32>) -> tensor<f32>
    %23 = call @closed_call_1(%arg1, %20, %22) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %24 = stablehlo.slice %2 [7:8] : (tensor<11xf32>) -> tensor<1xf32>
    %25 = stablehlo.reshape %24 : (tensor<1xf32>) -> tensor<f32>
    %26 = call @closed_call_1(%arg1, %23, %25) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %27 = stablehlo.slice %2 [8:9] : (tensor<11xf32>) -> tensor<1xf32>
    %28 = stablehlo.reshape %27 : (tensor<1xf32>) -> tensor<f32>
    %29 = call @closed_call_1(%arg1, %26, %28) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %30 = stablehlo.slice %2 [9:10] : (tensor<11xf32>) -> tensor<1xf32>
    %31 = stablehlo.reshape %30 : (tensor<1xf32>) -> tensor<f32>
    %32 = call @closed_call_1(%arg1, %29, %31) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %33 = stablehlo.slice %2 [10:11] : (tensor<11xf32>) -> tensor<1xf32>
    %34 = stablehlo.reshape %33 : (tensor<1xf32>) -> tensor<f32>
    %35 = call @closed_call_1(%arg1, %32, %34) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    return %35 : tensor<11xf32>
  }
  func.func private @closed_call_1(%arg0: tensor<11xf32>, %arg1: tensor<11xf32>, %arg2: tensor<f32>) -> tensor<11xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<11xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.add %0, %1 : tensor<11xf32>
    return %2 : tensor<11xf32>
  }
  func.func private @polyval_2(%arg0: tensor<5xf32>, %arg1: tensor<11xf32>) -> tensor<11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %1 = stablehlo.slice %arg0 [0:0] : (tensor<5xf32>) -> tensor<0xf32>
    %2 = stablehlo.slice %arg0 [0:5] : (tensor<5xf32>) -> tensor<5xf32>
    %3 = stablehlo.slice %2 [0:1] : (tensor<5xf32>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = call @closed_call_3(%arg1, %0, %4) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %6 = stablehlo.slice %2 [1:2] : (tensor<5xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = call @closed_call_3(%arg1, %5, %7) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %9 = stablehlo.slice %2 [2:3] : (tensor<5xf32>) -> tensor<1xf32>
    %10 = stablehlo.reshape %9 : (tensor<1xf32>) -> tensor<f32>
    %11 = call @closed_call_3(%arg1, %8, %10) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %12 = stablehlo.slice %2 [3:4] : (tensor<5xf32>) -> tensor<1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
    %14 = call @closed_call_3(%arg1, %11, %13) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %15 = stablehlo.slice %2 [4:5] : (tensor<5xf32>) -> tensor<1xf32>
    %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
    %17 = call @closed_call_3(%arg1, %14, %16) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    return %17 : tensor<11xf32>
  }
  func.func private @closed_call_3(%arg0: tensor<11xf32>, %arg1: tensor<11xf32>, %arg2: tensor<f32>) -> tensor<11xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<11xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.add %0, %1 : tensor<11xf32>
    return %2 : tensor<11xf32>
  }
  func.func private @polyval_4(%arg0: tensor<6xf32>, %arg1: tensor<11xf32>) -> tensor<11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %1 = stablehlo.slice %arg0 [0:0] : (tensor<6xf32>) -> tensor<0xf32>
    %2 = stablehlo.slice %arg0 [0:6] : (tensor<6xf32>) -> tensor<6xf32>
    %3 = stablehlo.slice %2 [0:1] : (tensor<6xf32>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = call @closed_call_5(%arg1, %0, %4) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %6 = stablehlo.slice %2 [1:2] : (tensor<6xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = call @closed_call_5(%arg1, %5, %7) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %9 = stablehlo.slice %2 [2:3] : (tensor<6xf32>) -> tensor<1xf32>
    %10 = stablehlo.reshape %9 : (tensor<1xf32>) -> tensor<f32>
    %11 = call @closed_call_5(%arg1, %8, %10) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %12 = stablehlo.slice %2 [3:4] : (tensor<6xf32>) -> tensor<1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
    %14 = call @closed_call_5(%arg1, %11, %13) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %15 = stablehlo.slice %2 [4:5] : (tensor<6xf32>) -> tensor<1xf32>
    %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
    %17 = call @closed_call_5(%arg1, %14, %16) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %18 = stablehlo.slice %2 [5:6] : (tensor<6xf32>) -> tensor<1xf32>
    %19 = stablehlo.reshape %18 : (tensor<1xf32>) -> tensor<f32>
    %20 = call @closed_call_5(%arg1, %17, %19) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    return %20 : tensor<11xf32>
  }
  func.func private @closed_call_5(%arg0: tensor<11xf32>, %arg1: tensor<11xf32>, %arg2: tensor<f32>) -> tensor<11xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<11xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.add %0, %1 : tensor<11xf32>
    return %2 : tensor<11xf32>
  }
}

// erfcx float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0
// 0.7345993518829346 2.738701820373535 0.42758363485336304 5.008979797363281 0.21080636978149414 1.0 1.0 0.09277655929327011 8622463063687168.0
// -0.6876196265220642 -4.96256160736084 -0.2732119560241699 -11.14633846282959 -0.07434737682342529 -1.128379225730896 -1.128379225730896 -0.015060514211654663 -1.0346955891172966e+17
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<9xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<9xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[6.562500e+00, -1.875000e+00, 7.500000e-01, -5.000000e-01, 1.000000e+00]> : tensor<5xf32>
    %cst_0 = stablehlo.constant dense<9.419280e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %3 = stablehlo.select %1, %2, %arg0 : tensor<9xi1>, tensor<9xf32>
    %4 = chlo.square %3 : tensor<9xf32> -> tensor<9xf32>
    %5 = stablehlo.exponential %4 : tensor<9xf32>
    %6 = chlo.erfc %3 : tensor<9xf32> -> tensor<9xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<9xf32>
    %8 = chlo.square %arg0 : tensor<9xf32> -> tensor<9xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %10 = stablehlo.divide %9, %8 : tensor<9xf32>
    %11 = call @polyval(%cst, %10) : (tensor<5xf32>, tensor<9xf32>) -> tensor<9xf32>
    %cst_3 = stablehlo.constant dense<1.7724539> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %13 = stablehlo.multiply %arg0, %12 : tensor<9xf32>
    %14 = stablehlo.divide %11, %13 : tensor<9xf32>
    %15 = stablehlo.select %1, %14, %7 : tensor<9xi1>, tensor<9xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%15 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<9xf32>, tensor<f32>) -> tensor<f32>
    return %16, %15 : tensor<f32>, tensor<9xf32>
  }
  func.func private @polyval(%arg0: tensor<5xf32>, %arg1: tensor<9xf32>) -> tensor<9xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %1 = stablehlo.slice %arg0 [0:0] : (tensor<5xf32>) -> tensor<0xf32>
    %2 = stablehlo.slice %arg0 [0:5] : (tensor<5xf32>) -> tensor<5xf32>
    %3 = stablehlo.slice %2 [0:1] : (tensor<5xf32>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = call @closed_call(%arg1, %0, %4) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %6 = stablehlo.slice %2 [1:2] : (tensor<5xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = call @closed_call(%arg1, %5, %7) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %9 = stablehlo.slice %2 [2:3] : (tensor<5xf32>) -> tensor<1xf32>
    %10 = stablehlo.reshape %9 : (tensor<1xf32>) -> tensor<f32>
    %11 = call @closed_call(%arg1, %8, %10) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %12 = stablehlo.slice %2 [3:4] : (tensor<5xf32>) -> tensor<1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
    %14 = call @closed_call(%arg1, %11, %13) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %15 = stablehlo.slice %2 [4:5] : (tensor<5xf32>) -> tensor<1xf32>
    %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
    %17 = call @closed_call(%arg1, %14, %16) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    return %17 : tensor<9xf32>
  }
  func.func private @closed_call(%arg0: tensor<9xf32>, %arg1: tensor<9xf32>, %arg2: tensor<f32>) -> tensor<9xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<9xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %2 = stablehlo.add %0, %1 : tensor<9xf32>
    return %2 : tensor<9xf32>
  }
}

// expn float32
// 0.5 1.5 7.0
// 0.3266443610191345 0.07310076802968979 0.00010350983939133584
// -0.5597736239433289 -0.10001958906650543 -0.00011548172915354371
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<2> : tensor<i32>
    %0 = call @expn(%c, %arg0) : (tensor<i32>, tensor<3xf32>) -> tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %1, %0 : tensor<f32>, tensor<3xf32>
  }
  func.func private @expn(%arg0: tensor<i32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.compare LT, %0, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.compare LT, %arg1, %2, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %4 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %5 = stablehlo.or %4, %3 : tensor<3xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %7 = stablehlo.compare EQ, %arg1, %6, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %8 = stablehlo.compare LT, %0, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %10 = stablehlo.and %7, %9 : tensor<3xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.compare EQ, %arg1, %11, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GE, %0, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %15 = stablehlo.and %12, %14 : tensor<3xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.compare EQ, %0, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %18 = stablehlo.compare GE, %arg1, %17, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %19 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %20 = stablehlo.and %19, %18 : tensor<3xi1>
    %cst_7 = stablehlo.constant dense<5.000000e+03> : tensor<f32>
    %21 = stablehlo.compare GE, %0, %cst_7, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %23 = stablehlo.compare GT, %arg1, %22, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.compare EQ, %0, %cst_9, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %25 = stablehlo.add %0, %0 : tensor<f32>
    %26 = call @_where(%24, %25, %0) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.divide %cst_10, %26 : tensor<f32>
    %28 = stablehlo.negate %arg1 : tensor<3xf32>
    %29 = stablehlo.exponential %28 : tensor<3xf32>
    %30 = stablehlo.divide %29, %arg1 : tensor<3xf32>
    %31 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %32 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %33 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %34 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %35 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %36 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %37 = stablehlo.broadcast_in_dim %35, dims = [1] : (tensor<1xi1>) -> tensor<3x1xi1>
    %38 = stablehlo.concatenate %31, %32, %33, %34, %37, %36, dim = 1 : (tensor<3x1xi1>, tensor<3x1xi1>, tensor<3x1xi1>, tensor<3x1xi1>, tensor<3x1xi1>, tensor<3x1xi1>) -> tensor<3x6xi1>
    %cst_11 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %cst_12 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %39 = call @_piecewise(%arg1, %38, %cst_11, %cst_12, %27, %30, %0) : (tensor<3xf32>, tensor<3x6xi1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %39 : tensor<3xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @_piecewise(%arg0: tensor<3xf32>, %arg1: tensor<3x6xi1>, %arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<3xf32>, %arg6: tensor<f32>) -> tensor<3xf32> {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<1xi1>) -> tensor<3x1xi1>
    %2 = stablehlo.concatenate %1, %arg1, dim = 1 : (tensor<3x1xi1>, tensor<3x6xi1>) -> tensor<3x7xi1>
    %3 = call @cumsum(%2) : (tensor<3x7xi1>) -> tensor<3x7xi32>
    %4 = call @argmax(%3) : (tensor<3x7xi32>) -> tensor<3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<6> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %7 = stablehlo.clamp %5, %4, %6 : tensor<3xi32>
    %8 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %9 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %10 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %11 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %13 = stablehlo.compare EQ, %7, %12, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %14 = stablehlo.select %13, %8, %8 : tensor<3xi1>, tensor<3xf32>
    %15 = stablehlo.select %13, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %16 = stablehlo.log %15 : tensor<3xf32>
    %cst = stablehlo.constant dense<-0.577215672> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %18 = stablehlo.subtract %17, %16 : tensor<3xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %20:3 = stablehlo.while(%iterArg = %19, %iterArg_38 = %14, %iterArg_39 = %18) : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %128 = stablehlo.compare LT, %iterArg, %iterArg_38, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %c_40 = stablehlo.constant dense<false> : tensor<i1>
      %129 = stablehlo.reduce(%128 init: %c_40) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %129 : tensor<i1>
    } do {
      %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %128 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %129 = stablehlo.add %iterArg, %128 : tensor<3xf32>
      %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %130 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %131 = stablehlo.divide %130, %iterArg : tensor<3xf32>
      %132 = stablehlo.add %iterArg_39, %131 : tensor<3xf32>
      %133 = stablehlo.compare LT, %iterArg, %iterArg_38, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %134 = stablehlo.broadcast_in_dim %133, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %135 = stablehlo.select %134, %129, %iterArg : tensor<3xi1>, tensor<3xf32>
      %136 = stablehlo.broadcast_in_dim %133, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %137 = stablehlo.select %136, %iterArg_38, %iterArg_38 : tensor<3xi1>, tensor<3xf32>
      %138 = stablehlo.broadcast_in_dim %133, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %139 = stablehlo.select %138, %132, %iterArg_39 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %135, %137, %139 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %22 = stablehlo.compare EQ, %14, %21, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %23 = call @_where_1(%22, %cst_5, %14) : (tensor<3xi1>, tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
    %24 = stablehlo.negate %15 : tensor<3xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %26 = stablehlo.subtract %25, %14 : tensor<3xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %28 = stablehlo.compare EQ, %14, %27, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %30 = stablehlo.subtract %29, %23 : tensor<3xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %32 = stablehlo.divide %31, %30 : tensor<3xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = call @_where_1(%28, %cst_10, %32) : (tensor<3xi1>, tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
    %cst_11 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %37:7 = stablehlo.while(%iterArg = %24, %iterArg_38 = %33, %iterArg_39 = %26, %iterArg_40 = %34, %iterArg_41 = %15, %iterArg_42 = %35, %iterArg_43 = %36) : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %128 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %129 = stablehlo.compare GT, %iterArg_41, %128, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %130 = stablehlo.convert %iterArg_40 : tensor<3xf32>
      %cst_45 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %131 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %132 = stablehlo.compare GT, %130, %131, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %133 = stablehlo.and %129, %132 : tensor<3xi1>
      %c_46 = stablehlo.constant dense<false> : tensor<i1>
      %134 = stablehlo.reduce(%133 init: %c_46) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %134 : tensor<i1>
    } do {
      %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %128 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %129 = stablehlo.add %iterArg_42, %128 : tensor<3xf32>
      %130 = stablehlo.divide %iterArg, %129 : tensor<3xf32>
      %131 = stablehlo.multiply %iterArg_43, %130 : tensor<3xf32>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %132 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %133 = stablehlo.add %iterArg_39, %132 : tensor<3xf32>
      %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %134 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %135 = stablehlo.compare NE, %133, %134, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %136 = stablehlo.divide %131, %133 : tensor<3xf32>
      %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %137 = func.call @_where_2(%135, %136, %cst_47) : (tensor<3xi1>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
      %138 = stablehlo.add %iterArg_38, %137 : tensor<3xf32>
      %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %139 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %140 = stablehlo.compare NE, %138, %139, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %141 = stablehlo.divide %131, %138 : tensor<3xf32>
      %142 = stablehlo.abs %141 : tensor<3xf32>
      %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %143 = func.call @_where_2(%140, %142, %cst_49) : (tensor<3xi1>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
      %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %144 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %145 = stablehlo.compare GT, %iterArg_41, %144, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %146 = stablehlo.convert %iterArg_40 : tensor<3xf32>
      %cst_51 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %147 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %148 = stablehlo.compare GT, %146, %147, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %149 = stablehlo.and %145, %148 : tensor<3xi1>
      %150 = stablehlo.broadcast_in_dim %149, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %151 = stablehlo.select %150, %138, %iterArg_38 : tensor<3xi1>, tensor<3xf32>
      %152 = stablehlo.broadcast_in_dim %149, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %153 = stablehlo.select %152, %133, %iterArg_39 : tensor<3xi1>, tensor<3xf32>
      %154 = stablehlo.broadcast_in_dim %149, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %155 = stablehlo.select %154, %143, %iterArg_40 : tensor<3xi1>, tensor<3xf32>
      %156 = stablehlo.broadcast_in_dim %149, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %157 = stablehlo.select %156, %iterArg_41, %iterArg_41 : tensor<3xi1>, tensor<3xf32>
      %158 = stablehlo.broadcast_in_dim %149, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %159 = stablehlo.select %158, %129, %iterArg_42 : tensor<3xi1>, tensor<3xf32>
      %160 = stablehlo.broadcast_in_dim %149, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %161 = stablehlo.select %160, %131, %iterArg_43 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %iterArg, %151, %153, %155, %157, %159, %161 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %39 = stablehlo.subtract %14, %38 : tensor<3xf32>
    %40 = stablehlo.power %24, %39 : tensor<3xf32>
    %41 = stablehlo.multiply %40, %20#2 : tensor<3xf32>
    %42 = chlo.lgamma %14 : tensor<3xf32> -> tensor<3xf32>
    %43 = stablehlo.exponential %42 : tensor<3xf32>
    %44 = stablehlo.divide %41, %43 : tensor<3xf32>
    %45 = stablehlo.subtract %44, %37#1 : tensor<3xf32>
    %c_15 = stablehlo.constant dense<1> : tensor<i32>
    %46 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %47 = stablehlo.compare EQ, %7, %46, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %48 = stablehlo.select %47, %9, %9 : tensor<3xi1>, tensor<3xf32>
    %49 = stablehlo.convert %48 : tensor<3xf32>
    %c_16 = stablehlo.constant dense<2> : tensor<i32>
    %50 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %51 = stablehlo.compare EQ, %7, %50, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %52 = stablehlo.select %51, %10, %10 : tensor<3xi1>, tensor<3xf32>
    %53 = stablehlo.convert %52 : tensor<3xf32>
    %c_17 = stablehlo.constant dense<3> : tensor<i32>
    %54 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %55 = stablehlo.compare EQ, %7, %54, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %56 = stablehlo.select %55, %11, %11 : tensor<3xi1>, tensor<3xf32>
    %c_18 = stablehlo.constant dense<4> : tensor<i32>
    %57 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %58 = stablehlo.compare EQ, %7, %57, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %59 = stablehlo.select %58, %arg5, %arg5 : tensor<3xi1>, tensor<3xf32>
    %c_19 = stablehlo.constant dense<5> : tensor<i32>
    %60 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %61 = stablehlo.compare EQ, %7, %60, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %62 = stablehlo.select %61, %8, %8 : tensor<3xi1>, tensor<3xf32>
    %63 = stablehlo.select %61, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %64 = stablehlo.add %63, %62 : tensor<3xf32>
    %65 = stablehlo.multiply %64, %64 : tensor<3xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %67 = stablehlo.divide %66, %65 : tensor<3xf32>
    %68 = stablehlo.multiply %67, %62 : tensor<3xf32>
    %cst_21 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %70 = stablehlo.multiply %69, %63 : tensor<3xf32>
    %71 = stablehlo.multiply %70, %63 : tensor<3xf32>
    %cst_22 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %73 = stablehlo.multiply %72, %62 : tensor<3xf32>
    %74 = stablehlo.multiply %73, %63 : tensor<3xf32>
    %75 = stablehlo.subtract %71, %74 : tensor<3xf32>
    %76 = stablehlo.multiply %62, %62 : tensor<3xf32>
    %77 = stablehlo.add %75, %76 : tensor<3xf32>
    %78 = stablehlo.multiply %68, %77 : tensor<3xf32>
    %cst_23 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %80 = stablehlo.multiply %79, %63 : tensor<3xf32>
    %81 = stablehlo.subtract %62, %80 : tensor<3xf32>
    %82 = stablehlo.multiply %62, %81 : tensor<3xf32>
    %83 = stablehlo.add %78, %82 : tensor<3xf32>
    %84 = stablehlo.multiply %67, %83 : tensor<3xf32>
    %85 = stablehlo.add %84, %62 : tensor<3xf32>
    %86 = stablehlo.multiply %67, %85 : tensor<3xf32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %88 = stablehlo.add %86, %87 : tensor<3xf32>
    %89 = stablehlo.negate %63 : tensor<3xf32>
    %90 = stablehlo.exponential %89 : tensor<3xf32>
    %91 = stablehlo.multiply %88, %90 : tensor<3xf32>
    %92 = stablehlo.divide %91, %64 : tensor<3xf32>
    %c_25 = stablehlo.constant dense<6> : tensor<i32>
    %93 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %94 = stablehlo.compare EQ, %7, %93, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %95 = stablehlo.select %94, %8, %8 : tensor<3xi1>, tensor<3xf32>
    %96 = stablehlo.select %94, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %97 = stablehlo.add %96, %95 : tensor<3xf32>
    %98 = stablehlo.add %96, %95 : tensor<3xf32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %100 = stablehlo.divide %99, %98 : tensor<3xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_31 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %106:10 = stablehlo.while(%iterArg = %95, %iterArg_38 = %100, %iterArg_39 = %101, %iterArg_40 = %102, %iterArg_41 = %103, %iterArg_42 = %97, %iterArg_43 = %96, %iterArg_44 = %104, %iterArg_45 = %105, %iterArg_46 = %96) : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %128 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %129 = stablehlo.compare GT, %iterArg_46, %128, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %cst_48 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %130 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %131 = stablehlo.compare GT, %iterArg_45, %130, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %132 = stablehlo.and %129, %131 : tensor<3xi1>
      %c_49 = stablehlo.constant dense<false> : tensor<i1>
      %133 = stablehlo.reduce(%132 init: %c_49) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %133 : tensor<i1>
    } do {
      %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %128 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %129 = stablehlo.add %iterArg_39, %128 : tensor<3xf32>
      %cst_48 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %130 = func.call @remainder(%129, %cst_48) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
      %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %131 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %132 = stablehlo.compare EQ, %130, %131, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %133 = func.call @_where_3(%132, %cst_50, %iterArg_46) : (tensor<3xi1>, tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
      %cst_51 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %134 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %135 = stablehlo.subtract %129, %134 : tensor<3xf32>
      %cst_52 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %136 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %137 = stablehlo.divide %135, %136 : tensor<3xf32>
      %138 = stablehlo.add %iterArg, %137 : tensor<3xf32>
      %cst_53 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %139 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %140 = stablehlo.divide %129, %139 : tensor<3xf32>
      %141 = func.call @_where_4(%132, %138, %140) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %142 = stablehlo.multiply %iterArg_40, %133 : tensor<3xf32>
      %143 = stablehlo.multiply %iterArg_41, %141 : tensor<3xf32>
      %144 = stablehlo.add %142, %143 : tensor<3xf32>
      %145 = stablehlo.multiply %iterArg_42, %133 : tensor<3xf32>
      %146 = stablehlo.multiply %iterArg_43, %141 : tensor<3xf32>
      %147 = stablehlo.add %145, %146 : tensor<3xf32>
      %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %148 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %149 = stablehlo.compare NE, %147, %148, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %150 = stablehlo.divide %144, %147 : tensor<3xf32>
      %151 = func.call @_where_4(%149, %150, %iterArg_44) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %152 = stablehlo.subtract %iterArg_38, %151 : tensor<3xf32>
      %153 = stablehlo.divide %152, %151 : tensor<3xf32>
      %154 = stablehlo.abs %153 : tensor<3xf32>
      %cst_55 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %155 = func.call @_where_2(%149, %154, %cst_55) : (tensor<3xi1>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
      %156 = func.call @_where_4(%149, %151, %iterArg_38) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %157 = stablehlo.abs %144 : tensor<3xf32>
      %cst_56 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %158 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %159 = stablehlo.compare GT, %157, %158, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %cst_57 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %160 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %161 = stablehlo.divide %144, %160 : tensor<3xf32>
      %162 = func.call @_where_4(%159, %161, %144) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %cst_58 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %163 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %164 = stablehlo.divide %iterArg_40, %163 : tensor<3xf32>
      %165 = func.call @_where_4(%159, %164, %iterArg_40) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %cst_59 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %166 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %167 = stablehlo.divide %147, %166 : tensor<3xf32>
      %168 = func.call @_where_4(%159, %167, %147) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %cst_60 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %169 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %170 = stablehlo.divide %iterArg_42, %169 : tensor<3xf32>
      %171 = func.call @_where_4(%159, %170, %iterArg_42) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %172 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %173 = stablehlo.compare GT, %iterArg_46, %172, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %cst_62 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %174 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %175 = stablehlo.compare GT, %iterArg_45, %174, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %176 = stablehlo.and %173, %175 : tensor<3xi1>
      %177 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %178 = stablehlo.select %177, %156, %iterArg_38 : tensor<3xi1>, tensor<3xf32>
      %179 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %180 = stablehlo.select %179, %129, %iterArg_39 : tensor<3xi1>, tensor<3xf32>
      %181 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %182 = stablehlo.select %181, %162, %iterArg_40 : tensor<3xi1>, tensor<3xf32>
      %183 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %184 = stablehlo.select %183, %165, %iterArg_41 : tensor<3xi1>, tensor<3xf32>
      %185 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %186 = stablehlo.select %185, %168, %iterArg_42 : tensor<3xi1>, tensor<3xf32>
      %187 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %188 = stablehlo.select %187, %171, %iterArg_43 : tensor<3xi1>, tensor<3xf32>
      %189 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %190 = stablehlo.select %189, %151, %iterArg_44 : tensor<3xi1>, tensor<3xf32>
      %191 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %192 = stablehlo.select %191, %155, %iterArg_45 : tensor<3xi1>, tensor<3xf32>
      %193 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %194 = stablehlo.select %193, %iterArg_46, %iterArg_46 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %iterArg, %178, %180, %182, %184, %186, %188, %190, %192, %194 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %107 = stablehlo.negate %96 : tensor<3xf32>
    %108 = stablehlo.exponential %107 : tensor<3xf32>
    %109 = stablehlo.multiply %106#1, %108 : tensor<3xf32>
    %c_32 = stablehlo.constant dense<3> : tensor<i32>
    %110 = stablehlo.broadcast_in_dim %c_32, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %111 = stablehlo.compare LT, %7, %110, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_33 = stablehlo.constant dense<1> : tensor<i32>
    %112 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %113 = stablehlo.compare LT, %7, %112, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_34 = stablehlo.constant dense<2> : tensor<i32>
    %114 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %115 = stablehlo.compare LT, %7, %114, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %116 = stablehlo.select %115, %49, %53 : tensor<3xi1>, tensor<3xf32>
    %117 = stablehlo.select %113, %45, %116 : tensor<3xi1>, tensor<3xf32>
    %c_35 = stablehlo.constant dense<5> : tensor<i32>
    %118 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %119 = stablehlo.compare LT, %7, %118, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_36 = stablehlo.constant dense<4> : tensor<i32>
    %120 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %121 = stablehlo.compare LT, %7, %120, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %122 = stablehlo.select %121, %56, %59 : tensor<3xi1>, tensor<3xf32>
    %c_37 = stablehlo.constant dense<6> : tensor<i32>
    %123 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %124 = stablehlo.compare LT, %7, %123, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %125 = stablehlo.select %124, %92, %109 : tensor<3xi1>, tensor<3xf32>
    %126 = stablehlo.select %119, %122, %125 : tensor<3xi1>, tensor<3xf32>
    %127 = stablehlo.select %111, %117, %126 : tensor<3xi1>, tensor<3xf32>
    return %127 : tensor<3xf32>
  }
  func.func private @cumsum(%arg0: tensor<3x7xi1>) -> tensor<3x7xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<3x7xi1>) -> tensor<3x7xi32>
    %1 = call @cumsum_0(%0) : (tensor<3x7xi32>) -> tensor<3x7xi32>
    return %1 : tensor<3x7xi32>
  }
  func.func private @cumsum_0(%arg0: tensor<3x7xi32>) -> tensor<3x7xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [6, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 7>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<3x7xi32>, tensor<i32>) -> tensor<3x7xi32>
    return %1 : tensor<3x7xi32>
  }
  func.func private @argmax(%arg0: tensor<3x7xi32>) -> tensor<3xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<3x7xi32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [1] : (tensor<3x7xi32>, tensor<3x7xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i32>
    }
    return %1#1 : tensor<3xi32>
  }
  func.func private @_where_1(%arg0: tensor<3xi1>, %arg1: tensor<f32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<3xi1>, tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @_where_2(%arg0: tensor<3xi1>, %arg1: tensor<3xf32>, %arg2: tensor<f32>) -> tensor<3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<3xi1>, tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @remainder(%arg0: tensor<3xf32>, %arg1: tensor<f32>) -> tensor<3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.remainder %arg0, %0 : tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.compare NE, %1, %2, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.compare LT, %1, %4, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.compare LT, %arg1, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %8 = stablehlo.compare NE, %5, %7, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %9 = stablehlo.and %8, %3 : tensor<3xi1>
    %10 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %11 = stablehlo.add %1, %10 : tensor<3xf32>
    %12 = stablehlo.select %9, %11, %1 : tensor<3xi1>, tensor<3xf32>
    return %12 : tensor<3xf32>
  }
  func.func private @_where_3(%arg0: tensor<3xi1>, %arg1: tensor<f32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<3xi1>, tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @_where_4(%arg0: tensor<3xi1>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// expi float32
// 0.5 -0.5 3.0 -3.0 80.0 -80.0
// 0.4542198181152344 -0.5597736239433289 9.933832168579102 -0.013048382475972176 7.01460076789219e+32 -2.2285432418318725e-37
// 3.2974424362182617 -1.2130613327026367 6.695178985595703 -0.016595689579844475 6.92577779636094e+32 -2.256064071047949e-37
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}) {
    %0 = call @expi(%arg0) : (tensor<6xf32>) -> tensor<6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    return %1, %0 : tensor<f32>, tensor<6xf32>
  }
  func.func private @expi(%arg0: tensor<6xf32>) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.compare LT, %arg0, %0, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<6xi1>) -> tensor<1x6xi1>
    %3 = call @_piecewise(%arg0, %2) : (tensor<6xf32>, tensor<1x6xi1>) -> tensor<6xf32>
    return %3 : tensor<6xf32>
  }
  func.func private @_piecewise(%arg0: tensor<6xf32>, %arg1: tensor<1x6xi1>) -> tensor<6xf32> {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1x6xi1>
    %1 = stablehlo.concatenate %0, %arg1, dim = 0 : (tensor<1x6xi1>, tensor<1x6xi1>) -> tensor<2x6xi1>
    %2 = call @cumsum(%1) : (tensor<2x6xi1>) -> tensor<2x6xi32>
    %3 = call @argmax(%2) : (tensor<2x6xi32>) -> tensor<6xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %6 = stablehlo.clamp %4, %3, %5 : tensor<6xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %8 = stablehlo.compare EQ, %6, %7, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %9 = stablehlo.select %8, %arg0, %arg0 : tensor<6xi1>, tensor<6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %11 = stablehlo.compare GT, %9, %10, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %13 = stablehlo.compare LE, %9, %12, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %14 = stablehlo.and %11, %13 : tensor<6xi1>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %16 = stablehlo.compare GT, %9, %15, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_5 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %18 = stablehlo.compare LE, %9, %17, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %19 = stablehlo.and %16, %18 : tensor<6xi1>
    %cst_6 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %21 = stablehlo.compare GT, %9, %20, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_7 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %23 = stablehlo.compare LE, %9, %22, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %24 = stablehlo.and %21, %23 : tensor<6xi1>
    %cst_8 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %26 = stablehlo.compare GT, %9, %25, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_9 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %28 = stablehlo.compare LE, %9, %27, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %29 = stablehlo.and %26, %28 : tensor<6xi1>
    %cst_10 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %31 = stablehlo.compare GT, %9, %30, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_11 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %33 = stablehlo.compare LE, %9, %32, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %34 = stablehlo.and %31, %33 : tensor<6xi1>
    %cst_12 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %36 = stablehlo.compare GT, %9, %35, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_13 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %38 = stablehlo.compare LE, %9, %37, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %39 = stablehlo.and %36, %38 : tensor<6xi1>
    %40 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<6xi1>) -> tensor<6x1xi1>
    %41 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<6xi1>) -> tensor<6x1xi1>
    %42 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<6xi1>) -> tensor<6x1xi1>
    %43 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<6xi1>) -> tensor<6x1xi1>
    %44 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<6xi1>) -> tensor<6x1xi1>
    %45 = stablehlo.broadcast_in_dim %39, dims = [0] : (tensor<6xi1>) -> tensor<6x1xi1>
    %46 = stablehlo.concatenate %40, %41, %42, %43, %44, %45, dim = 1 : (tensor<6x1xi1>, tensor<6x1xi1>, tensor<6x1xi1>, tensor<6x1xi1>, tensor<6x1xi1>, tensor<6x1xi1>) -> tensor<6x6xi1>
    %47 = call @_piecewise_1(%9, %46) : (tensor<6xf32>, tensor<6x6xi1>) -> tensor<6xf32>
    %c_14 = stablehlo.constant dense<1> : tensor<i32>
    %48 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %49 = stablehlo.compare EQ, %6, %48, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %50 = stablehlo.select %49, %arg0, %arg0 : tensor<6xi1>, tensor<6xf32>
    %51 = stablehlo.negate %50 : tensor<6xf32>
    %c_15 = stablehlo.constant dense<1> : tensor<i32>
    %52 = call @expn(%c_15, %51) : (tensor<i32>, tensor<6xf32>) -> tensor<6xf32>
    %53 = stablehlo.negate %52 : tensor<6xf32>
    %c_16 = stablehlo.constant dense<1> : tensor<i32>
    %54 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %55 = stablehlo.compare LT, %6, %54, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %56 = stablehlo.select %55, %47, %53 : tensor<6xi1>, tensor<6xf32>
    return %56 : tensor<6xf32>
  }
  func.func private @cumsum(%arg0: tensor<2x6xi1>) -> tensor<2x6xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<2x6xi1>) -> tensor<2x6xi32>
    %1 = call @cumsum_0(%0) : (tensor<2x6xi32>) -> tensor<2x6xi32>
    return %1 : tensor<2x6xi32>
  }
  func.func private @cumsum_0(%arg0: tensor<2x6xi32>) -> tensor<2x6xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<2x6xi32>, tensor<i32>) -> tensor<2x6xi32>
    return %1 : tensor<2x6xi32>
  }
  func.func private @argmax(%arg0: tensor<2x6xi32>) -> tensor<6xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<2x6xi32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<2x6xi32>, tensor<2x6xi32>, tensor<i32>, tensor<i32>) -> (tensor<6xi32>, tensor<6xi32>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i32>
    }
    return %1#1 : tensor<6xi32>
  }
  func.func private @_piecewise_1(%arg0: tensor<6xf32>, %arg1: tensor<6x6xi1>) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<[-0.76578468, 0.688619256, -0.213259816, 0.0334610753, -0.00307654147, 1.74711939E-4, -6.10371171E-6, 1.21803282E-7, -1.08607612E-9]> : tensor<9xf32>
    %cst_0 = stablehlo.constant dense<[1.000000e+00, -1.88880289, 1.06669164, -0.275191605, 0.0393085256, -0.00341468467, 1.8668444E-4, -6.34514618E-6, 1.23975425E-7, -1.08607612E-9]> : tensor<10xf32>
    %cst_1 = stablehlo.constant dense<[-5.35044718, 218.504913, -4176.57227, 55411.7656, -331338.125, 1592627.13]> : tensor<6xf32>
    %cst_2 = stablehlo.constant dense<[1.000000e+00, -52.5054779, 1259.61621, -17565.4961, 149306.219, -729494.938, 1592627.13]> : tensor<7xf32>
    %cst_3 = stablehlo.constant dense<[0.0198180843, -1.27164567, -2.08816028, 2.75554442, -0.440950692, 0.0466562398, -0.00154504273, 7.059980e-05]> : tensor<8xf32>
    %cst_4 = stablehlo.constant dense<[1.000000e+00, 1.47649872, 0.562917709, 0.169901788, 0.0229164716, 0.0044501503, 1.72743967E-4, 3.95316711E-5]> : tensor<8xf32>
    %cst_5 = stablehlo.constant dense<[-1.37321532, -0.70845592, 1.58080685, -0.260150045, 0.0299467463, -0.00103808602, 4.37106428E-5, 2.14178363E-6]> : tensor<8xf32>
    %cst_6 = stablehlo.constant dense<[1.000000e+00, 0.85852313, 0.448328584, 0.0768793225, 0.0244986825, 8.8321662E-4, 4.5909523E-4, -4.72984857E-6, 2.66519555E-6]> : tensor<9xf32>
    %cst_7 = stablehlo.constant dense<[-2.10693455, 1.73273385, -0.242361918, 0.0232272409, 2.37288041E-4, -8.34321981E-5, 1.36340877E-5, -3.6554124E-7, 1.46494177E-8, 6.17640772E-10]> : tensor<10xf32>
    %cst_8 = stablehlo.constant dense<[1.000000e+00, -0.229806229, 0.110507704, -0.0156654306, 0.00276110694, -2.08914804E-4, 1.70852891E-5, -4.45931192E-7, 1.3946349E-8, 6.15086593E-10]> : tensor<10xf32>
    %cst_9 = stablehlo.constant dense<[-0.245811939, -0.148338228, 0.0724829212, -0.0134831565, 0.00134277507, -7.94246589E-5, 2.64417963E-6, -4.23947348E-8]> : tensor<8xf32>
    %cst_10 = stablehlo.constant dense<[1.000000e+00, -0.104422592, -0.267645299, 9.695000e-02, -0.0160174575, 0.00149641489, -8.46245238E-5, 2.7289384E-6, -4.23946247E-8]> : tensor<9xf32>
    %cst_11 = stablehlo.constant dense<[0.121256113, -0.582313299, 0.234888732, -0.0304003432, 0.00151008216, -2.52313712E-5]> : tensor<6xf32>
    %cst_12 = stablehlo.constant dense<[1.000000e+00, -1.0022521, 0.292870969, -0.0333700441, 0.00156054483, -2.52313712E-5]> : tensor<6xf32>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<1xi1>) -> tensor<6x1xi1>
    %2 = stablehlo.concatenate %1, %arg1, dim = 1 : (tensor<6x1xi1>, tensor<6x6xi1>) -> tensor<6x7xi1>
    %3 = call @cumsum_2(%2) : (tensor<6x7xi1>) -> tensor<6x7xi32>
    %4 = call @argmax_4(%3) : (tensor<6x7xi32>) -> tensor<6xi32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %c_14 = stablehlo.constant dense<6> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %6 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %7 = stablehlo.clamp %5, %4, %6 : tensor<6xi32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [1] : (tensor<9xf32>) -> tensor<6x9xf32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [1] : (tensor<10xf32>) -> tensor<6x10xf32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [1] : (tensor<6xf32>) -> tensor<6x6xf32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [1] : (tensor<7xf32>) -> tensor<6x7xf32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [1] : (tensor<8xf32>) -> tensor<6x8xf32>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [1] : (tensor<8xf32>) -> tensor<6x8xf32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [1] : (tensor<8xf32>) -> tensor<6x8xf32>
    %15 = stablehlo.broadcast_in_dim %cst_6, dims = [1] : (tensor<9xf32>) -> tensor<6x9xf32>
    %16 = stablehlo.broadcast_in_dim %cst_7, dims = [1] : (tensor<10xf32>) -> tensor<6x10xf32>
    %17 = stablehlo.broadcast_in_dim %cst_8, dims = [1] : (tensor<10xf32>) -> tensor<6x10xf32>
    %18 = stablehlo.broadcast_in_dim %cst_9, dims = [1] : (tensor<8xf32>) -> tensor<6x8xf32>
    %19 = stablehlo.broadcast_in_dim %cst_10, dims = [1] : (tensor<9xf32>) -> tensor<6x9xf32>
    %20 = stablehlo.broadcast_in_dim %cst_11, dims = [1] : (tensor<6xf32>) -> tensor<6x6xf32>
    %21 = stablehlo.broadcast_in_dim %cst_12, dims = [1] : (tensor<6xf32>) -> tensor<6x6xf32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %23 = stablehlo.compare EQ, %7, %22, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<6xi1>) -> tensor<6x9xi1>
    %25 = stablehlo.select %24, %8, %8 : tensor<6x9xi1>, tensor<6x9xf32>
    %26 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<6xi1>) -> tensor<6x10xi1>
    %27 = stablehlo.select %26, %9, %9 : tensor<6x10xi1>, tensor<6x10xf32>
    %28 = stablehlo.select %23, %arg0, %arg0 : tensor<6xi1>, tensor<6xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %30 = stablehlo.divide %29, %28 : tensor<6xf32>
    %31 = call @polyval(%25, %30) : (tensor<6x9xf32>, tensor<6xf32>) -> tensor<6xf32>
    %32 = call @polyval_5(%27, %30) : (tensor<6x10xf32>, tensor<6xf32>) -> tensor<6xf32>
    %33 = stablehlo.divide %31, %32 : tensor<6xf32>
    %34 = stablehlo.multiply %30, %33 : tensor<6xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %36 = stablehlo.add %34, %35 : tensor<6xf32>
    %37 = stablehlo.exponential %28 : tensor<6xf32>
    %38 = stablehlo.multiply %37, %30 : tensor<6xf32>
    %39 = stablehlo.multiply %38, %36 : tensor<6xf32>
    %c_18 = stablehlo.constant dense<1> : tensor<i32>
    %40 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %41 = stablehlo.compare EQ, %7, %40, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0] : (tensor<6xi1>) -> tensor<6x6xi1>
    %43 = stablehlo.select %42, %10, %10 : tensor<6x6xi1>, tensor<6x6xf32>
    %44 = stablehlo.broadcast_in_dim %41, dims = [0] : (tensor<6xi1>) -> tensor<6x7xi1>
    %45 = stablehlo.select %44, %11, %11 : tensor<6x7xi1>, tensor<6x7xf32>
    %46 = stablehlo.select %41, %arg0, %arg0 : tensor<6xi1>, tensor<6xf32>
    %47 = call @polyval_7(%43, %46) : (tensor<6x6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %48 = call @polyval_9(%45, %46) : (tensor<6x7xf32>, tensor<6xf32>) -> tensor<6xf32>
    %49 = stablehlo.divide %47, %48 : tensor<6xf32>
    %50 = stablehlo.multiply %46, %49 : tensor<6xf32>
    %cst_19 = stablehlo.constant dense<0.577215672> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %52 = stablehlo.add %50, %51 : tensor<6xf32>
    %53 = stablehlo.log %46 : tensor<6xf32>
    %54 = stablehlo.add %52, %53 : tensor<6xf32>
    %c_20 = stablehlo.constant dense<2> : tensor<i32>
    %55 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %56 = stablehlo.compare EQ, %7, %55, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0] : (tensor<6xi1>) -> tensor<6x8xi1>
    %58 = stablehlo.select %57, %12, %12 : tensor<6x8xi1>, tensor<6x8xf32>
    %59 = stablehlo.broadcast_in_dim %56, dims = [0] : (tensor<6xi1>) -> tensor<6x8xi1>
    %60 = stablehlo.select %59, %13, %13 : tensor<6x8xi1>, tensor<6x8xf32>
    %61 = stablehlo.select %56, %arg0, %arg0 : tensor<6xi1>, tensor<6xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %63 = stablehlo.divide %62, %61 : tensor<6xf32>
    %64 = call @polyval_11(%58, %63) : (tensor<6x8xf32>, tensor<6xf32>) -> tensor<6xf32>
    %65 = call @polyval_11(%60, %63) : (tensor<6x8xf32>, tensor<6xf32>) -> tensor<6xf32>
    %66 = stablehlo.divide %64, %65 : tensor<6xf32>
    %67 = stablehlo.multiply %63, %66 : tensor<6xf32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %69 = stablehlo.add %67, %68 : tensor<6xf32>
    %70 = stablehlo.exponential %61 : tensor<6xf32>
    %71 = stablehlo.multiply %70, %63 : tensor<6xf32>
    %72 = stablehlo.multiply %71, %69 : tensor<6xf32>
    %c_23 = stablehlo.constant dense<3> : tensor<i32>
    %73 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %74 = stablehlo.compare EQ, %7, %73, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %75 = stablehlo.broadcast_in_dim %74, dims = [0] : (tensor<6xi1>) -> tensor<6x8xi1>
    %76 = stablehlo.select %75, %14, %14 : tensor<6x8xi1>, tensor<6x8xf32>
    %77 = stablehlo.broadcast_in_dim %74, dims = [0] : (tensor<6xi1>) -> tensor<6x9xi1>
    %78 = stablehlo.select %77, %15, %15 : tensor<6x9xi1>, tensor<6x9xf32>
    %79 = stablehlo.select %74, %arg0, %arg0 : tensor<6xi1>, tensor<6xf32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %81 = stablehlo.divide %80, %79 : tensor<6xf32>
    %82 = call @polyval_11(%76, %81) : (tensor<6x8xf32>, tensor<6xf32>) -> tensor<6xf32>
    %83 = call @polyval(%78, %81) : (tensor<6x9xf32>, tensor<6xf32>) -> tensor<6xf32>
    %84 = stablehlo.divide %82, %83 : tensor<6xf32>
    %85 = stablehlo.multiply %81, %84 : tensor<6xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %87 = stablehlo.add %85, %86 : tensor<6xf32>
    %88 = stablehlo.exponential %79 : tensor<6xf32>
    %89 = stablehlo.multiply %88, %81 : tensor<6xf32>
    %90 = stablehlo.multiply %89, %87 : tensor<6xf32>
    %c_26 = stablehlo.constant dense<4> : tensor<i32>
    %91 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %92 = stablehlo.compare EQ, %7, %91, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %93 = stablehlo.broadcast_in_dim %92, dims = [0] : (tensor<6xi1>) -> tensor<6x10xi1>
    %94 = stablehlo.select %93, %16, %16 : tensor<6x10xi1>, tensor<6x10xf32>
    %95 = stablehlo.broadcast_in_dim %92, dims = [0] : (tensor<6xi1>) -> tensor<6x10xi1>
    %96 = stablehlo.select %95, %17, %17 : tensor<6x10xi1>, tensor<6x10xf32>
    %97 = stablehlo.select %92, %arg0, %arg0 : tensor<6xi1>, tensor<6xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %99 = stablehlo.divide %98, %97 : tensor<6xf32>
    %100 = call @polyval_5(%94, %99) : (tensor<6x10xf32>, tensor<6xf32>) -> tensor<6xf32>
    %101 = call @polyval_5(%96, %99) : (tensor<6x10xf32>, tensor<6xf32>) -> tensor<6xf32>
    %102 = stablehlo.divide %100, %101 : tensor<6xf32>
    %103 = stablehlo.multiply %99, %102 : tensor<6xf32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %105 = stablehlo.add %103, %104 : tensor<6xf32>
    %106 = stablehlo.exponential %97 : tensor<6xf32>
    %107 = stablehlo.multiply %106, %99 : tensor<6xf32>
    %108 = stablehlo.multiply %107, %105 : tensor<6xf32>
    %c_29 = stablehlo.constant dense<5> : tensor<i32>
    %109 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %110 = stablehlo.compare EQ, %7, %109, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %111 = stablehlo.broadcast_in_dim %110, dims = [0] : (tensor<6xi1>) -> tensor<6x8xi1>
    %112 = stablehlo.select %111, %18, %18 : tensor<6x8xi1>, tensor<6x8xf32>
    %113 = stablehlo.broadcast_in_dim %110, dims = [0] : (tensor<6xi1>) -> tensor<6x9xi1>
    %114 = stablehlo.select %113, %19, %19 : tensor<6x9xi1>, tensor<6x9xf32>
    %115 = stablehlo.select %110, %arg0, %arg0 : tensor<6xi1>, tensor<6xf32>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %117 = stablehlo.divide %116, %115 : tensor<6xf32>
    %118 = call @polyval_11(%112, %117) : (tensor<6x8xf32>, tensor<6xf32>) -> tensor<6xf32>
    %119 = call @polyval(%114, %117) : (tensor<6x9xf32>, tensor<6xf32>) -> tensor<6xf32>
    %120 = stablehlo.divide %118, %119 : tensor<6xf32>
    %121 = stablehlo.multiply %117, %120 : tensor<6xf32>
    %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %123 = stablehlo.add %121, %122 : tensor<6xf32>
    %124 = stablehlo.exponential %115 : tensor<6xf32>
    %125 = stablehlo.multiply %124, %117 : tensor<6xf32>
    %126 = stablehlo.multiply %125, %123 : tensor<6xf32>
    %c_32 = stablehlo.constant dense<6> : tensor<i32>
    %127 = stablehlo.broadcast_in_dim %c_32, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %128 = stablehlo.compare EQ, %7, %127, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %129 = stablehlo.broadcast_in_dim %128, dims = [0] : (tensor<6xi1>) -> tensor<6x6xi1>
    %130 = stablehlo.select %129, %20, %20 : tensor<6x6xi1>, tensor<6x6xf32>
    %131 = stablehlo.broadcast_in_dim %128, dims = [0] : (tensor<6xi1>) -> tensor<6x6xi1>
    %132 = stablehlo.select %131, %21, %21 : tensor<6x6xi1>, tensor<6x6xf32>
    %133 = stablehlo.select %128, %arg0, %arg0 : tensor<6xi1>, tensor<6xf32>
    %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %135 = stablehlo.divide %134, %133 : tensor<6xf32>
    %136 = call @polyval_7(%130, %135) : (tensor<6x6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %137 = call @polyval_7(%132, %135) : (tensor<6x6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %138 = stablehlo.divide %136, %137 : tensor<6xf32>
    %139 = stablehlo.multiply %135, %138 : tensor<6xf32>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %141 = stablehlo.add %139, %140 : tensor<6xf32>
    %142 = stablehlo.exponential %133 : tensor<6xf32>
    %143 = stablehlo.multiply %142, %135 : tensor<6xf32>
    %144 = stablehlo.multiply %143, %141 : tensor<6xf32>
    %c_35 = stablehlo.constant dense<3> : tensor<i32>
    %145 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %146 = stablehlo.compare LT, %7, %145, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_36 = stablehlo.constant dense<1> : tensor<i32>
    %147 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %148 = stablehlo.compare LT, %7, %147, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_37 = stablehlo.constant dense<2> : tensor<i32>
    %149 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %150 = stablehlo.compare LT, %7, %149, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %151 = stablehlo.select %150, %54, %72 : tensor<6xi1>, tensor<6xf32>
    %152 = stablehlo.select %148, %39, %151 : tensor<6xi1>, tensor<6xf32>
    %c_38 = stablehlo.constant dense<5> : tensor<i32>
    %153 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %154 = stablehlo.compare LT, %7, %153, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_39 = stablehlo.constant dense<4> : tensor<i32>
    %155 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %156 = stablehlo.compare LT, %7, %155, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %157 = stablehlo.select %156, %90, %108 : tensor<6xi1>, tensor<6xf32>
    %c_40 = stablehlo.constant dense<6> : tensor<i32>
    %158 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %159 = stablehlo.compare LT, %7, %158, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %160 = stablehlo.select %159, %126, %144 : tensor<6xi1>, tensor<6xf32>
    %161 = stablehlo.select %154, %157, %160 : tensor<6xi1>, tensor<6xf32>
    %162 = stablehlo.select %146, %152, %161 : tensor<6xi1>, tensor<6xf32>
    return %162 : tensor<6xf32>
  }
  func.func private @cumsum_2(%arg0: tensor<6x7xi1>) -> tensor<6x7xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<6x7xi1>) -> tensor<6x7xi32>
    %1 = call @cumsum_3(%0) : (tensor<6x7xi32>) -> tensor<6x7xi32>
    return %1 : tensor<6x7xi32>
  }
  func.func private @cumsum_3(%arg0: tensor<6x7xi32>) -> tensor<6x7xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [6, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 7>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<6x7xi32>, tensor<i32>) -> tensor<6x7xi32>
    return %1 : tensor<6x7xi32>
  }
  func.func private @argmax_4(%arg0: tensor<6x7xi32>) -> tensor<6xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<6x7xi32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [1] : (tensor<6x7xi32>, tensor<6x7xi32>, tensor<i32>, tensor<i32>) -> (tensor<6xi32>, tensor<6xi32>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i32>
    }
    return %1#1 : tensor<6xi32>
  }
  func.func private @polyval(%arg0: tensor<6x9xf32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<6x9xf32>) -> tensor<9x6xf32>
    %2 = stablehlo.slice %1 [0:0, 0:6] : (tensor<9x6xf32>) -> tensor<0x6xf32>
    %3 = stablehlo.slice %1 [0:9, 0:6] : (tensor<9x6xf32>) -> tensor<9x6xf32>
    %4 = stablehlo.slice %3 [0:1, 0:6] : (tensor<9x6xf32>) -> tensor<1x6xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x6xf32>) -> tensor<6xf32>
    %6 = call @closed_call(%arg1, %0, %5) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %7 = stablehlo.slice %3 [1:2, 0:6] : (tensor<9x6xf32>) -> tensor<1x6xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x6xf32>) -> tensor<6xf32>
    %9 = call @closed_call(%arg1, %6, %8) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %10 = stablehlo.slice %3 [2:3, 0:6] : (tensor<9x6xf32>) -> tensor<1x6xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x6xf32>) -> tensor<6xf32>
    %12 = call @closed_call(%arg1, %9, %11) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %13 = stablehlo.slice %3 [3:4, 0:6] : (tensor<9x6xf32>) -> tensor<1x6xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x6xf32>) -> tensor<6xf32>
    %15 = call @closed_call(%arg1, %12, %14) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %16 = stablehlo.slice %3 [4:5, 0:6] : (tensor<9x6xf32>) -> tensor<1x6xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x6xf32>) -> tensor<6xf32>
    %18 = call @closed_call(%arg1, %15, %17) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %19 = stablehlo.slice %3 [5:6, 0:6] : (tensor<9x6xf32>) -> tensor<1x6xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x6xf32>) -> tensor<6xf32>
    %21 = call @closed_call(%arg1, %18, %20) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %22 = stablehlo.slice %3 [6:7, 0:6] : (tensor<9x6xf32>) -> tensor<1x6xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x6xf32>) -> tensor<6xf32>
    %24 = call @closed_call(%arg1, %21, %23) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %25 = stablehlo.slice %3 [7:8, 0:6] : (tensor<9x6xf32>) -> tensor<1x6xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x6xf32>) -> tensor<6xf32>
    %27 = call @closed_call(%arg1, %24, %26) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %28 = stablehlo.slice %3 [8:9, 0:6] : (tensor<9x6xf32>) -> tensor<1x6xf32>
    %29 = stablehlo.reshape %28 : (tensor<1x6xf32>) -> tensor<6xf32>
    %30 = call @closed_call(%arg1, %27, %29) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    return %30 : tensor<6xf32>
  }
  func.func private @closed_call(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<6xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @polyval_5(%arg0: tensor<6x10xf32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<6x10xf32>) -> tensor<10x6xf32>
    %2 = stablehlo.slice %1 [0:0, 0:6] : (tensor<10x6xf32>) -> tensor<0x6xf32>
    %3 = stablehlo.slice %1 [0:10, 0:6] : (tensor<10x6xf32>) -> tensor<10x6xf32>
    %4 = stablehlo.slice %3 [0:1, 0:6] : (tensor<10x6xf32>) -> tensor<1x6xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x6xf32>) -> tensor<6xf32>
    %6 = call @closed_call_6(%arg1, %0, %5) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %7 = stablehlo.slice %3 [1:2, 0:6] : (tensor<10x6xf32>) -> tensor<1x6xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x6xf32>) -> tensor<6xf32>
    %9 = call @closed_call_6(%arg1, %6, %8) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %10 = stablehlo.slice %3 [2:3, 0:6] : (tensor<10x6xf32>) -> tensor<1x6xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x6xf32>) -> tensor<6xf32>
    %12 = call @closed_call_6(%arg1, %9, %11) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %13 = stablehlo.slice %3 [3:4, 0:6] : (tensor<10x6xf32>) -> tensor<1x6xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x6xf32>) -> tensor<6xf32>
    %15 = call @closed_call_6(%arg1, %12, %14) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %16 = stablehlo.slice %3 [4:5, 0:6] : (tensor<10x6xf32>) -> tensor<1x6xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x6xf32>) -> tensor<6xf32>
    %18 = call @closed_call_6(%arg1, %15, %17) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %19 = stablehlo.slice %3 [5:6, 0:6] : (tensor<10x6xf32>) -> tensor<1x6xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x6xf32>) -> tensor<6xf32>
    %21 = call @closed_call_6(%arg1, %18, %20) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %22 = stablehlo.slice %3 [6:7, 0:6] : (tensor<10x6xf32>) -> tensor<1x6xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x6xf32>) -> tensor<6xf32>
    %24 = call @closed_call_6(%arg1, %21, %23) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %25 = stablehlo.slice %3 [7:8, 0:6] : (tensor<10x6xf32>) -> tensor<1x6xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x6xf32>) -> tensor<6xf32>
    %27 = call @closed_call_6(%arg1, %24, %26) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %28 = stablehlo.slice %3 [8:9, 0:6] : (tensor<10x6xf32>) -> tensor<1x6xf32>
    %29 = stablehlo.reshape %28 : (tensor<1x6xf32>) -> tensor<6xf32>
    %30 = call @closed_call_6(%arg1, %27, %29) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %31 = stablehlo.slice %3 [9:10, 0:6] : (tensor<10x6xf32>) -> tensor<1x6xf32>
    %32 = stablehlo.reshape %31 : (tensor<1x6xf32>) -> tensor<6xf32>
    %33 = call @closed_call_6(%arg1, %30, %32) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    return %33 : tensor<6xf32>
  }
  func.func private @closed_call_6(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<6xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @polyval_7(%arg0: tensor<6x6xf32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %2 = stablehlo.slice %1 [0:0, 0:6] : (tensor<6x6xf32>) -> tensor<0x6xf32>
    %3 = stablehlo.slice %1 [0:6, 0:6] : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %4 = stablehlo.slice %3 [0:1, 0:6] : (tensor<6x6xf32>) -> tensor<1x6xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x6xf32>) -> tensor<6xf32>
    %6 = call @closed_call_8(%arg1, %0, %5) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %7 = stablehlo.slice %3 [1:2, 0:6] : (tensor<6x6xf32>) -> tensor<1x6xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x6xf32>) -> tensor<6xf32>
    %9 = call @closed_call_8(%arg1, %6, %8) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %10 = stablehlo.slice %3 [2:3, 0:6] : (tensor<6x6xf32>) -> tensor<1x6xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x6xf32>) -> tensor<6xf32>
    %12 = call @closed_call_8(%arg1, %9, %11) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %13 = stablehlo.slice %3 [3:4, 0:6] : (tensor<6x6xf32>) -> tensor<1x6xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x6xf32>) -> tensor<6xf32>
    %15 = call @closed_call_8(%arg1, %12, %14) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %16 = stablehlo.slice %3 [4:5, 0:6] : (tensor<6x6xf32>) -> tensor<1x6xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x6xf32>) -> tensor<6xf32>
    %18 = call @closed_call_8(%arg1, %15, %17) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %19 = stablehlo.slice %3 [5:6, 0:6] : (tensor<6x6xf32>) -> tensor<1x6xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x6xf32>) -> tensor<6xf32>
    %21 = call @closed_call_8(%arg1, %18, %20) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    return %21 : tensor<6xf32>
  }
  func.func private @closed_call_8(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<6xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @polyval_9(%arg0: tensor<6x7xf32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<6x7xf32>) -> tensor<7x6xf32>
    %2 = stablehlo.slice %1 [0:0, 0:6] : (tensor<7x6xf32>) -> tensor<0x6xf32>
    %3 = stablehlo.slice %1 [0:7, 0:6] : (tensor<7x6xf32>) -> tensor<7x6xf32>
    %4 = stablehlo.slice %3 [0:1, 0:6] : (tensor<7x6xf32>) -> tensor<1x6xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x6xf32>) -> tensor<6xf32>
    %6 = call @closed_call_10(%arg1, %0, %5) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %7 = stablehlo.slice %3 [1:2, 0:6] : (tensor<7x6xf32>) -> tensor<1x6xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x6xf32>) -> tensor<6xf32>
    %9 = call @closed_call_10(%arg1, %6, %8) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %10 = stablehlo.slice %3 [2:3, 0:6] : (tensor<7x6xf32>) -> tensor<1x6xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x6xf32>) -> tensor<6xf32>
    %12 = call @closed_call_10(%arg1, %9, %11) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %13 = stablehlo.slice %3 [3:4, 0:6] : (tensor<7x6xf32>) -> tensor<1x6xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x6xf32>) -> tensor<6xf32>
    %15 = call @closed_call_10(%arg1, %12, %14) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %16 = stablehlo.slice %3 [4:5, 0:6] : (tensor<7x6xf32>) -> tensor<1x6xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x6xf32>) -> tensor<6xf32>
    %18 = call @closed_call_10(%arg1, %15, %17) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %19 = stablehlo.slice %3 [5:6, 0:6] : (tensor<7x6xf32>) -> tensor<1x6xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x6xf32>) -> tensor<6xf32>
    %21 = call @closed_call_10(%arg1, %18, %20) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %22 = stablehlo.slice %3 [6:7, 0:6] : (tensor<7x6xf32>) -> tensor<1x6xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x6xf32>) -> tensor<6xf32>
    %24 = call @closed_call_10(%arg1, %21, %23) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    return %24 : tensor<6xf32>
  }
  func.func private @closed_call_10(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<6xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @polyval_11(%arg0: tensor<6x8xf32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
    %2 = stablehlo.slice %1 [0:0, 0:6] : (tensor<8x6xf32>) -> tensor<0x6xf32>
    %3 = stablehlo.slice %1 [0:8, 0:6] : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %4 = stablehlo.slice %3 [0:1, 0:6] : (tensor<8x6xf32>) -> tensor<1x6xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x6xf32>) -> tensor<6xf32>
    %6 = call @closed_call_12(%arg1, %0, %5) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %7 = stablehlo.slice %3 [1:2, 0:6] : (tensor<8x6xf32>) -> tensor<1x6xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x6xf32>) -> tensor<6xf32>
    %9 = call @closed_call_12(%arg1, %6, %8) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %10 = stablehlo.slice %3 [2:3, 0:6] : (tensor<8x6xf32>) -> tensor<1x6xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x6xf32>) -> tensor<6xf32>
    %12 = call @closed_call_12(%arg1, %9, %11) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %13 = stablehlo.slice %3 [3:4, 0:6] : (tensor<8x6xf32>) -> tensor<1x6xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x6xf32>) -> tensor<6xf32>
    %15 = call @closed_call_12(%arg1, %12, %14) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %16 = stablehlo.slice %3 [4:5, 0:6] : (tensor<8x6xf32>) -> tensor<1x6xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x6xf32>) -> tensor<6xf32>
    %18 = call @closed_call_12(%arg1, %15, %17) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %19 = stablehlo.slice %3 [5:6, 0:6] : (tensor<8x6xf32>) -> tensor<1x6xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x6xf32>) -> tensor<6xf32>
    %21 = call @closed_call_12(%arg1, %18, %20) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %22 = stablehlo.slice %3 [6:7, 0:6] : (tensor<8x6xf32>) -> tensor<1x6xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x6xf32>) -> tensor<6xf32>
    %24 = call @closed_call_12(%arg1, %21, %23) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %25 = stablehlo.slice %3 [7:8, 0:6] : (tensor<8x6xf32>) -> tensor<1x6xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x6xf32>) -> tensor<6xf32>
    %27 = call @closed_call_12(%arg1, %24, %26) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    return %27 : tensor<6xf32>
  }
  func.func private @closed_call_12(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<6xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @expn(%arg0: tensor<i32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.compare LT, %0, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.compare LT, %arg1, %2, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %4 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i1>) -> tensor<6xi1>
    %5 = stablehlo.or %4, %3 : tensor<6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %7 = stablehlo.compare EQ, %arg1, %6, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %8 = stablehlo.compare LT, %0, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i1>) -> tensor<6xi1>
    %10 = stablehlo.and %7, %9 : tensor<6xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %12 = stablehlo.compare EQ, %arg1, %11, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GE, %0, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<i1>) -> tensor<6xi1>
    %15 = stablehlo.and %12, %14 : tensor<6xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.compare EQ, %0, %cst_5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %18 = stablehlo.compare GE, %arg1, %17, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %19 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<i1>) -> tensor<6xi1>
    %20 = stablehlo.and %19, %18 : tensor<6xi1>
    %cst_7 = stablehlo.constant dense<5.000000e+03> : tensor<f32>
    %21 = stablehlo.compare GE, %0, %cst_7, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %23 = stablehlo.compare GT, %arg1, %22, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.compare EQ, %0, %cst_9, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %25 = stablehlo.add %0, %0 : tensor<f32>
    %26 = call @_where(%24, %25, %0) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.divide %cst_10, %26 : tensor<f32>
    %28 = stablehlo.negate %arg1 : tensor<6xf32>
    %29 = stablehlo.exponential %28 : tensor<6xf32>
    %30 = stablehlo.divide %29, %arg1 : tensor<6xf32>
    %31 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<6xi1>) -> tensor<6x1xi1>
    %32 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<6xi1>) -> tensor<6x1xi1>
    %33 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<6xi1>) -> tensor<6x1xi1>
    %34 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<6xi1>) -> tensor<6x1xi1>
    %35 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %36 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<6xi1>) -> tensor<6x1xi1>
    %37 = stablehlo.broadcast_in_dim %35, dims = [1] : (tensor<1xi1>) -> tensor<6x1xi1>
    %38 = stablehlo.concatenate %31, %32, %33, %34, %37, %36, dim = 1 : (tensor<6x1xi1>, tensor<6x1xi1>, tensor<6x1xi1>, tensor<6x1xi1>, tensor<6x1xi1>, tensor<6x1xi1>) -> tensor<6x6xi1>
    %cst_11 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %cst_12 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %39 = call @_piecewise_13(%arg1, %38, %cst_11, %cst_12, %27, %30, %0) : (tensor<6xf32>, tensor<6x6xi1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
    return %39 : tensor<6xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @_piecewise_13(%arg0: tensor<6xf32>, %arg1: tensor<6x6xi1>, %arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<6xf32>, %arg6: tensor<f32>) -> tensor<6xf32> {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<1xi1>) -> tensor<6x1xi1>
    %2 = stablehlo.concatenate %1, %arg1, dim = 1 : (tensor<6x1xi1>, tensor<6x6xi1>) -> tensor<6x7xi1>
    %3 = call @cumsum_2(%2) : (tensor<6x7xi1>) -> tensor<6x7xi32>
    %4 = call @argmax_4(%3) : (tensor<6x7xi32>) -> tensor<6xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<6> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %6 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %7 = stablehlo.clamp %5, %4, %6 : tensor<6xi32>
    %8 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %9 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %10 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %11 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %13 = stablehlo.compare EQ, %7, %12, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %14 = stablehlo.select %13, %8, %8 : tensor<6xi1>, tensor<6xf32>
    %15 = stablehlo.select %13, %arg0, %arg0 : tensor<6xi1>, tensor<6xf32>
    %16 = stablehlo.log %15 : tensor<6xf32>
    %cst = stablehlo.constant dense<-0.577215672> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %18 = stablehlo.subtract %17, %16 : tensor<6xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %20:3 = stablehlo.while(%iterArg = %19, %iterArg_38 = %14, %iterArg_39 = %18) : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    cond {
      %128 = stablehlo.compare LT, %iterArg, %iterArg_38, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %c_40 = stablehlo.constant dense<false> : tensor<i1>
      %129 = stablehlo.reduce(%128 init: %c_40) applies stablehlo.or across dimensions = [0] : (tensor<6xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %129 : tensor<i1>
    } do {
      %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %128 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %129 = stablehlo.add %iterArg, %128 : tensor<6xf32>
      %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %130 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %131 = stablehlo.divide %130, %iterArg : tensor<6xf32>
      %132 = stablehlo.add %iterArg_39, %131 : tensor<6xf32>
      %133 = stablehlo.compare LT, %iterArg, %iterArg_38, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %134 = stablehlo.broadcast_in_dim %133, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %135 = stablehlo.select %134, %129, %iterArg : tensor<6xi1>, tensor<6xf32>
      %136 = stablehlo.broadcast_in_dim %133, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %137 = stablehlo.select %136, %iterArg_38, %iterArg_38 : tensor<6xi1>, tensor<6xf32>
      %138 = stablehlo.broadcast_in_dim %133, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %139 = stablehlo.select %138, %132, %iterArg_39 : tensor<6xi1>, tensor<6xf32>
      stablehlo.return %135, %137, %139 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    }
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %22 = stablehlo.compare EQ, %14, %21, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %23 = call @_where_14(%22, %cst_5, %14) : (tensor<6xi1>, tensor<f32>, tensor<6xf32>) -> tensor<6xf32>
    %24 = stablehlo.negate %15 : tensor<6xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %26 = stablehlo.subtract %25, %14 : tensor<6xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %28 = stablehlo.compare EQ, %14, %27, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %30 = stablehlo.subtract %29, %23 : tensor<6xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %32 = stablehlo.divide %31, %30 : tensor<6xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = call @_where_14(%28, %cst_10, %32) : (tensor<6xi1>, tensor<f32>, tensor<6xf32>) -> tensor<6xf32>
    %cst_11 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %37:7 = stablehlo.while(%iterArg = %24, %iterArg_38 = %33, %iterArg_39 = %26, %iterArg_40 = %34, %iterArg_41 = %15, %iterArg_42 = %35, %iterArg_43 = %36) : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    cond {
      %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %128 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %129 = stablehlo.compare GT, %iterArg_41, %128, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %130 = stablehlo.convert %iterArg_40 : tensor<6xf32>
      %cst_45 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %131 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %132 = stablehlo.compare GT, %130, %131, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %133 = stablehlo.and %129, %132 : tensor<6xi1>
      %c_46 = stablehlo.constant dense<false> : tensor<i1>
      %134 = stablehlo.reduce(%133 init: %c_46) applies stablehlo.or across dimensions = [0] : (tensor<6xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %134 : tensor<i1>
    } do {
      %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %128 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %129 = stablehlo.add %iterArg_42, %128 : tensor<6xf32>
      %130 = stablehlo.divide %iterArg, %129 : tensor<6xf32>
      %131 = stablehlo.multiply %iterArg_43, %130 : tensor<6xf32>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %132 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %133 = stablehlo.add %iterArg_39, %132 : tensor<6xf32>
      %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %134 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %135 = stablehlo.compare NE, %133, %134, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %136 = stablehlo.divide %131, %133 : tensor<6xf32>
      %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %137 = func.call @_where_15(%135, %136, %cst_47) : (tensor<6xi1>, tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
      %138 = stablehlo.add %iterArg_38, %137 : tensor<6xf32>
      %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %139 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %140 = stablehlo.compare NE, %138, %139, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %141 = stablehlo.divide %131, %138 : tensor<6xf32>
      %142 = stablehlo.abs %141 : tensor<6xf32>
      %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %143 = func.call @_where_15(%140, %142, %cst_49) : (tensor<6xi1>, tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
      %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %144 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %145 = stablehlo.compare GT, %iterArg_41, %144, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %146 = stablehlo.convert %iterArg_40 : tensor<6xf32>
      %cst_51 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %147 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %148 = stablehlo.compare GT, %146, %147, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %149 = stablehlo.and %145, %148 : tensor<6xi1>
      %150 = stablehlo.broadcast_in_dim %149, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %151 = stablehlo.select %150, %138, %iterArg_38 : tensor<6xi1>, tensor<6xf32>
      %152 = stablehlo.broadcast_in_dim %149, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %153 = stablehlo.select %152, %133, %iterArg_39 : tensor<6xi1>, tensor<6xf32>
      %154 = stablehlo.broadcast_in_dim %149, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %155 = stablehlo.select %154, %143, %iterArg_40 : tensor<6xi1>, tensor<6xf32>
      %156 = stablehlo.broadcast_in_dim %149, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %157 = stablehlo.select %156, %iterArg_41, %iterArg_41 : tensor<6xi1>, tensor<6xf32>
      %158 = stablehlo.broadcast_in_dim %149, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %159 = stablehlo.select %158, %129, %iterArg_42 : tensor<6xi1>, tensor<6xf32>
      %160 = stablehlo.broadcast_in_dim %149, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %161 = stablehlo.select %160, %131, %iterArg_43 : tensor<6xi1>, tensor<6xf32>
      stablehlo.return %iterArg, %151, %153, %155, %157, %159, %161 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    }
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %39 = stablehlo.subtract %14, %38 : tensor<6xf32>
    %40 = stablehlo.power %24, %39 : tensor<6xf32>
    %41 = stablehlo.multiply %40, %20#2 : tensor<6xf32>
    %42 = chlo.lgamma %14 : tensor<6xf32> -> tensor<6xf32>
    %43 = stablehlo.exponential %42 : tensor<6xf32>
    %44 = stablehlo.divide %41, %43 : tensor<6xf32>
    %45 = stablehlo.subtract %44, %37#1 : tensor<6xf32>
    %c_15 = stablehlo.constant dense<1> : tensor<i32>
    %46 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %47 = stablehlo.compare EQ, %7, %46, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %48 = stablehlo.select %47, %9, %9 : tensor<6xi1>, tensor<6xf32>
    %49 = stablehlo.convert %48 : tensor<6xf32>
    %c_16 = stablehlo.constant dense<2> : tensor<i32>
    %50 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %51 = stablehlo.compare EQ, %7, %50, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %52 = stablehlo.select %51, %10, %10 : tensor<6xi1>, tensor<6xf32>
    %53 = stablehlo.convert %52 : tensor<6xf32>
    %c_17 = stablehlo.constant dense<3> : tensor<i32>
    %54 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %55 = stablehlo.compare EQ, %7, %54, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %56 = stablehlo.select %55, %11, %11 : tensor<6xi1>, tensor<6xf32>
    %c_18 = stablehlo.constant dense<4> : tensor<i32>
    %57 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %58 = stablehlo.compare EQ, %7, %57, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %59 = stablehlo.select %58, %arg5, %arg5 : tensor<6xi1>, tensor<6xf32>
    %c_19 = stablehlo.constant dense<5> : tensor<i32>
    %60 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %61 = stablehlo.compare EQ, %7, %60, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %62 = stablehlo.select %61, %8, %8 : tensor<6xi1>, tensor<6xf32>
    %63 = stablehlo.select %61, %arg0, %arg0 : tensor<6xi1>, tensor<6xf32>
    %64 = stablehlo.add %63, %62 : tensor<6xf32>
    %65 = stablehlo.multiply %64, %64 : tensor<6xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %67 = stablehlo.divide %66, %65 : tensor<6xf32>
    %68 = stablehlo.multiply %67, %62 : tensor<6xf32>
    %cst_21 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %70 = stablehlo.multiply %69, %63 : tensor<6xf32>
    %71 = stablehlo.multiply %70, %63 : tensor<6xf32>
    %cst_22 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %73 = stablehlo.multiply %72, %62 : tensor<6xf32>
    %74 = stablehlo.multiply %73, %63 : tensor<6xf32>
    %75 = stablehlo.subtract %71, %74 : tensor<6xf32>
    %76 = stablehlo.multiply %62, %62 : tensor<6xf32>
    %77 = stablehlo.add %75, %76 : tensor<6xf32>
    %78 = stablehlo.multiply %68, %77 : tensor<6xf32>
    %cst_23 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %80 = stablehlo.multiply %79, %63 : tensor<6xf32>
    %81 = stablehlo.subtract %62, %80 : tensor<6xf32>
    %82 = stablehlo.multiply %62, %81 : tensor<6xf32>
    %83 = stablehlo.add %78, %82 : tensor<6xf32>
    %84 = stablehlo.multiply %67, %83 : tensor<6xf32>
    %85 = stablehlo.add %84, %62 : tensor<6xf32>
    %86 = stablehlo.multiply %67, %85 : tensor<6xf32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %88 = stablehlo.add %86, %87 : tensor<6xf32>
    %89 = stablehlo.negate %63 : tensor<6xf32>
    %90 = stablehlo.exponential %89 : tensor<6xf32>
    %91 = stablehlo.multiply %88, %90 : tensor<6xf32>
    %92 = stablehlo.divide %91, %64 : tensor<6xf32>
    %c_25 = stablehlo.constant dense<6> : tensor<i32>
    %93 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %94 = stablehlo.compare EQ, %7, %93, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %95 = stablehlo.select %94, %8, %8 : tensor<6xi1>, tensor<6xf32>
    %96 = stablehlo.select %94, %arg0, %arg0 : tensor<6xi1>, tensor<6xf32>
    %97 = stablehlo.add %96, %95 : tensor<6xf32>
    %98 = stablehlo.add %96, %95 : tensor<6xf32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %100 = stablehlo.divide %99, %98 : tensor<6xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_31 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %106:10 = stablehlo.while(%iterArg = %95, %iterArg_38 = %100, %iterArg_39 = %101, %iterArg_40 = %102, %iterArg_41 = %103, %iterArg_42 = %97, %iterArg_43 = %96, %iterArg_44 = %104, %iterArg_45 = %105, %iterArg_46 = %96) : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    cond {
      %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %128 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %129 = stablehlo.compare GT, %iterArg_46, %128, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %cst_48 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %130 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %131 = stablehlo.compare GT, %iterArg_45, %130, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %132 = stablehlo.and %129, %131 : tensor<6xi1>
      %c_49 = stablehlo.constant dense<false> : tensor<i1>
      %133 = stablehlo.reduce(%132 init: %c_49) applies stablehlo.or across dimensions = [0] : (tensor<6xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %133 : tensor<i1>
    } do {
      %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %128 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %129 = stablehlo.add %iterArg_39, %128 : tensor<6xf32>
      %cst_48 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %130 = func.call @remainder(%129, %cst_48) : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
      %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %131 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %132 = stablehlo.compare EQ, %130, %131, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %133 = func.call @_where_16(%132, %cst_50, %iterArg_46) : (tensor<6xi1>, tensor<f32>, tensor<6xf32>) -> tensor<6xf32>
      %cst_51 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %134 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %135 = stablehlo.subtract %129, %134 : tensor<6xf32>
      %cst_52 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %136 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %137 = stablehlo.divide %135, %136 : tensor<6xf32>
      %138 = stablehlo.add %iterArg, %137 : tensor<6xf32>
      %cst_53 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %139 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %140 = stablehlo.divide %129, %139 : tensor<6xf32>
      %141 = func.call @_where_17(%132, %138, %140) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      %142 = stablehlo.multiply %iterArg_40, %133 : tensor<6xf32>
      %143 = stablehlo.multiply %iterArg_41, %141 : tensor<6xf32>
      %144 = stablehlo.add %142, %143 : tensor<6xf32>
      %145 = stablehlo.multiply %iterArg_42, %133 : tensor<6xf32>
      %146 = stablehlo.multiply %iterArg_43, %141 : tensor<6xf32>
      %147 = stablehlo.add %145, %146 : tensor<6xf32>
      %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %148 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %149 = stablehlo.compare NE, %147, %148, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %150 = stablehlo.divide %144, %147 : tensor<6xf32>
      %151 = func.call @_where_17(%149, %150, %iterArg_44) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      %152 = stablehlo.subtract %iterArg_38, %151 : tensor<6xf32>
      %153 = stablehlo.divide %152, %151 : tensor<6xf32>
      %154 = stablehlo.abs %153 : tensor<6xf32>
      %cst_55 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %155 = func.call @_where_15(%149, %154, %cst_55) : (tensor<6xi1>, tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
      %156 = func.call @_where_17(%149, %151, %iterArg_38) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      %157 = stablehlo.abs %144 : tensor<6xf32>
      %cst_56 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %158 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %159 = stablehlo.compare GT, %157, %158, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %cst_57 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %160 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %161 = stablehlo.divide %144, %160 : tensor<6xf32>
      %162 = func.call @_where_17(%159, %161, %144) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      %cst_58 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %163 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %164 = stablehlo.divide %iterArg_40, %163 : tensor<6xf32>
      %165 = func.call @_where_17(%159, %164, %iterArg_40) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      %cst_59 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %166 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %167 = stablehlo.divide %147, %166 : tensor<6xf32>
      %168 = func.call @_where_17(%159, %167, %147) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      %cst_60 = stablehlo.constant dense<1.44115188E+17> : tensor<f32>
      %169 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %170 = stablehlo.divide %iterArg_42, %169 : tensor<6xf32>
      %171 = func.call @_where_17(%159, %170, %iterArg_42) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %172 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %173 = stablehlo.compare GT, %iterArg_46, %172, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %cst_62 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %174 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %175 = stablehlo.compare GT, %iterArg_45, %174, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %176 = stablehlo.and %173, %175 : tensor<6xi1>
      %177 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %178 = stablehlo.select %177, %156, %iterArg_38 : tensor<6xi1>, tensor<6xf32>
      %179 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %180 = stablehlo.select %179, %129, %iterArg_39 : tensor<6xi1>, tensor<6xf32>
      %181 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %182 = stablehlo.select %181, %162, %iterArg_40 : tensor<6xi1>, tensor<6xf32>
      %183 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %184 = stablehlo.select %183, %165, %iterArg_41 : tensor<6xi1>, tensor<6xf32>
      %185 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %186 = stablehlo.select %185, %168, %iterArg_42 : tensor<6xi1>, tensor<6xf32>
      %187 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %188 = stablehlo.select %187, %171, %iterArg_43 : tensor<6xi1>, tensor<6xf32>
      %189 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %190 = stablehlo.select %189, %151, %iterArg_44 : tensor<6xi1>, tensor<6xf32>
      %191 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %192 = stablehlo.select %191, %155, %iterArg_45 : tensor<6xi1>, tensor<6xf32>
      %193 = stablehlo.broadcast_in_dim %176, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %194 = stablehlo.select %193, %iterArg_46, %iterArg_46 : tensor<6xi1>, tensor<6xf32>
      stablehlo.return %iterArg, %178, %180, %182, %184, %186, %188, %190, %192, %194 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    }
    %107 = stablehlo.negate %96 : tensor<6xf32>
    %108 = stablehlo.exponential %107 : tensor<6xf32>
    %109 = stablehlo.multiply %106#1, %108 : tensor<6xf32>
    %c_32 = stablehlo.constant dense<3> : tensor<i32>
    %110 = stablehlo.broadcast_in_dim %c_32, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %111 = stablehlo.compare LT, %7, %110, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_33 = stablehlo.constant dense<1> : tensor<i32>
    %112 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %113 = stablehlo.compare LT, %7, %112, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_34 = stablehlo.constant dense<2> : tensor<i32>
    %114 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %115 = stablehlo.compare LT, %7, %114, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %116 = stablehlo.select %115, %49, %53 : tensor<6xi1>, tensor<6xf32>
    %117 = stablehlo.select %113, %45, %116 : tensor<6xi1>, tensor<6xf32>
    %c_35 = stablehlo.constant dense<5> : tensor<i32>
    %118 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %119 = stablehlo.compare LT, %7, %118, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_36 = stablehlo.constant dense<4> : tensor<i32>
    %120 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %121 = stablehlo.compare LT, %7, %120, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %122 = stablehlo.select %121, %56, %59 : tensor<6xi1>, tensor<6xf32>
    %c_37 = stablehlo.constant dense<6> : tensor<i32>
    %123 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %124 = stablehlo.compare LT, %7, %123, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %125 = stablehlo.select %124, %92, %109 : tensor<6xi1>, tensor<6xf32>
    %126 = stablehlo.select %119, %122, %125 : tensor<6xi1>, tensor<6xf32>
    %127 = stablehlo.select %111, %117, %126 : tensor<6xi1>, tensor<6xf32>
    return %127 : tensor<6xf32>
  }
  func.func private @_where_14(%arg0: tensor<6xi1>, %arg1: tensor<f32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<6xi1>, tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @_where_15(%arg0: tensor<6xi1>, %arg1: tensor<6xf32>, %arg2: tensor<f32>) -> tensor<6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<6xi1>, tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @remainder(%arg0: tensor<6xf32>, %arg1: tensor<f32>) -> tensor<6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.remainder %arg0, %0 : tensor<6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.compare NE, %1, %2, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %5 = stablehlo.compare LT, %1, %4, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.compare LT, %arg1, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<6xi1>
    %8 = stablehlo.compare NE, %5, %7, UNSIGNED : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
    %9 = stablehlo.and %8, %3 : tensor<6xi1>
    %10 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %11 = stablehlo.add %1, %10 : tensor<6xf32>
    %12 = stablehlo.select %9, %11, %1 : tensor<6xi1>, tensor<6xf32>
    return %12 : tensor<6xf32>
  }
  func.func private @_where_16(%arg0: tensor<6xi1>, %arg1: tensor<f32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<6xi1>, tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @_where_17(%arg0: tensor<6xi1>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}

// sici float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0 20.0 -20.0
// 0.2985040545463562 -0.6812222003936768 0.9460830688476562 -0.9460830688476562 1.778520107269287 0.0 -0.0 1.4246876239776611 -1.4246876239776611 1.5482417345046997 -1.5482417345046997
// 0.9850673675537109 0.9203109741210938 0.8414709568023682 0.8414709568023682 0.2393888533115387 1.0 1.0 -0.04656924679875374 -0.04656924679875374 0.045647263526916504 0.045647263526916504
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<11xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<11xf32> {jax.result_info = "result[1]"}) {
    %0 = call @sici(%arg0) : (tensor<11xf32>) -> tensor<11xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<f32>
    return %1, %0 : tensor<f32>, tensor<11xf32>
  }
  func.func private @sici(%arg0: tensor<11xf32>) -> tensor<11xf32> {
    %cst = stablehlo.constant dense<[-8.39167832E-11, 4.62591707E-8, -9.75759303E-6, 9.76945389E-4, -0.0413470306, 1.000000e+00]> : tensor<6xf32>
    %cst_0 = stablehlo.constant dense<[2.03269259E-12, 1.2799789E-9, 4.41827837E-7, 9.96412127E-5, 0.0142085236, 1.000000e+00]> : tensor<6xf32>
    %cst_1 = stablehlo.constant dense<[2.025240e-11, -1.352495E-8, 3.59325054E-6, -4.74007218E-4, 0.0289159659, -1.000000e+00]> : tensor<6xf32>
    %cst_2 = stablehlo.constant dense<[4.07746059E-12, 3.067810e-09, 1.2321035E-6, 3.17442027E-4, 0.0510028042, 4.000000e+00]> : tensor<6xf32>
    %cst_3 = stablehlo.constant dense<[4.23612881, 5.45937729, 1.62083292, 0.167006612, 0.00681020133, 1.08936583E-4, 5.48900232E-7]> : tensor<7xf32>
    %cst_4 = stablehlo.constant dense<[1.000000e+00, 8.16496658, 7.3082881, 1.86792254, 0.178792059, 0.00701710675, 1.10034358E-4, 5.48900232E-7]> : tensor<8xf32>
    %cst_5 = stablehlo.constant dense<[0.0871001705, 0.611379086, 0.397180289, 0.0748527721, 0.0053886869, 1.61999793E-4, 1.97963868E-6, 7.82579068E-9]> : tensor<8xf32>
    %cst_6 = stablehlo.constant dense<[1.000000e+00, 1.64402199, 0.666296721, 0.0988771766, 0.00622396357, 1.7322108E-4, 2.0265918E-6, 7.82579245E-9]> : tensor<8xf32>
    %cst_7 = stablehlo.constant dense<[0.45588088, 0.713715255, 0.160300165, 0.0116064232, 3.49556445E-4, 4.86215413E-6, 3.20092788E-8, 9.4177957E-11, 9.70507108E-14]> : tensor<9xf32>
    %cst_8 = stablehlo.constant dense<[1.000000e+00, 0.9174636, 0.178685546, 0.0122253597, 3.58696474E-4, 4.92435083E-6, 3.21956932E-8, 9.43720587E-11, 9.70507108E-14]> : tensor<9xf32>
    %cst_9 = stablehlo.constant dense<[0.697359979, 3.304110e-01, 0.0384878777, 0.00171718234, 3.48941176E-5, 3.47131163E-7, 1.70404457E-9, 3.85945919E-12, 3.14040091E-15]> : tensor<9xf32>
    %cst_10 = stablehlo.constant dense<[1.000000e+00, 1.68548894, 0.487852246, 0.0467913188, 0.00190284429, 3.68475521E-5, 3.57043234E-7, 1.72693748E-9, 3.87830176E-12, 3.14040091E-15]> : tensor<10xf32>
    %0 = stablehlo.abs %arg0 : tensor<11xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %3 = stablehlo.multiply %0, %0 : tensor<11xf32>
    %4 = call @polyval(%cst, %3) : (tensor<6xf32>, tensor<11xf32>) -> tensor<11xf32>
    %5 = stablehlo.multiply %0, %4 : tensor<11xf32>
    %6 = call @polyval(%cst_0, %3) : (tensor<6xf32>, tensor<11xf32>) -> tensor<11xf32>
    %7 = stablehlo.divide %5, %6 : tensor<11xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = call @_where(%2, %cst_12, %7) : (tensor<11xi1>, tensor<f32>, tensor<11xf32>) -> tensor<11xf32>
    %9 = stablehlo.sine %0 : tensor<11xf32>
    %10 = stablehlo.cosine %0 : tensor<11xf32>
    %11 = stablehlo.multiply %0, %0 : tensor<11xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %13 = stablehlo.divide %12, %11 : tensor<11xf32>
    %14 = call @polyval_0(%cst_3, %13) : (tensor<7xf32>, tensor<11xf32>) -> tensor<11xf32>
    %15 = call @polyval_2(%cst_4, %13) : (tensor<8xf32>, tensor<11xf32>) -> tensor<11xf32>
    %16 = stablehlo.multiply %0, %15 : tensor<11xf32>
    %17 = stablehlo.divide %14, %16 : tensor<11xf32>
    %18 = call @polyval_2(%cst_5, %13) : (tensor<8xf32>, tensor<11xf32>) -> tensor<11xf32>
    %19 = stablehlo.multiply %13, %18 : tensor<11xf32>
    %20 = call @polyval_2(%cst_6, %13) : (tensor<8xf32>, tensor<11xf32>) -> tensor<11xf32>
    %21 = stablehlo.divide %19, %20 : tensor<11xf32>
    %22 = call @polyval_4(%cst_7, %13) : (tensor<9xf32>, tensor<11xf32>) -> tensor<11xf32>
    %23 = call @polyval_4(%cst_8, %13) : (tensor<9xf32>, tensor<11xf32>) -> tensor<11xf32>
    %24 = stablehlo.multiply %0, %23 : tensor<11xf32>
    %25 = stablehlo.divide %22, %24 : tensor<11xf32>
    %26 = call @polyval_4(%cst_9, %13) : (tensor<9xf32>, tensor<11xf32>) -> tensor<11xf32>
    %27 = stablehlo.multiply %13, %26 : tensor<11xf32>
    %28 = call @polyval_6(%cst_10, %13) : (tensor<10xf32>, tensor<11xf32>) -> tensor<11xf32>
    %29 = stablehlo.divide %27, %28 : tensor<11xf32>
    %cst_14 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %31 = stablehlo.compare LT, %0, %30, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %32 = call @_where_8(%31, %17, %25) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %33 = call @_where_8(%31, %21, %29) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %34 = stablehlo.multiply %32, %10 : tensor<11xf32>
    %cst_15 = stablehlo.constant dense<1.57079637> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %36 = stablehlo.subtract %35, %34 : tensor<11xf32>
    %37 = stablehlo.multiply %33, %9 : tensor<11xf32>
    %38 = stablehlo.subtract %36, %37 : tensor<11xf32>
    %39 = stablehlo.cosine %0 : tensor<11xf32>
    %40 = stablehlo.divide %39, %0 : tensor<11xf32>
    %cst_16 = stablehlo.constant dense<1.57079637> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %42 = stablehlo.subtract %41, %40 : tensor<11xf32>
    %cst_17 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %44 = stablehlo.compare EQ, %0, %43, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %cst_18 = stablehlo.constant dense<1.57079637> : tensor<f32>
    %45 = call @_where(%44, %cst_18, %42) : (tensor<11xi1>, tensor<f32>, tensor<11xf32>) -> tensor<11xf32>
    %cst_19 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %47 = stablehlo.compare LE, %0, %46, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %cst_20 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %49 = stablehlo.compare GT, %0, %48, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %cst_21 = stablehlo.constant dense<1.000000e+09> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %51 = stablehlo.compare LE, %0, %50, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %52 = stablehlo.and %49, %51 : tensor<11xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %53 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<11xi1>
    %54 = stablehlo.broadcast_in_dim %53, dims = [1] : (tensor<11xi1>) -> tensor<1x11xi1>
    %55 = stablehlo.broadcast_in_dim %47, dims = [1] : (tensor<11xi1>) -> tensor<1x11xi1>
    %56 = stablehlo.broadcast_in_dim %52, dims = [1] : (tensor<11xi1>) -> tensor<1x11xi1>
    %57 = stablehlo.concatenate %54, %55, %56, dim = 0 : (tensor<1x11xi1>, tensor<1x11xi1>, tensor<1x11xi1>) -> tensor<3x11xi1>
    %58 = call @argmax(%57) : (tensor<3x11xi1>) -> tensor<11xi32>
    %c_22 = stablehlo.constant dense<1> : tensor<i32>
    %59 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %60 = stablehlo.compare LT, %58, %59, SIGNED : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
    %c_23 = stablehlo.constant dense<2> : tensor<i32>
    %61 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i32>) -> tensor<11xi32>
    %62 = stablehlo.compare LT, %58, %61, SIGNED : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
    %63 = stablehlo.select %62, %8, %38 : tensor<11xi1>, tensor<11xf32>
    %64 = stablehlo.select %60, %45, %63 : tensor<11xi1>, tensor<11xf32>
    %65 = stablehlo.sign %arg0 : tensor<11xf32>
    %66 = stablehlo.multiply %65, %64 : tensor<11xf32>
    return %66 : tensor<11xf32>
  }
  func.func private @polyval(%arg0: tensor<6xf32>, %arg1: tensor<11xf32>) -> tensor<11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %1 = stablehlo.slice %arg0 [0:0] : (tensor<6xf32>) -> tensor<0xf32>
    %2 = stablehlo.slice %arg0 [0:6] : (tensor<6xf32>) -> tensor<6xf32>
    %3 = stablehlo.slice %2 [0:1] : (tensor<6xf32>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = call @closed_call(%arg1, %0, %4) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %6 = stablehlo.slice %2 [1:2] : (tensor<6xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = call @closed_call(%arg1, %5, %7) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %9 = stablehlo.slice %2 [2:3] : (tensor<6xf32>) -> tensor<1xf32>
    %10 = stablehlo.reshape %9 : (tensor<1xf32>) -> tensor<f32>
    %11 = call @closed_call(%arg1, %8, %10) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %12 = stablehlo.slice %2 [3:4] : (tensor<6xf32>) -> tensor<1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
    %14 = call @closed_call(%arg1, %11, %13) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %15 = stablehlo.slice %2 [4:5] : (tensor<6xf32>) -> tensor<1xf32>
    %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
    %17 = call @closed_call(%arg1, %14, %16) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %18 = stablehlo.slice %2 [5:6] : (tensor<6xf32>) -> tensor<1xf32>
    %19 = stablehlo.reshape %18 : (tensor<1xf32>) -> tensor<f32>
    %20 = call @closed_call(%arg1, %17, %19) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    return %20 : tensor<11xf32>
  }
  func.func private @closed_call(%arg0: tensor<11xf32>, %arg1: tensor<11xf32>, %arg2: tensor<f32>) -> tensor<11xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<11xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.add %0, %1 : tensor<11xf32>
    return %2 : tensor<11xf32>
  }
  func.func private @_where(%arg0: tensor<11xi1>, %arg1: tensor<f32>, %arg2: tensor<11xf32>) -> tensor<11xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<11xi1>, tensor<11xf32>
    return %2 : tensor<11xf32>
  }
  func.func private @polyval_0(%arg0: tensor<7xf32>, %arg1: tensor<11xf32>) -> tensor<11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %1 = stablehlo.slice %arg0 [0:0] : (tensor<7xf32>) -> tensor<0xf32>
    %2 = stablehlo.slice %arg0 [0:7] : (tensor<7xf32>) -> tensor<7xf32>
    %3 = stablehlo.slice %2 [0:1] : (tensor<7xf32>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = call @closed_call_1(%arg1, %0, %4) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %6 = stablehlo.slice %2 [1:2] : (tensor<7xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = call @closed_call_1(%arg1, %5, %7) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %9 = stablehlo.slice %2 [2:3] : (tensor<7xf32>) -> tensor<1xf32>
    %10 = stablehlo.reshape %9 : (tensor<1xf32>) -> tensor<f32>
    %11 = call @closed_call_1(%arg1, %8, %10) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %12 = stablehlo.slice %2 [3:4] : (tensor<7xf32>) -> tensor<1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
    %14 = call @closed_call_1(%arg1, %11, %13) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %15 = stablehlo.slice %2 [4:5] : (tensor<7xf32>) -> tensor<1xf32>
    %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
    %17 = call @closed_call_1(%arg1, %14, %16) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %18 = stablehlo.slice %2 [5:6] : (tensor<7xf32>) -> tensor<1xf32>
    %19 = stablehlo.reshape %18 : (tensor<1xf32>) -> tensor<f32>
    %20 = call @closed_call_1(%arg1, %17, %19) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %21 = stablehlo.slice %2 [6:7] : (tensor<7xf32>) -> tensor<1xf32>
    %22 = stablehlo.reshape %21 : (tensor<1xf32>) -> tensor<f32>
    %23 = call @closed_call_1(%arg1, %20, %22) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    return %23 : tensor<11xf32>
  }
  func.func private @closed_call_1(%arg0: tensor<11xf32>, %arg1: tensor<11xf32>, %arg2: tensor<f32>) -> tensor<11xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<11xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.add %0, %1 : tensor<11xf32>
    return %2 : tensor<11xf32>
  }
  func.func private @polyval_2(%arg0: tensor<8xf32>, %arg1: tensor<11xf32>) -> tensor<11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %1 = stablehlo.slice %arg0 [0:0] : (tensor<8xf32>) -> tensor<0xf32>
    %2 = stablehlo.slice %arg0 [0:8] : (tensor<8xf32>) -> tensor<8xf32>
    %3 = stablehlo.slice %2 [0:1] : (tensor<8xf32>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = call @closed_call_3(%arg1, %0, %4) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %6 = stablehlo.slice %2 [1:2] : (tensor<8xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = call @closed_call_3(%arg1, %5, %7) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %9 = stablehlo.slice %2 [2:3] : (tensor<8xf32>) -> tensor<1xf32>
    %10 = stablehlo.reshape %9 : (tensor<1xf32>) -> tensor<f32>
    %11 = call @closed_call_3(%arg1, %8, %10) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %12 = stablehlo.slice %2 [3:4] : (tensor<8xf32>) -> tensor<1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
    %14 = call @closed_call_3(%arg1, %11, %13) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %15 = stablehlo.slice %2 [4:5] : (tensor<8xf32>) -> tensor<1xf32>
    %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
    %17 = call @closed_call_3(%arg1, %14, %16) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %18 = stablehlo.slice %2 [5:6] : (tensor<8xf32>) -> tensor<1xf32>
    %19 = stablehlo.reshape %18 : (tensor<1xf32>) -> tensor<f32>
    %20 = call @closed_call_3(%arg1, %17, %19) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %21 = stablehlo.slice %2 [6:7] : (tensor<8xf32>) -> tensor<1xf32>
    %22 = stablehlo.reshape %21 : (tensor<1xf32>) -> tensor<f32>
    %23 = call @closed_call_3(%arg1, %20, %22) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %24 = stablehlo.slice %2 [7:8] : (tensor<8xf32>) -> tensor<1xf32>
    %25 = stablehlo.reshape %24 : (tensor<1xf32>) -> tensor<f32>
    %26 = call @closed_call_3(%arg1, %23, %25) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    return %26 : tensor<11xf32>
  }
  func.func private @closed_call_3(%arg0: tensor<11xf32>, %arg1: tensor<11xf32>, %arg2: tensor<f32>) -> tensor<11xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<11xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.add %0, %1 : tensor<11xf32>
    return %2 : tensor<11xf32>
  }
  func.func private @polyval_4(%arg0: tensor<9xf32>, %arg1: tensor<11xf32>) -> tensor<11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %1 = stablehlo.slice %arg0 [0:0] : (tensor<9xf32>) -> tensor<0xf32>
    %2 = stablehlo.slice %arg0 [0:9] : (tensor<9xf32>) -> tensor<9xf32>
    %3 = stablehlo.slice %2 [0:1] : (tensor<9xf32>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = call @closed_call_5(%arg1, %0, %4) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %6 = stablehlo.slice %2 [1:2] : (tensor<9xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = call @closed_call_5(%arg1, %5, %7) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %9 = stablehlo.slice %2 [2:3] : (tensor<9xf32>) -> tensor<1xf32>
    %10 = stablehlo.reshape %9 : (tensor<1xf32>) -> tensor<f32>
    %11 = call @closed_call_5(%arg1, %8, %10) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %12 = stablehlo.slice %2 [3:4] : (tensor<9xf32>) -> tensor<1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
    %14 = call @closed_call_5(%arg1, %11, %13) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %15 = stablehlo.slice %2 [4:5] : (tensor<9xf32>) -> tensor<1xf32>
    %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
    %17 = call @closed_call_5(%arg1, %14, %16) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %18 = stablehlo.slice %2 [5:6] : (tensor<9xf32>) -> tensor<1xf32>
    %19 = stablehlo.reshape %18 : (tensor<1xf32>) -> tensor<f32>
    %20 = call @closed_call_5(%arg1, %17, %19) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %21 = stablehlo.slice %2 [6:7] : (tensor<9xf32>) -> tensor<1xf32>
    %22 = stablehlo.reshape %21 : (tensor<1xf32>) -> tensor<f32>
    %23 = call @closed_call_5(%arg1, %20, %22) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %24 = stablehlo.slice %2 [7:8] : (tensor<9xf32>) -> tensor<1xf32>
    %25 = stablehlo.reshape %24 : (tensor<1xf32>) -> tensor<f32>
    %26 = call @closed_call_5(%arg1, %23, %25) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %27 = stablehlo.slice %2 [8:9] : (tensor<9xf32>) -> tensor<1xf32>
    %28 = stablehlo.reshape %27 : (tensor<1xf32>) -> tensor<f32>
    %29 = call @closed_call_5(%arg1, %26, %28) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    return %29 : tensor<11xf32>
  }
  func.func private @closed_call_5(%arg0: tensor<11xf32>, %arg1: tensor<11xf32>, %arg2: tensor<f32>) -> tensor<11xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<11xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.add %0, %1 : tensor<11xf32>
    return %2 : tensor<11xf32>
  }
  func.func private @polyval_6(%arg0: tensor<10xf32>, %arg1: tensor<11xf32>) -> tensor<11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %1 = stablehlo.slice %arg0 [0:0] : (tensor<10xf32>) -> tensor<0xf32>
    %2 = stablehlo.slice %arg0 [0:10] : (tensor<10xf32>) -> tensor<10xf32>
    %3 = stablehlo.slice %2 [0:1] : (tensor<10xf32>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = call @closed_call_7(%arg1, %0, %4) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %6 = stablehlo.slice %2 [1:2] : (tensor<10xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = call @closed_call_7(%arg1, %5, %7) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %9 = stablehlo.slice %2 [2:3] : (tensor<10xf32>) -> tensor<1xf32>
    %10 = stablehlo.reshape %9 : (tensor<1xf32>) -> tensor<f32>
    %11 = call @closed_call_7(%arg1, %8, %10) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %12 = stablehlo.slice %2 [3:4] : (tensor<10xf32>) -> tensor<1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
    %14 = call @closed_call_7(%arg1, %11, %13) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %15 = stablehlo.slice %2 [4:5] : (tensor<10xf32>) -> tensor<1xf32>
    %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
    %17 = call @closed_call_7(%arg1, %14, %16) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %18 = stablehlo.slice %2 [5:6] : (tensor<10xf32>) -> tensor<1xf32>
    %19 = stablehlo.reshape %18 : (tensor<1xf32>) -> tensor<f32>
    %20 = call @closed_call_7(%arg1, %17, %19) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %21 = stablehlo.slice %2 [6:7] : (tensor<10xf32>) -> tensor<1xf32>
    %22 = stablehlo.reshape %21 : (tensor<1xf32>) -> tensor<f32>
    %23 = call @closed_call_7(%arg1, %20, %22) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %24 = stablehlo.slice %2 [7:8] : (tensor<10xf32>) -> tensor<1xf32>
    %25 = stablehlo.reshape %24 : (tensor<1xf32>) -> tensor<f32>
    %26 = call @closed_call_7(%arg1, %23, %25) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %27 = stablehlo.slice %2 [8:9] : (tensor<10xf32>) -> tensor<1xf32>
    %28 = stablehlo.reshape %27 : (tensor<1xf32>) -> tensor<f32>
    %29 = call @closed_call_7(%arg1, %26, %28) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    %30 = stablehlo.slice %2 [9:10] : (tensor<10xf32>) -> tensor<1xf32>
    %31 = stablehlo.reshape %30 : (tensor<1xf32>) -> tensor<f32>
    %32 = call @closed_call_7(%arg1, %29, %31) : (tensor<11xf32>, tensor<11xf32>, tensor<f32>) -> tensor<11xf32>
    return %32 : tensor<11xf32>
  }
  func.func private @closed_call_7(%arg0: tensor<11xf32>, %arg1: tensor<11xf32>, %arg2: tensor<f32>) -> tensor<11xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<11xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %2 = stablehlo.add %0, %1 : tensor<11xf32>
    return %2 : tensor<11xf32>
  }
  func.func private @_where_8(%arg0: tensor<11xi1>, %arg1: tensor<11xf32>, %arg2: tensor<11xf32>) -> tensor<11xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<11xi1>, tensor<11xf32>
    return %0 : tensor<11xf32>
  }
  func.func private @argmax(%arg0: tensor<3x11xi1>) -> tensor<11xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<3x11xi32>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<3x11xi1>, tensor<3x11xi32>, tensor<i1>, tensor<i32>) -> (tensor<11xi1>, tensor<11xi32>)
     reducer(%arg1: tensor<i1>, %arg3: tensor<i1>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i1>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i1>, tensor<i32>
    }
    return %1#1 : tensor<11xi32>
  }
}

// fresnel float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0
// 0.2994009852409363 -0.6596523523330688 0.7798933982849121 -0.7798933982849121 0.457412987947464 0.0 0.0 0.49953147768974304 -0.49953147768974304
// 0.990023672580719 0.7181262969970703 0.0 0.0 -0.9238795042037964 1.0 1.0 1.0 1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<9xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<9xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[1.64762948E-9, -1.52275476E-7, 8.42474855E-6, -3.12069315E-4, 0.00724472757, -0.0922805592, 0.52359879]> : tensor<7xf32>
    %cst_0 = stablehlo.constant dense<[1.4168025E-8, -1.1572314E-6, 5.38722343E-5, -0.00160438183, 0.0281848907, -0.24673982, 1.000000e+00]> : tensor<7xf32>
    %cst_1 = stablehlo.constant dense<[-1.90300986E+12, 1.35594238E+11, -4.15814323E+9, 0x4C8C12A3, -873235.687, 8560.51563, -103.287758, 2.99940181]> : tensor<8xf32>
    %cst_2 = stablehlo.constant dense<[-1.86084393E+11, 1.27835064E+10, 0xCDB4371B, 6492611.5, -77877.8984, 860.293151, -14.9343939, 0.999984204]> : tensor<8xf32>
    %0 = stablehlo.abs %arg0 : tensor<9xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<9xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<9xf32>
    %3 = call @polyval(%cst_0, %2) : (tensor<7xf32>, tensor<9xf32>) -> tensor<9xf32>
    %4 = stablehlo.multiply %0, %3 : tensor<9xf32>
    %5:2 = call @sincospisquaredhalf(%0) : (tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>)
    %cst_3 = stablehlo.constant dense<3.14159274> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %7 = stablehlo.multiply %6, %1 : tensor<9xf32>
    %8 = stablehlo.multiply %7, %7 : tensor<9xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %10 = stablehlo.divide %9, %8 : tensor<9xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %12 = stablehlo.divide %11, %7 : tensor<9xf32>
    %13 = call @polyval_1(%cst_1, %10) : (tensor<8xf32>, tensor<9xf32>) -> tensor<9xf32>
    %14 = stablehlo.multiply %10, %13 : tensor<9xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %16 = stablehlo.subtract %15, %14 : tensor<9xf32>
    %17 = call @polyval_1(%cst_2, %10) : (tensor<8xf32>, tensor<9xf32>) -> tensor<9xf32>
    %18 = stablehlo.multiply %12, %17 : tensor<9xf32>
    %cst_7 = stablehlo.constant dense<3.14159274> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %20 = stablehlo.multiply %19, %0 : tensor<9xf32>
    %21 = stablehlo.multiply %16, %5#0 : tensor<9xf32>
    %22 = stablehlo.multiply %18, %5#1 : tensor<9xf32>
    %23 = stablehlo.subtract %21, %22 : tensor<9xf32>
    %24 = stablehlo.divide %23, %20 : tensor<9xf32>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %26 = stablehlo.add %25, %24 : tensor<9xf32>
    %27 = call @isinf(%arg0) : (tensor<9xf32>) -> tensor<9xi1>
    %cst_9 = stablehlo.constant dense<2.562500e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %29 = stablehlo.compare LT, %1, %28, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_10 = stablehlo.constant dense<3.697400e+04> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %31 = stablehlo.compare GT, %0, %30, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_11 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %32 = call @_where_0(%31, %cst_11, %26) : (tensor<9xi1>, tensor<f32>, tensor<9xf32>) -> tensor<9xf32>
    %33 = call @_where(%29, %4, %32) : (tensor<9xi1>, tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %34 = call @_where_0(%27, %cst_12, %33) : (tensor<9xi1>, tensor<f32>, tensor<9xf32>) -> tensor<9xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %36 = stablehlo.compare LT, %arg0, %35, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %37 = stablehlo.negate %34 : tensor<9xf32>
    %38 = call @_where(%36, %37, %34) : (tensor<9xi1>, tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_14) applies stablehlo.add across dimensions = [0] : (tensor<9xf32>, tensor<f32>) -> tensor<f32>
    return %39, %38 : tensor<f32>, tensor<9xf32>
  }
  func.func private @polyval(%arg0: tensor<7xf32>, %arg1: tensor<9xf32>) -> tensor<9xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %1 = stablehlo.slice %arg0 [0:0] : (tensor<7xf32>) -> tensor<0xf32>
    %2 = stablehlo.slice %arg0 [0:7] : (tensor<7xf32>) -> tensor<7xf32>
    %3 = stablehlo.slice %2 [0:1] : (tensor<7xf32>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = call @closed_call(%arg1, %0, %4) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %6 = stablehlo.slice %2 [1:2] : (tensor<7xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = call @closed_call(%arg1, %5, %7) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %9 = stablehlo.slice %2 [2:3] : (tensor<7xf32>) -> tensor<1xf32>
    %10 = stablehlo.reshape %9 : (tensor<1xf32>) -> tensor<f32>
    %11 = call @closed_call(%arg1, %8, %10) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %12 = stablehlo.slice %2 [3:4] : (tensor<7xf32>) -> tensor<1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
    %14 = call @closed_call(%arg1, %11, %13) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %15 = stablehlo.slice %2 [4:5] : (tensor<7xf32>) -> tensor<1xf32>
    %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
    %17 = call @closed_call(%arg1, %14, %16) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %18 = stablehlo.slice %2 [5:6] : (tensor<7xf32>) -> tensor<1xf32>
    %19 = stablehlo.reshape %18 : (tensor<1xf32>) -> tensor<f32>
    %20 = call @closed_call(%arg1, %17, %19) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %21 = stablehlo.slice %2 [6:7] : (tensor<7xf32>) -> tensor<1xf32>
    %22 = stablehlo.reshape %21 : (tensor<1xf32>) -> tensor<f32>
    %23 = call @closed_call(%arg1, %20, %22) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    return %23 : tensor<9xf32>
  }
  func.func private @closed_call(%arg0: tensor<9xf32>, %arg1: tensor<9xf32>, %arg2: tensor<f32>) -> tensor<9xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<9xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %2 = stablehlo.add %0, %1 : tensor<9xf32>
    return %2 : tensor<9xf32>
  }
  func.func private @sincospisquaredhalf(%arg0: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>) {
    %0 = stablehlo.abs %arg0 : tensor<9xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = call @fmod(%0, %cst) : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %3 = stablehlo.divide %1, %2 : tensor<9xf32>
    %4 = stablehlo.subtract %0, %3 : tensor<9xf32>
    %5 = stablehlo.multiply %1, %4 : tensor<9xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %6 = call @fmod(%5, %cst_1) : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %8 = stablehlo.compare LT, %6, %7, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_3 = stablehlo.constant dense<3.14159274> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %10 = stablehlo.multiply %9, %6 : tensor<9xf32>
    %11 = stablehlo.sine %10 : tensor<9xf32>
    %cst_4 = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %13 = stablehlo.compare GT, %6, %12, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %15 = stablehlo.subtract %6, %14 : tensor<9xf32>
    %cst_6 = stablehlo.constant dense<3.14159274> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %17 = stablehlo.multiply %16, %15 : tensor<9xf32>
    %18 = stablehlo.sine %17 : tensor<9xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %20 = stablehlo.subtract %6, %19 : tensor<9xf32>
    %cst_8 = stablehlo.constant dense<3.14159274> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %22 = stablehlo.multiply %21, %20 : tensor<9xf32>
    %23 = stablehlo.sine %22 : tensor<9xf32>
    %24 = stablehlo.negate %23 : tensor<9xf32>
    %25 = call @_where(%13, %18, %24) : (tensor<9xi1>, tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %26 = call @_where(%8, %11, %25) : (tensor<9xi1>, tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %cst_9 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %28 = stablehlo.compare EQ, %6, %27, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %30 = stablehlo.compare LT, %6, %29, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_11 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %32 = stablehlo.subtract %6, %31 : tensor<9xf32>
    %cst_12 = stablehlo.constant dense<3.14159274> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %34 = stablehlo.multiply %33, %32 : tensor<9xf32>
    %35 = stablehlo.sine %34 : tensor<9xf32>
    %36 = stablehlo.negate %35 : tensor<9xf32>
    %cst_13 = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %38 = stablehlo.subtract %6, %37 : tensor<9xf32>
    %cst_14 = stablehlo.constant dense<3.14159274> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %40 = stablehlo.multiply %39, %38 : tensor<9xf32>
    %41 = stablehlo.sine %40 : tensor<9xf32>
    %42 = call @_where(%30, %36, %41) : (tensor<9xi1>, tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = call @_where_0(%28, %cst_15, %42) : (tensor<9xi1>, tensor<f32>, tensor<9xf32>) -> tensor<9xf32>
    return %26, %43 : tensor<9xf32>, tensor<9xf32>
  }
  func.func private @fmod(%arg0: tensor<9xf32>, %arg1: tensor<f32>) -> tensor<9xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<9xf32>
    return %2 : tensor<9xf32>
  }
  func.func private @_where(%arg0: tensor<9xi1>, %arg1: tensor<9xf32>, %arg2: tensor<9xf32>) -> tensor<9xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<9xi1>, tensor<9xf32>
    return %0 : tensor<9xf32>
  }
  func.func private @_where_0(%arg0: tensor<9xi1>, %arg1: tensor<f32>, %arg2: tensor<9xf32>) -> tensor<9xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<9xi1>, tensor<9xf32>
    return %2 : tensor<9xf32>
  }
  func.func private @polyval_1(%arg0: tensor<8xf32>, %arg1: tensor<9xf32>) -> tensor<9xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %1 = stablehlo.slice %arg0 [0:0] : (tensor<8xf32>) -> tensor<0xf32>
    %2 = stablehlo.slice %arg0 [0:8] : (tensor<8xf32>) -> tensor<8xf32>
    %3 = stablehlo.slice %2 [0:1] : (tensor<8xf32>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = call @closed_call_2(%arg1, %0, %4) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %6 = stablehlo.slice %2 [1:2] : (tensor<8xf32>) -> tensor<1xf32>
    %7 = stablehlo.reshape %6 : (tensor<1xf32>) -> tensor<f32>
    %8 = call @closed_call_2(%arg1, %5, %7) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %9 = stablehlo.slice %2 [2:3] : (tensor<8xf32>) -> tensor<1xf32>
    %10 = stablehlo.reshape %9 : (tensor<1xf32>) -> tensor<f32>
    %11 = call @closed_call_2(%arg1, %8, %10) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %12 = stablehlo.slice %2 [3:4] : (tensor<8xf32>) -> tensor<1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1xf32>) -> tensor<f32>
    %14 = call @closed_call_2(%arg1, %11, %13) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %15 = stablehlo.slice %2 [4:5] : (tensor<8xf32>) -> tensor<1xf32>
    %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
    %17 = call @closed_call_2(%arg1, %14, %16) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %18 = stablehlo.slice %2 [5:6] : (tensor<8xf32>) -> tensor<1xf32>
    %19 = stablehlo.reshape %18 : (tensor<1xf32>) -> tensor<f32>
    %20 = call @closed_call_2(%arg1, %17, %19) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %21 = stablehlo.slice %2 [6:7] : (tensor<8xf32>) -> tensor<1xf32>
    %22 = stablehlo.reshape %21 : (tensor<1xf32>) -> tensor<f32>
    %23 = call @closed_call_2(%arg1, %20, %22) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    %24 = stablehlo.slice %2 [7:8] : (tensor<8xf32>) -> tensor<1xf32>
    %25 = stablehlo.reshape %24 : (tensor<1xf32>) -> tensor<f32>
    %26 = call @closed_call_2(%arg1, %23, %25) : (tensor<9xf32>, tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    return %26 : tensor<9xf32>
  }
  func.func private @closed_call_2(%arg0: tensor<9xf32>, %arg1: tensor<9xf32>, %arg2: tensor<f32>) -> tensor<9xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<9xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %2 = stablehlo.add %0, %1 : tensor<9xf32>
    return %2 : tensor<9xf32>
  }
  func.func private @isinf(%arg0: tensor<9xf32>) -> tensor<9xi1> {
    %0 = stablehlo.abs %arg0 : tensor<9xf32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %2 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    return %2 : tensor<9xi1>
  }
}

// spence float32
// 0.30000001192092896 1.0 2.5
// 0.8893775939941406 0.0 -1.1473808288574219
// -1.7199611215614874 -1.0 -0.6108604879161034
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.compare LT, %arg0, %0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.compare EQ, %arg0, %2, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.compare EQ, %arg0, %4, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %6 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<3xi1>) -> tensor<1x3xi1>
    %7 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<3xi1>) -> tensor<1x3xi1>
    %8 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<3xi1>) -> tensor<1x3xi1>
    %9 = stablehlo.concatenate %6, %7, %8, dim = 0 : (tensor<1x3xi1>, tensor<1x3xi1>, tensor<1x3xi1>) -> tensor<3x3xi1>
    %cst_2 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst_3 = stablehlo.constant dense<1.64493406> : tensor<f32>
    %10 = call @_piecewise(%arg0, %9, %cst_2, %c, %cst_3) : (tensor<3xf32>, tensor<3x3xi1>, tensor<f32>, tensor<i32>, tensor<f32>) -> tensor<3xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %11, %10 : tensor<f32>, tensor<3xf32>
  }
  func.func private @_piecewise(%arg0: tensor<3xf32>, %arg1: tensor<3x3xi1>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<f32>) -> tensor<3xf32> {
    %cst = stablehlo.constant dense<[4.65128578E-5, 0.0073158904, 0.133847639, 0.879691302, 2.7114985, 4.25697136, 3.29771352, 1.000000e+00]> : tensor<8xf32>
    %cst_0 = stablehlo.constant dense<[6.90990476E-4, 0.0254043769, 0.282974869, 1.411726, 3.63800526, 5.03278875, 3.54771352, 1.000000e+00]> : tensor<8xf32>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1x3xi1>
    %1 = stablehlo.concatenate %0, %arg1, dim = 0 : (tensor<1x3xi1>, tensor<3x3xi1>) -> tensor<4x3xi1>
    %2 = call @cumsum(%1) : (tensor<4x3xi1>) -> tensor<4x3xi32>
    %3 = call @argmax(%2) : (tensor<4x3xi32>) -> tensor<3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.clamp %4, %3, %5 : tensor<3xi32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [1] : (tensor<8xf32>) -> tensor<3x8xf32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [1] : (tensor<8xf32>) -> tensor<3x8xf32>
    %9 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %10 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %11 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %13 = stablehlo.compare EQ, %6, %12, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<3xi1>) -> tensor<3x8xi1>
    %15 = stablehlo.select %14, %7, %7 : tensor<3x8xi1>, tensor<3x8xf32>
    %16 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<3xi1>) -> tensor<3x8xi1>
    %17 = stablehlo.select %16, %8, %8 : tensor<3x8xi1>, tensor<3x8xf32>
    %18 = stablehlo.select %13, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %20 = stablehlo.compare GT, %18, %19, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %22 = call @_piecewise_1(%18, %21) : (tensor<3xf32>, tensor<3x1xi1>) -> tensor<3xf32>
    %cst_5 = stablehlo.constant dense<1.500000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %24 = stablehlo.compare GT, %22, %23, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_6 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %26 = stablehlo.compare LT, %22, %25, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %27 = stablehlo.or %20, %24 : tensor<3xi1>
    %28 = stablehlo.broadcast_in_dim %24, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %29 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %30 = stablehlo.concatenate %28, %29, dim = 1 : (tensor<3x1xi1>, tensor<3x1xi1>) -> tensor<3x2xi1>
    %31 = call @_piecewise_5(%22, %30) : (tensor<3xf32>, tensor<3x2xi1>) -> tensor<3xf32>
    %32 = stablehlo.negate %31 : tensor<3xf32>
    %33 = call @polyval(%15, %31) : (tensor<3x8xf32>, tensor<3xf32>) -> tensor<3xf32>
    %34 = stablehlo.multiply %32, %33 : tensor<3xf32>
    %35 = call @polyval(%17, %31) : (tensor<3x8xf32>, tensor<3xf32>) -> tensor<3xf32>
    %36 = stablehlo.divide %34, %35 : tensor<3xf32>
    %37 = stablehlo.log %22 : tensor<3xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %39 = stablehlo.subtract %38, %22 : tensor<3xf32>
    %40 = stablehlo.log %39 : tensor<3xf32>
    %41 = stablehlo.multiply %37, %40 : tensor<3xf32>
    %cst_8 = stablehlo.constant dense<1.64493406> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %43 = stablehlo.subtract %42, %41 : tensor<3xf32>
    %44 = stablehlo.subtract %43, %36 : tensor<3xf32>
    %45 = call @_where(%26, %44, %36) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %46 = stablehlo.log %22 : tensor<3xf32>
    %47 = stablehlo.multiply %46, %46 : tensor<3xf32>
    %cst_9 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %49 = stablehlo.multiply %48, %47 : tensor<3xf32>
    %50 = stablehlo.subtract %49, %45 : tensor<3xf32>
    %51 = call @_where(%27, %50, %45) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %c_10 = stablehlo.constant dense<1> : tensor<i32>
    %52 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %53 = stablehlo.compare EQ, %6, %52, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %54 = stablehlo.select %53, %9, %9 : tensor<3xi1>, tensor<3xf32>
    %55 = stablehlo.convert %54 : tensor<3xf32>
    %c_11 = stablehlo.constant dense<2> : tensor<i32>
    %56 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %57 = stablehlo.compare EQ, %6, %56, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %58 = stablehlo.select %57, %10, %10 : tensor<3xi1>, tensor<3xi32>
    %59 = stablehlo.convert %58 : (tensor<3xi32>) -> tensor<3xf32>
    %c_12 = stablehlo.constant dense<3> : tensor<i32>
    %60 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %61 = stablehlo.compare EQ, %6, %60, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %62 = stablehlo.select %61, %11, %11 : tensor<3xi1>, tensor<3xf32>
    %63 = stablehlo.convert %62 : tensor<3xf32>
    %c_13 = stablehlo.constant dense<2> : tensor<i32>
    %64 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %65 = stablehlo.compare LT, %6, %64, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_14 = stablehlo.constant dense<1> : tensor<i32>
    %66 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %67 = stablehlo.compare LT, %6, %66, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %68 = stablehlo.select %67, %51, %55 : tensor<3xi1>, tensor<3xf32>
    %c_15 = stablehlo.constant dense<3> : tensor<i32>
    %69 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %70 = stablehlo.compare LT, %6, %69, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %71 = stablehlo.select %70, %59, %63 : tensor<3xi1>, tensor<3xf32>
    %72 = stablehlo.select %65, %68, %71 : tensor<3xi1>, tensor<3xf32>
    return %72 : tensor<3xf32>
  }
  func.func private @cumsum(%arg0: tensor<4x3xi1>) -> tensor<4x3xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<4x3xi1>) -> tensor<4x3xi32>
    %1 = call @cumsum_0(%0) : (tensor<4x3xi32>) -> tensor<4x3xi32>
    return %1 : tensor<4x3xi32>
  }
  func.func private @cumsum_0(%arg0: tensor<4x3xi32>) -> tensor<4x3xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 4, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<4x3xi32>, tensor<i32>) -> tensor<4x3xi32>
    return %1 : tensor<4x3xi32>
  }
  func.func private @argmax(%arg0: tensor<4x3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3xi32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<4x3xi32>, tensor<4x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i32>
    }
    return %1#1 : tensor<3xi32>
  }
  func.func private @_piecewise_1(%arg0: tensor<3xf32>, %arg1: tensor<3x1xi1>) -> tensor<3xf32> {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<1xi1>) -> tensor<3x1xi1>
    %2 = stablehlo.concatenate %1, %arg1, dim = 1 : (tensor<3x1xi1>, tensor<3x1xi1>) -> tensor<3x2xi1>
    %3 = call @cumsum_2(%2) : (tensor<3x2xi1>) -> tensor<3x2xi32>
    %4 = call @argmax_4(%3) : (tensor<3x2xi32>) -> tensor<3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %7 = stablehlo.clamp %5, %4, %6 : tensor<3xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %9 = stablehlo.compare EQ, %7, %8, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %10 = stablehlo.select %9, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %12 = stablehlo.compare EQ, %7, %11, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %13 = stablehlo.select %12, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %15 = stablehlo.divide %14, %13 : tensor<3xf32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %17 = stablehlo.compare LT, %7, %16, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %18 = stablehlo.select %17, %10, %15 : tensor<3xi1>, tensor<3xf32>
    return %18 : tensor<3xf32>
  }
  func.func private @cumsum_2(%arg0: tensor<3x2xi1>) -> tensor<3x2xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<3x2xi1>) -> tensor<3x2xi32>
    %1 = call @cumsum_3(%0) : (tensor<3x2xi32>) -> tensor<3x2xi32>
    return %1 : tensor<3x2xi32>
  }
  func.func private @cumsum_3(%arg0: tensor<3x2xi32>) -> tensor<3x2xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<3x2xi32>, tensor<i32>) -> tensor<3x2xi32>
    return %1 : tensor<3x2xi32>
  }
  func.func private @argmax_4(%arg0: tensor<3x2xi32>) -> tensor<3xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<3x2xi32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [1] : (tensor<3x2xi32>, tensor<3x2xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i32>
    }
    return %1#1 : tensor<3xi32>
  }
  func.func private @_piecewise_5(%arg0: tensor<3xf32>, %arg1: tensor<3x2xi1>) -> tensor<3xf32> {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<1xi1>) -> tensor<3x1xi1>
    %2 = stablehlo.concatenate %1, %arg1, dim = 1 : (tensor<3x1xi1>, tensor<3x2xi1>) -> tensor<3x3xi1>
    %3 = call @cumsum_6(%2) : (tensor<3x3xi1>) -> tensor<3x3xi32>
    %4 = call @argmax_8(%3) : (tensor<3x3xi32>) -> tensor<3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %7 = stablehlo.clamp %5, %4, %6 : tensor<3xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %9 = stablehlo.compare EQ, %7, %8, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %10 = stablehlo.select %9, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.subtract %10, %11 : tensor<3xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %14 = stablehlo.compare EQ, %7, %13, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %15 = stablehlo.select %14, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %17 = stablehlo.divide %16, %15 : tensor<3xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %19 = stablehlo.subtract %17, %18 : tensor<3xf32>
    %c_6 = stablehlo.constant dense<2> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %21 = stablehlo.compare EQ, %7, %20, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %22 = stablehlo.select %21, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %23 = stablehlo.negate %22 : tensor<3xf32>
    %c_7 = stablehlo.constant dense<1> : tensor<i32>
    %24 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %25 = stablehlo.compare LT, %7, %24, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_8 = stablehlo.constant dense<2> : tensor<i32>
    %26 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %27 = stablehlo.compare LT, %7, %26, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %28 = stablehlo.select %27, %19, %23 : tensor<3xi1>, tensor<3xf32>
    %29 = stablehlo.select %25, %12, %28 : tensor<3xi1>, tensor<3xf32>
    return %29 : tensor<3xf32>
  }
  func.func private @cumsum_6(%arg0: tensor<3x3xi1>) -> tensor<3x3xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<3x3xi1>) -> tensor<3x3xi32>
    %1 = call @cumsum_7(%0) : (tensor<3x3xi32>) -> tensor<3x3xi32>
    return %1 : tensor<3x3xi32>
  }
  func.func private @cumsum_7(%arg0: tensor<3x3xi32>) -> tensor<3x3xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [2, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<3x3xi32>, tensor<i32>) -> tensor<3x3xi32>
    return %1 : tensor<3x3xi32>
  }
  func.func private @argmax_8(%arg0: tensor<3x3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [1] : (tensor<3x3xi32>, tensor<3x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
     reducer(%arg1: tensor<i32>, %arg3: tensor<i32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i32>, tensor<i32>
    }
    return %1#1 : tensor<3xi32>
  }
  func.func private @polyval(%arg0: tensor<3x8xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
    %2 = stablehlo.slice %1 [0:0, 0:3] : (tensor<8x3xf32>) -> tensor<0x3xf32>
    %3 = stablehlo.slice %1 [0:8, 0:3] : (tensor<8x3xf32>) -> tensor<8x3xf32>
    %4 = stablehlo.slice %3 [0:1, 0:3] : (tensor<8x3xf32>) -> tensor<1x3xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x3xf32>) -> tensor<3xf32>
    %6 = call @closed_call(%arg1, %0, %5) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %7 = stablehlo.slice %3 [1:2, 0:3] : (tensor<8x3xf32>) -> tensor<1x3xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x3xf32>) -> tensor<3xf32>
    %9 = call @closed_call(%arg1, %6, %8) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %10 = stablehlo.slice %3 [2:3, 0:3] : (tensor<8x3xf32>) -> tensor<1x3xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x3xf32>) -> tensor<3xf32>
    %12 = call @closed_call(%arg1, %9, %11) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %13 = stablehlo.slice %3 [3:4, 0:3] : (tensor<8x3xf32>) -> tensor<1x3xf32>
    %14 = stablehlo.reshape %13 : (tensor<1x3xf32>) -> tensor<3xf32>
    %15 = call @closed_call(%arg1, %12, %14) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %16 = stablehlo.slice %3 [4:5, 0:3] : (tensor<8x3xf32>) -> tensor<1x3xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x3xf32>) -> tensor<3xf32>
    %18 = call @closed_call(%arg1, %15, %17) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %19 = stablehlo.slice %3 [5:6, 0:3] : (tensor<8x3xf32>) -> tensor<1x3xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x3xf32>) -> tensor<3xf32>
    %21 = call @closed_call(%arg1, %18, %20) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %22 = stablehlo.slice %3 [6:7, 0:3] : (tensor<8x3xf32>) -> tensor<1x3xf32>
    %23 = stablehlo.reshape %22 : (tensor<1x3xf32>) -> tensor<3xf32>
    %24 = call @closed_call(%arg1, %21, %23) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %25 = stablehlo.slice %3 [7:8, 0:3] : (tensor<8x3xf32>) -> tensor<1x3xf32>
    %26 = stablehlo.reshape %25 : (tensor<1x3xf32>) -> tensor<3xf32>
    %27 = call @closed_call(%arg1, %24, %26) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %27 : tensor<3xf32>
  }
  func.func private @closed_call(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<3xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @_where(%arg0: tensor<3xi1>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// owens_t float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0 20.0 -20.0
// 0.03604811429977417 -0.07344542443752289 0.09170862287282944 -0.09170862287282944 0.11917892098426819 0.0 -0.0 0.12098169326782227 -0.12098169326782227 0.12098183482885361 -0.12098183482885361
// 0.1117931678891182 0.07414718717336655 0.048751261085271835 0.048751261085271835 0.0037159223575145006 0.124571293592453 0.124571293592453 4.974381795364025e-07 4.974381795364025e-07 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<11xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<11xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[0.0035082039, 0.0312790424, 0.0852668285, 0.162450716, 0.258511961, 0.36807555, 0.485010922, 0.602775156, 0.71477884, 0.814755082, 0.897110283, 0.957238078, 0.991788327]> : tensor<13xf32>
    %cst_0 = stablehlo.constant dense<[0.0188314375, 0.0185670871, 0.0180420931, 0.0172638297, 0.0162432194, 0.0149945924, 0.0135354744, 0.0118863517, 0.010070377, 0.00811305455, 0.00604190072, 0.00388622168, 0.00167930312]> : tensor<13xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %1 = stablehlo.multiply %0, %arg0 : tensor<11xf32>
    %cst_2 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %3 = stablehlo.add %1, %2 : tensor<11xf32>
    %4 = stablehlo.abs %3 : tensor<11xf32>
    %5 = stablehlo.abs %arg0 : tensor<11xf32>
    %cst_3 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %7 = stablehlo.divide %4, %6 : tensor<11xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %9 = stablehlo.compare LE, %5, %8, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %11 = stablehlo.divide %10, %5 : tensor<11xf32>
    %12 = call @_where(%9, %5, %11) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %14 = stablehlo.compare LE, %5, %13, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %15 = stablehlo.multiply %5, %4 : tensor<11xf32>
    %16 = call @_where(%14, %4, %15) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %17 = stablehlo.broadcast_in_dim %cst, dims = [1] : (tensor<13xf32>) -> tensor<1x13xf32>
    %18 = chlo.square %12 : tensor<11xf32> -> tensor<11xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<11xf32>) -> tensor<11x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<11x1xf32>) -> tensor<11x13xf32>
    %21 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<1x13xf32>) -> tensor<11x13xf32>
    %22 = stablehlo.multiply %20, %21 : tensor<11x13xf32>
    %23 = chlo.square %16 : tensor<11xf32> -> tensor<11xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<11xf32>) -> tensor<11x1xf32>
    %cst_7 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<11x1xf32>
    %26 = stablehlo.multiply %25, %24 : tensor<11x1xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<11x13xf32>
    %28 = stablehlo.add %27, %22 : tensor<11x13xf32>
    %29 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<11x1xf32>) -> tensor<11x13xf32>
    %30 = stablehlo.multiply %29, %28 : tensor<11x13xf32>
    %31 = stablehlo.exponential %30 : tensor<11x13xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<11x13xf32>
    %33 = stablehlo.add %32, %22 : tensor<11x13xf32>
    %34 = stablehlo.divide %31, %33 : tensor<11x13xf32>
    %35 = stablehlo.dot_general %34, %cst_0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<11x13xf32>, tensor<13xf32>) -> tensor<11xf32>
    %36 = stablehlo.multiply %12, %35 : tensor<11xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %38 = stablehlo.compare EQ, %16, %37, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %39 = chlo.atan %12 : tensor<11xf32> -> tensor<11xf32>
    %cst_11 = stablehlo.constant dense<6.28318548> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %41 = stablehlo.divide %39, %40 : tensor<11xf32>
    %42 = call @_where(%38, %41, %36) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %44 = stablehlo.compare EQ, %12, %43, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %45 = stablehlo.negate %16 : tensor<11xf32>
    %cst_13 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %47 = stablehlo.divide %45, %46 : tensor<11xf32>
    %48 = chlo.erfc %47 : tensor<11xf32> -> tensor<11xf32>
    %cst_14 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %50 = stablehlo.multiply %49, %48 : tensor<11xf32>
    %cst_15 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %52 = stablehlo.divide %16, %51 : tensor<11xf32>
    %53 = chlo.erfc %52 : tensor<11xf32> -> tensor<11xf32>
    %54 = stablehlo.multiply %50, %53 : tensor<11xf32>
    %55 = call @_where(%44, %54, %42) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %56 = chlo.erfc %7 : tensor<11xf32> -> tensor<11xf32>
    %57 = stablehlo.multiply %5, %7 : tensor<11xf32>
    %58 = chlo.erfc %57 : tensor<11xf32> -> tensor<11xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %60 = stablehlo.compare GT, %5, %59, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %61 = stablehlo.multiply %5, %4 : tensor<11xf32>
    %cst_17 = stablehlo.constant dense<6.700000e-01> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %63 = stablehlo.compare LE, %61, %62, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %64 = chlo.erf %7 : tensor<11xf32> -> tensor<11xf32>
    %cst_18 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %66 = stablehlo.multiply %65, %64 : tensor<11xf32>
    %67 = stablehlo.multiply %5, %7 : tensor<11xf32>
    %68 = chlo.erf %67 : tensor<11xf32> -> tensor<11xf32>
    %69 = stablehlo.multiply %66, %68 : tensor<11xf32>
    %cst_19 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %71 = stablehlo.subtract %70, %69 : tensor<11xf32>
    %72 = stablehlo.subtract %71, %55 : tensor<11xf32>
    %73 = stablehlo.add %56, %58 : tensor<11xf32>
    %74 = stablehlo.multiply %56, %58 : tensor<11xf32>
    %75 = stablehlo.subtract %73, %74 : tensor<11xf32>
    %cst_20 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %77 = stablehlo.multiply %76, %75 : tensor<11xf32>
    %78 = stablehlo.subtract %77, %55 : tensor<11xf32>
    %79 = call @_where(%63, %72, %78) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %80 = call @_where(%60, %79, %55) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %81 = stablehlo.sign %arg0 : tensor<11xf32>
    %82 = stablehlo.multiply %81, %80 : tensor<11xf32>
    %83 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %84 = stablehlo.compare NE, %4, %4, FLOAT : (tensor<11xf32>, tensor<11xf32>) -> tensor<11xi1>
    %85 = stablehlo.or %83, %84 : tensor<11xi1>
    %cst_21 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %87 = call @_where(%85, %86, %82) : (tensor<11xi1>, tensor<11xf32>, tensor<11xf32>) -> tensor<11xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.reduce(%87 init: %cst_22) applies stablehlo.add across dimensions = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<f32>
    return %88, %87 : tensor<f32>, tensor<11xf32>
  }
  func.func private @_where(%arg0: tensor<11xi1>, %arg1: tensor<11xf32>, %arg2: tensor<11xf32>) -> tensor<11xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<11xi1>, tensor<11xf32>
    return %0 : tensor<11xf32>
  }
}

// betainc/numbers float32
// 0.30000001192092896 0.0 1.0 0.5
// 0.22764810919761658 0.0 1.0 0.3168872594833374
// 0.4549288749694824 inf inf 0.45353949069976807
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %cst_0 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.compare EQ, %0, %2, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.compare EQ, %1, %4, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %6 = stablehlo.or %3, %5 : tensor<4xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.compare EQ, %1, %7, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_4 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %10 = stablehlo.compare EQ, %0, %9, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %11 = stablehlo.or %8, %10 : tensor<4xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %13 = stablehlo.compare EQ, %arg0, %12, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %15 = stablehlo.compare EQ, %arg0, %14, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %16 = stablehlo.not %13 : tensor<4xi1>
    %17 = stablehlo.not %15 : tensor<4xi1>
    %18 = stablehlo.compare NE, %0, %0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %19 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %20 = stablehlo.or %18, %19 : tensor<4xi1>
    %21 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %22 = stablehlo.or %20, %21 : tensor<4xi1>
    %23 = stablehlo.and %11, %17 : tensor<4xi1>
    %24 = stablehlo.and %6, %13 : tensor<4xi1>
    %25 = stablehlo.or %23, %24 : tensor<4xi1>
    %26 = stablehlo.and %6, %16 : tensor<4xi1>
    %27 = stablehlo.and %11, %15 : tensor<4xi1>
    %28 = stablehlo.or %26, %27 : tensor<4xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %30 = stablehlo.compare LT, %0, %29, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %32 = stablehlo.compare LT, %1, %31, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %33 = stablehlo.or %30, %32 : tensor<4xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %35 = stablehlo.compare LT, %arg0, %34, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %36 = stablehlo.or %33, %35 : tensor<4xi1>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %38 = stablehlo.compare GT, %arg0, %37, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %39 = stablehlo.or %36, %38 : tensor<4xi1>
    %40 = stablehlo.and %6, %11 : tensor<4xi1>
    %41 = stablehlo.or %40, %22 : tensor<4xi1>
    %42 = stablehlo.or %39, %41 : tensor<4xi1>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %44 = stablehlo.add %0, %43 : tensor<4xf32>
    %45 = stablehlo.add %0, %1 : tensor<4xf32>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %47 = stablehlo.add %45, %46 : tensor<4xf32>
    %48 = stablehlo.divide %44, %47 : tensor<4xf32>
    %49 = stablehlo.compare LT, %arg0, %48, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %50 = stablehlo.select %49, %0, %1 : tensor<4xi1>, tensor<4xf32>
    %51 = stablehlo.select %49, %1, %0 : tensor<4xi1>, tensor<4xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %53 = stablehlo.subtract %52, %arg0 : tensor<4xf32>
    %54 = stablehlo.select %49, %arg0, %53 : tensor<4xi1>, tensor<4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %55 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %56 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %57 = stablehlo.compare EQ, %55, %56, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %60 = stablehlo.select %57, %58, %59 : tensor<4xi1>, tensor<4xf32>
    %61 = stablehlo.abs %60 : tensor<4xf32>
    %cst_17 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %63 = stablehlo.compare LT, %61, %62, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_18 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %65 = stablehlo.select %63, %64, %60 : tensor<4xi1>, tensor<4xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %c_20 = stablehlo.constant dense<1> : tensor<i32>
    %c_21 = stablehlo.constant dense<true> : tensor<i1>
    %67:8 = stablehlo.while(%iterArg = %50, %iterArg_28 = %51, %iterArg_29 = %54, %iterArg_30 = %c_20, %iterArg_31 = %c_21, %iterArg_32 = %65, %iterArg_33 = %66, %iterArg_34 = %65) : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %c_35 = stablehlo.constant dense<200> : tensor<i32>
      %102 = stablehlo.compare LT, %iterArg_30, %c_35, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %103 = stablehlo.and %102, %iterArg_31 : tensor<i1>
      stablehlo.return %103 : tensor<i1>
    } do {
      %102 = stablehlo.broadcast_in_dim %iterArg_30, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %c_35 = stablehlo.constant dense<2> : tensor<i32>
      %103 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %104 = func.call @remainder(%102, %103) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
      %c_36 = stablehlo.constant dense<0> : tensor<i32>
      %105 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %106 = stablehlo.compare EQ, %104, %105, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_37 = stablehlo.constant dense<1> : tensor<i32>
      %107 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %108 = stablehlo.compare EQ, %102, %107, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_38 = stablehlo.constant dense<1> : tensor<i32>
      %109 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %110 = stablehlo.subtract %102, %109 : tensor<4xi32>
      %c_39 = stablehlo.constant dense<2> : tensor<i32>
      %111 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %112 = func.call @floor_divide(%110, %111) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
      %c_40 = stablehlo.constant dense<0> : tensor<i32>
      %113 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %114 = stablehlo.compare EQ, %112, %113, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %115 = stablehlo.convert %112 : (tensor<4xi32>) -> tensor<4xf32>
      %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %116 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %cst_42 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %117 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %118 = stablehlo.add %iterArg, %iterArg_28 : tensor<4xf32>
      %119 = stablehlo.negate %118 : tensor<4xf32>
      %120 = stablehlo.multiply %119, %iterArg_29 : tensor<4xf32>
      %121 = stablehlo.add %iterArg, %116 : tensor<4xf32>
      %122 = stablehlo.divide %120, %121 : tensor<4xf32>
      %123 = stablehlo.add %iterArg, %115 : tensor<4xf32>
      %124 = stablehlo.negate %123 : tensor<4xf32>
      %125 = stablehlo.add %iterArg, %iterArg_28 : tensor<4xf32>
      %126 = stablehlo.add %125, %115 : tensor<4xf32>
      %127 = stablehlo.multiply %124, %126 : tensor<4xf32>
      %128 = stablehlo.multiply %127, %iterArg_29 : tensor<4xf32>
      %129 = stablehlo.multiply %117, %115 : tensor<4xf32>
      %130 = stablehlo.add %iterArg, %129 : tensor<4xf32>
      %131 = stablehlo.multiply %117, %115 : tensor<4xf32>
      %132 = stablehlo.add %iterArg, %131 : tensor<4xf32>
      %133 = stablehlo.add %132, %116 : tensor<4xf32>
      %134 = stablehlo.multiply %130, %133 : tensor<4xf32>
      %135 = stablehlo.divide %128, %134 : tensor<4xf32>
      %136 = stablehlo.select %114, %122, %135 : tensor<4xi1>, tensor<4xf32>
      %137 = stablehlo.subtract %iterArg_28, %115 : tensor<4xf32>
      %138 = stablehlo.multiply %115, %137 : tensor<4xf32>
      %139 = stablehlo.multiply %138, %iterArg_29 : tensor<4xf32>
      %140 = stablehlo.multiply %117, %115 : tensor<4xf32>
      %141 = stablehlo.add %iterArg, %140 : tensor<4xf32>
      %142 = stablehlo.subtract %141, %116 : tensor<4xf32>
      %143 = stablehlo.multiply %117, %115 : tensor<4xf32>
      %144 = stablehlo.add %iterArg, %143 : tensor<4xf32>
      %145 = stablehlo.multiply %142, %144 : tensor<4xf32>
      %146 = stablehlo.divide %139, %145 : tensor<4xf32>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %147 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %148 = stablehlo.select %106, %136, %146 : tensor<4xi1>, tensor<4xf32>
      %149 = stablehlo.select %108, %147, %148 : tensor<4xi1>, tensor<4xf32>
      %150 = stablehlo.broadcast_in_dim %iterArg_30, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %c_44 = stablehlo.constant dense<0> : tensor<i32>
      %151 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %152 = stablehlo.compare EQ, %150, %151, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %153 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %154 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %155 = stablehlo.select %152, %153, %154 : tensor<4xi1>, tensor<4xf32>
      %156 = stablehlo.divide %149, %iterArg_32 : tensor<4xf32>
      %157 = stablehlo.add %155, %156 : tensor<4xf32>
      %cst_47 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %158 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %159 = stablehlo.abs %157 : tensor<4xf32>
      %160 = stablehlo.compare LT, %159, %158, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %161 = stablehlo.select %160, %158, %157 : tensor<4xi1>, tensor<4xf32>
      %162 = stablehlo.multiply %149, %iterArg_33 : tensor<4xf32>
      %163 = stablehlo.add %155, %162 : tensor<4xf32>
      %164 = stablehlo.abs %163 : tensor<4xf32>
      %165 = stablehlo.compare LT, %164, %158, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %166 = stablehlo.select %165, %158, %163 : tensor<4xi1>, tensor<4xf32>
      %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %167 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %168 = stablehlo.divide %167, %166 : tensor<4xf32>
      %169 = stablehlo.multiply %161, %168 : tensor<4xf32>
      %170 = stablehlo.multiply %iterArg_34, %169 : tensor<4xf32>
      %c_49 = stablehlo.constant dense<1> : tensor<i32>
      %171 = stablehlo.add %iterArg_30, %c_49 : tensor<i32>
      %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %172 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %173 = stablehlo.subtract %169, %172 : tensor<4xf32>
      %174 = stablehlo.abs %173 : tensor<4xf32>
      %cst_51 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %175 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %176 = stablehlo.compare GE, %174, %175, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %c_52 = stablehlo.constant dense<false> : tensor<i1>
      %177 = stablehlo.reduce(%176 init: %c_52) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %iterArg, %iterArg_28, %iterArg_29, %171, %177, %161, %168, %170 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
    %68 = chlo.lgamma %51 : tensor<4xf32> -> tensor<4xf32>
    %69 = stablehlo.add %50, %51 : tensor<4xf32>
    %70 = chlo.lgamma %69 : tensor<4xf32> -> tensor<4xf32>
    %71 = stablehlo.subtract %68, %70 : tensor<4xf32>
    %72 = chlo.lgamma %50 : tensor<4xf32> -> tensor<4xf32>
    %73 = stablehlo.add %72, %71 : tensor<4xf32>
    %cst_22 = stablehlo.constant dense<2.3509887E-38> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %75 = stablehlo.compare LT, %50, %74, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %76 = stablehlo.negate %54 : tensor<4xf32>
    %77 = stablehlo.log_plus_one %76 : tensor<4xf32>
    %78 = stablehlo.multiply %77, %51 : tensor<4xf32>
    %79 = stablehlo.subtract %78, %71 : tensor<4xf32>
    %80 = stablehlo.exponential %79 : tensor<4xf32>
    %81 = stablehlo.log %54 : tensor<4xf32>
    %82 = stablehlo.multiply %81, %50 : tensor<4xf32>
    %83 = stablehlo.negate %54 : tensor<4xf32>
    %84 = stablehlo.log_plus_one %83 : tensor<4xf32>
    %85 = stablehlo.multiply %84, %51 : tensor<4xf32>
    %86 = stablehlo.add %82, %85 : tensor<4xf32>
    %87 = stablehlo.subtract %86, %73 : tensor<4xf32>
    %88 = stablehlo.exponential %87 : tensor<4xf32>
    %89 = stablehlo.divide %88, %50 : tensor<4xf32>
    %90 = stablehlo.select %75, %80, %89 : tensor<4xi1>, tensor<4xf32>
    %91 = stablehlo.multiply %67#7, %90 : tensor<4xf32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %93 = stablehlo.subtract %92, %91 : tensor<4xf32>
    %94 = stablehlo.select %49, %91, %93 : tensor<4xi1>, tensor<4xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %96 = stablehlo.select %25, %95, %94 : tensor<4xi1>, tensor<4xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %98 = stablehlo.select %28, %97, %96 : tensor<4xi1>, tensor<4xf32>
    %cst_26 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %100 = stablehlo.select %42, %99, %98 : tensor<4xi1>, tensor<4xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %101 = stablehlo.reduce(%100 init: %cst_27) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %101, %100 : tensor<f32>, tensor<4xf32>
  }
  func.func private @remainder(%arg0: tensor<4xi32>, %arg1: tensor<4xi32>) -> tensor<4xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %3 = call @_where(%1, %2, %arg1) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<4xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %12 = stablehlo.and %11, %6 : tensor<4xi1>
    %13 = stablehlo.add %4, %3 : tensor<4xi32>
    %14 = stablehlo.select %12, %13, %4 : tensor<4xi1>, tensor<4xi32>
    return %14 : tensor<4xi32>
  }
  func.func private @_where(%arg0: tensor<4xi1>, %arg1: tensor<4xi32>, %arg2: tensor<4xi32>) -> tensor<4xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4xi1>, tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func private @floor_divide(%arg0: tensor<4xi32>, %arg1: tensor<4xi32>) -> tensor<4xi32> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<4xi32>
    %1 = stablehlo.sign %arg0 : tensor<4xi32>
    %2 = stablehlo.sign %arg1 : tensor<4xi32>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<4xi1>
    %8 = stablehlo.compare NE, %3, %7, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %9 = stablehlo.convert %8 : tensor<4xi1>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<4xi1>
    %11 = stablehlo.compare NE, %6, %10, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %12 = stablehlo.convert %11 : tensor<4xi1>
    %13 = stablehlo.and %9, %12 : tensor<4xi1>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %15 = stablehlo.subtract %0, %14 : tensor<4xi32>
    %16 = call @_where_0(%13, %15, %0) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    return %16 : tensor<4xi32>
  }
  func.func private @_where_0(%arg0: tensor<4xi1>, %arg1: tensor<4xi32>, %arg2: tensor<4xi32>) -> tensor<4xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4xi1>, tensor<4xi32>
    return %0 : tensor<4xi32>
  }
}

// betainc/ones float32
// 0.30000001192092896 0.5 0.9990000128746033
// 0.30000001192092896 0.5 0.9990000128746033
// 1.0 1.0 1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.compare EQ, %0, %2, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.compare EQ, %1, %4, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %6 = stablehlo.or %3, %5 : tensor<3xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %8 = stablehlo.compare EQ, %1, %7, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_4 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %10 = stablehlo.compare EQ, %0, %9, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %11 = stablehlo.or %8, %10 : tensor<3xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %13 = stablehlo.compare EQ, %arg0, %12, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %15 = stablehlo.compare EQ, %arg0, %14, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %16 = stablehlo.not %13 : tensor<3xi1>
    %17 = stablehlo.not %15 : tensor<3xi1>
    %18 = stablehlo.compare NE, %0, %0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %19 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %20 = stablehlo.or %18, %19 : tensor<3xi1>
    %21 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %22 = stablehlo.or %20, %21 : tensor<3xi1>
    %23 = stablehlo.and %11, %17 : tensor<3xi1>
    %24 = stablehlo.and %6, %13 : tensor<3xi1>
    %25 = stablehlo.or %23, %24 : tensor<3xi1>
    %26 = stablehlo.and %6, %16 : tensor<3xi1>
    %27 = stablehlo.and %11, %15 : tensor<3xi1>
    %28 = stablehlo.or %26, %27 : tensor<3xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %30 = stablehlo.compare LT, %0, %29, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %32 = stablehlo.compare LT, %1, %31, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %33 = stablehlo.or %30, %32 : tensor<3xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %35 = stablehlo.compare LT, %arg0, %34, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %36 = stablehlo.or %33, %35 : tensor<3xi1>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %38 = stablehlo.compare GT, %arg0, %37, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %39 = stablehlo.or %36, %38 : tensor<3xi1>
    %40 = stablehlo.and %6, %11 : tensor<3xi1>
    %41 = stablehlo.or %40, %22 : tensor<3xi1>
    %42 = stablehlo.or %39, %41 : tensor<3xi1>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %44 = stablehlo.add %0, %43 : tensor<3xf32>
    %45 = stablehlo.add %0, %1 : tensor<3xf32>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %47 = stablehlo.add %45, %46 : tensor<3xf32>
    %48 = stablehlo.divide %44, %47 : tensor<3xf32>
    %49 = stablehlo.compare LT, %arg0, %48, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %50 = stablehlo.select %49, %0, %1 : tensor<3xi1>, tensor<3xf32>
    %51 = stablehlo.select %49, %1, %0 : tensor<3xi1>, tensor<3xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %53 = stablehlo.subtract %52, %arg0 : tensor<3xf32>
    %54 = stablehlo.select %49, %arg0, %53 : tensor<3xi1>, tensor<3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %55 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %56 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %57 = stablehlo.compare EQ, %55, %56, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %60 = stablehlo.select %57, %58, %59 : tensor<3xi1>, tensor<3xf32>
    %61 = stablehlo.abs %60 : tensor<3xf32>
    %cst_17 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %63 = stablehlo.compare LT, %61, %62, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_18 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %65 = stablehlo.select %63, %64, %60 : tensor<3xi1>, tensor<3xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c_20 = stablehlo.constant dense<1> : tensor<i32>
    %c_21 = stablehlo.constant dense<true> : tensor<i1>
    %67:8 = stablehlo.while(%iterArg = %50, %iterArg_28 = %51, %iterArg_29 = %54, %iterArg_30 = %c_20, %iterArg_31 = %c_21, %iterArg_32 = %65, %iterArg_33 = %66, %iterArg_34 = %65) : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i32>, tensor<i1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %c_35 = stablehlo.constant dense<200> : tensor<i32>
      %102 = stablehlo.compare LT, %iterArg_30, %c_35, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %103 = stablehlo.and %102, %iterArg_31 : tensor<i1>
      stablehlo.return %103 : tensor<i1>
    } do {
      %102 = stablehlo.broadcast_in_dim %iterArg_30, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %c_35 = stablehlo.constant dense<2> : tensor<i32>
      %103 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %104 = func.call @remainder(%102, %103) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
      %c_36 = stablehlo.constant dense<0> : tensor<i32>
      %105 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %106 = stablehlo.compare EQ, %104, %105, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %c_37 = stablehlo.constant dense<1> : tensor<i32>
      %107 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %108 = stablehlo.compare EQ, %102, %107, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %c_38 = stablehlo.constant dense<1> : tensor<i32>
      %109 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %110 = stablehlo.subtract %102, %109 : tensor<3xi32>
      %c_39 = stablehlo.constant dense<2> : tensor<i32>
      %111 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %112 = func.call @floor_divide(%110, %111) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
      %c_40 = stablehlo.constant dense<0> : tensor<i32>
      %113 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %114 = stablehlo.compare EQ, %112, %113, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %115 = stablehlo.convert %112 : (tensor<3xi32>) -> tensor<3xf32>
      %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %116 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %cst_42 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %117 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %118 = stablehlo.add %iterArg, %iterArg_28 : tensor<3xf32>
      %119 = stablehlo.negate %118 : tensor<3xf32>
      %120 = stablehlo.multiply %119, %iterArg_29 : tensor<3xf32>
      %121 = stablehlo.add %iterArg, %116 : tensor<3xf32>
      %122 = stablehlo.divide %120, %121 : tensor<3xf32>
      %123 = stablehlo.add %iterArg, %115 : tensor<3xf32>
      %124 = stablehlo.negate %123 : tensor<3xf32>
      %125 = stablehlo.add %iterArg, %iterArg_28 : tensor<3xf32>
      %126 = stablehlo.add %125, %115 : tensor<3xf32>
      %127 = stablehlo.multiply %124, %126 : tensor<3xf32>
      %128 = stablehlo.multiply %127, %iterArg_29 : tensor<3xf32>
      %129 = stablehlo.multiply %117, %115 : tensor<3xf32>
      %130 = stablehlo.add %iterArg, %129 : tensor<3xf32>
      %131 = stablehlo.multiply %117, %115 : tensor<3xf32>
      %132 = stablehlo.add %iterArg, %131 : tensor<3xf32>
      %133 = stablehlo.add %132, %116 : tensor<3xf32>
      %134 = stablehlo.multiply %130, %133 : tensor<3xf32>
      %135 = stablehlo.divide %128, %134 : tensor<3xf32>
      %136 = stablehlo.select %114, %122, %135 : tensor<3xi1>, tensor<3xf32>
      %137 = stablehlo.subtract %iterArg_28, %115 : tensor<3xf32>
      %138 = stablehlo.multiply %115, %137 : tensor<3xf32>
      %139 = stablehlo.multiply %138, %iterArg_29 : tensor<3xf32>
      %140 = stablehlo.multiply %117, %115 : tensor<3xf32>
      %141 = stablehlo.add %iterArg, %140 : tensor<3xf32>
      %142 = stablehlo.subtract %141, %116 : tensor<3xf32>
      %143 = stablehlo.multiply %117, %115 : tensor<3xf32>
      %144 = stablehlo.add %iterArg, %143 : tensor<3xf32>
      %145 = stablehlo.multiply %142, %144 : tensor<3xf32>
      %146 = stablehlo.divide %139, %145 : tensor<3xf32>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %147 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %148 = stablehlo.select %106, %136, %146 : tensor<3xi1>, tensor<3xf32>
      %149 = stablehlo.select %108, %147, %148 : tensor<3xi1>, tensor<3xf32>
      %150 = stablehlo.broadcast_in_dim %iterArg_30, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %c_44 = stablehlo.constant dense<0> : tensor<i32>
      %151 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %152 = stablehlo.compare EQ, %150, %151, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %153 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %154 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %155 = stablehlo.select %152, %153, %154 : tensor<3xi1>, tensor<3xf32>
      %156 = stablehlo.divide %149, %iterArg_32 : tensor<3xf32>
      %157 = stablehlo.add %155, %156 : tensor<3xf32>
      %cst_47 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %158 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %159 = stablehlo.abs %157 : tensor<3xf32>
      %160 = stablehlo.compare LT, %159, %158, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %161 = stablehlo.select %160, %158, %157 : tensor<3xi1>, tensor<3xf32>
      %162 = stablehlo.multiply %149, %iterArg_33 : tensor<3xf32>
      %163 = stablehlo.add %155, %162 : tensor<3xf32>
      %164 = stablehlo.abs %163 : tensor<3xf32>
      %165 = stablehlo.compare LT, %164, %158, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %166 = stablehlo.select %165, %158, %163 : tensor<3xi1>, tensor<3xf32>
      %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %167 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %168 = stablehlo.divide %167, %166 : tensor<3xf32>
      %169 = stablehlo.multiply %161, %168 : tensor<3xf32>
      %170 = stablehlo.multiply %iterArg_34, %169 : tensor<3xf32>
      %c_49 = stablehlo.constant dense<1> : tensor<i32>
      %171 = stablehlo.add %iterArg_30, %c_49 : tensor<i32>
      %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %172 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %173 = stablehlo.subtract %169, %172 : tensor<3xf32>
      %174 = stablehlo.abs %173 : tensor<3xf32>
      %cst_51 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %175 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %176 = stablehlo.compare GE, %174, %175, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %c_52 = stablehlo.constant dense<false> : tensor<i1>
      %177 = stablehlo.reduce(%176 init: %c_52) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %iterArg, %iterArg_28, %iterArg_29, %171, %177, %161, %168, %170 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i32>, tensor<i1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %68 = chlo.lgamma %51 : tensor<3xf32> -> tensor<3xf32>
    %69 = stablehlo.add %50, %51 : tensor<3xf32>
    %70 = chlo.lgamma %69 : tensor<3xf32> -> tensor<3xf32>
    %71 = stablehlo.subtract %68, %70 : tensor<3xf32>
    %72 = chlo.lgamma %50 : tensor<3xf32> -> tensor<3xf32>
    %73 = stablehlo.add %72, %71 : tensor<3xf32>
    %cst_22 = stablehlo.constant dense<2.3509887E-38> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %75 = stablehlo.compare LT, %50, %74, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %76 = stablehlo.negate %54 : tensor<3xf32>
    %77 = stablehlo.log_plus_one %76 : tensor<3xf32>
    %78 = stablehlo.multiply %77, %51 : tensor<3xf32>
    %79 = stablehlo.subtract %78, %71 : tensor<3xf32>
    %80 = stablehlo.exponential %79 : tensor<3xf32>
    %81 = stablehlo.log %54 : tensor<3xf32>
    %82 = stablehlo.multiply %81, %50 : tensor<3xf32>
    %83 = stablehlo.negate %54 : tensor<3xf32>
    %84 = stablehlo.log_plus_one %83 : tensor<3xf32>
    %85 = stablehlo.multiply %84, %51 : tensor<3xf32>
    %86 = stablehlo.add %82, %85 : tensor<3xf32>
    %87 = stablehlo.subtract %86, %73 : tensor<3xf32>
    %88 = stablehlo.exponential %87 : tensor<3xf32>
    %89 = stablehlo.divide %88, %50 : tensor<3xf32>
    %90 = stablehlo.select %75, %80, %89 : tensor<3xi1>, tensor<3xf32>
    %91 = stablehlo.multiply %67#7, %90 : tensor<3xf32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %93 = stablehlo.subtract %92, %91 : tensor<3xf32>
    %94 = stablehlo.select %49, %91, %93 : tensor<3xi1>, tensor<3xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %96 = stablehlo.select %25, %95, %94 : tensor<3xi1>, tensor<3xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %98 = stablehlo.select %28, %97, %96 : tensor<3xi1>, tensor<3xf32>
    %cst_26 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %100 = stablehlo.select %42, %99, %98 : tensor<3xi1>, tensor<3xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %101 = stablehlo.reduce(%100 init: %cst_27) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %101, %100 : tensor<f32>, tensor<3xf32>
  }
  func.func private @remainder(%arg0: tensor<3xi32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %3 = call @_where(%1, %2, %arg1) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %12 = stablehlo.and %11, %6 : tensor<3xi1>
    %13 = stablehlo.add %4, %3 : tensor<3xi32>
    %14 = stablehlo.select %12, %13, %4 : tensor<3xi1>, tensor<3xi32>
    return %14 : tensor<3xi32>
  }
  func.func private @_where(%arg0: tensor<3xi1>, %arg1: tensor<3xi32>, %arg2: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func private @floor_divide(%arg0: tensor<3xi32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<3xi32>
    %1 = stablehlo.sign %arg0 : tensor<3xi32>
    %2 = stablehlo.sign %arg1 : tensor<3xi32>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %8 = stablehlo.compare NE, %3, %7, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %9 = stablehlo.convert %8 : tensor<3xi1>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %11 = stablehlo.compare NE, %6, %10, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %12 = stablehlo.convert %11 : tensor<3xi1>
    %13 = stablehlo.and %9, %12 : tensor<3xi1>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %15 = stablehlo.subtract %0, %14 : tensor<3xi32>
    %16 = call @_where_0(%13, %15, %0) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    return %16 : tensor<3xi32>
  }
  func.func private @_where_0(%arg0: tensor<3xi1>, %arg1: tensor<3xi32>, %arg2: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}

// beta.cdf float32
// 0.30000001192092896 0.5 0.9990000128746033
// 0.30000001192092896 0.5 0.9990000128746033
// 0.9999995231628418 0.9999995231628418 0.9999995231628418
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.subtract %arg0, %0 : tensor<3xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.divide %1, %2 : tensor<3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %6 = stablehlo.clamp %4, %3, %5 : tensor<3xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %8 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %10 = stablehlo.compare EQ, %7, %9, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_6 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.compare EQ, %8, %11, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %13 = stablehlo.or %10, %12 : tensor<3xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %15 = stablehlo.compare EQ, %8, %14, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_8 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %17 = stablehlo.compare EQ, %7, %16, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %18 = stablehlo.or %15, %17 : tensor<3xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %20 = stablehlo.compare EQ, %6, %19, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %22 = stablehlo.compare EQ, %6, %21, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %23 = stablehlo.not %20 : tensor<3xi1>
    %24 = stablehlo.not %22 : tensor<3xi1>
    %25 = stablehlo.compare NE, %7, %7, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %26 = stablehlo.compare NE, %8, %8, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %27 = stablehlo.or %25, %26 : tensor<3xi1>
    %28 = stablehlo.compare NE, %6, %6, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %29 = stablehlo.or %27, %28 : tensor<3xi1>
    %30 = stablehlo.and %18, %24 : tensor<3xi1>
    %31 = stablehlo.and %13, %20 : tensor<3xi1>
    %32 = stablehlo.or %30, %31 : tensor<3xi1>
    %33 = stablehlo.and %13, %23 : tensor<3xi1>
    %34 = stablehlo.and %18, %22 : tensor<3xi1>
    %35 = stablehlo.or %33, %34 : tensor<3xi1>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %37 = stablehlo.compare LT, %7, %36, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %39 = stablehlo.compare LT, %8, %38, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %40 = stablehlo.or %37, %39 : tensor<3xi1>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %42 = stablehlo.compare LT, %6, %41, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %43 = stablehlo.or %40, %42 : tensor<3xi1>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %45 = stablehlo.compare GT, %6, %44, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %46 = stablehlo.or %43, %45 : tensor<3xi1>
    %47 = stablehlo.and %13, %18 : tensor<3xi1>
    %48 = stablehlo.or %47, %29 : tensor<3xi1>
    %49 = stablehlo.or %46, %48 : tensor<3xi1>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %51 = stablehlo.add %7, %50 : tensor<3xf32>
    %52 = stablehlo.add %7, %8 : tensor<3xf32>
    %cst_16 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %54 = stablehlo.add %52, %53 : tensor<3xf32>
    %55 = stablehlo.divide %51, %54 : tensor<3xf32>
    %56 = stablehlo.compare LT, %6, %55, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %57 = stablehlo.select %56, %7, %8 : tensor<3xi1>, tensor<3xf32>
    %58 = stablehlo.select %56, %8, %7 : tensor<3xi1>, tensor<3xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %60 = stablehlo.subtract %59, %6 : tensor<3xf32>
    %61 = stablehlo.select %56, %6, %60 : tensor<3xi1>, tensor<3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %62 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %63 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %64 = stablehlo.compare EQ, %62, %63, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %67 = stablehlo.select %64, %65, %66 : tensor<3xi1>, tensor<3xf32>
    %68 = stablehlo.abs %67 : tensor<3xf32>
    %cst_21 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %70 = stablehlo.compare LT, %68, %69, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_22 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %72 = stablehlo.select %70, %71, %67 : tensor<3xi1>, tensor<3xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c_24 = stablehlo.constant dense<1> : tensor<i32>
    %c_25 = stablehlo.constant dense<true> : tensor<i1>
    %74:8 = stablehlo.while(%iterArg = %57, %iterArg_32 = %58, %iterArg_33 = %61, %iterArg_34 = %c_24, %iterArg_35 = %c_25, %iterArg_36 = %72, %iterArg_37 = %73, %iterArg_38 = %72) : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i32>, tensor<i1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %c_39 = stablehlo.constant dense<200> : tensor<i32>
      %109 = stablehlo.compare LT, %iterArg_34, %c_39, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %110 = stablehlo.and %109, %iterArg_35 : tensor<i1>
      stablehlo.return %110 : tensor<i1>
    } do {
      %109 = stablehlo.broadcast_in_dim %iterArg_34, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %c_39 = stablehlo.constant dense<2> : tensor<i32>
      %110 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %111 = func.call @remainder(%109, %110) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
      %c_40 = stablehlo.constant dense<0> : tensor<i32>
      %112 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %113 = stablehlo.compare EQ, %111, %112, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %c_41 = stablehlo.constant dense<1> : tensor<i32>
      %114 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %115 = stablehlo.compare EQ, %109, %114, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %c_42 = stablehlo.constant dense<1> : tensor<i32>
      %116 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %117 = stablehlo.subtract %109, %116 : tensor<3xi32>
      %c_43 = stablehlo.constant dense<2> : tensor<i32>
      %118 = stablehlo.broadcast_in_dim %c_43, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %119 = func.call @floor_divide(%117, %118) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
      %c_44 = stablehlo.constant dense<0> : tensor<i32>
      %120 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %121 = stablehlo.compare EQ, %119, %120, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %122 = stablehlo.convert %119 : (tensor<3xi32>) -> tensor<3xf32>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %123 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %cst_46 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %124 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %125 = stablehlo.add %iterArg, %iterArg_32 : tensor<3xf32>
      %126 = stablehlo.negate %125 : tensor<3xf32>
      %127 = stablehlo.multiply %126, %iterArg_33 : tensor<3xf32>
      %128 = stablehlo.add %iterArg, %123 : tensor<3xf32>
      %129 = stablehlo.divide %127, %128 : tensor<3xf32>
      %130 = stablehlo.add %iterArg, %122 : tensor<3xf32>
      %131 = stablehlo.negate %130 : tensor<3xf32>
      %132 = stablehlo.add %iterArg, %iterArg_32 : tensor<3xf32>
      %133 = stablehlo.add %132, %122 : tensor<3xf32>
      %134 = stablehlo.multiply %131, %133 : tensor<3xf32>
      %135 = stablehlo.multiply %134, %iterArg_33 : tensor<3xf32>
      %136 = stablehlo.multiply %124, %122 : tensor<3xf32>
      %137 = stablehlo.add %iterArg, %136 : tensor<3xf32>
      %138 = stablehlo.multiply %124, %122 : tensor<3xf32>
      %139 = stablehlo.add %iterArg, %138 : tensor<3xf32>
      %140 = stablehlo.add %139, %123 : tensor<3xf32>
      %141 = stablehlo.multiply %137, %140 : tensor<3xf32>
      %142 = stablehlo.divide %135, %141 : tensor<3xf32>
      %143 = stablehlo.select %121, %129, %142 : tensor<3xi1>, tensor<3xf32>
      %144 = stablehlo.subtract %iterArg_32, %122 : tensor<3xf32>
      %145 = stablehlo.multiply %122, %144 : tensor<3xf32>
      %146 = stablehlo.multiply %145, %iterArg_33 : tensor<3xf32>
      %147 = stablehlo.multiply %124, %122 : tensor<3xf32>
      %148 = stablehlo.add %iterArg, %147 : tensor<3xf32>
      %149 = stablehlo.subtract %148, %123 : tensor<3xf32>
      %150 = stablehlo.multiply %124, %122 : tensor<3xf32>
      %151 = stablehlo.add %iterArg, %150 : tensor<3xf32>
      %152 = stablehlo.multiply %149, %151 : tensor<3xf32>
      %153 = stablehlo.divide %146, %152 : tensor<3xf32>
      %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %154 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %155 = stablehlo.select %113, %143, %153 : tensor<3xi1>, tensor<3xf32>
      %156 = stablehlo.select %115, %154, %155 : tensor<3xi1>, tensor<3xf32>
      %157 = stablehlo.broadcast_in_dim %iterArg_34, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %c_48 = stablehlo.constant dense<0> : tensor<i32>
      %158 = stablehlo.broadcast_in_dim %c_48, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %159 = stablehlo.compare EQ, %157, %158, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %160 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %161 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %162 = stablehlo.select %159, %160, %161 : tensor<3xi1>, tensor<3xf32>
      %163 = stablehlo.divide %156, %iterArg_36 : tensor<3xf32>
      %164 = stablehlo.add %162, %163 : tensor<3xf32>
      %cst_51 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %165 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %166 = stablehlo.abs %164 : tensor<3xf32>
      %167 = stablehlo.compare LT, %166, %165, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %168 = stablehlo.select %167, %165, %164 : tensor<3xi1>, tensor<3xf32>
      %169 = stablehlo.multiply %156, %iterArg_37 : tensor<3xf32>
      %170 = stablehlo.add %162, %169 : tensor<3xf32>
      %171 = stablehlo.abs %170 : tensor<3xf32>
      %172 = stablehlo.compare LT, %171, %165, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %173 = stablehlo.select %172, %165, %170 : tensor<3xi1>, tensor<3xf32>
      %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %174 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %175 = stablehlo.divide %174, %173 : tensor<3xf32>
      %176 = stablehlo.multiply %168, %175 : tensor<3xf32>
      %177 = stablehlo.multiply %iterArg_38, %176 : tensor<3xf32>
      %c_53 = stablehlo.constant dense<1> : tensor<i32>
      %178 = stablehlo.add %iterArg_34, %c_53 : tensor<i32>
      %cst_54 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %179 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %180 = stablehlo.subtract %176, %179 : tensor<3xf32>
      %181 = stablehlo.abs %180 : tensor<3xf32>
      %cst_55 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %182 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %183 = stablehlo.compare GE, %181, %182, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %c_56 = stablehlo.constant dense<false> : tensor<i1>
      %184 = stablehlo.reduce(%183 init: %c_56) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %iterArg, %iterArg_32, %iterArg_33, %178, %184, %168, %175, %177 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i32>, tensor<i1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %75 = chlo.lgamma %58 : tensor<3xf32> -> tensor<3xf32>
    %76 = stablehlo.add %57, %58 : tensor<3xf32>
    %77 = chlo.lgamma %76 : tensor<3xf32> -> tensor<3xf32>
    %78 = stablehlo.subtract %75, %77 : tensor<3xf32>
    %79 = chlo.lgamma %57 : tensor<3xf32> -> tensor<3xf32>
    %80 = stablehlo.add %79, %78 : tensor<3xf32>
    %cst_26 = stablehlo.constant dense<2.3509887E-38> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %82 = stablehlo.compare LT, %57, %81, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %83 = stablehlo.negate %61 : tensor<3xf32>
    %84 = stablehlo.log_plus_one %83 : tensor<3xf32>
    %85 = stablehlo.multiply %84, %58 : tensor<3xf32>
    %86 = stablehlo.subtract %85, %78 : tensor<3xf32>
    %87 = stablehlo.exponential %86 : tensor<3xf32>
    %88 = stablehlo.log %61 : tensor<3xf32>
    %89 = stablehlo.multiply %88, %57 : tensor<3xf32>
    %90 = stablehlo.negate %61 : tensor<3xf32>
    %91 = stablehlo.log_plus_one %90 : tensor<3xf32>
    %92 = stablehlo.multiply %91, %58 : tensor<3xf32>
    %93 = stablehlo.add %89, %92 : tensor<3xf32>
    %94 = stablehlo.subtract %93, %80 : tensor<3xf32>
    %95 = stablehlo.exponential %94 : tensor<3xf32>
    %96 = stablehlo.divide %95, %57 : tensor<3xf32>
    %97 = stablehlo.select %82, %87, %96 : tensor<3xi1>, tensor<3xf32>
    %98 = stablehlo.multiply %74#7, %97 : tensor<3xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %100 = stablehlo.subtract %99, %98 : tensor<3xf32>
    %101 = stablehlo.select %56, %98, %100 : tensor<3xi1>, tensor<3xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %103 = stablehlo.select %32, %102, %101 : tensor<3xi1>, tensor<3xf32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %105 = stablehlo.select %35, %104, %103 : tensor<3xi1>, tensor<3xf32>
    %cst_30 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %107 = stablehlo.select %49, %106, %105 : tensor<3xi1>, tensor<3xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %108 = stablehlo.reduce(%107 init: %cst_31) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %108, %107 : tensor<f32>, tensor<3xf32>
  }
  func.func private @remainder(%arg0: tensor<3xi32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %3 = call @_where(%1, %2, %arg1) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %12 = stablehlo.and %11, %6 : tensor<3xi1>
    %13 = stablehlo.add %4, %3 : tensor<3xi32>
    %14 = stablehlo.select %12, %13, %4 : tensor<3xi1>, tensor<3xi32>
    return %14 : tensor<3xi32>
  }
  func.func private @_where(%arg0: tensor<3xi1>, %arg1: tensor<3xi32>, %arg2: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func private @floor_divide(%arg0: tensor<3xi32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<3xi32>
    %1 = stablehlo.sign %arg0 : tensor<3xi32>
    %2 = stablehlo.sign %arg1 : tensor<3xi32>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %8 = stablehlo.compare NE, %3, %7, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %9 = stablehlo.convert %8 : tensor<3xi1>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %11 = stablehlo.compare NE, %6, %10, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %12 = stablehlo.convert %11 : tensor<3xi1>
    %13 = stablehlo.and %9, %12 : tensor<3xi1>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %15 = stablehlo.subtract %0, %14 : tensor<3xi32>
    %16 = call @_where_0(%13, %15, %0) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    return %16 : tensor<3xi32>
  }
  func.func private @_where_0(%arg0: tensor<3xi1>, %arg1: tensor<3xi32>, %arg2: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}

// betainc/ends float32
// 0.0 1.0
// 0.0 1.0
// 1.0 1.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<2xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<2xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %3 = stablehlo.compare EQ, %0, %2, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %5 = stablehlo.compare EQ, %1, %4, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %6 = stablehlo.or %3, %5 : tensor<2xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %8 = stablehlo.compare EQ, %1, %7, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %cst_4 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %10 = stablehlo.compare EQ, %0, %9, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %11 = stablehlo.or %8, %10 : tensor<2xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %13 = stablehlo.compare EQ, %arg0, %12, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %15 = stablehlo.compare EQ, %arg0, %14, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %16 = stablehlo.not %13 : tensor<2xi1>
    %17 = stablehlo.not %15 : tensor<2xi1>
    %18 = stablehlo.compare NE, %0, %0, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %19 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %20 = stablehlo.or %18, %19 : tensor<2xi1>
    %21 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %22 = stablehlo.or %20, %21 : tensor<2xi1>
    %23 = stablehlo.and %11, %17 : tensor<2xi1>
    %24 = stablehlo.and %6, %13 : tensor<2xi1>
    %25 = stablehlo.or %23, %24 : tensor<2xi1>
    %26 = stablehlo.and %6, %16 : tensor<2xi1>
    %27 = stablehlo.and %11, %15 : tensor<2xi1>
    %28 = stablehlo.or %26, %27 : tensor<2xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %30 = stablehlo.compare LT, %0, %29, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %32 = stablehlo.compare LT, %1, %31, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %33 = stablehlo.or %30, %32 : tensor<2xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %35 = stablehlo.compare LT, %arg0, %34, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %36 = stablehlo.or %33, %35 : tensor<2xi1>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %38 = stablehlo.compare GT, %arg0, %37, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %39 = stablehlo.or %36, %38 : tensor<2xi1>
    %40 = stablehlo.and %6, %11 : tensor<2xi1>
    %41 = stablehlo.or %40, %22 : tensor<2xi1>
    %42 = stablehlo.or %39, %41 : tensor<2xi1>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %44 = stablehlo.add %0, %43 : tensor<2xf32>
    %45 = stablehlo.add %0, %1 : tensor<2xf32>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %47 = stablehlo.add %45, %46 : tensor<2xf32>
    %48 = stablehlo.divide %44, %47 : tensor<2xf32>
    %49 = stablehlo.compare LT, %arg0, %48, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %50 = stablehlo.select %49, %0, %1 : tensor<2xi1>, tensor<2xf32>
    %51 = stablehlo.select %49, %1, %0 : tensor<2xi1>, tensor<2xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %53 = stablehlo.subtract %52, %arg0 : tensor<2xf32>
    %54 = stablehlo.select %49, %arg0, %53 : tensor<2xi1>, tensor<2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %55 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %56 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %57 = stablehlo.compare EQ, %55, %56, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %60 = stablehlo.select %57, %58, %59 : tensor<2xi1>, tensor<2xf32>
    %61 = stablehlo.abs %60 : tensor<2xf32>
    %cst_17 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %63 = stablehlo.compare LT, %61, %62, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %cst_18 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %65 = stablehlo.select %63, %64, %60 : tensor<2xi1>, tensor<2xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %c_20 = stablehlo.constant dense<1> : tensor<i32>
    %c_21 = stablehlo.constant dense<true> : tensor<i1>
    %67:8 = stablehlo.while(%iterArg = %50, %iterArg_28 = %51, %iterArg_29 = %54, %iterArg_30 = %c_20, %iterArg_31 = %c_21, %iterArg_32 = %65, %iterArg_33 = %66, %iterArg_34 = %65) : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>, tensor<i1>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    cond {
      %c_35 = stablehlo.constant dense<200> : tensor<i32>
      %102 = stablehlo.compare LT, %iterArg_30, %c_35, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %103 = stablehlo.and %102, %iterArg_31 : tensor<i1>
      stablehlo.return %103 : tensor<i1>
    } do {
      %102 = stablehlo.broadcast_in_dim %iterArg_30, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %c_35 = stablehlo.constant dense<2> : tensor<i32>
      %103 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %104 = func.call @remainder(%102, %103) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
      %c_36 = stablehlo.constant dense<0> : tensor<i32>
      %105 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %106 = stablehlo.compare EQ, %104, %105, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_37 = stablehlo.constant dense<1> : tensor<i32>
      %107 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %108 = stablehlo.compare EQ, %102, %107, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_38 = stablehlo.constant dense<1> : tensor<i32>
      %109 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %110 = stablehlo.subtract %102, %109 : tensor<2xi32>
      %c_39 = stablehlo.constant dense<2> : tensor<i32>
      %111 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %112 = func.call @floor_divide(%110, %111) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
      %c_40 = stablehlo.constant dense<0> : tensor<i32>
      %113 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %114 = stablehlo.compare EQ, %112, %113, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %115 = stablehlo.convert %112 : (tensor<2xi32>) -> tensor<2xf32>
      %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %116 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %cst_42 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %117 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %118 = stablehlo.add %iterArg, %iterArg_28 : tensor<2xf32>
      %119 = stablehlo.negate %118 : tensor<2xf32>
      %120 = stablehlo.multiply %119, %iterArg_29 : tensor<2xf32>
      %121 = stablehlo.add %iterArg, %116 : tensor<2xf32>
      %122 = stablehlo.divide %120, %121 : tensor<2xf32>
      %123 = stablehlo.add %iterArg, %115 : tensor<2xf32>
      %124 = stablehlo.negate %123 : tensor<2xf32>
      %125 = stablehlo.add %iterArg, %iterArg_28 : tensor<2xf32>
      %126 = stablehlo.add %125, %115 : tensor<2xf32>
      %127 = stablehlo.multiply %124, %126 : tensor<2xf32>
      %128 = stablehlo.multiply %127, %iterArg_29 : tensor<2xf32>
      %129 = stablehlo.multiply %117, %115 : tensor<2xf32>
      %130 = stablehlo.add %iterArg, %129 : tensor<2xf32>
      %131 = stablehlo.multiply %117, %115 : tensor<2xf32>
      %132 = stablehlo.add %iterArg, %131 : tensor<2xf32>
      %133 = stablehlo.add %132, %116 : tensor<2xf32>
      %134 = stablehlo.multiply %130, %133 : tensor<2xf32>
      %135 = stablehlo.divide %128, %134 : tensor<2xf32>
      %136 = stablehlo.select %114, %122, %135 : tensor<2xi1>, tensor<2xf32>
      %137 = stablehlo.subtract %iterArg_28, %115 : tensor<2xf32>
      %138 = stablehlo.multiply %115, %137 : tensor<2xf32>
      %139 = stablehlo.multiply %138, %iterArg_29 : tensor<2xf32>
      %140 = stablehlo.multiply %117, %115 : tensor<2xf32>
      %141 = stablehlo.add %iterArg, %140 : tensor<2xf32>
      %142 = stablehlo.subtract %141, %116 : tensor<2xf32>
      %143 = stablehlo.multiply %117, %115 : tensor<2xf32>
      %144 = stablehlo.add %iterArg, %143 : tensor<2xf32>
      %145 = stablehlo.multiply %142, %144 : tensor<2xf32>
      %146 = stablehlo.divide %139, %145 : tensor<2xf32>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %147 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %148 = stablehlo.select %106, %136, %146 : tensor<2xi1>, tensor<2xf32>
      %149 = stablehlo.select %108, %147, %148 : tensor<2xi1>, tensor<2xf32>
      %150 = stablehlo.broadcast_in_dim %iterArg_30, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %c_44 = stablehlo.constant dense<0> : tensor<i32>
      %151 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %152 = stablehlo.compare EQ, %150, %151, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %153 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %154 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %155 = stablehlo.select %152, %153, %154 : tensor<2xi1>, tensor<2xf32>
      %156 = stablehlo.divide %149, %iterArg_32 : tensor<2xf32>
      %157 = stablehlo.add %155, %156 : tensor<2xf32>
      %cst_47 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %158 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %159 = stablehlo.abs %157 : tensor<2xf32>
      %160 = stablehlo.compare LT, %159, %158, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
      %161 = stablehlo.select %160, %158, %157 : tensor<2xi1>, tensor<2xf32>
      %162 = stablehlo.multiply %149, %iterArg_33 : tensor<2xf32>
      %163 = stablehlo.add %155, %162 : tensor<2xf32>
      %164 = stablehlo.abs %163 : tensor<2xf32>
      %165 = stablehlo.compare LT, %164, %158, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
      %166 = stablehlo.select %165, %158, %163 : tensor<2xi1>, tensor<2xf32>
      %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %167 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %168 = stablehlo.divide %167, %166 : tensor<2xf32>
      %169 = stablehlo.multiply %161, %168 : tensor<2xf32>
      %170 = stablehlo.multiply %iterArg_34, %169 : tensor<2xf32>
      %c_49 = stablehlo.constant dense<1> : tensor<i32>
      %171 = stablehlo.add %iterArg_30, %c_49 : tensor<i32>
      %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %172 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %173 = stablehlo.subtract %169, %172 : tensor<2xf32>
      %174 = stablehlo.abs %173 : tensor<2xf32>
      %cst_51 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %175 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %176 = stablehlo.compare GE, %174, %175, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
      %c_52 = stablehlo.constant dense<false> : tensor<i1>
      %177 = stablehlo.reduce(%176 init: %c_52) applies stablehlo.or across dimensions = [0] : (tensor<2xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %iterArg, %iterArg_28, %iterArg_29, %171, %177, %161, %168, %170 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>, tensor<i1>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    }
    %68 = chlo.lgamma %51 : tensor<2xf32> -> tensor<2xf32>
    %69 = stablehlo.add %50, %51 : tensor<2xf32>
    %70 = chlo.lgamma %69 : tensor<2xf32> -> tensor<2xf32>
    %71 = stablehlo.subtract %68, %70 : tensor<2xf32>
    %72 = chlo.lgamma %50 : tensor<2xf32> -> tensor<2xf32>
    %73 = stablehlo.add %72, %71 : tensor<2xf32>
    %cst_22 = stablehlo.constant dense<2.3509887E-38> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %75 = stablehlo.compare LT, %50, %74, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %76 = stablehlo.negate %54 : tensor<2xf32>
    %77 = stablehlo.log_plus_one %76 : tensor<2xf32>
    %78 = stablehlo.multiply %77, %51 : tensor<2xf32>
    %79 = stablehlo.subtract %78, %71 : tensor<2xf32>
    %80 = stablehlo.exponential %79 : tensor<2xf32>
    %81 = stablehlo.log %54 : tensor<2xf32>
    %82 = stablehlo.multiply %81, %50 : tensor<2xf32>
    %83 = stablehlo.negate %54 : tensor<2xf32>
    %84 = stablehlo.log_plus_one %83 : tensor<2xf32>
    %85 = stablehlo.multiply %84, %51 : tensor<2xf32>
    %86 = stablehlo.add %82, %85 : tensor<2xf32>
    %87 = stablehlo.subtract %86, %73 : tensor<2xf32>
    %88 = stablehlo.exponential %87 : tensor<2xf32>
    %89 = stablehlo.divide %88, %50 : tensor<2xf32>
    %90 = stablehlo.select %75, %80, %89 : tensor<2xi1>, tensor<2xf32>
    %91 = stablehlo.multiply %67#7, %90 : tensor<2xf32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %93 = stablehlo.subtract %92, %91 : tensor<2xf32>
    %94 = stablehlo.select %49, %91, %93 : tensor<2xi1>, tensor<2xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %96 = stablehlo.select %25, %95, %94 : tensor<2xi1>, tensor<2xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %98 = stablehlo.select %28, %97, %96 : tensor<2xi1>, tensor<2xf32>
    %cst_26 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %100 = stablehlo.select %42, %99, %98 : tensor<2xi1>, tensor<2xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %101 = stablehlo.reduce(%100 init: %cst_27) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    return %101, %100 : tensor<f32>, tensor<2xf32>
  }
  func.func private @remainder(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) -> tensor<2xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %3 = call @_where(%1, %2, %arg1) : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<2xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
    %12 = stablehlo.and %11, %6 : tensor<2xi1>
    %13 = stablehlo.add %4, %3 : tensor<2xi32>
    %14 = stablehlo.select %12, %13, %4 : tensor<2xi1>, tensor<2xi32>
    return %14 : tensor<2xi32>
  }
  func.func private @_where(%arg0: tensor<2xi1>, %arg1: tensor<2xi32>, %arg2: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<2xi1>, tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func private @floor_divide(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<2xi32>
    %1 = stablehlo.sign %arg0 : tensor<2xi32>
    %2 = stablehlo.sign %arg1 : tensor<2xi32>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<2xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<2xi1>
    %8 = stablehlo.compare NE, %3, %7, UNSIGNED : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
    %9 = stablehlo.convert %8 : tensor<2xi1>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<2xi1>
    %11 = stablehlo.compare NE, %6, %10, UNSIGNED : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
    %12 = stablehlo.convert %11 : tensor<2xi1>
    %13 = stablehlo.and %9, %12 : tensor<2xi1>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %15 = stablehlo.subtract %0, %14 : tensor<2xi32>
    %16 = call @_where_0(%13, %15, %0) : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    return %16 : tensor<2xi32>
  }
  func.func private @_where_0(%arg0: tensor<2xi1>, %arg1: tensor<2xi32>, %arg2: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<2xi1>, tensor<2xi32>
    return %0 : tensor<2xi32>
  }
}

// gammainc/a float32
// 0.30000001192092896 1.0 2.5
// 0.813812255859375 0.3934691548347473 0.037434227764606476
// -0.6561194658279419 -0.4894574284553528 -0.06885557621717453
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %2 = stablehlo.compare NE, %0, %0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %3 = stablehlo.or %1, %2 : tensor<3xi1>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.compare EQ, %0, %4, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %7 = stablehlo.compare EQ, %arg0, %6, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %9 = stablehlo.compare EQ, %0, %8, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %11 = stablehlo.compare LT, %0, %10, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %13 = stablehlo.compare LT, %arg0, %12, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %14 = stablehlo.and %7, %9 : tensor<3xi1>
    %15 = stablehlo.or %11, %13 : tensor<3xi1>
    %16 = stablehlo.or %15, %14 : tensor<3xi1>
    %17 = stablehlo.or %16, %3 : tensor<3xi1>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %19 = stablehlo.compare GE, %0, %18, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %20 = stablehlo.compare GT, %0, %arg0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %21 = stablehlo.and %19, %20 : tensor<3xi1>
    %22 = stablehlo.log %0 : tensor<3xf32>
    %23 = stablehlo.multiply %arg0, %22 : tensor<3xf32>
    %24 = stablehlo.subtract %23, %0 : tensor<3xf32>
    %25 = chlo.lgamma %arg0 : tensor<3xf32> -> tensor<3xf32>
    %26 = stablehlo.subtract %24, %25 : tensor<3xf32>
    %cst_6 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %27 = stablehlo.log %cst_6 : tensor<f32>
    %28 = stablehlo.negate %27 : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %30 = stablehlo.compare LT, %26, %29, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %31 = stablehlo.exponential %26 : tensor<3xf32>
    %32 = stablehlo.or %9, %17 : tensor<3xi1>
    %33 = stablehlo.or %32, %30 : tensor<3xi1>
    %34 = stablehlo.or %33, %5 : tensor<3xi1>
    %35 = stablehlo.not %34 : tensor<3xi1>
    %36 = stablehlo.and %35, %21 : tensor<3xi1>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %38 = stablehlo.subtract %37, %arg0 : tensor<3xf32>
    %39 = stablehlo.add %0, %38 : tensor<3xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %41 = stablehlo.add %39, %40 : tensor<3xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %44 = stablehlo.add %0, %43 : tensor<3xf32>
    %45 = stablehlo.multiply %41, %0 : tensor<3xf32>
    %46 = stablehlo.divide %44, %45 : tensor<3xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %51 = stablehlo.negate %0 : tensor<3xf32>
    %52 = stablehlo.multiply %46, %51 : tensor<3xf32>
    %53 = stablehlo.subtract %50, %52 : tensor<3xf32>
    %54 = stablehlo.divide %53, %45 : tensor<3xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55:15 = stablehlo.while(%iterArg = %36, %iterArg_25 = %46, %iterArg_26 = %47, %iterArg_27 = %38, %iterArg_28 = %41, %iterArg_29 = %cst_15, %iterArg_30 = %44, %iterArg_31 = %45, %iterArg_32 = %42, %iterArg_33 = %0, %iterArg_34 = %48, %iterArg_35 = %49, %iterArg_36 = %50, %iterArg_37 = %51, %iterArg_38 = %54) : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %cst_39 = stablehlo.constant dense<2.000000e+03> : tensor<f32>
      %76 = stablehlo.compare LT, %iterArg_29, %cst_39, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %77 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      %78 = stablehlo.and %76, %77 : tensor<i1>
      stablehlo.return %78 : tensor<i1>
    } do {
      %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %76 = stablehlo.add %iterArg_29, %cst_39 : tensor<f32>
      %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %77 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %78 = stablehlo.add %iterArg_27, %77 : tensor<3xf32>
      %cst_41 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %79 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %80 = stablehlo.add %iterArg_28, %79 : tensor<3xf32>
      %81 = stablehlo.broadcast_in_dim %76, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %82 = stablehlo.multiply %78, %81 : tensor<3xf32>
      %83 = stablehlo.multiply %iterArg_30, %80 : tensor<3xf32>
      %84 = stablehlo.multiply %iterArg_32, %82 : tensor<3xf32>
      %85 = stablehlo.subtract %83, %84 : tensor<3xf32>
      %86 = stablehlo.multiply %iterArg_31, %80 : tensor<3xf32>
      %87 = stablehlo.multiply %iterArg_33, %82 : tensor<3xf32>
      %88 = stablehlo.subtract %86, %87 : tensor<3xf32>
      %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %89 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %90 = stablehlo.compare NE, %88, %89, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %91 = stablehlo.divide %85, %88 : tensor<3xf32>
      %92 = stablehlo.subtract %iterArg_25, %91 : tensor<3xf32>
      %93 = stablehlo.divide %92, %91 : tensor<3xf32>
      %94 = stablehlo.abs %93 : tensor<3xf32>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %95 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %96 = stablehlo.select %90, %94, %95 : tensor<3xi1>, tensor<3xf32>
      %97 = stablehlo.select %90, %91, %iterArg_25 : tensor<3xi1>, tensor<3xf32>
      %98 = stablehlo.multiply %iterArg_36, %80 : tensor<3xf32>
      %99 = stablehlo.subtract %98, %iterArg_30 : tensor<3xf32>
      %100 = stablehlo.multiply %iterArg_34, %82 : tensor<3xf32>
      %101 = stablehlo.subtract %99, %100 : tensor<3xf32>
      %102 = stablehlo.broadcast_in_dim %76, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %103 = stablehlo.multiply %iterArg_32, %102 : tensor<3xf32>
      %104 = stablehlo.add %101, %103 : tensor<3xf32>
      %105 = stablehlo.multiply %iterArg_37, %80 : tensor<3xf32>
      %106 = stablehlo.subtract %105, %iterArg_31 : tensor<3xf32>
      %107 = stablehlo.multiply %iterArg_35, %82 : tensor<3xf32>
      %108 = stablehlo.subtract %106, %107 : tensor<3xf32>
      %109 = stablehlo.broadcast_in_dim %76, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %110 = stablehlo.multiply %iterArg_33, %109 : tensor<3xf32>
      %111 = stablehlo.add %108, %110 : tensor<3xf32>
      %112 = stablehlo.multiply %97, %111 : tensor<3xf32>
      %113 = stablehlo.subtract %104, %112 : tensor<3xf32>
      %114 = stablehlo.divide %113, %88 : tensor<3xf32>
      %115 = stablehlo.select %90, %114, %iterArg_38 : tensor<3xi1>, tensor<3xf32>
      %116 = stablehlo.subtract %115, %iterArg_38 : tensor<3xf32>
      %117 = stablehlo.abs %116 : tensor<3xf32>
      %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %118 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %119 = stablehlo.select %90, %117, %118 : tensor<3xi1>, tensor<3xf32>
      %120 = stablehlo.abs %85 : tensor<3xf32>
      %cst_45 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %121 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<f32>
      %122 = stablehlo.divide %121, %cst_45 : tensor<f32>
      %123 = stablehlo.broadcast_in_dim %122, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %124 = stablehlo.compare GT, %120, %123, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %cst_47 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %125 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %126 = stablehlo.multiply %iterArg_30, %125 : tensor<3xf32>
      %127 = stablehlo.select %124, %126, %iterArg_30 : tensor<3xi1>, tensor<3xf32>
      %cst_48 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %128 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %129 = stablehlo.multiply %85, %128 : tensor<3xf32>
      %130 = stablehlo.select %124, %129, %85 : tensor<3xi1>, tensor<3xf32>
      %cst_49 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %131 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %132 = stablehlo.multiply %iterArg_31, %131 : tensor<3xf32>
      %133 = stablehlo.select %124, %132, %iterArg_31 : tensor<3xi1>, tensor<3xf32>
      %cst_50 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %134 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %135 = stablehlo.multiply %88, %134 : tensor<3xf32>
      %136 = stablehlo.select %124, %135, %88 : tensor<3xi1>, tensor<3xf32>
      %cst_51 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %137 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %138 = stablehlo.multiply %iterArg_36, %137 : tensor<3xf32>
      %139 = stablehlo.select %124, %138, %iterArg_36 : tensor<3xi1>, tensor<3xf32>
      %cst_52 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %140 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %141 = stablehlo.multiply %iterArg_37, %140 : tensor<3xf32>
      %142 = stablehlo.select %124, %141, %iterArg_37 : tensor<3xi1>, tensor<3xf32>
      %cst_53 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %143 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %144 = stablehlo.multiply %104, %143 : tensor<3xf32>
      %145 = stablehlo.select %124, %144, %104 : tensor<3xi1>, tensor<3xf32>
      %cst_54 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %146 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %147 = stablehlo.multiply %111, %146 : tensor<3xf32>
      %148 = stablehlo.select %124, %147, %111 : tensor<3xi1>, tensor<3xf32>
      %cst_55 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %149 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %150 = stablehlo.compare GT, %96, %149, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %151 = stablehlo.and %iterArg, %150 : tensor<3xi1>
      %152 = stablehlo.select %iterArg, %97, %iterArg_25 : tensor<3xi1>, tensor<3xf32>
      %153 = stablehlo.select %iterArg, %96, %iterArg_26 : tensor<3xi1>, tensor<3xf32>
      %154 = stablehlo.select %iterArg, %78, %iterArg_27 : tensor<3xi1>, tensor<3xf32>
      %155 = stablehlo.select %iterArg, %80, %iterArg_28 : tensor<3xi1>, tensor<3xf32>
      %156 = stablehlo.select %iterArg, %130, %iterArg_30 : tensor<3xi1>, tensor<3xf32>
      %157 = stablehlo.select %iterArg, %136, %iterArg_31 : tensor<3xi1>, tensor<3xf32>
      %158 = stablehlo.select %iterArg, %127, %iterArg_32 : tensor<3xi1>, tensor<3xf32>
      %159 = stablehlo.select %iterArg, %133, %iterArg_33 : tensor<3xi1>, tensor<3xf32>
      %160 = stablehlo.select %iterArg, %139, %iterArg_34 : tensor<3xi1>, tensor<3xf32>
      %161 = stablehlo.select %iterArg, %142, %iterArg_35 : tensor<3xi1>, tensor<3xf32>
      %162 = stablehlo.select %iterArg, %145, %iterArg_36 : tensor<3xi1>, tensor<3xf32>
      %163 = stablehlo.select %iterArg, %148, %iterArg_37 : tensor<3xi1>, tensor<3xf32>
      %164 = stablehlo.select %iterArg, %115, %iterArg_38 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %151, %152, %153, %154, %155, %76, %156, %157, %158, %159, %160, %161, %162, %163, %164 : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %56 = stablehlo.multiply %55#1, %31 : tensor<3xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %58 = stablehlo.subtract %57, %56 : tensor<3xf32>
    %59 = stablehlo.not %21 : tensor<3xi1>
    %60 = stablehlo.and %35, %59 : tensor<3xi1>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %65:7 = stablehlo.while(%iterArg = %60, %iterArg_25 = %arg0, %iterArg_26 = %61, %iterArg_27 = %62, %iterArg_28 = %0, %iterArg_29 = %63, %iterArg_30 = %64) : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %76 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %76 : tensor<i1>
    } do {
      %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %76 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %77 = stablehlo.add %iterArg_25, %76 : tensor<3xf32>
      %78 = stablehlo.divide %iterArg_28, %77 : tensor<3xf32>
      %79 = stablehlo.multiply %iterArg_29, %78 : tensor<3xf32>
      %80 = stablehlo.multiply %iterArg_26, %iterArg_28 : tensor<3xf32>
      %81 = stablehlo.multiply %77, %77 : tensor<3xf32>
      %82 = stablehlo.divide %80, %81 : tensor<3xf32>
      %83 = stablehlo.subtract %79, %82 : tensor<3xf32>
      %84 = stablehlo.add %iterArg_30, %83 : tensor<3xf32>
      %85 = stablehlo.divide %iterArg_28, %77 : tensor<3xf32>
      %86 = stablehlo.multiply %iterArg_26, %85 : tensor<3xf32>
      %87 = stablehlo.add %iterArg_27, %86 : tensor<3xf32>
      %88 = stablehlo.divide %86, %87 : tensor<3xf32>
      %cst_32 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %89 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %90 = stablehlo.compare GT, %88, %89, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %91 = stablehlo.and %iterArg, %90 : tensor<3xi1>
      %92 = stablehlo.select %iterArg, %77, %iterArg_25 : tensor<3xi1>, tensor<3xf32>
      %93 = stablehlo.select %iterArg, %86, %iterArg_26 : tensor<3xi1>, tensor<3xf32>
      %94 = stablehlo.select %iterArg, %87, %iterArg_27 : tensor<3xi1>, tensor<3xf32>
      %95 = stablehlo.select %iterArg, %iterArg_28, %iterArg_28 : tensor<3xi1>, tensor<3xf32>
      %96 = stablehlo.select %iterArg, %83, %iterArg_29 : tensor<3xi1>, tensor<3xf32>
      %97 = stablehlo.select %iterArg, %84, %iterArg_30 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %91, %92, %93, %94, %95, %96, %97 : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %66 = stablehlo.multiply %65#3, %31 : tensor<3xf32>
    %67 = stablehlo.divide %66, %arg0 : tensor<3xf32>
    %68 = stablehlo.select %21, %58, %67 : tensor<3xi1>, tensor<3xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %70 = stablehlo.select %9, %69, %68 : tensor<3xi1>, tensor<3xf32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %72 = stablehlo.select %5, %71, %70 : tensor<3xi1>, tensor<3xf32>
    %cst_23 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %74 = stablehlo.select %17, %73, %72 : tensor<3xi1>, tensor<3xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.reduce(%74 init: %cst_24) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %75, %74 : tensor<f32>, tensor<3xf32>
  }
}

// gammainc/x float32
// 0.30000001192092896 1.0 2.5 7.0 30.0 0.5
// 0.5614216327667236 0.8427009582519531 0.9746527075767517 0.9998171925544739 1.0 0.6826890110969543
// 0.7630903124809265 0.2075536847114563 0.029289955273270607 0.0001944529067259282 9.638946948551871e-15 0.48394128680229187
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.compare NE, %0, %0, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %2 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %3 = stablehlo.or %1, %2 : tensor<6xi1>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %5 = stablehlo.compare EQ, %arg0, %4, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %7 = stablehlo.compare EQ, %0, %6, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %9 = stablehlo.compare EQ, %arg0, %8, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %11 = stablehlo.compare LT, %arg0, %10, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %13 = stablehlo.compare LT, %0, %12, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %14 = stablehlo.and %7, %9 : tensor<6xi1>
    %15 = stablehlo.or %11, %13 : tensor<6xi1>
    %16 = stablehlo.or %15, %14 : tensor<6xi1>
    %17 = stablehlo.or %16, %3 : tensor<6xi1>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %19 = stablehlo.compare GE, %arg0, %18, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %20 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %21 = stablehlo.and %19, %20 : tensor<6xi1>
    %22 = stablehlo.log %arg0 : tensor<6xf32>
    %23 = stablehlo.multiply %0, %22 : tensor<6xf32>
    %24 = stablehlo.subtract %23, %arg0 : tensor<6xf32>
    %25 = chlo.lgamma %0 : tensor<6xf32> -> tensor<6xf32>
    %26 = stablehlo.subtract %24, %25 : tensor<6xf32>
    %cst_6 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %27 = stablehlo.log %cst_6 : tensor<f32>
    %28 = stablehlo.negate %27 : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %30 = stablehlo.compare LT, %26, %29, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %31 = stablehlo.exponential %26 : tensor<6xf32>
    %32 = stablehlo.or %9, %17 : tensor<6xi1>
    %33 = stablehlo.or %32, %30 : tensor<6xi1>
    %34 = stablehlo.or %33, %5 : tensor<6xi1>
    %35 = stablehlo.not %34 : tensor<6xi1>
    %36 = stablehlo.and %35, %21 : tensor<6xi1>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %38 = stablehlo.subtract %37, %0 : tensor<6xf32>
    %39 = stablehlo.add %arg0, %38 : tensor<6xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %41 = stablehlo.add %39, %40 : tensor<6xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %44 = stablehlo.add %arg0, %43 : tensor<6xf32>
    %45 = stablehlo.multiply %41, %arg0 : tensor<6xf32>
    %46 = stablehlo.divide %44, %45 : tensor<6xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %51 = stablehlo.negate %arg0 : tensor<6xf32>
    %52 = stablehlo.multiply %46, %51 : tensor<6xf32>
    %53 = stablehlo.subtract %50, %52 : tensor<6xf32>
    %54 = stablehlo.divide %53, %45 : tensor<6xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55:15 = stablehlo.while(%iterArg = %36, %iterArg_25 = %46, %iterArg_26 = %47, %iterArg_27 = %38, %iterArg_28 = %41, %iterArg_29 = %cst_15, %iterArg_30 = %44, %iterArg_31 = %45, %iterArg_32 = %42, %iterArg_33 = %arg0, %iterArg_34 = %48, %iterArg_35 = %49, %iterArg_36 = %50, %iterArg_37 = %51, %iterArg_38 = %54) : tensor<6xi1>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<f32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    cond {
      %cst_39 = stablehlo.constant dense<2.000000e+03> : tensor<f32>
      %76 = stablehlo.compare LT, %iterArg_29, %cst_39, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %77 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<6xi1>, tensor<i1>) -> tensor<i1>
      %78 = stablehlo.and %76, %77 : tensor<i1>
      stablehlo.return %78 : tensor<i1>
    } do {
      %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %76 = stablehlo.add %iterArg_29, %cst_39 : tensor<f32>
      %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %77 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %78 = stablehlo.add %iterArg_27, %77 : tensor<6xf32>
      %cst_41 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %79 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %80 = stablehlo.add %iterArg_28, %79 : tensor<6xf32>
      %81 = stablehlo.broadcast_in_dim %76, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %82 = stablehlo.multiply %78, %81 : tensor<6xf32>
      %83 = stablehlo.multiply %iterArg_30, %80 : tensor<6xf32>
      %84 = stablehlo.multiply %iterArg_32, %82 : tensor<6xf32>
      %85 = stablehlo.subtract %83, %84 : tensor<6xf32>
      %86 = stablehlo.multiply %iterArg_31, %80 : tensor<6xf32>
      %87 = stablehlo.multiply %iterArg_33, %82 : tensor<6xf32>
      %88 = stablehlo.subtract %86, %87 : tensor<6xf32>
      %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %89 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %90 = stablehlo.compare NE, %88, %89, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %91 = stablehlo.divide %85, %88 : tensor<6xf32>
      %92 = stablehlo.subtract %iterArg_25, %91 : tensor<6xf32>
      %93 = stablehlo.divide %92, %91 : tensor<6xf32>
      %94 = stablehlo.abs %93 : tensor<6xf32>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %95 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %96 = stablehlo.select %90, %94, %95 : tensor<6xi1>, tensor<6xf32>
      %97 = stablehlo.select %90, %91, %iterArg_25 : tensor<6xi1>, tensor<6xf32>
      %98 = stablehlo.multiply %iterArg_36, %80 : tensor<6xf32>
      %99 = stablehlo.subtract %98, %iterArg_30 : tensor<6xf32>
      %100 = stablehlo.multiply %iterArg_34, %82 : tensor<6xf32>
      %101 = stablehlo.subtract %99, %100 : tensor<6xf32>
      %102 = stablehlo.broadcast_in_dim %76, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %103 = stablehlo.multiply %iterArg_32, %102 : tensor<6xf32>
      %104 = stablehlo.add %101, %103 : tensor<6xf32>
      %105 = stablehlo.multiply %iterArg_37, %80 : tensor<6xf32>
      %106 = stablehlo.subtract %105, %iterArg_31 : tensor<6xf32>
      %107 = stablehlo.multiply %iterArg_35, %82 : tensor<6xf32>
      %108 = stablehlo.subtract %106, %107 : tensor<6xf32>
      %109 = stablehlo.broadcast_in_dim %76, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %110 = stablehlo.multiply %iterArg_33, %109 : tensor<6xf32>
      %111 = stablehlo.add %108, %110 : tensor<6xf32>
      %112 = stablehlo.multiply %97, %111 : tensor<6xf32>
      %113 = stablehlo.subtract %104, %112 : tensor<6xf32>
      %114 = stablehlo.divide %113, %88 : tensor<6xf32>
      %115 = stablehlo.select %90, %114, %iterArg_38 : tensor<6xi1>, tensor<6xf32>
      %116 = stablehlo.subtract %115, %iterArg_38 : tensor<6xf32>
      %117 = stablehlo.abs %116 : tensor<6xf32>
      %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %118 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %119 = stablehlo.select %90, %117, %118 : tensor<6xi1>, tensor<6xf32>
      %120 = stablehlo.abs %85 : tensor<6xf32>
      %cst_45 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %121 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<f32>
      %122 = stablehlo.divide %121, %cst_45 : tensor<f32>
      %123 = stablehlo.broadcast_in_dim %122, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %124 = stablehlo.compare GT, %120, %123, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %cst_47 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %125 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %126 = stablehlo.multiply %iterArg_30, %125 : tensor<6xf32>
      %127 = stablehlo.select %124, %126, %iterArg_30 : tensor<6xi1>, tensor<6xf32>
      %cst_48 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %128 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %129 = stablehlo.multiply %85, %128 : tensor<6xf32>
      %130 = stablehlo.select %124, %129, %85 : tensor<6xi1>, tensor<6xf32>
      %cst_49 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %131 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %132 = stablehlo.multiply %iterArg_31, %131 : tensor<6xf32>
      %133 = stablehlo.select %124, %132, %iterArg_31 : tensor<6xi1>, tensor<6xf32>
      %cst_50 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %134 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %135 = stablehlo.multiply %88, %134 : tensor<6xf32>
      %136 = stablehlo.select %124, %135, %88 : tensor<6xi1>, tensor<6xf32>
      %cst_51 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %137 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %138 = stablehlo.multiply %iterArg_36, %137 : tensor<6xf32>
      %139 = stablehlo.select %124, %138, %iterArg_36 : tensor<6xi1>, tensor<6xf32>
      %cst_52 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %140 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %141 = stablehlo.multiply %iterArg_37, %140 : tensor<6xf32>
      %142 = stablehlo.select %124, %141, %iterArg_37 : tensor<6xi1>, tensor<6xf32>
      %cst_53 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %143 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %144 = stablehlo.multiply %104, %143 : tensor<6xf32>
      %145 = stablehlo.select %124, %144, %104 : tensor<6xi1>, tensor<6xf32>
      %cst_54 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %146 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %147 = stablehlo.multiply %111, %146 : tensor<6xf32>
      %148 = stablehlo.select %124, %147, %111 : tensor<6xi1>, tensor<6xf32>
      %cst_55 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %149 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %150 = stablehlo.compare GT, %96, %149, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %151 = stablehlo.and %iterArg, %150 : tensor<6xi1>
      %152 = stablehlo.select %iterArg, %97, %iterArg_25 : tensor<6xi1>, tensor<6xf32>
      %153 = stablehlo.select %iterArg, %96, %iterArg_26 : tensor<6xi1>, tensor<6xf32>
      %154 = stablehlo.select %iterArg, %78, %iterArg_27 : tensor<6xi1>, tensor<6xf32>
      %155 = stablehlo.select %iterArg, %80, %iterArg_28 : tensor<6xi1>, tensor<6xf32>
      %156 = stablehlo.select %iterArg, %130, %iterArg_30 : tensor<6xi1>, tensor<6xf32>
      %157 = stablehlo.select %iterArg, %136, %iterArg_31 : tensor<6xi1>, tensor<6xf32>
      %158 = stablehlo.select %iterArg, %127, %iterArg_32 : tensor<6xi1>, tensor<6xf32>
      %159 = stablehlo.select %iterArg, %133, %iterArg_33 : tensor<6xi1>, tensor<6xf32>
      %160 = stablehlo.select %iterArg, %139, %iterArg_34 : tensor<6xi1>, tensor<6xf32>
      %161 = stablehlo.select %iterArg, %142, %iterArg_35 : tensor<6xi1>, tensor<6xf32>
      %162 = stablehlo.select %iterArg, %145, %iterArg_36 : tensor<6xi1>, tensor<6xf32>
      %163 = stablehlo.select %iterArg, %148, %iterArg_37 : tensor<6xi1>, tensor<6xf32>
      %164 = stablehlo.select %iterArg, %115, %iterArg_38 : tensor<6xi1>, tensor<6xf32>
      stablehlo.return %151, %152, %153, %154, %155, %76, %156, %157, %158, %159, %160, %161, %162, %163, %164 : tensor<6xi1>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<f32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    }
    %56 = stablehlo.multiply %55#1, %31 : tensor<6xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %58 = stablehlo.subtract %57, %56 : tensor<6xf32>
    %59 = stablehlo.not %21 : tensor<6xi1>
    %60 = stablehlo.and %35, %59 : tensor<6xi1>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %65:7 = stablehlo.while(%iterArg = %60, %iterArg_25 = %0, %iterArg_26 = %61, %iterArg_27 = %62, %iterArg_28 = %arg0, %iterArg_29 = %63, %iterArg_30 = %64) : tensor<6xi1>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %76 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<6xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %76 : tensor<i1>
    } do {
      %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %76 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %77 = stablehlo.add %iterArg_25, %76 : tensor<6xf32>
      %78 = stablehlo.divide %iterArg_28, %77 : tensor<6xf32>
      %79 = stablehlo.multiply %iterArg_29, %78 : tensor<6xf32>
      %80 = stablehlo.multiply %iterArg_26, %iterArg_28 : tensor<6xf32>
      %81 = stablehlo.multiply %77, %77 : tensor<6xf32>
      %82 = stablehlo.divide %80, %81 : tensor<6xf32>
      %83 = stablehlo.subtract %79, %82 : tensor<6xf32>
      %84 = stablehlo.add %iterArg_30, %83 : tensor<6xf32>
      %85 = stablehlo.divide %iterArg_28, %77 : tensor<6xf32>
      %86 = stablehlo.multiply %iterArg_26, %85 : tensor<6xf32>
      %87 = stablehlo.add %iterArg_27, %86 : tensor<6xf32>
      %88 = stablehlo.divide %86, %87 : tensor<6xf32>
      %cst_32 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %89 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %90 = stablehlo.compare GT, %88, %89, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %91 = stablehlo.and %iterArg, %90 : tensor<6xi1>
      %92 = stablehlo.select %iterArg, %77, %iterArg_25 : tensor<6xi1>, tensor<6xf32>
      %93 = stablehlo.select %iterArg, %86, %iterArg_26 : tensor<6xi1>, tensor<6xf32>
      %94 = stablehlo.select %iterArg, %87, %iterArg_27 : tensor<6xi1>, tensor<6xf32>
      %95 = stablehlo.select %iterArg, %iterArg_28, %iterArg_28 : tensor<6xi1>, tensor<6xf32>
      %96 = stablehlo.select %iterArg, %83, %iterArg_29 : tensor<6xi1>, tensor<6xf32>
      %97 = stablehlo.select %iterArg, %84, %iterArg_30 : tensor<6xi1>, tensor<6xf32>
      stablehlo.return %91, %92, %93, %94, %95, %96, %97 : tensor<6xi1>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    }
    %66 = stablehlo.multiply %65#3, %31 : tensor<6xf32>
    %67 = stablehlo.divide %66, %0 : tensor<6xf32>
    %68 = stablehlo.select %21, %58, %67 : tensor<6xi1>, tensor<6xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %70 = stablehlo.select %9, %69, %68 : tensor<6xi1>, tensor<6xf32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %72 = stablehlo.select %5, %71, %70 : tensor<6xi1>, tensor<6xf32>
    %cst_23 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %74 = stablehlo.select %17, %73, %72 : tensor<6xi1>, tensor<6xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.reduce(%74 init: %cst_24) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    return %75, %74 : tensor<f32>, tensor<6xf32>
  }
}

// gammaincc/a float32
// 0.30000001192092896 1.0 2.5 7.0
// 0.022025994956493378 0.13533522188663483 0.5494159460067749 0.9954661726951599
// 0.09925270825624466 0.22082524001598358 0.2745511531829834 0.00616493308916688
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %2 = stablehlo.compare NE, %0, %0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %3 = stablehlo.or %1, %2 : tensor<4xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.compare EQ, %arg0, %4, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %7 = stablehlo.compare EQ, %0, %6, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %9 = stablehlo.compare EQ, %0, %8, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %11 = stablehlo.compare LT, %0, %10, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %13 = stablehlo.compare LT, %arg0, %12, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %14 = stablehlo.and %5, %7 : tensor<4xi1>
    %15 = stablehlo.or %11, %13 : tensor<4xi1>
    %16 = stablehlo.or %15, %14 : tensor<4xi1>
    %17 = stablehlo.or %16, %3 : tensor<4xi1>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %19 = stablehlo.compare LT, %0, %18, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %20 = stablehlo.compare LT, %0, %arg0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %21 = stablehlo.or %19, %20 : tensor<4xi1>
    %22 = stablehlo.log %0 : tensor<4xf32>
    %23 = stablehlo.multiply %arg0, %22 : tensor<4xf32>
    %24 = stablehlo.subtract %23, %0 : tensor<4xf32>
    %25 = chlo.lgamma %arg0 : tensor<4xf32> -> tensor<4xf32>
    %26 = stablehlo.subtract %24, %25 : tensor<4xf32>
    %cst_6 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %27 = stablehlo.log %cst_6 : tensor<f32>
    %28 = stablehlo.negate %27 : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %30 = stablehlo.compare LT, %26, %29, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %31 = stablehlo.or %17, %30 : tensor<4xi1>
    %32 = stablehlo.or %31, %9 : tensor<4xi1>
    %33 = stablehlo.or %32, %5 : tensor<4xi1>
    %34 = stablehlo.not %33 : tensor<4xi1>
    %35 = stablehlo.exponential %26 : tensor<4xf32>
    %36 = stablehlo.and %34, %21 : tensor<4xi1>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %41:7 = stablehlo.while(%iterArg = %36, %iterArg_24 = %arg0, %iterArg_25 = %37, %iterArg_26 = %38, %iterArg_27 = %0, %iterArg_28 = %39, %iterArg_29 = %40) : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %75 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %75 : tensor<i1>
    } do {
      %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %75 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %76 = stablehlo.add %iterArg_24, %75 : tensor<4xf32>
      %77 = stablehlo.divide %iterArg_27, %76 : tensor<4xf32>
      %78 = stablehlo.multiply %iterArg_28, %77 : tensor<4xf32>
      %79 = stablehlo.multiply %iterArg_25, %iterArg_27 : tensor<4xf32>
      %80 = stablehlo.multiply %76, %76 : tensor<4xf32>
      %81 = stablehlo.divide %79, %80 : tensor<4xf32>
      %82 = stablehlo.subtract %78, %81 : tensor<4xf32>
      %83 = stablehlo.add %iterArg_29, %82 : tensor<4xf32>
      %84 = stablehlo.divide %iterArg_27, %76 : tensor<4xf32>
      %85 = stablehlo.multiply %iterArg_25, %84 : tensor<4xf32>
      %86 = stablehlo.add %iterArg_26, %85 : tensor<4xf32>
      %87 = stablehlo.divide %85, %86 : tensor<4xf32>
      %cst_31 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %88 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %89 = stablehlo.compare GT, %87, %88, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %90 = stablehlo.and %iterArg, %89 : tensor<4xi1>
      %91 = stablehlo.select %iterArg, %76, %iterArg_24 : tensor<4xi1>, tensor<4xf32>
      %92 = stablehlo.select %iterArg, %85, %iterArg_25 : tensor<4xi1>, tensor<4xf32>
      %93 = stablehlo.select %iterArg, %86, %iterArg_26 : tensor<4xi1>, tensor<4xf32>
      %94 = stablehlo.select %iterArg, %iterArg_27, %iterArg_27 : tensor<4xi1>, tensor<4xf32>
      %95 = stablehlo.select %iterArg, %82, %iterArg_28 : tensor<4xi1>, tensor<4xf32>
      %96 = stablehlo.select %iterArg, %83, %iterArg_29 : tensor<4xi1>, tensor<4xf32>
      stablehlo.return %90, %91, %92, %93, %94, %95, %96 : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
    %42 = stablehlo.multiply %41#3, %35 : tensor<4xf32>
    %43 = stablehlo.divide %42, %arg0 : tensor<4xf32>
    %44 = stablehlo.not %21 : tensor<4xi1>
    %45 = stablehlo.and %34, %44 : tensor<4xi1>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %47 = stablehlo.subtract %46, %arg0 : tensor<4xf32>
    %48 = stablehlo.add %0, %47 : tensor<4xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %50 = stablehlo.add %48, %49 : tensor<4xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %53 = stablehlo.add %0, %52 : tensor<4xf32>
    %54 = stablehlo.multiply %50, %0 : tensor<4xf32>
    %55 = stablehlo.divide %53, %54 : tensor<4xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %60 = stablehlo.negate %0 : tensor<4xf32>
    %61 = stablehlo.multiply %55, %60 : tensor<4xf32>
    %62 = stablehlo.subtract %59, %61 : tensor<4xf32>
    %63 = stablehlo.divide %62, %54 : tensor<4xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64:15 = stablehlo.while(%iterArg = %45, %iterArg_24 = %55, %iterArg_25 = %56, %iterArg_26 = %47, %iterArg_27 = %50, %iterArg_28 = %cst_19, %iterArg_29 = %53, %iterArg_30 = %54, %iterArg_31 = %51, %iterArg_32 = %0, %iterArg_33 = %57, %iterArg_34 = %58, %iterArg_35 = %59, %iterArg_36 = %60, %iterArg_37 = %63) : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %cst_38 = stablehlo.constant dense<2.000000e+03> : tensor<f32>
      %75 = stablehlo.compare LT, %iterArg_28, %cst_38, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %76 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      %77 = stablehlo.and %75, %76 : tensor<i1>
      stablehlo.return %77 : tensor<i1>
    } do {
      %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %75 = stablehlo.add %iterArg_28, %cst_38 : tensor<f32>
      %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %76 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %77 = stablehlo.add %iterArg_26, %76 : tensor<4xf32>
      %cst_40 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %78 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %79 = stablehlo.add %iterArg_27, %78 : tensor<4xf32>
      %80 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %81 = stablehlo.multiply %77, %80 : tensor<4xf32>
      %82 = stablehlo.multiply %iterArg_29, %79 : tensor<4xf32>
      %83 = stablehlo.multiply %iterArg_31, %81 : tensor<4xf32>
      %84 = stablehlo.subtract %82, %83 : tensor<4xf32>
      %85 = stablehlo.multiply %iterArg_30, %79 : tensor<4xf32>
      %86 = stablehlo.multiply %iterArg_32, %81 : tensor<4xf32>
      %87 = stablehlo.subtract %85, %86 : tensor<4xf32>
      %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %88 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %89 = stablehlo.compare NE, %87, %88, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %90 = stablehlo.divide %84, %87 : tensor<4xf32>
      %91 = stablehlo.subtract %iterArg_24, %90 : tensor<4xf32>
      %92 = stablehlo.divide %91, %90 : tensor<4xf32>
      %93 = stablehlo.abs %92 : tensor<4xf32>
      %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %94 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %95 = stablehlo.select %89, %93, %94 : tensor<4xi1>, tensor<4xf32>
      %96 = stablehlo.select %89, %90, %iterArg_24 : tensor<4xi1>, tensor<4xf32>
      %97 = stablehlo.multiply %iterArg_35, %79 : tensor<4xf32>
      %98 = stablehlo.subtract %97, %iterArg_29 : tensor<4xf32>
      %99 = stablehlo.multiply %iterArg_33, %81 : tensor<4xf32>
      %100 = stablehlo.subtract %98, %99 : tensor<4xf32>
      %101 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %102 = stablehlo.multiply %iterArg_31, %101 : tensor<4xf32>
      %103 = stablehlo.add %100, %102 : tensor<4xf32>
      %104 = stablehlo.multiply %iterArg_36, %79 : tensor<4xf32>
      %105 = stablehlo.subtract %104, %iterArg_30 : tensor<4xf32>
      %106 = stablehlo.multiply %iterArg_34, %81 : tensor<4xf32>
      %107 = stablehlo.subtract %105, %106 : tensor<4xf32>
      %108 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %109 = stablehlo.multiply %iterArg_32, %108 : tensor<4xf32>
      %110 = stablehlo.add %107, %109 : tensor<4xf32>
      %111 = stablehlo.multiply %96, %110 : tensor<4xf32>
      %112 = stablehlo.subtract %103, %111 : tensor<4xf32>
      %113 = stablehlo.divide %112, %87 : tensor<4xf32>
      %114 = stablehlo.select %89, %113, %iterArg_37 : tensor<4xi1>, tensor<4xf32>
      %115 = stablehlo.subtract %114, %iterArg_37 : tensor<4xf32>
      %116 = stablehlo.abs %115 : tensor<4xf32>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %117 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %118 = stablehlo.select %89, %116, %117 : tensor<4xi1>, tensor<4xf32>
      %119 = stablehlo.abs %84 : tensor<4xf32>
      %cst_44 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %120 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<f32>
      %121 = stablehlo.divide %120, %cst_44 : tensor<f32>
      %122 = stablehlo.broadcast_in_dim %121, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %123 = stablehlo.compare GT, %119, %122, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %cst_46 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %124 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %125 = stablehlo.multiply %iterArg_29, %124 : tensor<4xf32>
      %126 = stablehlo.select %123, %125, %iterArg_29 : tensor<4xi1>, tensor<4xf32>
      %cst_47 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %127 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %128 = stablehlo.multiply %84, %127 : tensor<4xf32>
      %129 = stablehlo.select %123, %128, %84 : tensor<4xi1>, tensor<4xf32>
      %cst_48 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %130 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %131 = stablehlo.multiply %iterArg_30, %130 : tensor<4xf32>
      %132 = stablehlo.select %123, %131, %iterArg_30 : tensor<4xi1>, tensor<4xf32>
      %cst_49 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %133 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %134 = stablehlo.multiply %87, %133 : tensor<4xf32>
      %135 = stablehlo.select %123, %134, %87 : tensor<4xi1>, tensor<4xf32>
      %cst_50 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %136 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %137 = stablehlo.multiply %iterArg_35, %136 : tensor<4xf32>
      %138 = stablehlo.select %123, %137, %iterArg_35 : tensor<4xi1>, tensor<4xf32>
      %cst_51 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %139 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %140 = stablehlo.multiply %iterArg_36, %139 : tensor<4xf32>
      %141 = stablehlo.select %123, %140, %iterArg_36 : tensor<4xi1>, tensor<4xf32>
      %cst_52 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %142 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %143 = stablehlo.multiply %103, %142 : tensor<4xf32>
      %144 = stablehlo.select %123, %143, %103 : tensor<4xi1>, tensor<4xf32>
      %cst_53 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %145 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %146 = stablehlo.multiply %110, %145 : tensor<4xf32>
      %147 = stablehlo.select %123, %146, %110 : tensor<4xi1>, tensor<4xf32>
      %cst_54 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %148 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %149 = stablehlo.compare GT, %95, %148, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %150 = stablehlo.and %iterArg, %149 : tensor<4xi1>
      %151 = stablehlo.select %iterArg, %96, %iterArg_24 : tensor<4xi1>, tensor<4xf32>
      %152 = stablehlo.select %iterArg, %95, %iterArg_25 : tensor<4xi1>, tensor<4xf32>
      %153 = stablehlo.select %iterArg, %77, %iterArg_26 : tensor<4xi1>, tensor<4xf32>
      %154 = stablehlo.select %iterArg, %79, %iterArg_27 : tensor<4xi1>, tensor<4xf32>
      %155 = stablehlo.select %iterArg, %129, %iterArg_29 : tensor<4xi1>, tensor<4xf32>
      %156 = stablehlo.select %iterArg, %135, %iterArg_30 : tensor<4xi1>, tensor<4xf32>
      %157 = stablehlo.select %iterArg, %126, %iterArg_31 : tensor<4xi1>, tensor<4xf32>
      %158 = stablehlo.select %iterArg, %132, %iterArg_32 : tensor<4xi1>, tensor<4xf32>
      %159 = stablehlo.select %iterArg, %138, %iterArg_33 : tensor<4xi1>, tensor<4xf32>
      %160 = stablehlo.select %iterArg, %141, %iterArg_34 : tensor<4xi1>, tensor<4xf32>
      %161 = stablehlo.select %iterArg, %144, %iterArg_35 : tensor<4xi1>, tensor<4xf32>
      %162 = stablehlo.select %iterArg, %147, %iterArg_36 : tensor<4xi1>, tensor<4xf32>
      %163 = stablehlo.select %iterArg, %114, %iterArg_37 : tensor<4xi1>, tensor<4xf32>
      stablehlo.return %150, %151, %152, %153, %154, %75, %155, %156, %157, %158, %159, %160, %161, %162, %163 : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
    %65 = stablehlo.multiply %64#1, %35 : tensor<4xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %67 = stablehlo.subtract %66, %43 : tensor<4xf32>
    %68 = stablehlo.select %21, %67, %65 : tensor<4xi1>, tensor<4xf32>
    %69 = stablehlo.or %9, %5 : tensor<4xi1>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %71 = stablehlo.select %69, %70, %68 : tensor<4xi1>, tensor<4xf32>
    %cst_22 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %73 = stablehlo.select %17, %72, %71 : tensor<4xi1>, tensor<4xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.reduce(%73 init: %cst_23) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %74, %73 : tensor<f32>, tensor<4xf32>
  }
}

// gammainc/same float32
// 0.30000001192092896 2.5 7.25
// 0.7269576191902161 0.5841196179389954 0.5494128465652466
// -0.30256152153015137 -0.016761690378189087 -0.0034099072217941284
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %1 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %2 = stablehlo.or %0, %1 : tensor<3xi1>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %4 = stablehlo.compare EQ, %arg0, %3, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %6 = stablehlo.compare EQ, %arg0, %5, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %8 = stablehlo.compare EQ, %arg0, %7, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %10 = stablehlo.compare LT, %arg0, %9, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.compare LT, %arg0, %11, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %13 = stablehlo.and %6, %8 : tensor<3xi1>
    %14 = stablehlo.or %10, %12 : tensor<3xi1>
    %15 = stablehlo.or %14, %13 : tensor<3xi1>
    %16 = stablehlo.or %15, %2 : tensor<3xi1>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %18 = stablehlo.compare GE, %arg0, %17, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %19 = stablehlo.compare GT, %arg0, %arg0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %20 = stablehlo.and %18, %19 : tensor<3xi1>
    %21 = stablehlo.log %arg0 : tensor<3xf32>
    %22 = stablehlo.multiply %arg0, %21 : tensor<3xf32>
    %23 = stablehlo.subtract %22, %arg0 : tensor<3xf32>
    %24 = chlo.lgamma %arg0 : tensor<3xf32> -> tensor<3xf32>
    %25 = stablehlo.subtract %23, %24 : tensor<3xf32>
    %cst_5 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %26 = stablehlo.log %cst_5 : tensor<f32>
    %27 = stablehlo.negate %26 : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %29 = stablehlo.compare LT, %25, %28, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %30 = stablehlo.exponential %25 : tensor<3xf32>
    %31 = stablehlo.or %8, %16 : tensor<3xi1>
    %32 = stablehlo.or %31, %29 : tensor<3xi1>
    %33 = stablehlo.or %32, %4 : tensor<3xi1>
    %34 = stablehlo.not %33 : tensor<3xi1>
    %35 = stablehlo.and %34, %20 : tensor<3xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %37 = stablehlo.subtract %36, %arg0 : tensor<3xf32>
    %38 = stablehlo.add %arg0, %37 : tensor<3xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %40 = stablehlo.add %38, %39 : tensor<3xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %43 = stablehlo.add %arg0, %42 : tensor<3xf32>
    %44 = stablehlo.multiply %40, %arg0 : tensor<3xf32>
    %45 = stablehlo.divide %43, %44 : tensor<3xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %50 = stablehlo.negate %arg0 : tensor<3xf32>
    %51 = stablehlo.multiply %45, %50 : tensor<3xf32>
    %52 = stablehlo.subtract %49, %51 : tensor<3xf32>
    %53 = stablehlo.divide %52, %44 : tensor<3xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54:15 = stablehlo.while(%iterArg = %35, %iterArg_24 = %45, %iterArg_25 = %46, %iterArg_26 = %37, %iterArg_27 = %40, %iterArg_28 = %cst_14, %iterArg_29 = %43, %iterArg_30 = %44, %iterArg_31 = %41, %iterArg_32 = %arg0, %iterArg_33 = %47, %iterArg_34 = %48, %iterArg_35 = %49, %iterArg_36 = %50, %iterArg_37 = %53) : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %cst_38 = stablehlo.constant dense<2.000000e+03> : tensor<f32>
      %75 = stablehlo.compare LT, %iterArg_28, %cst_38, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %76 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      %77 = stablehlo.and %75, %76 : tensor<i1>
      stablehlo.return %77 : tensor<i1>
    } do {
      %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %75 = stablehlo.add %iterArg_28, %cst_38 : tensor<f32>
      %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %76 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %77 = stablehlo.add %iterArg_26, %76 : tensor<3xf32>
      %cst_40 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %78 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %79 = stablehlo.add %iterArg_27, %78 : tensor<3xf32>
      %80 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %81 = stablehlo.multiply %77, %80 : tensor<3xf32>
      %82 = stablehlo.multiply %iterArg_29, %79 : tensor<3xf32>
      %83 = stablehlo.multiply %iterArg_31, %81 : tensor<3xf32>
      %84 = stablehlo.subtract %82, %83 : tensor<3xf32>
      %85 = stablehlo.multiply %iterArg_30, %79 : tensor<3xf32>
      %86 = stablehlo.multiply %iterArg_32, %81 : tensor<3xf32>
      %87 = stablehlo.subtract %85, %86 : tensor<3xf32>
      %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %88 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %89 = stablehlo.compare NE, %87, %88, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %90 = stablehlo.divide %84, %87 : tensor<3xf32>
      %91 = stablehlo.subtract %iterArg_24, %90 : tensor<3xf32>
      %92 = stablehlo.divide %91, %90 : tensor<3xf32>
      %93 = stablehlo.abs %92 : tensor<3xf32>
      %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %94 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %95 = stablehlo.select %89, %93, %94 : tensor<3xi1>, tensor<3xf32>
      %96 = stablehlo.select %89, %90, %iterArg_24 : tensor<3xi1>, tensor<3xf32>
      %97 = stablehlo.multiply %iterArg_35, %79 : tensor<3xf32>
      %98 = stablehlo.subtract %97, %iterArg_29 : tensor<3xf32>
      %99 = stablehlo.multiply %iterArg_33, %81 : tensor<3xf32>
      %100 = stablehlo.subtract %98, %99 : tensor<3xf32>
      %101 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %102 = stablehlo.multiply %iterArg_31, %101 : tensor<3xf32>
      %103 = stablehlo.add %100, %102 : tensor<3xf32>
      %104 = stablehlo.multiply %iterArg_36, %79 : tensor<3xf32>
      %105 = stablehlo.subtract %104, %iterArg_30 : tensor<3xf32>
      %106 = stablehlo.multiply %iterArg_34, %81 : tensor<3xf32>
      %107 = stablehlo.subtract %105, %106 : tensor<3xf32>
      %108 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %109 = stablehlo.multiply %iterArg_32, %108 : tensor<3xf32>
      %110 = stablehlo.add %107, %109 : tensor<3xf32>
      %111 = stablehlo.multiply %96, %110 : tensor<3xf32>
      %112 = stablehlo.subtract %103, %111 : tensor<3xf32>
      %113 = stablehlo.divide %112, %87 : tensor<3xf32>
      %114 = stablehlo.select %89, %113, %iterArg_37 : tensor<3xi1>, tensor<3xf32>
      %115 = stablehlo.subtract %114, %iterArg_37 : tensor<3xf32>
      %116 = stablehlo.abs %115 : tensor<3xf32>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %117 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %118 = stablehlo.select %89, %116, %117 : tensor<3xi1>, tensor<3xf32>
      %119 = stablehlo.abs %84 : tensor<3xf32>
      %cst_44 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %120 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<f32>
      %121 = stablehlo.divide %120, %cst_44 : tensor<f32>
      %122 = stablehlo.broadcast_in_dim %121, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %123 = stablehlo.compare GT, %119, %122, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %cst_46 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %124 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %125 = stablehlo.multiply %iterArg_29, %124 : tensor<3xf32>
      %126 = stablehlo.select %123, %125, %iterArg_29 : tensor<3xi1>, tensor<3xf32>
      %cst_47 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %127 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %128 = stablehlo.multiply %84, %127 : tensor<3xf32>
      %129 = stablehlo.select %123, %128, %84 : tensor<3xi1>, tensor<3xf32>
      %cst_48 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %130 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %131 = stablehlo.multiply %iterArg_30, %130 : tensor<3xf32>
      %132 = stablehlo.select %123, %131, %iterArg_30 : tensor<3xi1>, tensor<3xf32>
      %cst_49 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %133 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %134 = stablehlo.multiply %87, %133 : tensor<3xf32>
      %135 = stablehlo.select %123, %134, %87 : tensor<3xi1>, tensor<3xf32>
      %cst_50 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %136 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %137 = stablehlo.multiply %iterArg_35, %136 : tensor<3xf32>
      %138 = stablehlo.select %123, %137, %iterArg_35 : tensor<3xi1>, tensor<3xf32>
      %cst_51 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %139 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %140 = stablehlo.multiply %iterArg_36, %139 : tensor<3xf32>
      %141 = stablehlo.select %123, %140, %iterArg_36 : tensor<3xi1>, tensor<3xf32>
      %cst_52 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %142 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %143 = stablehlo.multiply %103, %142 : tensor<3xf32>
      %144 = stablehlo.select %123, %143, %103 : tensor<3xi1>, tensor<3xf32>
      %cst_53 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %145 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %146 = stablehlo.multiply %110, %145 : tensor<3xf32>
      %147 = stablehlo.select %123, %146, %110 : tensor<3xi1>, tensor<3xf32>
      %cst_54 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %148 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %149 = stablehlo.compare GT, %95, %148, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %150 = stablehlo.and %iterArg, %149 : tensor<3xi1>
      %151 = stablehlo.select %iterArg, %96, %iterArg_24 : tensor<3xi1>, tensor<3xf32>
      %152 = stablehlo.select %iterArg, %95, %iterArg_25 : tensor<3xi1>, tensor<3xf32>
      %153 = stablehlo.select %iterArg, %77, %iterArg_26 : tensor<3xi1>, tensor<3xf32>
      %154 = stablehlo.select %iterArg, %79, %iterArg_27 : tensor<3xi1>, tensor<3xf32>
      %155 = stablehlo.select %iterArg, %129, %iterArg_29 : tensor<3xi1>, tensor<3xf32>
      %156 = stablehlo.select %iterArg, %135, %iterArg_30 : tensor<3xi1>, tensor<3xf32>
      %157 = stablehlo.select %iterArg, %126, %iterArg_31 : tensor<3xi1>, tensor<3xf32>
      %158 = stablehlo.select %iterArg, %132, %iterArg_32 : tensor<3xi1>, tensor<3xf32>
      %159 = stablehlo.select %iterArg, %138, %iterArg_33 : tensor<3xi1>, tensor<3xf32>
      %160 = stablehlo.select %iterArg, %141, %iterArg_34 : tensor<3xi1>, tensor<3xf32>
      %161 = stablehlo.select %iterArg, %144, %iterArg_35 : tensor<3xi1>, tensor<3xf32>
      %162 = stablehlo.select %iterArg, %147, %iterArg_36 : tensor<3xi1>, tensor<3xf32>
      %163 = stablehlo.select %iterArg, %114, %iterArg_37 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %150, %151, %152, %153, %154, %75, %155, %156, %157, %158, %159, %160, %161, %162, %163 : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %55 = stablehlo.multiply %54#1, %30 : tensor<3xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %57 = stablehlo.subtract %56, %55 : tensor<3xf32>
    %58 = stablehlo.not %20 : tensor<3xi1>
    %59 = stablehlo.and %34, %58 : tensor<3xi1>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %64:7 = stablehlo.while(%iterArg = %59, %iterArg_24 = %arg0, %iterArg_25 = %60, %iterArg_26 = %61, %iterArg_27 = %arg0, %iterArg_28 = %62, %iterArg_29 = %63) : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %75 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %75 : tensor<i1>
    } do {
      %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %75 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %76 = stablehlo.add %iterArg_24, %75 : tensor<3xf32>
      %77 = stablehlo.divide %iterArg_27, %76 : tensor<3xf32>
      %78 = stablehlo.multiply %iterArg_28, %77 : tensor<3xf32>
      %79 = stablehlo.multiply %iterArg_25, %iterArg_27 : tensor<3xf32>
      %80 = stablehlo.multiply %76, %76 : tensor<3xf32>
      %81 = stablehlo.divide %79, %80 : tensor<3xf32>
      %82 = stablehlo.subtract %78, %81 : tensor<3xf32>
      %83 = stablehlo.add %iterArg_29, %82 : tensor<3xf32>
      %84 = stablehlo.divide %iterArg_27, %76 : tensor<3xf32>
      %85 = stablehlo.multiply %iterArg_25, %84 : tensor<3xf32>
      %86 = stablehlo.add %iterArg_26, %85 : tensor<3xf32>
      %87 = stablehlo.divide %85, %86 : tensor<3xf32>
      %cst_31 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %88 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %89 = stablehlo.compare GT, %87, %88, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %90 = stablehlo.and %iterArg, %89 : tensor<3xi1>
      %91 = stablehlo.select %iterArg, %76, %iterArg_24 : tensor<3xi1>, tensor<3xf32>
      %92 = stablehlo.select %iterArg, %85, %iterArg_25 : tensor<3xi1>, tensor<3xf32>
      %93 = stablehlo.select %iterArg, %86, %iterArg_26 : tensor<3xi1>, tensor<3xf32>
      %94 = stablehlo.select %iterArg, %iterArg_27, %iterArg_27 : tensor<3xi1>, tensor<3xf32>
      %95 = stablehlo.select %iterArg, %82, %iterArg_28 : tensor<3xi1>, tensor<3xf32>
      %96 = stablehlo.select %iterArg, %83, %iterArg_29 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %90, %91, %92, %93, %94, %95, %96 : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %65 = stablehlo.multiply %64#3, %30 : tensor<3xf32>
    %66 = stablehlo.divide %65, %arg0 : tensor<3xf32>
    %67 = stablehlo.select %20, %57, %66 : tensor<3xi1>, tensor<3xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %69 = stablehlo.select %8, %68, %67 : tensor<3xi1>, tensor<3xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %71 = stablehlo.select %4, %70, %69 : tensor<3xi1>, tensor<3xf32>
    %cst_22 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %73 = stablehlo.select %16, %72, %71 : tensor<3xi1>, tensor<3xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.reduce(%73 init: %cst_23) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %74, %73 : tensor<f32>, tensor<3xf32>
  }
}

// chi2.cdf float32
// 0.5 1.0 2.5
// 0.5204994082450867 0.6826890110969543 0.8861537575721741
// 0.4393911361694336 0.24197064340114594 0.07228893041610718
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.divide %cst, %cst_0 : tensor<f32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.subtract %arg0, %1 : tensor<3xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %3 = stablehlo.multiply %cst_2, %cst_3 : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.divide %2, %4 : tensor<3xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_5 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %7 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %8 = stablehlo.clamp %6, %5, %7 : tensor<3xf32>
    %9 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %10 = stablehlo.compare NE, %9, %9, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %11 = stablehlo.compare NE, %8, %8, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %12 = stablehlo.or %10, %11 : tensor<3xi1>
    %cst_6 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %14 = stablehlo.compare EQ, %8, %13, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %16 = stablehlo.compare EQ, %9, %15, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %18 = stablehlo.compare EQ, %8, %17, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %20 = stablehlo.compare LT, %8, %19, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %22 = stablehlo.compare LT, %9, %21, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %23 = stablehlo.and %16, %18 : tensor<3xi1>
    %24 = stablehlo.or %20, %22 : tensor<3xi1>
    %25 = stablehlo.or %24, %23 : tensor<3xi1>
    %26 = stablehlo.or %25, %12 : tensor<3xi1>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %28 = stablehlo.compare GE, %8, %27, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %29 = stablehlo.compare GT, %8, %9, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %30 = stablehlo.and %28, %29 : tensor<3xi1>
    %31 = stablehlo.log %8 : tensor<3xf32>
    %32 = stablehlo.multiply %9, %31 : tensor<3xf32>
    %33 = stablehlo.subtract %32, %8 : tensor<3xf32>
    %34 = chlo.lgamma %9 : tensor<3xf32> -> tensor<3xf32>
    %35 = stablehlo.subtract %33, %34 : tensor<3xf32>
    %cst_12 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %36 = stablehlo.log %cst_12 : tensor<f32>
    %37 = stablehlo.negate %36 : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %39 = stablehlo.compare LT, %35, %38, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %40 = stablehlo.exponential %35 : tensor<3xf32>
    %41 = stablehlo.or %18, %26 : tensor<3xi1>
    %42 = stablehlo.or %41, %39 : tensor<3xi1>
    %43 = stablehlo.or %42, %14 : tensor<3xi1>
    %44 = stablehlo.not %43 : tensor<3xi1>
    %45 = stablehlo.and %44, %30 : tensor<3xi1>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %47 = stablehlo.subtract %46, %9 : tensor<3xf32>
    %48 = stablehlo.add %8, %47 : tensor<3xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %50 = stablehlo.add %48, %49 : tensor<3xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %53 = stablehlo.add %8, %52 : tensor<3xf32>
    %54 = stablehlo.multiply %50, %8 : tensor<3xf32>
    %55 = stablehlo.divide %53, %54 : tensor<3xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %60 = stablehlo.negate %8 : tensor<3xf32>
    %61 = stablehlo.multiply %55, %60 : tensor<3xf32>
    %62 = stablehlo.subtract %59, %61 : tensor<3xf32>
    %63 = stablehlo.divide %62, %54 : tensor<3xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64:15 = stablehlo.while(%iterArg = %45, %iterArg_31 = %55, %iterArg_32 = %56, %iterArg_33 = %47, %iterArg_34 = %50, %iterArg_35 = %cst_21, %iterArg_36 = %53, %iterArg_37 = %54, %iterArg_38 = %51, %iterArg_39 = %8, %iterArg_40 = %57, %iterArg_41 = %58, %iterArg_42 = %59, %iterArg_43 = %60, %iterArg_44 = %63) : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %cst_45 = stablehlo.constant dense<2.000000e+03> : tensor<f32>
      %85 = stablehlo.compare LT, %iterArg_35, %cst_45, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %86 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      %87 = stablehlo.and %85, %86 : tensor<i1>
      stablehlo.return %87 : tensor<i1>
    } do {
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %85 = stablehlo.add %iterArg_35, %cst_45 : tensor<f32>
      %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %86 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %87 = stablehlo.add %iterArg_33, %86 : tensor<3xf32>
      %cst_47 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %88 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %89 = stablehlo.add %iterArg_34, %88 : tensor<3xf32>
      %90 = stablehlo.broadcast_in_dim %85, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %91 = stablehlo.multiply %87, %90 : tensor<3xf32>
      %92 = stablehlo.multiply %iterArg_36, %89 : tensor<3xf32>
      %93 = stablehlo.multiply %iterArg_38, %91 : tensor<3xf32>
      %94 = stablehlo.subtract %92, %93 : tensor<3xf32>
      %95 = stablehlo.multiply %iterArg_37, %89 : tensor<3xf32>
      %96 = stablehlo.multiply %iterArg_39, %91 : tensor<3xf32>
      %97 = stablehlo.subtract %95, %96 : tensor<3xf32>
      %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %98 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %99 = stablehlo.compare NE, %97, %98, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %100 = stablehlo.divide %94, %97 : tensor<3xf32>
      %101 = stablehlo.subtract %iterArg_31, %100 : tensor<3xf32>
      %102 = stablehlo.divide %101, %100 : tensor<3xf32>
      %103 = stablehlo.abs %102 : tensor<3xf32>
      %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %104 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %105 = stablehlo.select %99, %103, %104 : tensor<3xi1>, tensor<3xf32>
      %106 = stablehlo.select %99, %100, %iterArg_31 : tensor<3xi1>, tensor<3xf32>
      %107 = stablehlo.multiply %iterArg_42, %89 : tensor<3xf32>
      %108 = stablehlo.subtract %107, %iterArg_36 : tensor<3xf32>
      %109 = stablehlo.multiply %iterArg_40, %91 : tensor<3xf32>
      %110 = stablehlo.subtract %108, %109 : tensor<3xf32>
      %111 = stablehlo.broadcast_in_dim %85, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %112 = stablehlo.multiply %iterArg_38, %111 : tensor<3xf32>
      %113 = stablehlo.add %110, %112 : tensor<3xf32>
      %114 = stablehlo.multiply %iterArg_43, %89 : tensor<3xf32>
      %115 = stablehlo.subtract %114, %iterArg_37 : tensor<3xf32>
      %116 = stablehlo.multiply %iterArg_41, %91 : tensor<3xf32>
      %117 = stablehlo.subtract %115, %116 : tensor<3xf32>
      %118 = stablehlo.broadcast_in_dim %85, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %119 = stablehlo.multiply %iterArg_39, %118 : tensor<3xf32>
      %120 = stablehlo.add %117, %119 : tensor<3xf32>
      %121 = stablehlo.multiply %106, %120 : tensor<3xf32>
      %122 = stablehlo.subtract %113, %121 : tensor<3xf32>
      %123 = stablehlo.divide %122, %97 : tensor<3xf32>
      %124 = stablehlo.select %99, %123, %iterArg_44 : tensor<3xi1>, tensor<3xf32>
      %125 = stablehlo.subtract %124, %iterArg_44 : tensor<3xf32>
      %126 = stablehlo.abs %125 : tensor<3xf32>
      %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %127 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %128 = stablehlo.select %99, %126, %127 : tensor<3xi1>, tensor<3xf32>
      %129 = stablehlo.abs %94 : tensor<3xf32>
      %cst_51 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %130 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<f32>
      %131 = stablehlo.divide %130, %cst_51 : tensor<f32>
      %132 = stablehlo.broadcast_in_dim %131, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %133 = stablehlo.compare GT, %129, %132, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %cst_53 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %134 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %135 = stablehlo.multiply %iterArg_36, %134 : tensor<3xf32>
      %136 = stablehlo.select %133, %135, %iterArg_36 : tensor<3xi1>, tensor<3xf32>
      %cst_54 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %137 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %138 = stablehlo.multiply %94, %137 : tensor<3xf32>
      %139 = stablehlo.select %133, %138, %94 : tensor<3xi1>, tensor<3xf32>
      %cst_55 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %140 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %141 = stablehlo.multiply %iterArg_37, %140 : tensor<3xf32>
      %142 = stablehlo.select %133, %141, %iterArg_37 : tensor<3xi1>, tensor<3xf32>
      %cst_56 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %143 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %144 = stablehlo.multiply %97, %143 : tensor<3xf32>
      %145 = stablehlo.select %133, %144, %97 : tensor<3xi1>, tensor<3xf32>
      %cst_57 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %146 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %147 = stablehlo.multiply %iterArg_42, %146 : tensor<3xf32>
      %148 = stablehlo.select %133, %147, %iterArg_42 : tensor<3xi1>, tensor<3xf32>
      %cst_58 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %149 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %150 = stablehlo.multiply %iterArg_43, %149 : tensor<3xf32>
      %151 = stablehlo.select %133, %150, %iterArg_43 : tensor<3xi1>, tensor<3xf32>
      %cst_59 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %152 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %153 = stablehlo.multiply %113, %152 : tensor<3xf32>
      %154 = stablehlo.select %133, %153, %113 : tensor<3xi1>, tensor<3xf32>
      %cst_60 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %155 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %156 = stablehlo.multiply %120, %155 : tensor<3xf32>
      %157 = stablehlo.select %133, %156, %120 : tensor<3xi1>, tensor<3xf32>
      %cst_61 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %158 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %159 = stablehlo.compare GT, %105, %158, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %160 = stablehlo.and %iterArg, %159 : tensor<3xi1>
      %161 = stablehlo.select %iterArg, %106, %iterArg_31 : tensor<3xi1>, tensor<3xf32>
      %162 = stablehlo.select %iterArg, %105, %iterArg_32 : tensor<3xi1>, tensor<3xf32>
      %163 = stablehlo.select %iterArg, %87, %iterArg_33 : tensor<3xi1>, tensor<3xf32>
      %164 = stablehlo.select %iterArg, %89, %iterArg_34 : tensor<3xi1>, tensor<3xf32>
      %165 = stablehlo.select %iterArg, %139, %iterArg_36 : tensor<3xi1>, tensor<3xf32>
      %166 = stablehlo.select %iterArg, %145, %iterArg_37 : tensor<3xi1>, tensor<3xf32>
      %167 = stablehlo.select %iterArg, %136, %iterArg_38 : tensor<3xi1>, tensor<3xf32>
      %168 = stablehlo.select %iterArg, %142, %iterArg_39 : tensor<3xi1>, tensor<3xf32>
      %169 = stablehlo.select %iterArg, %148, %iterArg_40 : tensor<3xi1>, tensor<3xf32>
      %170 = stablehlo.select %iterArg, %151, %iterArg_41 : tensor<3xi1>, tensor<3xf32>
      %171 = stablehlo.select %iterArg, %154, %iterArg_42 : tensor<3xi1>, tensor<3xf32>
      %172 = stablehlo.select %iterArg, %157, %iterArg_43 : tensor<3xi1>, tensor<3xf32>
      %173 = stablehlo.select %iterArg, %124, %iterArg_44 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %160, %161, %162, %163, %164, %85, %165, %166, %167, %168, %169, %170, %171, %172, %173 : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %65 = stablehlo.multiply %64#1, %40 : tensor<3xf32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %67 = stablehlo.subtract %66, %65 : tensor<3xf32>
    %68 = stablehlo.not %30 : tensor<3xi1>
    %69 = stablehlo.and %44, %68 : tensor<3xi1>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %74:7 = stablehlo.while(%iterArg = %69, %iterArg_31 = %9, %iterArg_32 = %70, %iterArg_33 = %71, %iterArg_34 = %8, %iterArg_35 = %72, %iterArg_36 = %73) : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %85 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %85 : tensor<i1>
    } do {
      %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %85 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %86 = stablehlo.add %iterArg_31, %85 : tensor<3xf32>
      %87 = stablehlo.divide %iterArg_34, %86 : tensor<3xf32>
      %88 = stablehlo.multiply %iterArg_35, %87 : tensor<3xf32>
      %89 = stablehlo.multiply %iterArg_32, %iterArg_34 : tensor<3xf32>
      %90 = stablehlo.multiply %86, %86 : tensor<3xf32>
      %91 = stablehlo.divide %89, %90 : tensor<3xf32>
      %92 = stablehlo.subtract %88, %91 : tensor<3xf32>
      %93 = stablehlo.add %iterArg_36, %92 : tensor<3xf32>
      %94 = stablehlo.divide %iterArg_34, %86 : tensor<3xf32>
      %95 = stablehlo.multiply %iterArg_32, %94 : tensor<3xf32>
      %96 = stablehlo.add %iterArg_33, %95 : tensor<3xf32>
      %97 = stablehlo.divide %95, %96 : tensor<3xf32>
      %cst_38 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %98 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %99 = stablehlo.compare GT, %97, %98, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %100 = stablehlo.and %iterArg, %99 : tensor<3xi1>
      %101 = stablehlo.select %iterArg, %86, %iterArg_31 : tensor<3xi1>, tensor<3xf32>
      %102 = stablehlo.select %iterArg, %95, %iterArg_32 : tensor<3xi1>, tensor<3xf32>
      %103 = stablehlo.select %iterArg, %96, %iterArg_33 : tensor<3xi1>, tensor<3xf32>
      %104 = stablehlo.select %iterArg, %iterArg_34, %iterArg_34 : tensor<3xi1>, tensor<3xf32>
      %105 = stablehlo.select %iterArg, %92, %iterArg_35 : tensor<3xi1>, tensor<3xf32>
      %106 = stablehlo.select %iterArg, %93, %iterArg_36 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %100, %101, %102, %103, %104, %105, %106 : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %75 = stablehlo.multiply %74#3, %40 : tensor<3xf32>
    %76 = stablehlo.divide %75, %9 : tensor<3xf32>
    %77 = stablehlo.select %30, %67, %76 : tensor<3xi1>, tensor<3xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %79 = stablehlo.select %18, %78, %77 : tensor<3xi1>, tensor<3xf32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %81 = stablehlo.select %14, %80, %79 : tensor<3xi1>, tensor<3xf32>
    %cst_29 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %83 = stablehlo.select %26, %82, %81 : tensor<3xi1>, tensor<3xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_30) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %84, %83 : tensor<f32>, tensor<3xf32>
  }
}

// gamma.logcdf float32
// 0.5 1.0 2.5
// -0.3817148804664612 -0.9327526092529297 -3.285169839859009
// -0.9480158090591431 -1.243953824043274 -1.8393747806549072
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.subtract %cst, %cst_0 : tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.divide %0, %cst_1 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %2 = stablehlo.clamp %cst_2, %1, %cst_3 : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %4 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %5 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %6 = stablehlo.or %4, %5 : tensor<3xi1>
    %cst_4 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %8 = stablehlo.compare EQ, %3, %7, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %10 = stablehlo.compare EQ, %arg0, %9, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.compare EQ, %3, %11, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %14 = stablehlo.compare LT, %3, %13, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %16 = stablehlo.compare LT, %arg0, %15, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %17 = stablehlo.and %10, %12 : tensor<3xi1>
    %18 = stablehlo.or %14, %16 : tensor<3xi1>
    %19 = stablehlo.or %18, %17 : tensor<3xi1>
    %20 = stablehlo.or %19, %6 : tensor<3xi1>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %22 = stablehlo.compare GE, %3, %21, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %23 = stablehlo.compare GT, %3, %arg0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %24 = stablehlo.and %22, %23 : tensor<3xi1>
    %25 = stablehlo.log %3 : tensor<3xf32>
    %26 = stablehlo.multiply %arg0, %25 : tensor<3xf32>
    %27 = stablehlo.subtract %26, %3 : tensor<3xf32>
    %28 = chlo.lgamma %arg0 : tensor<3xf32> -> tensor<3xf32>
    %29 = stablehlo.subtract %27, %28 : tensor<3xf32>
    %cst_10 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %30 = stablehlo.log %cst_10 : tensor<f32>
    %31 = stablehlo.negate %30 : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %33 = stablehlo.compare LT, %29, %32, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %34 = stablehlo.exponential %29 : tensor<3xf32>
    %35 = stablehlo.or %12, %20 : tensor<3xi1>
    %36 = stablehlo.or %35, %33 : tensor<3xi1>
    %37 = stablehlo.or %36, %8 : tensor<3xi1>
    %38 = stablehlo.not %37 : tensor<3xi1>
    %39 = stablehlo.and %38, %24 : tensor<3xi1>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %41 = stablehlo.subtract %40, %arg0 : tensor<3xf32>
    %42 = stablehlo.add %3, %41 : tensor<3xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %44 = stablehlo.add %42, %43 : tensor<3xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %47 = stablehlo.add %3, %46 : tensor<3xf32>
    %48 = stablehlo.multiply %44, %3 : tensor<3xf32>
    %49 = stablehlo.divide %47, %48 : tensor<3xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %54 = stablehlo.negate %3 : tensor<3xf32>
    %55 = stablehlo.multiply %49, %54 : tensor<3xf32>
    %56 = stablehlo.subtract %53, %55 : tensor<3xf32>
    %57 = stablehlo.divide %56, %48 : tensor<3xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58:15 = stablehlo.while(%iterArg = %39, %iterArg_29 = %49, %iterArg_30 = %50, %iterArg_31 = %41, %iterArg_32 = %44, %iterArg_33 = %cst_19, %iterArg_34 = %47, %iterArg_35 = %48, %iterArg_36 = %45, %iterArg_37 = %3, %iterArg_38 = %51, %iterArg_39 = %52, %iterArg_40 = %53, %iterArg_41 = %54, %iterArg_42 = %57) : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %cst_43 = stablehlo.constant dense<2.000000e+03> : tensor<f32>
      %80 = stablehlo.compare LT, %iterArg_33, %cst_43, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %81 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      %82 = stablehlo.and %80, %81 : tensor<i1>
      stablehlo.return %82 : tensor<i1>
    } do {
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %80 = stablehlo.add %iterArg_33, %cst_43 : tensor<f32>
      %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %81 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %82 = stablehlo.add %iterArg_31, %81 : tensor<3xf32>
      %cst_45 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %83 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %84 = stablehlo.add %iterArg_32, %83 : tensor<3xf32>
      %85 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %86 = stablehlo.multiply %82, %85 : tensor<3xf32>
      %87 = stablehlo.multiply %iterArg_34, %84 : tensor<3xf32>
      %88 = stablehlo.multiply %iterArg_36, %86 : tensor<3xf32>
      %89 = stablehlo.subtract %87, %88 : tensor<3xf32>
      %90 = stablehlo.multiply %iterArg_35, %84 : tensor<3xf32>
      %91 = stablehlo.multiply %iterArg_37, %86 : tensor<3xf32>
      %92 = stablehlo.subtract %90, %91 : tensor<3xf32>
      %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %93 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %94 = stablehlo.compare NE, %92, %93, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %95 = stablehlo.divide %89, %92 : tensor<3xf32>
      %96 = stablehlo.subtract %iterArg_29, %95 : tensor<3xf32>
      %97 = stablehlo.divide %96, %95 : tensor<3xf32>
      %98 = stablehlo.abs %97 : tensor<3xf32>
      %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %99 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %100 = stablehlo.select %94, %98, %99 : tensor<3xi1>, tensor<3xf32>
      %101 = stablehlo.select %94, %95, %iterArg_29 : tensor<3xi1>, tensor<3xf32>
      %102 = stablehlo.multiply %iterArg_40, %84 : tensor<3xf32>
      %103 = stablehlo.subtract %102, %iterArg_34 : tensor<3xf32>
      %104 = stablehlo.multiply %iterArg_38, %86 : tensor<3xf32>
      %105 = stablehlo.subtract %103, %104 : tensor<3xf32>
      %106 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %107 = stablehlo.multiply %iterArg_36, %106 : tensor<3xf32>
      %108 = stablehlo.add %105, %107 : tensor<3xf32>
      %109 = stablehlo.multiply %iterArg_41, %84 : tensor<3xf32>
      %110 = stablehlo.subtract %109, %iterArg_35 : tensor<3xf32>
      %111 = stablehlo.multiply %iterArg_39, %86 : tensor<3xf32>
      %112 = stablehlo.subtract %110, %111 : tensor<3xf32>
      %113 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %114 = stablehlo.multiply %iterArg_37, %113 : tensor<3xf32>
      %115 = stablehlo.add %112, %114 : tensor<3xf32>
      %116 = stablehlo.multiply %101, %115 : tensor<3xf32>
      %117 = stablehlo.subtract %108, %116 : tensor<3xf32>
      %118 = stablehlo.divide %117, %92 : tensor<3xf32>
      %119 = stablehlo.select %94, %118, %iterArg_42 : tensor<3xi1>, tensor<3xf32>
      %120 = stablehlo.subtract %119, %iterArg_42 : tensor<3xf32>
      %121 = stablehlo.abs %120 : tensor<3xf32>
      %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %122 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %123 = stablehlo.select %94, %121, %122 : tensor<3xi1>, tensor<3xf32>
      %124 = stablehlo.abs %89 : tensor<3xf32>
      %cst_49 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %125 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<f32>
      %126 = stablehlo.divide %125, %cst_49 : tensor<f32>
      %127 = stablehlo.broadcast_in_dim %126, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %128 = stablehlo.compare GT, %124, %127, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %cst_51 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %129 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %130 = stablehlo.multiply %iterArg_34, %129 : tensor<3xf32>
      %131 = stablehlo.select %128, %130, %iterArg_34 : tensor<3xi1>, tensor<3xf32>
      %cst_52 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %132 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %133 = stablehlo.multiply %89, %132 : tensor<3xf32>
      %134 = stablehlo.select %128, %133, %89 : tensor<3xi1>, tensor<3xf32>
      %cst_53 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %135 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %136 = stablehlo.multiply %iterArg_35, %135 : tensor<3xf32>
      %137 = stablehlo.select %128, %136, %iterArg_35 : tensor<3xi1>, tensor<3xf32>
      %cst_54 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %138 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %139 = stablehlo.multiply %92, %138 : tensor<3xf32>
      %140 = stablehlo.select %128, %139, %92 : tensor<3xi1>, tensor<3xf32>
      %cst_55 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %141 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %142 = stablehlo.multiply %iterArg_40, %141 : tensor<3xf32>
      %143 = stablehlo.select %128, %142, %iterArg_40 : tensor<3xi1>, tensor<3xf32>
      %cst_56 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %144 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %145 = stablehlo.multiply %iterArg_41, %144 : tensor<3xf32>
      %146 = stablehlo.select %128, %145, %iterArg_41 : tensor<3xi1>, tensor<3xf32>
      %cst_57 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %147 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %148 = stablehlo.multiply %108, %147 : tensor<3xf32>
      %149 = stablehlo.select %128, %148, %108 : tensor<3xi1>, tensor<3xf32>
      %cst_58 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %150 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %151 = stablehlo.multiply %115, %150 : tensor<3xf32>
      %152 = stablehlo.select %128, %151, %115 : tensor<3xi1>, tensor<3xf32>
      %cst_59 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %153 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %154 = stablehlo.compare GT, %100, %153, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %155 = stablehlo.and %iterArg, %154 : tensor<3xi1>
      %156 = stablehlo.select %iterArg, %101, %iterArg_29 : tensor<3xi1>, tensor<3xf32>
      %157 = stablehlo.select %iterArg, %100, %iterArg_30 : tensor<3xi1>, tensor<3xf32>
      %158 = stablehlo.select %iterArg, %82, %iterArg_31 : tensor<3xi1>, tensor<3xf32>
      %159 = stablehlo.select %iterArg, %84, %iterArg_32 : tensor<3xi1>, tensor<3xf32>
      %160 = stablehlo.select %iterArg, %134, %iterArg_34 : tensor<3xi1>, tensor<3xf32>
      %161 = stablehlo.select %iterArg, %140, %iterArg_35 : tensor<3xi1>, tensor<3xf32>
      %162 = stablehlo.select %iterArg, %131, %iterArg_36 : tensor<3xi1>, tensor<3xf32>
      %163 = stablehlo.select %iterArg, %137, %iterArg_37 : tensor<3xi1>, tensor<3xf32>
      %164 = stablehlo.select %iterArg, %143, %iterArg_38 : tensor<3xi1>, tensor<3xf32>
      %165 = stablehlo.select %iterArg, %146, %iterArg_39 : tensor<3xi1>, tensor<3xf32>
      %166 = stablehlo.select %iterArg, %149, %iterArg_40 : tensor<3xi1>, tensor<3xf32>
      %167 = stablehlo.select %iterArg, %152, %iterArg_41 : tensor<3xi1>, tensor<3xf32>
      %168 = stablehlo.select %iterArg, %119, %iterArg_42 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %155, %156, %157, %158, %159, %80, %160, %161, %162, %163, %164, %165, %166, %167, %168 : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %59 = stablehlo.multiply %58#1, %34 : tensor<3xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %61 = stablehlo.subtract %60, %59 : tensor<3xf32>
    %62 = stablehlo.not %24 : tensor<3xi1>
    %63 = stablehlo.and %38, %62 : tensor<3xi1>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %68:7 = stablehlo.while(%iterArg = %63, %iterArg_29 = %arg0, %iterArg_30 = %64, %iterArg_31 = %65, %iterArg_32 = %3, %iterArg_33 = %66, %iterArg_34 = %67) : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %80 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %80 : tensor<i1>
    } do {
      %cst_35 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %80 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %81 = stablehlo.add %iterArg_29, %80 : tensor<3xf32>
      %82 = stablehlo.divide %iterArg_32, %81 : tensor<3xf32>
      %83 = stablehlo.multiply %iterArg_33, %82 : tensor<3xf32>
      %84 = stablehlo.multiply %iterArg_30, %iterArg_32 : tensor<3xf32>
      %85 = stablehlo.multiply %81, %81 : tensor<3xf32>
      %86 = stablehlo.divide %84, %85 : tensor<3xf32>
      %87 = stablehlo.subtract %83, %86 : tensor<3xf32>
      %88 = stablehlo.add %iterArg_34, %87 : tensor<3xf32>
      %89 = stablehlo.divide %iterArg_32, %81 : tensor<3xf32>
      %90 = stablehlo.multiply %iterArg_30, %89 : tensor<3xf32>
      %91 = stablehlo.add %iterArg_31, %90 : tensor<3xf32>
      %92 = stablehlo.divide %90, %91 : tensor<3xf32>
      %cst_36 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %93 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %94 = stablehlo.compare GT, %92, %93, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %95 = stablehlo.and %iterArg, %94 : tensor<3xi1>
      %96 = stablehlo.select %iterArg, %81, %iterArg_29 : tensor<3xi1>, tensor<3xf32>
      %97 = stablehlo.select %iterArg, %90, %iterArg_30 : tensor<3xi1>, tensor<3xf32>
      %98 = stablehlo.select %iterArg, %91, %iterArg_31 : tensor<3xi1>, tensor<3xf32>
      %99 = stablehlo.select %iterArg, %iterArg_32, %iterArg_32 : tensor<3xi1>, tensor<3xf32>
      %100 = stablehlo.select %iterArg, %87, %iterArg_33 : tensor<3xi1>, tensor<3xf32>
      %101 = stablehlo.select %iterArg, %88, %iterArg_34 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %95, %96, %97, %98, %99, %100, %101 : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %69 = stablehlo.multiply %68#3, %34 : tensor<3xf32>
    %70 = stablehlo.divide %69, %arg0 : tensor<3xf32>
    %71 = stablehlo.select %24, %61, %70 : tensor<3xi1>, tensor<3xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %73 = stablehlo.select %12, %72, %71 : tensor<3xi1>, tensor<3xf32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %75 = stablehlo.select %8, %74, %73 : tensor<3xi1>, tensor<3xf32>
    %cst_27 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %77 = stablehlo.select %20, %76, %75 : tensor<3xi1>, tensor<3xf32>
    %78 = stablehlo.log %77 : tensor<3xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.reduce(%78 init: %cst_28) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %79, %78 : tensor<f32>, tensor<3xf32>
  }
}

// poisson.cdf float32
// 0.5 2.0 20.0
// 0.9982483983039856 0.8571235537528992 3.2037171422416577e-06
// -0.012636043131351471 -0.18044689297676086 -2.7482024052005727e-06
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.subtract %cst, %cst_0 : tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.add %cst_1, %0 : tensor<f32>
    %2 = stablehlo.floor %1 : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %5 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %6 = stablehlo.or %4, %5 : tensor<3xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %8 = stablehlo.compare EQ, %3, %7, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %10 = stablehlo.compare EQ, %arg0, %9, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_4 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.compare EQ, %arg0, %11, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %14 = stablehlo.compare LT, %arg0, %13, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %16 = stablehlo.compare LT, %3, %15, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %17 = stablehlo.and %8, %10 : tensor<3xi1>
    %18 = stablehlo.or %14, %16 : tensor<3xi1>
    %19 = stablehlo.or %18, %17 : tensor<3xi1>
    %20 = stablehlo.or %19, %6 : tensor<3xi1>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %22 = stablehlo.compare LT, %arg0, %21, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %23 = stablehlo.compare LT, %arg0, %3, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %24 = stablehlo.or %22, %23 : tensor<3xi1>
    %25 = stablehlo.log %arg0 : tensor<3xf32>
    %26 = stablehlo.multiply %3, %25 : tensor<3xf32>
    %27 = stablehlo.subtract %26, %arg0 : tensor<3xf32>
    %28 = chlo.lgamma %3 : tensor<3xf32> -> tensor<3xf32>
    %29 = stablehlo.subtract %27, %28 : tensor<3xf32>
    %cst_8 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %30 = stablehlo.log %cst_8 : tensor<f32>
    %31 = stablehlo.negate %30 : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %33 = stablehlo.compare LT, %29, %32, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %34 = stablehlo.or %20, %33 : tensor<3xi1>
    %35 = stablehlo.or %34, %12 : tensor<3xi1>
    %36 = stablehlo.or %35, %8 : tensor<3xi1>
    %37 = stablehlo.not %36 : tensor<3xi1>
    %38 = stablehlo.exponential %29 : tensor<3xf32>
    %39 = stablehlo.and %37, %24 : tensor<3xi1>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %44:7 = stablehlo.while(%iterArg = %39, %iterArg_28 = %3, %iterArg_29 = %40, %iterArg_30 = %41, %iterArg_31 = %arg0, %iterArg_32 = %42, %iterArg_33 = %43) : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %80 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %80 : tensor<i1>
    } do {
      %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %80 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %81 = stablehlo.add %iterArg_28, %80 : tensor<3xf32>
      %82 = stablehlo.divide %iterArg_31, %81 : tensor<3xf32>
      %83 = stablehlo.multiply %iterArg_32, %82 : tensor<3xf32>
      %84 = stablehlo.multiply %iterArg_29, %iterArg_31 : tensor<3xf32>
      %85 = stablehlo.multiply %81, %81 : tensor<3xf32>
      %86 = stablehlo.divide %84, %85 : tensor<3xf32>
      %87 = stablehlo.subtract %83, %86 : tensor<3xf32>
      %88 = stablehlo.add %iterArg_33, %87 : tensor<3xf32>
      %89 = stablehlo.divide %iterArg_31, %81 : tensor<3xf32>
      %90 = stablehlo.multiply %iterArg_29, %89 : tensor<3xf32>
      %91 = stablehlo.add %iterArg_30, %90 : tensor<3xf32>
      %92 = stablehlo.divide %90, %91 : tensor<3xf32>
      %cst_35 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %93 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %94 = stablehlo.compare GT, %92, %93, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %95 = stablehlo.and %iterArg, %94 : tensor<3xi1>
      %96 = stablehlo.select %iterArg, %81, %iterArg_28 : tensor<3xi1>, tensor<3xf32>
      %97 = stablehlo.select %iterArg, %90, %iterArg_29 : tensor<3xi1>, tensor<3xf32>
      %98 = stablehlo.select %iterArg, %91, %iterArg_30 : tensor<3xi1>, tensor<3xf32>
      %99 = stablehlo.select %iterArg, %iterArg_31, %iterArg_31 : tensor<3xi1>, tensor<3xf32>
      %100 = stablehlo.select %iterArg, %87, %iterArg_32 : tensor<3xi1>, tensor<3xf32>
      %101 = stablehlo.select %iterArg, %88, %iterArg_33 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %95, %96, %97, %98, %99, %100, %101 : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %45 = stablehlo.multiply %44#3, %38 : tensor<3xf32>
    %46 = stablehlo.divide %45, %3 : tensor<3xf32>
    %47 = stablehlo.not %24 : tensor<3xi1>
    %48 = stablehlo.and %37, %47 : tensor<3xi1>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %50 = stablehlo.subtract %49, %3 : tensor<3xf32>
    %51 = stablehlo.add %arg0, %50 : tensor<3xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %53 = stablehlo.add %51, %52 : tensor<3xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %56 = stablehlo.add %arg0, %55 : tensor<3xf32>
    %57 = stablehlo.multiply %53, %arg0 : tensor<3xf32>
    %58 = stablehlo.divide %56, %57 : tensor<3xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %63 = stablehlo.negate %arg0 : tensor<3xf32>
    %64 = stablehlo.multiply %58, %63 : tensor<3xf32>
    %65 = stablehlo.subtract %62, %64 : tensor<3xf32>
    %66 = stablehlo.divide %65, %57 : tensor<3xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67:15 = stablehlo.while(%iterArg = %48, %iterArg_28 = %58, %iterArg_29 = %59, %iterArg_30 = %50, %iterArg_31 = %53, %iterArg_32 = %cst_21, %iterArg_33 = %56, %iterArg_34 = %57, %iterArg_35 = %54, %iterArg_36 = %arg0, %iterArg_37 = %60, %iterArg_38 = %61, %iterArg_39 = %62, %iterArg_40 = %63, %iterArg_41 = %66) : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    cond {
      %cst_42 = stablehlo.constant dense<2.000000e+03> : tensor<f32>
      %80 = stablehlo.compare LT, %iterArg_32, %cst_42, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %81 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      %82 = stablehlo.and %80, %81 : tensor<i1>
      stablehlo.return %82 : tensor<i1>
    } do {
      %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %80 = stablehlo.add %iterArg_32, %cst_42 : tensor<f32>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %81 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %82 = stablehlo.add %iterArg_30, %81 : tensor<3xf32>
      %cst_44 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %83 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %84 = stablehlo.add %iterArg_31, %83 : tensor<3xf32>
      %85 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %86 = stablehlo.multiply %82, %85 : tensor<3xf32>
      %87 = stablehlo.multiply %iterArg_33, %84 : tensor<3xf32>
      %88 = stablehlo.multiply %iterArg_35, %86 : tensor<3xf32>
      %89 = stablehlo.subtract %87, %88 : tensor<3xf32>
      %90 = stablehlo.multiply %iterArg_34, %84 : tensor<3xf32>
      %91 = stablehlo.multiply %iterArg_36, %86 : tensor<3xf32>
      %92 = stablehlo.subtract %90, %91 : tensor<3xf32>
      %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %93 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %94 = stablehlo.compare NE, %92, %93, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %95 = stablehlo.divide %89, %92 : tensor<3xf32>
      %96 = stablehlo.subtract %iterArg_28, %95 : tensor<3xf32>
      %97 = stablehlo.divide %96, %95 : tensor<3xf32>
      %98 = stablehlo.abs %97 : tensor<3xf32>
      %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %99 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %100 = stablehlo.select %94, %98, %99 : tensor<3xi1>, tensor<3xf32>
      %101 = stablehlo.select %94, %95, %iterArg_28 : tensor<3xi1>, tensor<3xf32>
      %102 = stablehlo.multiply %iterArg_39, %84 : tensor<3xf32>
      %103 = stablehlo.subtract %102, %iterArg_33 : tensor<3xf32>
      %104 = stablehlo.multiply %iterArg_37, %86 : tensor<3xf32>
      %105 = stablehlo.subtract %103, %104 : tensor<3xf32>
      %106 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %107 = stablehlo.multiply %iterArg_35, %106 : tensor<3xf32>
      %108 = stablehlo.add %105, %107 : tensor<3xf32>
      %109 = stablehlo.multiply %iterArg_40, %84 : tensor<3xf32>
      %110 = stablehlo.subtract %109, %iterArg_34 : tensor<3xf32>
      %111 = stablehlo.multiply %iterArg_38, %86 : tensor<3xf32>
      %112 = stablehlo.subtract %110, %111 : tensor<3xf32>
      %113 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %114 = stablehlo.multiply %iterArg_36, %113 : tensor<3xf32>
      %115 = stablehlo.add %112, %114 : tensor<3xf32>
      %116 = stablehlo.multiply %101, %115 : tensor<3xf32>
      %117 = stablehlo.subtract %108, %116 : tensor<3xf32>
      %118 = stablehlo.divide %117, %92 : tensor<3xf32>
      %119 = stablehlo.select %94, %118, %iterArg_41 : tensor<3xi1>, tensor<3xf32>
      %120 = stablehlo.subtract %119, %iterArg_41 : tensor<3xf32>
      %121 = stablehlo.abs %120 : tensor<3xf32>
      %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %122 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %123 = stablehlo.select %94, %121, %122 : tensor<3xi1>, tensor<3xf32>
      %124 = stablehlo.abs %89 : tensor<3xf32>
      %cst_48 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %125 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<f32>
      %126 = stablehlo.divide %125, %cst_48 : tensor<f32>
      %127 = stablehlo.broadcast_in_dim %126, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %128 = stablehlo.compare GT, %124, %127, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %cst_50 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %129 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %130 = stablehlo.multiply %iterArg_33, %129 : tensor<3xf32>
      %131 = stablehlo.select %128, %130, %iterArg_33 : tensor<3xi1>, tensor<3xf32>
      %cst_51 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %132 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %133 = stablehlo.multiply %89, %132 : tensor<3xf32>
      %134 = stablehlo.select %128, %133, %89 : tensor<3xi1>, tensor<3xf32>
      %cst_52 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %135 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %136 = stablehlo.multiply %iterArg_34, %135 : tensor<3xf32>
      %137 = stablehlo.select %128, %136, %iterArg_34 : tensor<3xi1>, tensor<3xf32>
      %cst_53 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %138 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %139 = stablehlo.multiply %92, %138 : tensor<3xf32>
      %140 = stablehlo.select %128, %139, %92 : tensor<3xi1>, tensor<3xf32>
      %cst_54 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %141 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %142 = stablehlo.multiply %iterArg_39, %141 : tensor<3xf32>
      %143 = stablehlo.select %128, %142, %iterArg_39 : tensor<3xi1>, tensor<3xf32>
      %cst_55 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %144 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %145 = stablehlo.multiply %iterArg_40, %144 : tensor<3xf32>
      %146 = stablehlo.select %128, %145, %iterArg_40 : tensor<3xi1>, tensor<3xf32>
      %cst_56 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %147 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %148 = stablehlo.multiply %108, %147 : tensor<3xf32>
      %149 = stablehlo.select %128, %148, %108 : tensor<3xi1>, tensor<3xf32>
      %cst_57 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %150 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %151 = stablehlo.multiply %115, %150 : tensor<3xf32>
      %152 = stablehlo.select %128, %151, %115 : tensor<3xi1>, tensor<3xf32>
      %cst_58 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %153 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %154 = stablehlo.compare GT, %100, %153, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %155 = stablehlo.and %iterArg, %154 : tensor<3xi1>
      %156 = stablehlo.select %iterArg, %101, %iterArg_28 : tensor<3xi1>, tensor<3xf32>
      %157 = stablehlo.select %iterArg, %100, %iterArg_29 : tensor<3xi1>, tensor<3xf32>
      %158 = stablehlo.select %iterArg, %82, %iterArg_30 : tensor<3xi1>, tensor<3xf32>
      %159 = stablehlo.select %iterArg, %84, %iterArg_31 : tensor<3xi1>, tensor<3xf32>
      %160 = stablehlo.select %iterArg, %134, %iterArg_33 : tensor<3xi1>, tensor<3xf32>
      %161 = stablehlo.select %iterArg, %140, %iterArg_34 : tensor<3xi1>, tensor<3xf32>
      %162 = stablehlo.select %iterArg, %131, %iterArg_35 : tensor<3xi1>, tensor<3xf32>
      %163 = stablehlo.select %iterArg, %137, %iterArg_36 : tensor<3xi1>, tensor<3xf32>
      %164 = stablehlo.select %iterArg, %143, %iterArg_37 : tensor<3xi1>, tensor<3xf32>
      %165 = stablehlo.select %iterArg, %146, %iterArg_38 : tensor<3xi1>, tensor<3xf32>
      %166 = stablehlo.select %iterArg, %149, %iterArg_39 : tensor<3xi1>, tensor<3xf32>
      %167 = stablehlo.select %iterArg, %152, %iterArg_40 : tensor<3xi1>, tensor<3xf32>
      %168 = stablehlo.select %iterArg, %119, %iterArg_41 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %155, %156, %157, %158, %159, %80, %160, %161, %162, %163, %164, %165, %166, %167, %168 : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
    }
    %68 = stablehlo.multiply %67#1, %38 : tensor<3xf32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %70 = stablehlo.subtract %69, %46 : tensor<3xf32>
    %71 = stablehlo.select %24, %70, %68 : tensor<3xi1>, tensor<3xf32>
    %72 = stablehlo.or %12, %8 : tensor<3xi1>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %74 = stablehlo.select %72, %73, %71 : tensor<3xi1>, tensor<3xf32>
    %cst_24 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %76 = stablehlo.select %20, %75, %74 : tensor<3xi1>, tensor<3xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.compare LT, %0, %cst_25, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = call @_where(%77, %cst_26, %76) : (tensor<i1>, tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.reduce(%78 init: %cst_27) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %79, %78 : tensor<f32>, tensor<3xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<i1>, tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}

// poch/number float32
// 0.30000001192092896 1.0 2.5
// 0.3900001347064972 1.9999995231628418 8.75001335144043
// 1.6000006198883057 2.9999985694885254 6.000010967254639
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.convert %cst : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.compare EQ, %0, %cst_0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.add %arg0, %2 : tensor<3xf32>
    %4 = call @gammasgn(%3) : (tensor<3xf32>) -> tensor<3xf32>
    %5 = chlo.lgamma %3 : tensor<3xf32> -> tensor<3xf32>
    %6 = stablehlo.exponential %5 : tensor<3xf32>
    %7 = stablehlo.multiply %4, %6 : tensor<3xf32>
    %8 = call @gammasgn(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    %9 = chlo.lgamma %arg0 : tensor<3xf32> -> tensor<3xf32>
    %10 = stablehlo.exponential %9 : tensor<3xf32>
    %11 = stablehlo.multiply %8, %10 : tensor<3xf32>
    %12 = stablehlo.divide %7, %11 : tensor<3xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = call @_where(%1, %cst_1, %12) : (tensor<i1>, tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %14, %13 : tensor<f32>, tensor<3xf32>
  }
  func.func private @gammasgn(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.floor %arg0 : tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.compare LT, %arg0, %1, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %3 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %4 = stablehlo.and %2, %3 : tensor<3xi1>
    %5 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %6 = stablehlo.or %4, %5 : tensor<3xi1>
    %c = stablehlo.constant dense<2> : tensor<i32>
    %7 = call @remainder(%0, %c) : (tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %9 = stablehlo.compare NE, %7, %8, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %10 = stablehlo.and %2, %9 : tensor<3xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.compare EQ, %arg0, %11, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %13 = call @signbit(%arg0) : (tensor<3xf32>) -> tensor<3xi1>
    %14 = stablehlo.and %12, %13 : tensor<3xi1>
    %15 = stablehlo.or %10, %14 : tensor<3xi1>
    %c_2 = stablehlo.constant dense<false> : tensor<i1>
    %16 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %17 = stablehlo.broadcast_in_dim %16, dims = [1] : (tensor<3xi1>) -> tensor<1x3xi1>
    %18 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<3xi1>) -> tensor<1x3xi1>
    %19 = stablehlo.broadcast_in_dim %15, dims = [1] : (tensor<3xi1>) -> tensor<1x3xi1>
    %20 = stablehlo.concatenate %17, %18, %19, dim = 0 : (tensor<1x3xi1>, tensor<1x3xi1>, tensor<1x3xi1>) -> tensor<3x3xi1>
    %21 = call @argmax(%20) : (tensor<3x3xi1>) -> tensor<3xi32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_5 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %26 = stablehlo.compare LT, %21, %25, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_7 = stablehlo.constant dense<2> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %28 = stablehlo.compare LT, %21, %27, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %29 = stablehlo.select %28, %23, %24 : tensor<3xi1>, tensor<3xf32>
    %30 = stablehlo.select %26, %22, %29 : tensor<3xi1>, tensor<3xf32>
    return %30 : tensor<3xf32>
  }
  func.func private @remainder(%arg0: tensor<3xf32>, %arg1: tensor<i32>) -> tensor<3xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %4 = stablehlo.compare NE, %2, %3, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %6 = stablehlo.compare LT, %2, %5, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.compare LT, %0, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %9 = stablehlo.compare NE, %6, %8, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %10 = stablehlo.and %9, %4 : tensor<3xi1>
    %11 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.add %2, %11 : tensor<3xf32>
    %13 = stablehlo.select %10, %12, %2 : tensor<3xi1>, tensor<3xf32>
    return %13 : tensor<3xf32>
  }
  func.func private @signbit(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<3xf32>) -> tensor<3xi32>
    %c = stablehlo.constant dense<31> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %4 = stablehlo.compare NE, %2, %3, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %5 = stablehlo.convert %4 : tensor<3xi1>
    return %5 : tensor<3xi1>
  }
  func.func private @argmax(%arg0: tensor<3x3xi1>) -> tensor<3xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [0] : (tensor<3x3xi1>, tensor<3x3xi32>, tensor<i1>, tensor<i32>) -> (tensor<3xi1>, tensor<3xi32>)
     reducer(%arg1: tensor<i1>, %arg3: tensor<i1>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i1>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i1>, tensor<i32>
    }
    return %1#1 : tensor<3xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<i1>, tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}

// owens_t/number float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0
// 0.03604811429977417 -0.07344542443752289 0.09170862287282944 -0.09170862287282944 0.11917893588542938 0.0 -0.0 0.12098170071840286 -0.12098170071840286
// 0.1117931678891182 0.07414718717336655 0.048751261085271835 0.048751261085271835 0.0037159223575145006 0.124571293592453 0.124571293592453 4.974381795364025e-07 4.974381795364025e-07
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<9xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<9xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[0.0035082039, 0.0312790424, 0.0852668285, 0.162450716, 0.258511961, 0.36807555, 0.485010922, 0.602775156, 0.71477884, 0.814755082, 0.897110283, 0.957238078, 0.991788327]> : tensor<13xf32>
    %cst_0 = stablehlo.constant dense<[0.0188314375, 0.0185670871, 0.0180420931, 0.0172638297, 0.0162432194, 0.0149945924, 0.0135354744, 0.0118863517, 0.010070377, 0.00811305455, 0.00604190072, 0.00388622168, 0.00167930312]> : tensor<13xf32>
    %cst_1 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %0 = stablehlo.abs %cst_1 : tensor<f32>
    %1 = stablehlo.abs %arg0 : tensor<9xf32>
    %cst_2 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %2 = stablehlo.divide %0, %cst_2 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %4 = stablehlo.compare LE, %1, %3, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %6 = stablehlo.divide %5, %1 : tensor<9xf32>
    %7 = call @_where(%4, %1, %6) : (tensor<9xi1>, tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %9 = stablehlo.compare LE, %1, %8, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %10 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %11 = stablehlo.multiply %1, %10 : tensor<9xf32>
    %12 = call @_where_0(%9, %0, %11) : (tensor<9xi1>, tensor<f32>, tensor<9xf32>) -> tensor<9xf32>
    %13 = stablehlo.broadcast_in_dim %cst, dims = [1] : (tensor<13xf32>) -> tensor<1x13xf32>
    %14 = chlo.square %7 : tensor<9xf32> -> tensor<9xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<9xf32>) -> tensor<9x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x13xf32>
    %17 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<1x13xf32>) -> tensor<9x13xf32>
    %18 = stablehlo.multiply %16, %17 : tensor<9x13xf32>
    %19 = chlo.square %12 : tensor<9xf32> -> tensor<9xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<9xf32>) -> tensor<9x1xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<9x1xf32>
    %22 = stablehlo.multiply %21, %20 : tensor<9x1xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<9x13xf32>
    %24 = stablehlo.add %23, %18 : tensor<9x13xf32>
    %25 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x13xf32>
    %26 = stablehlo.multiply %25, %24 : tensor<9x13xf32>
    %27 = stablehlo.exponential %26 : tensor<9x13xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<9x13xf32>
    %29 = stablehlo.add %28, %18 : tensor<9x13xf32>
    %30 = stablehlo.divide %27, %29 : tensor<9x13xf32>
    %31 = stablehlo.dot_general %30, %cst_0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<9x13xf32>, tensor<13xf32>) -> tensor<9xf32>
    %32 = stablehlo.multiply %7, %31 : tensor<9xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %34 = stablehlo.compare EQ, %12, %33, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %35 = chlo.atan %7 : tensor<9xf32> -> tensor<9xf32>
    %cst_10 = stablehlo.constant dense<6.28318548> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %37 = stablehlo.divide %35, %36 : tensor<9xf32>
    %38 = call @_where(%34, %37, %32) : (tensor<9xi1>, tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %40 = stablehlo.compare EQ, %7, %39, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %41 = stablehlo.negate %12 : tensor<9xf32>
    %cst_12 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %43 = stablehlo.divide %41, %42 : tensor<9xf32>
    %44 = chlo.erfc %43 : tensor<9xf32> -> tensor<9xf32>
    %cst_13 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %46 = stablehlo.multiply %45, %44 : tensor<9xf32>
    %cst_14 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %48 = stablehlo.divide %12, %47 : tensor<9xf32>
    %49 = chlo.erfc %48 : tensor<9xf32> -> tensor<9xf32>
    %50 = stablehlo.multiply %46, %49 : tensor<9xf32>
    %51 = call @_where(%40, %50, %38) : (tensor<9xi1>, tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %52 = chlo.erfc %2 : tensor<f32> -> tensor<f32>
    %53 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %54 = stablehlo.multiply %1, %53 : tensor<9xf32>
    %55 = chlo.erfc %54 : tensor<9xf32> -> tensor<9xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %57 = stablehlo.compare GT, %1, %56, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %58 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %59 = stablehlo.multiply %1, %58 : tensor<9xf32>
    %cst_16 = stablehlo.constant dense<6.700000e-01> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %61 = stablehlo.compare LE, %59, %60, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %62 = chlo.erf %2 : tensor<f32> -> tensor<f32>
    %cst_17 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %63 = stablehlo.multiply %cst_17, %62 : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %65 = stablehlo.multiply %1, %64 : tensor<9xf32>
    %66 = chlo.erf %65 : tensor<9xf32> -> tensor<9xf32>
    %67 = stablehlo.broadcast_in_dim %63, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %68 = stablehlo.multiply %67, %66 : tensor<9xf32>
    %cst_18 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %70 = stablehlo.subtract %69, %68 : tensor<9xf32>
    %71 = stablehlo.subtract %70, %51 : tensor<9xf32>
    %72 = stablehlo.broadcast_in_dim %52, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %73 = stablehlo.add %72, %55 : tensor<9xf32>
    %74 = stablehlo.broadcast_in_dim %52, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %75 = stablehlo.multiply %74, %55 : tensor<9xf32>
    %76 = stablehlo.subtract %73, %75 : tensor<9xf32>
    %cst_19 = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %78 = stablehlo.multiply %77, %76 : tensor<9xf32>
    %79 = stablehlo.subtract %78, %51 : tensor<9xf32>
    %80 = call @_where(%61, %71, %79) : (tensor<9xi1>, tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %81 = call @_where(%57, %80, %51) : (tensor<9xi1>, tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %82 = stablehlo.sign %arg0 : tensor<9xf32>
    %83 = stablehlo.multiply %82, %81 : tensor<9xf32>
    %84 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %85 = stablehlo.compare NE, %0, %0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %86 = stablehlo.broadcast_in_dim %85, dims = [] : (tensor<i1>) -> tensor<9xi1>
    %87 = stablehlo.or %84, %86 : tensor<9xi1>
    %cst_20 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %89 = call @_where(%87, %88, %83) : (tensor<9xi1>, tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.reduce(%89 init: %cst_21) applies stablehlo.add across dimensions = [0] : (tensor<9xf32>, tensor<f32>) -> tensor<f32>
    return %90, %89 : tensor<f32>, tensor<9xf32>
  }
  func.func private @_where(%arg0: tensor<9xi1>, %arg1: tensor<9xf32>, %arg2: tensor<9xf32>) -> tensor<9xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<9xi1>, tensor<9xf32>
    return %0 : tensor<9xf32>
  }
  func.func private @_where_0(%arg0: tensor<9xi1>, %arg1: tensor<f32>, %arg2: tensor<9xf32>) -> tensor<9xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<9xi1>, tensor<9xf32>
    return %1 : tensor<9xf32>
  }
}

// truncated_normal float32
// -1.0 0.30000001192092896
// 0.5547337532043457 1.8539758920669556
// 0.23055429756641388 0.13532747328281403
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<2xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<2xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<[0, 7]> : tensor<2xui32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = call @_truncated_normal(%c, %arg0, %cst) : (tensor<2xui32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    return %1, %0 : tensor<f32>, tensor<2xf32>
  }
  func.func private @_truncated_normal(%arg0: tensor<2xui32>, %arg1: tensor<2xf32>, %arg2: tensor<f32>) -> tensor<2xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %cst = stablehlo.constant dense<1.41421354> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.divide %arg1, %1 : tensor<2xf32>
    %3 = chlo.erf %2 : tensor<2xf32> -> tensor<2xf32>
    %cst_0 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %4 = stablehlo.divide %0, %cst_0 : tensor<f32>
    %5 = chlo.erf %4 : tensor<f32> -> tensor<f32>
    %6 = call @_uniform(%arg0, %3, %5) : (tensor<2xui32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %7 = chlo.erf_inv %6 : tensor<2xf32> -> tensor<2xf32>
    %cst_1 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<2xf32>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %11 = chlo.next_after %arg1, %10 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %12 = chlo.next_after %0, %cst_3 : tensor<f32>, tensor<f32> -> tensor<f32>
    %13 = call @clip(%9, %11, %12) : (tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    return %13 : tensor<2xf32>
  }
  func.func private @_uniform(%arg0: tensor<2xui32>, %arg1: tensor<2xf32>, %arg2: tensor<f32>) -> tensor<2xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %4 = stablehlo.reshape %3 : (tensor<1xui32>) -> tensor<ui32>
    %5 = stablehlo.iota dim = 0 : tensor<2xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %7 = stablehlo.multiply %6, %5 : tensor<2xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %9 = stablehlo.shift_right_logical %7, %8 : tensor<2xui64>
    %10 = stablehlo.convert %7 : (tensor<2xui64>) -> tensor<2xui32>
    %11 = stablehlo.convert %9 : (tensor<2xui64>) -> tensor<2xui32>
    %12:2 = call @threefry2x32(%2, %4, %11, %10) : (tensor<ui32>, tensor<ui32>, tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
    %13 = stablehlo.xor %12#0, %12#1 : tensor<2xui32>
    %c_1 = stablehlo.constant dense<9> : tensor<ui32>
    %14 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %15 = stablehlo.shift_right_logical %13, %14 : tensor<2xui32>
    %c_2 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %16 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %17 = stablehlo.or %15, %16 : tensor<2xui32>
    %18 = stablehlo.bitcast_convert %17 : (tensor<2xui32>) -> tensor<2xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %20 = stablehlo.subtract %18, %19 : tensor<2xf32>
    %21 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<1xf32>) -> tensor<2xf32>
    %22 = stablehlo.subtract %21, %arg1 : tensor<2xf32>
    %23 = stablehlo.multiply %20, %22 : tensor<2xf32>
    %24 = stablehlo.add %23, %arg1 : tensor<2xf32>
    %25 = stablehlo.maximum %arg1, %24 : tensor<2xf32>
    return %25 : tensor<2xf32>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<2xui32>, %arg3: tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<2xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<2xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<2xui32>, tensor<2xui32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<2xui32>, %arg2: tensor<2xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<2xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<2xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<2xui32>
    %9 = stablehlo.or %5, %8 : tensor<2xui32>
    %10 = stablehlo.xor %3, %9 : tensor<2xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<2xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<2xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<2xui32>
    %19 = stablehlo.or %15, %18 : tensor<2xui32>
    %20 = stablehlo.xor %13, %19 : tensor<2xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<2xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<2xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<2xui32>
    %29 = stablehlo.or %25, %28 : tensor<2xui32>
    %30 = stablehlo.xor %23, %29 : tensor<2xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<2xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<2xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<2xui32>
    %39 = stablehlo.or %35, %38 : tensor<2xui32>
    %40 = stablehlo.xor %33, %39 : tensor<2xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %42 = stablehlo.add %33, %41 : tensor<2xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %44 = stablehlo.add %40, %43 : tensor<2xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %48 = stablehlo.add %44, %47 : tensor<2xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @clip(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<f32>) -> tensor<2xf32> {
    %0 = stablehlo.maximum %arg1, %arg0 : tensor<2xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.minimum %1, %0 : tensor<2xf32>
    return %2 : tensor<2xf32>
  }
}

// hyp1f1 float32
// 0.5 0.0 -20.0 3.0
// 1.2974425554275513 1.0 0.04888664186000824 6.361845016479492
// 0.7025574585997436 0.5 0.002499999891789434 4.5745637607083705
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = call @hyp1f1(%0, %1, %arg0) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %3, %2 : tensor<f32>, tensor<4xf32>
  }
  func.func private @hyp1f1(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.abs %arg2 : tensor<4xf32>
    %cst = stablehlo.constant dense<1.000000e+02> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %3 = stablehlo.convert %2 : (tensor<4xi1>) -> tensor<4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %5 = stablehlo.compare EQ, %3, %4, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %6 = stablehlo.select %5, %arg0, %arg0 : tensor<4xi1>, tensor<4xf32>
    %7 = stablehlo.select %5, %arg1, %arg1 : tensor<4xi1>, tensor<4xf32>
    %8 = stablehlo.select %5, %arg2, %arg2 : tensor<4xi1>, tensor<4xf32>
    %9 = stablehlo.subtract %7, %6 : tensor<4xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %11 = stablehlo.subtract %10, %6 : tensor<4xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<4xf32>
    %13 = stablehlo.divide %12, %8 : tensor<4xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %16:6 = stablehlo.while(%iterArg = %7, %iterArg_19 = %6, %iterArg_20 = %8, %iterArg_21 = %14, %iterArg_22 = %15, %iterArg_23 = %13) : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>
    cond {
      %c_24 = stablehlo.constant dense<250> : tensor<i32>
      %79 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %80 = stablehlo.compare LT, %iterArg_22, %79, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %81 = stablehlo.abs %iterArg_23 : tensor<4xf32>
      %82 = stablehlo.abs %iterArg_21 : tensor<4xf32>
      %83 = stablehlo.divide %81, %82 : tensor<4xf32>
      %cst_25 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %84 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %85 = stablehlo.compare GT, %83, %84, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %c_26 = stablehlo.constant dense<false> : tensor<i1>
      %86 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i1>) -> tensor<4xi1>
      %87 = stablehlo.compare NE, %80, %86, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
      %88 = stablehlo.convert %87 : tensor<4xi1>
      %89 = stablehlo.and %88, %85 : tensor<4xi1>
      %c_27 = stablehlo.constant dense<false> : tensor<i1>
      %90 = stablehlo.reduce(%89 init: %c_27) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %90 : tensor<i1>
    } do {
      %79 = stablehlo.add %iterArg_21, %iterArg_23 : tensor<4xf32>
      %80 = stablehlo.subtract %iterArg, %iterArg_19 : tensor<4xf32>
      %81 = stablehlo.convert %iterArg_22 : (tensor<4xi32>) -> tensor<4xf32>
      %82 = stablehlo.add %80, %81 : tensor<4xf32>
      %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %83 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %84 = stablehlo.subtract %83, %iterArg_19 : tensor<4xf32>
      %85 = stablehlo.convert %iterArg_22 : (tensor<4xi32>) -> tensor<4xf32>
      %86 = stablehlo.add %84, %85 : tensor<4xf32>
      %87 = stablehlo.multiply %82, %86 : tensor<4xf32>
      %c_25 = stablehlo.constant dense<1> : tensor<i32>
      %88 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %89 = stablehlo.add %iterArg_22, %88 : tensor<4xi32>
      %90 = stablehlo.convert %89 : (tensor<4xi32>) -> tensor<4xf32>
      %91 = stablehlo.divide %87, %90 : tensor<4xf32>
      %92 = stablehlo.divide %91, %iterArg_20 : tensor<4xf32>
      %93 = stablehlo.multiply %iterArg_23, %92 : tensor<4xf32>
      %c_26 = stablehlo.constant dense<1> : tensor<i32>
      %94 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %95 = stablehlo.add %iterArg_22, %94 : tensor<4xi32>
      %c_27 = stablehlo.constant dense<250> : tensor<i32>
      %96 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %97 = stablehlo.compare LT, %iterArg_22, %96, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %98 = stablehlo.abs %iterArg_23 : tensor<4xf32>
      %99 = stablehlo.abs %iterArg_21 : tensor<4xf32>
      %100 = stablehlo.divide %98, %99 : tensor<4xf32>
      %cst_28 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %101 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %102 = stablehlo.compare GT, %100, %101, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %c_29 = stablehlo.constant dense<false> : tensor<i1>
      %103 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<i1>) -> tensor<4xi1>
      %104 = stablehlo.compare NE, %97, %103, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
      %105 = stablehlo.convert %104 : tensor<4xi1>
      %106 = stablehlo.and %105, %102 : tensor<4xi1>
      %107 = stablehlo.broadcast_in_dim %106, dims = [0] : (tensor<4xi1>) -> tensor<4xi1>
      %108 = stablehlo.select %107, %79, %iterArg_21 : tensor<4xi1>, tensor<4xf32>
      %109 = stablehlo.broadcast_in_dim %106, dims = [0] : (tensor<4xi1>) -> tensor<4xi1>
      %110 = stablehlo.select %109, %95, %iterArg_22 : tensor<4xi1>, tensor<4xi32>
      %111 = stablehlo.broadcast_in_dim %106, dims = [0] : (tensor<4xi1>) -> tensor<4xi1>
      %112 = stablehlo.select %111, %93, %iterArg_23 : tensor<4xi1>, tensor<4xf32>
      stablehlo.return %iterArg, %iterArg_19, %iterArg_20, %108, %110, %112 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>
    }
    %17 = call @gammasgn(%7) : (tensor<4xf32>) -> tensor<4xf32>
    %18 = chlo.lgamma %7 : tensor<4xf32> -> tensor<4xf32>
    %19 = stablehlo.exponential %18 : tensor<4xf32>
    %20 = stablehlo.multiply %17, %19 : tensor<4xf32>
    %21 = call @gammasgn(%6) : (tensor<4xf32>) -> tensor<4xf32>
    %22 = chlo.lgamma %6 : tensor<4xf32> -> tensor<4xf32>
    %23 = stablehlo.exponential %22 : tensor<4xf32>
    %24 = stablehlo.multiply %21, %23 : tensor<4xf32>
    %25 = stablehlo.divide %20, %24 : tensor<4xf32>
    %26 = stablehlo.exponential %8 : tensor<4xf32>
    %27 = stablehlo.multiply %25, %26 : tensor<4xf32>
    %28 = stablehlo.subtract %6, %7 : tensor<4xf32>
    %29 = stablehlo.power %8, %28 : tensor<4xf32>
    %30 = stablehlo.multiply %27, %29 : tensor<4xf32>
    %31 = stablehlo.multiply %30, %16#3 : tensor<4xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %32 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %33 = stablehlo.compare EQ, %3, %32, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %34 = stablehlo.select %33, %arg0, %arg0 : tensor<4xi1>, tensor<4xf32>
    %35 = stablehlo.select %33, %arg1, %arg1 : tensor<4xi1>, tensor<4xf32>
    %36 = stablehlo.select %33, %arg2, %arg2 : tensor<4xi1>, tensor<4xf32>
    %37 = stablehlo.divide %34, %35 : tensor<4xf32>
    %38 = stablehlo.multiply %37, %36 : tensor<4xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %c_5 = stablehlo.constant dense<1> : tensor<i32>
    %40 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %41:6 = stablehlo.while(%iterArg = %34, %iterArg_19 = %35, %iterArg_20 = %36, %iterArg_21 = %39, %iterArg_22 = %40, %iterArg_23 = %38) : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>
    cond {
      %c_24 = stablehlo.constant dense<250> : tensor<i32>
      %79 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %80 = stablehlo.compare LT, %iterArg_22, %79, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %81 = stablehlo.abs %iterArg_23 : tensor<4xf32>
      %82 = stablehlo.abs %iterArg_21 : tensor<4xf32>
      %83 = stablehlo.divide %81, %82 : tensor<4xf32>
      %cst_25 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %84 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %85 = stablehlo.compare GT, %83, %84, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %c_26 = stablehlo.constant dense<false> : tensor<i1>
      %86 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i1>) -> tensor<4xi1>
      %87 = stablehlo.compare NE, %80, %86, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
      %88 = stablehlo.convert %87 : tensor<4xi1>
      %89 = stablehlo.and %88, %85 : tensor<4xi1>
      %c_27 = stablehlo.constant dense<false> : tensor<i1>
      %90 = stablehlo.reduce(%89 init: %c_27) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %90 : tensor<i1>
    } do {
      %79 = stablehlo.add %iterArg_21, %iterArg_23 : tensor<4xf32>
      %80 = stablehlo.convert %iterArg_22 : (tensor<4xi32>) -> tensor<4xf32>
      %81 = stablehlo.add %iterArg, %80 : tensor<4xf32>
      %82 = stablehlo.convert %iterArg_22 : (tensor<4xi32>) -> tensor<4xf32>
      %83 = stablehlo.add %iterArg_19, %82 : tensor<4xf32>
      %84 = stablehlo.divide %81, %83 : tensor<4xf32>
      %85 = stablehlo.multiply %84, %iterArg_20 : tensor<4xf32>
      %c_24 = stablehlo.constant dense<1> : tensor<i32>
      %86 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %87 = stablehlo.add %iterArg_22, %86 : tensor<4xi32>
      %88 = stablehlo.convert %87 : (tensor<4xi32>) -> tensor<4xf32>
      %89 = stablehlo.divide %85, %88 : tensor<4xf32>
      %90 = stablehlo.multiply %iterArg_23, %89 : tensor<4xf32>
      %c_25 = stablehlo.constant dense<1> : tensor<i32>
      %91 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %92 = stablehlo.add %iterArg_22, %91 : tensor<4xi32>
      %c_26 = stablehlo.constant dense<250> : tensor<i32>
      %93 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %94 = stablehlo.compare LT, %iterArg_22, %93, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %95 = stablehlo.abs %iterArg_23 : tensor<4xf32>
      %96 = stablehlo.abs %iterArg_21 : tensor<4xf32>
      %97 = stablehlo.divide %95, %96 : tensor<4xf32>
      %cst_27 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %98 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %99 = stablehlo.compare GT, %97, %98, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %c_28 = stablehlo.constant dense<false> : tensor<i1>
      %100 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<i1>) -> tensor<4xi1>
      %101 = stablehlo.compare NE, %94, %100, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
      %102 = stablehlo.convert %101 : tensor<4xi1>
      %103 = stablehlo.and %102, %99 : tensor<4xi1>
      %104 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<4xi1>) -> tensor<4xi1>
      %105 = stablehlo.select %104, %79, %iterArg_21 : tensor<4xi1>, tensor<4xf32>
      %106 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<4xi1>) -> tensor<4xi1>
      %107 = stablehlo.select %106, %92, %iterArg_22 : tensor<4xi1>, tensor<4xi32>
      %108 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<4xi1>) -> tensor<4xi1>
      %109 = stablehlo.select %108, %90, %iterArg_23 : tensor<4xi1>, tensor<4xf32>
      stablehlo.return %iterArg, %iterArg_19, %iterArg_20, %105, %107, %109 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>
    }
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %42 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %43 = stablehlo.compare LT, %3, %42, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %44 = stablehlo.select %43, %31, %41#3 : tensor<4xi1>, tensor<4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %46 = stablehlo.compare EQ, %arg0, %45, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %47 = stablehlo.convert %46 : (tensor<4xi1>) -> tensor<4xi32>
    %c_8 = stablehlo.constant dense<1> : tensor<i32>
    %48 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %49 = stablehlo.multiply %47, %48 : tensor<4xi32>
    %50 = stablehlo.compare EQ, %arg0, %arg1, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %52 = stablehlo.compare NE, %arg0, %51, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %53 = stablehlo.and %50, %52 : tensor<4xi1>
    %54 = stablehlo.convert %53 : (tensor<4xi1>) -> tensor<4xi32>
    %c_10 = stablehlo.constant dense<2> : tensor<i32>
    %55 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %56 = stablehlo.multiply %54, %55 : tensor<4xi32>
    %57 = stablehlo.add %49, %56 : tensor<4xi32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %59 = stablehlo.compare EQ, %arg1, %58, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %61 = stablehlo.compare NE, %arg0, %60, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %62 = stablehlo.and %59, %61 : tensor<4xi1>
    %63 = stablehlo.convert %62 : (tensor<4xi1>) -> tensor<4xi32>
    %c_13 = stablehlo.constant dense<3> : tensor<i32>
    %64 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %65 = stablehlo.multiply %63, %64 : tensor<4xi32>
    %66 = stablehlo.add %57, %65 : tensor<4xi32>
    %67 = stablehlo.exponential %arg2 : tensor<4xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_15 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %c_16 = stablehlo.constant dense<2> : tensor<i32>
    %70 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %71 = stablehlo.compare LT, %66, %70, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_17 = stablehlo.constant dense<1> : tensor<i32>
    %72 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %73 = stablehlo.compare LT, %66, %72, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %74 = stablehlo.select %73, %44, %68 : tensor<4xi1>, tensor<4xf32>
    %c_18 = stablehlo.constant dense<3> : tensor<i32>
    %75 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %76 = stablehlo.compare LT, %66, %75, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %77 = stablehlo.select %76, %67, %69 : tensor<4xi1>, tensor<4xf32>
    %78 = stablehlo.select %71, %74, %77 : tensor<4xi1>, tensor<4xf32>
    return %78 : tensor<4xf32>
  }
  func.func private @gammasgn(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.floor %arg0 : tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.compare LT, %arg0, %1, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %3 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %4 = stablehlo.and %2, %3 : tensor<4xi1>
    %5 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %6 = stablehlo.or %4, %5 : tensor<4xi1>
    %c = stablehlo.constant dense<2> : tensor<i32>
    %7 = call @remainder(%0, %c) : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %9 = stablehlo.compare NE, %7, %8, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %10 = stablehlo.and %2, %9 : tensor<4xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %12 = stablehlo.compare EQ, %arg0, %11, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %13 = call @signbit(%arg0) : (tensor<4xf32>) -> tensor<4xi1>
    %14 = stablehlo.and %12, %13 : tensor<4xi1>
    %15 = stablehlo.or %10, %14 : tensor<4xi1>
    %c_2 = stablehlo.constant dense<false> : tensor<i1>
    %16 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i1>) -> tensor<4xi1>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<4xi1>) -> tensor<4x1xi1>
    %18 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<4xi1>) -> tensor<4x1xi1>
    %19 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<4xi1>) -> tensor<4x1xi1>
    %20 = stablehlo.concatenate %17, %18, %19, dim = 1 : (tensor<4x1xi1>, tensor<4x1xi1>, tensor<4x1xi1>) -> tensor<4x3xi1>
    %21 = call @argmax(%20) : (tensor<4x3xi1>) -> tensor<4xi32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_5 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %26 = stablehlo.compare LT, %21, %25, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_7 = stablehlo.constant dense<2> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %28 = stablehlo.compare LT, %21, %27, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %29 = stablehlo.select %28, %23, %24 : tensor<4xi1>, tensor<4xf32>
    %30 = stablehlo.select %26, %22, %29 : tensor<4xi1>, tensor<4xf32>
    return %30 : tensor<4xf32>
  }
  func.func private @remainder(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.compare NE, %2, %3, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.compare LT, %2, %5, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.compare LT, %0, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i1>) -> tensor<4xi1>
    %9 = stablehlo.compare NE, %6, %8, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %10 = stablehlo.and %9, %4 : tensor<4xi1>
    %11 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %12 = stablehlo.add %2, %11 : tensor<4xf32>
    %13 = stablehlo.select %10, %12, %2 : tensor<4xi1>, tensor<4xf32>
    return %13 : tensor<4xf32>
  }
  func.func private @signbit(%arg0: tensor<4xf32>) -> tensor<4xi1> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<4xf32>) -> tensor<4xi32>
    %c = stablehlo.constant dense<31> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<4xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %4 = stablehlo.compare NE, %2, %3, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %5 = stablehlo.convert %4 : tensor<4xi1>
    return %5 : tensor<4xi1>
  }
  func.func private @argmax(%arg0: tensor<4x3xi1>) -> tensor<4xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<4x3xi32>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [1] : (tensor<4x3xi1>, tensor<4x3xi32>, tensor<i1>, tensor<i32>) -> (tensor<4xi1>, tensor<4xi32>)
     reducer(%arg1: tensor<i1>, %arg3: tensor<i1>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i1>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i1>, tensor<i32>
    }
    return %1#1 : tensor<4xi32>
  }
}

// hyp1f1/a float32
// 1.0 0.5 -2.0
// 1.2974425554275513 1.1424064636230469 0.5416666865348816
// 0.3232409122810864 0.2971763923165227 0.1892810142178902
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = call @hyp1f1(%arg0, %0, %1) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %3, %2 : tensor<f32>, tensor<3xf32>
  }
  func.func private @hyp1f1(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.abs %arg2 : tensor<3xf32>
    %cst = stablehlo.constant dense<1.000000e+02> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %3 = stablehlo.convert %2 : (tensor<3xi1>) -> tensor<3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %5 = stablehlo.compare EQ, %3, %4, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %6 = stablehlo.select %5, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %7 = stablehlo.select %5, %arg1, %arg1 : tensor<3xi1>, tensor<3xf32>
    %8 = stablehlo.select %5, %arg2, %arg2 : tensor<3xi1>, tensor<3xf32>
    %9 = stablehlo.subtract %7, %6 : tensor<3xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %11 = stablehlo.subtract %10, %6 : tensor<3xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<3xf32>
    %13 = stablehlo.divide %12, %8 : tensor<3xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %16:6 = stablehlo.while(%iterArg = %7, %iterArg_19 = %6, %iterArg_20 = %8, %iterArg_21 = %14, %iterArg_22 = %15, %iterArg_23 = %13) : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    cond {
      %c_24 = stablehlo.constant dense<250> : tensor<i32>
      %79 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %80 = stablehlo.compare LT, %iterArg_22, %79, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %81 = stablehlo.abs %iterArg_23 : tensor<3xf32>
      %82 = stablehlo.abs %iterArg_21 : tensor<3xf32>
      %83 = stablehlo.divide %81, %82 : tensor<3xf32>
      %cst_25 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %84 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %85 = stablehlo.compare GT, %83, %84, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %c_26 = stablehlo.constant dense<false> : tensor<i1>
      %86 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i1>) -> tensor<3xi1>
      %87 = stablehlo.compare NE, %80, %86, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
      %88 = stablehlo.convert %87 : tensor<3xi1>
      %89 = stablehlo.and %88, %85 : tensor<3xi1>
      %c_27 = stablehlo.constant dense<false> : tensor<i1>
      %90 = stablehlo.reduce(%89 init: %c_27) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %90 : tensor<i1>
    } do {
      %79 = stablehlo.add %iterArg_21, %iterArg_23 : tensor<3xf32>
      %80 = stablehlo.subtract %iterArg, %iterArg_19 : tensor<3xf32>
      %81 = stablehlo.convert %iterArg_22 : (tensor<3xi32>) -> tensor<3xf32>
      %82 = stablehlo.add %80, %81 : tensor<3xf32>
      %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %83 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %84 = stablehlo.subtract %83, %iterArg_19 : tensor<3xf32>
      %85 = stablehlo.convert %iterArg_22 : (tensor<3xi32>) -> tensor<3xf32>
      %86 = stablehlo.add %84, %85 : tensor<3xf32>
      %87 = stablehlo.multiply %82, %86 : tensor<3xf32>
      %c_25 = stablehlo.constant dense<1> : tensor<i32>
      %88 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %89 = stablehlo.add %iterArg_22, %88 : tensor<3xi32>
      %90 = stablehlo.convert %89 : (tensor<3xi32>) -> tensor<3xf32>
      %91 = stablehlo.divide %87, %90 : tensor<3xf32>
      %92 = stablehlo.divide %91, %iterArg_20 : tensor<3xf32>
      %93 = stablehlo.multiply %iterArg_23, %92 : tensor<3xf32>
      %c_26 = stablehlo.constant dense<1> : tensor<i32>
      %94 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %95 = stablehlo.add %iterArg_22, %94 : tensor<3xi32>
      %c_27 = stablehlo.constant dense<250> : tensor<i32>
      %96 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %97 = stablehlo.compare LT, %iterArg_22, %96, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %98 = stablehlo.abs %iterArg_23 : tensor<3xf32>
      %99 = stablehlo.abs %iterArg_21 : tensor<3xf32>
      %100 = stablehlo.divide %98, %99 : tensor<3xf32>
      %cst_28 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %101 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %102 = stablehlo.compare GT, %100, %101, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %c_29 = stablehlo.constant dense<false> : tensor<i1>
      %103 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<i1>) -> tensor<3xi1>
      %104 = stablehlo.compare NE, %97, %103, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
      %105 = stablehlo.convert %104 : tensor<3xi1>
      %106 = stablehlo.and %105, %102 : tensor<3xi1>
      %107 = stablehlo.broadcast_in_dim %106, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %108 = stablehlo.select %107, %79, %iterArg_21 : tensor<3xi1>, tensor<3xf32>
      %109 = stablehlo.broadcast_in_dim %106, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %110 = stablehlo.select %109, %95, %iterArg_22 : tensor<3xi1>, tensor<3xi32>
      %111 = stablehlo.broadcast_in_dim %106, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %112 = stablehlo.select %111, %93, %iterArg_23 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %iterArg, %iterArg_19, %iterArg_20, %108, %110, %112 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    }
    %17 = call @gammasgn(%7) : (tensor<3xf32>) -> tensor<3xf32>
    %18 = chlo.lgamma %7 : tensor<3xf32> -> tensor<3xf32>
    %19 = stablehlo.exponential %18 : tensor<3xf32>
    %20 = stablehlo.multiply %17, %19 : tensor<3xf32>
    %21 = call @gammasgn(%6) : (tensor<3xf32>) -> tensor<3xf32>
    %22 = chlo.lgamma %6 : tensor<3xf32> -> tensor<3xf32>
    %23 = stablehlo.exponential %22 : tensor<3xf32>
    %24 = stablehlo.multiply %21, %23 : tensor<3xf32>
    %25 = stablehlo.divide %20, %24 : tensor<3xf32>
    %26 = stablehlo.exponential %8 : tensor<3xf32>
    %27 = stablehlo.multiply %25, %26 : tensor<3xf32>
    %28 = stablehlo.subtract %6, %7 : tensor<3xf32>
    %29 = stablehlo.power %8, %28 : tensor<3xf32>
    %30 = stablehlo.multiply %27, %29 : tensor<3xf32>
    %31 = stablehlo.multiply %30, %16#3 : tensor<3xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %32 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %33 = stablehlo.compare EQ, %3, %32, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %34 = stablehlo.select %33, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %35 = stablehlo.select %33, %arg1, %arg1 : tensor<3xi1>, tensor<3xf32>
    %36 = stablehlo.select %33, %arg2, %arg2 : tensor<3xi1>, tensor<3xf32>
    %37 = stablehlo.divide %34, %35 : tensor<3xf32>
    %38 = stablehlo.multiply %37, %36 : tensor<3xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c_5 = stablehlo.constant dense<1> : tensor<i32>
    %40 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %41:6 = stablehlo.while(%iterArg = %34, %iterArg_19 = %35, %iterArg_20 = %36, %iterArg_21 = %39, %iterArg_22 = %40, %iterArg_23 = %38) : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    cond {
      %c_24 = stablehlo.constant dense<250> : tensor<i32>
      %79 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %80 = stablehlo.compare LT, %iterArg_22, %79, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %81 = stablehlo.abs %iterArg_23 : tensor<3xf32>
      %82 = stablehlo.abs %iterArg_21 : tensor<3xf32>
      %83 = stablehlo.divide %81, %82 : tensor<3xf32>
      %cst_25 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %84 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %85 = stablehlo.compare GT, %83, %84, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %c_26 = stablehlo.constant dense<false> : tensor<i1>
      %86 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i1>) -> tensor<3xi1>
      %87 = stablehlo.compare NE, %80, %86, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
      %88 = stablehlo.convert %87 : tensor<3xi1>
      %89 = stablehlo.and %88, %85 : tensor<3xi1>
      %c_27 = stablehlo.constant dense<false> : tensor<i1>
      %90 = stablehlo.reduce(%89 init: %c_27) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %90 : tensor<i1>
    } do {
      %79 = stablehlo.add %iterArg_21, %iterArg_23 : tensor<3xf32>
      %80 = stablehlo.convert %iterArg_22 : (tensor<3xi32>) -> tensor<3xf32>
      %81 = stablehlo.add %iterArg, %80 : tensor<3xf32>
      %82 = stablehlo.convert %iterArg_22 : (tensor<3xi32>) -> tensor<3xf32>
      %83 = stablehlo.add %iterArg_19, %82 : tensor<3xf32>
      %84 = stablehlo.divide %81, %83 : tensor<3xf32>
      %85 = stablehlo.multiply %84, %iterArg_20 : tensor<3xf32>
      %c_24 = stablehlo.constant dense<1> : tensor<i32>
      %86 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %87 = stablehlo.add %iterArg_22, %86 : tensor<3xi32>
      %88 = stablehlo.convert %87 : (tensor<3xi32>) -> tensor<3xf32>
      %89 = stablehlo.divide %85, %88 : tensor<3xf32>
      %90 = stablehlo.multiply %iterArg_23, %89 : tensor<3xf32>
      %c_25 = stablehlo.constant dense<1> : tensor<i32>
      %91 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %92 = stablehlo.add %iterArg_22, %91 : tensor<3xi32>
      %c_26 = stablehlo.constant dense<250> : tensor<i32>
      %93 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %94 = stablehlo.compare LT, %iterArg_22, %93, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %95 = stablehlo.abs %iterArg_23 : tensor<3xf32>
      %96 = stablehlo.abs %iterArg_21 : tensor<3xf32>
      %97 = stablehlo.divide %95, %96 : tensor<3xf32>
      %cst_27 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %98 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %99 = stablehlo.compare GT, %97, %98, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %c_28 = stablehlo.constant dense<false> : tensor<i1>
      %100 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<i1>) -> tensor<3xi1>
      %101 = stablehlo.compare NE, %94, %100, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
      %102 = stablehlo.convert %101 : tensor<3xi1>
      %103 = stablehlo.and %102, %99 : tensor<3xi1>
      %104 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %105 = stablehlo.select %104, %79, %iterArg_21 : tensor<3xi1>, tensor<3xf32>
      %106 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %107 = stablehlo.select %106, %92, %iterArg_22 : tensor<3xi1>, tensor<3xi32>
      %108 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %109 = stablehlo.select %108, %90, %iterArg_23 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %iterArg, %iterArg_19, %iterArg_20, %105, %107, %109 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    }
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %42 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %43 = stablehlo.compare LT, %3, %42, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %44 = stablehlo.select %43, %31, %41#3 : tensor<3xi1>, tensor<3xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %46 = stablehlo.compare EQ, %arg0, %45, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %47 = stablehlo.convert %46 : (tensor<3xi1>) -> tensor<3xi32>
    %c_8 = stablehlo.constant dense<1> : tensor<i32>
    %48 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %49 = stablehlo.multiply %47, %48 : tensor<3xi32>
    %50 = stablehlo.compare EQ, %arg0, %arg1, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %52 = stablehlo.compare NE, %arg0, %51, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %53 = stablehlo.and %50, %52 : tensor<3xi1>
    %54 = stablehlo.convert %53 : (tensor<3xi1>) -> tensor<3xi32>
    %c_10 = stablehlo.constant dense<2> : tensor<i32>
    %55 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %56 = stablehlo.multiply %54, %55 : tensor<3xi32>
    %57 = stablehlo.add %49, %56 : tensor<3xi32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %59 = stablehlo.compare EQ, %arg1, %58, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %61 = stablehlo.compare NE, %arg0, %60, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %62 = stablehlo.and %59, %61 : tensor<3xi1>
    %63 = stablehlo.convert %62 : (tensor<3xi1>) -> tensor<3xi32>
    %c_13 = stablehlo.constant dense<3> : tensor<i32>
    %64 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %65 = stablehlo.multiply %63, %64 : tensor<3xi32>
    %66 = stablehlo.add %57, %65 : tensor<3xi32>
    %67 = stablehlo.exponential %arg2 : tensor<3xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_15 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c_16 = stablehlo.constant dense<2> : tensor<i32>
    %70 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %71 = stablehlo.compare LT, %66, %70, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_17 = stablehlo.constant dense<1> : tensor<i32>
    %72 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %73 = stablehlo.compare LT, %66, %72, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %74 = stablehlo.select %73, %44, %68 : tensor<3xi1>, tensor<3xf32>
    %c_18 = stablehlo.constant dense<3> : tensor<i32>
    %75 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %76 = stablehlo.compare LT, %66, %75, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %77 = stablehlo.select %76, %67, %69 : tensor<3xi1>, tensor<3xf32>
    %78 = stablehlo.select %71, %74, %77 : tensor<3xi1>, tensor<3xf32>
    return %78 : tensor<3xf32>
  }
  func.func private @gammasgn(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.floor %arg0 : tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.compare LT, %arg0, %1, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %3 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %4 = stablehlo.and %2, %3 : tensor<3xi1>
    %5 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %6 = stablehlo.or %4, %5 : tensor<3xi1>
    %c = stablehlo.constant dense<2> : tensor<i32>
    %7 = call @remainder(%0, %c) : (tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %9 = stablehlo.compare NE, %7, %8, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %10 = stablehlo.and %2, %9 : tensor<3xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.compare EQ, %arg0, %11, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %13 = call @signbit(%arg0) : (tensor<3xf32>) -> tensor<3xi1>
    %14 = stablehlo.and %12, %13 : tensor<3xi1>
    %15 = stablehlo.or %10, %14 : tensor<3xi1>
    %c_2 = stablehlo.constant dense<false> : tensor<i1>
    %16 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %18 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %19 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %20 = stablehlo.concatenate %17, %18, %19, dim = 1 : (tensor<3x1xi1>, tensor<3x1xi1>, tensor<3x1xi1>) -> tensor<3x3xi1>
    %21 = call @argmax(%20) : (tensor<3x3xi1>) -> tensor<3xi32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_5 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %26 = stablehlo.compare LT, %21, %25, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_7 = stablehlo.constant dense<2> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %28 = stablehlo.compare LT, %21, %27, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %29 = stablehlo.select %28, %23, %24 : tensor<3xi1>, tensor<3xf32>
    %30 = stablehlo.select %26, %22, %29 : tensor<3xi1>, tensor<3xf32>
    return %30 : tensor<3xf32>
  }
  func.func private @remainder(%arg0: tensor<3xf32>, %arg1: tensor<i32>) -> tensor<3xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %4 = stablehlo.compare NE, %2, %3, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %6 = stablehlo.compare LT, %2, %5, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.compare LT, %0, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %9 = stablehlo.compare NE, %6, %8, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %10 = stablehlo.and %9, %4 : tensor<3xi1>
    %11 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.add %2, %11 : tensor<3xf32>
    %13 = stablehlo.select %10, %12, %2 : tensor<3xi1>, tensor<3xf32>
    return %13 : tensor<3xf32>
  }
  func.func private @signbit(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<3xf32>) -> tensor<3xi32>
    %c = stablehlo.constant dense<31> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %4 = stablehlo.compare NE, %2, %3, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %5 = stablehlo.convert %4 : tensor<3xi1>
    return %5 : tensor<3xi1>
  }
  func.func private @argmax(%arg0: tensor<3x3xi1>) -> tensor<3xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [1] : (tensor<3x3xi1>, tensor<3x3xi32>, tensor<i1>, tensor<i32>) -> (tensor<3xi1>, tensor<3xi32>)
     reducer(%arg1: tensor<i1>, %arg3: tensor<i1>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i1>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i1>, tensor<i32>
    }
    return %1#1 : tensor<3xi32>
  }
}

// hyp1f1/b float32
// 1.0 2.0 3.5
// 1.6487212181091309 1.2974425554275513 1.160292148590088
// -0.73177170753479 -0.1661010980606079 -0.04997561126947403
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = call @hyp1f1(%0, %arg0, %1) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %3, %2 : tensor<f32>, tensor<3xf32>
  }
  func.func private @hyp1f1(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.abs %arg2 : tensor<3xf32>
    %cst = stablehlo.constant dense<1.000000e+02> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %3 = stablehlo.convert %2 : (tensor<3xi1>) -> tensor<3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %5 = stablehlo.compare EQ, %3, %4, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %6 = stablehlo.select %5, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %7 = stablehlo.select %5, %arg1, %arg1 : tensor<3xi1>, tensor<3xf32>
    %8 = stablehlo.select %5, %arg2, %arg2 : tensor<3xi1>, tensor<3xf32>
    %9 = stablehlo.subtract %7, %6 : tensor<3xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %11 = stablehlo.subtract %10, %6 : tensor<3xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<3xf32>
    %13 = stablehlo.divide %12, %8 : tensor<3xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %16:6 = stablehlo.while(%iterArg = %7, %iterArg_19 = %6, %iterArg_20 = %8, %iterArg_21 = %14, %iterArg_22 = %15, %iterArg_23 = %13) : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    cond {
      %c_24 = stablehlo.constant dense<250> : tensor<i32>
      %79 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %80 = stablehlo.compare LT, %iterArg_22, %79, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %81 = stablehlo.abs %iterArg_23 : tensor<3xf32>
      %82 = stablehlo.abs %iterArg_21 : tensor<3xf32>
      %83 = stablehlo.divide %81, %82 : tensor<3xf32>
      %cst_25 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %84 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %85 = stablehlo.compare GT, %83, %84, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %c_26 = stablehlo.constant dense<false> : tensor<i1>
      %86 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i1>) -> tensor<3xi1>
      %87 = stablehlo.compare NE, %80, %86, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
      %88 = stablehlo.convert %87 : tensor<3xi1>
      %89 = stablehlo.and %88, %85 : tensor<3xi1>
      %c_27 = stablehlo.constant dense<false> : tensor<i1>
      %90 = stablehlo.reduce(%89 init: %c_27) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %90 : tensor<i1>
    } do {
      %79 = stablehlo.add %iterArg_21, %iterArg_23 : tensor<3xf32>
      %80 = stablehlo.subtract %iterArg, %iterArg_19 : tensor<3xf32>
      %81 = stablehlo.convert %iterArg_22 : (tensor<3xi32>) -> tensor<3xf32>
      %82 = stablehlo.add %80, %81 : tensor<3xf32>
      %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %83 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %84 = stablehlo.subtract %83, %iterArg_19 : tensor<3xf32>
      %85 = stablehlo.convert %iterArg_22 : (tensor<3xi32>) -> tensor<3xf32>
      %86 = stablehlo.add %84, %85 : tensor<3xf32>
      %87 = stablehlo.multiply %82, %86 : tensor<3xf32>
      %c_25 = stablehlo.constant dense<1> : tensor<i32>
      %88 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %89 = stablehlo.add %iterArg_22, %88 : tensor<3xi32>
      %90 = stablehlo.convert %89 : (tensor<3xi32>) -> tensor<3xf32>
      %91 = stablehlo.divide %87, %90 : tensor<3xf32>
      %92 = stablehlo.divide %91, %iterArg_20 : tensor<3xf32>
      %93 = stablehlo.multiply %iterArg_23, %92 : tensor<3xf32>
      %c_26 = stablehlo.constant dense<1> : tensor<i32>
      %94 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %95 = stablehlo.add %iterArg_22, %94 : tensor<3xi32>
      %c_27 = stablehlo.constant dense<250> : tensor<i32>
      %96 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %97 = stablehlo.compare LT, %iterArg_22, %96, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %98 = stablehlo.abs %iterArg_23 : tensor<3xf32>
      %99 = stablehlo.abs %iterArg_21 : tensor<3xf32>
      %100 = stablehlo.divide %98, %99 : tensor<3xf32>
      %cst_28 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %101 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %102 = stablehlo.compare GT, %100, %101, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %c_29 = stablehlo.constant dense<false> : tensor<i1>
      %103 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<i1>) -> tensor<3xi1>
      %104 = stablehlo.compare NE, %97, %103, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
      %105 = stablehlo.convert %104 : tensor<3xi1>
      %106 = stablehlo.and %105, %102 : tensor<3xi1>
      %107 = stablehlo.broadcast_in_dim %106, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %108 = stablehlo.select %107, %79, %iterArg_21 : tensor<3xi1>, tensor<3xf32>
      %109 = stablehlo.broadcast_in_dim %106, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %110 = stablehlo.select %109, %95, %iterArg_22 : tensor<3xi1>, tensor<3xi32>
      %111 = stablehlo.broadcast_in_dim %106, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %112 = stablehlo.select %111, %93, %iterArg_23 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %iterArg, %iterArg_19, %iterArg_20, %108, %110, %112 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    }
    %17 = call @gammasgn(%7) : (tensor<3xf32>) -> tensor<3xf32>
    %18 = chlo.lgamma %7 : tensor<3xf32> -> tensor<3xf32>
    %19 = stablehlo.exponential %18 : tensor<3xf32>
    %20 = stablehlo.multiply %17, %19 : tensor<3xf32>
    %21 = call @gammasgn(%6) : (tensor<3xf32>) -> tensor<3xf32>
    %22 = chlo.lgamma %6 : tensor<3xf32> -> tensor<3xf32>
    %23 = stablehlo.exponential %22 : tensor<3xf32>
    %24 = stablehlo.multiply %21, %23 : tensor<3xf32>
    %25 = stablehlo.divide %20, %24 : tensor<3xf32>
    %26 = stablehlo.exponential %8 : tensor<3xf32>
    %27 = stablehlo.multiply %25, %26 : tensor<3xf32>
    %28 = stablehlo.subtract %6, %7 : tensor<3xf32>
    %29 = stablehlo.power %8, %28 : tensor<3xf32>
    %30 = stablehlo.multiply %27, %29 : tensor<3xf32>
    %31 = stablehlo.multiply %30, %16#3 : tensor<3xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %32 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %33 = stablehlo.compare EQ, %3, %32, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %34 = stablehlo.select %33, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %35 = stablehlo.select %33, %arg1, %arg1 : tensor<3xi1>, tensor<3xf32>
    %36 = stablehlo.select %33, %arg2, %arg2 : tensor<3xi1>, tensor<3xf32>
    %37 = stablehlo.divide %34, %35 : tensor<3xf32>
    %38 = stablehlo.multiply %37, %36 : tensor<3xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c_5 = stablehlo.constant dense<1> : tensor<i32>
    %40 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %41:6 = stablehlo.while(%iterArg = %34, %iterArg_19 = %35, %iterArg_20 = %36, %iterArg_21 = %39, %iterArg_22 = %40, %iterArg_23 = %38) : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    cond {
      %c_24 = stablehlo.constant dense<250> : tensor<i32>
      %79 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %80 = stablehlo.compare LT, %iterArg_22, %79, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %81 = stablehlo.abs %iterArg_23 : tensor<3xf32>
      %82 = stablehlo.abs %iterArg_21 : tensor<3xf32>
      %83 = stablehlo.divide %81, %82 : tensor<3xf32>
      %cst_25 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %84 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %85 = stablehlo.compare GT, %83, %84, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %c_26 = stablehlo.constant dense<false> : tensor<i1>
      %86 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i1>) -> tensor<3xi1>
      %87 = stablehlo.compare NE, %80, %86, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
      %88 = stablehlo.convert %87 : tensor<3xi1>
      %89 = stablehlo.and %88, %85 : tensor<3xi1>
      %c_27 = stablehlo.constant dense<false> : tensor<i1>
      %90 = stablehlo.reduce(%89 init: %c_27) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %90 : tensor<i1>
    } do {
      %79 = stablehlo.add %iterArg_21, %iterArg_23 : tensor<3xf32>
      %80 = stablehlo.convert %iterArg_22 : (tensor<3xi32>) -> tensor<3xf32>
      %81 = stablehlo.add %iterArg, %80 : tensor<3xf32>
      %82 = stablehlo.convert %iterArg_22 : (tensor<3xi32>) -> tensor<3xf32>
      %83 = stablehlo.add %iterArg_19, %82 : tensor<3xf32>
      %84 = stablehlo.divide %81, %83 : tensor<3xf32>
      %85 = stablehlo.multiply %84, %iterArg_20 : tensor<3xf32>
      %c_24 = stablehlo.constant dense<1> : tensor<i32>
      %86 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %87 = stablehlo.add %iterArg_22, %86 : tensor<3xi32>
      %88 = stablehlo.convert %87 : (tensor<3xi32>) -> tensor<3xf32>
      %89 = stablehlo.divide %85, %88 : tensor<3xf32>
      %90 = stablehlo.multiply %iterArg_23, %89 : tensor<3xf32>
      %c_25 = stablehlo.constant dense<1> : tensor<i32>
      %91 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %92 = stablehlo.add %iterArg_22, %91 : tensor<3xi32>
      %c_26 = stablehlo.constant dense<250> : tensor<i32>
      %93 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %94 = stablehlo.compare LT, %iterArg_22, %93, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %95 = stablehlo.abs %iterArg_23 : tensor<3xf32>
      %96 = stablehlo.abs %iterArg_21 : tensor<3xf32>
      %97 = stablehlo.divide %95, %96 : tensor<3xf32>
      %cst_27 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %98 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %99 = stablehlo.compare GT, %97, %98, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %c_28 = stablehlo.constant dense<false> : tensor<i1>
      %100 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<i1>) -> tensor<3xi1>
      %101 = stablehlo.compare NE, %94, %100, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
      %102 = stablehlo.convert %101 : tensor<3xi1>
      %103 = stablehlo.and %102, %99 : tensor<3xi1>
      %104 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %105 = stablehlo.select %104, %79, %iterArg_21 : tensor<3xi1>, tensor<3xf32>
      %106 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %107 = stablehlo.select %106, %92, %iterArg_22 : tensor<3xi1>, tensor<3xi32>
      %108 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %109 = stablehlo.select %108, %90, %iterArg_23 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %iterArg, %iterArg_19, %iterArg_20, %105, %107, %109 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>
    }
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %42 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %43 = stablehlo.compare LT, %3, %42, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %44 = stablehlo.select %43, %31, %41#3 : tensor<3xi1>, tensor<3xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %46 = stablehlo.compare EQ, %arg0, %45, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %47 = stablehlo.convert %46 : (tensor<3xi1>) -> tensor<3xi32>
    %c_8 = stablehlo.constant dense<1> : tensor<i32>
    %48 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %49 = stablehlo.multiply %47, %48 : tensor<3xi32>
    %50 = stablehlo.compare EQ, %arg0, %arg1, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %52 = stablehlo.compare NE, %arg0, %51, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %53 = stablehlo.and %50, %52 : tensor<3xi1>
    %54 = stablehlo.convert %53 : (tensor<3xi1>) -> tensor<3xi32>
    %c_10 = stablehlo.constant dense<2> : tensor<i32>
    %55 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %56 = stablehlo.multiply %54, %55 : tensor<3xi32>
    %57 = stablehlo.add %49, %56 : tensor<3xi32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %59 = stablehlo.compare EQ, %arg1, %58, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %61 = stablehlo.compare NE, %arg0, %60, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %62 = stablehlo.and %59, %61 : tensor<3xi1>
    %63 = stablehlo.convert %62 : (tensor<3xi1>) -> tensor<3xi32>
    %c_13 = stablehlo.constant dense<3> : tensor<i32>
    %64 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %65 = stablehlo.multiply %63, %64 : tensor<3xi32>
    %66 = stablehlo.add %57, %65 : tensor<3xi32>
    %67 = stablehlo.exponential %arg2 : tensor<3xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_15 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c_16 = stablehlo.constant dense<2> : tensor<i32>
    %70 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %71 = stablehlo.compare LT, %66, %70, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_17 = stablehlo.constant dense<1> : tensor<i32>
    %72 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %73 = stablehlo.compare LT, %66, %72, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %74 = stablehlo.select %73, %44, %68 : tensor<3xi1>, tensor<3xf32>
    %c_18 = stablehlo.constant dense<3> : tensor<i32>
    %75 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %76 = stablehlo.compare LT, %66, %75, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %77 = stablehlo.select %76, %67, %69 : tensor<3xi1>, tensor<3xf32>
    %78 = stablehlo.select %71, %74, %77 : tensor<3xi1>, tensor<3xf32>
    return %78 : tensor<3xf32>
  }
  func.func private @gammasgn(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.floor %arg0 : tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.compare LT, %arg0, %1, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %3 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %4 = stablehlo.and %2, %3 : tensor<3xi1>
    %5 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %6 = stablehlo.or %4, %5 : tensor<3xi1>
    %c = stablehlo.constant dense<2> : tensor<i32>
    %7 = call @remainder(%0, %c) : (tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %9 = stablehlo.compare NE, %7, %8, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %10 = stablehlo.and %2, %9 : tensor<3xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.compare EQ, %arg0, %11, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %13 = call @signbit(%arg0) : (tensor<3xf32>) -> tensor<3xi1>
    %14 = stablehlo.and %12, %13 : tensor<3xi1>
    %15 = stablehlo.or %10, %14 : tensor<3xi1>
    %c_2 = stablehlo.constant dense<false> : tensor<i1>
    %16 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %18 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %19 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<3xi1>) -> tensor<3x1xi1>
    %20 = stablehlo.concatenate %17, %18, %19, dim = 1 : (tensor<3x1xi1>, tensor<3x1xi1>, tensor<3x1xi1>) -> tensor<3x3xi1>
    %21 = call @argmax(%20) : (tensor<3x3xi1>) -> tensor<3xi32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_5 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %26 = stablehlo.compare LT, %21, %25, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_7 = stablehlo.constant dense<2> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %28 = stablehlo.compare LT, %21, %27, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %29 = stablehlo.select %28, %23, %24 : tensor<3xi1>, tensor<3xf32>
    %30 = stablehlo.select %26, %22, %29 : tensor<3xi1>, tensor<3xf32>
    return %30 : tensor<3xf32>
  }
  func.func private @remainder(%arg0: tensor<3xf32>, %arg1: tensor<i32>) -> tensor<3xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %4 = stablehlo.compare NE, %2, %3, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %6 = stablehlo.compare LT, %2, %5, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.compare LT, %0, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %9 = stablehlo.compare NE, %6, %8, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %10 = stablehlo.and %9, %4 : tensor<3xi1>
    %11 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.add %2, %11 : tensor<3xf32>
    %13 = stablehlo.select %10, %12, %2 : tensor<3xi1>, tensor<3xf32>
    return %13 : tensor<3xf32>
  }
  func.func private @signbit(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<3xf32>) -> tensor<3xi32>
    %c = stablehlo.constant dense<31> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %2 = stablehlo.shift_right_arithmetic %0, %1 : tensor<3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %4 = stablehlo.compare NE, %2, %3, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %5 = stablehlo.convert %4 : tensor<3xi1>
    return %5 : tensor<3xi1>
  }
  func.func private @argmax(%arg0: tensor<3x3xi1>) -> tensor<3xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %c), (%0 init: %c_0) across dimensions = [1] : (tensor<3x3xi1>, tensor<3x3xi32>, tensor<i1>, tensor<i32>) -> (tensor<3xi1>, tensor<3xi32>)
     reducer(%arg1: tensor<i1>, %arg3: tensor<i1>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<i1>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<i1>, tensor<i32>
    }
    return %1#1 : tensor<3xi32>
  }
}

// sinc float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0
// 0.858393669128418 0.36788302659988403 -2.7827534054836178e-08 -2.7827534054836178e-08 0.1273239552974701 1.0 1.0 2.530538223410872e-09 2.530538223410872e-09
// -0.9020282030105591 1.365240454673767 -1.0 1.0 -0.0509297139942646 0.0 0.0 0.1666666716337204 -0.1666666716337204
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<9xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<9xf32> {jax.result_info = "result[1]"}) {
    %0 = call @sinc(%arg0) : (tensor<9xf32>) -> tensor<9xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<9xf32>, tensor<f32>) -> tensor<f32>
    return %1, %0 : tensor<f32>, tensor<9xf32>
  }
  func.func private @sinc(%arg0: tensor<9xf32>) -> tensor<9xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %1 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_0 = stablehlo.constant dense<3.14159274> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %3 = stablehlo.multiply %2, %arg0 : tensor<9xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = call @_where(%1, %cst_1, %3) : (tensor<9xi1>, tensor<f32>, tensor<9xf32>) -> tensor<9xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %6 = stablehlo.multiply %3, %5 : tensor<9xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %8 = stablehlo.add %6, %7 : tensor<9xf32>
    %9 = stablehlo.sine %4 : tensor<9xf32>
    %10 = stablehlo.divide %9, %4 : tensor<9xf32>
    %11 = call @_where_0(%1, %8, %10) : (tensor<9xi1>, tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
    return %11 : tensor<9xf32>
  }
  func.func private @_where(%arg0: tensor<9xi1>, %arg1: tensor<f32>, %arg2: tensor<9xf32>) -> tensor<9xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<9xi1>, tensor<9xf32>
    return %1 : tensor<9xf32>
  }
  func.func private @_where_0(%arg0: tensor<9xi1>, %arg1: tensor<9xf32>, %arg2: tensor<9xf32>) -> tensor<9xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<9xi1>, tensor<9xf32>
    return %0 : tensor<9xf32>
  }
}

// norm.logcdf float32
// 0.0 5.0 14.0 20.0 -7.0
// -0.6931471824645996 -2.98023280720372e-07 -0.0 -0.0 -27.384307861328125
// 0.7978845834732056 1.4867193840473192e-06 0.0 0.0 7.137554168701172
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<5xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<5xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %1 = stablehlo.subtract %arg0, %0 : tensor<5xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %3 = stablehlo.divide %1, %2 : tensor<5xf32>
    %cst_1 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %5 = stablehlo.compare GT, %3, %4, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
    %6 = stablehlo.negate %3 : tensor<5xf32>
    %cst_2 = stablehlo.constant dense<-1.000000e+01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %8 = stablehlo.maximum %3, %7 : tensor<5xf32>
    %9 = call @_where(%5, %6, %8) : (tensor<5xi1>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %cst_3 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<5xf32>
    %12 = stablehlo.abs %11 : tensor<5xf32>
    %cst_4 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %14 = stablehlo.compare LT, %12, %13, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
    %15 = chlo.erf %11 : tensor<5xf32> -> tensor<5xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %17 = stablehlo.add %16, %15 : tensor<5xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %19 = stablehlo.compare GT, %11, %18, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
    %20 = chlo.erfc %12 : tensor<5xf32> -> tensor<5xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %22 = stablehlo.subtract %21, %20 : tensor<5xf32>
    %23 = chlo.erfc %12 : tensor<5xf32> -> tensor<5xf32>
    %24 = stablehlo.select %19, %22, %23 : tensor<5xi1>, tensor<5xf32>
    %25 = stablehlo.select %14, %17, %24 : tensor<5xi1>, tensor<5xf32>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %27 = stablehlo.multiply %26, %25 : tensor<5xf32>
    %28 = stablehlo.negate %27 : tensor<5xf32>
    %cst_9 = stablehlo.constant dense<-1.000000e+01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %30 = stablehlo.compare GT, %3, %29, FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
    %31 = stablehlo.log %27 : tensor<5xf32>
    %cst_10 = stablehlo.constant dense<-1.000000e+01> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %33 = stablehlo.minimum %3, %32 : tensor<5xf32>
    %34 = chlo.square %33 : tensor<5xf32> -> tensor<5xf32>
    %cst_11 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %36 = stablehlo.multiply %35, %34 : tensor<5xf32>
    %37 = stablehlo.negate %33 : tensor<5xf32>
    %38 = stablehlo.log %37 : tensor<5xf32>
    %39 = stablehlo.subtract %36, %38 : tensor<5xf32>
    %cst_12 = stablehlo.constant dense<0.918938517> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %41 = stablehlo.subtract %39, %40 : tensor<5xf32>
    %42 = chlo.square %33 : tensor<5xf32> -> tensor<5xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %46 = stablehlo.divide %45, %42 : tensor<5xf32>
    %47 = stablehlo.add %44, %46 : tensor<5xf32>
    %48 = stablehlo.multiply %42, %42 : tensor<5xf32>
    %cst_16 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %50 = stablehlo.divide %49, %48 : tensor<5xf32>
    %51 = stablehlo.add %43, %50 : tensor<5xf32>
    %52 = stablehlo.multiply %48, %42 : tensor<5xf32>
    %cst_17 = stablehlo.constant dense<1.500000e+01> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %54 = stablehlo.divide %53, %52 : tensor<5xf32>
    %55 = stablehlo.add %47, %54 : tensor<5xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %57 = stablehlo.add %56, %51 : tensor<5xf32>
    %58 = stablehlo.subtract %57, %55 : tensor<5xf32>
    %59 = stablehlo.log %58 : tensor<5xf32>
    %60 = stablehlo.add %41, %59 : tensor<5xf32>
    %61 = call @_where(%30, %31, %60) : (tensor<5xi1>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %62 = call @_where(%5, %28, %61) : (tensor<5xi1>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.reduce(%62 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    return %63, %62 : tensor<f32>, tensor<5xf32>
  }
  func.func private @_where(%arg0: tensor<5xi1>, %arg1: tensor<5xf32>, %arg2: tensor<5xf32>) -> tensor<5xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<5xi1>, tensor<5xf32>
    return %0 : tensor<5xf32>
  }
}

// maximum float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0 20.0 -20.0
// 0.30000001192092896 0.0 1.0 0.0 2.5 0.0 0.0 6.0 0.0 20.0 0.0
// 1.0 0.0 1.0 0.0 1.0 0.5 0.5 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<11xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<11xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<11xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<f32>
    return %2, %1 : tensor<f32>, tensor<11xf32>
  }
}

// maximum_1 float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0 20.0 -20.0
// 1.0 1.0 1.0 1.0 2.5 1.0 1.0 6.0 1.0 20.0 1.0
// 0.0 0.0 0.5 0.0 1.0 0.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<11xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<11xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<11xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<f32>
    return %2, %1 : tensor<f32>, tensor<11xf32>
  }
}

// relu float32
// 0.30000001192092896 -0.699999988079071 1.0 -1.0 2.5 0.0 -0.0 6.0 -6.0 20.0 -20.0
// 0.30000001192092896 0.0 1.0 0.0 2.5 0.0 0.0 6.0 0.0 20.0 0.0
// 1.0 0.0 1.0 0.0 1.0 0.0 0.0 1.0 0.0 1.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<11xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<11xf32> {jax.result_info = "result[1]"}) {
    %0 = call @relu(%arg0) : (tensor<11xf32>) -> tensor<11xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<f32>
    return %1, %0 : tensor<f32>, tensor<11xf32>
  }
  func.func private @relu(%arg0: tensor<11xf32>) -> tensor<11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<11xf32>
    return %1 : tensor<11xf32>
  }
}

// pinv float32
// 1.0 2.0 2.0 4.0 3.0 6.0
// 0.014285712502896786 -0.057142868638038635 0.12857145071029663 0.014285711571574211 0.05714286491274834 -0.08571429550647736
// 0.008775511756539345 0.0047959210351109505 0.006122448015958071 -0.013265309855341911 0.01204081904143095 -0.014183676801621914
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<2x3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<[[1.000000e+00, -2.000000e+00, 3.000000e+00], [5.000000e-01, 1.000000e+00, -1.000000e+00]]> : tensor<2x3xf32>
    %0 = stablehlo.reshape %arg0 : (tensor<6xf32>) -> tensor<3x2xf32>
    %1 = call @_pinv(%0) : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.multiply %1, %cst : tensor<2x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    return %3, %2 : tensor<f32>, tensor<2x3xf32>
  }
  func.func private @_pinv(%arg0: tensor<3x2xf32>) -> tensor<2x3xf32> {
    %cst = stablehlo.constant dense<3.000000e+01> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
    %0 = stablehlo.multiply %cst, %cst_0 : tensor<f32>
    %1:3 = call @svd(%arg0) : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<2x2xf32>)
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %3 = stablehlo.slice %1#1 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %4 = stablehlo.multiply %2, %3 : tensor<1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<1xf32>) -> tensor<2xf32>
    %6 = stablehlo.compare GT, %1#1, %5, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %cst_1 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %7 = call @_where(%6, %1#1, %cst_1) : (tensor<2xi1>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %8 = stablehlo.transpose %1#2, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %9 = stablehlo.transpose %1#0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %10 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
    %12 = stablehlo.divide %9, %11 : tensor<2x3xf32>
    %13 = stablehlo.dot_general %8, %12, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %13 : tensor<2x3xf32>
  }
  func.func private @svd(%arg0: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<2x2xf32>) {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=3, j=2, k=3, l=2, m=2, n=3, o=2, p=2, q=2}, custom>} : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<3x2xf32>, tensor<2x2xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<2xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<2xi1>, tensor<2xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x2xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<3x2xi1>, tensor<3x2xf32>
    %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<2x2xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<2x2xi1>, tensor<2x2xf32>
    return %10, %6, %14 : tensor<3x2xf32>, tensor<2xf32>, tensor<2x2xf32>
  }
  func.func private @_where(%arg0: tensor<2xi1>, %arg1: tensor<2xf32>, %arg2: tensor<f32>) -> tensor<2xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<2xi1>, tensor<2xf32>
    return %2 : tensor<2xf32>
  }
}

// det float32
// 1.0 2.0 3.0 4.0 2.0 4.0 6.0 8.0 1.0 0.0 1.0 0.0 0.0 1.0 1.0 3.0
// -0.0
// 4.0 4.0 -4.0 -0.0 -2.0 -2.0 2.0 0.0 0.0 -0.0 0.0 -0.0 -0.0 0.0 -0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<16xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<16xf32>) -> tensor<4x4xf32>
    %1 = call @det(%0) : (tensor<4x4xf32>) -> tensor<f32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %2, %1 : tensor<f32>, tensor<f32>
  }
  func.func private @det(%arg0: tensor<4x4xf32>) -> tensor<f32> {
    %0:2 = call @slogdet(%arg0) : (tensor<4x4xf32>) -> (tensor<f32>, tensor<f32>)
    %1 = stablehlo.exponential %0#1 : tensor<f32>
    %2 = stablehlo.multiply %0#0, %1 : tensor<f32>
    return %2 : tensor<f32>
  }
  func.func private @slogdet(%arg0: tensor<4x4xf32>) -> (tensor<f32>, tensor<f32>) {
    %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=4, j=4, k=4, l=4, m=4}, custom>} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xi32>, tensor<i32>)
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %2 = stablehlo.subtract %0#1, %1 : tensor<4xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<i32>
    %4 = stablehlo.compare GE, %0#2, %3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x4xi1>
    %8 = stablehlo.select %7, %0#0, %6 : tensor<4x4xi1>, tensor<4x4xf32>
    %9 = stablehlo.iota dim = 0 : tensor<4xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %10:4 = stablehlo.while(%iterArg = %2, %iterArg_13 = %c_2, %iterArg_14 = %c_1, %iterArg_15 = %9) : tensor<4xi32>, tensor<i32>, tensor<i32>, tensor<4xi32>
    cond {
      %c_16 = stablehlo.constant dense<4> : tensor<i32>
      %32 = stablehlo.compare LT, %iterArg_13, %c_16, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %32 : tensor<i1>
    } do {
      %32:2 = func.call @closed_call(%iterArg, %iterArg_14, %iterArg_15) : (tensor<4xi32>, tensor<i32>, tensor<4xi32>) -> (tensor<i32>, tensor<4xi32>)
      %c_16 = stablehlo.constant dense<1> : tensor<i32>
      %33 = stablehlo.add %iterArg_13, %c_16 : tensor<i32>
      stablehlo.return %iterArg, %33, %32#0, %32#1 : tensor<4xi32>, tensor<i32>, tensor<i32>, tensor<4xi32>
    }
    %11 = call @diagonal(%8) : (tensor<4x4xf32>) -> tensor<4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %13 = stablehlo.compare EQ, %11, %12, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %c_4 = stablehlo.constant dense<false> : tensor<i1>
    %14 = stablehlo.reduce(%13 init: %c_4) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
    %15 = stablehlo.iota dim = 0 : tensor<4xi32>
    %16 = stablehlo.compare NE, %2, %15, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %17 = call @count_nonzero(%16) : (tensor<4xi1>) -> tensor<i32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %19 = stablehlo.compare LT, %11, %18, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %20 = call @count_nonzero(%19) : (tensor<4xi1>) -> tensor<i32>
    %21 = stablehlo.add %17, %20 : tensor<i32>
    %c_6 = stablehlo.constant dense<2> : tensor<i32>
    %22 = call @remainder(%21, %c_6) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %c_7 = stablehlo.constant dense<-2> : tensor<i32>
    %23 = stablehlo.multiply %c_7, %22 : tensor<i32>
    %c_8 = stablehlo.constant dense<1> : tensor<i32>
    %24 = stablehlo.add %23, %c_8 : tensor<i32>
    %25 = stablehlo.convert %24 : (tensor<i32>) -> tensor<f32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.multiply %cst_9, %25 : tensor<f32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = call @_where_0(%14, %cst_10, %26) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %28 = stablehlo.abs %11 : tensor<4xf32>
    %29 = stablehlo.log %28 : tensor<4xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %31 = call @_where_0(%14, %cst_12, %30) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    return %27, %31 : tensor<f32>, tensor<f32>
  }
  func.func private @closed_call(%arg0: tensor<4xi32>, %arg1: tensor<i32>, %arg2: tensor<4xi32>) -> (tensor<i32>, tensor<4xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.convert %arg1 : tensor<i32>
    %c_1 = stablehlo.constant dense<4> : tensor<i32>
    %3 = stablehlo.add %2, %c_1 : tensor<i32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<i1>, tensor<i32>
    %5 = stablehlo.dynamic_slice %arg0, %4, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.reshape %5 : (tensor<1xi32>) -> tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.compare LT, %arg1, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %8 = stablehlo.convert %arg1 : tensor<i32>
    %c_3 = stablehlo.constant dense<4> : tensor<i32>
    %9 = stablehlo.add %8, %c_3 : tensor<i32>
    %10 = stablehlo.select %7, %9, %arg1 : tensor<i1>, tensor<i32>
    %11 = stablehlo.dynamic_slice %arg2, %10, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
    %12 = stablehlo.reshape %11 : (tensor<1xi32>) -> tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.compare LT, %6, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_5 = stablehlo.constant dense<4> : tensor<i32>
    %14 = stablehlo.add %6, %c_5 : tensor<i32>
    %15 = stablehlo.select %13, %14, %6 : tensor<i1>, tensor<i32>
    %16 = stablehlo.dynamic_slice %arg2, %15, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
    %17 = stablehlo.reshape %16 : (tensor<1xi32>) -> tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %18 = stablehlo.compare LT, %arg1, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_7 = stablehlo.constant dense<4> : tensor<i32>
    %19 = stablehlo.add %arg1, %c_7 : tensor<i32>
    %20 = stablehlo.select %18, %19, %arg1 : tensor<i1>, tensor<i32>
    %21 = stablehlo.convert %20 : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %23 = "stablehlo.scatter"(%arg2, %22, %17) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<4xi32>, tensor<1xi32>, tensor<i32>) -> tensor<4xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.compare LT, %6, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_9 = stablehlo.constant dense<4> : tensor<i32>
    %25 = stablehlo.add %6, %c_9 : tensor<i32>
    %26 = stablehlo.select %24, %25, %6 : tensor<i1>, tensor<i32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %28 = "stablehlo.scatter"(%23, %27, %12) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<4xi32>, tensor<1xi32>, tensor<i32>) -> tensor<4xi32>
    return %0, %28 : tensor<i32>, tensor<4xi32>
  }
  func.func private @diagonal(%arg0: tensor<4x4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %1 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %3 = stablehlo.add %0, %2 : tensor<4x4xi32>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %5 = stablehlo.convert %4 : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %6 = "stablehlo.case"(%c_0) ({
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }, {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %7 = "stablehlo.case"(%6) ({
      %8 = stablehlo.iota dim = 0 : tensor<4xi32>
      %9 = stablehlo.iota dim = 0 : tensor<4xi32>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %11 = stablehlo.compare LT, %8, %10, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_2 = stablehlo.constant dense<4> : tensor<i32>
      %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %13 = stablehlo.add %8, %12 : tensor<4xi32>
      %14 = stablehlo.select %11, %13, %8 : tensor<4xi1>, tensor<4xi32>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %15 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %16 = stablehlo.compare LT, %9, %15, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_4 = stablehlo.constant dense<4> : tensor<i32>
      %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %18 = stablehlo.add %9, %17 : tensor<4xi32>
      %19 = stablehlo.select %16, %18, %9 : tensor<4xi1>, tensor<4xi32>
      %20 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %21 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %22 = stablehlo.concatenate %20, %21, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
      %23 = "stablehlo.gather"(%arg0, %22) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x4xf32>, tensor<4x2xi32>) -> tensor<4xf32>
      stablehlo.return %23 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %7 : tensor<4xf32>
  }
  func.func private @count_nonzero(%arg0: tensor<4xi1>) -> tensor<i32> {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<4xi1>
    %1 = stablehlo.compare NE, %arg0, %0, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %2 = stablehlo.convert %1 : (tensor<4xi1>) -> tensor<4xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.reduce(%2 init: %c_0) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
    return %3 : tensor<i32>
  }
  func.func private @remainder(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.remainder %arg0, %2 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare NE, %3, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare LT, %3, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.compare NE, %5, %6, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %8 = stablehlo.and %7, %4 : tensor<i1>
    %9 = stablehlo.add %3, %2 : tensor<i32>
    %10 = stablehlo.select %8, %9, %3 : tensor<i1>, tensor<i32>
    return %10 : tensor<i32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
}

// gamma float32
// 0.30000001192092896 1.0 2.5 7.0 30.0 0.5
// 5.715880888601532e-07 0.2179168313741684 1.315557837486267 10.075584411621094 25.178478240966797 0.5340014100074768
// 2.7065958420280367e-05 0.4873395264148712 0.7606914639472961 1.221856951713562 0.9200464487075806 1.3840574026107788
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<[0, 7]> : tensor<2xui32>
    %0 = call @_gamma(%c, %arg0) : (tensor<2xui32>, tensor<6xf32>) -> tensor<6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    return %1, %0 : tensor<f32>, tensor<6xf32>
  }
  func.func private @_gamma(%arg0: tensor<2xui32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<2xui32>) -> tensor<1x2xui32>
    %1 = call @_threefry_split(%0) : (tensor<1x2xui32>) -> tensor<1x6x2xui32>
    %2 = stablehlo.reshape %1 : (tensor<1x6x2xui32>) -> tensor<6x2xui32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %4 = stablehlo.compare GE, %arg1, %3, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %6 = stablehlo.add %arg1, %5 : tensor<6xf32>
    %7 = stablehlo.select %4, %arg1, %6 : tensor<6xi1>, tensor<6xf32>
    %cst_1 = stablehlo.constant dense<0.333333343> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %9 = stablehlo.subtract %7, %8 : tensor<6xf32>
    %10 = stablehlo.sqrt %9 : tensor<6xf32>
    %cst_2 = stablehlo.constant dense<0.333333343> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %12 = stablehlo.divide %11, %10 : tensor<6xf32>
    %13 = call @_threefry_split_0(%2) : (tensor<6x2xui32>) -> tensor<6x2x2xui32>
    %14 = stablehlo.slice %13 [0:6, 0:1, 0:2] : (tensor<6x2x2xui32>) -> tensor<6x1x2xui32>
    %15 = stablehlo.reshape %14 : (tensor<6x1x2xui32>) -> tensor<6x2xui32>
    %16 = stablehlo.slice %13 [0:6, 1:2, 0:2] : (tensor<6x2x2xui32>) -> tensor<6x1x2xui32>
    %17 = stablehlo.reshape %16 : (tensor<6x1x2xui32>) -> tensor<6x2xui32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %21:6 = stablehlo.while(%iterArg = %9, %iterArg_11 = %12, %iterArg_12 = %15, %iterArg_13 = %18, %iterArg_14 = %19, %iterArg_15 = %20) : tensor<6xf32>, tensor<6xf32>, tensor<6x2xui32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    cond {
      %32 = stablehlo.multiply %iterArg_13, %iterArg_13 : tensor<6xf32>
      %cst_16 = stablehlo.constant dense<3.310000e-02> : tensor<f32>
      %33 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %34 = stablehlo.multiply %33, %32 : tensor<6xf32>
      %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %35 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %36 = stablehlo.subtract %35, %34 : tensor<6xf32>
      %37 = stablehlo.compare GE, %iterArg_15, %36, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %38 = stablehlo.log %iterArg_15 : tensor<6xf32>
      %cst_18 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %39 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %40 = stablehlo.multiply %iterArg_13, %39 : tensor<6xf32>
      %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %41 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %42 = stablehlo.subtract %41, %iterArg_14 : tensor<6xf32>
      %43 = stablehlo.log %iterArg_14 : tensor<6xf32>
      %44 = stablehlo.add %42, %43 : tensor<6xf32>
      %45 = stablehlo.multiply %iterArg, %44 : tensor<6xf32>
      %46 = stablehlo.add %40, %45 : tensor<6xf32>
      %47 = stablehlo.compare GE, %38, %46, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %48 = stablehlo.and %37, %47 : tensor<6xi1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %49 = stablehlo.reduce(%48 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<6xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %49 : tensor<i1>
    } do {
      %32 = func.call @_threefry_split_3(%iterArg_12) : (tensor<6x2xui32>) -> tensor<6x3x2xui32>
      %33 = stablehlo.slice %32 [0:6, 0:1, 0:2] : (tensor<6x3x2xui32>) -> tensor<6x1x2xui32>
      %34 = stablehlo.reshape %33 : (tensor<6x1x2xui32>) -> tensor<6x2xui32>
      %35 = stablehlo.slice %32 [0:6, 1:2, 0:2] : (tensor<6x3x2xui32>) -> tensor<6x1x2xui32>
      %36 = stablehlo.reshape %35 : (tensor<6x1x2xui32>) -> tensor<6x2xui32>
      %37 = stablehlo.slice %32 [0:6, 2:3, 0:2] : (tensor<6x3x2xui32>) -> tensor<6x1x2xui32>
      %38 = stablehlo.reshape %37 : (tensor<6x1x2xui32>) -> tensor<6x2xui32>
      %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %39 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %cst_17 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
      %40 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %41:4 = stablehlo.while(%iterArg_24 = %iterArg_11, %iterArg_25 = %36, %iterArg_26 = %39, %iterArg_27 = %40) : tensor<6xf32>, tensor<6x2xui32>, tensor<6xf32>, tensor<6xf32>
      cond {
        %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %71 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<6xf32>
        %72 = stablehlo.compare LE, %iterArg_27, %71, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
        %c = stablehlo.constant dense<false> : tensor<i1>
        %73 = stablehlo.reduce(%72 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<6xi1>, tensor<i1>) -> tensor<i1>
        stablehlo.return %73 : tensor<i1>
      } do {
        %71 = func.call @_threefry_split_0(%iterArg_25) : (tensor<6x2xui32>) -> tensor<6x2x2xui32>
        %72 = stablehlo.slice %71 [0:6, 0:1, 0:2] : (tensor<6x2x2xui32>) -> tensor<6x1x2xui32>
        %73 = stablehlo.reshape %72 : (tensor<6x1x2xui32>) -> tensor<6x2xui32>
        %74 = stablehlo.slice %71 [0:6, 1:2, 0:2] : (tensor<6x2x2xui32>) -> tensor<6x1x2xui32>
        %75 = stablehlo.reshape %74 : (tensor<6x1x2xui32>) -> tensor<6x2xui32>
        %76 = func.call @_normal(%75) : (tensor<6x2xui32>) -> tensor<6xf32>
        %77 = stablehlo.multiply %76, %iterArg_24 : tensor<6xf32>
        %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %78 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<6xf32>
        %79 = stablehlo.add %78, %77 : tensor<6xf32>
        %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %80 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<6xf32>
        %81 = stablehlo.compare LE, %iterArg_27, %80, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
        %82 = stablehlo.broadcast_in_dim %81, dims = [0] : (tensor<6xi1>) -> tensor<6x2xi1>
        %83 = stablehlo.select %82, %73, %iterArg_25 : tensor<6x2xi1>, tensor<6x2xui32>
        %84 = stablehlo.broadcast_in_dim %81, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
        %85 = stablehlo.select %84, %76, %iterArg_26 : tensor<6xi1>, tensor<6xf32>
        %86 = stablehlo.broadcast_in_dim %81, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
        %87 = stablehlo.select %86, %79, %iterArg_27 : tensor<6xi1>, tensor<6xf32>
        stablehlo.return %iterArg_24, %83, %85, %87 : tensor<6xf32>, tensor<6x2xui32>, tensor<6xf32>, tensor<6xf32>
      }
      %42 = stablehlo.multiply %41#2, %41#2 : tensor<6xf32>
      %43 = stablehlo.multiply %41#3, %41#3 : tensor<6xf32>
      %44 = stablehlo.multiply %43, %41#3 : tensor<6xf32>
      %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %45 = func.call @_uniform_8(%38, %cst_18, %cst_19) : (tensor<6x2xui32>, tensor<f32>, tensor<f32>) -> tensor<6xf32>
      %46 = stablehlo.multiply %iterArg_13, %iterArg_13 : tensor<6xf32>
      %cst_20 = stablehlo.constant dense<3.310000e-02> : tensor<f32>
      %47 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %48 = stablehlo.multiply %47, %46 : tensor<6xf32>
      %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %49 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %50 = stablehlo.subtract %49, %48 : tensor<6xf32>
      %51 = stablehlo.compare GE, %iterArg_15, %50, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %52 = stablehlo.log %iterArg_15 : tensor<6xf32>
      %cst_22 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %53 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %54 = stablehlo.multiply %iterArg_13, %53 : tensor<6xf32>
      %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %55 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %56 = stablehlo.subtract %55, %iterArg_14 : tensor<6xf32>
      %57 = stablehlo.log %iterArg_14 : tensor<6xf32>
      %58 = stablehlo.add %56, %57 : tensor<6xf32>
      %59 = stablehlo.multiply %iterArg, %58 : tensor<6xf32>
      %60 = stablehlo.add %54, %59 : tensor<6xf32>
      %61 = stablehlo.compare GE, %52, %60, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %62 = stablehlo.and %51, %61 : tensor<6xi1>
      %63 = stablehlo.broadcast_in_dim %62, dims = [0] : (tensor<6xi1>) -> tensor<6x2xi1>
      %64 = stablehlo.select %63, %34, %iterArg_12 : tensor<6x2xi1>, tensor<6x2xui32>
      %65 = stablehlo.broadcast_in_dim %62, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %66 = stablehlo.select %65, %42, %iterArg_13 : tensor<6xi1>, tensor<6xf32>
      %67 = stablehlo.broadcast_in_dim %62, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %68 = stablehlo.select %67, %44, %iterArg_14 : tensor<6xi1>, tensor<6xf32>
      %69 = stablehlo.broadcast_in_dim %62, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %70 = stablehlo.select %69, %45, %iterArg_15 : tensor<6xi1>, tensor<6xf32>
      stablehlo.return %iterArg, %iterArg_11, %64, %66, %68, %70 : tensor<6xf32>, tensor<6xf32>, tensor<6x2xui32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    }
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = call @_uniform_8(%17, %cst_6, %cst_7) : (tensor<6x2xui32>, tensor<f32>, tensor<f32>) -> tensor<6xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %24 = stablehlo.subtract %23, %22 : tensor<6xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %26 = stablehlo.divide %25, %arg1 : tensor<6xf32>
    %27 = stablehlo.power %24, %26 : tensor<6xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %29 = stablehlo.select %4, %28, %27 : tensor<6xi1>, tensor<6xf32>
    %30 = stablehlo.multiply %9, %21#4 : tensor<6xf32>
    %31 = stablehlo.multiply %30, %29 : tensor<6xf32>
    return %31 : tensor<6xf32>
  }
  func.func private @_threefry_split(%arg0: tensor<1x2xui32>) -> tensor<1x6x2xui32> {
    %0 = stablehlo.slice %arg0 [0:1, 0:1] : (tensor<1x2xui32>) -> tensor<1x1xui32>
    %1 = stablehlo.reshape %0 : (tensor<1x1xui32>) -> tensor<1xui32>
    %2 = stablehlo.slice %arg0 [0:1, 1:2] : (tensor<1x2xui32>) -> tensor<1x1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1x1xui32>) -> tensor<1xui32>
    %4 = stablehlo.iota dim = 0 : tensor<6xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<6xui64>
    %6 = stablehlo.multiply %5, %4 : tensor<6xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<6xui64>
    %8 = stablehlo.shift_right_logical %6, %7 : tensor<6xui64>
    %9 = stablehlo.convert %6 : (tensor<6xui64>) -> tensor<6xui32>
    %10 = stablehlo.convert %8 : (tensor<6xui64>) -> tensor<6xui32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<6xui32>) -> tensor<1x6xui32>
    %12 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<6xui32>) -> tensor<1x6xui32>
    %13 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1xui32>) -> tensor<1x1xui32>
    %14 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xui32>) -> tensor<1x1xui32>
    %15:2 = call @threefry2x32(%13, %14, %11, %12) : (tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x6xui32>, tensor<1x6xui32>) -> (tensor<1x6xui32>, tensor<1x6xui32>)
    %16 = stablehlo.broadcast_in_dim %15#0, dims = [0, 1] : (tensor<1x6xui32>) -> tensor<1x6x1xui32>
    %17 = stablehlo.broadcast_in_dim %15#1, dims = [0, 1] : (tensor<1x6xui32>) -> tensor<1x6x1xui32>
    %18 = stablehlo.concatenate %16, %17, dim = 2 : (tensor<1x6x1xui32>, tensor<1x6x1xui32>) -> tensor<1x6x2xui32>
    return %18 : tensor<1x6x2xui32>
  }
  func.func private @threefry2x32(%arg0: tensor<1x1xui32>, %arg1: tensor<1x1xui32>, %arg2: tensor<1x6xui32>, %arg3: tensor<1x6xui32>) -> (tensor<1x6xui32>, tensor<1x6xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<1x1xui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<1x1xui32>
    %2 = stablehlo.xor %0, %1 : tensor<1x1xui32>
    %3 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<1x1xui32>) -> tensor<1x6xui32>
    %4 = stablehlo.add %arg2, %3 : tensor<1x6xui32>
    %5 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<1x1xui32>) -> tensor<1x6xui32>
    %6 = stablehlo.add %arg3, %5 : tensor<1x6xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %4, %iterArg_6 = %6, %iterArg_7 = %arg1, %iterArg_8 = %2, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<1x6xui32>, tensor<1x6xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %8 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %8:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<1x6xui32>, tensor<1x6xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<1x6xui32>, tensor<1x6xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %9, %8#0, %8#1, %8#2, %8#3, %8#4, %8#5, %8#6, %8#7 : tensor<i32>, tensor<i32>, tensor<1x6xui32>, tensor<1x6xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %7#2, %7#3 : tensor<1x6xui32>, tensor<1x6xui32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<1x6xui32>, %arg2: tensor<1x6xui32>, %arg3: tensor<1x1xui32>, %arg4: tensor<1x1xui32>, %arg5: tensor<1x1xui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<1x6xui32>, tensor<1x6xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<1x6xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<1x6xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<1x6xui32>
    %9 = stablehlo.or %5, %8 : tensor<1x6xui32>
    %10 = stablehlo.xor %3, %9 : tensor<1x6xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<1x6xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<1x6xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<1x6xui32>
    %19 = stablehlo.or %15, %18 : tensor<1x6xui32>
    %20 = stablehlo.xor %13, %19 : tensor<1x6xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<1x6xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<1x6xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<1x6xui32>
    %29 = stablehlo.or %25, %28 : tensor<1x6xui32>
    %30 = stablehlo.xor %23, %29 : tensor<1x6xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<1x6xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<1x6xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<1x6xui32>
    %39 = stablehlo.or %35, %38 : tensor<1x6xui32>
    %40 = stablehlo.xor %33, %39 : tensor<1x6xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1] : (tensor<1x1xui32>) -> tensor<1x6xui32>
    %42 = stablehlo.add %33, %41 : tensor<1x6xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [0, 1] : (tensor<1x1xui32>) -> tensor<1x6xui32>
    %44 = stablehlo.add %40, %43 : tensor<1x6xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %48 = stablehlo.add %44, %47 : tensor<1x6xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<1x6xui32>, tensor<1x6xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_threefry_split_0(%arg0: tensor<6x2xui32>) -> tensor<6x2x2xui32> {
    %0 = stablehlo.slice %arg0 [0:6, 0:1] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %1 = stablehlo.reshape %0 : (tensor<6x1xui32>) -> tensor<6xui32>
    %2 = stablehlo.slice %arg0 [0:6, 1:2] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %3 = stablehlo.reshape %2 : (tensor<6x1xui32>) -> tensor<6xui32>
    %4 = stablehlo.iota dim = 0 : tensor<2xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %6 = stablehlo.multiply %5, %4 : tensor<2xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %8 = stablehlo.shift_right_logical %6, %7 : tensor<2xui64>
    %9 = stablehlo.convert %6 : (tensor<2xui64>) -> tensor<2xui32>
    %10 = stablehlo.convert %8 : (tensor<2xui64>) -> tensor<2xui32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<2xui32>) -> tensor<1x2xui32>
    %12 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<2xui32>) -> tensor<1x2xui32>
    %13 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<6xui32>) -> tensor<6x1xui32>
    %14 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<6xui32>) -> tensor<6x1xui32>
    %15:2 = call @threefry2x32_1(%13, %14, %11, %12) : (tensor<6x1xui32>, tensor<6x1xui32>, tensor<1x2xui32>, tensor<1x2xui32>) -> (tensor<6x2xui32>, tensor<6x2xui32>)
    %16 = stablehlo.broadcast_in_dim %15#0, dims = [0, 1] : (tensor<6x2xui32>) -> tensor<6x2x1xui32>
    %17 = stablehlo.broadcast_in_dim %15#1, dims = [0, 1] : (tensor<6x2xui32>) -> tensor<6x2x1xui32>
    %18 = stablehlo.concatenate %16, %17, dim = 2 : (tensor<6x2x1xui32>, tensor<6x2x1xui32>) -> tensor<6x2x2xui32>
    return %18 : tensor<6x2x2xui32>
  }
  func.func private @threefry2x32_1(%arg0: tensor<6x1xui32>, %arg1: tensor<6x1xui32>, %arg2: tensor<1x2xui32>, %arg3: tensor<1x2xui32>) -> (tensor<6x2xui32>, tensor<6x2xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<6x1xui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<6x1xui32>
    %2 = stablehlo.xor %0, %1 : tensor<6x1xui32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<1x2xui32>) -> tensor<6x2xui32>
    %4 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x2xui32>
    %5 = stablehlo.add %3, %4 : tensor<6x2xui32>
    %6 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1] : (tensor<1x2xui32>) -> tensor<6x2xui32>
    %7 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x2xui32>
    %8 = stablehlo.add %6, %7 : tensor<6x2xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %5, %iterArg_6 = %8, %iterArg_7 = %arg1, %iterArg_8 = %2, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<6x2xui32>, tensor<6x2xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %10 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %10:8 = func.call @closed_call_2(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<6x2xui32>, tensor<6x2xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<6x2xui32>, tensor<6x2xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %11, %10#0, %10#1, %10#2, %10#3, %10#4, %10#5, %10#6, %10#7 : tensor<i32>, tensor<i32>, tensor<6x2xui32>, tensor<6x2xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %9#2, %9#3 : tensor<6x2xui32>, tensor<6x2xui32>
  }
  func.func private @closed_call_2(%arg0: tensor<i32>, %arg1: tensor<6x2xui32>, %arg2: tensor<6x2xui32>, %arg3: tensor<6x1xui32>, %arg4: tensor<6x1xui32>, %arg5: tensor<6x1xui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<6x2xui32>, tensor<6x2xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<6x2xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<6x2xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<6x2xui32>
    %9 = stablehlo.or %5, %8 : tensor<6x2xui32>
    %10 = stablehlo.xor %3, %9 : tensor<6x2xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<6x2xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<6x2xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<6x2xui32>
    %19 = stablehlo.or %15, %18 : tensor<6x2xui32>
    %20 = stablehlo.xor %13, %19 : tensor<6x2xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<6x2xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<6x2xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<6x2xui32>
    %29 = stablehlo.or %25, %28 : tensor<6x2xui32>
    %30 = stablehlo.xor %23, %29 : tensor<6x2xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<6x2xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<6x2xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<6x2xui32>
    %39 = stablehlo.or %35, %38 : tensor<6x2xui32>
    %40 = stablehlo.xor %33, %39 : tensor<6x2xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x2xui32>
    %42 = stablehlo.add %33, %41 : tensor<6x2xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x2xui32>
    %44 = stablehlo.add %40, %43 : tensor<6x2xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %48 = stablehlo.add %44, %47 : tensor<6x2xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<6x2xui32>, tensor<6x2xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_threefry_split_3(%arg0: tensor<6x2xui32>) -> tensor<6x3x2xui32> {
    %0 = stablehlo.slice %arg0 [0:6, 0:1] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %1 = stablehlo.reshape %0 : (tensor<6x1xui32>) -> tensor<6xui32>
    %2 = stablehlo.slice %arg0 [0:6, 1:2] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %3 = stablehlo.reshape %2 : (tensor<6x1xui32>) -> tensor<6xui32>
    %4 = stablehlo.iota dim = 0 : tensor<3xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<3xui64>
    %6 = stablehlo.multiply %5, %4 : tensor<3xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<3xui64>
    %8 = stablehlo.shift_right_logical %6, %7 : tensor<3xui64>
    %9 = stablehlo.convert %6 : (tensor<3xui64>) -> tensor<3xui32>
    %10 = stablehlo.convert %8 : (tensor<3xui64>) -> tensor<3xui32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<3xui32>) -> tensor<1x3xui32>
    %12 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<3xui32>) -> tensor<1x3xui32>
    %13 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<6xui32>) -> tensor<6x1xui32>
    %14 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<6xui32>) -> tensor<6x1xui32>
    %15:2 = call @threefry2x32_4(%13, %14, %11, %12) : (tensor<6x1xui32>, tensor<6x1xui32>, tensor<1x3xui32>, tensor<1x3xui32>) -> (tensor<6x3xui32>, tensor<6x3xui32>)
    %16 = stablehlo.broadcast_in_dim %15#0, dims = [0, 1] : (tensor<6x3xui32>) -> tensor<6x3x1xui32>
    %17 = stablehlo.broadcast_in_dim %15#1, dims = [0, 1] : (tensor<6x3xui32>) -> tensor<6x3x1xui32>
    %18 = stablehlo.concatenate %16, %17, dim = 2 : (tensor<6x3x1xui32>, tensor<6x3x1xui32>) -> tensor<6x3x2xui32>
    return %18 : tensor<6x3x2xui32>
  }
  func.func private @threefry2x32_4(%arg0: tensor<6x1xui32>, %arg1: tensor<6x1xui32>, %arg2: tensor<1x3xui32>, %arg3: tensor<1x3xui32>) -> (tensor<6x3xui32>, tensor<6x3xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<6x1xui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<6x1xui32>
    %2 = stablehlo.xor %0, %1 : tensor<6x1xui32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<1x3xui32>) -> tensor<6x3xui32>
    %4 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x3xui32>
    %5 = stablehlo.add %3, %4 : tensor<6x3xui32>
    %6 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1] : (tensor<1x3xui32>) -> tensor<6x3xui32>
    %7 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x3xui32>
    %8 = stablehlo.add %6, %7 : tensor<6x3xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %5, %iterArg_6 = %8, %iterArg_7 = %arg1, %iterArg_8 = %2, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<6x3xui32>, tensor<6x3xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %10 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %10:8 = func.call @closed_call_5(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<6x3xui32>, tensor<6x3xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<6x3xui32>, tensor<6x3xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %11, %10#0, %10#1, %10#2, %10#3, %10#4, %10#5, %10#6, %10#7 : tensor<i32>, tensor<i32>, tensor<6x3xui32>, tensor<6x3xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %9#2, %9#3 : tensor<6x3xui32>, tensor<6x3xui32>
  }
  func.func private @closed_call_5(%arg0: tensor<i32>, %arg1: tensor<6x3xui32>, %arg2: tensor<6x3xui32>, %arg3: tensor<6x1xui32>, %arg4: tensor<6x1xui32>, %arg5: tensor<6x1xui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<6x3xui32>, tensor<6x3xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<6x3xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<6x3xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<6x3xui32>
    %9 = stablehlo.or %5, %8 : tensor<6x3xui32>
    %10 = stablehlo.xor %3, %9 : tensor<6x3xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<6x3xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<6x3xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<6x3xui32>
    %19 = stablehlo.or %15, %18 : tensor<6x3xui32>
    %20 = stablehlo.xor %13, %19 : tensor<6x3xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<6x3xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<6x3xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<6x3xui32>
    %29 = stablehlo.or %25, %28 : tensor<6x3xui32>
    %30 = stablehlo.xor %23, %29 : tensor<6x3xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<6x3xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<6x3xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<6x3xui32>
    %39 = stablehlo.or %35, %38 : tensor<6x3xui32>
    %40 = stablehlo.xor %33, %39 : tensor<6x3xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x3xui32>
    %42 = stablehlo.add %33, %41 : tensor<6x3xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x3xui32>
    %44 = stablehlo.add %40, %43 : tensor<6x3xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %48 = stablehlo.add %44, %47 : tensor<6x3xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<6x3xui32>, tensor<6x3xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_normal(%arg0: tensor<6x2xui32>) -> tensor<6xf32> {
    %0 = call @_normal_real(%arg0) : (tensor<6x2xui32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func private @_normal_real(%arg0: tensor<6x2xui32>) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<-0.99999994> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform(%arg0, %cst, %cst_0) : (tensor<6x2xui32>, tensor<f32>, tensor<f32>) -> tensor<6xf32>
    %1 = chlo.erf_inv %0 : tensor<6xf32> -> tensor<6xf32>
    %cst_1 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<6xf32>
    return %3 : tensor<6xf32>
  }
  func.func private @_uniform(%arg0: tensor<6x2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<6xf32> {
    %0 = stablehlo.slice %arg0 [0:6, 0:1] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %1 = stablehlo.reshape %0 : (tensor<6x1xui32>) -> tensor<6xui32>
    %2 = stablehlo.slice %arg0 [0:6, 1:2] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %3 = stablehlo.reshape %2 : (tensor<6x1xui32>) -> tensor<6xui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %c_0 = stablehlo.constant dense<0> : tensor<ui32>
    %4:2 = call @threefry2x32_6(%1, %3, %c, %c_0) : (tensor<6xui32>, tensor<6xui32>, tensor<ui32>, tensor<ui32>) -> (tensor<6xui32>, tensor<6xui32>)
    %5 = stablehlo.xor %4#0, %4#1 : tensor<6xui32>
    %c_1 = stablehlo.constant dense<9> : tensor<ui32>
    %6 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %7 = stablehlo.shift_right_logical %5, %6 : tensor<6xui32>
    %c_2 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %9 = stablehlo.or %7, %8 : tensor<6xui32>
    %10 = stablehlo.bitcast_convert %9 : (tensor<6xui32>) -> tensor<6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %12 = stablehlo.subtract %10, %11 : tensor<6xf32>
    %13 = stablehlo.subtract %arg2, %arg1 : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %15 = stablehlo.multiply %12, %14 : tensor<6xf32>
    %16 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %17 = stablehlo.add %15, %16 : tensor<6xf32>
    %18 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %19 = stablehlo.maximum %18, %17 : tensor<6xf32>
    return %19 : tensor<6xf32>
  }
  func.func private @threefry2x32_6(%arg0: tensor<6xui32>, %arg1: tensor<6xui32>, %arg2: tensor<ui32>, %arg3: tensor<ui32>) -> (tensor<6xui32>, tensor<6xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<6xui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %2 = stablehlo.xor %0, %1 : tensor<6xui32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %4 = stablehlo.add %3, %arg0 : tensor<6xui32>
    %5 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %6 = stablehlo.add %5, %arg1 : tensor<6xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %4, %iterArg_6 = %6, %iterArg_7 = %arg1, %iterArg_8 = %2, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %8 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %8:8 = func.call @closed_call_7(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %9, %8#0, %8#1, %8#2, %8#3, %8#4, %8#5, %8#6, %8#7 : tensor<i32>, tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %7#2, %7#3 : tensor<6xui32>, tensor<6xui32>
  }
  func.func private @closed_call_7(%arg0: tensor<i32>, %arg1: tensor<6xui32>, %arg2: tensor<6xui32>, %arg3: tensor<6xui32>, %arg4: tensor<6xui32>, %arg5: tensor<6xui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<6xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<6xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<6xui32>
    %9 = stablehlo.or %5, %8 : tensor<6xui32>
    %10 = stablehlo.xor %3, %9 : tensor<6xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<6xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<6xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<6xui32>
    %19 = stablehlo.or %15, %18 : tensor<6xui32>
    %20 = stablehlo.xor %13, %19 : tensor<6xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<6xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<6xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<6xui32>
    %29 = stablehlo.or %25, %28 : tensor<6xui32>
    %30 = stablehlo.xor %23, %29 : tensor<6xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<6xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<6xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<6xui32>
    %39 = stablehlo.or %35, %38 : tensor<6xui32>
    %40 = stablehlo.xor %33, %39 : tensor<6xui32>
    %41 = stablehlo.add %33, %arg3 : tensor<6xui32>
    %42 = stablehlo.add %40, %arg4 : tensor<6xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %43 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %44 = stablehlo.convert %43 : (tensor<i32>) -> tensor<ui32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %46 = stablehlo.add %42, %45 : tensor<6xui32>
    return %0, %41, %46, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_uniform_8(%arg0: tensor<6x2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<6xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.convert %arg2 : tensor<f32>
    %2 = stablehlo.slice %arg0 [0:6, 0:1] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %3 = stablehlo.reshape %2 : (tensor<6x1xui32>) -> tensor<6xui32>
    %4 = stablehlo.slice %arg0 [0:6, 1:2] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %5 = stablehlo.reshape %4 : (tensor<6x1xui32>) -> tensor<6xui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %c_0 = stablehlo.constant dense<0> : tensor<ui32>
    %6:2 = call @threefry2x32_6(%3, %5, %c, %c_0) : (tensor<6xui32>, tensor<6xui32>, tensor<ui32>, tensor<ui32>) -> (tensor<6xui32>, tensor<6xui32>)
    %7 = stablehlo.xor %6#0, %6#1 : tensor<6xui32>
    %c_1 = stablehlo.constant dense<9> : tensor<ui32>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %9 = stablehlo.shift_right_logical %7, %8 : tensor<6xui32>
    %c_2 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %11 = stablehlo.or %9, %10 : tensor<6xui32>
    %12 = stablehlo.bitcast_convert %11 : (tensor<6xui32>) -> tensor<6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %14 = stablehlo.subtract %12, %13 : tensor<6xf32>
    %15 = stablehlo.subtract %1, %0 : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %17 = stablehlo.multiply %14, %16 : tensor<6xf32>
    %18 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %19 = stablehlo.add %17, %18 : tensor<6xf32>
    %20 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %21 = stablehlo.maximum %20, %19 : tensor<6xf32>
    return %21 : tensor<6xf32>
  }
}

// loggamma float32
// 0.30000001192092896 1.0 2.5 7.0 30.0 0.5
// -14.374847412109375 -1.52364182472229 0.2742607891559601 2.310115098953247 3.22598934173584 -0.627356767654419
// 47.352210998535156 2.2363555431365967 0.5782272815704346 0.121269091963768 0.03654099255800247 2.5918610095977783
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<[0, 7]> : tensor<2xui32>
    %0 = call @_gamma(%c, %arg0) : (tensor<2xui32>, tensor<6xf32>) -> tensor<6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    return %1, %0 : tensor<f32>, tensor<6xf32>
  }
  func.func private @_gamma(%arg0: tensor<2xui32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<2xui32>) -> tensor<1x2xui32>
    %1 = call @_threefry_split(%0) : (tensor<1x2xui32>) -> tensor<1x6x2xui32>
    %2 = stablehlo.reshape %1 : (tensor<1x6x2xui32>) -> tensor<6x2xui32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %4 = stablehlo.compare GE, %arg1, %3, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %6 = stablehlo.add %arg1, %5 : tensor<6xf32>
    %7 = stablehlo.select %4, %arg1, %6 : tensor<6xi1>, tensor<6xf32>
    %cst_1 = stablehlo.constant dense<0.333333343> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %9 = stablehlo.subtract %7, %8 : tensor<6xf32>
    %10 = stablehlo.sqrt %9 : tensor<6xf32>
    %cst_2 = stablehlo.constant dense<0.333333343> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %12 = stablehlo.divide %11, %10 : tensor<6xf32>
    %13 = call @_threefry_split_0(%2) : (tensor<6x2xui32>) -> tensor<6x2x2xui32>
    %14 = stablehlo.slice %13 [0:6, 0:1, 0:2] : (tensor<6x2x2xui32>) -> tensor<6x1x2xui32>
    %15 = stablehlo.reshape %14 : (tensor<6x1x2xui32>) -> tensor<6x2xui32>
    %16 = stablehlo.slice %13 [0:6, 1:2, 0:2] : (tensor<6x2x2xui32>) -> tensor<6x1x2xui32>
    %17 = stablehlo.reshape %16 : (tensor<6x1x2xui32>) -> tensor<6x2xui32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %21:6 = stablehlo.while(%iterArg = %9, %iterArg_9 = %12, %iterArg_10 = %15, %iterArg_11 = %18, %iterArg_12 = %19, %iterArg_13 = %20) : tensor<6xf32>, tensor<6xf32>, tensor<6x2xui32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    cond {
      %36 = stablehlo.multiply %iterArg_11, %iterArg_11 : tensor<6xf32>
      %cst_14 = stablehlo.constant dense<3.310000e-02> : tensor<f32>
      %37 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %38 = stablehlo.multiply %37, %36 : tensor<6xf32>
      %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %39 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %40 = stablehlo.subtract %39, %38 : tensor<6xf32>
      %41 = stablehlo.compare GE, %iterArg_13, %40, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %42 = stablehlo.log %iterArg_13 : tensor<6xf32>
      %cst_16 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %43 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %44 = stablehlo.multiply %iterArg_11, %43 : tensor<6xf32>
      %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %45 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %46 = stablehlo.subtract %45, %iterArg_12 : tensor<6xf32>
      %47 = stablehlo.log %iterArg_12 : tensor<6xf32>
      %48 = stablehlo.add %46, %47 : tensor<6xf32>
      %49 = stablehlo.multiply %iterArg, %48 : tensor<6xf32>
      %50 = stablehlo.add %44, %49 : tensor<6xf32>
      %51 = stablehlo.compare GE, %42, %50, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %52 = stablehlo.and %41, %51 : tensor<6xi1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %53 = stablehlo.reduce(%52 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<6xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %53 : tensor<i1>
    } do {
      %36 = func.call @_threefry_split_3(%iterArg_10) : (tensor<6x2xui32>) -> tensor<6x3x2xui32>
      %37 = stablehlo.slice %36 [0:6, 0:1, 0:2] : (tensor<6x3x2xui32>) -> tensor<6x1x2xui32>
      %38 = stablehlo.reshape %37 : (tensor<6x1x2xui32>) -> tensor<6x2xui32>
      %39 = stablehlo.slice %36 [0:6, 1:2, 0:2] : (tensor<6x3x2xui32>) -> tensor<6x1x2xui32>
      %40 = stablehlo.reshape %39 : (tensor<6x1x2xui32>) -> tensor<6x2xui32>
      %41 = stablehlo.slice %36 [0:6, 2:3, 0:2] : (tensor<6x3x2xui32>) -> tensor<6x1x2xui32>
      %42 = stablehlo.reshape %41 : (tensor<6x1x2xui32>) -> tensor<6x2xui32>
      %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %43 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %cst_15 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
      %44 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %45:4 = stablehlo.while(%iterArg_22 = %iterArg_9, %iterArg_23 = %40, %iterArg_24 = %43, %iterArg_25 = %44) : tensor<6xf32>, tensor<6x2xui32>, tensor<6xf32>, tensor<6xf32>
      cond {
        %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %75 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<6xf32>
        %76 = stablehlo.compare LE, %iterArg_25, %75, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
        %c = stablehlo.constant dense<false> : tensor<i1>
        %77 = stablehlo.reduce(%76 init: %c) applies stablehlo.or across dimensions = [0] : (tensor<6xi1>, tensor<i1>) -> tensor<i1>
        stablehlo.return %77 : tensor<i1>
      } do {
        %75 = func.call @_threefry_split_0(%iterArg_23) : (tensor<6x2xui32>) -> tensor<6x2x2xui32>
        %76 = stablehlo.slice %75 [0:6, 0:1, 0:2] : (tensor<6x2x2xui32>) -> tensor<6x1x2xui32>
        %77 = stablehlo.reshape %76 : (tensor<6x1x2xui32>) -> tensor<6x2xui32>
        %78 = stablehlo.slice %75 [0:6, 1:2, 0:2] : (tensor<6x2x2xui32>) -> tensor<6x1x2xui32>
        %79 = stablehlo.reshape %78 : (tensor<6x1x2xui32>) -> tensor<6x2xui32>
        %80 = func.call @_normal(%79) : (tensor<6x2xui32>) -> tensor<6xf32>
        %81 = stablehlo.multiply %80, %iterArg_22 : tensor<6xf32>
        %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %82 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<6xf32>
        %83 = stablehlo.add %82, %81 : tensor<6xf32>
        %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %84 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<6xf32>
        %85 = stablehlo.compare LE, %iterArg_25, %84, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
        %86 = stablehlo.broadcast_in_dim %85, dims = [0] : (tensor<6xi1>) -> tensor<6x2xi1>
        %87 = stablehlo.select %86, %77, %iterArg_23 : tensor<6x2xi1>, tensor<6x2xui32>
        %88 = stablehlo.broadcast_in_dim %85, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
        %89 = stablehlo.select %88, %80, %iterArg_24 : tensor<6xi1>, tensor<6xf32>
        %90 = stablehlo.broadcast_in_dim %85, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
        %91 = stablehlo.select %90, %83, %iterArg_25 : tensor<6xi1>, tensor<6xf32>
        stablehlo.return %iterArg_22, %87, %89, %91 : tensor<6xf32>, tensor<6x2xui32>, tensor<6xf32>, tensor<6xf32>
      }
      %46 = stablehlo.multiply %45#2, %45#2 : tensor<6xf32>
      %47 = stablehlo.multiply %45#3, %45#3 : tensor<6xf32>
      %48 = stablehlo.multiply %47, %45#3 : tensor<6xf32>
      %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %49 = func.call @_uniform_8(%42, %cst_16, %cst_17) : (tensor<6x2xui32>, tensor<f32>, tensor<f32>) -> tensor<6xf32>
      %50 = stablehlo.multiply %iterArg_11, %iterArg_11 : tensor<6xf32>
      %cst_18 = stablehlo.constant dense<3.310000e-02> : tensor<f32>
      %51 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %52 = stablehlo.multiply %51, %50 : tensor<6xf32>
      %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %53 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %54 = stablehlo.subtract %53, %52 : tensor<6xf32>
      %55 = stablehlo.compare GE, %iterArg_13, %54, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %56 = stablehlo.log %iterArg_13 : tensor<6xf32>
      %cst_20 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %57 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %58 = stablehlo.multiply %iterArg_11, %57 : tensor<6xf32>
      %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %59 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %60 = stablehlo.subtract %59, %iterArg_12 : tensor<6xf32>
      %61 = stablehlo.log %iterArg_12 : tensor<6xf32>
      %62 = stablehlo.add %60, %61 : tensor<6xf32>
      %63 = stablehlo.multiply %iterArg, %62 : tensor<6xf32>
      %64 = stablehlo.add %58, %63 : tensor<6xf32>
      %65 = stablehlo.compare GE, %56, %64, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
      %66 = stablehlo.and %55, %65 : tensor<6xi1>
      %67 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<6xi1>) -> tensor<6x2xi1>
      %68 = stablehlo.select %67, %38, %iterArg_10 : tensor<6x2xi1>, tensor<6x2xui32>
      %69 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %70 = stablehlo.select %69, %46, %iterArg_11 : tensor<6xi1>, tensor<6xf32>
      %71 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %72 = stablehlo.select %71, %48, %iterArg_12 : tensor<6xi1>, tensor<6xf32>
      %73 = stablehlo.broadcast_in_dim %66, dims = [0] : (tensor<6xi1>) -> tensor<6xi1>
      %74 = stablehlo.select %73, %49, %iterArg_13 : tensor<6xi1>, tensor<6xf32>
      stablehlo.return %iterArg, %iterArg_9, %68, %70, %72, %74 : tensor<6xf32>, tensor<6xf32>, tensor<6x2xui32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
    }
    %22 = call @_exponential(%17) : (tensor<6x2xui32>) -> tensor<6xf32>
    %23 = stablehlo.negate %22 : tensor<6xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %25 = stablehlo.compare EQ, %23, %24, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %26 = stablehlo.or %4, %25 : tensor<6xi1>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %28 = stablehlo.divide %27, %arg1 : tensor<6xf32>
    %29 = stablehlo.multiply %23, %28 : tensor<6xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %31 = stablehlo.select %26, %30, %29 : tensor<6xi1>, tensor<6xf32>
    %32 = stablehlo.log %9 : tensor<6xf32>
    %33 = stablehlo.log %21#4 : tensor<6xf32>
    %34 = stablehlo.add %32, %33 : tensor<6xf32>
    %35 = stablehlo.add %34, %31 : tensor<6xf32>
    return %35 : tensor<6xf32>
  }
  func.func private @_threefry_split(%arg0: tensor<1x2xui32>) -> tensor<1x6x2xui32> {
    %0 = stablehlo.slice %arg0 [0:1, 0:1] : (tensor<1x2xui32>) -> tensor<1x1xui32>
    %1 = stablehlo.reshape %0 : (tensor<1x1xui32>) -> tensor<1xui32>
    %2 = stablehlo.slice %arg0 [0:1, 1:2] : (tensor<1x2xui32>) -> tensor<1x1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1x1xui32>) -> tensor<1xui32>
    %4 = stablehlo.iota dim = 0 : tensor<6xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<6xui64>
    %6 = stablehlo.multiply %5, %4 : tensor<6xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<6xui64>
    %8 = stablehlo.shift_right_logical %6, %7 : tensor<6xui64>
    %9 = stablehlo.convert %6 : (tensor<6xui64>) -> tensor<6xui32>
    %10 = stablehlo.convert %8 : (tensor<6xui64>) -> tensor<6xui32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<6xui32>) -> tensor<1x6xui32>
    %12 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<6xui32>) -> tensor<1x6xui32>
    %13 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1xui32>) -> tensor<1x1xui32>
    %14 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xui32>) -> tensor<1x1xui32>
    %15:2 = call @threefry2x32(%13, %14, %11, %12) : (tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x6xui32>, tensor<1x6xui32>) -> (tensor<1x6xui32>, tensor<1x6xui32>)
    %16 = stablehlo.broadcast_in_dim %15#0, dims = [0, 1] : (tensor<1x6xui32>) -> tensor<1x6x1xui32>
    %17 = stablehlo.broadcast_in_dim %15#1, dims = [0, 1] : (tensor<1x6xui32>) -> tensor<1x6x1xui32>
    %18 = stablehlo.concatenate %16, %17, dim = 2 : (tensor<1x6x1xui32>, tensor<1x6x1xui32>) -> tensor<1x6x2xui32>
    return %18 : tensor<1x6x2xui32>
  }
  func.func private @threefry2x32(%arg0: tensor<1x1xui32>, %arg1: tensor<1x1xui32>, %arg2: tensor<1x6xui32>, %arg3: tensor<1x6xui32>) -> (tensor<1x6xui32>, tensor<1x6xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<1x1xui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<1x1xui32>
    %2 = stablehlo.xor %0, %1 : tensor<1x1xui32>
    %3 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<1x1xui32>) -> tensor<1x6xui32>
    %4 = stablehlo.add %arg2, %3 : tensor<1x6xui32>
    %5 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<1x1xui32>) -> tensor<1x6xui32>
    %6 = stablehlo.add %arg3, %5 : tensor<1x6xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %4, %iterArg_6 = %6, %iterArg_7 = %arg1, %iterArg_8 = %2, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<1x6xui32>, tensor<1x6xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %8 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %8:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<1x6xui32>, tensor<1x6xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<1x6xui32>, tensor<1x6xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %9, %8#0, %8#1, %8#2, %8#3, %8#4, %8#5, %8#6, %8#7 : tensor<i32>, tensor<i32>, tensor<1x6xui32>, tensor<1x6xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %7#2, %7#3 : tensor<1x6xui32>, tensor<1x6xui32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<1x6xui32>, %arg2: tensor<1x6xui32>, %arg3: tensor<1x1xui32>, %arg4: tensor<1x1xui32>, %arg5: tensor<1x1xui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<1x6xui32>, tensor<1x6xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<1x6xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<1x6xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<1x6xui32>
    %9 = stablehlo.or %5, %8 : tensor<1x6xui32>
    %10 = stablehlo.xor %3, %9 : tensor<1x6xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<1x6xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<1x6xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<1x6xui32>
    %19 = stablehlo.or %15, %18 : tensor<1x6xui32>
    %20 = stablehlo.xor %13, %19 : tensor<1x6xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<1x6xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<1x6xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<1x6xui32>
    %29 = stablehlo.or %25, %28 : tensor<1x6xui32>
    %30 = stablehlo.xor %23, %29 : tensor<1x6xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<1x6xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<1x6xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<1x6xui32>
    %39 = stablehlo.or %35, %38 : tensor<1x6xui32>
    %40 = stablehlo.xor %33, %39 : tensor<1x6xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1] : (tensor<1x1xui32>) -> tensor<1x6xui32>
    %42 = stablehlo.add %33, %41 : tensor<1x6xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [0, 1] : (tensor<1x1xui32>) -> tensor<1x6xui32>
    %44 = stablehlo.add %40, %43 : tensor<1x6xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<1x6xui32>
    %48 = stablehlo.add %44, %47 : tensor<1x6xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<1x6xui32>, tensor<1x6xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<1x1xui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_threefry_split_0(%arg0: tensor<6x2xui32>) -> tensor<6x2x2xui32> {
    %0 = stablehlo.slice %arg0 [0:6, 0:1] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %1 = stablehlo.reshape %0 : (tensor<6x1xui32>) -> tensor<6xui32>
    %2 = stablehlo.slice %arg0 [0:6, 1:2] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %3 = stablehlo.reshape %2 : (tensor<6x1xui32>) -> tensor<6xui32>
    %4 = stablehlo.iota dim = 0 : tensor<2xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %6 = stablehlo.multiply %5, %4 : tensor<2xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %8 = stablehlo.shift_right_logical %6, %7 : tensor<2xui64>
    %9 = stablehlo.convert %6 : (tensor<2xui64>) -> tensor<2xui32>
    %10 = stablehlo.convert %8 : (tensor<2xui64>) -> tensor<2xui32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<2xui32>) -> tensor<1x2xui32>
    %12 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<2xui32>) -> tensor<1x2xui32>
    %13 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<6xui32>) -> tensor<6x1xui32>
    %14 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<6xui32>) -> tensor<6x1xui32>
    %15:2 = call @threefry2x32_1(%13, %14, %11, %12) : (tensor<6x1xui32>, tensor<6x1xui32>, tensor<1x2xui32>, tensor<1x2xui32>) -> (tensor<6x2xui32>, tensor<6x2xui32>)
    %16 = stablehlo.broadcast_in_dim %15#0, dims = [0, 1] : (tensor<6x2xui32>) -> tensor<6x2x1xui32>
    %17 = stablehlo.broadcast_in_dim %15#1, dims = [0, 1] : (tensor<6x2xui32>) -> tensor<6x2x1xui32>
    %18 = stablehlo.concatenate %16, %17, dim = 2 : (tensor<6x2x1xui32>, tensor<6x2x1xui32>) -> tensor<6x2x2xui32>
    return %18 : tensor<6x2x2xui32>
  }
  func.func private @threefry2x32_1(%arg0: tensor<6x1xui32>, %arg1: tensor<6x1xui32>, %arg2: tensor<1x2xui32>, %arg3: tensor<1x2xui32>) -> (tensor<6x2xui32>, tensor<6x2xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<6x1xui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<6x1xui32>
    %2 = stablehlo.xor %0, %1 : tensor<6x1xui32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<1x2xui32>) -> tensor<6x2xui32>
    %4 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x2xui32>
    %5 = stablehlo.add %3, %4 : tensor<6x2xui32>
    %6 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1] : (tensor<1x2xui32>) -> tensor<6x2xui32>
    %7 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x2xui32>
    %8 = stablehlo.add %6, %7 : tensor<6x2xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %5, %iterArg_6 = %8, %iterArg_7 = %arg1, %iterArg_8 = %2, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<6x2xui32>, tensor<6x2xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %10 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %10:8 = func.call @closed_call_2(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<6x2xui32>, tensor<6x2xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<6x2xui32>, tensor<6x2xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %11, %10#0, %10#1, %10#2, %10#3, %10#4, %10#5, %10#6, %10#7 : tensor<i32>, tensor<i32>, tensor<6x2xui32>, tensor<6x2xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %9#2, %9#3 : tensor<6x2xui32>, tensor<6x2xui32>
  }
  func.func private @closed_call_2(%arg0: tensor<i32>, %arg1: tensor<6x2xui32>, %arg2: tensor<6x2xui32>, %arg3: tensor<6x1xui32>, %arg4: tensor<6x1xui32>, %arg5: tensor<6x1xui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<6x2xui32>, tensor<6x2xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<6x2xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<6x2xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<6x2xui32>
    %9 = stablehlo.or %5, %8 : tensor<6x2xui32>
    %10 = stablehlo.xor %3, %9 : tensor<6x2xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<6x2xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<6x2xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<6x2xui32>
    %19 = stablehlo.or %15, %18 : tensor<6x2xui32>
    %20 = stablehlo.xor %13, %19 : tensor<6x2xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<6x2xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<6x2xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<6x2xui32>
    %29 = stablehlo.or %25, %28 : tensor<6x2xui32>
    %30 = stablehlo.xor %23, %29 : tensor<6x2xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<6x2xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<6x2xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<6x2xui32>
    %39 = stablehlo.or %35, %38 : tensor<6x2xui32>
    %40 = stablehlo.xor %33, %39 : tensor<6x2xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x2xui32>
    %42 = stablehlo.add %33, %41 : tensor<6x2xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x2xui32>
    %44 = stablehlo.add %40, %43 : tensor<6x2xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<6x2xui32>
    %48 = stablehlo.add %44, %47 : tensor<6x2xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<6x2xui32>, tensor<6x2xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_threefry_split_3(%arg0: tensor<6x2xui32>) -> tensor<6x3x2xui32> {
    %0 = stablehlo.slice %arg0 [0:6, 0:1] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %1 = stablehlo.reshape %0 : (tensor<6x1xui32>) -> tensor<6xui32>
    %2 = stablehlo.slice %arg0 [0:6, 1:2] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %3 = stablehlo.reshape %2 : (tensor<6x1xui32>) -> tensor<6xui32>
    %4 = stablehlo.iota dim = 0 : tensor<3xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<3xui64>
    %6 = stablehlo.multiply %5, %4 : tensor<3xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<3xui64>
    %8 = stablehlo.shift_right_logical %6, %7 : tensor<3xui64>
    %9 = stablehlo.convert %6 : (tensor<3xui64>) -> tensor<3xui32>
    %10 = stablehlo.convert %8 : (tensor<3xui64>) -> tensor<3xui32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<3xui32>) -> tensor<1x3xui32>
    %12 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<3xui32>) -> tensor<1x3xui32>
    %13 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<6xui32>) -> tensor<6x1xui32>
    %14 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<6xui32>) -> tensor<6x1xui32>
    %15:2 = call @threefry2x32_4(%13, %14, %11, %12) : (tensor<6x1xui32>, tensor<6x1xui32>, tensor<1x3xui32>, tensor<1x3xui32>) -> (tensor<6x3xui32>, tensor<6x3xui32>)
    %16 = stablehlo.broadcast_in_dim %15#0, dims = [0, 1] : (tensor<6x3xui32>) -> tensor<6x3x1xui32>
    %17 = stablehlo.broadcast_in_dim %15#1, dims = [0, 1] : (tensor<6x3xui32>) -> tensor<6x3x1xui32>
    %18 = stablehlo.concatenate %16, %17, dim = 2 : (tensor<6x3x1xui32>, tensor<6x3x1xui32>) -> tensor<6x3x2xui32>
    return %18 : tensor<6x3x2xui32>
  }
  func.func private @threefry2x32_4(%arg0: tensor<6x1xui32>, %arg1: tensor<6x1xui32>, %arg2: tensor<1x3xui32>, %arg3: tensor<1x3xui32>) -> (tensor<6x3xui32>, tensor<6x3xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<6x1xui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<6x1xui32>
    %2 = stablehlo.xor %0, %1 : tensor<6x1xui32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<1x3xui32>) -> tensor<6x3xui32>
    %4 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x3xui32>
    %5 = stablehlo.add %3, %4 : tensor<6x3xui32>
    %6 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1] : (tensor<1x3xui32>) -> tensor<6x3xui32>
    %7 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x3xui32>
    %8 = stablehlo.add %6, %7 : tensor<6x3xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %5, %iterArg_6 = %8, %iterArg_7 = %arg1, %iterArg_8 = %2, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<6x3xui32>, tensor<6x3xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %10 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %10:8 = func.call @closed_call_5(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<6x3xui32>, tensor<6x3xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<6x3xui32>, tensor<6x3xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %11, %10#0, %10#1, %10#2, %10#3, %10#4, %10#5, %10#6, %10#7 : tensor<i32>, tensor<i32>, tensor<6x3xui32>, tensor<6x3xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %9#2, %9#3 : tensor<6x3xui32>, tensor<6x3xui32>
  }
  func.func private @closed_call_5(%arg0: tensor<i32>, %arg1: tensor<6x3xui32>, %arg2: tensor<6x3xui32>, %arg3: tensor<6x1xui32>, %arg4: tensor<6x1xui32>, %arg5: tensor<6x1xui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<6x3xui32>, tensor<6x3xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<6x3xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<6x3xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<6x3xui32>
    %9 = stablehlo.or %5, %8 : tensor<6x3xui32>
    %10 = stablehlo.xor %3, %9 : tensor<6x3xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<6x3xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<6x3xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<6x3xui32>
    %19 = stablehlo.or %15, %18 : tensor<6x3xui32>
    %20 = stablehlo.xor %13, %19 : tensor<6x3xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<6x3xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<6x3xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<6x3xui32>
    %29 = stablehlo.or %25, %28 : tensor<6x3xui32>
    %30 = stablehlo.xor %23, %29 : tensor<6x3xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<6x3xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<6x3xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<6x3xui32>
    %39 = stablehlo.or %35, %38 : tensor<6x3xui32>
    %40 = stablehlo.xor %33, %39 : tensor<6x3xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x3xui32>
    %42 = stablehlo.add %33, %41 : tensor<6x3xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [0, 1] : (tensor<6x1xui32>) -> tensor<6x3xui32>
    %44 = stablehlo.add %40, %43 : tensor<6x3xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<6x3xui32>
    %48 = stablehlo.add %44, %47 : tensor<6x3xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<6x3xui32>, tensor<6x3xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<6x1xui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_normal(%arg0: tensor<6x2xui32>) -> tensor<6xf32> {
    %0 = call @_normal_real(%arg0) : (tensor<6x2xui32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func private @_normal_real(%arg0: tensor<6x2xui32>) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<-0.99999994> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform(%arg0, %cst, %cst_0) : (tensor<6x2xui32>, tensor<f32>, tensor<f32>) -> tensor<6xf32>
    %1 = chlo.erf_inv %0 : tensor<6xf32> -> tensor<6xf32>
    %cst_1 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<6xf32>
    return %3 : tensor<6xf32>
  }
  func.func private @_uniform(%arg0: tensor<6x2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<6xf32> {
    %0 = stablehlo.slice %arg0 [0:6, 0:1] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %1 = stablehlo.reshape %0 : (tensor<6x1xui32>) -> tensor<6xui32>
    %2 = stablehlo.slice %arg0 [0:6, 1:2] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %3 = stablehlo.reshape %2 : (tensor<6x1xui32>) -> tensor<6xui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %c_0 = stablehlo.constant dense<0> : tensor<ui32>
    %4:2 = call @threefry2x32_6(%1, %3, %c, %c_0) : (tensor<6xui32>, tensor<6xui32>, tensor<ui32>, tensor<ui32>) -> (tensor<6xui32>, tensor<6xui32>)
    %5 = stablehlo.xor %4#0, %4#1 : tensor<6xui32>
    %c_1 = stablehlo.constant dense<9> : tensor<ui32>
    %6 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %7 = stablehlo.shift_right_logical %5, %6 : tensor<6xui32>
    %c_2 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %9 = stablehlo.or %7, %8 : tensor<6xui32>
    %10 = stablehlo.bitcast_convert %9 : (tensor<6xui32>) -> tensor<6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %12 = stablehlo.subtract %10, %11 : tensor<6xf32>
    %13 = stablehlo.subtract %arg2, %arg1 : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %15 = stablehlo.multiply %12, %14 : tensor<6xf32>
    %16 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %17 = stablehlo.add %15, %16 : tensor<6xf32>
    %18 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %19 = stablehlo.maximum %18, %17 : tensor<6xf32>
    return %19 : tensor<6xf32>
  }
  func.func private @threefry2x32_6(%arg0: tensor<6xui32>, %arg1: tensor<6xui32>, %arg2: tensor<ui32>, %arg3: tensor<ui32>) -> (tensor<6xui32>, tensor<6xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<6xui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %2 = stablehlo.xor %0, %1 : tensor<6xui32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %4 = stablehlo.add %3, %arg0 : tensor<6xui32>
    %5 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %6 = stablehlo.add %5, %arg1 : tensor<6xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %4, %iterArg_6 = %6, %iterArg_7 = %arg1, %iterArg_8 = %2, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %8 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %8:8 = func.call @closed_call_7(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %9, %8#0, %8#1, %8#2, %8#3, %8#4, %8#5, %8#6, %8#7 : tensor<i32>, tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %7#2, %7#3 : tensor<6xui32>, tensor<6xui32>
  }
  func.func private @closed_call_7(%arg0: tensor<i32>, %arg1: tensor<6xui32>, %arg2: tensor<6xui32>, %arg3: tensor<6xui32>, %arg4: tensor<6xui32>, %arg5: tensor<6xui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<6xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<6xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<6xui32>
    %9 = stablehlo.or %5, %8 : tensor<6xui32>
    %10 = stablehlo.xor %3, %9 : tensor<6xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<6xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<6xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<6xui32>
    %19 = stablehlo.or %15, %18 : tensor<6xui32>
    %20 = stablehlo.xor %13, %19 : tensor<6xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<6xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<6xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<6xui32>
    %29 = stablehlo.or %25, %28 : tensor<6xui32>
    %30 = stablehlo.xor %23, %29 : tensor<6xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<6xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<6xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<6xui32>
    %39 = stablehlo.or %35, %38 : tensor<6xui32>
    %40 = stablehlo.xor %33, %39 : tensor<6xui32>
    %41 = stablehlo.add %33, %arg3 : tensor<6xui32>
    %42 = stablehlo.add %40, %arg4 : tensor<6xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %43 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %44 = stablehlo.convert %43 : (tensor<i32>) -> tensor<ui32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %46 = stablehlo.add %42, %45 : tensor<6xui32>
    return %0, %41, %46, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<6xui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_uniform_8(%arg0: tensor<6x2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<6xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.convert %arg2 : tensor<f32>
    %2 = stablehlo.slice %arg0 [0:6, 0:1] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %3 = stablehlo.reshape %2 : (tensor<6x1xui32>) -> tensor<6xui32>
    %4 = stablehlo.slice %arg0 [0:6, 1:2] : (tensor<6x2xui32>) -> tensor<6x1xui32>
    %5 = stablehlo.reshape %4 : (tensor<6x1xui32>) -> tensor<6xui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %c_0 = stablehlo.constant dense<0> : tensor<ui32>
    %6:2 = call @threefry2x32_6(%3, %5, %c, %c_0) : (tensor<6xui32>, tensor<6xui32>, tensor<ui32>, tensor<ui32>) -> (tensor<6xui32>, tensor<6xui32>)
    %7 = stablehlo.xor %6#0, %6#1 : tensor<6xui32>
    %c_1 = stablehlo.constant dense<9> : tensor<ui32>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %9 = stablehlo.shift_right_logical %7, %8 : tensor<6xui32>
    %c_2 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<6xui32>
    %11 = stablehlo.or %9, %10 : tensor<6xui32>
    %12 = stablehlo.bitcast_convert %11 : (tensor<6xui32>) -> tensor<6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %14 = stablehlo.subtract %12, %13 : tensor<6xf32>
    %15 = stablehlo.subtract %1, %0 : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %17 = stablehlo.multiply %14, %16 : tensor<6xf32>
    %18 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %19 = stablehlo.add %17, %18 : tensor<6xf32>
    %20 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %21 = stablehlo.maximum %20, %19 : tensor<6xf32>
    return %21 : tensor<6xf32>
  }
  func.func private @_exponential(%arg0: tensor<6x2xui32>) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform_8(%arg0, %cst, %cst_0) : (tensor<6x2xui32>, tensor<f32>, tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.negate %0 : tensor<6xf32>
    %2 = stablehlo.log_plus_one %1 : tensor<6xf32>
    %3 = stablehlo.negate %2 : tensor<6xf32>
    return %3 : tensor<6xf32>
  }
}

// vmap_of_cond float32
// 4.0 0.0 -1.0
// 1.3862943649291992 0.0 -0.0
// 0.25 0.0 0.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %2 = stablehlo.convert %1 : (tensor<3xi1>) -> tensor<3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %5 = stablehlo.select %4, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<3xf32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %9 = stablehlo.compare EQ, %2, %8, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %10 = stablehlo.select %9, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %11 = stablehlo.log %10 : tensor<3xf32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %13 = stablehlo.compare LT, %2, %12, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %14 = stablehlo.select %13, %7, %11 : tensor<3xi1>, tensor<3xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %15, %14 : tensor<f32>, tensor<3xf32>
  }
}

// vmap_of_switch float32
// 4.0 0.0 -1.0
// 1.3862943649291992 0.0 -2.0
// 0.25 0.0 2.0
module @jit_loss_and_value {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.sign %arg0 : tensor<3xf32>
    %1 = stablehlo.convert %0 : (tensor<3xf32>) -> tensor<3xi32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %3 = stablehlo.add %1, %2 : tensor<3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.clamp %4, %3, %5 : tensor<3xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %8 = stablehlo.compare EQ, %6, %7, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %9 = stablehlo.select %8, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<3xf32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %13 = stablehlo.compare EQ, %6, %12, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %14 = stablehlo.select %13, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %16 = stablehlo.multiply %14, %15 : tensor<3xf32>
    %c_5 = stablehlo.constant dense<2> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %18 = stablehlo.compare EQ, %6, %17, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %19 = stablehlo.select %18, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %20 = stablehlo.log %19 : tensor<3xf32>
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %22 = stablehlo.compare LT, %6, %21, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_7 = stablehlo.constant dense<2> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %24 = stablehlo.compare LT, %6, %23, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %25 = stablehlo.select %24, %16, %20 : tensor<3xi1>, tensor<3xf32>
    %26 = stablehlo.select %22, %11, %25 : tensor<3xi1>, tensor<3xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.reduce(%26 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %27, %26 : tensor<f32>, tensor<3xf32>
  }
}
