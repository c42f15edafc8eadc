#include "counts.hpp"

#include <algorithm>
#include <vector>

#include "pool.hpp"

namespace truegrade {
namespace {

// One instance's contribution to agreement_sums. own and total (K,) arrive and leave as zeros.
void agree_on_instance(const std::int32_t* annotator, const std::uint8_t* grade, const double* weight,
                       std::int64_t begin, std::int64_t end, double* own, double* total, double* agree,
                       double* paired) {
  auto weight_of = [=](std::int64_t i) { return weight ? weight[i] : 1.0; };
  double everyone = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    total[grade[i]] += weight_of(i);
    everyone += weight_of(i);
  }
  for (std::int64_t run = begin, next; run < end; run = next) {  // an annotator's ratings stand side by side
    double mine = 0;
    for (next = run; next < end && annotator[next] == annotator[run]; ++next) {
      own[grade[next]] += weight_of(next);
      mine += weight_of(next);
    }
    if (run > begin || next < end) {  // somebody else rated it too
      for (std::int64_t i = run; i < next; ++i) {
        agree[annotator[i]] += weight_of(i) * (total[grade[i]] - own[grade[i]]) / (everyone - mine);
        paired[annotator[i]] += weight_of(i);
      }
    }
    for (std::int64_t i = run; i < next; ++i) own[grade[i]] = 0;
  }
  for (std::int64_t i = begin; i < end; ++i) total[grade[i]] = 0;
}

}  // namespace

void grade_counts(const std::int64_t* instance_ptr, const std::uint8_t* grade, const double* weight,
                  std::int64_t instances, std::int64_t grades, int threads, double* counts_out) {
  const std::int64_t chunks = chunk_count(instance_ptr[instances], 0);
  parallel_for(threads, chunks, [&](std::int64_t chunk) {
    const std::int64_t last = chunk_begin(instance_ptr, instances, chunk + 1, chunks);
    for (std::int64_t m = chunk_begin(instance_ptr, instances, chunk, chunks); m < last; ++m) {
      double* row = counts_out + m * grades;
      std::fill(row, row + grades, 0.0);
      for (std::int64_t i = instance_ptr[m]; i < instance_ptr[m + 1]; ++i)
        row[grade[i]] += weight ? weight[i] : 1.0;
    }
  });
}

void agreement_sums(const std::int64_t* instance_ptr, const std::int32_t* annotator,
                    const std::uint8_t* grade, const double* weight, std::int64_t instances,
                    std::int64_t annotators, std::int64_t grades, int threads, double* agree_out,
                    double* paired_out) {
  const std::int64_t chunks = chunk_count(instance_ptr[instances], annotators);
  std::vector<double> agree(chunks * annotators), paired(chunks * annotators);
  parallel_for(threads, chunks, [&](std::int64_t chunk) {
    std::vector<double> own(grades), total(grades);
    const std::int64_t last = chunk_begin(instance_ptr, instances, chunk + 1, chunks);
    for (std::int64_t m = chunk_begin(instance_ptr, instances, chunk, chunks); m < last; ++m)
      agree_on_instance(annotator, grade, weight, instance_ptr[m], instance_ptr[m + 1], own.data(),
                        total.data(), agree.data() + chunk * annotators, paired.data() + chunk * annotators);
  });
  std::fill(agree_out, agree_out + annotators, 0.0);
  std::fill(paired_out, paired_out + annotators, 0.0);
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
    for (std::int64_t n = 0; n < annotators; ++n) {
      agree_out[n] += agree[chunk * annotators + n];
      paired_out[n] += paired[chunk * annotators + n];
    }
}

}  // namespace truegrade
