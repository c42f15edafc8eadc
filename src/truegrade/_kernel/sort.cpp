#include "sort.hpp"

#include <algorithm>
#include <vector>

#include "pool.hpp"

namespace truegrade {
namespace {

template <class Rating>
void sort_inside_instance(const std::int32_t* annotator, const Rating* rating, const double* weight,
                          std::uint32_t* begin, std::uint32_t* end) {
  auto before = [=](std::uint32_t a, std::uint32_t b) {
    if (annotator[a] != annotator[b]) return annotator[a] < annotator[b];
    if (rating[a] != rating[b]) return rating[a] < rating[b];
    if (weight && weight[a] != weight[b]) return weight[a] < weight[b];
    return a < b;
  };
  if (end - begin > 24) return std::sort(begin, end, before);
  for (std::uint32_t* i = begin + (begin < end); i < end; ++i) {
    const std::uint32_t row = *i;
    std::uint32_t* hole = i;
    for (; hole > begin && before(row, hole[-1]); --hole) *hole = hole[-1];
    *hole = row;
  }
}

}  // namespace

template <class Rating>
void csr_sort(const std::int32_t* instance, const std::int32_t* annotator, const Rating* rating,
              const double* weight, std::int64_t ratings, std::int64_t instances, int threads,
              std::int64_t* instance_ptr_out, std::uint32_t* row_out, std::int32_t* annotator_out,
              Rating* rating_out) {
  std::fill(instance_ptr_out, instance_ptr_out + instances + 1, 0);
  for (std::int64_t i = 0; i < ratings; ++i) ++instance_ptr_out[instance[i] + 1];
  for (std::int64_t m = 0; m < instances; ++m) instance_ptr_out[m + 1] += instance_ptr_out[m];

  // Every chunk scans all rows and places those of its own range of instances: reads in order are cheap, and
  // no two threads write near each other.
  const std::int64_t chunks = ratings < 65536 ? 1 : threads;
  parallel_for(threads, chunks, [&](std::int64_t chunk) {
    const std::int64_t first = chunk_begin(instance_ptr_out, instances, chunk, chunks);
    const std::int64_t last = chunk_begin(instance_ptr_out, instances, chunk + 1, chunks);
    std::vector<std::int64_t> next(instance_ptr_out + first, instance_ptr_out + last);
    for (std::int64_t i = 0; i < ratings; ++i)
      if (instance[i] >= first && instance[i] < last)
        row_out[next[instance[i] - first]++] = static_cast<std::uint32_t>(i);
    for (std::int64_t m = first; m < last; ++m) {
      const std::int64_t begin = instance_ptr_out[m], end = instance_ptr_out[m + 1];
      sort_inside_instance(annotator, rating, weight, row_out + begin, row_out + end);
      for (std::int64_t i = begin; i < end; ++i) {
        annotator_out[i] = annotator[row_out[i]];
        rating_out[i] = rating[row_out[i]];
      }
    }
  });
}

template void csr_sort(const std::int32_t*, const std::int32_t*, const std::uint8_t*, const double*,
                       std::int64_t, std::int64_t, int, std::int64_t*, std::uint32_t*, std::int32_t*,
                       std::uint8_t*);
template void csr_sort(const std::int32_t*, const std::int32_t*, const double*, const double*, std::int64_t,
                       std::int64_t, int, std::int64_t*, std::uint32_t*, std::int32_t*, double*);

}  // namespace truegrade
