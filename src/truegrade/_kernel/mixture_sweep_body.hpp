// A chunk of a pass: kLanes instances at a time, one per lane, a vector operation per rating of each.
#pragma once

#include "mixture_observe.hpp"

namespace truegrade {
namespace {

/// kLanes instances that go side by side. Lanes at and past `live` have no instance and no rating.
struct Lanes {
  std::int64_t instance[kLanes];
  Int begin, degree;   // their ratings; begin is 0 where there are none
  std::int64_t slots;  // the largest degree
  int live;
  Vec mean, precision, variance;  // q(z_m) before the update; the variance of a clamped instance is 0
  Vec shape, rate;                // q(delta_m), if every instance has its own
  Int alive, moving;              // there is an instance; it is not clamped
};

/// Sums over the ratings of each instance.
struct InstanceSums {
  Vec omega = {}, precision = {}, shift = {},
      spread = {};  // of w omega {1, tau, tau (E x - mean), tau E(x - mean)^2}
};

template <Link kLink, Responsibility kResponsibility>
struct ChunkSweep {
  explicit ChunkSweep(MixtureChunk& piece) : chunk(piece), in(*piece.input), state(*piece.state) {}

  MixtureChunk& chunk;
  const MixtureInput& in;
  const MixtureState& state;
  RatingBound rating_bound;
  EaseDivergence ease_divergence;
  Vec z_divergence = {};
  LogSum z_precision_ratio;
  std::int64_t window_begin = 0, rating_begin = 0;  // of the current window

  void run() {
    std::int64_t category = chunk.first_category;
    for (std::int64_t window = chunk.first_window; window < chunk.last_window; ++window) {
      const std::int64_t first = in.window_ptr[window], last = in.window_ptr[window + 1];
      window_begin = first;
      rating_begin = in.instance_ptr[first];
      std::int64_t next_category = category;
      if (in.difficulty == Difficulty::kCategory) next_category = begin_categories(category, last);
      for (std::int64_t at = first; at < last; at += kLanes) visit_instances(at, last);
      if (in.difficulty == Difficulty::kCategory) finish_categories(category, next_category);
      category = next_category;
    }
    chunk.totals[0] = rating_bound.total();
    chunk.totals[1] = 0.5 * (sum(z_divergence) + z_precision_ratio.total());
    chunk.totals[2] = ease_divergence.total();
  }

  void visit_instances(std::int64_t at, std::int64_t last) {
    const Lanes lanes = load_lanes(at, last);
    if (chunk.prefetch) prefetch_annotators(at + 2 * kLanes, last);
    const Ease ease = load_ease(lanes);
    const InstanceSums sums = visit_ratings(lanes, ease);

    // q(z_m), relative to its old mean.
    const Vec precision = in.z_prior_precision + ease.mean * sums.precision;
    const Vec pull = in.z_prior_precision * (in.z_prior_mean - lanes.mean) + ease.mean * sums.shift;
    const Vec step = lanes.moving ? pull / precision : Vec{},
              variance = lanes.moving ? 1.0 / precision : Vec{};
    const Vec mean = lanes.mean + step;
    for (int lane = 0; lane < lanes.live; ++lane)
      if (lanes.moving[lane]) {
        state.z_mean[lanes.instance[lane]] = mean[lane];
        state.z_precision[lanes.instance[lane]] = precision[lane];
      }

    // sum of tau w omega E(x-z)^2 at the new q(z).
    const Vec misfit = sums.spread - 2.0 * step * sums.shift + sums.precision * (step * step + variance);
    Vec ease_mean = broadcast(1.0);
    if (in.difficulty == Difficulty::kInstance) ease_mean = update_instance_ease(lanes, sums.omega, misfit);
    if (in.difficulty == Difficulty::kCategory) add_to_categories(lanes, sums.omega, misfit);
    add_to_annotators(lanes, step, variance, ease_mean);
  }

