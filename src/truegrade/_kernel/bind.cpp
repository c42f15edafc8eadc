// Shapes are checked here, once; past this file there are pointers. The interpreter is released while a
// kernel runs.
#include <algorithm>

#include "arrays.hpp"
#include "bind_glad.hpp"
#include "bind_mixture.hpp"
#include "bind_table.hpp"
#include "counts.hpp"
#include "hash.hpp"
#include "isa.hpp"
#include "numbering.hpp"
#include "sort.hpp"

namespace truegrade {
namespace {

void bind_hash_texts(Vector<std::int64_t> offsets, Vector<std::uint8_t> data, int threads,
                     VectorOut<std::uint64_t> hash_out) {
  check_length("hash_out", hash_out.shape(0), offsets.shape(0) - 1);
  nb::gil_scoped_release release;
  hash_texts(offsets.data(), data.data(), static_cast<std::int64_t>(hash_out.shape(0)), threads,
             hash_out.data());
}

nb::tuple bind_number_texts(Vector<std::int64_t> offsets, Vector<std::uint8_t> data, std::int64_t known,
                            VectorOut<std::uint64_t> slots, VectorOut<std::int64_t> store_offsets,
                            VectorOut<std::uint8_t> store_data, VectorOut<std::int32_t> number_out) {
  const std::int64_t texts = static_cast<std::int64_t>(offsets.shape(0)) - 1;
  check_length("number_out", number_out.shape(0), texts);
  if (slots.shape(0) < store_offsets.shape(0) || (slots.shape(0) & (slots.shape(0) - 1)))
    throw std::invalid_argument("slots must be a power of two, and more than there is room for");
  const TextStore store{slots.data(),         static_cast<std::int64_t>(slots.shape(0)),
                        store_offsets.data(), static_cast<std::int64_t>(store_offsets.shape(0)) - 1,
                        store_data.data(),    static_cast<std::int64_t>(store_data.shape(0))};
  TextProgress progress;
  {
    nb::gil_scoped_release release;
    progress = number_texts(offsets.data(), data.data(), texts, known, store, number_out.data());
  }
  return nb::make_tuple(progress.read, progress.known);
}

std::int64_t bind_number_codes(Vector<std::int32_t> code, MaybeVector<bool> kept,
                               VectorOut<std::int32_t> number_out, VectorOut<std::int32_t> code_out) {
  check_length("kept", kept, code.shape(0));
  const bool* end = kept ? kept->data() + code.shape(0) : nullptr;
  const std::size_t rows = kept ? std::count(kept->data(), end, true) : code.shape(0);
  check_length("number_out", number_out.shape(0), rows);
  nb::gil_scoped_release release;
  return number_codes(code.data(), data_or_null(kept), static_cast<std::int64_t>(code.shape(0)),
                      static_cast<std::int64_t>(code_out.shape(0)), number_out.data(), code_out.data());
}

template <class Rating>
void bind_csr_sort(Vector<std::int32_t> instance, Vector<std::int32_t> annotator, Vector<Rating> rating,
                   MaybeVector<double> weight, int threads, VectorOut<std::int64_t> instance_ptr_out,
                   VectorOut<std::uint32_t> row_out, VectorOut<std::int32_t> annotator_out,
                   VectorOut<Rating> rating_out) {
  const std::size_t ratings = instance.shape(0);
  check_length("annotator", annotator.shape(0), ratings);
  check_length("rating", rating.shape(0), ratings);
  check_length("weight", weight, ratings);
  check_length("row_out", row_out.shape(0), ratings);
  check_length("annotator_out", annotator_out.shape(0), ratings);
  check_length("rating_out", rating_out.shape(0), ratings);
  nb::gil_scoped_release release;
  csr_sort(instance.data(), annotator.data(), rating.data(), data_or_null(weight),
           static_cast<std::int64_t>(ratings), static_cast<std::int64_t>(instance_ptr_out.shape(0)) - 1,
           threads, instance_ptr_out.data(), row_out.data(), annotator_out.data(), rating_out.data());
}

void bind_grade_counts(Vector<std::int64_t> instance_ptr, Vector<std::uint8_t> grade,
                       MaybeVector<double> weight, int threads, MatrixOut<double> counts_out) {
  check_length("weight", weight, grade.shape(0));
  check_length("counts_out", counts_out.shape(0), instance_ptr.shape(0) - 1);
  nb::gil_scoped_release release;
  grade_counts(instance_ptr.data(), grade.data(), data_or_null(weight),
               static_cast<std::int64_t>(counts_out.shape(0)), static_cast<std::int64_t>(counts_out.shape(1)),
               threads, counts_out.data());
}

void bind_agreement_sums(Vector<std::int64_t> instance_ptr, Vector<std::int32_t> annotator,
                         Vector<std::uint8_t> grade, MaybeVector<double> weight, std::int64_t grades,
                         int threads, VectorOut<double> agree_out, VectorOut<double> paired_out) {
  check_length("annotator", annotator.shape(0), grade.shape(0));
  check_length("weight", weight, grade.shape(0));
  check_length("paired_out", paired_out.shape(0), agree_out.shape(0));
  nb::gil_scoped_release release;
  agreement_sums(instance_ptr.data(), annotator.data(), grade.data(), data_or_null(weight),
                 static_cast<std::int64_t>(instance_ptr.shape(0)) - 1,
                 static_cast<std::int64_t>(agree_out.shape(0)), grades, threads, agree_out.data(),
                 paired_out.data());
}

}  // namespace

NB_MODULE(_kernel, m) {
  using namespace nb::literals;
  m.doc() = "Kernels over arrays: the caller allocates, outputs come last, nothing is kept between calls.";
  m.def("hash_texts", &bind_hash_texts, "offsets"_a, "data"_a, nb::kw_only(), "threads"_a, "hash_out"_a);
  m.def("number_texts", &bind_number_texts, "offsets"_a, "data"_a, nb::kw_only(), "known"_a, "slots"_a,
        "store_offsets"_a, "store_data"_a, "number_out"_a);
  m.def("number_codes", &bind_number_codes, "code"_a, "kept"_a.none(), nb::kw_only(), "number_out"_a,
        "code_out"_a);
  m.def("csr_sort", &bind_csr_sort<std::uint8_t>, "instance"_a.noconvert(), "annotator"_a.noconvert(),
        "rating"_a.noconvert(), "weight"_a.none(), nb::kw_only(), "threads"_a, "instance_ptr_out"_a,
        "row_out"_a, "annotator_out"_a, "rating_out"_a);
  m.def("csr_sort", &bind_csr_sort<double>, "instance"_a.noconvert(), "annotator"_a.noconvert(),
        "rating"_a.noconvert(), "weight"_a.none(), nb::kw_only(), "threads"_a, "instance_ptr_out"_a,
        "row_out"_a, "annotator_out"_a, "rating_out"_a);
  m.def("grade_counts", &bind_grade_counts, "instance_ptr"_a, "grade"_a, "weight"_a.none(), nb::kw_only(),
        "threads"_a, "counts_out"_a);
  m.def("agreement_sums", &bind_agreement_sums, "instance_ptr"_a, "annotator"_a, "grade"_a, "weight"_a.none(),
        nb::kw_only(), "grades"_a, "threads"_a, "agree_out"_a, "paired_out"_a);
  m.def("best_isa", &best_isa);
  bind_mixture(m);
  bind_table(m);
  bind_glad(m);
}

}  // namespace truegrade
