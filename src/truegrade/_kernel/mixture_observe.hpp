// q(x, y) of one rating per lane: the moments of x, the responsibility, and the rating's terms of the bound.
#pragma once

#include "mixture_ease.hpp"
#include "mixture_lanes.hpp"
#include "truncated_normal.hpp"

namespace truegrade {
namespace {

/// x given y = 1. The real link is a bin without width.
template <Link kLink>
TRUEGRADE_INLINE TruncatedNormal observe(const Rating& r, Vec mean) {
  if (kLink == Link::kOrdinal) return truncated_normal(r.lower - mean, r.upper - mean, r.root);
  const Vec shift = r.value - mean, scaled_shift = shift * r.root;
  return {shift, shift * shift, scaled_shift * scaled_shift, broadcast(1.0), Vec{}};
}

/// Odds outside of what a double holds: `excess` is the part of their binary exponent that was left out.
struct Odds {
  Vec value, excess;
};

constexpr double kPowerLimit = 900;

/// factor exp(log_odds). Where there is a spam branch odds too small are 0 and odds too large need no more
/// than their logarithm; where there is none odds only ever count by their logarithm.
TRUEGRADE_INLINE Odds odds_of(Vec log_odds, Vec factor, Vec spam_branch) {
  BinaryPower split = split_by_ln2(log_odds);
  Vec excess = {};
  Int vanishing = {};
  if (__builtin_expect(any((split.power > kPowerLimit) | (split.power < -kPowerLimit)), 0)) {
    split = split_by_ln2(max(min(log_odds, broadcast(1e15)), broadcast(-1e15)));
    const Vec limited = max(min(split.power, broadcast(kPowerLimit)), broadcast(-kPowerLimit));
    vanishing = (split.power < -kPowerLimit) & (spam_branch != 0.0);
    excess = vanishing ? Vec{} : split.power - limited;
    split.scale = bits(limited + kRound) << 52;
  }
  const Vec value = factor * from_bits(bits(polynomial(split.rest, kExp)) + split.scale);
  return {vanishing ? Vec{} : value, excess};
}

struct Choice {
  Vec omega, spam;  // q(y=1), q(y=0)
  Vec branches;     // exp(bound's term), up to `excess` and the constants that are added elsewhere
  Vec excess;
};

/// omega = sigmoid(ln eps + ln A - ln(1-eps) - ln spam), A printed or exact.
template <Link kLink, Responsibility kResponsibility>
TRUEGRADE_INLINE Choice choose(const Rating& r, const Ease& ease, Vec variance, const TruncatedNormal& x) {
  const bool from_mass = kLink == Link::kOrdinal && kResponsibility == Responsibility::kExact;
  const Vec rho = r.root * r.root;
  const Vec misfit = from_mass ? x.exponent : 0.5 * x.scaled;
  const Vec log_odds = (r.annotator_log_odds + ease.log_odds - r.log_spam) - (0.5 * rho * variance + misfit);
  const Odds odds = odds_of(log_odds, from_mass ? x.mass : broadcast(1.0), r.spam_branch);
  const Vec branches = r.spam_branch + odds.value, inverse = 1.0 / branches;
  return {r.spam_branch == 0.0 ? broadcast(1.0) : odds.value * inverse, r.spam_branch * inverse, branches,
          odds.excess};
}

/// Sums of the ratings' terms of the bound. Constants of annotators and of categories are added where those
/// are summed.
struct RatingBound {
  Vec direct = {};
  LogSum branches;

  template <Link kLink, Responsibility kResponsibility>
  TRUEGRADE_INLINE void add(const Rating& r, const TruncatedNormal& x, const Choice& choice, Vec weight,
                            bool weighted) {
    direct += weight * (r.log_spam + choice.excess * kLn2);
    if (weighted)
      direct += weight * log(choice.branches);
    else
      branches.add(weight != 0.0 ? choice.branches : broadcast(1.0));
    if (kLink == Link::kOrdinal && kResponsibility == Responsibility::kPrinted)  // ln A_exact - ln A_printed
      direct += weight * choice.omega * (log(x.mass) - x.exponent + 0.5 * x.scaled);
  }
  TRUEGRADE_INLINE double total() const { return sum(direct) + branches.total(); }
};

}  // namespace
}  // namespace truegrade
