// 64-bit hashes of ids. Codes are handed out in the order of the hash, so no row order can change a result.
#pragma once

#include <cstdint>

namespace truegrade {

/// @param offsets (S+1,): text i is data[offsets[i] .. offsets[i+1])
/// @param data (B,): UTF-8 bytes
/// @param hash_out (S,)
void hash_texts(const std::int64_t* offsets, const std::uint8_t* data, std::int64_t texts, int threads,
                std::uint64_t* hash_out);

}  // namespace truegrade
