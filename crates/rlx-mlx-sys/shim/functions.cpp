// Compiled functions: the caller makes their graph once per signature, and MLX keeps it.
#include <functional>

#include "guard.h"

namespace rlx {
namespace {

using Function = std::function<std::vector<mx::array>(const std::vector<mx::array>&)>;

// The maximum number of results of a function.
constexpr size_t MAX_RESULTS = 4096;

// The caller's part of a function, which is dropped when nothing needs it any more.
struct Callback {
  rlx_callback call;
  void* context;
  void (*drop)(void*);

  Callback(rlx_callback call, void* context, void (*drop)(void*)) : call(call), context(context), drop(drop) {}
  Callback(const Callback&) = delete;
  ~Callback() {
    drop(context);
  }

  std::vector<mx::array> operator()(const std::vector<mx::array>& inputs) const {
    std::vector<rlx_array> given, made(MAX_RESULTS);
    given.reserve(inputs.size());
    for (const auto& input : inputs) {
      given.push_back(reinterpret_cast<rlx_array>(const_cast<mx::array*>(&input)));
    }
    auto count = call(context, given.data(), given.size(), made.data(), made.size());
    if (count < 0) {
      throw std::runtime_error("tracing the function failed");
    }
    std::vector<mx::array> results;
    results.reserve(count);
    for (int64_t i = 0; i < count; ++i) {
      auto result = reinterpret_cast<mx::array*>(made[i]);
      results.push_back(std::move(*result));
      delete result;
    }
    return results;
  }
};

int32_t function_compile(
    rlx_callback callback, void* context, void (*drop)(void*), int32_t shapeless, rlx_function* out) {
  return guarded([&] {
    auto shared = std::make_shared<Callback>(callback, context, drop);
    Function f = [shared](const std::vector<mx::array>& inputs) { return (*shared)(inputs); };
    *out = reinterpret_cast<rlx_function>(new Function(mx::compile(std::move(f), shapeless != 0)));
  });
}

int32_t function_call(
    rlx_function f, const rlx_array* inputs, size_t n, rlx_array* outputs, size_t capacity, size_t* count) {
  return guarded([&] {
    auto results = (*reinterpret_cast<Function*>(f))(all_of(inputs, n));
    if (results.size() > capacity) {
      throw std::invalid_argument("the function has more results than its capacity");
    }
    for (size_t i = 0; i < results.size(); ++i) {
      outputs[i] = handle(std::move(results[i]));
    }
    *count = results.size();
  });
}

void function_free(rlx_function f) {
  delete reinterpret_cast<Function*>(f);
}

} // namespace

void add_functions(rlx_mlx_table_s& table) {
  table.function_compile = function_compile;
  table.function_call = function_call;
  table.function_free = function_free;
}

} // namespace rlx
