// Elements by index.
#include "guard.h"

namespace rlx {
namespace {

int32_t take(rlx_array a, rlx_array indices, int32_t axis, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::take(of(a), of(indices), axis, stream(s)); });
}

int32_t take_along_axis(rlx_array a, rlx_array indices, int32_t axis, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::take_along_axis(of(a), of(indices), axis, stream(s)); });
}

int32_t gather(
    rlx_array a,
    const rlx_array* indices,
    size_t n,
    rlx_ints axes,
    rlx_ints sizes,
    rlx_stream s,
    rlx_array* out) {
  return gives(
      out, [&] { return mx::gather(of(a), all_of(indices, n), ints(axes), shape(sizes), stream(s)); });
}

int32_t scatter(
    int32_t code,
    rlx_array a,
    const rlx_array* indices,
    size_t n,
    rlx_array updates,
    rlx_ints axes,
    rlx_stream s,
    rlx_array* out) {
  return gives(out, [&] {
    auto at = all_of(indices, n);
    auto along = ints(axes);
    switch (code) {
      case RLX_SET:
        return mx::scatter(of(a), at, of(updates), along, stream(s));
      case RLX_SUM:
        return mx::scatter_add(of(a), at, of(updates), along, stream(s));
      case RLX_PROD:
        return mx::scatter_prod(of(a), at, of(updates), along, stream(s));
      case RLX_MAX:
        return mx::scatter_max(of(a), at, of(updates), along, stream(s));
      case RLX_MIN:
        return mx::scatter_min(of(a), at, of(updates), along, stream(s));
      default:
        throw std::invalid_argument("unknown code of a scatter");
    }
  });
}

} // namespace

void add_indices(rlx_mlx_table_s& table) {
  table.take = take;
  table.take_along_axis = take_along_axis;
  table.gather = gather;
  table.scatter = scatter;
}

} // namespace rlx
