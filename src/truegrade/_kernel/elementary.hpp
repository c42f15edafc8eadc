// exp and ln of a vector without branches, and a sum of logarithms that takes none per term.
#pragma once

#include "coefficients.hpp"
#include "simd.hpp"

namespace truegrade {
namespace {

/// sum_j coefficient[j] x^j. Two chains, of the even and of the odd powers, halve the latency of one.
template <int kTerms>
TRUEGRADE_INLINE Vec polynomial(Vec x, const double (&coefficient)[kTerms]) {
  const Vec square = x * x;
  Vec high = broadcast(coefficient[kTerms - 1]), low = broadcast(coefficient[kTerms - 2]);
  for (int j = kTerms - 3; j >= 0; j -= 2) high = high * square + coefficient[j];
  for (int j = kTerms - 4; j >= 0; j -= 2) low = low * square + coefficient[j];
  return kTerms % 2 ? low * x + high : high * x + low;
}

constexpr double kRound = 0x1.8p52;  // adding it leaves the nearest integer in the low bits of the sum
constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;

/// x = power * ln 2 + rest, |rest| <= ln(2)/2; `scale` is 2^power as an addend to the bits of a double.
struct BinaryPower {
  Vec power, rest;
  Int scale;
};

TRUEGRADE_INLINE BinaryPower split_by_ln2(Vec x) {
  const Vec shifted = x * (1 / kLn2) + kRound;
  const Vec power = shifted - kRound;
  return {power, (x - power * kLn2High) - power * kLn2Low, bits(shifted) << 52};
}

/// exp(x) for |x| <= 708. Not checked.
TRUEGRADE_INLINE Vec exp(Vec x) {
  const BinaryPower split = split_by_ln2(x);
  return from_bits(bits(polynomial(split.rest, kExp)) + split.scale);
}

constexpr double kExpFloor = -708;  // exp of it is 3e-308: as good as 0 where it is used

constexpr std::int64_t kMantissaBits = (std::int64_t{1} << 52) - 1;
constexpr std::int64_t kOneBits = std::int64_t{1023} << 52;

/// ln(x) for normal x > 0.
TRUEGRADE_INLINE Vec log(Vec x) {
  constexpr std::int64_t kRootHalf = 0x3fe6a09e667f3bcd;
  const Int from_root = bits(x) - kRootHalf;  // mantissa in [sqrt(1/2), sqrt(2)): no cancellation near 1
  const Int exponent = from_root >> 52;
  const Vec mantissa = from_bits((from_root & kMantissaBits) + kRootHalf);
  const Vec f = (mantissa - 1.0) / (mantissa + 1.0);
  const Vec square = f * f;
  const Vec power = __builtin_convertvector(exponent, Vec);
  return power * kLn2High + (2.0 * f + (f * square * polynomial(square, kLog) + power * kLn2Low));
}

/// sum of ln(x) over many x in [2^-1000, 2^1000]: multiplies mantissas, adds exponents, takes one logarithm
/// at the end.
struct LogSum {
  Vec mantissa = broadcast(1.0);  // in [1, 2)
  Int exponent = {};

  TRUEGRADE_INLINE void add(Vec x) {
    const Int product = bits(mantissa * x);
    exponent += (product >> 52) - 1023;
    mantissa = from_bits((product & kMantissaBits) | kOneBits);
  }

  TRUEGRADE_INLINE double total() const {
    return sum(log(mantissa) + __builtin_convertvector(exponent, Vec) * kLn2);
  }
};

}  // namespace
}  // namespace truegrade
