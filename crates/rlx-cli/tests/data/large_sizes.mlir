// Written by scripts/large_sizes.py.
// ---- iota_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741824xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<1073741824xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %2 = stablehlo.add %0, %1 : tensor<1073741824xf32>
    return %2 : tensor<1073741824xf32>
  }
}
// ---- sort_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741824xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<1073741824xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %2 = stablehlo.add %0, %1 : tensor<1073741824xf32>
    %3 = call @sort(%2) : (tensor<1073741824xf32>) -> tensor<1073741824xf32>
    return %3 : tensor<1073741824xf32>
  }
  func.func private @sort(%arg0: tensor<1073741824xf32>) -> tensor<1073741824xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<1073741824xf32>) -> tensor<1073741824xf32>
    return %0 : tensor<1073741824xf32>
  }
}
// ---- sort_pairs_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741824xi64> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %1 = stablehlo.iota dim = 0 : tensor<1073741824xi64>
    %2:2 = "stablehlo.sort"(%0, %1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i64>, %arg4: tensor<i64>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %4 = stablehlo.select %3, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %5 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %6 = stablehlo.select %5, %cst_1, %4 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %8 = stablehlo.select %7, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %10 = stablehlo.select %9, %cst_4, %8 : tensor<i1>, tensor<f32>
      %11 = stablehlo.compare LT, %6, %10, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    }) : (tensor<1073741824xf32>, tensor<1073741824xi64>) -> (tensor<1073741824xf32>, tensor<1073741824xi64>)
    return %2#1 : tensor<1073741824xi64>
  }
}
// ---- one_hot_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<32768x32768xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<f32>) -> tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<32768xi32>
    %2 = call @_one_hot(%1) : (tensor<32768xi32>) -> tensor<32768x32768xf64>
    return %2 : tensor<32768x32768xf64>
  }
  func.func private @_one_hot(%arg0: tensor<32768xi32>) -> tensor<32768x32768xf64> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<32768xi32>) -> tensor<32768x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x32768xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<32768x1xi32>) -> tensor<32768x32768xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x32768xi32>) -> tensor<32768x32768xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<32768x32768xi32>, tensor<32768x32768xi32>) -> tensor<32768x32768xi1>
    %5 = stablehlo.convert %4 : (tensor<32768x32768xi1>) -> tensor<32768x32768xf64>
    return %5 : tensor<32768x32768xf64>
  }
}
// ---- random_bits_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741824xui64> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<32> : tensor<i64>
    %0 = stablehlo.shift_right_logical %c, %c_0 : tensor<i64>
    %1 = stablehlo.convert %0 : (tensor<i64>) -> tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %c_1 = stablehlo.constant dense<4294967295> : tensor<i64>
    %3 = stablehlo.and %c, %c_1 : tensor<i64>
    %4 = stablehlo.convert %3 : (tensor<i64>) -> tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %6 = stablehlo.concatenate %2, %5, dim = 0 : (tensor<1xui32>, tensor<1xui32>) -> tensor<2xui32>
    %7 = stablehlo.slice %6 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %8 = stablehlo.reshape %7 : (tensor<1xui32>) -> tensor<ui32>
    %9 = stablehlo.slice %6 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %10 = stablehlo.reshape %9 : (tensor<1xui32>) -> tensor<ui32>
    %11 = stablehlo.iota dim = 0 : tensor<1073741824xui64>
    %c_2 = stablehlo.constant dense<1> : tensor<ui64>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<1073741824xui64>
    %13 = stablehlo.multiply %12, %11 : tensor<1073741824xui64>
    %c_3 = stablehlo.constant dense<32> : tensor<ui64>
    %14 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui64>) -> tensor<1073741824xui64>
    %15 = stablehlo.shift_right_logical %13, %14 : tensor<1073741824xui64>
    %16 = stablehlo.convert %13 : (tensor<1073741824xui64>) -> tensor<1073741824xui32>
    %17 = stablehlo.convert %15 : (tensor<1073741824xui64>) -> tensor<1073741824xui32>
    %18:2 = call @threefry2x32(%8, %10, %17, %16) : (tensor<ui32>, tensor<ui32>, tensor<1073741824xui32>, tensor<1073741824xui32>) -> (tensor<1073741824xui32>, tensor<1073741824xui32>)
    %19 = stablehlo.convert %18#0 : (tensor<1073741824xui32>) -> tensor<1073741824xui64>
    %20 = stablehlo.convert %18#1 : (tensor<1073741824xui32>) -> tensor<1073741824xui64>
    %c_4 = stablehlo.constant dense<32> : tensor<ui64>
    %21 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui64>) -> tensor<1073741824xui64>
    %22 = stablehlo.shift_left %19, %21 : tensor<1073741824xui64>
    %23 = stablehlo.or %22, %20 : tensor<1073741824xui64>
    %24 = stablehlo.convert %arg0 : (tensor<f32>) -> tensor<ui32>
    %25 = stablehlo.convert %24 : (tensor<ui32>) -> tensor<ui64>
    %26 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<ui64>) -> tensor<1073741824xui64>
    %27 = stablehlo.add %23, %26 : tensor<1073741824xui64>
    return %27 : tensor<1073741824xui64>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<1073741824xui32>, %arg3: tensor<1073741824xui32>) -> (tensor<1073741824xui32>, tensor<1073741824xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<1073741824xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<1073741824xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i64>, tensor<i64>, tensor<1073741824xui32>, tensor<1073741824xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i64>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i64>, tensor<1073741824xui32>, tensor<1073741824xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i64>, tensor<1073741824xui32>, tensor<1073741824xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i64>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i64>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i64>, tensor<i64>, tensor<1073741824xui32>, tensor<1073741824xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<1073741824xui32>, tensor<1073741824xui32>
  }
  func.func private @closed_call(%arg0: tensor<i64>, %arg1: tensor<1073741824xui32>, %arg2: tensor<1073741824xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i64>, tensor<1073741824xui32>, tensor<1073741824xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg0, %c : tensor<i64>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<1073741824xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<1073741824xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<1073741824xui32>
    %9 = stablehlo.or %5, %8 : tensor<1073741824xui32>
    %10 = stablehlo.xor %3, %9 : tensor<1073741824xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<1073741824xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<1073741824xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<1073741824xui32>
    %19 = stablehlo.or %15, %18 : tensor<1073741824xui32>
    %20 = stablehlo.xor %13, %19 : tensor<1073741824xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<1073741824xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<1073741824xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<1073741824xui32>
    %29 = stablehlo.or %25, %28 : tensor<1073741824xui32>
    %30 = stablehlo.xor %23, %29 : tensor<1073741824xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<1073741824xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<1073741824xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<1073741824xui32>
    %39 = stablehlo.or %35, %38 : tensor<1073741824xui32>
    %40 = stablehlo.xor %33, %39 : tensor<1073741824xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %42 = stablehlo.add %33, %41 : tensor<1073741824xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %44 = stablehlo.add %40, %43 : tensor<1073741824xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i64>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i64>
    %46 = stablehlo.convert %45 : (tensor<i64>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %48 = stablehlo.add %44, %47 : tensor<1073741824xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i64>, tensor<1073741824xui32>, tensor<1073741824xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
}
// ---- normal_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741824xf64> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<32> : tensor<i64>
    %0 = stablehlo.shift_right_logical %c, %c_0 : tensor<i64>
    %1 = stablehlo.convert %0 : (tensor<i64>) -> tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %c_1 = stablehlo.constant dense<4294967295> : tensor<i64>
    %3 = stablehlo.and %c, %c_1 : tensor<i64>
    %4 = stablehlo.convert %3 : (tensor<i64>) -> tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %6 = stablehlo.concatenate %2, %5, dim = 0 : (tensor<1xui32>, tensor<1xui32>) -> tensor<2xui32>
    %7 = call @_normal(%6) : (tensor<2xui32>) -> tensor<1073741824xf64>
    %8 = stablehlo.convert %arg0 : (tensor<f32>) -> tensor<f64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f64>) -> tensor<1073741824xf64>
    %10 = stablehlo.multiply %7, %9 : tensor<1073741824xf64>
    return %10 : tensor<1073741824xf64>
  }
  func.func private @_normal(%arg0: tensor<2xui32>) -> tensor<1073741824xf64> {
    %0 = call @_normal_real(%arg0) : (tensor<2xui32>) -> tensor<1073741824xf64>
    return %0 : tensor<1073741824xf64>
  }
  func.func private @_normal_real(%arg0: tensor<2xui32>) -> tensor<1073741824xf64> {
    %cst = stablehlo.constant dense<-0.99999999999999988> : tensor<f64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = call @_uniform(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f64>, tensor<f64>) -> tensor<1073741824xf64>
    %1 = chlo.erf_inv %0 : tensor<1073741824xf64> -> tensor<1073741824xf64>
    %cst_1 = stablehlo.constant dense<1.4142135623730951> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<1073741824xf64>
    %3 = stablehlo.multiply %2, %1 : tensor<1073741824xf64>
    return %3 : tensor<1073741824xf64>
  }
  func.func private @_uniform(%arg0: tensor<2xui32>, %arg1: tensor<f64>, %arg2: tensor<f64>) -> tensor<1073741824xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %2 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.iota dim = 0 : tensor<1073741824xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<1073741824xui64>
    %8 = stablehlo.multiply %7, %6 : tensor<1073741824xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %9 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<1073741824xui64>
    %10 = stablehlo.shift_right_logical %8, %9 : tensor<1073741824xui64>
    %11 = stablehlo.convert %8 : (tensor<1073741824xui64>) -> tensor<1073741824xui32>
    %12 = stablehlo.convert %10 : (tensor<1073741824xui64>) -> tensor<1073741824xui32>
    %13:2 = call @threefry2x32(%3, %5, %12, %11) : (tensor<ui32>, tensor<ui32>, tensor<1073741824xui32>, tensor<1073741824xui32>) -> (tensor<1073741824xui32>, tensor<1073741824xui32>)
    %14 = stablehlo.convert %13#0 : (tensor<1073741824xui32>) -> tensor<1073741824xui64>
    %15 = stablehlo.convert %13#1 : (tensor<1073741824xui32>) -> tensor<1073741824xui64>
    %c_1 = stablehlo.constant dense<32> : tensor<ui64>
    %16 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<1073741824xui64>
    %17 = stablehlo.shift_left %14, %16 : tensor<1073741824xui64>
    %18 = stablehlo.or %17, %15 : tensor<1073741824xui64>
    %c_2 = stablehlo.constant dense<12> : tensor<ui64>
    %19 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<1073741824xui64>
    %20 = stablehlo.shift_right_logical %18, %19 : tensor<1073741824xui64>
    %c_3 = stablehlo.constant dense<4607182418800017408> : tensor<ui64>
    %21 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui64>) -> tensor<1073741824xui64>
    %22 = stablehlo.or %20, %21 : tensor<1073741824xui64>
    %23 = stablehlo.bitcast_convert %22 : (tensor<1073741824xui64>) -> tensor<1073741824xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %24 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<1073741824xf64>
    %25 = stablehlo.subtract %23, %24 : tensor<1073741824xf64>
    %26 = stablehlo.subtract %1, %0 : tensor<1xf64>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<1xf64>) -> tensor<1073741824xf64>
    %28 = stablehlo.multiply %25, %27 : tensor<1073741824xf64>
    %29 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<1xf64>) -> tensor<1073741824xf64>
    %30 = stablehlo.add %28, %29 : tensor<1073741824xf64>
    %31 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<1xf64>) -> tensor<1073741824xf64>
    %32 = stablehlo.maximum %31, %30 : tensor<1073741824xf64>
    return %32 : tensor<1073741824xf64>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<1073741824xui32>, %arg3: tensor<1073741824xui32>) -> (tensor<1073741824xui32>, tensor<1073741824xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<1073741824xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<1073741824xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i64>, tensor<i64>, tensor<1073741824xui32>, tensor<1073741824xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i64>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i64>, tensor<1073741824xui32>, tensor<1073741824xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i64>, tensor<1073741824xui32>, tensor<1073741824xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i64>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i64>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i64>, tensor<i64>, tensor<1073741824xui32>, tensor<1073741824xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<1073741824xui32>, tensor<1073741824xui32>
  }
  func.func private @closed_call(%arg0: tensor<i64>, %arg1: tensor<1073741824xui32>, %arg2: tensor<1073741824xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i64>, tensor<1073741824xui32>, tensor<1073741824xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg0, %c : tensor<i64>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<1073741824xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<1073741824xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<1073741824xui32>
    %9 = stablehlo.or %5, %8 : tensor<1073741824xui32>
    %10 = stablehlo.xor %3, %9 : tensor<1073741824xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<1073741824xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<1073741824xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<1073741824xui32>
    %19 = stablehlo.or %15, %18 : tensor<1073741824xui32>
    %20 = stablehlo.xor %13, %19 : tensor<1073741824xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<1073741824xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<1073741824xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<1073741824xui32>
    %29 = stablehlo.or %25, %28 : tensor<1073741824xui32>
    %30 = stablehlo.xor %23, %29 : tensor<1073741824xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<1073741824xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<1073741824xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<1073741824xui32>
    %39 = stablehlo.or %35, %38 : tensor<1073741824xui32>
    %40 = stablehlo.xor %33, %39 : tensor<1073741824xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %42 = stablehlo.add %33, %41 : tensor<1073741824xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %44 = stablehlo.add %40, %43 : tensor<1073741824xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i64>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i64>
    %46 = stablehlo.convert %45 : (tensor<i64>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<1073741824xui32>
    %48 = stablehlo.add %44, %47 : tensor<1073741824xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i64>, tensor<1073741824xui32>, tensor<1073741824xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
}
// ---- fft_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741824xcomplex<f32>> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %1 = call @fft(%0) : (tensor<1073741824xf32>) -> tensor<1073741824xcomplex<f32>>
    return %1 : tensor<1073741824xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<1073741824xf32>) -> tensor<1073741824xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<1073741824xf32>) -> tensor<1073741824xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [1073741824] : (tensor<1073741824xcomplex<f32>>) -> tensor<1073741824xcomplex<f32>>
    return %1 : tensor<1073741824xcomplex<f32>>
  }
}
// ---- rfft_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<536870913xcomplex<f32>> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %1 = call @fft(%0) : (tensor<1073741824xf32>) -> tensor<536870913xcomplex<f32>>
    return %1 : tensor<536870913xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<1073741824xf32>) -> tensor<536870913xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [1073741824] : (tensor<1073741824xf32>) -> tensor<536870913xcomplex<f32>>
    return %0 : tensor<536870913xcomplex<f32>>
  }
}
// ---- fft_prime_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741737xcomplex<f32>> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1073741737xf32>
    %1 = call @fft(%0) : (tensor<1073741737xf32>) -> tensor<1073741737xcomplex<f32>>
    return %1 : tensor<1073741737xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<1073741737xf32>) -> tensor<1073741737xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<1073741737xf32>) -> tensor<1073741737xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [1073741737] : (tensor<1073741737xcomplex<f32>>) -> tensor<1073741737xcomplex<f32>>
    return %1 : tensor<1073741737xcomplex<f32>>
  }
}
// ---- convolution_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1x1x1073741824xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1x1x1073741824xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1x1x3xf32>
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x1073741824xf32>, tensor<1x1x3xf32>) -> tensor<1x1x1073741824xf32>
    return %2 : tensor<1x1x1073741824xf32>
  }
}
// ---- convolution_pad_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1x1x2147483647xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1x1x3xf32>
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1073741824, 1073741824]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x1xf32>, tensor<1x1x3xf32>) -> tensor<1x1x2147483647xf32>
    return %2 : tensor<1x1x2147483647xf32>
  }
}
// ---- convolution_stride_30 runs
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1x1x2xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1x1x3xf32>
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1073741824], pad = [[1073741824, 1073741824]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x1xf32>, tensor<1x1x3xf32>) -> tensor<1x1x2xf32>
    return %2 : tensor<1x1x2xf32>
  }
}
// ---- window_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741824xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.reduce_window"(%0, %1) <{base_dilations = array<i64: 1>, padding = dense<1> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<1073741824xf32>, tensor<f32>) -> tensor<1073741824xf32>
    return %2 : tensor<1073741824xf32>
  }
}
// ---- window_pad_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741829xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.reduce_window"(%0, %1) <{base_dilations = array<i64: 1>, padding = dense<1073741824> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 1073741824>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<1073741829xf32>
    return %2 : tensor<1073741829xf32>
  }
}
// ---- window_dilated_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<2952790015xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.reduce_window"(%0, %1) <{base_dilations = array<i64: 268435456>, padding = dense<1073741824> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<2952790015xf32>
    return %2 : tensor<2952790015xf32>
  }
}
// ---- window_long_30 runs
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.reduce_window"(%0, %1) <{base_dilations = array<i64: 1>, padding = dense<[[1073741823, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 1073741824>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
// ---- pool_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<536870912xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.reduce_window"(%0, %1) <{base_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<1073741824xf32>, tensor<f32>) -> tensor<536870912xf32>
    return %2 : tensor<536870912xf32>
  }
}
// ---- pool_gradient_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<536870912xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.pad %0, %cst_0, low = [0], high = [0], interior = [0] : (tensor<1073741824xf32>, tensor<f32>) -> tensor<1073741824xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = "stablehlo.select_and_scatter"(%2, %1, %cst_1) <{padding = dense<0> : tensor<1x2xi64>, window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %6 = stablehlo.compare GE, %arg1, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    }, {
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %6 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<1073741824xf32>, tensor<536870912xf32>, tensor<f32>) -> tensor<1073741824xf32>
    %4 = stablehlo.slice %3 [0:1073741824] : (tensor<1073741824xf32>) -> tensor<1073741824xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<1073741824xf32>, tensor<f32>) -> tensor<f32>
    return %5 : tensor<f32>
  }
}
// ---- lu_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<32768x32768xf32>
    %1:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=32768, j=32768, k=32768, l=32768, m=32768}, custom>} : (tensor<32768x32768xf32>) -> (tensor<32768x32768xf32>, tensor<32768xi32>, tensor<i32>)
    %c = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<32768xi32>
    %3 = stablehlo.subtract %1#1, %2 : tensor<32768xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<i32>
    %5 = stablehlo.compare GE, %1#2, %4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32768x32768xf32>
    %8 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<32768x32768xi1>
    %9 = stablehlo.select %8, %1#0, %7 : tensor<32768x32768xi1>, tensor<32768x32768xf32>
    %10 = stablehlo.iota dim = 0 : tensor<32768xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %11:4 = stablehlo.while(%iterArg = %3, %iterArg_3 = %c_2, %iterArg_4 = %c_1, %iterArg_5 = %10) : tensor<32768xi32>, tensor<i64>, tensor<i64>, tensor<32768xi32>
    cond {
      %c_6 = stablehlo.constant dense<32768> : tensor<i64>
      %14 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %14 : tensor<i1>
    } do {
      %14:2 = func.call @closed_call(%iterArg, %iterArg_4, %iterArg_5) : (tensor<32768xi32>, tensor<i64>, tensor<32768xi32>) -> (tensor<i64>, tensor<32768xi32>)
      %c_6 = stablehlo.constant dense<1> : tensor<i64>
      %15 = stablehlo.add %iterArg_3, %c_6 : tensor<i64>
      stablehlo.return %iterArg, %15, %14#0, %14#1 : tensor<32768xi32>, tensor<i64>, tensor<i64>, tensor<32768xi32>
    }
    %12 = stablehlo.slice %9 [0:1, 0:1] : (tensor<32768x32768xf32>) -> tensor<1x1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x1xf32>) -> tensor<f32>
    return %13 : tensor<f32>
  }
  func.func private @closed_call(%arg0: tensor<32768xi32>, %arg1: tensor<i64>, %arg2: tensor<32768xi32>) -> (tensor<i64>, tensor<32768xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg1, %c : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %2 = stablehlo.convert %arg1 : tensor<i64>
    %c_1 = stablehlo.constant dense<32768> : tensor<i64>
    %3 = stablehlo.add %2, %c_1 : tensor<i64>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<i1>, tensor<i64>
    %5 = stablehlo.dynamic_slice %arg0, %4, sizes = [1] : (tensor<32768xi32>, tensor<i64>) -> tensor<1xi32>
    %6 = stablehlo.reshape %5 : (tensor<1xi32>) -> tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.compare LT, %arg1, %c_2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %8 = stablehlo.convert %arg1 : tensor<i64>
    %c_3 = stablehlo.constant dense<32768> : tensor<i64>
    %9 = stablehlo.add %8, %c_3 : tensor<i64>
    %10 = stablehlo.select %7, %9, %arg1 : tensor<i1>, tensor<i64>
    %11 = stablehlo.dynamic_slice %arg2, %10, sizes = [1] : (tensor<32768xi32>, tensor<i64>) -> tensor<1xi32>
    %12 = stablehlo.reshape %11 : (tensor<1xi32>) -> tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.compare LT, %6, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_5 = stablehlo.constant dense<32768> : tensor<i32>
    %14 = stablehlo.add %6, %c_5 : tensor<i32>
    %15 = stablehlo.select %13, %14, %6 : tensor<i1>, tensor<i32>
    %16 = stablehlo.dynamic_slice %arg2, %15, sizes = [1] : (tensor<32768xi32>, tensor<i32>) -> tensor<1xi32>
    %17 = stablehlo.reshape %16 : (tensor<1xi32>) -> tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i64>
    %18 = stablehlo.compare LT, %arg1, %c_6, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_7 = stablehlo.constant dense<32768> : tensor<i64>
    %19 = stablehlo.add %arg1, %c_7 : tensor<i64>
    %20 = stablehlo.select %18, %19, %arg1 : tensor<i1>, tensor<i64>
    %21 = stablehlo.convert %20 : (tensor<i64>) -> tensor<i32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %23 = "stablehlo.scatter"(%arg2, %22, %17) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<32768xi32>, tensor<1xi32>, tensor<i32>) -> tensor<32768xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.compare LT, %6, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_9 = stablehlo.constant dense<32768> : tensor<i32>
    %25 = stablehlo.add %6, %c_9 : tensor<i32>
    %26 = stablehlo.select %24, %25, %6 : tensor<i1>, tensor<i32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %28 = "stablehlo.scatter"(%23, %27, %12) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<32768xi32>, tensor<1xi32>, tensor<i32>) -> tensor<32768xi32>
    return %0, %28 : tensor<i64>, tensor<32768xi32>
  }
}
// ---- qr_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<8x8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<134217728x8xf32>
    %1 = call @qr(%0) : (tensor<134217728x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
  func.func private @qr(%arg0: tensor<134217728x8xf32>) -> tensor<8x8xf32> {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=134217728, j=8, k=134217728, l=8, m=8}, custom>} : (tensor<134217728x8xf32>) -> (tensor<134217728x8xf32>, tensor<8xf32>)
    %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%0#0, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([l, m]) {i=134217728, j=8, k=8, l=134217728, m=8}, custom>} : (tensor<134217728x8xf32>, tensor<8xf32>) -> tensor<134217728x8xf32>
    %2 = stablehlo.slice %0#0 [0:8, 0:8] : (tensor<134217728x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.iota dim = 0 : tensor<8x8xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<8x8xi64>
    %5 = stablehlo.add %3, %4 : tensor<8x8xi64>
    %6 = stablehlo.iota dim = 1 : tensor<8x8xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x8xi64>, tensor<8x8xi64>) -> tensor<8x8xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %9 = stablehlo.select %7, %8, %2 : tensor<8x8xi1>, tensor<8x8xf32>
    return %9 : tensor<8x8xf32>
  }
}
// ---- cholesky_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<32768x32768xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<32768x32768xf32>
    %1 = call @cholesky(%0) : (tensor<32768x32768xf32>) -> tensor<32768x32768xf32>
    return %1 : tensor<32768x32768xf32>
  }
  func.func private @cholesky(%arg0: tensor<32768x32768xf32>) -> tensor<32768x32768xf32> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<32768x32768xf32>) -> tensor<32768x32768xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<32768x32768xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32768x32768xf32>
    %3 = stablehlo.divide %1, %2 : tensor<32768x32768xf32>
    %4:2 = stablehlo.custom_call @lapack_spotrf_ffi(%3) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=32768, j=32768, k=32768, l=32768}, custom>} : (tensor<32768x32768xf32>) -> (tensor<32768x32768xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %6 = stablehlo.compare EQ, %4#1, %5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32768x32768xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<32768x32768xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<32768x32768xi1>, tensor<32768x32768xf32>
    %11 = stablehlo.iota dim = 0 : tensor<32768x32768xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<32768x32768xi64>
    %13 = stablehlo.add %11, %12 : tensor<32768x32768xi64>
    %14 = stablehlo.iota dim = 1 : tensor<32768x32768xi64>
    %15 = stablehlo.compare GE, %13, %14, SIGNED : (tensor<32768x32768xi64>, tensor<32768x32768xi64>) -> tensor<32768x32768xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<32768x32768xf32>
    %17 = stablehlo.select %15, %10, %16 : tensor<32768x32768xi1>, tensor<32768x32768xf32>
    return %17 : tensor<32768x32768xf32>
  }
}
// ---- eigh_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<32768xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<32768x32768xf32>
    %1 = call @eigh(%0) : (tensor<32768x32768xf32>) -> tensor<32768xf32>
    return %1 : tensor<32768xf32>
  }
  func.func private @eigh(%arg0: tensor<32768x32768xf32>) -> tensor<32768xf32> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<32768x32768xf32>) -> tensor<32768x32768xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<32768x32768xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32768x32768xf32>
    %3 = stablehlo.divide %1, %2 : tensor<32768x32768xf32>
    %4:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%3) {backend_config = "", mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=32768, j=32768, k=32768, l=32768, m=32768}, custom>} : (tensor<32768x32768xf32>) -> (tensor<32768x32768xf32>, tensor<32768xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %6 = stablehlo.compare EQ, %4#2, %5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32768x32768xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<32768x32768xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<32768x32768xi1>, tensor<32768x32768xf32>
    %11 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32768xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<1xi1>) -> tensor<32768xi1>
    %14 = stablehlo.select %13, %4#1, %12 : tensor<32768xi1>, tensor<32768xf32>
    return %14 : tensor<32768xf32>
  }
}
// ---- svd_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<134217728x8xf32>
    %1 = call @svd(%0) : (tensor<134217728x8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @svd(%arg0: tensor<134217728x8xf32>) -> tensor<8xf32> {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=134217728, j=8, k=134217728, l=8, m=8, n=134217728, o=8, p=8, q=8}, custom>} : (tensor<134217728x8xf32>) -> (tensor<134217728x8xf32>, tensor<8xf32>, tensor<134217728x8xf32>, tensor<8x8xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<8xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<8xi1>, tensor<8xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<134217728x8xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<134217728x8xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<134217728x8xi1>, tensor<134217728x8xf32>
    %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<8x8xi1>, tensor<8x8xf32>
    return %6 : tensor<8xf32>
  }
}
// ---- cumulative_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741824xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %1 = call @cumsum(%0) : (tensor<1073741824xf32>) -> tensor<1073741824xf32>
    return %1 : tensor<1073741824xf32>
  }
  func.func private @cumsum(%arg0: tensor<1073741824xf32>) -> tensor<1073741824xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<1073741824xf32>) -> tensor<1073741824xf32>
    return %0 : tensor<1073741824xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<1073741824xf32>) -> tensor<1073741824xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[1073741823, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 1073741824>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<1073741824xf32>, tensor<f32>) -> tensor<1073741824xf32>
    return %1 : tensor<1073741824xf32>
  }
}
// ---- gather_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741824xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %1 = stablehlo.iota dim = 0 : tensor<1073741824xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<1073741824xi64>
    %3 = stablehlo.compare LT, %1, %2, SIGNED : (tensor<1073741824xi64>, tensor<1073741824xi64>) -> tensor<1073741824xi1>
    %c_0 = stablehlo.constant dense<1073741824> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<1073741824xi64>
    %5 = stablehlo.add %1, %4 : tensor<1073741824xi64>
    %6 = stablehlo.select %3, %5, %1 : tensor<1073741824xi1>, tensor<1073741824xi64>
    %7 = stablehlo.convert %6 : (tensor<1073741824xi64>) -> tensor<1073741824xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<1073741824xi32>) -> tensor<1073741824x1xi32>
    %9 = "stablehlo.gather"(%0, %8) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<1073741824xf32>, tensor<1073741824x1xi32>) -> tensor<1073741824xf32>
    return %9 : tensor<1073741824xf32>
  }
}
// ---- scatter_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741824xf64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<1073741824xf64>
    %1 = stablehlo.iota dim = 0 : tensor<1073741824xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<1073741824xi64>
    %3 = stablehlo.compare LT, %1, %2, SIGNED : (tensor<1073741824xi64>, tensor<1073741824xi64>) -> tensor<1073741824xi1>
    %c_0 = stablehlo.constant dense<1073741824> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<1073741824xi64>
    %5 = stablehlo.add %1, %4 : tensor<1073741824xi64>
    %6 = stablehlo.select %3, %5, %1 : tensor<1073741824xi1>, tensor<1073741824xi64>
    %7 = stablehlo.convert %6 : (tensor<1073741824xi64>) -> tensor<1073741824xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<1073741824xi32>) -> tensor<1073741824x1xi32>
    %9 = stablehlo.convert %arg0 : (tensor<f32>) -> tensor<f64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f64>) -> tensor<1073741824xf64>
    %11 = "stablehlo.scatter"(%0, %8, %10) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %12 = stablehlo.add %arg1, %arg2 : tensor<f64>
      stablehlo.return %12 : tensor<f64>
    }) : (tensor<1073741824xf64>, tensor<1073741824x1xi32>, tensor<1073741824xf64>) -> tensor<1073741824xf64>
    return %11 : tensor<1073741824xf64>
  }
}
// ---- pad_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<2147483650xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = call @_pad(%0, %c) : (tensor<2xf32>, tensor<i64>) -> tensor<2147483650xf32>
    return %1 : tensor<2147483650xf32>
  }
  func.func private @_pad(%arg0: tensor<2xf32>, %arg1: tensor<i64>) -> tensor<2147483650xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1073741824], high = [1073741824], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<2147483650xf32>
    return %1 : tensor<2147483650xf32>
  }
}
// ---- concatenate_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<2147483648xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %1 = stablehlo.concatenate %0, %0, dim = 0 : (tensor<1073741824xf32>, tensor<1073741824xf32>) -> tensor<2147483648xf32>
    return %1 : tensor<2147483648xf32>
  }
}
// ---- transpose_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<8x134217728xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<134217728x8xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<134217728x8xf32>) -> tensor<8x134217728xf32>
    %2 = call @cumsum(%1) : (tensor<8x134217728xf32>) -> tensor<8x134217728xf32>
    return %2 : tensor<8x134217728xf32>
  }
  func.func private @cumsum(%arg0: tensor<8x134217728xf32>) -> tensor<8x134217728xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<8x134217728xf32>) -> tensor<8x134217728xf32>
    return %0 : tensor<8x134217728xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<8x134217728xf32>) -> tensor<8x134217728xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [134217727, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 134217728>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x134217728xf32>, tensor<f32>) -> tensor<8x134217728xf32>
    return %1 : tensor<8x134217728xf32>
  }
}
// ---- product_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<134217728x8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<134217728x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<134217728x8xf32>, tensor<8x8xf32>) -> tensor<134217728x8xf32>
    return %2 : tensor<134217728x8xf32>
  }
}
// ---- outer_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<32768x32768xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<32768x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1x32768xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32768x1xf32>, tensor<1x32768xf32>) -> tensor<32768x32768xf32>
    return %2 : tensor<32768x32768xf32>
  }
}
// ---- empty_sum_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741824x1xf64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<1073741824x0xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<0x1xf64>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1073741824x0xf64>, tensor<0x1xf64>) -> tensor<1073741824x1xf64>
    %3 = stablehlo.convert %arg0 : (tensor<f32>) -> tensor<f64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f64>) -> tensor<1073741824x1xf64>
    %5 = stablehlo.add %2, %4 : tensor<1073741824x1xf64>
    return %5 : tensor<1073741824x1xf64>
  }
}
// ---- empty_rows_30 runs
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<1073741824x0xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<0x0xf64>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1073741824x0xf64>, tensor<0x0xf64>) -> tensor<1073741824x0xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.reduce(%2 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<1073741824x0xf64>, tensor<f64>) -> tensor<f64>
    %4 = stablehlo.convert %arg0 : (tensor<f32>) -> tensor<f64>
    %5 = stablehlo.add %3, %4 : tensor<f64>
    return %5 : tensor<f64>
  }
}
// ---- scan_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741824xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c, %iterArg_1 = %0) : tensor<f32>, tensor<i64>, tensor<1073741824xf32>
    cond {
      %c_2 = stablehlo.constant dense<1073741824> : tensor<i64>
      %2 = stablehlo.compare LT, %iterArg_0, %c_2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @closed_call(%iterArg) : (tensor<f32>) -> tensor<f32>
      %3 = func.call @dynamic_update_index_in_dim(%iterArg_1, %2, %iterArg_0) : (tensor<1073741824xf32>, tensor<f32>, tensor<i64>) -> tensor<1073741824xf32>
      %c_2 = stablehlo.constant dense<1> : tensor<i64>
      %4 = stablehlo.add %iterArg_0, %c_2 : tensor<i64>
      stablehlo.return %iterArg, %4, %3 : tensor<f32>, tensor<i64>, tensor<1073741824xf32>
    }
    return %1#2 : tensor<1073741824xf32>
  }
  func.func private @closed_call(%arg0: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<1073741824xf32>, %arg1: tensor<f32>, %arg2: tensor<i64>) -> tensor<1073741824xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<1073741824xf32>, tensor<1xf32>, tensor<i64>) -> tensor<1073741824xf32>
    return %1 : tensor<1073741824xf32>
  }
}
// ---- vmap_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741824xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<1073741824xi64>
    %1 = stablehlo.convert %0 : (tensor<1073741824xi64>) -> tensor<1073741824xf32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<1073741824xf32>
    %4 = stablehlo.sine %3 : tensor<1073741824xf32>
    return %4 : tensor<1073741824xf32>
  }
}
// ---- while_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741824xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %0) : tensor<i64>, tensor<1073741824xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i64>
      %2 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @closed_call(%iterArg_0) : (tensor<1073741824xf32>) -> tensor<1073741824xf32>
      %c_1 = stablehlo.constant dense<1> : tensor<i64>
      %3 = stablehlo.add %iterArg, %c_1 : tensor<i64>
      stablehlo.return %3, %2 : tensor<i64>, tensor<1073741824xf32>
    }
    return %1#1 : tensor<1073741824xf32>
  }
  func.func private @closed_call(%arg0: tensor<1073741824xf32>) -> tensor<1073741824xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<1073741824xf32>
    return %1 : tensor<1073741824xf32>
  }
}
// ---- cond_30 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1073741824xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.compare GT, %arg0, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
    %2 = stablehlo.convert %0 : (tensor<i1>) -> tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
      %5 = stablehlo.subtract %1, %4 : tensor<1073741824xf32>
      stablehlo.return %5 : tensor<1073741824xf32>
    }, {
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1073741824xf32>
      %5 = stablehlo.add %1, %4 : tensor<1073741824xf32>
      stablehlo.return %5 : tensor<1073741824xf32>
    }) : (tensor<i32>) -> tensor<1073741824xf32>
    return %3 : tensor<1073741824xf32>
  }
}
// ---- iota_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627776xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<1099511627776xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %2 = stablehlo.add %0, %1 : tensor<1099511627776xf32>
    return %2 : tensor<1099511627776xf32>
  }
}
// ---- sort_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627776xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<1099511627776xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %2 = stablehlo.add %0, %1 : tensor<1099511627776xf32>
    %3 = call @sort(%2) : (tensor<1099511627776xf32>) -> tensor<1099511627776xf32>
    return %3 : tensor<1099511627776xf32>
  }
  func.func private @sort(%arg0: tensor<1099511627776xf32>) -> tensor<1099511627776xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<1099511627776xf32>) -> tensor<1099511627776xf32>
    return %0 : tensor<1099511627776xf32>
  }
}
// ---- sort_pairs_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627776xi64> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %1 = stablehlo.iota dim = 0 : tensor<1099511627776xi64>
    %2:2 = "stablehlo.sort"(%0, %1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i64>, %arg4: tensor<i64>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %4 = stablehlo.select %3, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %5 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %6 = stablehlo.select %5, %cst_1, %4 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %8 = stablehlo.select %7, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %10 = stablehlo.select %9, %cst_4, %8 : tensor<i1>, tensor<f32>
      %11 = stablehlo.compare LT, %6, %10, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    }) : (tensor<1099511627776xf32>, tensor<1099511627776xi64>) -> (tensor<1099511627776xf32>, tensor<1099511627776xi64>)
    return %2#1 : tensor<1099511627776xi64>
  }
}
// ---- one_hot_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1048576x1048576xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<f32>) -> tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<1048576xi32>
    %2 = call @_one_hot(%1) : (tensor<1048576xi32>) -> tensor<1048576x1048576xf64>
    return %2 : tensor<1048576x1048576xf64>
  }
  func.func private @_one_hot(%arg0: tensor<1048576xi32>) -> tensor<1048576x1048576xf64> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<1048576xi32>) -> tensor<1048576x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x1048576xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1048576x1xi32>) -> tensor<1048576x1048576xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x1048576xi32>) -> tensor<1048576x1048576xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<1048576x1048576xi32>, tensor<1048576x1048576xi32>) -> tensor<1048576x1048576xi1>
    %5 = stablehlo.convert %4 : (tensor<1048576x1048576xi1>) -> tensor<1048576x1048576xf64>
    return %5 : tensor<1048576x1048576xf64>
  }
}
// ---- random_bits_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627776xui64> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<32> : tensor<i64>
    %0 = stablehlo.shift_right_logical %c, %c_0 : tensor<i64>
    %1 = stablehlo.convert %0 : (tensor<i64>) -> tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %c_1 = stablehlo.constant dense<4294967295> : tensor<i64>
    %3 = stablehlo.and %c, %c_1 : tensor<i64>
    %4 = stablehlo.convert %3 : (tensor<i64>) -> tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %6 = stablehlo.concatenate %2, %5, dim = 0 : (tensor<1xui32>, tensor<1xui32>) -> tensor<2xui32>
    %7 = stablehlo.slice %6 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %8 = stablehlo.reshape %7 : (tensor<1xui32>) -> tensor<ui32>
    %9 = stablehlo.slice %6 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %10 = stablehlo.reshape %9 : (tensor<1xui32>) -> tensor<ui32>
    %11 = stablehlo.iota dim = 0 : tensor<1099511627776xui64>
    %c_2 = stablehlo.constant dense<1> : tensor<ui64>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<1099511627776xui64>
    %13 = stablehlo.multiply %12, %11 : tensor<1099511627776xui64>
    %c_3 = stablehlo.constant dense<32> : tensor<ui64>
    %14 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui64>) -> tensor<1099511627776xui64>
    %15 = stablehlo.shift_right_logical %13, %14 : tensor<1099511627776xui64>
    %16 = stablehlo.convert %13 : (tensor<1099511627776xui64>) -> tensor<1099511627776xui32>
    %17 = stablehlo.convert %15 : (tensor<1099511627776xui64>) -> tensor<1099511627776xui32>
    %18:2 = call @threefry2x32(%8, %10, %17, %16) : (tensor<ui32>, tensor<ui32>, tensor<1099511627776xui32>, tensor<1099511627776xui32>) -> (tensor<1099511627776xui32>, tensor<1099511627776xui32>)
    %19 = stablehlo.convert %18#0 : (tensor<1099511627776xui32>) -> tensor<1099511627776xui64>
    %20 = stablehlo.convert %18#1 : (tensor<1099511627776xui32>) -> tensor<1099511627776xui64>
    %c_4 = stablehlo.constant dense<32> : tensor<ui64>
    %21 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui64>) -> tensor<1099511627776xui64>
    %22 = stablehlo.shift_left %19, %21 : tensor<1099511627776xui64>
    %23 = stablehlo.or %22, %20 : tensor<1099511627776xui64>
    %24 = stablehlo.convert %arg0 : (tensor<f32>) -> tensor<ui32>
    %25 = stablehlo.convert %24 : (tensor<ui32>) -> tensor<ui64>
    %26 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<ui64>) -> tensor<1099511627776xui64>
    %27 = stablehlo.add %23, %26 : tensor<1099511627776xui64>
    return %27 : tensor<1099511627776xui64>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<1099511627776xui32>, %arg3: tensor<1099511627776xui32>) -> (tensor<1099511627776xui32>, tensor<1099511627776xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<1099511627776xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<1099511627776xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i64>, tensor<i64>, tensor<1099511627776xui32>, tensor<1099511627776xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i64>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i64>, tensor<1099511627776xui32>, tensor<1099511627776xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i64>, tensor<1099511627776xui32>, tensor<1099511627776xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i64>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i64>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i64>, tensor<i64>, tensor<1099511627776xui32>, tensor<1099511627776xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<1099511627776xui32>, tensor<1099511627776xui32>
  }
  func.func private @closed_call(%arg0: tensor<i64>, %arg1: tensor<1099511627776xui32>, %arg2: tensor<1099511627776xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i64>, tensor<1099511627776xui32>, tensor<1099511627776xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg0, %c : tensor<i64>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<1099511627776xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<1099511627776xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<1099511627776xui32>
    %9 = stablehlo.or %5, %8 : tensor<1099511627776xui32>
    %10 = stablehlo.xor %3, %9 : tensor<1099511627776xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<1099511627776xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<1099511627776xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<1099511627776xui32>
    %19 = stablehlo.or %15, %18 : tensor<1099511627776xui32>
    %20 = stablehlo.xor %13, %19 : tensor<1099511627776xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<1099511627776xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<1099511627776xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<1099511627776xui32>
    %29 = stablehlo.or %25, %28 : tensor<1099511627776xui32>
    %30 = stablehlo.xor %23, %29 : tensor<1099511627776xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<1099511627776xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<1099511627776xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<1099511627776xui32>
    %39 = stablehlo.or %35, %38 : tensor<1099511627776xui32>
    %40 = stablehlo.xor %33, %39 : tensor<1099511627776xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %42 = stablehlo.add %33, %41 : tensor<1099511627776xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %44 = stablehlo.add %40, %43 : tensor<1099511627776xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i64>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i64>
    %46 = stablehlo.convert %45 : (tensor<i64>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %48 = stablehlo.add %44, %47 : tensor<1099511627776xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i64>, tensor<1099511627776xui32>, tensor<1099511627776xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
}
// ---- normal_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627776xf64> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<32> : tensor<i64>
    %0 = stablehlo.shift_right_logical %c, %c_0 : tensor<i64>
    %1 = stablehlo.convert %0 : (tensor<i64>) -> tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %c_1 = stablehlo.constant dense<4294967295> : tensor<i64>
    %3 = stablehlo.and %c, %c_1 : tensor<i64>
    %4 = stablehlo.convert %3 : (tensor<i64>) -> tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %6 = stablehlo.concatenate %2, %5, dim = 0 : (tensor<1xui32>, tensor<1xui32>) -> tensor<2xui32>
    %7 = call @_normal(%6) : (tensor<2xui32>) -> tensor<1099511627776xf64>
    %8 = stablehlo.convert %arg0 : (tensor<f32>) -> tensor<f64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f64>) -> tensor<1099511627776xf64>
    %10 = stablehlo.multiply %7, %9 : tensor<1099511627776xf64>
    return %10 : tensor<1099511627776xf64>
  }
  func.func private @_normal(%arg0: tensor<2xui32>) -> tensor<1099511627776xf64> {
    %0 = call @_normal_real(%arg0) : (tensor<2xui32>) -> tensor<1099511627776xf64>
    return %0 : tensor<1099511627776xf64>
  }
  func.func private @_normal_real(%arg0: tensor<2xui32>) -> tensor<1099511627776xf64> {
    %cst = stablehlo.constant dense<-0.99999999999999988> : tensor<f64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = call @_uniform(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f64>, tensor<f64>) -> tensor<1099511627776xf64>
    %1 = chlo.erf_inv %0 : tensor<1099511627776xf64> -> tensor<1099511627776xf64>
    %cst_1 = stablehlo.constant dense<1.4142135623730951> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<1099511627776xf64>
    %3 = stablehlo.multiply %2, %1 : tensor<1099511627776xf64>
    return %3 : tensor<1099511627776xf64>
  }
  func.func private @_uniform(%arg0: tensor<2xui32>, %arg1: tensor<f64>, %arg2: tensor<f64>) -> tensor<1099511627776xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %2 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.iota dim = 0 : tensor<1099511627776xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<1099511627776xui64>
    %8 = stablehlo.multiply %7, %6 : tensor<1099511627776xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %9 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<1099511627776xui64>
    %10 = stablehlo.shift_right_logical %8, %9 : tensor<1099511627776xui64>
    %11 = stablehlo.convert %8 : (tensor<1099511627776xui64>) -> tensor<1099511627776xui32>
    %12 = stablehlo.convert %10 : (tensor<1099511627776xui64>) -> tensor<1099511627776xui32>
    %13:2 = call @threefry2x32(%3, %5, %12, %11) : (tensor<ui32>, tensor<ui32>, tensor<1099511627776xui32>, tensor<1099511627776xui32>) -> (tensor<1099511627776xui32>, tensor<1099511627776xui32>)
    %14 = stablehlo.convert %13#0 : (tensor<1099511627776xui32>) -> tensor<1099511627776xui64>
    %15 = stablehlo.convert %13#1 : (tensor<1099511627776xui32>) -> tensor<1099511627776xui64>
    %c_1 = stablehlo.constant dense<32> : tensor<ui64>
    %16 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<1099511627776xui64>
    %17 = stablehlo.shift_left %14, %16 : tensor<1099511627776xui64>
    %18 = stablehlo.or %17, %15 : tensor<1099511627776xui64>
    %c_2 = stablehlo.constant dense<12> : tensor<ui64>
    %19 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<1099511627776xui64>
    %20 = stablehlo.shift_right_logical %18, %19 : tensor<1099511627776xui64>
    %c_3 = stablehlo.constant dense<4607182418800017408> : tensor<ui64>
    %21 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui64>) -> tensor<1099511627776xui64>
    %22 = stablehlo.or %20, %21 : tensor<1099511627776xui64>
    %23 = stablehlo.bitcast_convert %22 : (tensor<1099511627776xui64>) -> tensor<1099511627776xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %24 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<1099511627776xf64>
    %25 = stablehlo.subtract %23, %24 : tensor<1099511627776xf64>
    %26 = stablehlo.subtract %1, %0 : tensor<1xf64>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<1xf64>) -> tensor<1099511627776xf64>
    %28 = stablehlo.multiply %25, %27 : tensor<1099511627776xf64>
    %29 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<1xf64>) -> tensor<1099511627776xf64>
    %30 = stablehlo.add %28, %29 : tensor<1099511627776xf64>
    %31 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<1xf64>) -> tensor<1099511627776xf64>
    %32 = stablehlo.maximum %31, %30 : tensor<1099511627776xf64>
    return %32 : tensor<1099511627776xf64>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<1099511627776xui32>, %arg3: tensor<1099511627776xui32>) -> (tensor<1099511627776xui32>, tensor<1099511627776xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<1099511627776xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<1099511627776xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i64>, tensor<i64>, tensor<1099511627776xui32>, tensor<1099511627776xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i64>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i64>, tensor<1099511627776xui32>, tensor<1099511627776xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i64>, tensor<1099511627776xui32>, tensor<1099511627776xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i64>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i64>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i64>, tensor<i64>, tensor<1099511627776xui32>, tensor<1099511627776xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<1099511627776xui32>, tensor<1099511627776xui32>
  }
  func.func private @closed_call(%arg0: tensor<i64>, %arg1: tensor<1099511627776xui32>, %arg2: tensor<1099511627776xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i64>, tensor<1099511627776xui32>, tensor<1099511627776xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg0, %c : tensor<i64>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<1099511627776xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<1099511627776xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<1099511627776xui32>
    %9 = stablehlo.or %5, %8 : tensor<1099511627776xui32>
    %10 = stablehlo.xor %3, %9 : tensor<1099511627776xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<1099511627776xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<1099511627776xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<1099511627776xui32>
    %19 = stablehlo.or %15, %18 : tensor<1099511627776xui32>
    %20 = stablehlo.xor %13, %19 : tensor<1099511627776xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<1099511627776xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<1099511627776xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<1099511627776xui32>
    %29 = stablehlo.or %25, %28 : tensor<1099511627776xui32>
    %30 = stablehlo.xor %23, %29 : tensor<1099511627776xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<1099511627776xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<1099511627776xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<1099511627776xui32>
    %39 = stablehlo.or %35, %38 : tensor<1099511627776xui32>
    %40 = stablehlo.xor %33, %39 : tensor<1099511627776xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %42 = stablehlo.add %33, %41 : tensor<1099511627776xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %44 = stablehlo.add %40, %43 : tensor<1099511627776xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i64>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i64>
    %46 = stablehlo.convert %45 : (tensor<i64>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<1099511627776xui32>
    %48 = stablehlo.add %44, %47 : tensor<1099511627776xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i64>, tensor<1099511627776xui32>, tensor<1099511627776xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
}
// ---- fft_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627776xcomplex<f32>> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %1 = call @fft(%0) : (tensor<1099511627776xf32>) -> tensor<1099511627776xcomplex<f32>>
    return %1 : tensor<1099511627776xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<1099511627776xf32>) -> tensor<1099511627776xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<1099511627776xf32>) -> tensor<1099511627776xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [1099511627776] : (tensor<1099511627776xcomplex<f32>>) -> tensor<1099511627776xcomplex<f32>>
    return %1 : tensor<1099511627776xcomplex<f32>>
  }
}
// ---- rfft_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<549755813889xcomplex<f32>> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %1 = call @fft(%0) : (tensor<1099511627776xf32>) -> tensor<549755813889xcomplex<f32>>
    return %1 : tensor<549755813889xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<1099511627776xf32>) -> tensor<549755813889xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [1099511627776] : (tensor<1099511627776xf32>) -> tensor<549755813889xcomplex<f32>>
    return %0 : tensor<549755813889xcomplex<f32>>
  }
}
// ---- fft_prime_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627689xcomplex<f32>> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1099511627689xf32>
    %1 = call @fft(%0) : (tensor<1099511627689xf32>) -> tensor<1099511627689xcomplex<f32>>
    return %1 : tensor<1099511627689xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<1099511627689xf32>) -> tensor<1099511627689xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<1099511627689xf32>) -> tensor<1099511627689xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [1099511627689] : (tensor<1099511627689xcomplex<f32>>) -> tensor<1099511627689xcomplex<f32>>
    return %1 : tensor<1099511627689xcomplex<f32>>
  }
}
// ---- convolution_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1x1x1099511627776xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1x1x1099511627776xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1x1x3xf32>
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x1099511627776xf32>, tensor<1x1x3xf32>) -> tensor<1x1x1099511627776xf32>
    return %2 : tensor<1x1x1099511627776xf32>
  }
}
// ---- convolution_pad_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1x1x2199023255551xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1x1x3xf32>
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[1099511627776, 1099511627776]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x1xf32>, tensor<1x1x3xf32>) -> tensor<1x1x2199023255551xf32>
    return %2 : tensor<1x1x2199023255551xf32>
  }
}
// ---- convolution_stride_40 runs
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1x1x2xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1x1x3xf32>
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1099511627776], pad = [[1099511627776, 1099511627776]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x1x1xf32>, tensor<1x1x3xf32>) -> tensor<1x1x2xf32>
    return %2 : tensor<1x1x2xf32>
  }
}
// ---- window_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627776xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.reduce_window"(%0, %1) <{base_dilations = array<i64: 1>, padding = dense<1> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<1099511627776xf32>, tensor<f32>) -> tensor<1099511627776xf32>
    return %2 : tensor<1099511627776xf32>
  }
}
// ---- window_pad_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627781xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.reduce_window"(%0, %1) <{base_dilations = array<i64: 1>, padding = dense<1099511627776> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 1099511627776>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<1099511627781xf32>
    return %2 : tensor<1099511627781xf32>
  }
}
// ---- window_dilated_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<3023656976383xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.reduce_window"(%0, %1) <{base_dilations = array<i64: 274877906944>, padding = dense<1099511627776> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<3023656976383xf32>
    return %2 : tensor<3023656976383xf32>
  }
}
// ---- window_long_40 runs
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.reduce_window"(%0, %1) <{base_dilations = array<i64: 1>, padding = dense<[[1099511627775, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 1099511627776>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
// ---- pool_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<549755813888xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %2 = "stablehlo.reduce_window"(%0, %1) <{base_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<1099511627776xf32>, tensor<f32>) -> tensor<549755813888xf32>
    return %2 : tensor<549755813888xf32>
  }
}
// ---- pool_gradient_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<549755813888xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.pad %0, %cst_0, low = [0], high = [0], interior = [0] : (tensor<1099511627776xf32>, tensor<f32>) -> tensor<1099511627776xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = "stablehlo.select_and_scatter"(%2, %1, %cst_1) <{padding = dense<0> : tensor<1x2xi64>, window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %6 = stablehlo.compare GE, %arg1, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    }, {
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %6 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<1099511627776xf32>, tensor<549755813888xf32>, tensor<f32>) -> tensor<1099511627776xf32>
    %4 = stablehlo.slice %3 [0:1099511627776] : (tensor<1099511627776xf32>) -> tensor<1099511627776xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<1099511627776xf32>, tensor<f32>) -> tensor<f32>
    return %5 : tensor<f32>
  }
}
// ---- lu_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1048576x1048576xf32>
    %1:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=1048576, j=1048576, k=1048576, l=1048576, m=1048576}, custom>} : (tensor<1048576x1048576xf32>) -> (tensor<1048576x1048576xf32>, tensor<1048576xi32>, tensor<i32>)
    %c = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1048576xi32>
    %3 = stablehlo.subtract %1#1, %2 : tensor<1048576xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<i32>
    %5 = stablehlo.compare GE, %1#2, %4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1048576x1048576xf32>
    %8 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<1048576x1048576xi1>
    %9 = stablehlo.select %8, %1#0, %7 : tensor<1048576x1048576xi1>, tensor<1048576x1048576xf32>
    %10 = stablehlo.iota dim = 0 : tensor<1048576xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %11:4 = stablehlo.while(%iterArg = %3, %iterArg_3 = %c_2, %iterArg_4 = %c_1, %iterArg_5 = %10) : tensor<1048576xi32>, tensor<i64>, tensor<i64>, tensor<1048576xi32>
    cond {
      %c_6 = stablehlo.constant dense<1048576> : tensor<i64>
      %14 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %14 : tensor<i1>
    } do {
      %14:2 = func.call @closed_call(%iterArg, %iterArg_4, %iterArg_5) : (tensor<1048576xi32>, tensor<i64>, tensor<1048576xi32>) -> (tensor<i64>, tensor<1048576xi32>)
      %c_6 = stablehlo.constant dense<1> : tensor<i64>
      %15 = stablehlo.add %iterArg_3, %c_6 : tensor<i64>
      stablehlo.return %iterArg, %15, %14#0, %14#1 : tensor<1048576xi32>, tensor<i64>, tensor<i64>, tensor<1048576xi32>
    }
    %12 = stablehlo.slice %9 [0:1, 0:1] : (tensor<1048576x1048576xf32>) -> tensor<1x1xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x1xf32>) -> tensor<f32>
    return %13 : tensor<f32>
  }
  func.func private @closed_call(%arg0: tensor<1048576xi32>, %arg1: tensor<i64>, %arg2: tensor<1048576xi32>) -> (tensor<i64>, tensor<1048576xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg1, %c : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %2 = stablehlo.convert %arg1 : tensor<i64>
    %c_1 = stablehlo.constant dense<1048576> : tensor<i64>
    %3 = stablehlo.add %2, %c_1 : tensor<i64>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<i1>, tensor<i64>
    %5 = stablehlo.dynamic_slice %arg0, %4, sizes = [1] : (tensor<1048576xi32>, tensor<i64>) -> tensor<1xi32>
    %6 = stablehlo.reshape %5 : (tensor<1xi32>) -> tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.compare LT, %arg1, %c_2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %8 = stablehlo.convert %arg1 : tensor<i64>
    %c_3 = stablehlo.constant dense<1048576> : tensor<i64>
    %9 = stablehlo.add %8, %c_3 : tensor<i64>
    %10 = stablehlo.select %7, %9, %arg1 : tensor<i1>, tensor<i64>
    %11 = stablehlo.dynamic_slice %arg2, %10, sizes = [1] : (tensor<1048576xi32>, tensor<i64>) -> tensor<1xi32>
    %12 = stablehlo.reshape %11 : (tensor<1xi32>) -> tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.compare LT, %6, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_5 = stablehlo.constant dense<1048576> : tensor<i32>
    %14 = stablehlo.add %6, %c_5 : tensor<i32>
    %15 = stablehlo.select %13, %14, %6 : tensor<i1>, tensor<i32>
    %16 = stablehlo.dynamic_slice %arg2, %15, sizes = [1] : (tensor<1048576xi32>, tensor<i32>) -> tensor<1xi32>
    %17 = stablehlo.reshape %16 : (tensor<1xi32>) -> tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i64>
    %18 = stablehlo.compare LT, %arg1, %c_6, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_7 = stablehlo.constant dense<1048576> : tensor<i64>
    %19 = stablehlo.add %arg1, %c_7 : tensor<i64>
    %20 = stablehlo.select %18, %19, %arg1 : tensor<i1>, tensor<i64>
    %21 = stablehlo.convert %20 : (tensor<i64>) -> tensor<i32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %23 = "stablehlo.scatter"(%arg2, %22, %17) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<1048576xi32>, tensor<1xi32>, tensor<i32>) -> tensor<1048576xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.compare LT, %6, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_9 = stablehlo.constant dense<1048576> : tensor<i32>
    %25 = stablehlo.add %6, %c_9 : tensor<i32>
    %26 = stablehlo.select %24, %25, %6 : tensor<i1>, tensor<i32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %28 = "stablehlo.scatter"(%23, %27, %12) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<1048576xi32>, tensor<1xi32>, tensor<i32>) -> tensor<1048576xi32>
    return %0, %28 : tensor<i64>, tensor<1048576xi32>
  }
}
// ---- qr_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<8x8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<137438953472x8xf32>
    %1 = call @qr(%0) : (tensor<137438953472x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
  func.func private @qr(%arg0: tensor<137438953472x8xf32>) -> tensor<8x8xf32> {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=137438953472, j=8, k=137438953472, l=8, m=8}, custom>} : (tensor<137438953472x8xf32>) -> (tensor<137438953472x8xf32>, tensor<8xf32>)
    %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%0#0, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([l, m]) {i=137438953472, j=8, k=8, l=137438953472, m=8}, custom>} : (tensor<137438953472x8xf32>, tensor<8xf32>) -> tensor<137438953472x8xf32>
    %2 = stablehlo.slice %0#0 [0:8, 0:8] : (tensor<137438953472x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.iota dim = 0 : tensor<8x8xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<8x8xi64>
    %5 = stablehlo.add %3, %4 : tensor<8x8xi64>
    %6 = stablehlo.iota dim = 1 : tensor<8x8xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x8xi64>, tensor<8x8xi64>) -> tensor<8x8xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %9 = stablehlo.select %7, %8, %2 : tensor<8x8xi1>, tensor<8x8xf32>
    return %9 : tensor<8x8xf32>
  }
}
// ---- cholesky_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1048576x1048576xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1048576x1048576xf32>
    %1 = call @cholesky(%0) : (tensor<1048576x1048576xf32>) -> tensor<1048576x1048576xf32>
    return %1 : tensor<1048576x1048576xf32>
  }
  func.func private @cholesky(%arg0: tensor<1048576x1048576xf32>) -> tensor<1048576x1048576xf32> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<1048576x1048576xf32>) -> tensor<1048576x1048576xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<1048576x1048576xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1048576x1048576xf32>
    %3 = stablehlo.divide %1, %2 : tensor<1048576x1048576xf32>
    %4:2 = stablehlo.custom_call @lapack_spotrf_ffi(%3) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=1048576, j=1048576, k=1048576, l=1048576}, custom>} : (tensor<1048576x1048576xf32>) -> (tensor<1048576x1048576xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %6 = stablehlo.compare EQ, %4#1, %5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1048576x1048576xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<1048576x1048576xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<1048576x1048576xi1>, tensor<1048576x1048576xf32>
    %11 = stablehlo.iota dim = 0 : tensor<1048576x1048576xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<1048576x1048576xi64>
    %13 = stablehlo.add %11, %12 : tensor<1048576x1048576xi64>
    %14 = stablehlo.iota dim = 1 : tensor<1048576x1048576xi64>
    %15 = stablehlo.compare GE, %13, %14, SIGNED : (tensor<1048576x1048576xi64>, tensor<1048576x1048576xi64>) -> tensor<1048576x1048576xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1048576x1048576xf32>
    %17 = stablehlo.select %15, %10, %16 : tensor<1048576x1048576xi1>, tensor<1048576x1048576xf32>
    return %17 : tensor<1048576x1048576xf32>
  }
}
// ---- eigh_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1048576xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1048576x1048576xf32>
    %1 = call @eigh(%0) : (tensor<1048576x1048576xf32>) -> tensor<1048576xf32>
    return %1 : tensor<1048576xf32>
  }
  func.func private @eigh(%arg0: tensor<1048576x1048576xf32>) -> tensor<1048576xf32> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<1048576x1048576xf32>) -> tensor<1048576x1048576xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<1048576x1048576xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1048576x1048576xf32>
    %3 = stablehlo.divide %1, %2 : tensor<1048576x1048576xf32>
    %4:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%3) {backend_config = "", mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=1048576, j=1048576, k=1048576, l=1048576, m=1048576}, custom>} : (tensor<1048576x1048576xf32>) -> (tensor<1048576x1048576xf32>, tensor<1048576xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %6 = stablehlo.compare EQ, %4#2, %5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1048576x1048576xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<1048576x1048576xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<1048576x1048576xi1>, tensor<1048576x1048576xf32>
    %11 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1048576xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<1xi1>) -> tensor<1048576xi1>
    %14 = stablehlo.select %13, %4#1, %12 : tensor<1048576xi1>, tensor<1048576xf32>
    return %14 : tensor<1048576xf32>
  }
}
// ---- svd_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<137438953472x8xf32>
    %1 = call @svd(%0) : (tensor<137438953472x8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @svd(%arg0: tensor<137438953472x8xf32>) -> tensor<8xf32> {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=137438953472, j=8, k=137438953472, l=8, m=8, n=137438953472, o=8, p=8, q=8}, custom>} : (tensor<137438953472x8xf32>) -> (tensor<137438953472x8xf32>, tensor<8xf32>, tensor<137438953472x8xf32>, tensor<8x8xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<8xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<8xi1>, tensor<8xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<137438953472x8xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<137438953472x8xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<137438953472x8xi1>, tensor<137438953472x8xf32>
    %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<8x8xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<8x8xi1>, tensor<8x8xf32>
    return %6 : tensor<8xf32>
  }
}
// ---- cumulative_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627776xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %1 = call @cumsum(%0) : (tensor<1099511627776xf32>) -> tensor<1099511627776xf32>
    return %1 : tensor<1099511627776xf32>
  }
  func.func private @cumsum(%arg0: tensor<1099511627776xf32>) -> tensor<1099511627776xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<1099511627776xf32>) -> tensor<1099511627776xf32>
    return %0 : tensor<1099511627776xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<1099511627776xf32>) -> tensor<1099511627776xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[1099511627775, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 1099511627776>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<1099511627776xf32>, tensor<f32>) -> tensor<1099511627776xf32>
    return %1 : tensor<1099511627776xf32>
  }
}
// ---- gather_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627776xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %1 = stablehlo.iota dim = 0 : tensor<1099511627776xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<1099511627776xi64>
    %3 = stablehlo.compare LT, %1, %2, SIGNED : (tensor<1099511627776xi64>, tensor<1099511627776xi64>) -> tensor<1099511627776xi1>
    %c_0 = stablehlo.constant dense<1099511627776> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<1099511627776xi64>
    %5 = stablehlo.add %1, %4 : tensor<1099511627776xi64>
    %6 = stablehlo.select %3, %5, %1 : tensor<1099511627776xi1>, tensor<1099511627776xi64>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<1099511627776xi64>) -> tensor<1099511627776x1xi64>
    %8 = "stablehlo.gather"(%0, %7) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<1099511627776xf32>, tensor<1099511627776x1xi64>) -> tensor<1099511627776xf32>
    return %8 : tensor<1099511627776xf32>
  }
}
// ---- scatter_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627776xf64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<1099511627776xf64>
    %1 = stablehlo.iota dim = 0 : tensor<1099511627776xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<1099511627776xi64>
    %3 = stablehlo.compare LT, %1, %2, SIGNED : (tensor<1099511627776xi64>, tensor<1099511627776xi64>) -> tensor<1099511627776xi1>
    %c_0 = stablehlo.constant dense<1099511627776> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<1099511627776xi64>
    %5 = stablehlo.add %1, %4 : tensor<1099511627776xi64>
    %6 = stablehlo.select %3, %5, %1 : tensor<1099511627776xi1>, tensor<1099511627776xi64>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<1099511627776xi64>) -> tensor<1099511627776x1xi64>
    %8 = stablehlo.convert %arg0 : (tensor<f32>) -> tensor<f64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f64>) -> tensor<1099511627776xf64>
    %10 = "stablehlo.scatter"(%0, %7, %9) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %11 = stablehlo.add %arg1, %arg2 : tensor<f64>
      stablehlo.return %11 : tensor<f64>
    }) : (tensor<1099511627776xf64>, tensor<1099511627776x1xi64>, tensor<1099511627776xf64>) -> tensor<1099511627776xf64>
    return %10 : tensor<1099511627776xf64>
  }
}
// ---- pad_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<2199023255554xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = call @_pad(%0, %c) : (tensor<2xf32>, tensor<i64>) -> tensor<2199023255554xf32>
    return %1 : tensor<2199023255554xf32>
  }
  func.func private @_pad(%arg0: tensor<2xf32>, %arg1: tensor<i64>) -> tensor<2199023255554xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1099511627776], high = [1099511627776], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<2199023255554xf32>
    return %1 : tensor<2199023255554xf32>
  }
}
// ---- concatenate_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<2199023255552xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %1 = stablehlo.concatenate %0, %0, dim = 0 : (tensor<1099511627776xf32>, tensor<1099511627776xf32>) -> tensor<2199023255552xf32>
    return %1 : tensor<2199023255552xf32>
  }
}
// ---- transpose_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<8x137438953472xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<137438953472x8xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<137438953472x8xf32>) -> tensor<8x137438953472xf32>
    %2 = call @cumsum(%1) : (tensor<8x137438953472xf32>) -> tensor<8x137438953472xf32>
    return %2 : tensor<8x137438953472xf32>
  }
  func.func private @cumsum(%arg0: tensor<8x137438953472xf32>) -> tensor<8x137438953472xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<8x137438953472xf32>) -> tensor<8x137438953472xf32>
    return %0 : tensor<8x137438953472xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<8x137438953472xf32>) -> tensor<8x137438953472xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [137438953471, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 137438953472>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x137438953472xf32>, tensor<f32>) -> tensor<8x137438953472xf32>
    return %1 : tensor<8x137438953472xf32>
  }
}
// ---- product_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<137438953472x8xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<137438953472x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<137438953472x8xf32>, tensor<8x8xf32>) -> tensor<137438953472x8xf32>
    return %2 : tensor<137438953472x8xf32>
  }
}
// ---- outer_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1048576x1048576xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1048576x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1x1048576xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1048576x1xf32>, tensor<1x1048576xf32>) -> tensor<1048576x1048576xf32>
    return %2 : tensor<1048576x1048576xf32>
  }
}
// ---- empty_sum_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627776x1xf64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<1099511627776x0xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<0x1xf64>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1099511627776x0xf64>, tensor<0x1xf64>) -> tensor<1099511627776x1xf64>
    %3 = stablehlo.convert %arg0 : (tensor<f32>) -> tensor<f64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f64>) -> tensor<1099511627776x1xf64>
    %5 = stablehlo.add %2, %4 : tensor<1099511627776x1xf64>
    return %5 : tensor<1099511627776x1xf64>
  }
}
// ---- empty_rows_40 runs
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<1099511627776x0xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<0x0xf64>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1099511627776x0xf64>, tensor<0x0xf64>) -> tensor<1099511627776x0xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.reduce(%2 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<1099511627776x0xf64>, tensor<f64>) -> tensor<f64>
    %4 = stablehlo.convert %arg0 : (tensor<f32>) -> tensor<f64>
    %5 = stablehlo.add %3, %4 : tensor<f64>
    return %5 : tensor<f64>
  }
}
// ---- scan_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627776xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c, %iterArg_1 = %0) : tensor<f32>, tensor<i64>, tensor<1099511627776xf32>
    cond {
      %c_2 = stablehlo.constant dense<1099511627776> : tensor<i64>
      %2 = stablehlo.compare LT, %iterArg_0, %c_2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @closed_call(%iterArg) : (tensor<f32>) -> tensor<f32>
      %3 = func.call @dynamic_update_index_in_dim(%iterArg_1, %2, %iterArg_0) : (tensor<1099511627776xf32>, tensor<f32>, tensor<i64>) -> tensor<1099511627776xf32>
      %c_2 = stablehlo.constant dense<1> : tensor<i64>
      %4 = stablehlo.add %iterArg_0, %c_2 : tensor<i64>
      stablehlo.return %iterArg, %4, %3 : tensor<f32>, tensor<i64>, tensor<1099511627776xf32>
    }
    return %1#2 : tensor<1099511627776xf32>
  }
  func.func private @closed_call(%arg0: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<1099511627776xf32>, %arg1: tensor<f32>, %arg2: tensor<i64>) -> tensor<1099511627776xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<1099511627776xf32>, tensor<1xf32>, tensor<i64>) -> tensor<1099511627776xf32>
    return %1 : tensor<1099511627776xf32>
  }
}
// ---- vmap_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627776xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<1099511627776xi64>
    %1 = stablehlo.convert %0 : (tensor<1099511627776xi64>) -> tensor<1099511627776xf32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<1099511627776xf32>
    %4 = stablehlo.sine %3 : tensor<1099511627776xf32>
    return %4 : tensor<1099511627776xf32>
  }
}
// ---- while_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627776xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %0) : tensor<i64>, tensor<1099511627776xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i64>
      %2 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @closed_call(%iterArg_0) : (tensor<1099511627776xf32>) -> tensor<1099511627776xf32>
      %c_1 = stablehlo.constant dense<1> : tensor<i64>
      %3 = stablehlo.add %iterArg, %c_1 : tensor<i64>
      stablehlo.return %3, %2 : tensor<i64>, tensor<1099511627776xf32>
    }
    return %1#1 : tensor<1099511627776xf32>
  }
  func.func private @closed_call(%arg0: tensor<1099511627776xf32>) -> tensor<1099511627776xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<1099511627776xf32>
    return %1 : tensor<1099511627776xf32>
  }
}
// ---- cond_40 refused
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<1099511627776xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.compare GT, %arg0, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
    %2 = stablehlo.convert %0 : (tensor<i1>) -> tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
      %5 = stablehlo.subtract %1, %4 : tensor<1099511627776xf32>
      stablehlo.return %5 : tensor<1099511627776xf32>
    }, {
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
      %5 = stablehlo.add %1, %4 : tensor<1099511627776xf32>
      stablehlo.return %5 : tensor<1099511627776xf32>
    }) : (tensor<i32>) -> tensor<1099511627776xf32>
    return %3 : tensor<1099511627776xf32>
  }
}
