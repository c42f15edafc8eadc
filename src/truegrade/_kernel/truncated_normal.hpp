// Moments of a normal cut off at both ends, by the Mills ratio R(t) = sqrt(pi/2) erfcx(t/sqrt 2).
#pragma once

#include "elementary.hpp"

namespace truegrade {
namespace {

constexpr double kRootTwoPi = 2.506628274631000502416;
constexpr double kFar = 1e12;      // stands for an infinite bound: R and the weights are at their limits
constexpr double kNarrow = 0.125;  // bins below this width (in sigma) would lose digits in 1 + (l A - u B)/Z

/// x ~ N(mean, 1/root^2) given lower <= x < upper, relative to the mean.
struct TruncatedNormal {
  Vec shift;     // E x - mean
  Vec spread;    // E (x - mean)^2
  Vec scaled;    // root^2 * spread
  Vec mass;      // ln(mass of the bin) = ln(mass / sqrt(2 pi)) - exponent
  Vec exponent;  // >= 0
};

TRUEGRADE_INLINE Vec mills_ratio(Vec t) {
  return polynomial(t, kMillsNumerator) / polynomial(t, kMillsDenominator);
}

/// In units of sigma: mass, exponent, first and second moment of the bin [l, u].
struct StandardBin {
  Vec mass, exponent, first, second;
};

/// Bins much narrower than sigma, whose density is nearly flat: a Gauss-Legendre rule over the bin. Its
/// weights are positive, so nothing cancels.
TRUEGRADE_INLINE StandardBin narrow_bin(Vec l, Vec u) {
  const Vec middle = 0.5 * (l + u), half = 0.5 * (u - l);
  Vec mass = {}, first = {}, second = {};
  for (unsigned i = 0; i < sizeof kQuadratureNode / sizeof(double); ++i)
    for (int side = -1; side <= 1; side += 2) {
      const Vec step = half * (side * kQuadratureNode[i]), t = middle + step;
      // Unused lanes may hold anything; the clamp keeps exp defined there.
      const Vec exponent = max(min(-step * (middle + 0.5 * step), broadcast(1.0)), broadcast(-1.0));
      const Vec weight = exp(exponent) * kQuadratureWeight[i];
      mass += weight;
      first += weight * t;
      second += weight * t * t;
    }
  return {half * mass, 0.5 * middle * middle, first / mass, second / mass};
}

/// @param below, above: the bounds minus the mean; may be infinite outwards
/// @param root: sqrt of the precision
TRUEGRADE_INLINE TruncatedNormal truncated_normal(Vec below, Vec above, Vec root) {
  const Vec left = max(below * root, broadcast(-kFar)), right = min(above * root, broadcast(kFar));
  const Int flip = left + right < 0.0;  // mirror, so that the bound nearer to 0 or below it is l
  const Vec l = flip ? -right : left, u = flip ? -left : right;

  // Z sqrt(2 pi) = exp(-exponent) mass, with the density at both ends relative to exp(-exponent):
  // l > 0: mass = R(l) - B R(u); otherwise the two tails are taken off the whole.
  const Int tail = l > 0.0;
  const Vec inside = 0.5 * (u - l) * (u + l), half_square = 0.5 * l * l;
  const Vec floor = broadcast(kExpFloor);
  const Vec at_lower = exp(tail ? Vec{} : max(-half_square, floor));
  const Vec at_upper = exp(max(tail ? -inside : -0.5 * u * u, floor));
  const Vec near = mills_ratio(abs(l)), far = at_upper * mills_ratio(u);
  Vec mass = (tail ? near : kRootTwoPi - at_lower * near) - far;
  Vec exponent = tail ? half_square : Vec{};

  const Vec inverse = 1.0 / (mass * root), inverse_root = inverse * mass;
  Vec shift = (at_lower - at_upper) * inverse;
  Vec scaled = 1.0 + (l * at_lower - u * at_upper) * (inverse * root);

  const Int narrow = (u - l < kNarrow) & (inside < 1.0);
  if (__builtin_expect(any(narrow), 0)) {
    const StandardBin bin = narrow_bin(l, u);
    mass = narrow ? bin.mass : mass;
    exponent = narrow ? bin.exponent : exponent;
    shift = narrow ? bin.first * inverse_root : shift;
    scaled = narrow ? bin.second : scaled;
  }
  return {flip ? -shift : shift, scaled * inverse_root * inverse_root, scaled, mass, exponent};
}

}  // namespace
}  // namespace truegrade
