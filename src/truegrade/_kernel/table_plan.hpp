// The order in which a sweep over tables visits ratings. It depends on the data alone.
#pragma once

#include <cstdint>

namespace truegrade {

constexpr int kNodePad = 8;  // rows of nodes are as long as whole vectors of the widest set

inline std::int64_t padded_nodes(std::int64_t nodes) { return (nodes + kNodePad - 1) / kNodePad * kNodePad; }

/// How many instances are in a tile, the last one excepted: as many as have posteriors in a cache. With more
/// annotators a tile is larger, so that an annotator's row of counts is met several times while it is there.
std::int64_t table_tile_instances(std::int64_t annotators, std::int64_t grades, std::int64_t nodes);

/// Sorts the ratings of each tile by cell n K + k, and inside a cell by instance.
/// @param instance_ptr (M+1,)
/// @param annotator, grade (L,)
/// @param weight (L,) or null
/// @param cell_out, instance_out (L,): of the ratings in this order
/// @param weight_out (L,), null where weight is
void table_plan(const std::int64_t* instance_ptr, const std::int32_t* annotator, const std::uint8_t* grade,
                const double* weight, std::int64_t instances, std::int64_t annotators, std::int64_t grades,
                std::int64_t tile_instances, int threads, std::int32_t* cell_out, std::int32_t* instance_out,
                double* weight_out);

}  // namespace truegrade
