// Reductions, running reductions and sorts.
#include "guard.h"

namespace rlx {
namespace {

int32_t reduce(int32_t code, rlx_array a, rlx_ints axes, int32_t keep, rlx_stream s, rlx_array* out) {
  return gives(out, [&] {
    auto along = ints(axes);
    bool kept = keep != 0;
    auto one = [&] {
      if (along.size() != 1) {
        throw std::invalid_argument("the index of an extreme needs a single axis");
      }
      return along[0];
    };
    switch (code) {
      case RLX_SUM:
        return mx::sum(of(a), along, kept, stream(s));
      case RLX_PROD:
        return mx::prod(of(a), along, kept, stream(s));
      case RLX_MAX:
        return mx::max(of(a), along, kept, stream(s));
      case RLX_MIN:
        return mx::min(of(a), along, kept, stream(s));
      case RLX_ALL:
        return mx::all(of(a), along, kept, stream(s));
      case RLX_ANY:
        return mx::any(of(a), along, kept, stream(s));
      case RLX_LOGSUMEXP:
        return mx::logsumexp(of(a), along, kept, stream(s));
      case RLX_ARGMAX:
        return mx::argmax(of(a), one(), kept, stream(s));
      case RLX_ARGMIN:
        return mx::argmin(of(a), one(), kept, stream(s));
      default:
        throw std::invalid_argument("unknown code of a reduction");
    }
  });
}

int32_t cumulative(
    int32_t code, rlx_array a, int32_t axis, int32_t reverse, int32_t inclusive, rlx_stream s, rlx_array* out) {
  return gives(out, [&] {
    bool backwards = reverse != 0, inside = inclusive != 0;
    switch (code) {
      case RLX_SUM:
        return mx::cumsum(of(a), axis, backwards, inside, std::nullopt, stream(s));
      case RLX_PROD:
        return mx::cumprod(of(a), axis, backwards, inside, std::nullopt, stream(s));
      case RLX_MAX:
        return mx::cummax(of(a), axis, backwards, inside, stream(s));
      case RLX_MIN:
        return mx::cummin(of(a), axis, backwards, inside, stream(s));
      case RLX_LOGSUMEXP:
        return mx::logcumsumexp(of(a), axis, backwards, inside, stream(s));
      default:
        throw std::invalid_argument("unknown code of a running reduction");
    }
  });
}

int32_t softmax(rlx_array a, int32_t axis, int32_t precise, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::softmax(of(a), axis, precise != 0, stream(s)); });
}

int32_t sort(rlx_array a, int32_t axis, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::sort(of(a), axis, stream(s)); });
}

int32_t argsort(rlx_array a, int32_t axis, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::argsort(of(a), axis, stream(s)); });
}

} // namespace

void add_reductions(rlx_mlx_table_s& table) {
  table.reduce = reduce;
  table.cumulative = cumulative;
  table.softmax = softmax;
  table.sort = sort;
  table.argsort = argsort;
}

} // namespace rlx
