module @jit_sort_top_k attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x31xf32>, %arg1: tensor<31xi32>) -> (tensor<5x31xf32> {jax.result_info = "result[0]"}, tensor<5x31xi32> {jax.result_info = "result[1]"}, tensor<5x7xf32> {jax.result_info = "result[2]"}, tensor<5x7xi32> {jax.result_info = "result[3]"}, tensor<31xi32> {jax.result_info = "result[4]"}, tensor<31xf32> {jax.result_info = "result[5]"}, tensor<31xi32> {jax.result_info = "result[6]"}, tensor<31xi32> {jax.result_info = "result[7]"}, tensor<5xf32> {jax.result_info = "result[8]"}, tensor<5xi32> {jax.result_info = "result[9]"}, tensor<31xi32> {jax.result_info = "result[10]"}, tensor<6xi32> {jax.result_info = "result[11]"}) {
    %values, %indices = chlo.top_k(%arg0, k = 7) : tensor<5x31xf32> -> (tensor<5x7xf32>, tensor<5x7xi32>)
    %0 = stablehlo.slice %arg0 [0:1, 0:31] : (tensor<5x31xf32>) -> tensor<1x31xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x31xf32>) -> tensor<31xf32>
    %2 = stablehlo.iota dim = 0 : tensor<31xi32>
    %3:3 = "stablehlo.sort"(%arg1, %1, %2) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<i32>, %arg7: tensor<i32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %25 = stablehlo.compare EQ, %arg4, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %26 = stablehlo.select %25, %cst_4, %arg4 : tensor<i1>, tensor<f32>
      %27 = stablehlo.compare NE, %arg4, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %28 = stablehlo.select %27, %cst_5, %26 : tensor<i1>, tensor<f32>
      %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %29 = stablehlo.compare EQ, %arg5, %cst_6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %30 = stablehlo.select %29, %cst_7, %arg5 : tensor<i1>, tensor<f32>
      %31 = stablehlo.compare NE, %arg5, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_8 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %32 = stablehlo.select %31, %cst_8, %30 : tensor<i1>, tensor<f32>
      %33 = stablehlo.compare LT, %28, %32, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %34 = stablehlo.compare LT, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %35 = stablehlo.compare EQ, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %36 = stablehlo.and %35, %33 : tensor<i1>
      %37 = stablehlo.or %34, %36 : tensor<i1>
      stablehlo.return %37 : tensor<i1>
    }) : (tensor<31xi32>, tensor<31xf32>, tensor<31xi32>) -> (tensor<31xi32>, tensor<31xf32>, tensor<31xi32>)
    %4 = stablehlo.slice %arg0 [1:2, 0:31] : (tensor<5x31xf32>) -> tensor<1x31xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x31xf32>) -> tensor<31xf32>
    %6 = call @sort(%5) : (tensor<31xf32>) -> tensor<31xf32>
    %7 = stablehlo.slice %arg0 [2:3, 0:31] : (tensor<5x31xf32>) -> tensor<1x31xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x31xf32>) -> tensor<31xf32>
    %9 = call @searchsorted(%6, %8) : (tensor<31xf32>, tensor<31xf32>) -> tensor<31xi32>
    %10 = call @sort_1(%arg0) : (tensor<5x31xf32>) -> tensor<5x31xf32>
    %11 = call @argsort(%arg0) : (tensor<5x31xf32>) -> tensor<5x31xi32>
    %12 = call @median(%arg0) : (tensor<5x31xf32>) -> tensor<5xf32>
    %13 = call @argmax(%arg0) : (tensor<5x31xf32>) -> tensor<5xi32>
    %14 = call @cumsum(%arg1) : (tensor<31xi32>) -> tensor<31xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %16 = call @clip(%arg1, %c_0) : (tensor<31xi32>, tensor<i32>) -> tensor<31xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<31xi32>
    %18 = stablehlo.compare LT, %16, %17, SIGNED : (tensor<31xi32>, tensor<31xi32>) -> tensor<31xi1>
    %c_2 = stablehlo.constant dense<6> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<31xi32>
    %20 = stablehlo.add %16, %19 : tensor<31xi32>
    %21 = stablehlo.select %18, %20, %16 : tensor<31xi1>, tensor<31xi32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<31xi32>) -> tensor<31x1xi32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<31xi32>
    %24 = "stablehlo.scatter"(%15, %22, %23) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %25 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %25 : tensor<i32>
    }) : (tensor<6xi32>, tensor<31x1xi32>, tensor<31xi32>) -> tensor<6xi32>
    return %10, %11, %values, %indices, %3#0, %3#1, %3#2, %9, %12, %13, %14, %24 : tensor<5x31xf32>, tensor<5x31xi32>, tensor<5x7xf32>, tensor<5x7xi32>, tensor<31xi32>, tensor<31xf32>, tensor<31xi32>, tensor<31xi32>, tensor<5xf32>, tensor<5xi32>, tensor<31xi32>, tensor<6xi32>
  }
  func.func private @sort(%arg0: tensor<31xf32>) -> tensor<31xf32> {
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
    }) : (tensor<31xf32>) -> tensor<31xf32>
    return %0 : tensor<31xf32>
  }
  func.func private @searchsorted(%arg0: tensor<31xf32>, %arg1: tensor<31xf32>) -> tensor<31xi32> {
    %0 = call @_searchsorted_scan_impl(%arg0, %arg1) : (tensor<31xf32>, tensor<31xf32>) -> tensor<31xi32>
    return %0 : tensor<31xi32>
  }
  func.func private @_searchsorted_scan_impl(%arg0: tensor<31xf32>, %arg1: tensor<31xf32>) -> tensor<31xi32> {
    %0 = call @_searchsorted_scan_impl_0(%arg0, %arg1) : (tensor<31xf32>, tensor<31xf32>) -> tensor<31xi32>
    return %0 : tensor<31xi32>
  }
  func.func private @_searchsorted_scan_impl_0(%arg0: tensor<31xf32>, %arg1: tensor<31xf32>) -> tensor<31xi32> {
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<31xui32>
    %c_0 = stablehlo.constant dense<31> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<31xui32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2:5 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %arg1, %iterArg_3 = %c_1, %iterArg_4 = %0, %iterArg_5 = %1) : tensor<31xf32>, tensor<31xf32>, tensor<i32>, tensor<31xui32>, tensor<31xui32>
    cond {
      %c_6 = stablehlo.constant dense<5> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4:2 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_4, %iterArg_5) : (tensor<31xf32>, tensor<31xf32>, tensor<31xui32>, tensor<31xui32>) -> (tensor<31xui32>, tensor<31xui32>)
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg_3, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %5, %4#0, %4#1 : tensor<31xf32>, tensor<31xf32>, tensor<i32>, tensor<31xui32>, tensor<31xui32>
    }
    %3 = stablehlo.convert %2#4 : (tensor<31xui32>) -> tensor<31xi32>
    return %3 : tensor<31xi32>
  }
  func.func private @closed_call(%arg0: tensor<31xf32>, %arg1: tensor<31xf32>, %arg2: tensor<31xui32>, %arg3: tensor<31xui32>) -> (tensor<31xui32>, tensor<31xui32>) {
    %0 = stablehlo.subtract %arg3, %arg2 : tensor<31xui32>
    %c = stablehlo.constant dense<2> : tensor<i32>
    %1 = call @floor_divide(%0, %c) : (tensor<31xui32>, tensor<i32>) -> tensor<31xui32>
    %2 = stablehlo.add %arg2, %1 : tensor<31xui32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<31xui32>) -> tensor<31x1xui32>
    %4 = "stablehlo.gather"(%arg0, %3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<31xf32>, tensor<31x1xui32>) -> tensor<31x1xf32>
    %5 = stablehlo.reshape %4 : (tensor<31x1xf32>) -> tensor<31xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<31xf32>
    %7 = stablehlo.compare EQ, %arg1, %6, FLOAT : (tensor<31xf32>, tensor<31xf32>) -> tensor<31xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<31xf32>
    %9 = stablehlo.select %7, %8, %arg1 : tensor<31xi1>, tensor<31xf32>
    %10 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<31xf32>, tensor<31xf32>) -> tensor<31xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<31xf32>
    %12 = stablehlo.select %10, %11, %9 : tensor<31xi1>, tensor<31xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<31xf32>
    %14 = stablehlo.compare EQ, %5, %13, FLOAT : (tensor<31xf32>, tensor<31xf32>) -> tensor<31xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<31xf32>
    %16 = stablehlo.select %14, %15, %5 : tensor<31xi1>, tensor<31xf32>
    %17 = stablehlo.compare NE, %5, %5, FLOAT : (tensor<31xf32>, tensor<31xf32>) -> tensor<31xi1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<31xf32>
    %19 = stablehlo.select %17, %18, %16 : tensor<31xi1>, tensor<31xf32>
    %20 = stablehlo.compare LE, %12, %19, TOTALORDER : (tensor<31xf32>, tensor<31xf32>) -> tensor<31xi1>
    %21 = stablehlo.select %20, %arg2, %2 : tensor<31xi1>, tensor<31xui32>
    %22 = stablehlo.select %20, %2, %arg3 : tensor<31xi1>, tensor<31xui32>
    return %21, %22 : tensor<31xui32>, tensor<31xui32>
  }
  func.func private @floor_divide(%arg0: tensor<31xui32>, %arg1: tensor<i32>) -> tensor<31xui32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<ui32>) -> tensor<31xui32>
    %2 = stablehlo.divide %arg0, %1 : tensor<31xui32>
    return %2 : tensor<31xui32>
  }
  func.func private @sort_1(%arg0: tensor<5x31xf32>) -> tensor<5x31xf32> {
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
    }) : (tensor<5x31xf32>) -> tensor<5x31xf32>
    return %0 : tensor<5x31xf32>
  }
  func.func private @argsort(%arg0: tensor<5x31xf32>) -> tensor<5x31xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<5x31xi32>
    %1 = stablehlo.reverse %arg0, dims = [1] : tensor<5x31xf32>
    %2 = stablehlo.reverse %0, dims = [1] : tensor<5x31xi32>
    %3:2 = "stablehlo.sort"(%1, %2) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_1, %6 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %9 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %10 = stablehlo.select %9, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %11 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %12 = stablehlo.select %11, %cst_4, %10 : tensor<i1>, tensor<f32>
      %13 = stablehlo.compare LT, %8, %12, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }) : (tensor<5x31xf32>, tensor<5x31xi32>) -> (tensor<5x31xf32>, tensor<5x31xi32>)
    %4 = stablehlo.reverse %3#1, dims = [1] : tensor<5x31xi32>
    return %4 : tensor<5x31xi32>
  }
  func.func private @median(%arg0: tensor<5x31xf32>) -> tensor<5xf32> {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = call @quantile(%arg0, %cst) : (tensor<5x31xf32>, tensor<f32>) -> tensor<5xf32>
    return %0 : tensor<5xf32>
  }
  func.func private @quantile(%arg0: tensor<5x31xf32>, %arg1: tensor<f32>) -> tensor<5xf32> {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<5x31xf32>, tensor<5x31xf32>) -> tensor<5x31xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.or across dimensions = [1] : (tensor<5x31xi1>, tensor<i1>) -> tensor<5xi1>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<5xi1>) -> tensor<5x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %3 = call @_where(%2, %cst, %arg0) : (tensor<5x1xi1>, tensor<f32>, tensor<5x31xf32>) -> tensor<5x31xf32>
    %4 = "stablehlo.sort"(%3) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %22 = stablehlo.compare EQ, %arg2, %cst_9, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %23 = stablehlo.select %22, %cst_10, %arg2 : tensor<i1>, tensor<f32>
      %24 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_11 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %25 = stablehlo.select %24, %cst_11, %23 : tensor<i1>, tensor<f32>
      %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %26 = stablehlo.compare EQ, %arg3, %cst_12, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %27 = stablehlo.select %26, %cst_13, %arg3 : tensor<i1>, tensor<f32>
      %28 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_14 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %29 = stablehlo.select %28, %cst_14, %27 : tensor<i1>, tensor<f32>
      %30 = stablehlo.compare LT, %25, %29, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %30 : tensor<i1>
    }) : (tensor<5x31xf32>) -> tensor<5x31xf32>
    %cst_0 = stablehlo.constant dense<3.100000e+01> : tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.subtract %cst_0, %cst_1 : tensor<f32>
    %6 = stablehlo.multiply %arg1, %5 : tensor<f32>
    %7 = stablehlo.floor %6 : tensor<f32>
    %8 = stablehlo.ceil %6 : tensor<f32>
    %cst_2 = stablehlo.constant dense<3.100000e+01> : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.subtract %cst_2, %cst_3 : tensor<f32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.clamp %cst_4, %7, %9 : tensor<f32>
    %cst_5 = stablehlo.constant dense<3.100000e+01> : tensor<f32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.subtract %cst_5, %cst_6 : tensor<f32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.clamp %cst_7, %8, %11 : tensor<f32>
    %13 = stablehlo.convert %10 : (tensor<f32>) -> tensor<i32>
    %14 = stablehlo.convert %12 : (tensor<f32>) -> tensor<i32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %16 = "stablehlo.gather"(%4, %15) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 5, 1>}> : (tensor<5x31xf32>, tensor<1xi32>) -> tensor<5xf32>
    %17 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %18 = "stablehlo.gather"(%4, %17) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 5, 1>}> : (tensor<5x31xf32>, tensor<1xi32>) -> tensor<5xf32>
    %19 = stablehlo.add %16, %18 : tensor<5xf32>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %21 = stablehlo.multiply %19, %20 : tensor<5xf32>
    return %21 : tensor<5xf32>
  }
  func.func private @_where(%arg0: tensor<5x1xi1>, %arg1: tensor<f32>, %arg2: tensor<5x31xf32>) -> tensor<5x31xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<5x1xi1>) -> tensor<5x31xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<5x31xf32>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<5x31xi1>, tensor<5x31xf32>
    return %3 : tensor<5x31xf32>
  }
  func.func private @argmax(%arg0: tensor<5x31xf32>) -> tensor<5xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<5x31xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<5x31xf32>, tensor<5x31xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<5xi32>
  }
  func.func private @cumsum(%arg0: tensor<31xi32>) -> tensor<31xi32> {
    %0 = call @cumsum_2(%arg0) : (tensor<31xi32>) -> tensor<31xi32>
    return %0 : tensor<31xi32>
  }
  func.func private @cumsum_2(%arg0: tensor<31xi32>) -> tensor<31xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[30, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 31>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<31xi32>, tensor<i32>) -> tensor<31xi32>
    return %1 : tensor<31xi32>
  }
  func.func private @clip(%arg0: tensor<31xi32>, %arg1: tensor<i32>) -> tensor<31xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<31xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<31xi32>
    return %2 : tensor<31xi32>
  }
}
