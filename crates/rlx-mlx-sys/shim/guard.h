// The common parts of the table's functions: exceptions become statuses, and handles become arrays and back.
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "mlx/mlx.h"
#include "rlx_mlx.h"

namespace rlx {

namespace mx = mlx::core;

// The message of the last error on this thread.
std::string& message();

int32_t noted(const char* what) noexcept;

template <class F>
int32_t guarded(F&& f) noexcept {
  try {
    f();
    return RLX_OK;
  } catch (const std::bad_alloc&) {
    noted("an allocation failed");
    return RLX_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    return noted(e.what());
  } catch (...) {
    return noted("MLX threw something other than a std::exception");
  }
}

inline const mx::array& of(rlx_array a) {
  return *reinterpret_cast<mx::array*>(a);
}

inline std::optional<mx::array> maybe(rlx_array a) {
  return a ? std::make_optional(of(a)) : std::nullopt;
}

inline rlx_array handle(mx::array a) {
  return reinterpret_cast<rlx_array>(new mx::array(std::move(a)));
}

inline std::vector<mx::array> all_of(const rlx_array* arrays, size_t n) {
  std::vector<mx::array> list;
  list.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    list.push_back(of(arrays[i]));
  }
  return list;
}

inline mx::Shape shape(rlx_ints ints) {
  return mx::Shape(ints.data, ints.data + ints.len);
}

inline std::vector<int> ints(rlx_ints ints) {
  return std::vector<int>(ints.data, ints.data + ints.len);
}

inline mx::Stream stream(rlx_stream s) {
  auto kind = s.kind == RLX_GPU ? mx::Device::gpu : mx::Device::cpu;
  return mx::Stream(s.index, mx::Device(kind, s.ordinal));
}

mx::Dtype dtype(int32_t code);
int32_t code_of(mx::Dtype dtype);

// Fails for an array with more bytes than the machine has: on the CPU, MLX does not check whether its allocation succeeded.
void check_size(const mx::array& a);

// A function of the table whose only result is the result of `f`.
template <class F>
int32_t gives(rlx_array* out, F&& f) noexcept {
  return guarded([&] {
    mx::array made = f();
    check_size(made);
    *out = handle(std::move(made));
  });
}

// The parts of the table, each filled in by the file with its functions.
void add_runtime(rlx_mlx_table_s& table);
void add_arrays(rlx_mlx_table_s& table);
void add_functions(rlx_mlx_table_s& table);
void add_elementwise(rlx_mlx_table_s& table);
void add_shapes(rlx_mlx_table_s& table);
void add_indices(rlx_mlx_table_s& table);
void add_reductions(rlx_mlx_table_s& table);
void add_contractions(rlx_mlx_table_s& table);
void add_fused(rlx_mlx_table_s& table);
void add_linalg(rlx_mlx_table_s& table);

} // namespace rlx