  TRUEGRADE_INLINE Lanes load_lanes(std::int64_t at, std::int64_t last) {
    Lanes lanes{};
    lanes.live = static_cast<int>(last - at < kLanes ? last - at : kLanes);
    lanes.precision = lanes.shape = lanes.rate = broadcast(1.0);
    for (int lane = 0; lane < lanes.live; ++lane) {
      const std::int64_t m = in.order[at + lane], begin = in.instance_ptr[m],
                         degree = in.instance_ptr[m + 1] - begin;
      lanes.instance[lane] = m;
      lanes.begin[lane] = degree ? begin : 0;
      lanes.degree[lane] = degree;
      lanes.mean[lane] = state.z_mean[m];
      lanes.precision[lane] = state.z_precision[m];
      lanes.alive[lane] = -1;
      lanes.moving[lane] = in.clamped && in.clamped[m] ? 0 : -1;
      if (in.difficulty == Difficulty::kInstance) {
        lanes.shape[lane] = state.delta_shape[m];
        lanes.rate[lane] = state.delta_rate[m];
      }
    }
    lanes.slots = lanes.degree[0];  // a window is sorted by falling degree
    lanes.variance = lanes.moving ? 1.0 / lanes.precision : Vec{};

    // KL(q(z)||p(z)) = (lambda/lambda_m + lambda (mu_m - mu)^2 - 1 + ln(lambda_m/lambda)) / 2
    const double prior = in.z_prior_precision;
    const Vec offset = lanes.mean - in.z_prior_mean;
    z_divergence += lanes.moving ? prior * lanes.variance + prior * offset * offset - 1.0 : Vec{};
    z_precision_ratio.add(lanes.moving ? lanes.precision * (1 / prior) : broadcast(1.0));
    return lanes;
  }

  // Far enough ahead that rows of annotators have come from memory when their turn comes.
  void prefetch_annotators(std::int64_t at, std::int64_t last) const {
    for (std::int64_t i = at; i < at + kLanes && i < last; ++i) {
      const std::int64_t m = in.order[i];
      for (std::int64_t rating = in.instance_ptr[m]; rating < in.instance_ptr[m + 1]; ++rating) {
        __builtin_prefetch(chunk.annotator_rows + kRow * in.annotator[rating]);
        __builtin_prefetch(chunk.annotator_sums + kRow * in.annotator[rating], 1);
      }
    }
  }

  TRUEGRADE_INLINE Ease load_ease(const Lanes& lanes) {
    if (in.difficulty == Difficulty::kInstance)
      return ease_of<kLink, kResponsibility>(in, lanes.shape, lanes.rate, lanes.alive, ease_divergence);
    if (in.difficulty == Difficulty::kNone)
      return {broadcast(chunk.none_row[kEase]), broadcast(chunk.none_row[kRootEase]),
              broadcast(chunk.none_row[kEaseLogOdds]), broadcast(chunk.none_row[kEaseBound])};
    std::int32_t category[kLanes] = {};
    for (int lane = 0; lane < lanes.live; ++lane)
      category[lane] = chunk.category_of[lanes.instance[lane] - window_begin];
    const Columns row = gather_rows(chunk.category_rows, category);
    return {row.c0, row.c1, row.c2, row.c3};
  }

  /// Where each lane's rating number `slot` stands; for a lane that has none, some other rating.
  TRUEGRADE_INLINE void place(const Lanes& lanes, Int present, std::int64_t slot,
                              std::int64_t* position) const {
    const Int at = lanes.begin + (present ? Int{} + slot : Int{});
    std::memcpy(position, &at, sizeof at);
  }

  TRUEGRADE_INLINE Rating load_rating(const Lanes& lanes, const Ease& ease, const std::int64_t* position,
                                      std::int32_t* grade) const {
    std::int32_t annotator[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) annotator[lane] = in.annotator[position[lane]];
    if (in.grade)
      for (int lane = 0; lane < kLanes; ++lane) grade[lane] = in.grade[position[lane]];
    const Columns of_annotator = gather_rows(chunk.annotator_rows, annotator);
    const Columns of_grade = gather_rows(chunk.grade_rows, grade);
    Rating rating{of_annotator.c0 * ease.root,
                  of_annotator.c1,
                  of_annotator.c2,
                  of_grade.c0,
                  of_grade.c1,
                  of_grade.c2,
                  of_grade.c3,
                  lanes.mean,
                  lanes.variance};
    if (kLink == Link::kReal && in.value)
      for (int lane = 0; lane < kLanes; ++lane) rating.value[lane] = in.value[position[lane]];
    return rating;
  }

