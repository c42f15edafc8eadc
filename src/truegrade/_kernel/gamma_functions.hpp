// Digamma and ln Gamma of a vector, for any x > 0: shift the argument by 8 and use Stirling's series there.
#pragma once

#include "elementary.hpp"

namespace truegrade {
namespace {

struct GammaFunctions {
  Vec digamma;
  Vec log_gamma_but_product;  // ln Gamma(x) + ln(product): the caller may multiply products and take one
                              // logarithm
  Vec product;                // x (x+1) .. (x+7)
};

/// psi(x) = psi(x+8) - sum_i 1/(x+i), ln Gamma(x) = ln Gamma(x+8) - ln prod_i (x+i), i = 0 .. 7. The terms i
/// and 7-i pair up: (x+i)(x+7-i) = q + i(7-i), q = x^2 + 7x, so the sum of reciprocals is (2x+7) D/P for
/// polynomials in q.
TRUEGRADE_INLINE GammaFunctions gamma_functions(Vec x) {
  const Vec q = x * (x + 7.0);
  const Vec first = q * (q + 6.0), second = (q + 10.0) * (q + 12.0);
  const Vec product = first * second;
  const Vec derivative = (2.0 * q + 6.0) * second + (2.0 * q + 22.0) * first;

  const Vec shifted = x + 8.0, inverse = 1.0 / shifted, square = inverse * inverse;
  const Vec log_shifted = log(shifted);
  const Vec reciprocals = (2.0 * x + 7.0) * derivative / product;
  const Vec digamma =
      log_shifted - 0.5 * inverse - square * polynomial(square, kStirlingDigamma) - reciprocals;
  constexpr double kHalfLogTwoPi = 0.918938533204672741780;
  const Vec log_gamma =
      (x + 7.5) * log_shifted - shifted + (kHalfLogTwoPi + inverse * polynomial(square, kStirlingLogGamma));
  return {digamma, log_gamma, product};
}

}  // namespace
}  // namespace truegrade
