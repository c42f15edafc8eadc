// The order in which a pass visits the instances.
#pragma once

#include <cstdint>

namespace truegrade {

/// Instances go side by side in the lanes of a vector, so neighbours should have equally many ratings: a
/// *window* is a run of instances, visited by falling number of ratings. Small enough for a window's data to
/// stay in the cache, large enough that few lanes idle. A *chunk* is a run of windows, the unit of work of a
/// thread. With difficulty by category, windows and chunks hold whole categories.
constexpr std::int64_t kWindowWork = 8192;     // ratings + instances at which a window closes ...
constexpr std::int64_t kWindowInstances = 64;  // ... with no fewer instances: long ones need neighbours too
constexpr std::int64_t kChunkInstances = 16;   // chunks hold no fewer on average

/// How long the caller must make window_ptr_out.
std::int64_t mixture_plan_windows(std::int64_t ratings, std::int64_t instances);
/// How long the caller must make chunk_ptr_out.
constexpr std::int64_t kPlanChunks = 65;

struct PlanSize {
  std::int64_t windows, chunks;
};

/// Built once per fit; a function of the data alone.
/// @param instance_ptr (M+1,)
/// @param category_ptr (C+1,) over instances, or null
/// @param order_out (M,): instances window by window, inside a window by falling number of ratings
/// @param window_ptr_out (windows+1,): the first instance of each window; a permutation stays inside its
/// window
/// @param chunk_ptr_out (chunks+1,): the first window of each chunk
/// @return how much of the last two is used
PlanSize mixture_plan(const std::int64_t* instance_ptr, std::int64_t instances,
                      const std::int64_t* category_ptr, std::int64_t categories, std::int64_t annotators,
                      int threads, std::int32_t* order_out, std::int64_t* window_ptr_out,
                      std::int64_t* chunk_ptr_out);

}  // namespace truegrade
