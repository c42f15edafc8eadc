// Keyword arguments read one by one: for functions of so many arrays that a signature would say less than a
// list.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>

namespace truegrade {

namespace nb = nanobind;

/// The dictionary keeps the arrays alive while the pointers into them are in use.
class Keywords {
 public:
  explicit Keywords(const nb::kwargs& values) : values_(values) {}

  /// A C-ordered array of this very dtype with `rows` times `columns` elements.
  template <class T>
  const T* input(const char* name, std::size_t rows, std::size_t columns = 1) {
    return array<const T>(name, take(name), rows, columns);
  }
  /// The same, or None.
  template <class T>
  const T* maybe_input(const char* name, std::size_t rows, std::size_t columns = 1) {
    const nb::object value = take(name);
    return value.is_none() ? nullptr : array<const T>(name, value, rows, columns);
  }
  template <class T>
  T* output(const char* name, std::size_t rows, std::size_t columns = 1) {
    return array<T>(name, take(name), rows, columns);
  }
  template <class T>
  T* maybe_output(const char* name, std::size_t rows, std::size_t columns = 1) {
    const nb::object value = take(name);
    return value.is_none() ? nullptr : array<T>(name, value, rows, columns);
  }

  /// A number, or a text.
  template <class T>
  T scalar(const char* name) {
    T value{};
    if (!nb::try_cast(take(name), value)) wrong(name, "has the wrong type");
    return value;
  }

  /// An enumeration by its position.
  template <class Enum>
  Enum code(const char* name, int codes) {
    const int value = scalar<int>(name);
    if (value < 0 || value >= codes) wrong(name, "is no known code");
    return static_cast<Enum>(value);
  }

  /// The first dimension of an array, 0 for None. Does not count as reading the argument.
  std::size_t length(const char* name) const {
    const nb::object value = find(name);
    return value.is_none() ? 0 : nb::len(value);
  }

  /// To be called when everything has been read.
  void check_all_known() const {
    if (taken_ != values_.size()) throw nb::type_error("an argument is not known to this function");
  }

 private:
  nb::object find(const char* name) const {
    if (!values_.contains(name)) wrong(name, "is missing");
    return nb::borrow<nb::object>(values_[name]);
  }

  nb::object take(const char* name) {
    ++taken_;
    return find(name);
  }

  template <class T>
  static T* array(const char* name, const nb::object& value, std::size_t rows, std::size_t columns) {
    nb::ndarray<T, nb::c_contig, nb::device::cpu> found;
    if (!nb::try_cast(value, found, false)) wrong(name, "is no C-ordered array of the wanted dtype");
    if (found.ndim() == 0 || found.shape(0) != rows || found.size() != rows * columns)
      wrong(name, "has length " + std::to_string(found.ndim() ? found.shape(0) : 0) + ", wanted " +
                      std::to_string(rows) + (columns > 1 ? " rows of " + std::to_string(columns) : ""));
    if (reinterpret_cast<std::uintptr_t>(found.data()) % alignof(T))
      wrong(name, "is not aligned to its dtype");
    return found.data();
  }

  [[noreturn]] static void wrong(const char* name, const std::string& what) {
    throw nb::value_error((std::string(name) + " " + what).c_str());
  }

  const nb::kwargs& values_;
  std::size_t taken_ = 0;
};

}  // namespace truegrade
