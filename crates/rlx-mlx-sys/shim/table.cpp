// The table, and the parts that its functions share.
#include <unistd.h>

#include "guard.h"

#define RLX_TEXT(x) #x
#define RLX_VERSION_TEXT(a, b, c) RLX_TEXT(a) "." RLX_TEXT(b) "." RLX_TEXT(c)

namespace rlx {

std::string& message() {
  static thread_local std::string text;
  return text;
}

int32_t noted(const char* what) noexcept {
  try {
    message() = what;
    // MLX's allocators throw their own runtime errors.
    bool memory = message().find("malloc]") != std::string::npos || message().find("bad_alloc") != std::string::npos;
    return memory ? RLX_OUT_OF_MEMORY : RLX_FAILED;
  } catch (...) {
    return RLX_OUT_OF_MEMORY;
  }
}

namespace {

const mx::Dtype DTYPES[] = {
    mx::bool_,
    mx::uint8,
    mx::uint16,
    mx::uint32,
    mx::uint64,
    mx::int8,
    mx::int16,
    mx::int32,
    mx::int64,
    mx::float16,
    mx::float32,
    mx::float64,
    mx::bfloat16,
    mx::complex64,
};

rlx_mlx_table_s filled() {
  rlx_mlx_table_s table{};
  table.abi = RLX_MLX_ABI;
  table.bytes = sizeof(table);
  table.built_for = RLX_VERSION_TEXT(MLX_VERSION_MAJOR, MLX_VERSION_MINOR, MLX_VERSION_PATCH);
  add_runtime(table);
  add_arrays(table);
  add_functions(table);
  add_elementwise(table);
  add_shapes(table);
  add_indices(table);
  add_reductions(table);
  add_contractions(table);
  add_fused(table);
  add_linalg(table);
  return table;
}

} // namespace

void check_size(const mx::array& a) {
  static const size_t machine =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (a.size() > machine / size_of(a.dtype())) {
    throw std::runtime_error(
        "[malloc] " + std::to_string(a.nbytes()) + " bytes for one array, but the machine has " +
        std::to_string(machine));
  }
}

mx::Dtype dtype(int32_t code) {
  if (code < 0 || code > RLX_C64) {
    throw std::invalid_argument("unknown element type code");
  }
  return DTYPES[code];
}

int32_t code_of(mx::Dtype dtype) {
  for (int32_t code = 0; code <= RLX_C64; ++code) {
    if (DTYPES[code] == dtype) {
      return code;
    }
  }
  return -1;
}

} // namespace rlx

extern "C" const rlx_mlx_table_s* rlx_mlx_table(void) {
  static const rlx_mlx_table_s table = rlx::filled();
  return &table;
}
