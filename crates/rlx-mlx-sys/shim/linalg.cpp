// Fourier transforms and linear algebra.
#include "guard.h"

namespace rlx {
namespace {

int32_t fft(int32_t code, rlx_array a, rlx_ints lengths, rlx_ints axes, rlx_stream s, rlx_array* out) {
  return gives(out, [&] {
    auto n = shape(lengths);
    auto along = ints(axes);
    auto norm = mx::fft::FFTNorm::Backward;
    switch (code) {
      case RLX_FFT:
        return mx::fft::fftn(of(a), n, along, norm, stream(s));
      case RLX_IFFT:
        return mx::fft::ifftn(of(a), n, along, norm, stream(s));
      case RLX_RFFT:
        return mx::fft::rfftn(of(a), n, along, norm, stream(s));
      case RLX_IRFFT:
        return mx::fft::irfftn(of(a), n, along, norm, stream(s));
      default:
        throw std::invalid_argument("unknown code of a Fourier transform");
    }
  });
}

std::vector<mx::array> pair(std::pair<mx::array, mx::array> results) {
  return {std::move(results.first), std::move(results.second)};
}

std::vector<mx::array> factors(int32_t code, const mx::array& a, mx::Stream s) {
  switch (code) {
    case RLX_CHOLESKY_LOWER:
      return {mx::linalg::cholesky(a, false, s)};
    case RLX_CHOLESKY_UPPER:
      return {mx::linalg::cholesky(a, true, s)};
    case RLX_QR:
      return pair(mx::linalg::qr(a, s));
    case RLX_SVD:
      return mx::linalg::svd(a, true, s);
    case RLX_EIGH_LOWER:
      return pair(mx::linalg::eigh(a, "L", s));
    case RLX_EIGH_UPPER:
      return pair(mx::linalg::eigh(a, "U", s));
    case RLX_LU:
      return pair(mx::linalg::lu_factor(a, s));
    default:
      throw std::invalid_argument("unknown code of a factorization");
  }
}

int32_t factorize(int32_t code, rlx_array a, rlx_stream s, rlx_array* outputs, size_t capacity, size_t* count) {
  return guarded([&] {
    auto results = factors(code, of(a), stream(s));
    if (results.size() > capacity) {
      throw std::invalid_argument("the factorization has more results than its capacity");
    }
    for (size_t i = 0; i < results.size(); ++i) {
      outputs[i] = handle(std::move(results[i]));
    }
    *count = results.size();
  });
}

} // namespace

void add_linalg(rlx_mlx_table_s& table) {
  table.fft = fft;
  table.factorize = factorize;
}

} // namespace rlx
