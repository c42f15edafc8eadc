// One pass of GLAD: the posterior of every truth, the log-likelihood, its slope and a curvature; or the same
// at posteriors that are given, as EM's M-step wants it.
#pragma once

#include <cstdint>

namespace truegrade {

/// What stays the same during a pass. Ratings are in CSR order by instance.
struct GladInput {
  std::int64_t instances, annotators, grades;
  const std::int64_t* instance_ptr;  // (M+1,)
  const std::int32_t* annotator;     // (L,)
  const std::uint8_t* grade;         // (L,): 0 .. K-1
  const double* weight;              // (L,) or null: all 1
  const std::int32_t* known;         // (M,) or null: the true grade where it is known, else -1
  const double* alpha;               // (N,): expertise
  const double* beta;                // (M,): ease, > 0
  const double* log_prior;           // (K,): ln P(z = k), may be -inf
};

/// A rating is right with probability s(alpha beta), s the logistic function, and each wrong grade equally
/// likely. With p the posterior probability that it is right, the slopes sum w (p - s) and the curvatures
/// w s (1 - s), each times the derivatives of alpha beta.
/// @param settled whether `truth` is given; the log-likelihood is then its expectation: sum of w ln P(rating
/// | z)
/// @param truth (M, K): P(z_m = k | ratings)
/// @param annotator_out (N, 2): slope and curvature in alpha_n
/// @param instance_out (M, 2): slope and curvature in ln beta_m
/// @param log_likelihood_out (1,): sum over m of ln sum_k P(z_m = k) P(ratings of m | k)
void glad_pass(const GladInput& in, bool settled, int threads, double* truth, double* annotator_out,
               double* instance_out, double* log_likelihood_out);

}  // namespace truegrade
