// Elementwise functions and element types.
#include "guard.h"

namespace rlx {
namespace {

using Unary = mx::array (*)(const mx::array&, mx::StreamOrDevice);
using Binary = mx::array (*)(const mx::array&, const mx::array&, mx::StreamOrDevice);

// In the order of the header.
const Unary UNARY[] = {
    mx::abs,
    mx::negative,
    mx::sign,
    mx::floor,
    mx::ceil,
    [](const mx::array& a, mx::StreamOrDevice s) { return mx::round(a, s); },
    mx::trunc,
    mx::exp,
    mx::expm1,
    mx::log,
    mx::log1p,
    mx::sqrt,
    mx::rsqrt,
    mx::sin,
    mx::cos,
    mx::tan,
    mx::arcsin,
    mx::arccos,
    mx::arctan,
    mx::sinh,
    mx::cosh,
    mx::tanh,
    mx::arcsinh,
    mx::arccosh,
    mx::arctanh,
    mx::sigmoid,
    mx::erf,
    mx::erfinv,
    mx::isnan,
    mx::isfinite,
    mx::logical_not,
    mx::bitwise_invert,
    mx::real,
    mx::imag,
    mx::conjugate,
    [](const mx::array& a, mx::StreamOrDevice s) { return mx::copy(a, s); },
    [](const mx::array& a, mx::StreamOrDevice s) { return mx::contiguous(a, false, s); },
};
static_assert(std::size(UNARY) == RLX_CONTIGUOUS + 1);

const Binary BINARY[] = {
    mx::add,
    mx::subtract,
    mx::multiply,
    mx::divide,
    mx::floor_divide,
    mx::remainder,
    mx::power,
    mx::maximum,
    mx::minimum,
    mx::arctan2,
    mx::logaddexp,
    mx::equal,
    mx::not_equal,
    mx::less,
    mx::less_equal,
    mx::greater,
    mx::greater_equal,
    mx::logical_and,
    mx::logical_or,
    mx::bitwise_and,
    mx::bitwise_or,
    mx::bitwise_xor,
    mx::left_shift,
    mx::right_shift,
    mx::matmul,
};
static_assert(std::size(BINARY) == RLX_MATMUL + 1);

int32_t unary(int32_t code, rlx_array a, rlx_stream s, rlx_array* out) {
  return gives(out, [&] {
    if (code < 0 || code > RLX_CONTIGUOUS) {
      throw std::invalid_argument("unknown code of a function of one array");
    }
    return UNARY[code](of(a), stream(s));
  });
}

int32_t binary(int32_t code, rlx_array a, rlx_array b, rlx_stream s, rlx_array* out) {
  return gives(out, [&] {
    if (code < 0 || code > RLX_MATMUL) {
      throw std::invalid_argument("unknown code of a function of two arrays");
    }
    return BINARY[code](of(a), of(b), stream(s));
  });
}

int32_t select(rlx_array condition, rlx_array a, rlx_array b, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::where(of(condition), of(a), of(b), stream(s)); });
}

int32_t astype(rlx_array a, int32_t code, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::astype(of(a), dtype(code), stream(s)); });
}

int32_t view(rlx_array a, int32_t code, rlx_stream s, rlx_array* out) {
  return gives(out, [&] { return mx::view(of(a), dtype(code), stream(s)); });
}

} // namespace

void add_elementwise(rlx_mlx_table_s& table) {
  table.unary = unary;
  table.binary = binary;
  table.select = select;
  table.astype = astype;
  table.view = view;
}

} // namespace rlx
