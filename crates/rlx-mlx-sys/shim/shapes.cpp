// Shapes: functions that only move elements.
#include "guard.h"

namespace rlx {
namespace {

int32_t arange(int64_t start, int64_t stop, int32_t code, rlx_stream s, rlx_array* out) {
  return gives(out, [&] {
    return mx::arange(static_cast<double>(start), static_cast<double>(stop), 1.0, dtype(code), stream(s));
  });
}

int32_t full(rlx_ints dims, rlx_array value, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::full(shape(dims), of(value), stream(s)); });
}

int32_t reshape(rlx_array a, rlx_ints dims, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::reshape(of(a), shape(dims), stream(s)); });
}

int32_t transpose(rlx_array a, rlx_ints axes, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::transpose(of(a), ints(axes), stream(s)); });
}

int32_t broadcast_to(rlx_array a, rlx_ints dims, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::broadcast_to(of(a), shape(dims), stream(s)); });
}

int32_t as_strided(
    rlx_array a, rlx_ints dims, const int64_t* strides, size_t offset, rlx_stream s, rlx_array* out) {
  return gives(out, [&] {
    return mx::as_strided(of(a), shape(dims), mx::Strides(strides, strides + dims.len), offset, stream(s));
  });
}

int32_t slice(rlx_array a, rlx_ints starts, rlx_ints stops, rlx_ints strides, rlx_stream s, rlx_array* out) {
  return gives(
      out, [&] { return mx::slice(of(a), shape(starts), shape(stops), shape(strides), stream(s)); });
}

int32_t slice_at(rlx_array a, rlx_array starts, rlx_ints axes, rlx_ints sizes, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::slice(of(a), of(starts), ints(axes), shape(sizes), stream(s)); });
}

int32_t slice_update(
    rlx_array a,
    rlx_array update,
    rlx_ints starts,
    rlx_ints stops,
    rlx_ints strides,
    rlx_stream s,
    rlx_array* out) {
  return gives(out, [&] {
    return mx::slice_update(of(a), of(update), shape(starts), shape(stops), shape(strides), stream(s));
  });
}

int32_t slice_update_at(
    rlx_array a, rlx_array update, rlx_array starts, rlx_ints axes, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::slice_update(of(a), of(update), of(starts), ints(axes), stream(s)); });
}

int32_t pad(rlx_array a, rlx_ints low, rlx_ints high, rlx_array value, rlx_stream s, rlx_array* out) {
  return gives(out, [&] {
    std::vector<int> axes(low.len);
    for (size_t i = 0; i < low.len; ++i) {
      axes[i] = i;
    }
    return mx::pad(of(a), axes, shape(low), shape(high), of(value), "constant", stream(s));
  });
}

int32_t concatenate(const rlx_array* arrays, size_t n, int32_t axis, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::concatenate(all_of(arrays, n), axis, stream(s)); });
}

} // namespace

void add_shapes(rlx_mlx_table_s& table) {
  table.arange = arange;
  table.full = full;
  table.reshape = reshape;
  table.transpose = transpose;
  table.broadcast_to = broadcast_to;
  table.as_strided = as_strided;
  table.slice = slice;
  table.slice_at = slice_at;
  table.slice_update = slice_update;
  table.slice_update_at = slice_update_at;
  table.pad = pad;
  table.concatenate = concatenate;
}

} // namespace rlx
