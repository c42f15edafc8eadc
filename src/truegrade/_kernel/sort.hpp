// The counting sort that puts ratings into CSR order.
#pragma once

#include <cstdint>

namespace truegrade {

/// Sorts ratings by instance, inside an instance by (annotator, rating, weight, row). Whatever order the rows
/// came in, the sorted columns are the same to the bit (rows that tie on everything but their position are
/// alike). Codes of instances ascend by category, so this is also the order by category.
///
/// @param instance (L,): code of the instance, 0 .. M-1
/// @param annotator (L,): code of the annotator
/// @param rating (L,): index of the grade, or a real value
/// @param weight (L,) or null
/// @param instance_ptr_out (M+1,): where each instance's ratings begin
/// @param row_out (L,): where in the input the rating stood
/// @param annotator_out, rating_out (L,): the columns, sorted
template <class Rating>
void csr_sort(const std::int32_t* instance, const std::int32_t* annotator, const Rating* rating,
              const double* weight, std::int64_t ratings, std::int64_t instances, int threads,
              std::int64_t* instance_ptr_out, std::uint32_t* row_out, std::int32_t* annotator_out,
              Rating* rating_out);

}  // namespace truegrade
