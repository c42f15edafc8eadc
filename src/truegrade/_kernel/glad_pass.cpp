#include "glad_pass.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pool.hpp"

namespace truegrade {
namespace {

/// sum of w ln(1 + t), 0 <= t <= 1: without weights one logarithm serves many terms.
class SoftSum {
 public:
  void add(double t) {
    product_ *= 1 + t;
    if (product_ > 0x1p1000) flush();
  }
  void add(double t, double weight) { sum_ += weight * std::log1p(t); }
  double total() {
    flush();
    return sum_;
  }

 private:
  void flush() {
    sum_ += std::log(product_);
    product_ = 1;
  }
  double product_ = 1, sum_ = 0;
};

/// One rating: x = alpha beta, and the chance that it is right.
struct Chance {
  double x, right;
};

/// Adds to row ln P(ratings of one instance | k), without what is the same for all k, and returns that. Where
/// the row is settled it stays, and what is returned is the expectation of the whole.
double add_ratings(const GladInput& in, std::int64_t m, bool settled, double log_wrong, Chance* chance,
                   double* row) {
  SoftSum soft;
  double common = 0;
  for (std::int64_t i = in.instance_ptr[m]; i < in.instance_ptr[m + 1]; ++i, ++chance) {
    const double x = in.alpha[in.annotator[i]] * in.beta[m], t = std::exp(-std::fabs(x));
    const double weight = in.weight ? in.weight[i] : 1.0;
    *chance = {x, (x < 0 ? t : 1.0) / (1 + t)};
    // ln right = -softplus(-x); ln wrong = -softplus(x) - ln(K-1), and their difference is x + ln(K-1).
    const double odds = weight * (x + log_wrong);
    if (settled)
      common += row[in.grade[i]] * odds;
    else
      row[in.grade[i]] += odds;
    common -= weight * (std::max(x, 0.0) + log_wrong);
    if (in.weight)
      soft.add(t, weight);
    else
      soft.add(t);
  }
  return common - soft.total();
}

/// Logarithms to probabilities that sum to 1; returns the logarithm of the sum.
double normalise(std::int64_t grades, std::int32_t known, double* row) {
  if (known >= 0) {
    const double found = row[known];
    std::fill(row, row + grades, 0.0);
    row[known] = 1;
    return found;
  }
  const double top = *std::max_element(row, row + grades);
  double total = 0;
  for (std::int64_t k = 0; k < grades; ++k) total += row[k] = std::exp(row[k] - top);
  for (std::int64_t k = 0; k < grades; ++k) row[k] /= total;
  return top + std::log(total);
}

void add_slopes(const GladInput& in, std::int64_t m, const Chance* chance, const double* row,
                double* annotators, double* instance) {
  const double beta = in.beta[m];
  double slope = 0, curvature = 0;
  for (std::int64_t i = in.instance_ptr[m]; i < in.instance_ptr[m + 1]; ++i, ++chance) {
    const double weight = in.weight ? in.weight[i] : 1.0;
    const double excess = weight * (row[in.grade[i]] - chance->right);
    const double spread = weight * chance->right * (1 - chance->right);
    double* sums = annotators + 2 * in.annotator[i];
    sums[0] += excess * beta;
    sums[1] += spread * beta * beta;
    slope += excess * chance->x;
    curvature += spread * chance->x * chance->x;
  }
  instance[0] = slope;
  instance[1] = curvature;
}

}  // namespace

void glad_pass(const GladInput& in, bool settled, int threads, double* truth, double* annotator_out,
               double* instance_out, double* log_likelihood_out) {
  const std::int64_t chunks = chunk_count(in.instance_ptr[in.instances], in.annotators);
  const std::int64_t width = 2 * in.annotators;
  const double log_wrong = std::log(static_cast<double>(std::max<std::int64_t>(in.grades - 1, 1)));
  std::vector<double> annotators(chunks * width), likelihood(chunks);
  parallel_for(threads, chunks, [&](std::int64_t chunk) {
    const std::int64_t first = chunk_begin(in.instance_ptr, in.instances, chunk, chunks);
    const std::int64_t last = chunk_begin(in.instance_ptr, in.instances, chunk + 1, chunks);
    std::vector<Chance> chance;
    for (std::int64_t m = first; m < last; ++m) {
      double* row = truth + m * in.grades;
      if (!settled) std::copy(in.log_prior, in.log_prior + in.grades, row);
      chance.resize(in.instance_ptr[m + 1] - in.instance_ptr[m]);
      likelihood[chunk] += add_ratings(in, m, settled, log_wrong, chance.data(), row);
      if (!settled) likelihood[chunk] += normalise(in.grades, in.known ? in.known[m] : -1, row);
      add_slopes(in, m, chance.data(), row, annotators.data() + chunk * width, instance_out + 2 * m);
    }
  });
  std::fill(annotator_out, annotator_out + width, 0.0);
  *log_likelihood_out = 0;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::int64_t j = 0; j < width; ++j) annotator_out[j] += annotators[chunk * width + j];
    *log_likelihood_out += likelihood[chunk];
  }
}

}  // namespace truegrade
