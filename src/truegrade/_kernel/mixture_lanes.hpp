// kLanes instances side by side, and one rating of each.
#pragma once

#include "mixture_kernels.hpp"
#include "rows.hpp"

namespace truegrade {
namespace {

/// Lanes past the last instance are dead: they stand on the last one, but have no ratings and store nothing.
struct Lanes {
  std::int64_t instance[kLanes];
  int live;                       // how many lanes have an instance: the first ones
  std::int64_t slots;             // ratings of the instance that has most
  Int begin, degree;              // first rating (0 where there is none) and their number
  Int alive, moving;              // has an instance; is not clamped
  Vec mean, precision, variance;  // q(z_m) before the update; the variance of a clamped instance is 0
};

/// The instances at `at` and after it in the plan's order, as far as the window goes.
TRUEGRADE_INLINE Lanes load_lanes(const MixtureInput& in, const MixtureState& state, std::int64_t at,
                                  std::int64_t window_end) {
  Lanes lanes;
  lanes.live = static_cast<int>(window_end - at < kLanes ? window_end - at : kLanes);
  Int begin = {}, degree = {}, alive = {}, clamped = {};
  Vec mean = {}, precision = {};
  for (int lane = 0; lane < kLanes; ++lane) {  // a fixed count: the vectors are put together in registers
    const bool live = lane < lanes.live;
    const std::int64_t m = in.order[live ? at + lane : window_end - 1], first = in.instance_ptr[m];
    const std::int64_t ratings = live ? in.instance_ptr[m + 1] - first : 0;
    lanes.instance[lane] = m;
    begin[lane] = ratings ? first : 0;
    degree[lane] = ratings;
    alive[lane] = live ? -1 : 0;
    mean[lane] = state.z_mean[m];
    precision[lane] = state.z_precision[m];
  }
  if (in.clamped)
    for (int lane = 0; lane < kLanes; ++lane) clamped[lane] = in.clamped[lanes.instance[lane]] ? -1 : 0;
  lanes.slots = degree[0];  // a window is in the order of falling degree
  lanes.begin = begin;
  lanes.degree = degree;
  lanes.alive = alive;
  lanes.moving = alive & ~clamped;
  lanes.mean = mean;
  lanes.precision = precision;
  lanes.variance = lanes.moving ? 1.0 / precision : Vec{};
  return lanes;
}

/// Where each lane's rating number `slot` stands; for a lane that has no such rating, some other rating.
TRUEGRADE_INLINE void place(const Lanes& lanes, std::int64_t slot, std::int64_t* position) {
  const Int offset = lanes.degree > slot ? Int{} + slot : Int{};
  const Int at = lanes.begin + offset;
  std::memcpy(position, &at, sizeof at);
}

/// What was observed in one rating per lane.
struct Observed {
  std::int64_t position[kLanes];
  std::int32_t grade[kLanes];
  Vec weight;  // 0 for a lane that has no rating here
};

/// One rating per lane as its q(x, y) sees it.
struct Rating {
  Vec root, tau;                        // sqrt(E tau E delta), E tau
  Vec annotator_log_odds, spam_branch;  // as in the annotator's row
  Vec lower, upper, log_spam, value;    // of the grade
};

TRUEGRADE_INLINE Rating load_rating(const MixtureChunk& chunk, const Lanes& lanes, Vec root_ease,
                                    std::int64_t slot, Observed& observed) {
  const MixtureInput& in = *chunk.input;
  std::int32_t annotator[kLanes];
  place(lanes, slot, observed.position);
  for (int lane = 0; lane < kLanes; ++lane) {
    annotator[lane] = in.annotator[observed.position[lane]];
    observed.grade[lane] = in.grade ? in.grade[observed.position[lane]] : 0;
  }
  observed.weight = lanes.degree > slot ? broadcast(1.0) : Vec{};
  if (in.weight)
    for (int lane = 0; lane < kLanes; ++lane) observed.weight[lane] *= in.weight[observed.position[lane]];

  const Columns of_annotator = gather_rows<kAnnotatorRow>(chunk.annotators, annotator);
  const Columns of_grade = gather_rows(chunk.grade_rows, observed.grade);
  Rating rating{of_annotator.c0 * root_ease,
                of_annotator.c0 * of_annotator.c0,
                of_annotator.c1,
                of_annotator.c2,
                of_grade.c0,
                of_grade.c1,
                of_grade.c2,
                of_grade.c3};
  if (in.value)
    for (int lane = 0; lane < kLanes; ++lane) rating.value[lane] = in.value[observed.position[lane]];
  return rating;
}

}  // namespace
}  // namespace truegrade
