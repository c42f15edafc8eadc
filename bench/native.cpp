// What the kernel is measured against: the machine's limits, and the same pass as scalar code on libm.
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

constexpr double kRootHalf = 0.70710678118654752440;
constexpr double kInverseRootTwoPi = 0.39894228040143267794;
constexpr double kLogTwoPi = 1.8378770664093454836;

struct Moments {
  double log_mass, shift, spread;
};

Moments truncated_normal(double lower, double upper, double mean, double rho) {
  const double root = std::sqrt(rho), left = (lower - mean) * root, right = (upper - mean) * root;
  const bool flip = left + right < 0;
  const double l = flip ? -right : left, u = flip ? -left : right;
  const double mass = 0.5 * (std::erfc(l * kRootHalf) - std::erfc(u * kRootHalf));
  const double at_l = std::exp(-0.5 * l * l) * kInverseRootTwoPi,
               at_u = std::exp(-0.5 * u * u) * kInverseRootTwoPi;
  const double first = (at_l - at_u) / mass, second = 1 + (l * at_l - u * at_u) / mass;
  return {std::log(mass), (flip ? -first : first) / root, second / rho};
}

}  // namespace

extern "C" {

/// a = b + s c over n doubles, `times` times.
void triad(double* a, const double* b, const double* c, std::int64_t n, std::int64_t times) {
  for (std::int64_t t = 0; t < times; ++t)
    for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] + (1.0 + static_cast<double>(t)) * c[i];
}

/// `steps` multiply-adds on each of 128 independent numbers, enough to fill the widest units' latency.
double multiply_adds(std::int64_t steps) {
  double x[128];
  for (int i = 0; i < 128; ++i) x[i] = 1e-3 * i;
  for (std::int64_t step = 0; step < steps; ++step)
#pragma GCC unroll 128
    for (int i = 0; i < 128; ++i) x[i] = x[i] * 0.999 + 1e-3;
  double sum = 0;
  for (double value : x) sum += value;
  return sum;
}

/// One pass with printed responsibilities, an ordinal link and one known delta. annotator_out (N, 3),
/// totals_out (2,), spam_weight_out (K,), zeros on entry.
void scalar_sweep(const std::int64_t* instance_ptr, const std::int32_t* annotator, const std::uint8_t* grade,
                  std::int64_t instances, std::int64_t annotators, const double* tau_mean,
                  const double* tau_log_mean, const double* eps_log_mean, const double* eps_log1m_mean,
                  const double* bounds, const double* log_spam, double prior_mean, double prior_precision,
                  double* z_mean, double* z_precision, double* annotator_out, double* spam_weight_out,
                  double* totals_out) {
  std::vector<double> omegas, shifts, spreads;
  for (std::int64_t i = 0; i < 3 * annotators; ++i) annotator_out[i] = 0;
  totals_out[0] = totals_out[1] = 0;
  for (std::int64_t m = 0; m < instances; ++m) {
    const double mean = z_mean[m], variance = 1 / z_precision[m];
    double precision = prior_precision, pull = prior_precision * (prior_mean - mean);
    totals_out[1] += 0.5 * (prior_precision * (variance + pull * pull / (prior_precision * prior_precision)) -
                            1 - std::log(prior_precision * variance));
    omegas.clear(), shifts.clear(), spreads.clear();
    for (std::int64_t i = instance_ptr[m]; i < instance_ptr[m + 1]; ++i) {
      const std::int32_t n = annotator[i];
      const int k = grade[i];
      const double rho = tau_mean[n];
      const Moments x = truncated_normal(bounds[k], bounds[k + 1], mean, rho);
      const double exact = x.log_mass + 0.5 * (tau_log_mean[n] - std::log(rho)) - 0.5 * rho * variance;
      const double printed = 0.5 * (std::log(rho) - kLogTwoPi) - 0.5 * rho * (x.spread + variance);
      const double spam = eps_log1m_mean[n] + log_spam[k], earnest = eps_log_mean[n] + printed;
      const double omega = 1 / (1 + std::exp(spam - earnest));
      totals_out[0] += omega * (eps_log_mean[n] + exact) + (1 - omega) * spam;
      if (omega > 0 && omega < 1) totals_out[0] -= omega * std::log(omega) + (1 - omega) * std::log1p(-omega);
      precision += omega * rho;
      pull += omega * rho * x.shift;
      spam_weight_out[k] += 1 - omega;
      omegas.push_back(omega), shifts.push_back(x.shift), spreads.push_back(x.spread);
    }
    const double step = pull / precision;
    z_mean[m] += step;
    z_precision[m] = precision;
    for (std::int64_t i = instance_ptr[m]; i < instance_ptr[m + 1]; ++i) {
      const std::int64_t j = i - instance_ptr[m];
      double* row = annotator_out + 3 * annotator[i];
      row[0] += omegas[j];
      row[1] += omegas[j] * (spreads[j] + step * (step - 2 * shifts[j]) + 1 / precision);
      row[2] += omegas[j] * (1 - omegas[j]);
    }
  }
}

}  // extern "C"
