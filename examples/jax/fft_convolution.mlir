module @jit_fft_convolution attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x500xf32>, %arg1: tensor<77xf32>, %arg2: tensor<12x10xf32>) -> (tensor<3x576xf32> {jax.result_info = "result[0]"}, tensor<12x10xf32> {jax.result_info = "result[1]"}, tensor<12x10xf32> {jax.result_info = "result[2]"}, tensor<2x2xf32> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = call @_pad(%arg0, %c) : (tensor<3x500xf32>, tensor<i32>) -> tensor<3x576xf32>
    %1 = call @fft(%0) : (tensor<3x576xf32>) -> tensor<3x289xcomplex<f32>>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %2 = call @_pad_0(%arg1, %c_0) : (tensor<77xf32>, tensor<i32>) -> tensor<576xf32>
    %3 = call @fft_1(%2) : (tensor<576xf32>) -> tensor<289xcomplex<f32>>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<289xcomplex<f32>>) -> tensor<1x289xcomplex<f32>>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x289xcomplex<f32>>) -> tensor<3x289xcomplex<f32>>
    %6 = stablehlo.multiply %1, %5 : tensor<3x289xcomplex<f32>>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = call @_pad_2(%6, %c_1) : (tensor<3x289xcomplex<f32>>, tensor<i32>) -> tensor<3x289xcomplex<f32>>
    %8 = call @fft_3(%7) : (tensor<3x289xcomplex<f32>>) -> tensor<3x576xf32>
    %9 = call @fft_4(%arg2) : (tensor<12x10xf32>) -> tensor<12x10xcomplex<f32>>
    %10 = stablehlo.iota dim = 0 : tensor<12xf32>
    %cst = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %12 = stablehlo.add %10, %11 : tensor<12xf32>
    %c_2 = stablehlo.constant dense<12> : tensor<i32>
    %13 = call @remainder(%12, %c_2) : (tensor<12xf32>, tensor<i32>) -> tensor<12xf32>
    %cst_3 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %15 = stablehlo.subtract %13, %14 : tensor<12xf32>
    %cst_4 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %17 = stablehlo.divide %15, %16 : tensor<12xf32>
    %18 = stablehlo.abs %17 : tensor<12xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<12xf32>) -> tensor<12x1xf32>
    %cst_5 = stablehlo.constant dense<3.000000e-01> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<12x1xf32>
    %21 = stablehlo.compare GT, %19, %20, FLOAT : (tensor<12x1xf32>, tensor<12x1xf32>) -> tensor<12x1xi1>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %22 = call @_where(%21, %c_6, %9) : (tensor<12x1xi1>, tensor<i32>, tensor<12x10xcomplex<f32>>) -> tensor<12x10xcomplex<f32>>
    %23 = call @fft_5(%22) : (tensor<12x10xcomplex<f32>>) -> tensor<12x10xcomplex<f32>>
    %24 = stablehlo.real %23 : (tensor<12x10xcomplex<f32>>) -> tensor<12x10xf32>
    %25 = stablehlo.abs %9 : (tensor<12x10xcomplex<f32>>) -> tensor<12x10xf32>
    %26 = stablehlo.slice %9 [1:3, 1:3] : (tensor<12x10xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
    %27 = call @angle(%26) : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xf32>
    return %8, %24, %25, %27 : tensor<3x576xf32>, tensor<12x10xf32>, tensor<12x10xf32>, tensor<2x2xf32>
  }
  func.func private @_pad(%arg0: tensor<3x500xf32>, %arg1: tensor<i32>) -> tensor<3x576xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 76], interior = [0, 0] : (tensor<3x500xf32>, tensor<f32>) -> tensor<3x576xf32>
    return %1 : tensor<3x576xf32>
  }
  func.func private @fft(%arg0: tensor<3x576xf32>) -> tensor<3x289xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [576] : (tensor<3x576xf32>) -> tensor<3x289xcomplex<f32>>
    return %0 : tensor<3x289xcomplex<f32>>
  }
  func.func private @_pad_0(%arg0: tensor<77xf32>, %arg1: tensor<i32>) -> tensor<576xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0], high = [499], interior = [0] : (tensor<77xf32>, tensor<f32>) -> tensor<576xf32>
    return %1 : tensor<576xf32>
  }
  func.func private @fft_1(%arg0: tensor<576xf32>) -> tensor<289xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [576] : (tensor<576xf32>) -> tensor<289xcomplex<f32>>
    return %0 : tensor<289xcomplex<f32>>
  }
  func.func private @_pad_2(%arg0: tensor<3x289xcomplex<f32>>, %arg1: tensor<i32>) -> tensor<3x289xcomplex<f32>> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<complex<f32>>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<3x289xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3x289xcomplex<f32>>
    return %1 : tensor<3x289xcomplex<f32>>
  }
  func.func private @fft_3(%arg0: tensor<3x289xcomplex<f32>>) -> tensor<3x576xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [576] : (tensor<3x289xcomplex<f32>>) -> tensor<3x576xf32>
    return %0 : tensor<3x576xf32>
  }
  func.func private @fft_4(%arg0: tensor<12x10xf32>) -> tensor<12x10xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<12x10xf32>) -> tensor<12x10xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [12, 10] : (tensor<12x10xcomplex<f32>>) -> tensor<12x10xcomplex<f32>>
    return %1 : tensor<12x10xcomplex<f32>>
  }
  func.func private @remainder(%arg0: tensor<12xf32>, %arg1: tensor<i32>) -> tensor<12xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %2 = stablehlo.remainder %arg0, %1 : tensor<12xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %4 = stablehlo.compare NE, %2, %3, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %6 = stablehlo.compare LT, %2, %5, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.compare LT, %0, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i1>) -> tensor<12xi1>
    %9 = stablehlo.compare NE, %6, %8, UNSIGNED : (tensor<12xi1>, tensor<12xi1>) -> tensor<12xi1>
    %10 = stablehlo.and %9, %4 : tensor<12xi1>
    %11 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %12 = stablehlo.add %2, %11 : tensor<12xf32>
    %13 = stablehlo.select %10, %12, %2 : tensor<12xi1>, tensor<12xf32>
    return %13 : tensor<12xf32>
  }
  func.func private @_where(%arg0: tensor<12x1xi1>, %arg1: tensor<i32>, %arg2: tensor<12x10xcomplex<f32>>) -> tensor<12x10xcomplex<f32>> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<complex<f32>>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<12x1xi1>) -> tensor<12x10xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<complex<f32>>) -> tensor<12x10xcomplex<f32>>
    %3 = stablehlo.select %1, %2, %arg2 : tensor<12x10xi1>, tensor<12x10xcomplex<f32>>
    return %3 : tensor<12x10xcomplex<f32>>
  }
  func.func private @fft_5(%arg0: tensor<12x10xcomplex<f32>>) -> tensor<12x10xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = IFFT, length = [12, 10] : (tensor<12x10xcomplex<f32>>) -> tensor<12x10xcomplex<f32>>
    return %0 : tensor<12x10xcomplex<f32>>
  }
  func.func private @angle(%arg0: tensor<2x2xcomplex<f32>>) -> tensor<2x2xf32> {
    %0 = stablehlo.real %arg0 : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xf32>
    %1 = stablehlo.imag %arg0 : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xf32>
    %2 = stablehlo.atan2 %1, %0 : tensor<2x2xf32>
    return %2 : tensor<2x2xf32>
  }
}