  // q(x, y) of all ratings. Leaves in a slot: w omega, E x - mean, E(x - mean)^2, w omega (1-omega), w.
  InstanceSums visit_ratings(const Lanes& lanes, const Ease& ease) {
    InstanceSums sums;
    RatingBound bound = rating_bound;
    double* slot = chunk.slots;
    const Vec inverse_ease = 1.0 / ease.mean;
    for (std::int64_t j = 0; j < lanes.slots; ++j, slot += kSlotVectors * kLanes) {
      const Int present = j < lanes.degree;
      std::int64_t position[kLanes];
      std::int32_t grade[kLanes] = {};
      place(lanes, present, j, position);
      const Rating rating = load_rating(lanes, ease, position, grade);
      const TruncatedNormal x = observe<kLink>(rating);
      const Choice choice = choose<kLink, kResponsibility>(rating, ease, x);

      Vec weight = present ? broadcast(1.0) : Vec{};
      if (in.weight)
        for (int lane = 0; lane < kLanes; ++lane) weight[lane] *= in.weight[position[lane]];
      bound.template add<kLink, kResponsibility>(rating, x, choice, weight, in.weight != nullptr);

      const Vec omega = weight * choice.omega, spam = weight * choice.spam;
      const Vec omega_tau = omega * rating.root * rating.root * inverse_ease;
      sums.omega += omega;
      sums.precision += omega_tau;
      sums.shift += omega_tau * x.shift;
      sums.spread += omega_tau * x.spread;
      store(slot, omega);
      store(slot + kLanes, x.shift);
      store(slot + 2 * kLanes, x.spread);
      store(slot + 3 * kLanes, omega * choice.spam);
      store(slot + 4 * kLanes, weight);
      for (int lane = 0; lane < kLanes; ++lane)
        chunk.spam_weight[grade[lane] * kMaxLanes + lane] += spam[lane];
      if (chunk.responsibility) store_responsibility(present, position, choice.omega);
    }
    if (kResponsibility == Responsibility::kPrinted) bound.direct += sums.omega * ease.bound;
    rating_bound = bound;
    return sums;
  }

  void store_responsibility(Int present, const std::int64_t* position, Vec omega) const {
    for (int lane = 0; lane < kLanes; ++lane)
      if (present[lane]) chunk.responsibility[position[lane]] = omega[lane];
  }

  // E(x-z)^2 = E(x-mean)^2 - 2 (E x - mean) step + step^2 + 1/lambda_m at the new q(z), and the annotators'
  // sums.
  TRUEGRADE_INLINE void add_to_annotators(const Lanes& lanes, Vec step, Vec variance, Vec ease_mean) {
    const bool by_category = in.difficulty == Difficulty::kCategory;
    const double* slot = chunk.slots;
    for (std::int64_t j = 0; j < lanes.slots; ++j, slot += kSlotVectors * kLanes) {
      const Int present = j < lanes.degree;
      std::int64_t position[kLanes];
      std::int32_t annotator[kLanes];
      place(lanes, present, j, position);
      for (int lane = 0; lane < kLanes; ++lane) annotator[lane] = in.annotator[position[lane]];
      const Vec omega = load(slot), shift = load(slot + kLanes);
      Vec spread = omega * (load(slot + 2 * kLanes) + step * (step - 2.0 * shift) + variance) * ease_mean;
      if (by_category) {  // E delta is not known yet
        for (int lane = 0; lane < kLanes; ++lane)
          if (present[lane]) chunk.spread[position[lane] - rating_begin] = spread[lane];
        spread = Vec{};
      }
      add_to_rows(chunk.annotator_sums, annotator,
                  {omega, spread, load(slot + 3 * kLanes), load(slot + 4 * kLanes)});
    }
  }

