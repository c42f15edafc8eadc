// Uninitialised numbers that begin on a cache line, so that a row of four doubles never crosses one.
#pragma once

#include <cstdint>
#include <memory>
#include <new>

namespace truegrade {

template <class T>
class AlignedArray {
 public:
  explicit AlignedArray(std::int64_t size)
      : data_(static_cast<T*>(operator new(sizeof(T) * static_cast<std::size_t>(size), kLine))) {}
  T* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t kLine{64};
  struct Free {
    void operator()(T* data) const { operator delete(data, kLine); }
  };
  std::unique_ptr<T, Free> data_;
};

using Buffer = AlignedArray<double>;

}  // namespace truegrade
