// One E-step over a truth on a grid of nodes: a row of an annotator's table is added for each rating.
#pragma once

#include <cstdint>

namespace truegrade {

/// Ratings are in CSR order. Exactly one of the two tables is given.
struct TableInput {
  std::int64_t instances, annotators, grades, nodes, priors;

  const std::int64_t* instance_ptr;  // (M+1,)
  const std::int32_t* annotator;     // (L,)
  const std::uint8_t* grade;         // (L,) 0 .. K-1
  const double* weight;              // (L,) or null: all 1
  const std::int32_t* prior_row;     // (M,) rows of log_prior, or null: all 0

  // The plan (table_plan.hpp).
  std::int64_t tile_instances;
  const std::int32_t* cell;      // (L,)
  const std::int32_t* instance;  // (L,)
  const double* cell_weight;     // (L,) or null

  const float* table_float;    // (N, K, G) ln P(k | n, g), finite; or null
  const double* table_double;  // likewise
  const double* log_prior;     // (P, G), -inf allowed, but not in a whole row
};

struct TableSums {
  double* counts;       // (N, K, G): sum of w q_m(g)
  double* node_counts;  // (G,): sum of q_m(g)
  double* log_z;        // (M,)
  double* posterior;    // (M, G) q_m, or null
};

/// Every count is added up by one thread in the order of the plan: the same bits for every number of threads.
/// `isa`: "auto", "base", "avx2" or "avx512".
void table_sweep(const TableInput& input, const char* isa, int threads, const TableSums& sums);

}  // namespace truegrade
