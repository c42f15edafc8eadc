// Threads and memory of a sweep over tables; the arithmetic is in the files of the instruction sets.
#include "table_sweep.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "buffer.hpp"
#include "isa.hpp"
#include "pool.hpp"
#include "table_kernels.hpp"
#include "table_plan.hpp"

namespace truegrade {
namespace {

constexpr std::int64_t kPieceInstances = 512;  // scored by one thread
constexpr std::int64_t kPieceRatings = 8192;   // counted by one thread
constexpr std::int64_t kPieceRows = 4096;      // copied by one thread
constexpr std::int64_t kGap = 16;  // numbers, two cache lines: between sums that two threads add to at once
constexpr std::int64_t kNearBytes = 512 << 10;  // what a small cache holds beside the rest

const TableKernels& kernels(const char* isa) {
#if defined(TRUEGRADE_X86)
  return kernels_for(isa, &kTableBase, &kTableAvx2, &kTableAvx512);
#else
  return kernels_for<TableKernels>(isa, &kTableBase, nullptr, nullptr);
#endif
}

template <class Body>
void for_rows(int threads, std::int64_t rows, Body body) {
  parallel_for(threads, (rows + kPieceRows - 1) / kPieceRows, [&](std::int64_t piece) {
    const std::int64_t last = std::min(rows, (piece + 1) * kPieceRows);
    for (std::int64_t row = piece * kPieceRows; row < last; ++row) body(row);
  });
}

/// Rows of `nodes` numbers made `stride` long by a filler. Rows that have that length already are not copied.
template <class Number>
class PaddedRows {
 public:
  PaddedRows(const Number* rows, std::int64_t count, std::int64_t nodes, std::int64_t stride, Number filler,
             int threads)
      : copy_(rows && nodes != stride ? count * stride : 0), data_(nodes != stride ? copy_.data() : rows) {
    if (!rows || nodes == stride) return;
    for_rows(threads, count, [=, to = copy_.data()](std::int64_t row) {
      std::copy(rows + row * nodes, rows + (row + 1) * nodes, to + row * stride);
      std::fill(to + row * stride + nodes, to + (row + 1) * stride, filler);
    });
  }
  const Number* data() const { return data_; }

 private:
  AlignedArray<Number> copy_;
  const Number* data_;
};

void score_tile(const TableKernels& kernels, const TableInput& in, const TableTile& tile, std::int64_t last,
                int threads, std::vector<double>& piece_sums, const TableSums& sums) {
  const auto score = in.table_float ? kernels.score_float : kernels.score_double;
  const std::int64_t first = tile.first_instance;
  const std::int64_t pieces = (last - first + kPieceInstances - 1) / kPieceInstances;
  const std::int64_t apart = tile.stride + kGap;
  piece_sums.assign(pieces * apart, 0.0);
  parallel_for(threads, pieces, [&](std::int64_t piece) {
    const std::int64_t begin = first + piece * kPieceInstances, end = std::min(last, begin + kPieceInstances);
    score(tile, begin, end, piece_sums.data() + piece * apart);
    if (!sums.posterior) return;
    for (std::int64_t m = begin; m < end; ++m) {
      const double* row = tile.posterior + (m - first) * tile.stride;
      std::copy(row, row + in.nodes, sums.posterior + m * in.nodes);
    }
  });
  for (std::int64_t piece = 0; piece < pieces; ++piece)
    for (std::int64_t g = 0; g < in.nodes; ++g) sums.node_counts[g] += piece_sums[piece * apart + g];
}

void count_tile(const TableKernels& kernels, const TableTile& tile, std::int64_t last_instance, int threads) {
  const std::int64_t first = tile.instance_ptr[tile.first_instance], last = tile.instance_ptr[last_instance];
  // A piece begins where a cell does, so that every cell is one thread's.
  auto cut = [&](std::int64_t piece) {
    std::int64_t at = std::min(last, first + piece * kPieceRatings);
    while (at > first && at < last && tile.cell[at] == tile.cell[at - 1]) ++at;
    return at;
  };
  parallel_for(threads, (last - first + kPieceRatings - 1) / kPieceRatings,
               [&](std::int64_t piece) { kernels.count(tile, cut(piece), cut(piece + 1)); });
}

}  // namespace

void table_sweep(const TableInput& in, const char* isa, int threads, const TableSums& sums) {
  const TableKernels& chosen = kernels(isa);
  const std::int64_t stride = padded_nodes(in.nodes), cells = in.annotators * in.grades;
  const PaddedRows<float> table_float(in.table_float, cells, in.nodes, stride, 0, threads);
  const PaddedRows<double> table_double(in.table_double, cells, in.nodes, stride, 0, threads);
  const PaddedRows<double> log_prior(in.log_prior, in.priors, in.nodes, stride,
                                     -std::numeric_limits<double>::infinity(), threads);
  const bool pad_counts = in.nodes != stride;
  const Buffer counts(pad_counts ? cells * stride : 0);
  const Buffer posterior(std::min(in.tile_instances, in.instances) * stride);
  std::vector<double> piece_sums;

  TableTile tile{};
  tile.grades = in.grades, tile.nodes = in.nodes, tile.stride = stride;
  tile.instance_ptr = in.instance_ptr, tile.annotator = in.annotator, tile.grade = in.grade;
  tile.weight = in.weight, tile.prior_row = in.prior_row;
  tile.table = in.table_float ? static_cast<const void*>(table_float.data()) : table_double.data();
  tile.log_prior = log_prior.data();
  tile.table_is_far = cells * stride * (in.table_float ? 4 : 8) > kNearBytes;
  tile.posterior_is_far = in.tile_instances * stride * 8 > 2 * kNearBytes;
  tile.cell = in.cell, tile.instance = in.instance, tile.cell_weight = in.cell_weight;
  tile.posterior = posterior.data(), tile.log_z = sums.log_z;
  tile.counts = pad_counts ? counts.data() : sums.counts;

  for_rows(threads, cells, [&](std::int64_t cell) {
    std::fill(tile.counts + cell * stride, tile.counts + (cell + 1) * stride, 0.0);
  });
  std::fill(sums.node_counts, sums.node_counts + in.nodes, 0.0);
  for (std::int64_t first = 0; first < in.instances; first += in.tile_instances) {
    const std::int64_t last = std::min(in.instances, first + in.tile_instances);
    tile.first_instance = first;
    score_tile(chosen, in, tile, last, threads, piece_sums, sums);
    count_tile(chosen, tile, last, threads);
  }
  if (pad_counts)
    for_rows(threads, cells, [&](std::int64_t cell) {
      const double* row = counts.data() + cell * stride;
      std::copy(row, row + in.nodes, sums.counts + cell * in.nodes);
    });
}

}  // namespace truegrade
