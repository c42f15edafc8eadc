// The table of one instruction set's kernels: included by one translation unit per set, which names the
// table.
#pragma once

#include "mixture_sweep_body.hpp"

namespace truegrade {
namespace {

/// Calls body(vectors of in, vectors of out) for kLanes elements at a time, the last time with lanes filled
/// up by 1.
template <int kIn, int kOut, class Body>
TRUEGRADE_INLINE void elementwise(const double* const (&in)[kIn], double* const (&out)[kOut],
                                  std::int64_t size, Body body) {
  for (std::int64_t i = 0; i < size; i += kLanes) {
    const std::size_t bytes =
        sizeof(double) * static_cast<std::size_t>(size - i < kLanes ? size - i : kLanes);
    Vec from[kIn], to[kOut];
    for (int k = 0; k < kIn; ++k) {
      from[k] = broadcast(1.0);
      std::memcpy(&from[k], in[k] + i, bytes);
    }
    body(from, to);
    for (int k = 0; k < kOut; ++k) std::memcpy(out[k] + i, &to[k], bytes);
  }
}

void moments_of(const double* lower, const double* upper, const double* mean, const double* precision,
                std::int64_t size, double* log_mass_out, double* mean_out, double* spread_out) {
  elementwise<4, 3>({lower, upper, mean, precision}, {log_mass_out, mean_out, spread_out}, size,
                    [](const Vec* from, Vec* to) {
                      const TruncatedNormal x =
                          truncated_normal(from[0] - from[2], from[1] - from[2], sqrt(from[3]));
                      to[0] = log(x.mass * (1 / kRootTwoPi)) - x.exponent;
                      to[1] = from[2] + x.shift;
                      to[2] = x.spread;
                    });
}

void gamma_functions_of(const double* shape, std::int64_t size, double* digamma_out, double* log_gamma_out) {
  elementwise<1, 2>({shape}, {digamma_out, log_gamma_out}, size, [](const Vec* from, Vec* to) {
    const GammaFunctions gamma = gamma_functions(from[0]);
    to[0] = gamma.digamma;
    to[1] = gamma.log_gamma_but_product - log(gamma.product);
  });
}

}  // namespace
}  // namespace truegrade

#define TRUEGRADE_MIXTURE_KERNELS \
  {truegrade::sweep_chunk, truegrade::moments_of, truegrade::gamma_functions_of}
