// The sums that the simple estimators and the agreement statistics need.
#pragma once

#include <cstdint>

namespace truegrade {

/// Weight of the ratings of each grade, per instance.
/// @param instance_ptr (M+1,): where each instance's ratings begin
/// @param grade (L,): 0 .. K-1
/// @param weight (L,) or null for all ones
/// @param counts_out (M, K)
void grade_counts(const std::int64_t* instance_ptr, const std::uint8_t* grade, const double* weight,
                  std::int64_t instances, std::int64_t grades, int threads, double* counts_out);

/// How often each annotator agrees with the ratings that others gave to the same instances.
/// For a rating of weight w and grade k: agree += w (others' weight on k) / (others' weight), paired += w,
/// where others = all ratings of the instance but the annotator's own.
/// @param instance_ptr (M+1,), annotator (L,), grade (L,), weight (L,) or null: ratings sorted by csr_sort
/// @param agree_out (N,), paired_out (N,)
void agreement_sums(const std::int64_t* instance_ptr, const std::int32_t* annotator,
                    const std::uint8_t* grade, const double* weight, std::int64_t instances,
                    std::int64_t annotators, std::int64_t grades, int threads, double* agree_out,
                    double* paired_out);

}  // namespace truegrade
