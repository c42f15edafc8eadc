#include "table_plan.hpp"

#include <algorithm>
#include <vector>

#include "pool.hpp"

namespace truegrade {
namespace {

constexpr std::int64_t kSmallTile = 512 << 10, kLargeTile = 16 << 20;  // bytes of posteriors

}  // namespace

std::int64_t table_tile_instances(std::int64_t annotators, std::int64_t grades, std::int64_t nodes) {
  const std::int64_t row = 8 * padded_nodes(nodes);
  return std::clamp(4 * annotators * grades * row, kSmallTile, kLargeTile) / row;
}

void table_plan(const std::int64_t* instance_ptr, const std::int32_t* annotator, const std::uint8_t* grade,
                const double* weight, std::int64_t instances, std::int64_t annotators, std::int64_t grades,
                std::int64_t tile_instances, int threads, std::int32_t* cell_out, std::int32_t* instance_out,
                double* weight_out) {
  const std::int64_t tiles = (instances + tile_instances - 1) / tile_instances;
  parallel_for(threads, tiles, [=](std::int64_t tile) {
    const std::int64_t first = tile * tile_instances, last = std::min(instances, first + tile_instances);
    auto cell_of = [=](std::int64_t i) { return annotator[i] * grades + grade[i]; };
    std::vector<std::int64_t> next(annotators * grades + 1);  // where the next rating of a cell goes
    for (std::int64_t i = instance_ptr[first]; i < instance_ptr[last]; ++i) ++next[cell_of(i) + 1];
    next[0] = instance_ptr[first];
    for (std::int64_t cell = 0; cell < annotators * grades; ++cell) next[cell + 1] += next[cell];
    for (std::int64_t m = first; m < last; ++m)
      for (std::int64_t i = instance_ptr[m]; i < instance_ptr[m + 1]; ++i) {
        const std::int64_t cell = cell_of(i), to = next[cell]++;
        cell_out[to] = static_cast<std::int32_t>(cell);
        instance_out[to] = static_cast<std::int32_t>(m);
        if (weight) weight_out[to] = weight[i];
      }
  });
}

}  // namespace truegrade
