// q(delta): what a pass needs of it, and its Kullback-Leibler divergence from the prior.
#pragma once

#include "gamma_functions.hpp"
#include "mixture_kernels.hpp"

namespace truegrade {
namespace {

/// Of delta_c, one category (or instance) per lane.
struct Ease {
  Vec mean, root;  // E delta and its root
  Vec log_odds;    // delta's part of ln A, the log likelihood that responsibilities are made of
  Vec bound;       // printed responsibilities: delta's part of ln A_exact - ln A_printed
};

/// sum over c of KL(Gamma(shape_c, rate_c) || Gamma(shape, rate)) without the constant ln Gamma(shape) -
/// shape ln rate.
struct EaseDivergence {
  Vec direct = {};
  LogSum products;

  TRUEGRADE_INLINE void add(Int live, Vec term, Vec product) {
    direct += live ? term : Vec{};
    products.add(live ? product : broadcast(1.0));
  }
  TRUEGRADE_INLINE double total() const { return sum(direct) + products.total(); }
};

template <Link kLink, Responsibility kResponsibility>
TRUEGRADE_INLINE Ease ease_of(const MixtureInput& in, Vec shape, Vec rate, Int live,
                              EaseDivergence& divergence) {
  const Vec log_shape = log(shape), log_rate = log(rate);
  const GammaFunctions gamma = gamma_functions(shape);
  const double prior_shape = in.delta_prior_shape;
  divergence.add(live,
                 (shape - prior_shape) * gamma.digamma - gamma.log_gamma_but_product +
                     prior_shape * log_rate + shape * ((in.delta_prior_rate - rate) / rate),
                 gamma.product);
  const Vec mean = shape / rate, log_mean = log_shape - log_rate;
  const Vec jensen = gamma.digamma - log_shape;  // E ln delta - ln E delta
  Ease ease{mean, sqrt(mean), 0.5 * log_mean, 0.5 * jensen};
  if (kResponsibility == Responsibility::kExact) {
    ease.log_odds = 0.5 * (kLink == Link::kOrdinal ? jensen : jensen + log_mean);
    ease.bound = Vec{};
  } else if (kLink == Link::kOrdinal) {
    ease.bound = 0.5 * (jensen - log_mean);
  }
  return ease;
}

}  // namespace
}  // namespace truegrade
