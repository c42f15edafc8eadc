// Uninitialised numbers that begin on a cache line, so that a row of four or eight doubles never crosses one.
#pragma once

#include <cstdint>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace truegrade {

template <class T>
class AlignedArray {
 public:
  explicit AlignedArray(std::int64_t size)
      : bytes_(sizeof(T) * static_cast<std::size_t>(size)),
        data_(static_cast<T*>(operator new(bytes_, alignment()))) {
#if defined(__linux__)
    // Rows picked at random from many pages cost more for finding the page than for the row. Only a wish.
    if (bytes_ >= kLarge) madvise(data_, bytes_, MADV_HUGEPAGE);
#endif
  }
  AlignedArray(const AlignedArray&) = delete;
  AlignedArray& operator=(const AlignedArray&) = delete;
  ~AlignedArray() { operator delete(data_, alignment()); }

  T* data() const { return data_; }

 private:
  static constexpr std::size_t kLine = 64, kHugePage = std::size_t{1} << 21, kLarge = 2 * kHugePage;

  std::align_val_t alignment() const { return std::align_val_t{bytes_ < kLarge ? kLine : kHugePage}; }

  std::size_t bytes_;
  T* data_;
};

using Buffer = AlignedArray<double>;

}  // namespace truegrade
