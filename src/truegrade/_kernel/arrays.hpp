// What a NumPy array must be to cross into the kernel: C-ordered, the exact dtype, on the CPU; never copied
// or cast.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
#include <string>

namespace truegrade {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using VectorOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using MatrixOut = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using MaybeVector = std::optional<Vector<T>>;

template <class T>
const T* data_or_null(const MaybeVector<T>& array) {
  return array ? array->data() : nullptr;
}

inline void check_length(const char* name, std::size_t found, std::size_t wanted) {
  if (found != wanted)
    throw std::invalid_argument(std::string(name) + " has length " + std::to_string(found) + ", wanted " +
                                std::to_string(wanted));
}

template <class T>
void check_length(const char* name, const MaybeVector<T>& array, std::size_t wanted) {
  if (array) check_length(name, array->shape(0), wanted);
}

}  // namespace truegrade
