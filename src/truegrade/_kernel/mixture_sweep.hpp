// One pass of variational inference for the ordinal-discrete-mixture model: q(x,y), q(z) and q(delta) over
// all ratings.
#pragma once

#include <cstdint>

namespace truegrade {

enum class Link : int { kOrdinal, kReal };
enum class Responsibility : int { kPrinted, kExact };
enum class Difficulty : int { kNone, kCategory, kInstance };

/// What stays the same during a pass. Ratings are in CSR order by (category, instance).
struct MixtureInput {
  Link link;
  Responsibility responsibility;
  Difficulty difficulty;
  std::int64_t instances, annotators, grades, categories;

  const std::int64_t* instance_ptr;  // (M+1,)
  const std::int32_t* annotator;     // (L,)
  const std::uint8_t* grade;         // (L,) 0 .. K-1, or null: all 0
  const double* value;               // (L,) real ratings, or null: the value of the grade
  const double* weight;              // (L,) or null: all 1
  const std::int64_t* category_ptr;  // (C+1,) over instances; null unless the difficulty is by category
  const std::uint8_t* clamped;       // (M,) or null: instances whose q(z) is fixed at a point

  // The plan (mixture_plan.hpp).
  const std::int32_t* order;       // (M,)
  const std::int64_t* window_ptr;  // (windows+1,)
  const std::int64_t* chunk_ptr;   // (chunks+1,)
  std::int64_t chunks;

  const double* tau_mean;        // (N,)
  const double* tau_log_mean;    // (N,) E ln tau
  const double* eps_log_mean;    // (N,) E ln eps, may be -inf
  const double* eps_log1m_mean;  // (N,) E ln (1 - eps), may be -inf
  const double* bounds;          // (K+1,) thresholds, the outer ones may be infinite
  const double* grade_value;     // (K,)
  const double* log_spam;  // (K,) ln of the spam component's mass (ordinal) or density (real) at each grade

  double z_prior_mean, z_prior_precision;
  double delta_prior_shape, delta_prior_rate;
  double delta_mean, delta_log_mean;  // of the one delta, when the difficulty is none
};

/// q(z_m) = N(mean, 1/precision) and q(delta_c) = Gamma(shape, rate), updated in place.
struct MixtureState {
  double* z_mean;       // (M,)
  double* z_precision;  // (M,) infinite where clamped
  double* delta_shape;  // (C,), (M,) or null
  double* delta_rate;   // likewise
};

struct MixtureSums {
  double* annotator;       // (N, 3): sums of w omega, of [E delta] w omega E(x-z)^2 and of w omega (1-omega)
  double* spam_weight;     // (K,): sum of w (1-omega) by grade
  double* totals;          // (3,): the ratings' part of the bound, KL(q(z)||p(z)), KL(q(delta)||p(delta))
  double* responsibility;  // (L,) omega, or null
};

/// One exact coordinate pass: for every instance q(x,y) of its ratings, then q(z_m); after the instances of a
/// category q(delta_c). The bound's terms are taken after the q(x,y) step with all other factors as they were
/// before the pass. The same bits for every thread count. `isa`: "auto", "base", "avx2" or "avx512".
void mixture_sweep(const MixtureInput& input, const char* isa, int threads, const MixtureState& state,
                   const MixtureSums& sums);

/// Moments of N(mean, 1/precision) cut to [lower, upper): for tests. All arrays (S,).
void truncated_normal_moments(const double* lower, const double* upper, const double* mean,
                              const double* precision, std::int64_t size, const char* isa,
                              double* log_mass_out, double* mean_out, double* spread_out);

/// psi and ln Gamma of shapes > 0: for tests. All arrays (S,).
void gamma_functions(const double* shape, std::int64_t size, const char* isa, double* digamma_out,
                     double* log_gamma_out);

}  // namespace truegrade
