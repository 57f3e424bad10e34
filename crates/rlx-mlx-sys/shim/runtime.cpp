// Devices, streams and memory.
#include <cstring>

#include "guard.h"

namespace rlx {
namespace {

mx::Device device(int32_t kind, int32_t ordinal) {
  return mx::Device(kind == RLX_GPU ? mx::Device::gpu : mx::Device::cpu, ordinal);
}

const char* last_error() {
  return message().c_str();
}

int32_t device_count(int32_t kind, int32_t* out) {
  return guarded([&] {
    auto d = device(kind, 0);
    *out = mx::is_available(d) ? mx::device_count(d.type) : 0;
  });
}

// Returns the first of these properties that the device has.
template <class T>
std::optional<T> property(
    const std::unordered_map<std::string, std::variant<std::string, size_t>>& info,
    std::initializer_list<const char*> names) {
  for (auto name : names) {
    if (auto found = info.find(name); found != info.end()) {
      if (auto value = std::get_if<T>(&found->second)) {
        return *value;
      }
    }
  }
  return std::nullopt;
}

int32_t device_info(int32_t kind, int32_t ordinal, char* text, size_t capacity, uint64_t* memory) {
  return guarded([&] {
    const auto& info = mx::device_info(device(kind, ordinal));
    auto name = property<std::string>(info, {"device_name"}).value_or("");
    if (auto architecture = property<std::string>(info, {"architecture"}); architecture && *architecture != name) {
      name += name.empty() ? *architecture : " (" + *architecture + ")";
    }
    *memory = property<size_t>(info, {"total_memory", "memory_size"}).value_or(0);
    if (capacity > 0) {
      auto count = std::min(name.size(), capacity - 1);
      std::memcpy(text, name.data(), count);
      text[count] = 0;
    }
  });
}

int32_t stream_new(int32_t kind, int32_t ordinal, rlx_stream* out) {
  return guarded([&] {
    auto s = mx::new_thread_unsafe_stream(device(kind, ordinal));
    *out = rlx_stream{s.index, kind, ordinal};
  });
}

int32_t stream_wait(rlx_stream s) {
  return guarded([&] { mx::synchronize(stream(s)); });
}

int32_t memory_use(uint64_t* active, uint64_t* peak, uint64_t* cached) {
  return guarded([&] {
    *active = mx::get_active_memory();
    *peak = mx::get_peak_memory();
    *cached = mx::get_cache_memory();
  });
}

int32_t set_memory_limit(uint64_t bytes, uint64_t* before) {
  return guarded([&] { *before = mx::set_memory_limit(bytes); });
}

int32_t set_cache_limit(uint64_t bytes, uint64_t* before) {
  return guarded([&] { *before = mx::set_cache_limit(bytes); });
}

int32_t set_wired_limit(uint64_t bytes) {
  return guarded([&] { mx::set_wired_limit(bytes); });
}

int32_t clear_cache() {
  return guarded([] { mx::clear_cache(); });
}

int32_t set_fusing(int32_t on) {
  return guarded([&] { mx::set_compile_mode(on ? mx::CompileMode::enabled : mx::CompileMode::no_fuse); });
}

} // namespace

void add_runtime(rlx_mlx_table_s& table) {
  table.last_error = last_error;
  table.version = mx::version;
  table.device_count = device_count;
  table.device_info = device_info;
  table.stream_new = stream_new;
  table.stream_wait = stream_wait;
  table.memory_use = memory_use;
  table.set_memory_limit = set_memory_limit;
  table.set_cache_limit = set_cache_limit;
  table.set_wired_limit = set_wired_limit;
  table.clear_cache = clear_cache;
  table.set_fusing = set_fusing;
}

} // namespace rlx
