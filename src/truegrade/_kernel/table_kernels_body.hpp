// The arithmetic of a sweep over tables, and the table of one instruction set's kernels: included by one
// translation unit per set, which names the table.
#pragma once

#include "elementary.hpp"
#include "table_kernels.hpp"

namespace truegrade {
namespace {

constexpr std::int64_t kAhead = 16;  // ratings: how early a row is asked for that lies in a far cache
constexpr std::int64_t kLine = 64;   // bytes

typedef float Floats __attribute__((vector_size(4 * kLanes)));

TRUEGRADE_INLINE Vec load_row(const double* from) { return load(from); }
TRUEGRADE_INLINE Vec load_row(const float* from) {
  Floats v;
  std::memcpy(&v, from, sizeof v);
  return __builtin_convertvector(v, Vec);
}

template <class Number>
TRUEGRADE_INLINE void prefetch_row(const Number* row, std::int64_t stride) {
  const char* bytes = reinterpret_cast<const char*>(row);
  for (std::int64_t at = 0; at < stride * static_cast<std::int64_t>(sizeof(Number)); at += kLine)
    __builtin_prefetch(bytes + at);
}

/// combine() of all lanes, in every lane. In halves: a chain over the lanes is long enough to wait for.
template <class Combine>
TRUEGRADE_INLINE Vec fold(Vec v, Combine combine) {
#if TRUEGRADE_LANES == 8
  v = combine(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
  v = combine(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
  return combine(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));
#elif TRUEGRADE_LANES == 4
  v = combine(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
  return combine(v, __builtin_shufflevector(v, v, 1, 0, 3, 2));
#else
  return combine(v, __builtin_shufflevector(v, v, 1, 0));
#endif
}

/// to[0 .. kVectors) = prior + sum over the ratings [first, last) of w times their row, from node `offset`
/// on.
template <int kVectors, bool kWeighted, class Number>
TRUEGRADE_INLINE void add_rows(const TableTile& tile, std::int64_t first, std::int64_t last,
                               std::int64_t offset, const double* prior, double* to) {
  const Number* table = static_cast<const Number*>(tile.table) + offset;
  Vec sum[kVectors];
  for (int v = 0; v < kVectors; ++v) sum[v] = load(prior + offset + v * kLanes);
  for (std::int64_t i = first; i < last; ++i) {
    const Number* row = table + (tile.annotator[i] * tile.grades + tile.grade[i]) * tile.stride;
    if (kWeighted) {
      const Vec weight = broadcast(tile.weight[i]);
      for (int v = 0; v < kVectors; ++v) sum[v] += weight * load_row(row + v * kLanes);
    } else {
      for (int v = 0; v < kVectors; ++v) sum[v] += load_row(row + v * kLanes);
    }
  }
  for (int v = 0; v < kVectors; ++v) store(to + offset + v * kLanes, sum[v]);
}

template <bool kWeighted, class Number>
TRUEGRADE_INLINE void add_all_rows(const TableTile& tile, std::int64_t first, std::int64_t last,
                                   const double* prior, double* to) {
  std::int64_t offset = 0;
  for (; offset + 4 * kLanes <= tile.stride; offset += 4 * kLanes)
    add_rows<4, kWeighted, Number>(tile, first, last, offset, prior, to);
  for (; offset + 2 * kLanes <= tile.stride; offset += 2 * kLanes)
    add_rows<2, kWeighted, Number>(tile, first, last, offset, prior, to);
  for (; offset < tile.stride; offset += kLanes)
    add_rows<1, kWeighted, Number>(tile, first, last, offset, prior, to);
}

/// Scores become a distribution. Returns the largest score; `mass_out` is the sum of exp(score - largest).
TRUEGRADE_INLINE double normalise(double* row, std::int64_t stride, double* node_sums, double& mass_out) {
  Vec top = load(row);
  for (std::int64_t at = kLanes; at < stride; at += kLanes) top = max(top, load(row + at));
  const Vec peak = fold(top, [](Vec a, Vec b) { return max(a, b); });
  Vec total = {};
  for (std::int64_t at = 0; at < stride; at += kLanes) {
    const Vec score = load(row + at) - peak;
    const Vec mass = score > kExpFloor ? exp(max(score, broadcast(kExpFloor))) : Vec{};
    store(row + at, mass);
    total += mass;
  }
  total = fold(total, [](Vec a, Vec b) { return a + b; });
  mass_out = total[0];
  const Vec scale = 1.0 / total;
  for (std::int64_t at = 0; at < stride; at += kLanes) {
    const Vec share = load(row + at) * scale;
    store(row + at, share);
    store(node_sums + at, load(node_sums + at) + share);
  }
  return peak[0];
}

template <class Number>
void score(const TableTile& tile, std::int64_t first, std::int64_t last, double* node_sums) {
  const Number* table = static_cast<const Number*>(tile.table);
  const std::int64_t end = tile.instance_ptr[last];
  double mass[kLanes];
  for (std::int64_t m = first; m < last; ++m) {
    const std::int64_t begin = tile.instance_ptr[m], stop = tile.instance_ptr[m + 1];
    if (tile.table_is_far)
      for (std::int64_t i = begin + kAhead; i < stop + kAhead && i < end; ++i)
        prefetch_row(table + (tile.annotator[i] * tile.grades + tile.grade[i]) * tile.stride, tile.stride);
    const double* prior = tile.log_prior + (tile.prior_row ? tile.prior_row[m] : 0) * tile.stride;
    double* row = tile.posterior + (m - tile.first_instance) * tile.stride;
    if (tile.weight)
      add_all_rows<true, Number>(tile, begin, stop, prior, row);
    else
      add_all_rows<false, Number>(tile, begin, stop, prior, row);
    const std::int64_t lane = (m - first) % kLanes;
    tile.log_z[m] = normalise(row, tile.stride, node_sums, mass[lane]);
    if (lane == kLanes - 1) {  // ln Z = peak + ln mass, kLanes at a time
      double* log_z = tile.log_z + m - lane;
      store(log_z, load(log_z) + log(load(mass)));
    }
  }
  const std::int64_t rest = (last - first) % kLanes;
  for (std::int64_t lane = rest; lane < kLanes; ++lane) mass[lane] = 1;
  const Vec logs = log(load(mass));
  for (std::int64_t lane = 0; lane < rest; ++lane) tile.log_z[last - rest + lane] += logs[lane];
}

/// Adds w times the posterior of every rating of the run [first, last), all of one cell, from node `offset`
/// on.
template <int kVectors>
TRUEGRADE_INLINE void count_run(const TableTile& tile, std::int64_t first, std::int64_t last,
                                std::int64_t offset, double* to) {
  const double* posterior = tile.posterior + offset - tile.first_instance * tile.stride;
  Vec sum[kVectors];
  for (int v = 0; v < kVectors; ++v) sum[v] = load(to + offset + v * kLanes);
  for (std::int64_t i = first; i < last; ++i) {
    const double* row = posterior + tile.instance[i] * tile.stride;
    const Vec weight = broadcast(tile.cell_weight ? tile.cell_weight[i] : 1.0);
    for (int v = 0; v < kVectors; ++v) sum[v] += weight * load(row + v * kLanes);
  }
  for (int v = 0; v < kVectors; ++v) store(to + offset + v * kLanes, sum[v]);
}

void count(const TableTile& tile, std::int64_t first, std::int64_t last) {
  for (std::int64_t begin = first, end; begin < last; begin = end) {
    const std::int32_t cell = tile.cell[begin];
    for (end = begin; end < last && tile.cell[end] == cell; ++end)
      if (tile.posterior_is_far && end + kAhead < last)
        prefetch_row(tile.posterior + (tile.instance[end + kAhead] - tile.first_instance) * tile.stride,
                     tile.stride);
    double* to = tile.counts + cell * tile.stride;
    std::int64_t offset = 0;
    for (; offset + 4 * kLanes <= tile.stride; offset += 4 * kLanes)
      count_run<4>(tile, begin, end, offset, to);
    for (; offset + 2 * kLanes <= tile.stride; offset += 2 * kLanes)
      count_run<2>(tile, begin, end, offset, to);
    for (; offset < tile.stride; offset += kLanes) count_run<1>(tile, begin, end, offset, to);
  }
}

}  // namespace
}  // namespace truegrade

#define TRUEGRADE_TABLE_KERNELS {truegrade::score<float>, truegrade::score<double>, truegrade::count}
