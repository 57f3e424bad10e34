// Operations for which MLX has a single kernel.
#include "guard.h"

namespace rlx {
namespace {

int32_t rms_norm(rlx_array x, rlx_array weight, float eps, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::fast::rms_norm(of(x), maybe(weight), eps, stream(s)); });
}

int32_t layer_norm(rlx_array x, rlx_array weight, rlx_array bias, float eps, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::fast::layer_norm(of(x), maybe(weight), maybe(bias), eps, stream(s)); });
}

int32_t rope(
    rlx_array x,
    int32_t width,
    int32_t traditional,
    rlx_array start,
    rlx_array inverse_frequencies,
    rlx_stream s,
    rlx_array* out) {
  return gives(out, [&] {
    return mx::fast::rope(
        of(x), width, traditional != 0, std::nullopt, 1.0f, of(start), of(inverse_frequencies), stream(s));
  });
}

int32_t attention(
    rlx_array q,
    rlx_array k,
    rlx_array v,
    float scale,
    int32_t causal,
    rlx_array mask,
    rlx_stream s,
    rlx_array* out) {
  return gives(out, [&] {
    const char* mode = causal ? "causal" : (mask ? "array" : "");
    return mx::fast::scaled_dot_product_attention(
        of(q), of(k), of(v), scale, mode, maybe(mask), std::nullopt, false, stream(s));
  });
}

} // namespace

void add_fused(rlx_mlx_table_s& table) {
  table.rms_norm = rms_norm;
  table.layer_norm = layer_norm;
  table.rope = rope;
  table.attention = attention;
}

} // namespace rlx
