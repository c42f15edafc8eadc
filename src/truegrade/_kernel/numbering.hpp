// Numbers in order of first appearance: for texts, part after part of a file, and for codes.
#pragma once

#include <cstdint>

namespace truegrade {

/// The different texts met so far, in memory of the caller that has room for more.
/// @param slots (P,), P a power of two above `room`: zeros at first, then a hash table of the numbers
/// @param offsets (room+1,): text n is data[offsets[n] .. offsets[n+1]); offsets[0] = 0
/// @param data (bytes,)
struct TextStore {
  std::uint64_t* slots;
  std::int64_t slot_count;
  std::int64_t* offsets;
  std::int64_t room;
  std::uint8_t* data;
  std::int64_t bytes;
};

struct TextProgress {
  std::int64_t read, known;
};

/// Gives each text its number. A text that the store does not hold yet gets the next number and is appended.
/// Stops before the first text for which the store has no room.
/// @param offsets (T+1,), data: the texts; the store's own, from its first on, if its slots are new
/// @param known how many texts the store holds
/// @param number_out (T,): of the texts that were read
/// @return how many texts were read, and how many the store holds now
TextProgress number_texts(const std::int64_t* offsets, const std::uint8_t* data, std::int64_t texts,
                          std::int64_t known, const TextStore& store, std::int32_t* number_out);

/// @param code (L,): 0 .. S-1, or -1 for none
/// @param kept (L,) or null: the rows that count; null = all
/// @param number_out (kept rows,): -1 for none
/// @param code_out (S,): the code that each number stands for; the numbers in use come first
/// @return how many codes occur
std::int64_t number_codes(const std::int32_t* code, const bool* kept, std::int64_t rows, std::int64_t codes,
                          std::int32_t* number_out, std::int32_t* code_out);

}  // namespace truegrade
