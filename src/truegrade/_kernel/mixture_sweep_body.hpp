// A chunk of a pass: kLanes instances at a time, one per lane, a vector operation per rating of each.
#pragma once

#include "mixture_observe.hpp"

namespace truegrade {
namespace {

/// Sums over the ratings of each instance, of w omega {1, tau, tau (E x - mean), tau E(x - mean)^2}, mean the
/// old mu_m.
struct InstanceSums {
  Vec omega = {}, precision = {}, shift = {}, spread = {};
};

/// How q(z_m) moved: mu_m by `step`, and its new variance.
struct Move {
  Vec step, variance;
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
    const bool by_category = in.difficulty == Difficulty::kCategory;
    std::int64_t category = chunk.first_category;
    for (std::int64_t window = chunk.first_window; window < chunk.last_window; ++window) {
      const std::int64_t end = in.window_ptr[window + 1];
      window_begin = in.window_ptr[window];
      rating_begin = in.instance_ptr[window_begin];
      const std::int64_t next_category = by_category ? begin_categories(category, end) : category;
      for (std::int64_t at = window_begin; at < end; at += kLanes) visit_instances(at, end);
      if (by_category) finish_categories(category, next_category);
      category = next_category;
    }
    chunk.totals[0] = rating_bound.total();
    chunk.totals[1] = 0.5 * (sum(z_divergence) + z_precision_ratio.total());
    chunk.totals[2] = ease_divergence.total();
  }

  void visit_instances(std::int64_t at, std::int64_t window_end) {
    const Lanes lanes = load_lanes(in, state, at, window_end);
    if (chunk.prefetch) prefetch_annotators(at + 2 * kLanes, window_end);
    add_z_divergence(lanes);
    const Ease ease = load_ease(lanes);
    const InstanceSums sums = visit_ratings(lanes, ease);
    const Move move = update_z(lanes, ease, sums);

    // sum of tau w omega E(x-z)^2 at the new q(z).
    const Vec misfit =
        sums.spread - 2.0 * move.step * sums.shift + sums.precision * (move.step * move.step + move.variance);
    Vec new_ease = broadcast(1.0);
    if (in.difficulty == Difficulty::kInstance) new_ease = update_instance_ease(lanes, sums.omega, misfit);
    if (in.difficulty == Difficulty::kCategory) add_to_categories(lanes, sums.omega, misfit);
    add_to_annotators(lanes, move, new_ease);
  }

  // Far enough ahead that rows of annotators have come from memory when their turn comes.
  void prefetch_annotators(std::int64_t at, std::int64_t window_end) const {
    for (std::int64_t i = at; i < at + kLanes && i < window_end; ++i) {
      const std::int64_t m = in.order[i];
      for (std::int64_t rating = in.instance_ptr[m]; rating < in.instance_ptr[m + 1]; ++rating)
        __builtin_prefetch(row_of<kAnnotatorRow>(chunk.annotators, in.annotator[rating]), 1);
    }
  }

  // KL(q(z)||p(z)) = (lambda/lambda_m + lambda (mu_m - mu)^2 - 1 + ln(lambda_m/lambda)) / 2; run() halves the
  // sum.
  TRUEGRADE_INLINE void add_z_divergence(const Lanes& lanes) {
    const double prior = in.z_prior_precision;
    const Vec offset = lanes.mean - in.z_prior_mean;
    z_divergence += lanes.moving ? prior * lanes.variance + prior * offset * offset - 1.0 : Vec{};
    z_precision_ratio.add(lanes.moving ? lanes.precision * (1 / prior) : broadcast(1.0));
  }

  TRUEGRADE_INLINE Ease load_ease(const Lanes& lanes) {
    if (in.difficulty == Difficulty::kInstance) {
      Vec shape = {}, rate = {};
      for (int lane = 0; lane < kLanes; ++lane) {
        shape[lane] = state.delta_shape[lanes.instance[lane]];
        rate[lane] = state.delta_rate[lanes.instance[lane]];
      }
      return ease_of<kLink, kResponsibility>(in, shape, rate, lanes.alive, ease_divergence);
    }
    if (in.difficulty == Difficulty::kNone)
      return {broadcast(chunk.none_row[kEase]), broadcast(chunk.none_row[kRootEase]),
              broadcast(chunk.none_row[kEaseLogOdds]), broadcast(chunk.none_row[kEaseBound])};
    std::int32_t category[kLanes];
    for (int lane = 0; lane < kLanes; ++lane)
      category[lane] = chunk.category_of[lanes.instance[lane] - window_begin];
    const Columns row = gather_rows(chunk.category_rows, category);
    return {row.c0, row.c1, row.c2, row.c3};
  }

  // q(x, y) of all ratings. In stages over a block of them: a stage is a short chain of dependent operations,
  // so the processor overlaps its turns, where one long chain per rating would fill its window.
  InstanceSums visit_ratings(const Lanes& lanes, const Ease& ease) {
    constexpr int kBlock = 8;
    Observed observed[kBlock];
    Rating rating[kBlock];
    TruncatedNormal x[kBlock];
    InstanceSums sums;
    RatingBound bound = rating_bound;
    for (std::int64_t first = 0; first < lanes.slots; first += kBlock) {
      const int count = static_cast<int>(lanes.slots - first < kBlock ? lanes.slots - first : kBlock);
      for (int j = 0; j < count; ++j)
        rating[j] = load_rating(chunk, lanes, ease.root, first + j, observed[j]);
      for (int j = 0; j < count; ++j) x[j] = observe<kLink>(rating[j], lanes.mean);
      for (int j = 0; j < count; ++j) {
        const Choice choice = choose<kLink, kResponsibility>(rating[j], ease, lanes.variance, x[j]);
        bound.template add<kLink, kResponsibility>(rating[j], x[j], choice, observed[j].weight,
                                                   in.weight != nullptr);
        add_rating(observed[j], rating[j], x[j], choice, first + j, sums);
        if (chunk.responsibility) store_responsibility(observed[j], lanes.degree > first + j, choice.omega);
      }
    }
    if (kResponsibility == Responsibility::kPrinted) bound.direct += sums.omega * ease.bound;
    rating_bound = bound;
    return sums;
  }

