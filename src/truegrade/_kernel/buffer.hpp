// Uninitialised doubles that begin on a cache line, so that a row of four never crosses one.
#pragma once

#include <cstdint>
#include <memory>
#include <new>

namespace truegrade {

class Buffer {
 public:
  explicit Buffer(std::int64_t size)
      : data_(static_cast<double*>(operator new(sizeof(double) * static_cast<std::size_t>(size), kLine))) {}
  double* data() const { return data_.get(); }

 private:
  static constexpr std::align_val_t kLine{64};
  struct Free {
    void operator()(double* data) const { operator delete(data, kLine); }
  };
  std::unique_ptr<double, Free> data_;
};

}  // namespace truegrade
