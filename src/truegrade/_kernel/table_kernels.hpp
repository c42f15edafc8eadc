// What each instruction set's translation unit offers to a sweep over tables, and the memory that it is
// handed.
#pragma once

#include <cstdint>

namespace truegrade {

/// A tile: consecutive instances. Rows of nodes are `stride` numbers long; those past the last node have
/// prior -inf, so that nothing of them is left.
struct TableTile {
  std::int64_t grades, nodes, stride;
  const std::int64_t* instance_ptr;     // (M+1,)
  const std::int32_t* annotator;        // (L,)
  const std::uint8_t* grade;            // (L,)
  const double* weight;                 // (L,) or null
  const std::int32_t* prior_row;        // (M,) or null: all 0
  const void* table;                    // (N K, stride) of float or double
  const double* log_prior;              // (P, stride)
  bool table_is_far, posterior_is_far;  // too large for a small cache

  const std::int32_t* cell;      // (L,): ratings of each tile in the order of cells
  const std::int32_t* instance;  // (L,)
  const double* cell_weight;     // (L,) or null

  std::int64_t first_instance;
  double* posterior;  // (instances of the tile, stride)
  double* log_z;      // (M,)
  double* counts;     // (N K, stride)
};

struct TableKernels {
  /// Posteriors and ln Z of the instances [first, last); adds the posteriors to node_sums (stride,).
  void (*score_float)(const TableTile& tile, std::int64_t first, std::int64_t last, double* node_sums);
  void (*score_double)(const TableTile& tile, std::int64_t first, std::int64_t last, double* node_sums);
  /// Adds the posteriors of the ratings [first, last), in the order of cells, to the counts.
  void (*count)(const TableTile& tile, std::int64_t first, std::int64_t last);
};

extern const TableKernels kTableBase;
#if defined(TRUEGRADE_X86)
extern const TableKernels kTableAvx2, kTableAvx512;
#endif

}  // namespace truegrade
