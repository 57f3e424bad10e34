// Arrays: their creation, computation and reading.
#include <cstring>

#include "guard.h"

namespace rlx {
namespace {

int32_t array_from(const void* data, rlx_ints dims, int32_t code, rlx_array* out) {
  return gives(out, [&] {
    auto type = dtype(code);
    auto sizes = shape(dims);
    size_t bytes = type.size();
    for (auto d : sizes) {
      bytes *= d;
    }
    auto memory = mx::allocator::malloc(bytes);
    if (bytes > 0) {
      std::memcpy(memory.buffer().raw_ptr(), data, bytes);
    }
    return mx::array(std::move(memory), std::move(sizes), type);
  });
}

int32_t array_over(
    void* data, rlx_ints dims, int32_t code, void (*drop)(void*), void* context, rlx_array* out) {
  return gives(out, [&] {
    return mx::array(data, shape(dims), dtype(code), [drop, context](void*) { drop(context); });
  });
}

int32_t array_clone(rlx_array a, rlx_array* out) {
  return gives(out, [&] { return of(a); });
}

void array_free(rlx_array a) {
  delete reinterpret_cast<mx::array*>(a);
}

int32_t array_dtype(rlx_array a) {
  return code_of(of(a).dtype());
}

rlx_ints array_dims(rlx_array a) {
  const auto& sizes = of(a).shape();
  return rlx_ints{sizes.begin(), sizes.size()};
}

int32_t eval(const rlx_array* arrays, size_t n) {
  return guarded([&] { mx::eval(all_of(arrays, n)); });
}

int32_t async_eval(const rlx_array* arrays, size_t n) {
  return guarded([&] { mx::async_eval(all_of(arrays, n)); });
}

int32_t array_read(rlx_array a, void* into, size_t bytes) {
  return guarded([&] {
    mx::array dense = of(a);
    dense.eval();
    if (!dense.flags().row_contiguous) {
      dense = mx::contiguous(dense);
      dense.eval();
    }
    if (bytes != dense.nbytes()) {
      throw std::invalid_argument("the number of bytes does not match the array");
    }
    if (bytes > 0) {
      std::memcpy(into, dense.data<char>(), bytes);
    }
  });
}

int32_t array_ready(rlx_array a, void* into, size_t bytes, int32_t* ready) {
  return guarded([&] {
    const auto& x = of(a);
    *ready = x.is_available() && x.flags().row_contiguous;
    if (!*ready) {
      return;
    }
    if (bytes != x.nbytes()) {
      throw std::invalid_argument("the number of bytes does not match the array");
    }
    if (bytes > 0) {
      std::memcpy(into, x.data<char>(), bytes);
    }
  });
}

} // namespace

void add_arrays(rlx_mlx_table_s& table) {
  table.array_from = array_from;
  table.array_over = array_over;
  table.array_clone = array_clone;
  table.array_free = array_free;
  table.array_dtype = array_dtype;
  table.array_dims = array_dims;
  table.eval = eval;
  table.async_eval = async_eval;
  table.array_read = array_read;
  table.array_ready = array_ready;
}

} // namespace rlx
