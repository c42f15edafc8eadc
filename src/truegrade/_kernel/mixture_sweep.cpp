// Threads, memory and the tables of a pass; the arithmetic is in the files of the instruction sets.
#include "mixture_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "buffer.hpp"
#include "isa.hpp"
#include "mixture_kernels.hpp"
#include "pool.hpp"

namespace truegrade {
namespace {

constexpr double kLogTwoPi = 1.837877066409345483561;
constexpr std::int64_t kPrefetchFrom =
    8192;  // annotators whose rows and sums are past the reach of a small cache
constexpr std::int64_t kReduceBlock = 4096;  // annotators

const MixtureKernels& kernels_for(const char* isa) {
#if defined(TRUEGRADE_X86)
  return truegrade::kernels_for(isa, &kMixtureBase, &kMixtureAvx2, &kMixtureAvx512);
#else
  return truegrade::kernels_for<MixtureKernels>(isa, &kMixtureBase, nullptr, nullptr);
#endif
}

// What multiplies an annotator's sum of w, and of w omega, in the ratings' part of the bound.
struct AnnotatorBound {
  double weight, omega;
};

AnnotatorBound annotator_bound(const MixtureInput& in, std::int64_t n) {
  AnnotatorBound bound{std::isinf(in.eps_log1m_mean[n]) ? 0.0 : in.eps_log1m_mean[n], 0.0};
  if (in.responsibility == Responsibility::kPrinted) {  // tau's part of ln A_exact - ln A_printed
    const double log_mean = std::log(in.tau_mean[n]), jensen = in.tau_log_mean[n] - log_mean;
    bound.omega = 0.5 * (in.link == Link::kOrdinal ? jensen - log_mean : jensen);
  }
  return bound;
}

// The part of the log odds that tau (or delta) has by itself.
double precision_log_odds(const MixtureInput& in, double mean, double log_mean) {
  if (in.responsibility == Responsibility::kPrinted) return 0.5 * std::log(mean);
  return 0.5 * (in.link == Link::kOrdinal ? log_mean - std::log(mean) : log_mean);
}

void fill_annotator_rows(const MixtureInput& in, double* rows) {
  for (std::int64_t n = 0; n < in.annotators; ++n) {
    const bool always_earnest = std::isinf(in.eps_log1m_mean[n]);
    double* row = rows + kSums * n;
    row[kRootTau] = std::sqrt(in.tau_mean[n]);
    row[kAnnotatorLogOdds] = in.eps_log_mean[n] - (always_earnest ? 0.0 : in.eps_log1m_mean[n]) +
                             precision_log_odds(in, in.tau_mean[n], in.tau_log_mean[n]) - 0.5 * kLogTwoPi;
    row[kSpamBranch] = always_earnest ? 0.0 : 1.0;
    row[3] = 0.0;
  }
}

void fill_grade_rows(const MixtureInput& in, double* rows) {
  for (std::int64_t k = 0; k < in.grades; ++k) {
    double* row = rows + 4 * k;
    row[kLower] = in.bounds[k];
    row[kUpper] = in.bounds[k + 1];
    row[kLogSpam] = in.log_spam[k];
    row[kValue] = in.grade_value[k];
  }
}

void fill_none_row(const MixtureInput& in, double* row) {
  const double log_mean = std::log(in.delta_mean), jensen = in.delta_log_mean - log_mean;
  row[kEase] = in.delta_mean;
  row[kRootEase] = std::sqrt(in.delta_mean);
  row[kEaseLogOdds] = precision_log_odds(in, in.delta_mean, in.delta_log_mean);
  row[kEaseBound] = 0.0;
  if (in.responsibility == Responsibility::kPrinted)
    row[kEaseBound] = 0.5 * (in.link == Link::kOrdinal ? jensen - log_mean : jensen);
}

std::int64_t first_category_from(const MixtureInput& in, std::int64_t instance) {
  if (instance == in.instances) return in.categories;
  return std::lower_bound(in.category_ptr, in.category_ptr + in.categories, instance) - in.category_ptr;
}

// The memory of one chunk's pass, sized before the pass by what its windows hold at most.
struct ChunkMemory {
  std::int64_t degree = 0, ratings = 0, instances = 0, categories = 0;

