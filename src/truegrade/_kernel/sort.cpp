#include "sort.hpp"

#include <algorithm>
#include <vector>

#include "pool.hpp"

namespace truegrade {
namespace {

// A bucket is a range of instances whose ratings are sorted inside a cache. With more buckets there would be
// more streams to write than a processor follows.
constexpr std::int64_t kBuckets = 256;
constexpr std::int64_t kPieceRows = 1 << 18;  // of the input, moved into the buckets by one thread

template <class Rating>
struct Columns {
  std::uint32_t* row;
  std::int32_t* annotator;
  Rating* rating;
};

// The bucket of an instance is its code >> shift.
int bucket_shift(std::int64_t instances) {
  int shift = 0;
  while ((instances - 1) >> shift >= kBuckets) ++shift;
  return shift;
}

// Where each piece of the input begins to write into each bucket (pieces+1, kBuckets), in the order of the
// pieces: which thread moves a piece changes nothing. The last row holds the buckets' ends.
std::vector<std::int64_t> piece_begins(const std::int32_t* instance, std::int64_t ratings, int shift,
                                       std::int64_t pieces, int threads) {
  std::vector<std::int64_t> begin((pieces + 1) * kBuckets);
  parallel_for(threads, pieces, [&](std::int64_t piece) {
    std::int64_t* count = begin.data() + piece * kBuckets;
    const std::int64_t end = std::min(ratings, (piece + 1) * kPieceRows);
    for (std::int64_t i = piece * kPieceRows; i < end; ++i) ++count[instance[i] >> shift];
  });
  std::int64_t total = 0;
  for (std::int64_t bucket = 0; bucket < kBuckets; ++bucket)
    for (std::int64_t piece = 0; piece <= pieces; ++piece) {
      const std::int64_t count = begin[piece * kBuckets + bucket];
      begin[piece * kBuckets + bucket] = total;
      total += count;
    }
  return begin;
}

template <class Rating>
void sort_inside_instance(const Columns<Rating>& in, const double* weight, std::uint32_t* begin,
                          std::uint32_t* end) {
  auto before = [=](std::uint32_t a, std::uint32_t b) {
    if (in.annotator[a] != in.annotator[b]) return in.annotator[a] < in.annotator[b];
    if (in.rating[a] != in.rating[b]) return in.rating[a] < in.rating[b];
    if (weight && weight[in.row[a]] != weight[in.row[b]]) return weight[in.row[a]] < weight[in.row[b]];
    return in.row[a] < in.row[b];
  };
  if (end - begin > 24) return std::sort(begin, end, before);
  for (std::uint32_t* i = begin + (begin < end); i < end; ++i) {
    const std::uint32_t rating = *i;
    std::uint32_t* hole = i;
    for (; hole > begin && before(rating, hole[-1]); --hole) *hole = hole[-1];
    *hole = rating;
  }
}

// Puts column[order[0]], column[order[1]], ... into the place of column[0], column[1], ...
template <class T>
void reorder(const std::vector<std::uint32_t>& order, T* column) {
  std::vector<T> ordered(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) ordered[i] = column[order[i]];
  std::copy(ordered.begin(), ordered.end(), column);
}

// Sorts the ratings [begin, end), those of the instances [first, last), where they lie.
template <class Rating>
void sort_bucket(const std::int32_t* instance, const double* weight, std::int64_t begin, std::int64_t end,
                 std::int64_t first, std::int64_t last, std::int64_t* instance_ptr_out,
                 const Columns<Rating>& out) {
  std::fill(instance_ptr_out + first, instance_ptr_out + last, 0);
  for (std::int64_t i = begin; i < end; ++i) ++instance_ptr_out[instance[i]];
  std::vector<std::uint32_t> next(last - first + 1), order(end - begin);
  for (std::int64_t m = first; m < last; ++m) {
    next[m - first + 1] = next[m - first] + static_cast<std::uint32_t>(instance_ptr_out[m]);
    instance_ptr_out[m] = begin + next[m - first];
  }
  for (std::int64_t i = begin; i < end; ++i)
    order[next[instance[i] - first]++] = static_cast<std::uint32_t>(i - begin);

  // Now next[m] is where instance m ends.
  const Columns<Rating> here{out.row + begin, out.annotator + begin, out.rating + begin};
  for (std::int64_t m = first, from = 0; m < last; from = next[m++ - first])
    sort_inside_instance(here, weight, order.data() + from, order.data() + next[m - first]);
  reorder(order, here.row);
  reorder(order, here.annotator);
  reorder(order, here.rating);
}

}  // namespace

template <class Rating>
void csr_sort(const std::int32_t* instance, const std::int32_t* annotator, const Rating* rating,
              const double* weight, std::int64_t ratings, std::int64_t instances, int threads,
              std::int64_t* instance_ptr_out, std::uint32_t* row_out, std::int32_t* annotator_out,
              Rating* rating_out) {
  const int shift = bucket_shift(instances);
  const std::int64_t pieces = (ratings + kPieceRows - 1) / kPieceRows;
  std::vector<std::int64_t> begins = piece_begins(instance, ratings, shift, pieces, threads);
  std::vector<std::int32_t> instance_in_buckets(ratings);
  parallel_for(threads, pieces, [&](std::int64_t piece) {
    std::int64_t* next = begins.data() + piece * kBuckets;
    const std::int64_t end = std::min(ratings, (piece + 1) * kPieceRows);
    for (std::int64_t i = piece * kPieceRows; i < end; ++i) {
      const std::int64_t to = next[instance[i] >> shift]++;
      instance_in_buckets[to] = instance[i];
      row_out[to] = static_cast<std::uint32_t>(i);
      annotator_out[to] = annotator[i];
      rating_out[to] = rating[i];
    }
  });

  const std::int64_t* ends = begins.data() + pieces * kBuckets;
  const Columns<Rating> out{row_out, annotator_out, rating_out};
  parallel_for(threads, kBuckets, [&](std::int64_t bucket) {
    const std::int64_t first = std::min(bucket << shift, instances);
    const std::int64_t last = std::min((bucket + 1) << shift, instances);
    const std::int64_t begin = bucket == 0 ? 0 : ends[bucket - 1];
    sort_bucket(instance_in_buckets.data(), weight, begin, ends[bucket], first, last, instance_ptr_out, out);
  });
  instance_ptr_out[instances] = ratings;
}

template void csr_sort(const std::int32_t*, const std::int32_t*, const std::uint8_t*, const double*,
                       std::int64_t, std::int64_t, int, std::int64_t*, std::uint32_t*, std::int32_t*,
                       std::uint8_t*);
template void csr_sort(const std::int32_t*, const std::int32_t*, const double*, const double*, std::int64_t,
                       std::int64_t, int, std::int64_t*, std::uint32_t*, std::int32_t*, double*);

}  // namespace truegrade