  // phi_m = phi + sum(w omega)/2, eta_m = eta + sum(tau w omega E(x-z)^2)/2. Returns the new E delta.
  TRUEGRADE_INLINE Vec update_instance_ease(const Lanes& lanes, Vec omega, Vec misfit) {
    const Vec shape = in.delta_prior_shape + 0.5 * omega, rate = in.delta_prior_rate + 0.5 * misfit;
    for (int lane = 0; lane < lanes.live; ++lane) {
      state.delta_shape[lanes.instance[lane]] = shape[lane];
      state.delta_rate[lanes.instance[lane]] = rate[lane];
    }
    return shape / rate;
  }

  void add_to_categories(const Lanes& lanes, Vec omega, Vec misfit) {
    for (int lane = 0; lane < lanes.live; ++lane) {
      double* category = chunk.category_sums + 2 * chunk.category_of[lanes.instance[lane] - window_begin];
      category[0] += omega[lane];
      category[1] += misfit[lane];
    }
  }

  // The categories of the window that ends at instance `last`: their rows, and which instance is in which.
  // Returns the first category of the next window; trailing empty categories belong to the last window of
  // all.
  std::int64_t begin_categories(std::int64_t first, std::int64_t last) {
    std::int64_t end = first;
    for (; end < in.categories && (in.category_ptr[end] < last || last == in.instances); ++end) {
      for (std::int64_t m = in.category_ptr[end]; m < in.category_ptr[end + 1]; ++m)
        chunk.category_of[m - window_begin] = static_cast<std::int32_t>(end - first);
      chunk.category_sums[2 * (end - first)] = chunk.category_sums[2 * (end - first) + 1] = 0;
    }
    for (std::int64_t c = first; c < end; c += kLanes) {
      Vec shape = broadcast(1.0), rate = broadcast(1.0);
      Int live = {};
      for (int lane = 0; lane < kLanes && c + lane < end; ++lane) {
        shape[lane] = state.delta_shape[c + lane];
        rate[lane] = state.delta_rate[c + lane];
        live[lane] = -1;
      }
      const Ease ease = ease_of<kLink, kResponsibility>(in, shape, rate, live, ease_divergence);
      for (int lane = 0; lane < kLanes && c + lane < end; ++lane) {
        double* row = chunk.category_rows + kRow * (c + lane - first);
        row[kEase] = ease.mean[lane], row[kRootEase] = ease.root[lane];
        row[kEaseLogOdds] = ease.log_odds[lane], row[kEaseBound] = ease.bound[lane];
      }
    }
    return end;
  }

  // q(delta_c) of the window's categories, then their ratings' share of the annotators' sums at the new E
  // delta.
  void finish_categories(std::int64_t first, std::int64_t end) {
    for (std::int64_t c = first; c < end; ++c) {
      const double* category = chunk.category_sums + 2 * (c - first);
      state.delta_shape[c] = in.delta_prior_shape + 0.5 * category[0];
      state.delta_rate[c] = in.delta_prior_rate + 0.5 * category[1];
      const double ease = state.delta_shape[c] / state.delta_rate[c];
      const std::int64_t last = in.instance_ptr[in.category_ptr[c + 1]];
      for (std::int64_t i = in.instance_ptr[in.category_ptr[c]]; i < last; ++i)
        chunk.annotator_sums[kRow * in.annotator[i] + kSumSpread] += ease * chunk.spread[i - rating_begin];
    }
  }
};

template <Link kLink>
void sweep_with(MixtureChunk& chunk) {
  if (chunk.input->responsibility == Responsibility::kPrinted)
    ChunkSweep<kLink, Responsibility::kPrinted>(chunk).run();
  else
    ChunkSweep<kLink, Responsibility::kExact>(chunk).run();
}

void sweep_chunk(MixtureChunk& chunk) {
  if (chunk.input->link == Link::kOrdinal)
    sweep_with<Link::kOrdinal>(chunk);
  else
    sweep_with<Link::kReal>(chunk);
}

}  // namespace
}  // namespace truegrade