  ChunkMemory(const MixtureInput& in, const MixtureChunk& chunk) {
    for (std::int64_t window = chunk.first_window; window < chunk.last_window; ++window) {
      const std::int64_t first = in.window_ptr[window], last = in.window_ptr[window + 1];
      if (first < last) {
        const std::int64_t longest = in.order[first];
        degree = std::max(degree, in.instance_ptr[longest + 1] - in.instance_ptr[longest]);
      }
      if (in.difficulty != Difficulty::kCategory) continue;
      ratings = std::max(ratings, in.instance_ptr[last] - in.instance_ptr[first]);
      instances = std::max(instances, last - first);
      const std::int64_t from = first == 0 ? 0 : first_category_from(in, first);
      categories = std::max(categories, first_category_from(in, last) - from);
    }
  }
};

// Rows without sums yet.
void fill_annotators(const double* annotator_rows, std::int64_t annotators, double* out) {
  for (std::int64_t n = 0; n < annotators; ++n) {
    std::copy_n(annotator_rows + kSums * n, kSums, out + kAnnotatorRow * n);
    std::fill_n(out + kAnnotatorRow * n + kSums, kAnnotatorRow - kSums, 0.0);
  }
}

void run_chunk(const MixtureKernels& kernels, const MixtureInput& in, MixtureChunk& chunk) {
  const ChunkMemory memory(in, chunk);
  const Buffer slots(memory.degree * kSlotVectors * kMaxLanes), spread(memory.ratings);
  const Buffer category_rows(4 * memory.categories), category_sums(2 * memory.categories);
  std::vector<std::int32_t> category_of(memory.instances);
  chunk.slots = slots.data();
  chunk.spread = spread.data();
  chunk.category_rows = category_rows.data();
  chunk.category_sums = category_sums.data();
  chunk.category_of = category_of.data();
  std::fill(chunk.spam_weight, chunk.spam_weight + kMaxLanes * in.grades, 0.0);
  kernels.sweep(chunk);
}

// Adds up the chunks' sums in the order of the chunks. Returns the annotators' constants of the bound.
double reduce_annotators(const MixtureInput& in, const double* chunk_tables, int threads,
                         double* annotator_out) {
  const std::int64_t blocks = (in.annotators + kReduceBlock - 1) / kReduceBlock;
  std::vector<double> bounds(blocks);
  parallel_for(threads, blocks, [&](std::int64_t block) {
    const std::int64_t last = std::min(in.annotators, (block + 1) * kReduceBlock);
    for (std::int64_t n = block * kReduceBlock; n < last; ++n) {
      double sums[4] = {};
      for (std::int64_t chunk = 0; chunk < in.chunks; ++chunk)
        for (int j = 0; j < 4; ++j)
          sums[j] += chunk_tables[kAnnotatorRow * (chunk * in.annotators + n) + kSums + j];
      std::copy(sums, sums + 3, annotator_out + 3 * n);
      const AnnotatorBound bound = annotator_bound(in, n);
      bounds[block] += bound.weight * sums[kSumWeight] + bound.omega * sums[kSumOmega];
    }
  });
  double total = 0;
  for (double bound : bounds) total += bound;
  return total;
}

void reduce_chunks(const MixtureInput& in, const std::vector<MixtureChunk>& chunks, const MixtureSums& sums) {
  std::fill(sums.spam_weight, sums.spam_weight + in.grades, 0.0);
  std::fill(sums.totals, sums.totals + 3, 0.0);
  for (const MixtureChunk& chunk : chunks) {
    for (std::int64_t k = 0; k < in.grades; ++k)
      for (int lane = 0; lane < kMaxLanes; ++lane)
        sums.spam_weight[k] += chunk.spam_weight[kMaxLanes * k + lane];
    for (int j = 0; j < 3; ++j) sums.totals[j] += chunk.totals[j];
  }
  const std::int64_t deltas = in.difficulty == Difficulty::kCategory   ? in.categories
                              : in.difficulty == Difficulty::kInstance ? in.instances
                                                                       : 0;
  if (deltas)  // KL(q(delta)||p(delta)): the prior's constant
    sums.totals[2] += static_cast<double>(deltas) * (std::lgamma(in.delta_prior_shape) -
                                                     in.delta_prior_shape * std::log(in.delta_prior_rate));
}

}  // namespace

void mixture_sweep(const MixtureInput& input, const char* isa, int threads, const MixtureState& state,
                   const MixtureSums& sums) {
  const MixtureKernels& kernels = kernels_for(isa);
  const Buffer annotator_rows(kSums * input.annotators), grade_rows(4 * input.grades);
  fill_annotator_rows(input, annotator_rows.data());
  fill_grade_rows(input, grade_rows.data());

  const Buffer annotators(kAnnotatorRow * input.annotators * input.chunks);
  const Buffer spam_weight(kMaxLanes * input.grades * input.chunks);
  MixtureChunk model{};
  model.input = &input;
  model.state = &state;
  model.responsibility = sums.responsibility;
  model.grade_rows = grade_rows.data();
  model.prefetch = input.annotators >= kPrefetchFrom;
  if (input.difficulty == Difficulty::kNone) fill_none_row(input, model.none_row);

  std::vector<MixtureChunk> chunks(input.chunks, model);
  parallel_for(threads, input.chunks, [&](std::int64_t i) {
    MixtureChunk& chunk = chunks[i];
    chunk.first_window = input.chunk_ptr[i];
    chunk.last_window = input.chunk_ptr[i + 1];
    if (input.difficulty == Difficulty::kCategory && i > 0)
      chunk.first_category = first_category_from(input, input.window_ptr[chunk.first_window]);
    chunk.annotators = annotators.data() + kAnnotatorRow * input.annotators * i;
    fill_annotators(annotator_rows.data(), input.annotators, chunk.annotators);
    chunk.spam_weight = spam_weight.data() + kMaxLanes * input.grades * i;
    run_chunk(kernels, input, chunk);
  });
  reduce_chunks(input, chunks, sums);
  sums.totals[0] += reduce_annotators(input, annotators.data(), threads, sums.annotator);
}

void truncated_normal_moments(const double* lower, const double* upper, const double* mean,
                              const double* precision, std::int64_t size, const char* isa,
                              double* log_mass_out, double* mean_out, double* spread_out) {
  kernels_for(isa).truncated_normal_moments(lower, upper, mean, precision, size, log_mass_out, mean_out,
                                            spread_out);
}

void gamma_functions(const double* shape, std::int64_t size, const char* isa, double* digamma_out,
                     double* log_gamma_out) {
  kernels_for(isa).gamma_functions(shape, size, digamma_out, log_gamma_out);
}

}  // namespace truegrade