  // Leaves in the slot: w omega, E x - mean, E(x - mean)^2, w omega (1-omega), w.
  TRUEGRADE_INLINE void add_rating(const Observed& observed, const Rating& rating, const TruncatedNormal& x,
                                   const Choice& choice, std::int64_t slot, InstanceSums& sums) {
    const Vec omega = observed.weight * choice.omega, omega_tau = omega * rating.tau;
    sums.omega += omega;
    sums.precision += omega_tau;
    sums.shift += omega_tau * x.shift;
    sums.spread += omega_tau * x.spread;
    double* to = chunk.slots + slot * kSlotVectors * kLanes;
    store(to, omega);
    store(to + kLanes, x.shift);
    store(to + 2 * kLanes, x.spread);
    store(to + 3 * kLanes, omega * choice.spam);
    store(to + 4 * kLanes, observed.weight);
    const Vec spam = observed.weight * choice.spam;
    for (int lane = 0; lane < kLanes; ++lane)
      chunk.spam_weight[observed.grade[lane] * kMaxLanes + lane] += spam[lane];
  }

  void store_responsibility(const Observed& observed, Int present, Vec omega) const {
    for (int lane = 0; lane < kLanes; ++lane)
      if (present[lane]) chunk.responsibility[observed.position[lane]] = omega[lane];
  }

  // lambda_m = lambda + E delta sum(w omega tau), and mu_m by its distance from the old one.
  TRUEGRADE_INLINE Move update_z(const Lanes& lanes, const Ease& ease, const InstanceSums& sums) {
    const Vec precision = in.z_prior_precision + ease.mean * sums.precision;
    const Vec pull = in.z_prior_precision * (in.z_prior_mean - lanes.mean) + ease.mean * sums.shift;
    const Move move{lanes.moving ? pull / precision : Vec{}, lanes.moving ? 1.0 / precision : Vec{}};
    const Vec mean = lanes.mean + move.step;
    for (int lane = 0; lane < lanes.live; ++lane)
      if (lanes.moving[lane]) {
        state.z_mean[lanes.instance[lane]] = mean[lane];
        state.z_precision[lanes.instance[lane]] = precision[lane];
      }
    return move;
  }

  // E(x-z)^2 = E(x-mean)^2 - 2 (E x - mean) step + step^2 + 1/lambda_m at the new q(z), and the annotators'
  // sums.
  TRUEGRADE_INLINE void add_to_annotators(const Lanes& lanes, const Move& move, Vec new_ease) {
    const bool by_category = in.difficulty == Difficulty::kCategory;
    const double* from = chunk.slots;
    for (std::int64_t slot = 0; slot < lanes.slots; ++slot, from += kSlotVectors * kLanes) {
      std::int64_t position[kLanes];
      std::int32_t annotator[kLanes];
      place(lanes, slot, position);
      for (int lane = 0; lane < kLanes; ++lane) annotator[lane] = in.annotator[position[lane]];
      const Vec omega = load(from), shift = load(from + kLanes);
      Vec spread = omega * (load(from + 2 * kLanes) + move.step * (move.step - 2.0 * shift) + move.variance) *
                   new_ease;
      if (by_category) {  // E delta is not known yet
        const Int present = lanes.degree > slot;
        for (int lane = 0; lane < kLanes; ++lane)
          if (present[lane]) chunk.spread[position[lane] - rating_begin] = spread[lane];
        spread = Vec{};
      }
      add_to_rows<kAnnotatorRow>(chunk.annotators + kSums, annotator,
                                 {omega, spread, load(from + 3 * kLanes), load(from + 4 * kLanes)});
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

  // The categories of the window up to instance `window_end`: which instance is in which, and their rows.
  // Returns the first category of the next window; empty categories at the very end belong to the last window
  // of all.
  std::int64_t begin_categories(std::int64_t first, std::int64_t window_end) {
    const bool last_window = window_end == in.instances;
    std::int64_t end = first;
    for (; end < in.categories && (in.category_ptr[end] < window_end || last_window); ++end) {
      for (std::int64_t m = in.category_ptr[end]; m < in.category_ptr[end + 1]; ++m)
        chunk.category_of[m - window_begin] = static_cast<std::int32_t>(end - first);
      chunk.category_sums[2 * (end - first)] = chunk.category_sums[2 * (end - first) + 1] = 0;
    }
    for (std::int64_t c = first; c < end; c += kLanes) {
      const int live = static_cast<int>(end - c < kLanes ? end - c : kLanes);
      Vec shape = broadcast(1.0), rate = broadcast(1.0);
      Int alive = {};
      for (int lane = 0; lane < live; ++lane) {
        shape[lane] = state.delta_shape[c + lane];
        rate[lane] = state.delta_rate[c + lane];
        alive[lane] = -1;
      }
      const Ease ease = ease_of<kLink, kResponsibility>(in, shape, rate, alive, ease_divergence);
      for (int lane = 0; lane < live; ++lane) {
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
        row_of<kAnnotatorRow>(chunk.annotators, in.annotator[i])[kSums + kSumSpread] +=
            ease * chunk.spread[i - rating_begin];
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
