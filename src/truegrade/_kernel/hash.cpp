#include "hash.hpp"

#include <algorithm>
#include <cstring>

#include "pool.hpp"

namespace truegrade {
namespace {

// The finaliser of splitmix64: a bijection in which every input bit flips each output bit with probability
// 1/2.
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t hash_text(const std::uint8_t* text, std::int64_t size) {
  std::uint64_t hash = mix(0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(size));
  for (; size > 0; text += 8, size -= 8) {
    std::uint64_t word = 0;  // bytes by shifts: the same hash on every byte order
    for (std::int64_t i = 0; i < std::min<std::int64_t>(size, 8); ++i)
      word |= std::uint64_t{text[i]} << (8 * i);
    hash = mix(hash ^ word) + 0x9e3779b97f4a7c15u;
  }
  return mix(hash);
}

}  // namespace

void hash_texts(const std::int64_t* offsets, const std::uint8_t* data, std::int64_t texts, int threads,
                std::uint64_t* hash_out) {
  constexpr std::int64_t kBlock = 1 << 14;
  parallel_for(threads, (texts + kBlock - 1) / kBlock, [&](std::int64_t chunk) {
    const std::int64_t end = std::min(texts, (chunk + 1) * kBlock);
    for (std::int64_t i = chunk * kBlock; i < end; ++i)
      hash_out[i] = hash_text(data + offsets[i], offsets[i + 1] - offsets[i]);
  });
}

}  // namespace truegrade
