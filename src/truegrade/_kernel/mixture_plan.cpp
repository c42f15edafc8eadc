#include "mixture_plan.hpp"

#include <algorithm>
#include <numeric>

#include "pool.hpp"

namespace truegrade {
namespace {

// Where a cut wished for at instance m may be made: there, or before the category that m lies in.
std::int64_t aligned(std::int64_t m, const std::int64_t* category_ptr, std::int64_t categories) {
  return category_ptr ? *(std::upper_bound(category_ptr, category_ptr + categories + 1, m) - 1) : m;
}

// Cuts instances [first, last) into windows. Appends where each begins, returns how many.
std::int64_t cut_windows(const std::int64_t* instance_ptr, std::int64_t first, std::int64_t last,
                         const std::int64_t* category_ptr, std::int64_t categories,
                         std::int64_t* window_ptr_out) {
  std::int64_t windows = 0;
  const std::int64_t* category = category_ptr;
  for (std::int64_t begin = first, end; begin < last; begin = end) {
    auto full = [&](std::int64_t m) {
      return m - begin >= kWindowInstances &&
             instance_ptr[m] - instance_ptr[begin] + m - begin >= kWindowWork;
    };
    if (category_ptr) {
      category = std::upper_bound(category, category_ptr + categories + 1, begin);
      while (*category < last && !full(*category)) ++category;
      end = *category;
    } else {
      for (end = begin + 1; end < last && !full(end);) ++end;
    }
    window_ptr_out[windows++] = begin;
  }
  return windows;
}

}  // namespace

std::int64_t mixture_plan_windows(std::int64_t ratings, std::int64_t instances) {
  return (ratings + instances) / kWindowWork + kPlanChunks + 1;
}

PlanSize mixture_plan(const std::int64_t* instance_ptr, std::int64_t instances,
                      const std::int64_t* category_ptr, std::int64_t categories, std::int64_t annotators,
                      int threads, std::int32_t* order_out, std::int64_t* window_ptr_out,
                      std::int64_t* chunk_ptr_out) {
  // Rows of sums are wide, hence twice the annotators.
  const std::int64_t chunks = std::clamp<std::int64_t>(instances / kChunkInstances, 1,
                                                       chunk_count(instance_ptr[instances], 2 * annotators));
  PlanSize size{0, 0};
  for (std::int64_t chunk = 0, first = 0; chunk < chunks; ++chunk) {
    const std::int64_t end = chunk_begin(instance_ptr, instances, chunk + 1, chunks);
    const std::int64_t last = end == instances ? instances : aligned(end, category_ptr, categories);
    if (first == last) continue;
    chunk_ptr_out[size.chunks++] = size.windows;
    size.windows +=
        cut_windows(instance_ptr, first, last, category_ptr, categories, window_ptr_out + size.windows);
    first = last;
  }
  if (instances == 0) {  // categories without instances still have an ease: one empty window
    window_ptr_out[0] = chunk_ptr_out[0] = 0;
    size = {1, 1};
  }
  window_ptr_out[size.windows] = instances;
  chunk_ptr_out[size.chunks] = size.windows;

  parallel_for(threads, size.windows, [=](std::int64_t window) {
    const std::int64_t first = window_ptr_out[window], last = window_ptr_out[window + 1];
    std::iota(order_out + first, order_out + last, static_cast<std::int32_t>(first));
    auto ratings_of = [=](std::int32_t m) { return instance_ptr[m + 1] - instance_ptr[m]; };
    std::sort(order_out + first, order_out + last, [=](std::int32_t a, std::int32_t b) {
      return ratings_of(a) != ratings_of(b) ? ratings_of(a) > ratings_of(b) : a < b;
    });
  });
  return size;
}

}  // namespace truegrade
