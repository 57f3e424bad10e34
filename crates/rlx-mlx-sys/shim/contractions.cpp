// Products: convolutions, matrices selected by index, packed weights.
#include "guard.h"

namespace rlx {
namespace {

int32_t convolution(
    rlx_array x,
    rlx_array kernel,
    rlx_ints strides,
    rlx_ints low,
    rlx_ints high,
    rlx_ints kernel_dilation,
    rlx_ints input_dilation,
    int32_t groups,
    int32_t flip,
    rlx_stream s,
    rlx_array* out) {
  return gives(out, [&] {
    return mx::conv_general(
        of(x),
        of(kernel),
        ints(strides),
        ints(low),
        ints(high),
        ints(kernel_dilation),
        ints(input_dilation),
        groups,
        flip != 0,
        stream(s));
  });
}

int32_t gather_mm(
    rlx_array a, rlx_array b, rlx_array rhs_indices, int32_t sorted, rlx_stream s, rlx_array* out) {
  return gives(out, [&] {
    return mx::gather_mm(of(a), of(b), std::nullopt, of(rhs_indices), sorted != 0, stream(s));
  });
}

int32_t quantized_matmul(
    rlx_array x,
    rlx_array w,
    rlx_array scales,
    rlx_array biases,
    int32_t group_size,
    int32_t bits,
    const char* mode,
    rlx_stream s,
    rlx_array* out) {
  return gives(out, [&] {
    return mx::quantized_matmul(
        of(x), of(w), of(scales), maybe(biases), true, group_size, bits, mode, stream(s));
  });
}

int32_t gather_qmm(
    rlx_array x,
    rlx_array w,
    rlx_array scales,
    rlx_array biases,
    rlx_array rhs_indices,
    int32_t group_size,
    int32_t bits,
    const char* mode,
    int32_t sorted,
    rlx_stream s,
    rlx_array* out) {
  return gives(out, [&] {
    return mx::gather_qmm(
        of(x),
        of(w),
        of(scales),
        maybe(biases),
        std::nullopt,
        maybe(rhs_indices),
        true,
        group_size,
        bits,
        mode,
        std::nullopt,
        sorted != 0,
        stream(s));
  });
}

} // namespace

void add_contractions(rlx_mlx_table_s& table) {
  table.convolution = convolution;
  table.gather_mm = gather_mm;
  table.quantized_matmul = quantized_matmul;
  table.gather_qmm = gather_qmm;
}

} // namespace rlx
