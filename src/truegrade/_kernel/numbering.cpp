#include "numbering.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "hash.hpp"

namespace truegrade {
namespace {

// A slot holds the upper half of a text's hash and its number + 1; 0 is a free slot.
constexpr std::uint64_t kTag = ~std::uint64_t{0xffffffff};

class Numbering {
 public:
  Numbering(const std::int64_t* offsets, const std::uint8_t* data, std::int64_t known, const TextStore& store)
      : offsets_(offsets), data_(data), known_(known), store_(store), mask_(store.slot_count - 1) {}

  std::int64_t known() const { return known_; }

  bool has_room_for(std::int64_t text) const {
    return known_ < store_.room && store_.offsets[known_] + size_of(text) <= store_.bytes;
  }

  // Three hints. Each is given for a block of texts, so that the memory has time to answer before the next.
  void fetch_slot(std::uint64_t hash) const { __builtin_prefetch(store_.slots + home(hash)); }
  void fetch_offsets(std::uint64_t hash) const {
    if (const std::uint64_t slot = store_.slots[home(hash)])
      __builtin_prefetch(store_.offsets + number_in(slot));
  }
  void fetch_text(std::uint64_t hash) const {
    if (const std::uint64_t slot = store_.slots[home(hash)])
      __builtin_prefetch(store_.data + store_.offsets[number_in(slot)]);
  }

  std::int32_t number(std::int64_t text, std::uint64_t hash) {
    for (std::int64_t at = home(hash);; at = (at + 1) & mask_) {
      const std::uint64_t slot = store_.slots[at];
      if (slot == 0) return append(text, hash, at);
      if (((slot ^ hash) & kTag) == 0 && equal(text, number_in(slot))) return number_in(slot);
    }
  }

 private:
  std::int64_t home(std::uint64_t hash) const { return static_cast<std::int64_t>(hash) & mask_; }
  static std::int32_t number_in(std::uint64_t slot) { return static_cast<std::int32_t>(slot & ~kTag) - 1; }
  std::int64_t size_of(std::int64_t text) const { return offsets_[text + 1] - offsets_[text]; }

  bool equal(std::int64_t text, std::int32_t number) const {
    const std::int64_t begin = store_.offsets[number], size = size_of(text);
    return store_.offsets[number + 1] - begin == size &&
           std::memcmp(store_.data + begin, data_ + offsets_[text], static_cast<std::size_t>(size)) == 0;
  }

  std::int32_t append(std::int64_t text, std::uint64_t hash, std::int64_t at) {
    const std::int64_t begin = store_.offsets[known_], size = size_of(text);
    std::memmove(store_.data + begin, data_ + offsets_[text], static_cast<std::size_t>(size));
    store_.offsets[known_ + 1] = begin + size;
    store_.slots[at] = (hash & kTag) | static_cast<std::uint64_t>(known_ + 1);
    return static_cast<std::int32_t>(known_++);
  }

  const std::int64_t* offsets_;
  const std::uint8_t* data_;
  std::int64_t known_;
  const TextStore& store_;
  std::int64_t mask_;
};

}  // namespace

TextProgress number_texts(const std::int64_t* offsets, const std::uint8_t* data, std::int64_t texts,
                          std::int64_t known, const TextStore& store, std::int32_t* number_out) {
  constexpr std::int64_t kBlock = 128;
  std::uint64_t hash[kBlock];
  Numbering numbering(offsets, data, known, store);
  for (std::int64_t first = 0; first < texts; first += kBlock) {
    const std::int64_t size = std::min(kBlock, texts - first);
    hash_texts(offsets + first, data, size, 1, hash);
    for (std::int64_t i = 0; i < size; ++i) numbering.fetch_slot(hash[i]);
    for (std::int64_t i = 0; i < size; ++i) numbering.fetch_offsets(hash[i]);
    for (std::int64_t i = 0; i < size; ++i) numbering.fetch_text(hash[i]);
    for (std::int64_t i = 0; i < size; ++i) {
      if (!numbering.has_room_for(first + i)) return {first + i, numbering.known()};
      number_out[first + i] = numbering.number(first + i, hash[i]);
    }
  }
  return {texts, numbering.known()};
}

std::int64_t number_codes(const std::int32_t* code, const bool* kept, std::int64_t rows, std::int64_t codes,
                          std::int32_t* number_out, std::int32_t* code_out) {
  std::vector<std::int32_t> number(codes, -1);
  std::int32_t next = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    if (kept && !kept[i]) continue;
    if (code[i] >= codes) throw std::out_of_range("a code past the last one");
    if (code[i] >= 0 && number[code[i]] < 0) {
      code_out[next] = code[i];
      number[code[i]] = next++;
    }
    *number_out++ = code[i] < 0 ? -1 : number[code[i]];
  }
  return next;
}

}  // namespace truegrade
